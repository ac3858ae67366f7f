#include "mechanism/hessian.h"

#include <stdlib.h>
#include <string.h>

#include "mechanism/cases.h"
#include "mechanism/numbers.h"
#include "files/memory.h"

/* ---- memory ---- */

static mbd_status need_case(const mechanism *m, mechanism_case *load, mbd_error *err) {
  const size_t n = (size_t)m->n, nc = (size_t)mbd_model_ncoef(load->v->model), npsi = (size_t)load->npsi;
  const size_t size = npsi * n * (size_t)m->hess_columns;
  if (!load->hess || load->hess_columns < m->hess_columns) {
    free(load->hess);
    load->hess = calloc(size + npsi * 2 * nc + 1, sizeof *load->hess);
    load->hess_columns = load->hess ? m->hess_columns : 0;
    load->by_theta = load->hess ? load->hess + size : NULL;
  }
  if (!load->direction) { load->direction = calloc(nc + 1, sizeof *load->direction); }
  if (!load->moving) { load->moving = calloc(nc + 1, sizeof *load->moving); }
  if (!load->v->moved) { load->v->moved = calloc(nc + 1, 1); }
  MEMORY_TRY(load->hess && load->direction && load->moving && load->v->moved, err,
             "the second derivatives of case '%s'", load->config->name);
  mbo_model_file_moved(load->v->file, load->v->moved);
  return load->referee ? MBD_OK : case_make_referee(load, err);
}

/* For so many columns of each matrix. */
static mbd_status need_all(mechanism *m, int ncolumn, mbd_error *err) {
  const size_t n = (size_t)m->n, nq = (size_t)m->nall;
  if (!m->hess || ncolumn > m->hess_columns) {
    free(m->hess);
    m->hess = calloc(nq * n * (size_t)ncolumn + 1, sizeof *m->hess);
    m->hess_columns = m->hess ? ncolumn : 0;
  }
  MEMORY_TRY(m->hess, err, "the second derivatives in %d variables", m->n);
  for (int i = 0; i < m->nload; i++) {
    if (m->cases[i].npsi) { MBD_TRY(need_case(m, &m->cases[i], err)); }
  }
  return MBD_OK;
}

/* ---- one case, in its thread: nothing, where it has no quantities and is simulated for its motion alone ---- */

/* Column `column` of `ncolumn` of J' (d2 psi/d theta2) d, d with the n values at index. */
static mbd_status one_column(const mechanism *m, mechanism_case *load, int n, const int *index, const double *value,
                             int column, int ncolumn, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  const mbd_adjoint_options o = {.memory_limit = case_memory_limit(m), .requested = v->moved};
  double *change = load->by_theta + (size_t)load->npsi * nc;
  if (m->stop && *m->stop) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped"); }
  MBD_TRY(mbd_referee_second(load->referee, v->theta, &o, n, index, value, load->psi, load->by_theta, change, err));
  for (int k = 0; k < load->npsi; k++) {
    double *H = load->hess + k * m->n * ncolumn;
    for (int i = 0; i < m->n; i++) { H[i * ncolumn + column] = case_to_variable(v, i, change + (size_t)k * nc); }
  }
  return MBD_OK;
}

/* Along every column of J. */
static mbd_status second_case(mechanism *m, mechanism_case *load, mbd_error *err) {
  const mechanism_variant *v = load->v;
  for (int j = 0; load->npsi > 0 && j < m->n; j++) {
    const int from = v->start[j];
    MBD_TRY(one_column(m, load, v->start[j + 1] - from, v->index + from, v->value + from, j, m->n, err));
  }
  return MBD_OK;
}

/* Along J w, w = m->work. */
static mbd_status product_case(mechanism *m, mechanism_case *load, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const int nc = mbd_model_ncoef(v->model);
  int n = 0;
  if (load->npsi == 0) { return MBD_OK; }
  memset(load->direction, 0, (size_t)nc * sizeof *load->direction);
  for (int j = 0; j < m->n; j++) {
    for (int i = v->start[j]; i < v->start[j + 1]; i++) { load->direction[v->index[i]] += v->value[i] * m->work[j]; }
  }
  for (int k = 0; k < nc; k++) { /* those that change come to the front */
    if (load->direction[k] != 0) { load->moving[n] = k, load->direction[n++] = load->direction[k]; }
  }
  return one_column(m, load, n, load->moving, load->direction, 0, 1, err);
}

/* ---- all cases ---- */

/* The second part, and everything from the case to the quantities. */
static mbd_status collect(mechanism *m, const mechanism_case *load, const double *w, mbd_error *err) {
  const int n = m->n;
  const size_t nc = (size_t)mbd_model_ncoef(load->v->model), size = (size_t)n * (size_t)(w ? 1 : n);
  for (int k = 0; k < load->npsi; k++) {
    const int quantity = load->quantity[k];
    const double *by_theta = load->by_theta + (size_t)k * nc;
    double *H = m->hess + (size_t)quantity * size;
    memcpy(H, load->hess + (size_t)k * size, size * sizeof *H);
    m->psi[quantity] = load->psi[k];
    for (int i = 0; i < n; i++) { m->grad[quantity * n + i] = case_to_variable(load->v, i, by_theta); }
    MBD_TRY(mbo_model_file_second(load->v->file, by_theta, w, H, err));
  }
  return MBD_OK;
}

mbd_status hessian_evaluate(mechanism *m, const double *rho, const double *w, mbd_error *err) {
  if (numbers_are_used(m)) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "%s: [%s ...]: its numbers have first derivatives alone; expected [optimizer] hessian = limited_memory",
             m->config->path, numbers_are_used(m));
  }
  if (scenarios_linear(m)) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "%s: [scenarios] samples = 0: deviations to first order have first derivatives alone; expected [optimizer] "
        "hessian = limited_memory, or samples",
        m->config->path);
  }
  MBD_TRY(cases_choose_sharpness(m, err)); /* which makes the simulations of its cases anew */
  MBD_TRY(need_all(m, w ? 1 : m->n, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  m->simulations += w ? 1 : m->n;
  if (w) { memcpy(m->work, w, (size_t)m->n * sizeof *w); }
  MBD_TRY(cases_each(m, w ? product_case : second_case, err));
  for (int i = 0; i < m->nload; i++) {
    const mechanism_case *load = &m->cases[i];
    if (load->npsi) { MBD_TRY(mechanism_name_case(collect(m, load, w, err), load, err)); }
  }
  MBD_TRY(values_evaluate(m, m->psi, err));
  MBD_TRY(values_gradient(m, err));
  return values_second(m, w, err);
}
