#include "mechanism/numerical.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/designs.h"
#include "mechanism/numbers.h"
#include "mechanism/propagate.h"

static int quantities(const mechanism *m) {
  return m->nobjective + m->nconstraint;
}

/* ---- differences ---- */

/* dpsi [n][quantities] := (psi(rho + h w) - psi(rho - h w))/(2 h) along each of the directions w [n][m->n]. */
static mbd_status differences(mechanism *m, const double *rho, int n, const double *w, double *dpsi, mbd_error *err) {
  const int nx = m->n, nq = quantities(m);
  const double h = m->config->gradient.difference_step;
  double *x = mbd_zeros(2 * (size_t)n * (size_t)(nx + nq), sizeof *x), *psi = x ? x + 2 * n * nx : NULL;
  mbd_status *each = mbd_zeros(2 * (size_t)n, sizeof *each);
  mbd_status status = x && each ? MBD_OK : MEMORY_NONE(err, "differences");
  for (int k = 0; x && k < 2 * n; k++) {
    for (int j = 0; j < nx; j++) { x[k * nx + j] = rho[j] + (k % 2 == 0 ? 1 : -1) * h * w[k / 2 * nx + j]; }
  }
  if (status == MBD_OK) { status = designs_values(m, 2 * n, x, 0, psi, each, err); }
  for (int k = 0; status == MBD_OK && k < n; k++) {
    const double *plus = psi + 2 * k * nq, *minus = plus + nq;
    for (int i = 0; i < nq; i++) { dpsi[k * nq + i] = (plus[i] - minus[i]) / (2 * h); }
  }
  free(x), free(each);
  return status;
}

/* ---- complex step ---- */

static mbd_status complex_case(mechanism *m, mechanism_case *load, const double *w, double *dpsi, mbd_error *err) {
  const mechanism_variant *v = load->v;
  const size_t nc = (size_t)mbd_model_ncoef(v->model);
  double *value = malloc((nc + 1 + (size_t)load->npsi) * sizeof *value), *d = value ? value + nc + 1 : NULL;
  int *index = malloc((nc + 1) * sizeof *index);
  mbd_status status = value && index ? MBD_OK : MEMORY_NONE(err, "the referee");
  if (status == MBD_OK && !load->referee) { status = case_make_referee(load, err); }
  if (status == MBD_OK) {
    const int n = case_direction(m->n, v, w, index, value);
    status = mechanism_name_case(mbd_referee_derivative(load->referee, v->theta, n, index, value, load->psi, d, err),
                                 load, err);
  }
  for (int k = 0; k < load->npsi && status == MBD_OK; k++) {
    m->psi[load->quantity[k]] = load->psi[k];
    dpsi[load->quantity[k]] = d[k];
  }
  free(value), free(index);
  return status;
}

/* Along one direction, at the design that is set, with the numbers of modes and experiments there. */
static mbd_status complex_step(mechanism *m, const double *w, double *dpsi, mbd_error *err) {
  m->simulations++;
  for (int i = 0; i < m->nload; i++) {
    mechanism_case *load = &m->cases[i];
    const int is_linear = load->config->scenario > 0 && scenarios_linear(m);
    if (load->npsi == 0) { continue; }
    MBD_TRY(is_linear ? mechanism_name_case(propagate_along(m, load, w, dpsi, err), load, err)
                      : complex_case(m, load, w, dpsi, err));
  }
  MBD_TRY(numbers_otherwise(m, w, err));
  MBD_TRY(values_evaluate(m, m->psi, err));
  return values_along(m, w, dpsi, 1, err);
}

/* ---- one direction, columns, all of them ---- */

static mbd_status set_for_complex_steps(mechanism *m, const double *rho, mbd_error *err) {
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  return numbers_evaluate(m, rho, 0, err);
}

mbd_status numerical_derivative(mechanism *m, const double *rho, gradient_method method, const double *w, double *dpsi,
                                mbd_error *err) {
  if (method == GRADIENT_CENTRAL_DIFFERENCES) { return differences(m, rho, 1, w, dpsi, err); }
  MBD_TRY(set_for_complex_steps(m, rho, err));
  MBD_TRY(complex_step(m, w, m->dpsi, err));
  memcpy(dpsi, m->dpsi, (size_t)quantities(m) * sizeof *dpsi);
  return MBD_OK;
}

/* Along the scales of the variables, and as many columns at once as fill the lanes. w [lanes][m->n]: zeros */
static mbd_status difference_columns(mechanism *m, const double *rho, int n, const int *variable, double *w,
                                     double *dpsi, mbd_error *err) {
  const int nq = quantities(m), at_once = m->design_lanes > 1 ? m->design_lanes / 2 : 1;
  for (int first = 0; first < n; first += at_once) {
    const int count = n - first < at_once ? n - first : at_once;
    const int *column = variable + first;
    double *d = dpsi + first * nq;
    for (int k = 0; k < count; k++) { w[k * m->n + column[k]] = m->scale[column[k]]; }
    MBD_TRY(differences(m, rho, count, w, d, err));
    for (int k = 0; k < count; k++) {
      for (int i = 0; i < nq; i++) { d[k * nq + i] /= m->scale[column[k]]; }
      w[k * m->n + column[k]] = 0;
    }
  }
  return MBD_OK;
}

static mbd_status complex_columns(mechanism *m, const double *rho, int n, const int *variable, double *w, double *dpsi,
                                  mbd_error *err) {
  const int nq = quantities(m);
  MBD_TRY(set_for_complex_steps(m, rho, err));
  for (int k = 0; k < n; k++) {
    w[variable[k]] = 1;
    MBD_TRY(complex_step(m, w, m->dpsi, err));
    memcpy(dpsi + k * nq, m->dpsi, (size_t)nq * sizeof *dpsi);
    w[variable[k]] = 0;
  }
  return MBD_OK;
}

mbd_status numerical_columns(mechanism *m, const double *rho, gradient_method method, int n, const int *variable,
                             double *dpsi, mbd_error *err) {
  double *w = mbd_zeros((size_t)m->design_lanes * (size_t)m->n, sizeof *w);
  MEMORY_TRY(w, err, "numerical derivatives");
  const mbd_status status = method == GRADIENT_CENTRAL_DIFFERENCES
                                ? difference_columns(m, rho, n, variable, w, dpsi, err)
                                : complex_columns(m, rho, n, variable, w, dpsi, err);
  free(w);
  return status;
}

mbd_status numerical_gradient(mechanism *m, const double *rho, gradient_method method, mbd_error *err) {
  const int n = m->n, nq = quantities(m);
  double *columns = mbd_zeros((size_t)n * (size_t)nq, sizeof *columns);
  int *variable = mbd_zeros((size_t)n, sizeof *variable);
  mbd_status status = columns && variable ? MBD_OK : MEMORY_NONE(err, "a numerical gradient");
  for (int j = 0; variable && j < n; j++) { variable[j] = j; }
  if (status == MBD_OK) { status = numerical_columns(m, rho, method, n, variable, columns, err); }
  for (int k = 0; status == MBD_OK && k < n * nq; k++) { m->grad[k % nq * n + k / nq] = columns[k]; }
  free(columns), free(variable);
  MBD_TRY(status);
  const int known = method == GRADIENT_COMPLEX_STEP && n > 0; /* psi came along */
  return known ? MBD_OK : mechanism_values(m, rho, m->psi, err);
}
