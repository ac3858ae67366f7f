/* Smooth ramp: a constant, a bend and a line; a second bend may lead to a constant again.
 *   y = c0 + c1 [ b(x, c2) - b(x, c4) ],   b(x, p) = c3 r((x - p)/c3),   r the ramp of base/smooth.h,  r' = s */
#include "curve/bend.h"
#include "curve/curve_check.h"

enum { LEVEL, SLOPE, START, WIDTH, END };

static void ramp_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  mbd_curve_value b;
  (void)aux;
  *v = (mbd_curve_value){c[LEVEL], 0, 0};
  for (int i = START; i < k->nc; i += END - START) {
    bend_eval(x, c[i], c[WIDTH], &b);
    bend_add(v, i == START ? c[SLOPE] : -c[SLOPE], &b);
  }
}

static mbd_real ramp_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_real sum = 0;
  (void)aux;
  for (int i = START; i < k->nc; i += END - START) {
    sum += (i == START ? c[SLOPE] : -c[SLOPE]) * bend_third(x, c[i], c[WIDTH]);
  }
  return sum;
}

static void ramp_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                       const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  mbd_curve_value b;
  (void)aux, (void)daux;
  *dv = (mbd_curve_value){dc[LEVEL], 0, 0};
  for (int i = START; i < k->nc; i += END - START) {
    mbd_real sign = i == START ? 1 : -1;
    bend_eval(x, c[i], c[WIDTH], &b);
    bend_add(dv, sign * dc[SLOPE], &b);
    bend_deval(x, c[i], c[WIDTH], dc[i], dc[WIDTH], &b);
    bend_add(dv, sign * c[SLOPE], &b);
  }
}

static void ramp_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                         const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_curve_value b;
  (void)aux, (void)auxbar;
  cbar[LEVEL] += vbar->y;
  for (int i = START; i < k->nc; i += END - START) {
    mbd_real sign = i == START ? 1 : -1;
    bend_eval(x, c[i], c[WIDTH], &b);
    cbar[SLOPE] += sign * bend_dot(vbar, &b);
    bend_reverse(x, c[i], c[WIDTH], sign * c[SLOPE], vbar, &cbar[i], &cbar[WIDTH]);
  }
}

static mbd_status ramp_check(const char *name, int nc, const double *c, mbd_error *err) {
  MBD_TRY(curve_check_width(name, c, WIDTH, err));
  if (nc > END && !(c[END] > c[START])) {
    MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': the ramp ends at %g, expected an end after its start at %g", name, c[END],
             c[START]);
  }
  return MBD_OK;
}

const mbd_curve_ops mbd_curve_ramp = {
    CURVE(ramp, 4, 5),
    .doc =
        "Smooth ramp: c0 up to c2, a bend of width c3 in which the slope grows from 0 to c1 like the smooth step, "
        "then the line c0 + c1 (x - c2 - c3/2). With c4, the slope falls to 0 again from c4 to c4 + c3, and the "
        "level c0 + c1 (c4 - c2) follows.",
    .units = "y y/x x x x",
    .coefs = "c0 level, c1 slope, c2 start, c3 width of the bends > 0, and c4 end if it has one",
    .check = ramp_check,
};
