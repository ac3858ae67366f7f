#include "evaluate/case_gradient.h"

#include <math.h>
#include <stdlib.h>

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
  if (!q->v->wanted) { q->v->wanted = calloc(nc + 1, 1); }
  if (!q->gtheta || !q->v->wanted) {
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

/* dpsi/drho = (dtheta/drho)' dpsi/dtheta */
static void to_design(const mechanism *m, mechanism_case *q) {
  const mechanism_variant *v = q->v;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  for (int k = 0; k < q->npsi; k++) {
    const double *g = q->gtheta + (size_t)k * nc;
    for (int j = 0; j < m->n; j++) {
      double sum = 0;
      for (int i = v->start[j]; i < v->start[j + 1]; i++) { sum += v->value[i] * g[v->index[i]]; }
      q->grad[(size_t)k * (size_t)m->n + (size_t)j] = sum;
    }
  }
}

size_t case_memory_limit(const mechanism *m) {
  const double bytes = m->config->gradient.memory_limit * 1048576 / m->config->ncase;
  return m->config->gradient.memory_limit > 0 ? (size_t)fmax(bytes, 1) : 0;
}

mbd_status case_run(const mechanism *m, mechanism_case *q, int gauss_newton, mbd_observer observer, void *user,
                    mbd_error *err) {
  const mechanism_variant *v = q->v;
  if (!gradient_is_adjoint(q->method)) {
    const int direct = q->method == GRADIENT_DIRECT;
    return mbd_sim_run(q->sim, v->params, direct ? m->n : 0, v->d, q->psi, direct ? q->grad : NULL,
                       gauss_newton ? q->gn : NULL, observer, user, err);
  }
  const mbd_adjoint_options a = {.continuous = q->method == GRADIENT_CONTINUOUS_ADJOINT,
                                 .memory_limit = case_memory_limit(m),
                                 .wanted = v->wanted};
  MBD_TRY(mbd_sim_adjoint(q->sim, v->params, &a, q->psi, q->gtheta, observer, user, err));
  q->stored = mbd_sim_stats(q->sim)->memory;
  q->repeated = mbd_sim_stats(q->sim)->recomputed;
  to_design(m, q);
  return MBD_OK;
}
