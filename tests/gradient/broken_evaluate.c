/* Linked into another program in place of mechanism_evaluate: results that are wrong in the way that MBOPT_BREAK names, so that
 * a test can see whether `mbopt check` finds it.
 *   value       designs beside the start have no objective (NaN), whose gradient is right
 *   gradient    the gradient by direct differentiation has a derivative that is no number
 *   continuous  the continuous adjoint is 148 % too large at all steps
 *   few_percent the same by 3 %
 *   slightly    direct differentiation is too large by a millionth
 *   by_1e-4     the same by a ten-thousandth */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/mechanism.h"

mbd_status __real_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err);
mbd_status __wrap_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err);

mbd_status __wrap_mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err) {
  const mbd_status status = __real_mechanism_evaluate(m, rho, method, err);
  const char *what = getenv("MBOPT_BREAK") ? getenv("MBOPT_BREAK") : "";
  const int continuous = strcmp(method, "continuous_adjoint") == 0, direct = strcmp(method, "direct") == 0;
  double factor = 1;
  if (strcmp(what, "value") == 0 && strcmp(method, "none") == 0) { m->psi[0] = NAN; }
  if (strcmp(what, "gradient") == 0 && direct) { m->grad[0] = NAN; }
  if (strcmp(what, "continuous") == 0 && continuous) { factor = 2.48; }
  if (strcmp(what, "few_percent") == 0 && continuous) { factor = 1.03; }
  if (strcmp(what, "slightly") == 0 && direct) { factor = 1 + 1e-6; }
  if (strcmp(what, "by_1e-4") == 0 && direct) { factor = 1 + 1e-4; }
  for (int k = 0; factor != 1 && k < (m->nobjective + m->nconstraint) * m->n; k++) { m->grad[k] *= factor; }
  return status;
}
