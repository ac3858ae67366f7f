/* Table: straight lines through (knot_i, c_i), constant beyond the ends. The slope jumps at the knots, which reduces the order of a
 * time step that contains one. */
#include "curve/curve.h"
#include "curve/curve_check.h"

/* The curve is linear in c, so that this function evaluates values and changes along a direction alike. */
static void interpolate(const mbd_curve *k, const mbd_real *c, mbd_real x, mbd_curve_value *v) {
  const int n = k->nc;
  if (mbd_if(mbd_re(x) < k->knot[0] || mbd_re(x) >= k->knot[n - 1])) {
    *v = (mbd_curve_value){c[mbd_if(mbd_re(x) < k->knot[0]) ? 0 : n - 1], 0, 0};
    return;
  }
  int i = curve_interval(n, k->knot, mbd_re(x));
  mbd_real slope = (c[i + 1] - c[i]) / (k->knot[i + 1] - k->knot[i]);
  *v = (mbd_curve_value){c[i] + slope * (x - k->knot[i]), slope, 0};
}

static void table_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  (void)aux;
  interpolate(k, c, x, v);
}

static mbd_real table_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  (void)k, (void)c, (void)aux, (void)x;
  return 0;
}

static void table_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                        const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)c, (void)aux, (void)daux;
  interpolate(k, dc, x, dv);
}

static void table_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                          const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  const int n = k->nc;
  (void)c, (void)aux, (void)auxbar;
  if (mbd_if(mbd_re(x) < k->knot[0] || mbd_re(x) >= k->knot[n - 1])) {
    cbar[mbd_if(mbd_re(x) < k->knot[0]) ? 0 : n - 1] += vbar->y;
    return;
  }
  const int i = curve_interval(n, k->knot, mbd_re(x));
  const mbd_real slope = (vbar->y * (x - k->knot[i]) + vbar->yx) / (k->knot[i + 1] - k->knot[i]);
  cbar[i] += vbar->y - slope;
  cbar[i + 1] += slope;
}

const mbd_curve_ops mbd_curve_table = {
    CURVE(table, 2, -1), .doc = "Straight lines through points at given knots; constant beyond the ends.",
    .units = "y",        .coefs = "ordinates of the points, one per knot",
    .needs_knots = 1,    .corners = 1,
};
