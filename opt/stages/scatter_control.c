#include "stages/scatter_control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "fit/student.h"
#include "mechanism/cases.h"
#include "mechanism/true_values.h"
#include "scatter/samples.h"

enum { BATCH = 64 }; /* scenarios that are simulated at a time */

/* ---- the run file with other samples ---- */

/* A copy of the settings with as many samples, in which every quantity with `across` has the same word. The lists of objectives and constraints are
 * copies. */
static mbd_status change(const mbo_run_config *c, int count, const char *across, mbo_run_config *changed,
                         mbd_error *err) {
  *changed = *c;
  changed->objective = mbd_zeros((size_t)c->nobjective, sizeof *c->objective);
  changed->constraint = mbd_zeros((size_t)c->nconstraint, sizeof *c->constraint);
  MEMORY_TRY(changed->objective && changed->constraint, err, "the scatter");
  for (int i = 0; i < c->nobjective; i++) { changed->objective[i] = c->objective[i]; }
  for (int i = 0; i < c->nconstraint; i++) { changed->constraint[i] = c->constraint[i]; }
  for (int i = 0; i < c->nobjective + c->nconstraint; i++) {
    mbo_objective_config *o = i < c->nobjective ? &changed->objective[i] : &changed->constraint[i - c->nobjective];
    if (*o->across) { o->across = across; }
  }
  changed->scenarios.samples = count, changed->scenarios.plan = "monte_carlo";
  return MBD_OK;
}

static mbd_status open_changed(const mechanism *m, int count, mbo_run_config *c, mechanism **out, mbd_error *err) {
  *out = NULL;
  mbd_status status = change(m->config, count, "mean", c, err);
  if (status == MBD_OK) { status = mechanism_create(c, out, err); }
  if (status == MBD_OK) { (*out)->threads = m->threads, (*out)->stop = m->stop; }
  return status;
}

static void close_changed(mbo_run_config *c, mechanism *m) {
  mechanism_destroy(m);
  free(c->objective), free(c->constraint);
}

/* ---- shares, means to second order ---- */

static void find_portions(const mechanism_scenarios *all, const scenario_quantity *a, scatter_of *k) {
  const int n = all->nuncertain;
  double variance = 0;
  k->sigma = scenarios_spread(all, a->by_deviate, k->share);
  for (int i = 0; i < n; i++) {
    k->share[i] *= a->by_deviate[i];
    variance += k->share[i];
  }
  for (int i = 0; i < n; i++) { k->share[i] = variance > 0 ? k->share[i] / variance : 0; }
}

static mbd_status add_portions(const mechanism *m, const double *x, scatter_control *out, mbd_error *err) {
  mbo_run_config c;
  mechanism *linear;
  mbd_status status = open_changed(m, 0, &c, &linear, err);
  if (status == MBD_OK) { status = mechanism_evaluate(linear, x, "auto", err); }
  for (int i = 0; status == MBD_OK && i < out->n; i++) {
    out->of[i].mean = linear->psi[out->of[i].quantity];
    find_portions(linear->scenarios, &linear->scenarios->across[i], &out->of[i]);
  }
  if (status == MBD_OK && (scenarios_linear(m) || m->config->scenarios.check > 1)) {
    status = cases_curvature(linear, err);
    for (int i = 0; status == MBD_OK && i < out->n; i++) {
      out->of[i].mean_second = out->of[i].mean + linear->scenarios->across[i].curvature / 2;
    }
  }
  close_changed(&c, linear);
  return status;
}

/* ---- independent samples ---- */

/* The values of all quantities in N samples, v [n][N], in batches of the scenarios of `other`. */
static mbd_status draw(mechanism *other, const double *x, int n, int N, double *v, mbd_error *err) {
  const mbo_run_config *c = other->config;
  mechanism_scenarios *all = other->scenarios;
  samples *plan;
  const uint64_t seed = (uint64_t)c->scenarios.seed + 0x9E3779B97F4A7C15U; /* none that a run file can have */
  mbd_status status = samples_create(SAMPLES_MONTE_CARLO, N, all->nuncertain, seed, &plan, err);
  for (int first = 0; status == MBD_OK && first < N; first += all->n) {
    const int count = N - first < all->n ? N - first : all->n;
    for (int s = 0; s < count; s++) {
      samples_next(plan, all->deviate + s * all->nuncertain);
      scenarios_deviates(c, all, all->deviate + s * all->nuncertain);
    }
    status = mechanism_evaluate(other, x, "none", err);
    for (int i = 0; status == MBD_OK && i < n; i++) {
      const int sample = scenarios_sample(other, all->across[i].quantity, 0);
      for (int s = 0; s < count; s++) { v[i * N + first + s] = other->truth[sample + s].value; }
    }
  }
  samples_destroy(plan);
  return status;
}

static double factor_of(const measure_numbers *p) {
  return p->lower ? -1 : 1;
}

/* The standard error of the measure of v [N] by the influences of all samples; those of the lower tail are those of -v. */
static double standard_error(const scenario_quantity *a, int N, const double *v, double *work, const scatter_of *k) {
  const char *name = measure_word(a->is);
  const measure_numbers *p = &a->numbers;
  const double f = factor_of(p), mean = f * k->sample_mean, s = k->sample_sigma;
  const int is_cvar = strcmp(name, "cvar") == 0, is_mean = strcmp(name, "mean") == 0;
  for (int i = 0; i < N; i++) { work[i] = f * v[i]; }
  mbd_sort_values(N, work);
  const double t = work[(int)fmin(p->level * N, N - 1)];
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double d = work[i] - mean;
    const double u = is_mean   ? d
                     : is_cvar ? t + fmax(work[i] - t, 0) / (1 - p->level) - f * k->value
                               : d + (s > 0 ? p->sigmas * (d * d - s * s) / (2 * s) : 0);
    sum += u * u;
  }
  return sqrt(sum) / N;
}

static void judge(const scenario_quantity *a, int N, const double *v, double confidence, double *work, scatter_of *k) {
  const char *name = measure_word(a->is);
  const double z = student_quantile(confidence, INFINITY);
  double sum = 0;
  for (int i = 0; i < N; i++) { sum += v[i]; }
  k->sample_mean = sum / N, sum = 0;
  for (int i = 0; i < N; i++) { sum += (v[i] - k->sample_mean) * (v[i] - k->sample_mean); }
  k->sample_sigma = sqrt(sum / (N - 1));
  k->value = measure_true(a->is, &a->numbers, N, v, work);
  if (strcmp(name, "worst") == 0) {
    k->beyond = 1 - pow(1 - confidence, 1.0 / N);
  } else if (strcmp(name, "probability") == 0) {
    const double p = k->value, zz = z * z / N, centre = (p + zz / 2) / (1 + zz);
    const double half = z / (1 + zz) * sqrt(p * (1 - p) / N + zz / (4 * N));
    k->low = p > 0 ? fmax(centre - half, 0) : 0, k->high = p < 1 ? fmin(centre + half, 1) : 1;
  } else {
    /* Student's distribution, of cvar by the samples that count, of which there may be few. */
    const double count = strcmp(name, "cvar") == 0 ? (1 - a->numbers.level) * N : N;
    const double half = student_quantile(confidence, fmax(count - 1, 1)) * standard_error(a, N, v, work, k);
    k->low = k->value - half, k->high = k->value + half;
  }
}

static mbd_status add_samples(const mechanism *m, const double *x, scatter_control *out, mbd_error *err) {
  const int N = m->config->scenarios.check;
  mbo_run_config c;
  mechanism *other = NULL;
  double *v = mbd_zeros((size_t)(out->n + 2) * (size_t)N, sizeof *v);
  MEMORY_TRY(v, err, "%d samples", N);
  mbd_status status = open_changed(m, N < BATCH ? N : BATCH, &c, &other, err);
  if (status == MBD_OK) { status = draw(other, x, out->n, N, v, err); }
  for (int i = 0; status == MBD_OK && i < out->n; i++) {
    judge(&m->scenarios->across[i], N, v + i * N, out->confidence, v + out->n * N, &out->of[i]);
  }
  close_changed(&c, other);
  free(v);
  return status;
}

/* ---- all of it ---- */

static int is_fatal(mbd_status status) {
  return status == MBD_NO_MEMORY || status == MBD_INTERRUPTED;
}

mbd_status scatter_control_create(const mechanism *m, const double *x, scatter_control *out, mbd_error *err) {
  const mechanism_scenarios *all = m->scenarios;
  mbd_error why = {0};
  *out = (scatter_control){.confidence = m->config->scenarios.confidence};
  if (!all) { return MBD_OK; }
  out->of = mbd_zeros((size_t)all->nacross, sizeof *out->of);
  MEMORY_TRY(out->of, err, "the scatter");
  for (out->n = 0; out->n < all->nacross; out->n++) {
    scatter_of *k = &out->of[out->n];
    *k = (scatter_of){.quantity = all->across[out->n].quantity,
                      .mean = NAN,
                      .sigma = NAN,
                      .mean_second = NAN,
                      .share = mbd_zeros((size_t)all->nuncertain, sizeof *k->share),
                      .value = NAN,
                      .low = NAN,
                      .high = NAN,
                      .beyond = NAN};
    MEMORY_TRY(k->share, err, "the scatter");
    k->reported = m->truth[k->quantity].value;
  }
  mbd_status status = add_portions(m, x, out, &why);
  if (!is_fatal(status) && m->config->scenarios.check > 1) {
    status = add_samples(m, x, out, &why);
    if (status == MBD_OK) { out->samples = m->config->scenarios.check; }
    if (status != MBD_OK) { snprintf(out->failure, sizeof out->failure, "%.590s", why.text); }
  }
  if (!is_fatal(status)) { return MBD_OK; }
  if (err) { *err = why; }
  return status;
}

void scatter_control_free(scatter_control *c) {
  for (int i = 0; i < c->n; i++) { free(c->of[i].share); }
  free(c->of);
  c->of = NULL, c->n = 0;
}

int scatter_control_differs(const scatter_of *k) {
  return isfinite(k->low) && !(k->reported >= k->low && k->reported <= k->high);
}

int scatter_control_bends(const scatter_of *k) {
  static const double enough = 0.01;
  return fabs(k->mean_second - k->mean) > enough * k->sigma;
}

int scatter_control_violates(const mechanism *m, const scatter_of *k) {
  const int c = k->quantity - m->nobjective;
  return c >= 0 && (k->value > m->c_upper[c] || k->value < m->c_lower[c]);
}

int scatter_control_largest(const mechanism *m, const scatter_of *k, int max, int *order) {
  static const double negligible = 1e-3;
  int n = 0;
  for (; n < max; n++) {
    int best = -1;
    for (int i = 0; i < m->scenarios->nuncertain; i++) {
      int taken = !(fabs(k->share[i]) >= negligible);
      for (int j = 0; j < n; j++) { taken |= order[j] == i; }
      if (!taken && (best < 0 || fabs(k->share[i]) > fabs(k->share[best]))) { best = i; }
    }
    if (best < 0) { break; }
    order[n] = best;
  }
  return n;
}
