#include "mechanism/numerical.h"

#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "mechanism/case_gradient.h"
#include "mechanism/cases.h"
#include "mechanism/numbers.h"
#include "mechanism/propagate.h"

static int quantities(const mechanism *m) {
  return m->nobjective + m->nconstraint;
}

/* (psi(rho + h w) - psi(rho - h w))/(2 h) */
static mbd_status difference(mechanism *m, const double *rho, const double *w, double *dpsi, mbd_error *err) {
  const int n = m->n, nq = quantities(m);
  const double h = m->config->gradient.difference_step;
  double *x = m->work, *plus = x + n;
  for (int side = 1; side >= -1; side -= 2) {
    for (int j = 0; j < n; j++) { x[j] = rho[j] + side * h * w[j]; }
    MBD_TRY(mechanism_values(m, x, side > 0 ? plus : dpsi, err));
  }
  for (int i = 0; i < nq; i++) { dpsi[i] = (plus[i] - dpsi[i]) / (2 * h); }
  return MBD_OK;
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

/* ---- one direction, all directions ---- */

mbd_status numerical_derivative(mechanism *m, const double *rho, gradient_method method, const double *w, double *dpsi,
                                mbd_error *err) {
  if (method == GRADIENT_CENTRAL_DIFFERENCES) { return difference(m, rho, w, dpsi, err); }
  MBD_TRY(cases_choose_sharpness(m, err));
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  MBD_TRY(numbers_evaluate(m, rho, 0, err));
  MBD_TRY(complex_step(m, w, m->dpsi, err));
  memcpy(dpsi, m->dpsi, (size_t)quantities(m) * sizeof *dpsi);
  return MBD_OK;
}

/* Column j along the variable's scale. */
static mbd_status columns(mechanism *m, const double *rho, gradient_method method, double *w, double *dpsi,
                          mbd_error *err) {
  const int n = m->n, nq = quantities(m);
  for (int j = 0; j < n; j++) {
    w[j] = method == GRADIENT_COMPLEX_STEP ? 1 : m->scale[j];
    MBD_TRY(method == GRADIENT_COMPLEX_STEP ? complex_step(m, w, dpsi, err) : difference(m, rho, w, dpsi, err));
    for (int i = 0; i < nq; i++) { m->grad[i * n + j] = dpsi[i] / w[j]; }
    w[j] = 0;
  }
  return MBD_OK;
}

mbd_status numerical_gradient(mechanism *m, const double *rho, gradient_method method, mbd_error *err) {
  const size_t n = (size_t)m->n;
  double *w = calloc(n + (size_t)m->nall + 1, sizeof *w);
  mbd_status status = w ? cases_choose_sharpness(m, err) : MEMORY_NONE(err, "a numerical gradient");
  if (status == MBD_OK) { status = mechanism_set_design(m, rho, 0, err); }
  if (status == MBD_OK) { status = numbers_evaluate(m, rho, 0, err); }
  if (status == MBD_OK) { status = columns(m, rho, method, w, w + n, err); }
  free(w);
  MBD_TRY(status);
  const int known = method == GRADIENT_COMPLEX_STEP && n > 0; /* psi came along */
  return known ? MBD_OK : mechanism_values(m, rho, m->psi, err);
}
