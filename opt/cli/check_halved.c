/* mbopt check of the continuous adjoint: it is the gradient of the continuous motion and not of its discretization, so it differs from
 * the exact derivative of the computed objective, and the difference must decrease with the step size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"

double check_deviation(const mechanism *m, const double *a, const double *b, double size) {
  double max = 0;
  for (int j = 0; j < m->n; j++) { max = check_worse(max, fabs(a[j] - b[j]) * m->scale[j] / size); }
  return max;
}

/* Halves the steps. Dormand-Prince of order five halves its own steps with 2^-5 of the tolerance. */
static void halve(mbd_case *timing) {
  timing->step /= 2, timing->max_step /= 2;
  timing->rtol /= 32, timing->atol /= 32;
}

static mbd_status exact_gradient(mechanism *m, mbd_error *err) {
  const mbd_status status = mechanism_evaluate(m, m->start, "discrete_adjoint", err);
  return status == MBD_UNSUPPORTED ? mechanism_evaluate(m, m->start, "direct", err) : status;
}

static double largest(const mechanism *m, const double *g) {
  double size = 0;
  for (int j = 0; j < m->n; j++) { size = fmax(size, fabs(g[j]) * m->scale[j]); }
  return size > 0 ? size : 1;
}

/* Deviations at the steps of m. */
static mbd_status deviations(mechanism *m, double *deviation, mbd_error *err) {
  const size_t nq = (size_t)(m->nobjective + m->nconstraint), n = (size_t)m->n;
  double *exact = malloc((nq * n + 1) * sizeof *exact);
  mbd_status status = exact ? exact_gradient(m, err) : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the check");
  if (status == MBD_OK) {
    memcpy(exact, m->grad, nq * n * sizeof *exact);
    status = mechanism_evaluate(m, m->start, "continuous_adjoint", err);
  }
  for (size_t i = 0; i < nq && status == MBD_OK; i++) {
    deviation[i] = check_deviation(m, m->grad + i * n, exact + i * n, largest(m, exact + i * n));
  }
  free(exact);
  return status;
}

static mbd_status deviations_at_half(mechanism *half, void *deviation, mbd_error *err) {
  return deviations(half, deviation, err);
}

mbd_status check_halved(const mechanism *m, double *deviation, mbd_error *err) {
  const mbd_status status = check_with_cases(m, halve, deviations_at_half, deviation, err);
  if (status <= 0) { return status; }
  for (int i = 0; i < m->nobjective + m->nconstraint; i++) { deviation[i] = NAN; }
  return MBD_OK;
}
