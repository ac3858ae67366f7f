/* Values and derivatives of a design. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/run.h"
#include "files/memory.h"
#include "mechanism/true_values.h"

static size_t quantities(const mbo_run *r) {
  return (size_t)(r->m->nobjective + r->m->nconstraint);
}

/* Copies the values of all quantities from the last evaluation. */
static void copy_values(const mbo_run *r, double *f, double *psi) {
  if (f) { *f = r->m->f; }
  if (psi) { memcpy(psi, r->m->psi, quantities(r) * sizeof *psi); }
}

static mbd_status need(const mbo_run *r, int has, const char *what, const char *expected, mbd_error *err) {
  if (has) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED, "%s: there is no %s with method = %s in [gradient], expected %s", r->path, what,
           r->config->gradient.method, expected);
}

mbd_status mbo_run_values(mbo_run *r, const double *x, double *f, double *psi, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(r->m, run_begin(r, x), "none", err));
  copy_values(r, f, psi);
  return MBD_OK;
}

void mbo_run_last_values(const mbo_run *r, double *f, double *psi) {
  copy_values(r, f, psi);
}

mbd_status mbo_run_true_values(mbo_run *r, const double *x, double *f, double *psi, double *time, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(r->m, run_begin(r, x), "none", err));
  if (f) { *f = r->m->f_true; }
  for (size_t i = 0; i < quantities(r); i++) {
    if (psi) { psi[i] = r->m->truth[i].value; }
    if (time) { time[i] = r->m->truth[i].time; }
  }
  return MBD_OK;
}

mbd_status mbo_run_gradient(mbo_run *r, const double *x, double *f, double *g, double *c, double *jac, mbd_error *err) {
  mbo_eval out = {.g = g, .c = c ? c : r->c, .jac = jac ? jac : r->jac};
  MBD_TRY(need(r, r->problem.has_gradient, "gradient", "another method", err));
  MBD_TRY(r->problem.eval(r->m, run_begin(r, x), MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &out, err));
  copy_values(r, f, NULL);
  return MBD_OK;
}

mbd_status mbo_run_gradients(mbo_run *r, const double *x, const char *method, double *psi, double *jac,
                             mbd_error *err) {
  const char *by = method ? method : r->config->gradient.method;
  if (strcmp(by, "none") == 0) { MBD_FAIL(err, MBD_UNSUPPORTED, "%s: method none gives no gradients", r->path); }
  MBD_TRY(mechanism_evaluate(r->m, run_begin(r, x), by, err));
  copy_values(r, NULL, psi);
  memcpy(jac, r->m->grad, quantities(r) * (size_t)r->m->n * sizeof *jac);
  return MBD_OK;
}

/* The largest difference of n scaled derivatives, relative to the largest of the first. */
static double deviation_of(int n, const double *scale, const double *one, const double *other) {
  double size = 0, difference = 0;
  for (int j = 0; j < n; j++) {
    const double d = fabs(one[j] - other[j]) * scale[j];
    size = fmax(size, fabs(one[j]) * scale[j]);
    if (!(d <= difference)) { difference = d; } /* NaN is kept */
  }
  return size > 0 ? difference / size : difference;
}

mbd_status mbo_run_check(mbo_run *r, const double *x, const char *one, const char *other, double *deviation,
                         mbd_error *err) {
  const size_t n = (size_t)r->m->n, nq = quantities(r);
  double *jac = calloc(2 * nq * n + 1, sizeof *jac);
  MEMORY_TRY(jac, err, "%zu derivatives of %s", 2 * nq * n, r->path);
  mbd_status status = mbo_run_gradients(r, x, one, NULL, jac, err);
  if (status == MBD_OK) { status = mbo_run_gradients(r, x, other, NULL, jac + nq * n, err); }
  for (size_t i = 0; status == MBD_OK && i < nq; i++) {
    deviation[i] = deviation_of(r->m->n, r->m->scale, jac + i * n, jac + (nq + i) * n);
  }
  free(jac);
  return status;
}

mbd_status mbo_run_hessian(mbo_run *r, const double *x, double *H, mbd_error *err) {
  mbo_eval out = {.hess = H};
  MBD_TRY(need(r, r->problem.has_hessian, "second derivative", "direct, discrete_adjoint or auto", err));
  return r->problem.eval(r->m, run_begin(r, x), MBO_REQUEST_HESSIAN, &out, err);
}

mbd_status mbo_run_hessian_product(mbo_run *r, const double *x, const double *w, double *Hw, mbd_error *err) {
  MBD_TRY(need(r, r->problem.has_hessian, "second derivative", "direct, discrete_adjoint or auto", err));
  return mechanism_hessian_product(r->m, run_begin(r, x), w, Hw, err);
}

mbd_status mbo_run_least_squares(mbo_run *r, const double *x, double *f, double *g, double *H, mbd_error *err) {
  const unsigned request = MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON;
  mbo_eval out = {.g = g, .c = r->c, .jac = r->jac, .H = H};
  MBD_TRY(
      need(r, r->problem.has_gauss_newton, "Gauss-Newton matrix", "direct or auto, and squares as objectives", err));
  MBD_TRY(r->problem.eval(r->m, run_begin(r, x), request, &out, err));
  copy_values(r, f, NULL);
  return MBD_OK;
}

mbd_status mbo_run_gauss_newton(mbo_run *r, const double *x, double *H, mbd_error *err) {
  return mbo_run_least_squares(r, x, NULL, r->g, H, err);
}
