/* The table of curves: a new kind is one file and one word here. */
#include "base/table.h"
#include "curve/curve.h"
#include "mbd/element.h"

#define MBD_CURVES(X)                                                                                \
  X(polynomial)                                                                                      \
  X(harmonic)                                                                                        \
  X(spline) X(bspline) X(table) X(step) X(ramp) X(piecewise_linear) X(expression) X(periodic_spline) \
      X(periodic_bspline)

#define DECLARED(n) extern const mbd_curve_ops mbd_curve_##n;
#define LISTED(n)   &mbd_curve_##n,
MBD_CURVES(DECLARED)

MBD_TABLE(mbd_curve_ops, MBD_CURVES(LISTED), mbd_curve_at, mbd_curve_find, mbd_curve_name, name)

int mbd_curve_info_at(int i, mbd_curve_kind_info *info) {
  const mbd_curve_ops *k = mbd_curve_at(i);
  if (!k) { return 0; }
  *info = (mbd_curve_kind_info){k->name, k->doc, k->coefs, k->needs_knots, k->nc_min, k->nc_max, k->units};
  return 1;
}
