#include "mechanism/hessian.h"

#include <stdlib.h>
#include <string.h>

#include "mechanism/cases.h"
#include "mechanism/numerical.h"

/* ---- memory ---- */

static mbd_status need_case(const mechanism *m, mechanism_case *q, mbd_error *err) {
  const size_t n = (size_t)m->n, nc = (size_t)mbd_model_ncoef(q->v->model), npsi = (size_t)q->npsi;
  if (!q->hess) {
    q->hess = calloc(npsi * (n * n + 2 * nc) + 1, sizeof *q->hess);
    q->by_theta = q->hess ? q->hess + npsi * n * n : NULL;
  }
  if (!q->v->moved) { q->v->moved = calloc(nc + 1, 1); }
  if (!q->hess || !q->v->moved) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the second derivatives of case '%s'", q->config->name);
  }
  mbo_model_file_moved(q->v->file, q->v->moved);
  return q->referee ? MBD_OK : numerical_make_referee(q, err);
}

static mbd_status need_all(mechanism *m, mbd_error *err) {
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint);
  if (!m->hess) { m->hess = calloc(nq * n * n + 1, sizeof *m->hess); }
  if (!m->hess) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the second derivatives in %d variables", m->n); }
  for (int i = 0; i < m->ncase; i++) {
    if (m->cases[i].npsi) { MBD_TRY(need_case(m, &m->cases[i], err)); }
  }
  return MBD_OK;
}

/* ---- one case, in its thread ---- */

/* J' (d2 psi/d theta2) J by columns. */
static mbd_status second_case(mechanism *m, mechanism_case *q, mbd_error *err) {
  const mechanism_variant *v = q->v;
  const int n = m->n;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  const mbd_adjoint_options o = {.memory_limit = case_memory_limit(m), .wanted = v->moved};
  double *change = q->by_theta + (size_t)q->npsi * nc;
  for (int j = 0; j < n; j++) {
    const int from = v->start[j];
    if (m->stop && *m->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped"); }
    MBD_TRY(mbd_referee_second(q->referee, v->theta, &o, v->start[j + 1] - from, v->index + from, v->value + from,
                               q->psi, q->by_theta, change, err));
    for (int k = 0; k < q->npsi; k++) {
      double *H = q->hess + k * n * n;
      for (int i = 0; i < n; i++) { H[i * n + j] = case_to_variable(v, i, change + (size_t)k * nc); }
    }
  }
  return MBD_OK;
}

/* ---- all cases ---- */

/* The second part, and everything from the case to the quantities. */
static mbd_status collect(mechanism *m, const mechanism_case *q, mbd_error *err) {
  const int n = m->n;
  const size_t nc = (size_t)mbd_model_ncoef(q->v->model), size = (size_t)n * (size_t)n;
  for (int k = 0; k < q->npsi; k++) {
    const int quantity = q->quantity[k];
    const double *by_theta = q->by_theta + (size_t)k * nc;
    double *H = m->hess + (size_t)quantity * size;
    memcpy(H, q->hess + (size_t)k * size, size * sizeof *H);
    m->psi[quantity] = q->psi[k];
    for (int i = 0; i < n; i++) { m->grad[quantity * n + i] = case_to_variable(q->v, i, by_theta); }
    MBD_TRY(mbo_model_file_second(q->v->file, by_theta, H, err));
  }
  return MBD_OK;
}

mbd_status hessian_evaluate(mechanism *m, const double *rho, mbd_error *err) {
  MBD_TRY(need_all(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  m->simulations += m->n;
  MBD_TRY(cases_each(m, second_case, err));
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    if (q->npsi) { MBD_TRY(mechanism_name_case(collect(m, q, err), q, err)); }
  }
  MBD_TRY(values_evaluate(m, m->psi, err));
  MBD_TRY(values_gradient(m, err));
  return values_second(m, err);
}
