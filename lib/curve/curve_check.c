#include "curve/curve_check.h"

#include <limits.h>

mbd_status curve_check_finite(const char *name, int nc, const double *c, int nknot, const double *knot,
                              mbd_error *err) {
  (void)nknot, (void)knot;
  for (int i = 0; i < nc; i++) {
    if (!isfinite(c[i])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': coefficient %d = %g, expected a finite number", name, i + 1, c[i]);
    }
  }
  return MBD_OK;
}

mbd_status curve_check_count(const char *name, int nc, int least, int most, mbd_error *err) {
  if (nc < least || nc > most) {
    MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': %d coefficients, expected %s %d", name, nc,
             least == most ? "exactly"
             : nc < least  ? "at least"
                           : "at most",
             nc < least ? least : most);
  }
  return MBD_OK;
}

mbd_status curve_check_width(const char *name, const double *c, int k, mbd_error *err) {
  if (!(c[k] > 0)) { MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': c%d = %g is a width, expected > 0", name, k, c[k]); }
  return MBD_OK;
}

mbd_status curve_check_knots(const char *name, int nc, const double *c, int nknot, const double *knot, mbd_error *err) {
  MBD_TRY(curve_check_count(name, nc, 2, INT_MAX, err));
  MBD_TRY(curve_check_finite(name, nc, c, nknot, knot, err));
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
