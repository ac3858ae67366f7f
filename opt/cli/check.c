/* mbopt check: compares the gradient of the method in use with those of all others. If there are few variables, each is checked by
 * complex step and differences; else some of them, evenly distributed, and the derivatives along random directions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "base/random.h"
#include "evaluate/taylor.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "mechanism/designs.h"
#include "mechanism/numerical.h"
#include "mechanism/warnings.h"
#include "report/check_page.h"
#include "results/results.h"
#include "mechanism/units.h"

/* Methods whose complete gradients are compared with the one in use. */
static const gradient_method others[] = {GRADIENT_DIRECT, GRADIENT_DISCRETE_ADJOINT, GRADIENT_CONTINUOUS_ADJOINT};

enum { OTHERS = sizeof others / sizeof others[0], PAIRS = OTHERS + 3 };

/* All results that the judgement uses. */
typedef struct evidence {
  int nq, n, nsample, ndirection;
  int *sample;                     /* [nsample] the variables that are checked by complex step and differences */
  double *psi, *used;              /* [nq], [nq][n] the gradient in use */
  double *size;                    /* [nq] check_sizes */
  double *other[OTHERS];           /* [nq][n] */
  mbd_status status[OTHERS];       /* MBD_UNSUPPORTED: not available */
  double *exact, *difference;      /* [nsample][nq] */
  double *w, *slope;               /* [ndirection][n], [ndirection][nq] */
  double *halved;                  /* [nq] deviation of the continuous adjoint at half the steps, if it is computed */
  int tight;                       /* 1: the derivatives were computed with a tighter tolerance of the steps, too; */
  double *tightened, *open;        /* [nq] then the largest deviation from the complex step; largest change of either */
  struct taylor_run *taylor;       /* [nq] */
  int finer;                       /* 1: compared at half the steps, too: */
  double *finer_difference;        /* [nq] the largest deviation from central differences */
  struct taylor_run *finer_taylor; /* [nq] */
  double *block;
} evidence;

/* Steps of the Taylor test, and smaller ones whose remainders are the noise of psi. */
enum { TAYLOR_STEPS = 10, NOISE_STEPS = 3, DESIGNS = TAYLOR_STEPS + NOISE_STEPS };

typedef struct taylor_run {
  taylor t;
  double change[TAYLOR_MAX]; /* |psi(rho + h d) - psi| */
} taylor_run;

typedef struct verdicts {
  int wrong;
  json_t *json, *hessian, *plugins, *warnings;
} verdicts;

/* ---- evidence ---- */

static double *take(double **block, size_t n) {
  double *v = *block;
  *block += n;
  return v;
}

static mbd_status allocate(const mechanism *m, evidence *e, mbd_error *err) {
  const mbo_check_config *c = &m->config->check;
  e->n = m->n, e->nq = m->nobjective + m->nconstraint;
  e->nsample = m->n < c->variables ? m->n : c->variables;
  e->ndirection = m->n > c->variables ? c->directions : 0;
  const size_t n = (size_t)e->n, nq = (size_t)e->nq, ns = (size_t)e->nsample, nd = (size_t)e->ndirection;
  double *at = e->block = calloc(nq + (1 + OTHERS) * nq * n + 2 * ns * nq + nd * (n + nq) + 5 * nq, sizeof *e->block);
  e->sample = calloc(ns + 1, sizeof *e->sample);
  e->taylor = calloc(2 * nq, sizeof *e->taylor);
  MEMORY_TRY(e->block && e->sample && e->taylor, err, "the check");
  e->psi = take(&at, nq), e->used = take(&at, nq * n);
  for (int k = 0; k < OTHERS; k++) { e->other[k] = take(&at, nq * n); }
  e->exact = take(&at, ns * nq), e->difference = take(&at, ns * nq);
  e->w = take(&at, nd * n), e->slope = take(&at, nd * nq), e->halved = take(&at, nq);
  e->tightened = take(&at, nq), e->open = take(&at, nq), e->size = take(&at, nq);
  e->finer_difference = take(&at, nq), e->finer_taylor = e->taylor + nq;
  for (int k = 0; k < e->nsample; k++) {
    e->sample[k] = e->nsample > 1 ? (int)((long)k * (e->n - 1) / (e->nsample - 1)) : 0;
  }
  return MBD_OK;
}

static void evidence_free(evidence *e) {
  free(e->block), free(e->sample), free(e->taylor);
}

static mbd_status by_method(mechanism *m, const char *method, const evidence *e, double *grad, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(m, m->start, method, err));
  memcpy(grad, m->grad, (size_t)e->nq * (size_t)e->n * sizeof *grad);
  return MBD_OK;
}

static mbd_status whole_gradients(mechanism *m, evidence *e, mbd_error *err) {
  MBD_TRY(by_method(m, m->config->gradient.method, e, e->used, err));
  memcpy(e->psi, m->psi, (size_t)e->nq * sizeof *e->psi);
  for (int k = 0; k < OTHERS; k++) {
    e->status[k] = by_method(m, gradient_method_name(others[k]), e, e->other[k], err);
    if (e->status[k] != MBD_OK && e->status[k] != MBD_UNSUPPORTED) { return e->status[k]; }
    if (e->status[k] == MBD_OK && others[k] == GRADIENT_CONTINUOUS_ADJOINT) {
      MBD_TRY(check_halved(m, e->halved, err));
    }
  }
  return MBD_OK;
}

/* Directions of random numbers between -1 and 1 in scaled variables; they are the same in every run. */
static mbd_status random_directions(mechanism *m, evidence *e, mbd_error *err) {
  uint64_t state = 1;
  for (int k = 0; k < e->ndirection; k++) {
    double *w = e->w + (size_t)k * (size_t)e->n;
    for (int j = 0; j < e->n; j++) { w[j] = m->scale[j] * (2 * random_unit(&state) - 1); }
    MBD_TRY(numerical_derivative(m, m->start, GRADIENT_COMPLEX_STEP, w, e->slope + k * e->nq, err));
  }
  return MBD_OK;
}

/* Columns of the derivatives [nsample][nq] by the variables of the sample. */
static mbd_status sample_columns(mechanism *m, const evidence *e, gradient_method method, double *by, mbd_error *err) {
  return numerical_columns(m, m->start, method, e->nsample, e->sample, by, err);
}

/* Complex steps for the sample and along the random directions; with `by_differences` also central differences for the sample. */
static mbd_status numerical_derivatives(mechanism *m, evidence *e, int by_differences, mbd_error *err) {
  MBD_TRY(sample_columns(m, e, GRADIENT_COMPLEX_STEP, e->exact, err));
  if (by_differences) { MBD_TRY(sample_columns(m, e, GRADIENT_CENTRAL_DIFFERENCES, e->difference, err)); }
  return random_directions(m, e, err);
}

/* ---- what the tolerance of the steps leaves open ---- */

/* Largest scaled component of the gradient of quantity i; deviations are relative to it. */
static double size_of(const mechanism *m, const evidence *e, int i) {
  double size = 0;
  for (int j = 0; j < e->n; j++) { size = fmax(size, fabs(e->used[i * e->n + j]) * m->scale[j]); }
  for (int k = 0; k < e->nsample; k++) { size = fmax(size, fabs(e->exact[k * e->nq + i]) * m->scale[e->sample[k]]); }
  return size > 0 ? size : 1;
}

/* Largest deviation of the gradient of quantity i from the complex step, for the variables of the sample. */
static double sample_deviation(const mechanism *m, const evidence *e, int i, const double *exact, double size) {
  double max = 0;
  for (int k = 0; k < e->nsample; k++) {
    const int j = e->sample[k];
    max = check_worse(max, fabs(e->used[i * e->n + j] - exact[k * e->nq + i]) * m->scale[j] / size);
  }
  return max;
}

/* The same along the random directions, relative to the root of the sum of squares of their parts. */
static double direction_deviation(const evidence *e, int i) {
  double max = 0;
  for (int k = 0; k < e->ndirection; k++) {
    const double *w = e->w + (size_t)k * (size_t)e->n, *g = e->used + i * e->n, exact = e->slope[k * e->nq + i];
    double slope = 0, squares = 0;
    for (int j = 0; j < e->n; j++) { slope += g[j] * w[j], squares += g[j] * w[j] * g[j] * w[j]; }
    const double size = fmax(sqrt(squares), fabs(exact));
    max = check_worse(max, fabs(slope - exact) / (size > 0 ? size : 1));
  }
  return max;
}

static double exact_deviation(const mechanism *m, const evidence *e, int i) {
  return check_worse(sample_deviation(m, e, i, e->exact, size_of(m, e, i)), direction_deviation(e, i));
}

/* The change of the gradient of quantity i, or of its complex steps, from e to f. */
static double change_between(const mechanism *m, const evidence *e, const evidence *f, int i) {
  const double size = size_of(m, e, i);
  double max = check_deviation(m, e->used + i * e->n, f->used + i * e->n, size);
  for (int k = 0; k < e->nsample; k++) {
    const double change = fabs(e->exact[k * e->nq + i] - f->exact[k * e->nq + i]);
    max = check_worse(max, change * m->scale[e->sample[k]] / size);
  }
  return max;
}

static void tighten(mbd_case *timing) {
  timing->tolerance *= 1e-2;
}

/* The deviations where the steps have a hundredth of their tolerance. */
static mbd_status at_tighter_tolerance(mechanism *m, void *user, mbd_error *err) {
  evidence *e = user, f = {0};
  mbd_status status = allocate(m, &f, err);
  if (status == MBD_OK) { status = by_method(m, m->config->gradient.method, &f, f.used, err); }
  if (status == MBD_OK) { status = numerical_derivatives(m, &f, 0, err); }
  for (int i = 0; i < e->nq && status == MBD_OK; i++) {
    e->tightened[i] = exact_deviation(m, &f, i), e->open[i] = change_between(m, e, &f, i);
  }
  e->tight = status == MBD_OK;
  evidence_free(&f);
  return status;
}

static mbd_status gather(mechanism *m, evidence *e, mbd_error *err) {
  int wrong = 0;
  MBD_TRY(allocate(m, e, err));
  MBD_TRY(check_sizes(m, e->size, err));
  MBD_TRY(whole_gradients(m, e, err));
  MBD_TRY(numerical_derivatives(m, e, 1, err));
  /* Motions past singular positions amplify what the tolerance of the steps leaves, so that the derivatives of two computations differ though
   * both are right. Where a deviation is above its tolerance, the derivatives are computed with a tighter one of the steps, too. */
  for (int i = 0; i < e->nq; i++) { wrong |= !(exact_deviation(m, e, i) <= m->config->check.tolerance); }
  if (!wrong || gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT) { return MBD_OK; }
  const mbd_status status = check_with_cases(m, tighten, at_tighter_tolerance, e, err);
  return status > 0 ? MBD_OK : status; /* the verdict stands without it */
}

/* Rounding of quantity i and of its derivatives: that of psi, and that of the outputs, which is all of it where they cancel out. */
static double rounding(const evidence *e, int i) {
  static const double of_outputs = 1e-13;
  return check_rounding(e->psi[i]) + of_outputs * e->size[i];
}

/* ---- the Taylor test ---- */

/* The slope g.d of quantity i, and its error where g is right: what the other comparisons allow, and rounding. */
static void slope_of(const mechanism *m, const evidence *e, int i, taylor *t) {
  const gradient_method used = gradient_method_find(m->config->gradient.method);
  const int differences = used == GRADIENT_CENTRAL_DIFFERENCES;
  const mbo_check_config *c = &m->config->check;
  double sum = 0;
  for (int j = 0; j < m->n; j++) {
    const double part = e->used[i * e->n + j] * m->scale[j] * cos(1 + 2.4 * j);
    t->slope += part, sum += fabs(part);
  }
  t->slope_error = (differences ? c->difference_tolerance : c->tolerance) * sum +
                   (differences ? rounding(e, i) / m->config->gradient.difference_step : rounding(e, i));
}

/* Steps that fall by half a decade; then those where even a wrong gradient leaves next to nothing. */
static double taylor_step(const mechanism *m, int k) {
  static const double tiny = 1e-8;
  const double h = m->config->check.taylor_step;
  return k < TAYLOR_STEPS ? h * pow(10, -0.5 * k) : h * tiny / (1 + k - TAYLOR_STEPS);
}

/* Remainders of quantity i, and the noise: the rounding of psi, or what remains at the tiny steps, if that is more. Designs that cannot be simulated are left out, as smaller steps may
 * succeed. psi [DESIGNS][nq], status [DESIGNS] */
static void remainders(const mechanism *m, const evidence *e, int i, const double *psi, const mbd_status *status,
                       taylor_run *r) {
  taylor *t = &r->t;
  *r = (taylor_run){0};
  slope_of(m, e, i, t);
  t->noise = check_rounding(e->psi[i]);
  for (int k = 0; k < DESIGNS; k++) {
    const double h = taylor_step(m, k), change = psi[k * e->nq + i] - e->psi[i], remainder = change - h * t->slope;
    if (status[k] != MBD_OK) { continue; }
    if (k >= TAYLOR_STEPS) {
      t->noise = fmax(t->noise, 2 * fabs(remainder));
      continue;
    }
    r->change[t->n] = fabs(change);
    t->step[t->n] = h;
    t->remainder[t->n++] = remainder;
  }
  taylor_judge(t);
}

/* For all quantities [nq], along a direction d no component of which is zero: psi(rho + h d) for all steps h. */
static mbd_status taylor_tests(mechanism *m, const evidence *e, taylor_run *r, mbd_error *err) {
  const size_t n = (size_t)e->n, nq = (size_t)e->nq;
  mbd_status each[DESIGNS] = {MBD_OK};
  double *x = mbd_zeros(DESIGNS * (n + nq), sizeof *x), *psi = x ? x + DESIGNS * n : NULL;
  MEMORY_TRY(x, err, "the Taylor test");
  for (int k = 0; k < DESIGNS; k++) {
    for (int j = 0; j < e->n; j++) {
      x[k * e->n + j] = m->start[j] + taylor_step(m, k) * m->scale[j] * cos(1 + 2.4 * j);
    }
  }
  const mbd_status status = designs_values(m, DESIGNS, x, 1, psi, each, err);
  for (int i = 0; status == MBD_OK && i < e->nq; i++) { remainders(m, e, i, psi, each, &r[i]); }
  free(x);
  return status;
}

/* ---- what the choice of steps leaves open ---- */

/* An integrator that chooses its steps by their error chooses others for another design, which no derivative sees. */
static int chooses_steps(const mechanism *m) {
  for (int i = 0; i < m->ncase; i++) {
    const mbd_case *c = &m->config->cases[i].simulation;
    if (strcmp(c->analysis, "motion") == 0 && strcmp(c->integrator, "dormand_prince") == 0) { return 1; }
  }
  return 0;
}

/* Compares the gradient with central differences and by the Taylor test at half the steps. */
static mbd_status at_finer_steps(mechanism *m, void *user, mbd_error *err) {
  evidence *e = user, f = {0};
  mbd_status status = allocate(m, &f, err);
  if (status == MBD_OK) { status = by_method(m, m->config->gradient.method, &f, f.used, err); }
  if (status == MBD_OK) {
    memcpy(f.psi, m->psi, (size_t)e->nq * sizeof *f.psi), memcpy(f.size, e->size, (size_t)e->nq * sizeof *f.size);
    status = sample_columns(m, &f, GRADIENT_CENTRAL_DIFFERENCES, f.difference, err);
  }
  if (status == MBD_OK) { status = taylor_tests(m, &f, e->finer_taylor, err); }
  for (int i = 0; i < e->nq && status == MBD_OK; i++) {
    e->finer_difference[i] = sample_deviation(m, &f, i, f.difference, size_of(m, &f, i));
  }
  e->finer = status == MBD_OK;
  evidence_free(&f);
  return status;
}

/* The Taylor tests of all quantities; where steps are chosen, and a difference of two simulations deviates, the comparison at half of them. */
static mbd_status compare_simulations(mechanism *m, evidence *e, mbd_error *err) {
  int differs = 0;
  MBD_TRY(taylor_tests(m, e, e->taylor, err));
  for (int i = 0; i < e->nq; i++) {
    differs |= e->taylor[i].t.verdict == TAYLOR_WRONG ||
               !(sample_deviation(m, e, i, e->difference, size_of(m, e, i)) <= m->config->check.difference_tolerance);
  }
  if (!differs || !chooses_steps(m)) { return MBD_OK; }
  const mbd_status status = check_with_cases(m, check_halve, at_finer_steps, e, err);
  return status > 0 ? MBD_OK : status; /* the verdict stands without it */
}

static const double finer_falls_to = 0.25; /* the error of steps falls to a thirtieth, that of a wrong gradient stays */

/* Is a deviation between simulations what their steps leave open? */
static int is_of_steps(const mechanism *m, const evidence *e, double deviation, double finer, double tolerance) {
  return e->finer && deviation <= m->config->check.continuous_tolerance &&
         finer <= fmax(finer_falls_to * deviation, tolerance);
}

/* ---- judgement of one quantity ---- */

/* Two methods for a derivative, the largest deviation between them, the tolerance, and the rounding in the deviation. */
typedef struct pair {
  char what[80];
  const char *name;                                /* in JSON */
  double deviation, tolerance, by_steps, rounding; /* by_steps: what the steps leave open; 0: less than the tolerance */
  int available, inexact;                          /* inexact: one of them is the continuous adjoint */
  double halved, noise; /* if so: the deviation at half the steps (0: not known), and the one that needs not decrease */
  int tight;            /* 1: it is above its tolerance, and known with a tighter tolerance of the steps: */
  double tightened;
  double finer; /* of central differences above their tolerance: the deviation at half the steps; 0: not known */
} pair;

static void tell_tightened(const mechanism *m, const evidence *e, int i, pair *compared) {
  compared->tight = e->tight && !(compared->deviation <= m->config->check.tolerance),
  compared->tightened = e->tightened[i];
}

/* Is the method in use the continuous adjoint, which differs from the derivatives of the discrete equations? */
static int is_continuous(const mechanism *m) {
  return gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT;
}

/* Is either the method in use or the other one the continuous adjoint? */
static int is_inexact(const mechanism *m, gradient_method other) {
  return is_continuous(m) || other == GRADIENT_CONTINUOUS_ADJOINT;
}

/* Tolerance between the method in use and another one. */
static double allowed(const mechanism *m, gradient_method other) {
  const mbo_check_config *c = &m->config->check;
  if (is_inexact(m, other)) { return c->continuous_tolerance; }
  return other == GRADIENT_CENTRAL_DIFFERENCES ? c->difference_tolerance : c->tolerance;
}

static const double must_fall_to = 0.7; /* a scheme of first order halves the deviation at half the steps */

/* Tolerance of quantity i against the complex step. Three times what the tolerance of the steps leaves open is added where the deviation
 * falls with it, as long as central differences could tell. The error of a wrong gradient stays. */
static double allowed_by_steps(const mechanism *m, const evidence *e, int i) {
  const double tolerance = allowed(m, GRADIENT_COMPLEX_STEP), deviation = exact_deviation(m, e, i);
  const int falls = e->tight && e->tightened[i] <= fmax(must_fall_to * deviation, tolerance);
  return falls && e->open[i] <= m->config->check.difference_tolerance ? tolerance + 3 * e->open[i] : tolerance;
}

/* Of the continuous adjoint: its deviation, if it is within the tolerance at half the steps and falls as the error of steps does. */
static double continuous_by_steps(const mechanism *m, const evidence *e, int i, double deviation) {
  const double halved = e->halved[i];
  return halved > 0 && halved <= fmin(m->config->check.continuous_tolerance, finer_falls_to * deviation) ? deviation
                                                                                                         : 0;
}

static double exact_by_steps(const mechanism *m, const evidence *e, int i, double deviation) {
  return is_continuous(m) ? continuous_by_steps(m, e, i, deviation) : 0;
}

/* Of central differences, likewise. */
static double differences_by_steps(const mechanism *m, const evidence *e, int i, double size) {
  const double deviation = sample_deviation(m, e, i, e->difference, size);
  if (is_continuous(m)) { return continuous_by_steps(m, e, i, deviation); }
  return is_of_steps(m, e, deviation, e->finer_difference[i], m->config->check.difference_tolerance) ? deviation : 0;
}

/* The deviation that can result from the rounding of psi and of its outputs alone. */
static double rounding_of(const mechanism *m, const evidence *e, int i, gradient_method other, double size) {
  return (other == GRADIENT_CENTRAL_DIFFERENCES ? rounding(e, i) / m->config->gradient.difference_step
                                                : rounding(e, i)) /
         size;
}

static pair whole_pair(const mechanism *m, const evidence *e, int i, int k, double size) {
  pair q = {.name = gradient_method_name(others[k]),
            .available = e->status[k] == MBD_OK,
            .tolerance = allowed(m, others[k]),
            .rounding = rounding_of(m, e, i, others[k], size),
            .inexact = is_inexact(m, others[k]),
            .halved = is_inexact(m, others[k]) ? e->halved[i] : 0,
            .noise = m->config->check.difference_tolerance};
  snprintf(q.what, sizeof q.what, "%s", gradient_method_text(others[k]));
  q.deviation = check_deviation(m, e->used + i * e->n, e->other[k] + i * e->n, size);
  q.by_steps = q.inexact ? continuous_by_steps(m, e, i, q.deviation) : 0;
  return q;
}

static pair sample_pair(const mechanism *m, const evidence *e, int i, gradient_method method, double size) {
  const int exact = method == GRADIENT_COMPLEX_STEP;
  pair q = {.name = gradient_method_name(method),
            .available = 1,
            .tolerance = exact ? allowed_by_steps(m, e, i) : allowed(m, method),
            .rounding = rounding_of(m, e, i, method, size)};
  snprintf(q.what, sizeof q.what, e->nsample < e->n ? "%s, %d of %d variables" : "%s", gradient_method_text(method),
           e->nsample, e->n);
  q.deviation = sample_deviation(m, e, i, exact ? e->exact : e->difference, size);
  q.by_steps = exact ? exact_by_steps(m, e, i, q.deviation) : differences_by_steps(m, e, i, size);
  if (exact) { tell_tightened(m, e, i, &q); }
  if (!exact && e->finer && q.deviation > q.tolerance) { q.finer = e->finer_difference[i]; }
  return q;
}

/* Derivatives along random directions. */
static pair direction_pair(const mechanism *m, const evidence *e, int i, double largest) {
  pair q = {.name = "random_directions",
            .available = e->ndirection > 0,
            .tolerance = allowed_by_steps(m, e, i),
            .rounding = rounding_of(m, e, i, GRADIENT_COMPLEX_STEP, largest)};
  snprintf(q.what, sizeof q.what, "complex step, %d random direction%s", e->ndirection, plural(e->ndirection));
  q.deviation = direction_deviation(e, i);
  q.by_steps = exact_by_steps(m, e, i, q.deviation);
  tell_tightened(m, e, i, &q);
  return q;
}

static const char *verdict_on(const pair *compared) {
  const int falls = !compared->inexact || compared->halved <= fmax(must_fall_to * compared->deviation, compared->noise);
  return !compared->available ? "not available for this case"
                              : check_verdict_by_steps(compared->deviation, falls ? compared->tolerance : -1,
                                                       falls ? compared->by_steps : -1, compared->rounding);
}

/* "right", "right; 1.1e-03 at half the steps", "WRONG: 148 % off; 120 % at half the steps" */
static const char *judgement(const pair *compared, char *text, size_t size) {
  const char *verdict = verdict_on(compared);
  const int right = !check_is_wrong(verdict);
  if (compared->available && compared->tight) {
    snprintf(text, size, "%s; %.1e at a hundredth of the steps' tolerance", verdict, compared->tightened);
    return text;
  }
  if (compared->available && compared->finer > 0) {
    snprintf(text, size, "%s; %.1e at half the steps", verdict, compared->finer);
    return text;
  }
  if (!compared->available || !compared->inexact) { return verdict; }
  size_t n = (size_t)snprintf(text, size, right ? "%s" : "%s: %.3g %% off", verdict, 100 * compared->deviation);
  if (isnan(compared->halved)) {
    snprintf(text + n, size - n, "; the motion at half the steps cannot be computed");
  } else if (compared->halved > 0) {
    snprintf(text + n, size - n, right ? "; %.1e at half the steps" : "; %.3g %% at half the steps",
             right ? compared->halved : 100 * compared->halved);
  }
  return text;
}

/* Judges the gradient of quantity i against all other methods, the sample of variables and the random directions; prints the verdicts or
 * adds them to the list. */
static void judge_pairs(const cli_run *r, const evidence *e, int i, double size, verdicts *v, json_t *list) {
  const mechanism *m = r->m;
  /* The comparisons: other methods, then complex step and differences of the sample, then random directions. */
  pair pairs[PAIRS];
  int n = 0;
  for (int k = 0; k < OTHERS; k++) {
    if (gradient_method_find(m->config->gradient.method) != others[k]) { pairs[n++] = whole_pair(m, e, i, k, size); }
  }
  pairs[n++] = sample_pair(m, e, i, GRADIENT_COMPLEX_STEP, size);
  pairs[n++] = sample_pair(m, e, i, GRADIENT_CENTRAL_DIFFERENCES, size);
  if (e->ndirection) { pairs[n++] = direction_pair(m, e, i, size); }
  if (!r->a->json) { printf("  %-40s %10s   verdict\n", "compared with", "deviation"); }
  for (int k = 0; k < n; k++) {
    const pair *compared = &pairs[k];
    char text[120];
    /* The verdict, which counts if it is WRONG, as a row of the table. */
    const char *verdict = verdict_on(compared);
    v->wrong += check_is_wrong(verdict);
    if (!r->a->json && compared->available) {
      printf("  %-40s %10.2e   %s\n", compared->what, compared->deviation, judgement(compared, text, sizeof text));
    }
    if (!r->a->json && !compared->available) { printf("  %-40s %10s   %s\n", compared->what, "-", verdict); }
    /* The same as an entry of the list, with the deviations at half the steps and at a tighter tolerance, if known. */
    json_t *o = json_pack("{s:s, s:o, s:s}", "method", compared->name, "deviation",
                          compared->available ? json_number(compared->deviation) : json_null(), "verdict", verdict);
    if (compared->available && compared->halved != 0) {
      json_object_set_new(o, "deviation_at_half_steps", json_number(compared->halved));
    }
    if (compared->tight) { json_object_set_new(o, "deviation_at_tighter_tolerance", json_number(compared->tightened)); }
    json_array_append_new(list, o);
  }
}

/* Deviations of all methods from the complex step for variable k of the sample, by their names. */
static json_t *deviations(const mechanism *m, const evidence *e, int i, int k, double size) {
  const int j = e->sample[k];
  const double exact = e->exact[k * e->nq + i], scale = m->scale[j] / size;
  json_t *o = json_object();
  for (int q = 0; q < OTHERS; q++) {
    if (e->status[q] != MBD_OK) { continue; }
    json_object_set_new(o, gradient_method_name(others[q]),
                        json_number(fabs(e->other[q][i * e->n + j] - exact) * scale));
  }
  json_object_set_new(o, gradient_method_name(GRADIENT_CENTRAL_DIFFERENCES),
                      json_number(fabs(e->difference[k * e->nq + i] - exact) * scale));
  return o;
}

/* Judges the variables one by one. */
static void judge_variables(const cli_run *r, const evidence *e, int i, double size, json_t *list) {
  const mechanism *m = r->m;
  /* Tolerances against the complex step and against central differences, and the rounding of both. */
  const double exactly = allowed_by_steps(m, e, i), roughly = allowed(m, GRADIENT_CENTRAL_DIFFERENCES);
  const double of_exact = rounding_of(m, e, i, GRADIENT_COMPLEX_STEP, size);
  const double of_rough = rounding_of(m, e, i, GRADIENT_CENTRAL_DIFFERENCES, size);
  const double sharp_by_steps = exact_by_steps(m, e, i, sample_deviation(m, e, i, e->exact, size));
  const double blunt_by_steps = differences_by_steps(m, e, i, size);
  if (!r->a->json) {
    printf("  %-16s %18s %18s %18s %10s %10s\n", "variable", r->config->gradient.method, "complex step",
           "central diff.", "error", "verdict");
  }
  for (int k = 0; k < e->nsample; k++) {
    const int j = e->sample[k];
    /* Gradient, complex step and central difference, and the scaled deviations of the first, relative to `size`. */
    const double a = e->used[i * e->n + j], b = e->exact[k * e->nq + i], d = e->difference[k * e->nq + i];
    const double error = fabs(a - b) * m->scale[j] / size, rough = fabs(a - d) * m->scale[j] / size;
    /* The worse one of both verdicts; it is "zero" if the gradient and the complex step are exactly zero. */
    const char *sharp = check_verdict_by_steps(error, exactly, sharp_by_steps, of_exact);
    const char *blunt = check_verdict_by_steps(rough, roughly, blunt_by_steps, of_rough);
    const char *verdict = check_is_wrong(sharp) || strcmp(blunt, "right") == 0 ? sharp : blunt;
    if (a == 0 && b == 0 && strcmp(verdict, "right") == 0) { verdict = "zero"; }
    if (!r->a->json) { printf("  %-16s %18.10g %18.10g %18.10g %10.2e %10s\n", m->name[j], a, b, d, error, verdict); }
    json_array_append_new(
        list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "name", m->name[j], "gradient", json_number(a),
                        "complex_step", json_number(b), "central_differences", json_number(d), "error",
                        json_number(error), "verdict", verdict, "deviations", deviations(m, e, i, k, size)));
  }
}

static json_t *taylor_json(const taylor_run *r) {
  const taylor *t = &r->t;
  double remainder[TAYLOR_MAX];
  for (int k = 0; k < t->n; k++) { remainder[k] = fabs(t->remainder[k]); }
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "step", json_numbers(t->step, t->n), "remainder",
                   json_numbers(remainder, t->n), "change", json_numbers(r->change, t->n), "rounding",
                   json_number(t->noise), "first_order", json_number(t->first), "first_order_error",
                   json_number(t->error + t->slope_error), "size", json_number(t->size), "size_is_of_change",
                   t->by_change);
}

/* The verdict on the remainder's part of first order. That of the continuous adjoint is not zero; the comparisons judge it. */
static const char *judge_taylor(const cli_run *r, const evidence *e, int i) {
  const taylor *t = &e->taylor[i].t, *finer = &e->finer_taylor[i].t;
  const double unexplained = fabs(t->first) / t->size, left = finer->size > 0 ? fabs(finer->first) / finer->size : NAN;
  const int by_steps = is_of_steps(r->m, e, unexplained, left, 0);
  const char *wrong = is_continuous(r->m) && isfinite(t->first) ? "not judged"
                      : by_steps                                ? "to the accuracy of the steps"
                                                                : "WRONG";
  const char *verdict = t->verdict == TAYLOR_RIGHT ? "right" : t->verdict == TAYLOR_WRONG ? wrong : "not judged";
  if (r->a->json) { return verdict; }
  printf("  Taylor test: ");
  if (t->verdict == TAYLOR_UNDECIDED && t->n < 3) {
    printf("not judged, for designs beside this one cannot be simulated\n");
  } else if (t->verdict == TAYLOR_UNDECIDED) {
    printf("not judged, for rounding leaves the derivative open\n");
  } else if (!isfinite(t->first)) {
    printf("order nan, expected 2: %s\n", verdict);
  } else if (t->size == 0) {
    printf("nothing changes along the direction, as the gradient says: %s\n", verdict);
  } else {
    if (isfinite(t->order)) { printf("order %.3f, expected 2; ", t->order); }
    printf("%.1e of the %s unexplained, known to %.1e", unexplained, t->by_change ? "change" : "derivative",
           (t->error + t->slope_error) / t->size);
    if (t->verdict == TAYLOR_WRONG && e->finer) { printf("; %.1e at half the steps", left); }
    printf(": %s\n", verdict);
  }
  return verdict;
}

static void judge(const cli_run *r, const evidence *e, int i, verdicts *v) {
  const taylor_run *t = &e->taylor[i];
  const double size = size_of(r->m, e, i);
  const char *name = mechanism_quantity(r->m, i);
  json_t *variables = json_array(), *methods = json_array();
  if (!r->a->json) { printf("%s\n", name); }
  judge_variables(r, e, i, size, variables);
  judge_pairs(r, e, i, size, v, methods);
  const char *verdict = judge_taylor(r, e, i);
  v->wrong += strcmp(verdict, "WRONG") == 0;
  json_array_append_new(
      v->json, json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "quantity", name, "unit",
                         json_own_text(unit_of_named(r->m, name)), "variables", variables, "methods", methods,
                         "taylor_order", json_number(t->t.order), "taylor_verdict", verdict, "taylor", taylor_json(t)));
}

/* ---- the command ---- */

static mbd_status check(const cli_run *r, verdicts *v, mbd_error *err) {
  evidence e = {0};
  mbo_problem p;
  MBD_TRY(check_plugins(r, &v->wrong, v->plugins, err));
  /* The evidence, and with it what the simulations warn of and how the gradient is computed. */
  mbd_status status = gather(r->m, &e, err);
  if (status == MBD_OK) {
    v->warnings = warnings_json(r->m);
    cli_print_warnings(r, "");
  }
  if (status == MBD_OK && !r->a->json) { cli_print_choice(stdout, r->m); }
  /* The verdicts on each quantity. */
  if (status == MBD_OK) { status = compare_simulations(r->m, &e, err); }
  for (int i = 0; i < e.nq && status == MBD_OK; i++) { judge(r, &e, i, v); }
  evidence_free(&e);
  /* Exact second derivatives, if the optimizer uses them. */
  mechanism_problem(r->m, &p);
  const int uses_hessian = p.has_hessian && strcmp(r->config->optimizer.hessian, "exact") == 0;
  return status == MBD_OK && uses_hessian ? check_hessian(r, &v->wrong, v->hessian, err) : status;
}

/* What --json prints: the verdicts. */
static json_t *answer(const mechanism *m, const verdicts *v) {
  json_t *o = json_pack("{s:s, s:o, s:O, s:O, s:O, s:O}", "verdict", v->wrong ? "WRONG" : "right", "gradient",
                        results_gradient(m), "quantities", v->json, "second_derivatives", v->hessian,
                        "forces_of_ones_own", v->plugins, "warnings", v->warnings);
  results_put_lanes(m, o);
  return o;
}

/* The names of methods in words. */
static json_t *method_words(void) {
  static const gradient_method all[] = {GRADIENT_DIRECT, GRADIENT_DISCRETE_ADJOINT, GRADIENT_CONTINUOUS_ADJOINT,
                                        GRADIENT_COMPLEX_STEP, GRADIENT_CENTRAL_DIFFERENCES};
  json_t *o = json_pack("{s:s}", "random_directions", "complex step, random directions");
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    json_object_set_new(o, gradient_method_name(all[i]), json_string(gradient_method_text(all[i])));
  }
  return o;
}

/* Writes check.html in the folder of the results. */
static mbd_status write_page(const cli_run *r, const json_t *verdicts_json, mbd_error *err) {
  const mbo_check_config *c = &r->config->check;
  json_t *o = json_copy((json_t *)verdicts_json);
  json_object_set_new(o, "tolerance", json_real(c->tolerance));
  json_object_set_new(o, "difference_tolerance", json_real(c->difference_tolerance));
  json_object_set_new(o, "method_words", method_words());
  return cli_write_page(r, "check.html", o, check_page_write, err);
}

/* `mbopt check`: collects the verdicts on all quantities, second derivatives and users' forces, and prints them or writes the page. */
int command_check(cli_run *r) {
  mbd_error err = {0};
  const mechanism *m = r->m;
  /* A check needs variables, quantities and a method of gradients. */
  if (m->n == 0 || m->nobjective + m->nconstraint == 0 || strcmp(r->config->gradient.method, "none") == 0) {
    fprintf(stderr, "mbopt: error: %s: nothing to check; expected design variables, objectives and a gradient method\n",
            r->config->path);
    return EXIT_CONFIGURATION;
  }
  verdicts v = {.json = json_array(), .hessian = json_array(), .plugins = json_array()};
  /* Verdicts, on standard output or as JSON, and the page if one is requested. */
  mbd_status status = check(r, &v, &err);
  json_t *o = status == MBD_OK ? answer(m, &v) : NULL;
  if (status == MBD_OK && !r->a->json) { printf(v.wrong ? "verdicts WRONG: %d\n" : "all right\n", v.wrong); }
  if (status == MBD_OK && cli_requests_page(r->a)) { status = write_page(r, o, &err); }
  /* A failure of the check itself determines the exit code before the verdicts do. */
  int code = status != MBD_OK ? cli_error(&err, cli_exit_code(status)) : v.wrong ? EXIT_CHECK : EXIT_CONVERGED;
  if (status == MBD_OK && r->a->json) { code = cli_print_json(o, code); }
  json_decref(o);
  json_decref(v.json), json_decref(v.hessian), json_decref(v.plugins), json_decref(v.warnings);
  /* With --quiet the reason of the exit code is still printed. */
  if (v.wrong && code == EXIT_CHECK && r->a->verbosity < 0) {
    fprintf(stderr, "mbopt: %s: the gradient is not right; verdicts WRONG: %d\n", m->config->path, v.wrong);
  }
  return code;
}
