/* The table of curves: a new kind is one file and one word here. */
#include "base/table.h"
#include "curve/curve.h"
#include "mbd/element.h"

#define MBD_CURVES(X) X(polynomial) X(harmonic) X(spline) X(table) X(step) X(ramp)

#define X(n) extern const mbd_curve_ops mbd_curve_##n;
MBD_CURVES(X)
#undef X

static const mbd_curve_ops *const curves[] = {
#define X(n) &mbd_curve_##n,
    MBD_CURVES(X)
#undef X
};

MBD_TABLE(mbd_curve_ops, curves, mbd_curve_at, mbd_curve_find, name)

int mbd_curve_info_at(int i, mbd_curve_kind_info *info) {
  const mbd_curve_ops *k = mbd_curve_at(i);
  if (!k) { return 0; }
  *info = (mbd_curve_kind_info){k->name, k->doc, k->coefs, k->needs_knots, k->nc_min, k->nc_max};
  return 1;
}
