/* Value and derivatives of a force of one's own at real numbers. Where it has no derivatives itself, they are taken by complex step:
 * the imaginary part of f(x + i h v) is h times the derivative of f along v, with nothing subtracted, for any small h. */
#include <string.h>

#include "mbd/user_force.h"

static const double step = 1e-30;

static int nresult(const mbd_user_force *u, int outputs) {
  return 3 * u->narg + (outputs ? mbd_user_force_noutput(u) : 0);
}

/* Converts real numbers to pairs. */
static void pairs(int n, const double *v, double *z) {
  for (int i = 0; i < n; i++) { z[2 * i] = v[i], z[2 * i + 1] = 0; }
}

static void evaluate(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *y) {
  memset(y, 0, 2 * (size_t)nresult(u, outputs) * sizeof *y);
  u->value_complex(state, coef, outputs, y);
}

void mbd_user_force_value(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *y) {
  memset(y, 0, (size_t)nresult(u, outputs) * sizeof *y);
  u->value(state, coef, outputs, y);
}

int mbd_user_force_is_number(const mbd_user_force *u, int i) {
  const int first = i % 3 == 0, rate = i >= 3 * u->narg;
  switch (u->arg[i / 3 % u->narg].kind) {
    case MBD_ARG_ROTATION: return rate;
    case MBD_ARG_COORDINATE: return first;
    case MBD_ARG_VALUE: return first && !rate;
    case MBD_ARG_POINT:
    case MBD_ARG_VECTOR: break;
  }
  return 1;
}

static void step_slopes(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *J) {
  const int n = 6 * u->narg, rows = nresult(u, outputs);
  double z[2 * MBD_USER_STATE], c[2 * MBD_USER_COEFS], y[2 * MBD_USER_RESULTS];
  pairs(n + 1, state, z);
  pairs(mbd_user_force_ncoef(u), coef, c);
  for (int i = 0; i < n; i++) {
    if (!mbd_user_force_is_number(u, i)) { continue; }
    z[2 * i + 1] = step;
    evaluate(u, z, c, outputs, y);
    z[2 * i + 1] = 0;
    for (int r = 0; r < rows; r++) { J[r * n + i] = y[2 * r + 1] / step; }
  }
}

void mbd_user_force_slopes(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *J) {
  memset(J, 0, (size_t)nresult(u, outputs) * 6 * (size_t)u->narg * sizeof *J);
  if (u->slopes) {
    u->slopes(state, coef, outputs, J);
  } else {
    step_slopes(u, state, coef, outputs, J);
  }
}

static void step_along(const mbd_user_force *u, const double *state, const double *coef, const double *direction,
                       int outputs, double *dy) {
  const int n = 6 * u->narg, nc = mbd_user_force_ncoef(u), rows = nresult(u, outputs);
  double z[2 * MBD_USER_STATE], c[2 * MBD_USER_COEFS], y[2 * MBD_USER_RESULTS];
  pairs(n + 1, state, z);
  pairs(nc, coef, c);
  for (int k = 0; k < nc; k++) { c[2 * k + 1] = step * direction[k]; }
  z[2 * n + 1] = step * direction[nc];
  evaluate(u, z, c, outputs, y);
  for (int r = 0; r < rows; r++) { dy[r] = y[2 * r + 1] / step; }
}

void mbd_user_force_along(const mbd_user_force *u, const double *state, const double *coef, const double *direction,
                          int outputs, double *dy) {
  memset(dy, 0, (size_t)nresult(u, outputs) * sizeof *dy);
  if (u->along) {
    u->along(state, coef, mbd_user_force_ncoef(u), direction, outputs, dy);
  } else {
    step_along(u, state, coef, direction, outputs, dy);
  }
}
