/* mbopt check of the continuous adjoint: it is the gradient of the continuous motion and not of its discretization, so it differs from
 * the exact derivative of the computed objective, and the difference must decrease with the step size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "files/memory.h"

double check_deviation(const mechanism *m, const double *a, const double *b, double size) {
  double max = 0;
  for (int j = 0; j < m->n; j++) { max = check_worse(max, fabs(a[j] - b[j]) * m->scale[j] / size); }
  return max;
}

void check_halve(mbd_case *timing) {
  static const double rtol_min = 1e-14;
  timing->step /= 2, timing->max_step /= 2;
  timing->rtol = fmax(timing->rtol / 32, rtol_min), timing->atol /= 32;
}

/* Deviations [nobjective + nconstraint] at the steps of m, from the discrete adjoint or, where there is none, from direct differentiation. */
static mbd_status deviations(mechanism *m, void *user, mbd_error *err) {
  const size_t nq = (size_t)(m->nobjective + m->nconstraint), n = (size_t)m->n;
  double *deviation = user, *exact = malloc((nq * n + 1) * sizeof *exact);
  MEMORY_TRY(exact, err, "the check");
  mbd_status status = mechanism_evaluate(m, m->start, "discrete_adjoint", err);
  if (status == MBD_UNSUPPORTED) { status = mechanism_evaluate(m, m->start, "direct", err); }
  if (status == MBD_OK) {
    memcpy(exact, m->grad, nq * n * sizeof *exact);
    status = mechanism_evaluate(m, m->start, "continuous_adjoint", err);
  }
  /* Relative to the largest scaled derivative of each quantity. */
  for (size_t i = 0; i < nq && status == MBD_OK; i++) {
    double size = 0;
    for (size_t j = 0; j < n; j++) { size = fmax(size, fabs(exact[i * n + j]) * m->scale[j]); }
    deviation[i] = check_deviation(m, m->grad + i * n, exact + i * n, size > 0 ? size : 1);
  }
  free(exact);
  return status;
}

mbd_status check_halved(const mechanism *m, double *deviation, mbd_error *err) {
  const mbd_status status = check_with_cases(m, check_halve, deviations, deviation, err);
  if (status <= 0) { return status; }
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) { deviation[i] = NAN; }
  return MBD_OK;
}
