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
  if (!q->v->wanted) { q->v->wanted = calloc(nc + 1, 1); }
  if (!q->gtheta || !q->sum || !q->v->wanted) {
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

mbd_status case_prepare(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_error *err) {
  if (gauss_newton) { MBD_TRY(need_matrices(m, q, err)); }
  if (q->method == GRADIENT_DIRECT) { return need_direct(m, q, err); }
  return gradient_is_adjoint(q->method) ? need_adjoint(q, err) : MBD_OK;
}

/* ---- one run ---- */

/* Objectives of the case; they come first among its quantities. */
static int count_objectives(const mechanism *m, const mechanism_case *q) {
  int n = 0;
  while (n < q->npsi && q->quantity[n] < m->nobjective) { n++; }
  return n;
}

/* Where only the weighted sum of the objectives is asked for, one adjoint does for all of them: that sum first, then every
 * constraint by itself. */
static void set_sums(const mechanism *m, mechanism_case *q) {
  const int n = count_objectives(m, q);
  q->nsum = 0;
  if (!m->summed || n == 0) { return; }
  memset(q->sum, 0, (size_t)(q->npsi * q->npsi) * sizeof *q->sum);
  for (int k = 0; k < n; k++) { q->sum[k] = m->config->objective[q->quantity[k]].weight; }
  q->nsum = 1;
  for (int k = n; k < q->npsi; k++) { q->sum[q->nsum++ * q->npsi + k] = 1; }
}

double case_to_variable(const mechanism_variant *v, int j, const double *gtheta) {
  double sum = 0;
  for (int i = v->start[j]; i < v->start[j + 1]; i++) { sum += v->value[i] * gtheta[v->index[i]]; }
  return sum;
}

/* Rows of q->grad; of sums, the first objective has that of the sum and the others are zero. */
static void gradients_by_adjoint(const mechanism *m, mechanism_case *q) {
  const size_t nc = (size_t)mbd_model_ncoef(q->v->model), n = (size_t)m->n;
  const int others = q->nsum ? count_objectives(m, q) - 1 : 0;
  for (int k = 0; k < q->npsi; k++) {
    double *g = q->grad + (size_t)k * n;
    if (k > 0 && k <= others) {
      memset(g, 0, n * sizeof *g);
    } else {
      const double *gtheta = q->gtheta + (size_t)(k > others ? k - others : 0) * nc;
      for (int j = 0; j < m->n; j++) { g[j] = case_to_variable(q->v, j, gtheta); }
    }
  }
}

/* Rows of objectives times their weights, as in a sum. */
static void weigh_gradients(const mechanism *m, mechanism_case *q) {
  for (int k = 0; k < q->npsi; k++) {
    if (q->quantity[k] >= m->nobjective) { continue; }
    const double w = m->config->objective[q->quantity[k]].weight;
    for (int j = 0; j < m->n; j++) { q->grad[k * m->n + j] *= w; }
  }
}

size_t case_memory_limit(const mechanism *m) {
  const double bytes = m->config->gradient.memory_limit * 1048576 / m->config->ncase;
  return m->config->gradient.memory_limit > 0 ? (size_t)fmax(bytes, 1) : 0;
}

/* All that an adjoint calls bad input is too tight a limit; what it has no memory for is the trajectory. */
static mbd_status name_limit(mbd_status status, const mechanism *m, mbd_error *err) {
  char text[sizeof err->text];
  if ((status != MBD_BAD_INPUT && status != MBD_NO_MEMORY) || !err) { return status; }
  memcpy(text, err->text, sizeof text);
  if (status == MBD_NO_MEMORY) {
    snprintf(
        err->text, sizeof err->text,
        "%s: %.700s; [gradient] memory_limit, now %g MiB (0: no limit), can have fewer of its states kept and steps "
        "taken again",
        m->config->path, text, m->config->gradient.memory_limit);
    return status;
  }
  snprintf(err->text, sizeof err->text, "%s: [gradient] memory_limit = %g MiB: %.800s", m->config->path,
           m->config->gradient.memory_limit, text);
  return status;
}

static mbd_status run(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_observer observer, void *user,
                      mbd_error *err) {
  const mechanism_variant *v = q->v;
  if (!gradient_is_adjoint(q->method)) {
    const int direct = q->method == GRADIENT_DIRECT;
    MBD_TRY(mbd_sim_run(q->sim, v->params, direct ? m->n : 0, v->d, q->psi, direct ? q->grad : NULL,
                        gauss_newton ? q->gn : NULL, observer, user, err));
    if (direct && m->summed) { weigh_gradients(m, q); }
    return MBD_OK;
  }
  set_sums(m, q);
  const mbd_adjoint_options a = {.continuous = q->method == GRADIENT_CONTINUOUS_ADJOINT,
                                 .memory_limit = case_memory_limit(m),
                                 .wanted = v->wanted,
                                 .nsum = q->nsum,
                                 .sum = q->sum};
  MBD_TRY(name_limit(mbd_sim_adjoint(q->sim, v->params, &a, q->psi, q->gtheta, observer, user, err), m, err));
  q->stored = mbd_sim_stats(q->sim)->memory;
  q->repeated = mbd_sim_stats(q->sim)->recomputed;
  gradients_by_adjoint(m, q);
  mbd_sim_check_directions(q->sim, m->n, m->name, v->start, v->index, v->value);
  return MBD_OK;
}

mbd_status case_run(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_observer observer, void *user,
                    mbd_error *err) {
  mbd_sim_watch(q->sim, 0); /* nobody looks at outputs here */
  const mbd_status status = run(m, q, gauss_newton, observer, user, err);
  mbd_sim_watch(q->sim, 1);
  return status;
}
