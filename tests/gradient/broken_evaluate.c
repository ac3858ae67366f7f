/* Linked into another program in place of mechanism_evaluate and designs_values: results that are wrong in the way that MBOPT_BREAK names, so that
 * a test can see whether `mbopt check` finds it.
 *   value       designs of the Taylor test have no objective (NaN), whose gradient is right
 *   gradient    the gradient by direct differentiation has a derivative that is no number
 *   continuous  the continuous adjoint is 148 % too large at all steps
 *   few_percent the same by 3 %
 *   slightly    direct differentiation is too large by a millionth
 *   by_1e-4     the same by a ten-thousandth */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/designs.h"

static const char *broken(void) {
  return getenv("MBOPT_BREAK") ? getenv("MBOPT_BREAK") : "";
}

mbd_status __real_designs_values(mechanism *m, int n, const double *x, int survives, double *psi, mbd_status *status,
                                 mbd_error *err);
mbd_status __wrap_designs_values(mechanism *m, int n, const double *x, int survives, double *psi, mbd_status *status,
                                 mbd_error *err);

/* Designs that are allowed to fail are those of the Taylor test. */
mbd_status __wrap_designs_values(mechanism *m, int n, const double *x, int survives, double *psi, mbd_status *status,
                                 mbd_error *err) {
  const mbd_status whole = __real_designs_values(m, n, x, survives, psi, status, err);
  for (int k = 0; survives && strcmp(broken(), "value") == 0 && k < n; k++) {
    psi[k * (m->nobjective + m->nconstraint)] = NAN;
  }
  return whole;
}

mbd_status __real_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err);
mbd_status __wrap_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err);

mbd_status __wrap_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err) {
  const mbd_status status = __real_mechanism_evaluate(m, rho, method, err);
  const char *what = broken();
  const int continuous = strcmp(method, "continuous_adjoint") == 0, direct = strcmp(method, "direct") == 0;
  double factor = 1;
  if (strcmp(what, "gradient") == 0 && direct) { m->grad[0] = NAN; }
  if (strcmp(what, "continuous") == 0 && continuous) { factor = 2.48; }
  if (strcmp(what, "few_percent") == 0 && continuous) { factor = 1.03; }
  if (strcmp(what, "slightly") == 0 && direct) { factor = 1 + 1e-6; }
  if (strcmp(what, "by_1e-4") == 0 && direct) { factor = 1 + 1e-4; }
  for (int k = 0; factor != 1 && k < (m->nobjective + m->nconstraint) * m->n; k++) { m->grad[k] *= factor; }
  return status;
}
