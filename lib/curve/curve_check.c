#include "curve/curve_check.h"

static mbd_status check_count(const mbd_curve_ops *ops, const char *name, int nc, mbd_error *err) {
  const int min = ops->nc_min, max = ops->nc_max;
  if (nc >= min && (max < 0 || nc <= max)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': %d coefficients, expected %s %d", name, nc,
           min == max ? "exactly"
           : nc < min ? "at least"
                      : "at most",
           nc < min ? min : max);
}

static mbd_status check_knots(const char *name, int nc, int nknot, const double *knot, mbd_error *err) {
  if (nknot != nc) {
    MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': %d knots for %d coefficients, expected one knot each", name, nknot, nc);
  }
  for (int i = 0; i < nknot; i++) {
    if (!isfinite(knot[i])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': knot %d = %g, expected a finite number", name, i + 1, knot[i]);
    }
    if (i && !(knot[i] > knot[i - 1])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': knots must increase, but knot %d = %g follows %g", name, i + 1, knot[i],
               knot[i - 1]);
    }
  }
  return MBD_OK;
}

mbd_status curve_check(const mbd_curve_ops *ops, const char *name, int nc, const double *c, int nknot,
                       const double *knot, mbd_error *err) {
  MBD_TRY(check_count(ops, name, nc, err));
  for (int i = 0; i < nc; i++) {
    if (!isfinite(c[i])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': coefficient %d = %g, expected a finite number", name, i + 1, c[i]);
    }
  }
  if (ops->needs_knots) { MBD_TRY(check_knots(name, nc, nknot, knot, err)); }
  return ops->check ? ops->check(name, nc, c, err) : MBD_OK;
}

mbd_status curve_check_width(const char *name, const double *c, int k, mbd_error *err) {
  if (!(c[k] > 0)) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': c%d = %g is a width, expected > 0", name, k, c[k]); }
  return MBD_OK;
}
