#include "mechanism/case_gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* A direction of the coefficients for every variable. */
static mbd_status need_directions(const mechanism *m, mechanism_variant *v, mbd_error *err) {
  if (v->d) { return MBD_OK; }
  v->d = calloc((size_t)m->n + 1, sizeof *v->d);
  if (!v->d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %d design variables", m->n); }
  for (int i = 0; i < m->n; i++) { MBD_TRY(mbd_dparams_create(v->model, &v->d[i], err)); }
  return MBD_OK;
}

/* A simulation with room for all directions in the place of the one without. */
static mbd_status need_direct(const mechanism *m, mechanism_case *q, mbd_error *err) {
  mbd_sim *s;
  MBD_TRY(need_directions(m, q->v, err));
  if (!q->grad) { q->grad = calloc((size_t)q->npsi * (size_t)m->n + 1, sizeof *q->grad); }
  if (!q->grad) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the gradients of case '%s'", q->config->name); }
  if (q->directions >= m->n) { return MBD_OK; }
  MBD_TRY(mbd_sim_create(q->v->model, &q->c, q->outputs, q->nterm, q->term, q->npsi, m->n, &s, err));
  mbd_sim_destroy(q->sim);
  q->sim = s;
  q->directions = m->n;
  return MBD_OK;
}

static mbd_status need_adjoint(mechanism_case *q, mbd_error *err) {
  const size_t nc = (size_t)mbd_model_ncoef(q->v->model);
  if (!q->gtheta) { q->gtheta = calloc((size_t)q->npsi * nc + 1, sizeof *q->gtheta); }
  if (!q->sum) { q->sum = calloc((size_t)(q->npsi * q->npsi) + 1, sizeof *q->sum); }
  if (!q->v->requested) { q->v->requested = calloc(nc + 1, 1); }
  if (!q->gtheta || !q->sum || !q->v->requested) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the derivatives of case '%s' in %zu coefficients", q->config->name, nc);
  }
  return MBD_OK;
}

static mbd_status need_matrices(const mechanism *m, mechanism_case *q, mbd_error *err) {
  const size_t n = (size_t)m->n;
  if (!q->gn) { q->gn = calloc((size_t)q->npsi * n * n + 1, sizeof *q->gn); }
  if (!q->gn) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the Gauss-Newton matrices of %d variables", m->n); }
  return MBD_OK;
}

mbd_status case_prepare(const mechanism *m, mechanism_case *q, case_request ask, mbd_error *err) {
  q->ask = ask;
  q->ask.of_sum = ask.of_sum && gradient_is_adjoint(ask.method) && q->nobjective > 0;
  if (ask.gauss_newton) { MBD_TRY(need_matrices(m, q, err)); }
  if (ask.method == GRADIENT_DIRECT) { return need_direct(m, q, err); }
  return gradient_is_adjoint(ask.method) ? need_adjoint(q, err) : MBD_OK;
}

/* ---- one run ---- */

static double weight_of(const mechanism *m, const mechanism_case *q, int k) {
  return m->config->objective[q->quantity[k]].weight;
}

/* Rows of q->sum: the weighted sum of the objectives, then every constraint by itself. Returns their number. */
static int set_sums(const mechanism *m, mechanism_case *q) {
  int n = 1;
  memset(q->sum, 0, (size_t)(q->npsi * q->npsi) * sizeof *q->sum);
  for (int k = 0; k < q->nobjective; k++) { q->sum[k] = weight_of(m, q, k); }
  for (int k = q->nobjective; k < q->npsi; k++) { q->sum[n++ * q->npsi + k] = 1; }
  return n;
}

size_t case_memory_limit(const mechanism *m) {
  const double bytes = m->config->gradient.memory_limit * 1048576 / m->config->ncase;
  return m->config->gradient.memory_limit > 0 ? (size_t)fmax(bytes, 1) : 0;
}

/* Before a run begins, MBD_BAD_INPUT of an adjoint means a memory limit that is too small, and MBD_NO_MEMORY its trajectory. */
static mbd_status name_limit(mbd_status status, const mechanism *m, mbd_error *err) {
  const double limit = m->config->gradient.memory_limit;
  if (status == MBD_BAD_INPUT && isnan(err->time)) {
    return mbd_locate(err, status, "%s: [gradient] memory_limit = %g MiB: ", m->config->path, limit);
  }
  if (status != MBD_NO_MEMORY || !err) { return status; }
  const mbd_error told = *err;
  snprintf(err->text, sizeof err->text,
           "%s: %.700s; [gradient] memory_limit, now %g MiB (0: no limit), can have fewer of its states kept and steps "
           "taken again",
           m->config->path, told.text, limit);
  return status;
}

static int stop_asked(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  const mechanism *m = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

static mbd_status run_forward(mechanism *m, const mechanism_case *q, mbd_error *err) {
  const int direct = q->ask.method == GRADIENT_DIRECT;
  return mbd_sim_run(q->sim, q->v->params, direct ? m->n : 0, q->v->d, q->psi, direct ? q->grad : NULL,
                     q->ask.gauss_newton ? q->gn : NULL, stop_asked, m, err);
}

static mbd_status run_adjoint(mechanism *m, mechanism_case *q, mbd_error *err) {
  const mechanism_variant *v = q->v;
  const mbd_adjoint_options a = {.continuous = q->ask.method == GRADIENT_CONTINUOUS_ADJOINT,
                                 .memory_limit = case_memory_limit(m),
                                 .requested = v->requested,
                                 .nsum = q->ask.of_sum ? set_sums(m, q) : 0,
                                 .sum = q->sum};
  MBD_TRY(name_limit(mbd_sim_adjoint(q->sim, v->params, &a, q->psi, q->gtheta, stop_asked, m, err), m, err));
  q->stored = mbd_sim_stats(q->sim)->memory;
  q->repeated = mbd_sim_stats(q->sim)->recomputed;
  mbd_sim_check_directions(q->sim, m->n, m->name, v->start, v->index, v->value);
  return MBD_OK;
}

mbd_status case_run(mechanism *m, mechanism_case *q, mbd_error *err) {
  mbd_sim_watch(q->sim, 0); /* outputs other than those of objectives are not used */
  const mbd_status status = gradient_is_adjoint(q->ask.method) ? run_adjoint(m, q, err) : run_forward(m, q, err);
  mbd_sim_watch(q->sim, 1);
  return status;
}

/* ---- results of the run ---- */

double case_to_variable(const mechanism_variant *v, int j, const double *gtheta) {
  double sum = 0;
  for (int i = v->start[j]; i < v->start[j + 1]; i++) { sum += v->value[i] * gtheta[v->index[i]]; }
  return sum;
}

void case_row(const mechanism *m, const mechanism_case *q, int k, double *g) {
  if (m->n == 0) { return; } /* there is no memory for gradients */
  if (!gradient_is_adjoint(q->ask.method)) {
    memcpy(g, q->grad + k * m->n, (size_t)m->n * sizeof *g);
    return;
  }
  const int row = q->ask.of_sum ? 1 + k - q->nobjective : k;
  const double *gtheta = q->gtheta + (size_t)row * (size_t)mbd_model_ncoef(q->v->model);
  for (int j = 0; j < m->n; j++) { g[j] = case_to_variable(q->v, j, gtheta); }
}

void case_add_sum(const mechanism *m, const mechanism_case *q, double *g) {
  for (int j = 0; q->ask.of_sum && j < m->n; j++) { g[j] += case_to_variable(q->v, j, q->gtheta); }
  for (int k = 0; !q->ask.of_sum && k < q->nobjective; k++) {
    for (int j = 0; j < m->n; j++) { g[j] += weight_of(m, q, k) * q->grad[k * m->n + j]; }
  }
}
