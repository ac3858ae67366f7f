/* Two small problems for optimizers: Rosenbrock's function, and with constraints
 *   HS22:  min (x0 - 2)^2 + (x1 - 1)^2,   x0 + x1 <= 2,  x0^2 <= x1
 * Both have the answer (1, 1). */
#ifndef MBOPT_TEST_TOY_H
#define MBOPT_TEST_TOY_H

#include "mbo/backend.h"
#include "test.h"

static inline int toy_is_built_in(const char *backend) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    if (strcmp(info.name, backend) == 0) { return info.package == NULL; }
  }
  return 0;
}

/* f = (a^2 + w b^2)/divisor, whose Gauss-Newton matrix is 2 J'J/divisor; and all else that is wanted. */
static inline void toy_evaluate(int constrained, double divisor, const double *x, unsigned request, mbo_eval *v) {
  const double a = constrained ? x[0] - 2 : 1 - x[0], b = constrained ? x[1] - 1 : x[1] - x[0] * x[0];
  const double w = constrained ? 1 : 100, ax = constrained ? 1 : -1, bx = constrained ? 0 : -2 * x[0];
  const double H[] = {2 * (ax * ax + w * bx * bx) / divisor, 2 * w * bx / divisor, 2 * w * bx / divisor,
                      2 * w / divisor};
  v->f = (a * a + w * b * b) / divisor;
  if (constrained) { v->c[0] = x[0] + x[1], v->c[1] = x[1] - x[0] * x[0]; }
  if (request & MBO_REQUEST_GRADIENT) { v->g[0] = 2 * (a * ax + w * b * bx) / divisor, v->g[1] = 2 * w * b / divisor; }
  if (constrained && (request & MBO_REQUEST_GRADIENT)) {
    v->jac[0] = v->jac[1] = 1, v->jac[2] = -2 * x[0], v->jac[3] = 1;
  }
  if (request & MBO_REQUEST_GAUSS_NEWTON) { memcpy(v->H, H, sizeof H); }
  if (!(request & MBO_REQUEST_HESSIAN)) { return; }
  memset(v->hess, 0, (constrained ? 12 : 4) * sizeof *v->hess);
  memcpy(v->hess, H, sizeof H);
  if (constrained) { v->hess[8] = -2; }
  if (!constrained) { v->hess[0] -= 4 * w * b / divisor; }
}

/* Between -3 and 3, from (-1.2, 1) on. */
static inline mbo_problem toy_problem(int constrained, const double *scale, void *user,
                                      mbd_status (*eval)(void *user, const double *x, unsigned request, mbo_eval *out,
                                                         mbd_error *err)) {
  static const char *const names[] = {"x0", "x1"}, *const c_names[] = {"line", "parabola"};
  static const double start[] = {-1.2, 1}, low[] = {-3, -3}, high[] = {3, 3};
  static const double c_low[] = {-INFINITY, 0}, c_high[] = {2, INFINITY};
  return (mbo_problem){.name = constrained ? "HS22" : "Rosenbrock",
                       .n = 2,
                       .names = names,
                       .start = start,
                       .lower = low,
                       .upper = high,
                       .scale = scale,
                       .nc = constrained ? 2 : 0,
                       .c_names = c_names,
                       .c_lower = c_low,
                       .c_upper = c_high,
                       .has_gradient = 1,
                       .has_gauss_newton = 1,
                       .has_hessian = 1,
                       .user = user,
                       .eval = eval};
}

#endif
