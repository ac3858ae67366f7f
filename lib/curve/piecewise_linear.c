/* Straight lines through the origin, of given slopes, with rounded bends. With slope m_0 = c0, width w = c1 and, for each bend,
 * place p_i = c(2i) and slope m_i = c(2i + 1) after it, i = 1, 2, ...
 *   y = integral of m from 0 to x,  m = m_0 + sum_i (m_i - m_(i-1)) s((x - p_i)/w + 1/2)
 *     = m_0 x + sum_i (m_i - m_(i-1)) [ b(x, q_i) - b(0, q_i) ],   q_i = p_i - w/2,   s the smooth step, b of bend.h */
#include "curve/bend.h"
#include "curve/curve_check.h"

enum { FIRST, WIDTH, BENDS, PER_BEND = 2 };

/* Returns the abscissa q_i at which the slope begins to change, of the bend whose place is c[i]. */
static mbd_real begin(const mbd_real *c, int i) {
  return c[i] - c[WIDTH] / 2;
}

/* Returns the number of the coefficient that is the slope before the bend whose place is coefficient i. */
static int slope_before(int i) {
  return i == BENDS ? FIRST : i - 1;
}

static mbd_real jump(const mbd_real *c, int i) {
  return c[i + 1] - c[slope_before(i)];
}

/* Computes b(x, q) - b(0, q) of one bend. */
static void bend_from_origin(const mbd_real *c, int i, mbd_real x, mbd_curve_value *b) {
  mbd_curve_value at_origin;
  bend_eval(0, begin(c, i), c[WIDTH], &at_origin);
  bend_eval(x, begin(c, i), c[WIDTH], b);
  b->y -= at_origin.y;
}

static void piecewise_linear_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                  mbd_curve_value *v) {
  mbd_curve_value b;
  (void)aux;
  *v = (mbd_curve_value){c[FIRST] * x, c[FIRST], 0};
  for (int i = BENDS; i < k->nc; i += PER_BEND) {
    bend_from_origin(c, i, x, &b);
    bend_add(v, jump(c, i), &b);
  }
}

static mbd_real piecewise_linear_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_real sum = 0;
  (void)aux;
  for (int i = BENDS; i < k->nc; i += PER_BEND) { sum += jump(c, i) * bend_third(x, begin(c, i), c[WIDTH]); }
  return sum;
}

static void piecewise_linear_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                                   const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  (void)aux, (void)daux;
  *dv = (mbd_curve_value){dc[FIRST] * x, dc[FIRST], 0};
  for (int i = BENDS; i < k->nc; i += PER_BEND) {
    mbd_curve_value b, at_origin;
    bend_from_origin(c, i, x, &b);
    bend_add(dv, jump(dc, i), &b);
    bend_deval(x, begin(c, i), c[WIDTH], begin(dc, i), dc[WIDTH], &b);
    bend_deval(0, begin(c, i), c[WIDTH], begin(dc, i), dc[WIDTH], &at_origin);
    b.y -= at_origin.y;
    bend_add(dv, jump(c, i), &b);
  }
}

static void piecewise_linear_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                                     const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  const mbd_curve_value origin_reverse = {-vbar->y, 0, 0};
  (void)aux, (void)auxbar;
  cbar[FIRST] += vbar->y * x + vbar->yx;
  for (int i = BENDS; i < k->nc; i += PER_BEND) {
    mbd_curve_value b;
    mbd_real qbar = 0;
    bend_from_origin(c, i, x, &b);
    cbar[i + 1] += bend_dot(vbar, &b);
    cbar[slope_before(i)] -= bend_dot(vbar, &b);
    bend_reverse(x, begin(c, i), c[WIDTH], jump(c, i), vbar, &qbar, &cbar[WIDTH]);
    bend_reverse(0, begin(c, i), c[WIDTH], jump(c, i), &origin_reverse, &qbar, &cbar[WIDTH]);
    cbar[i] += qbar;
    cbar[WIDTH] -= qbar / 2;
  }
}

static mbd_status piecewise_linear_check(const char *name, int nc, const double *c, mbd_error *err) {
  if (nc % PER_BEND) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "curve '%s': %d coefficients, expected an even number: a slope, a width, and a place and a slope for each "
             "bend",
             name, nc);
  }
  MBD_TRY(curve_check_width(name, c, WIDTH, err));
  for (int i = BENDS + PER_BEND; i < nc; i += PER_BEND) {
    if (!(c[i] > c[i - PER_BEND])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "curve '%s': bends must follow each other, but c%d = %g comes after c%d = %g", name,
               i, c[i], i - PER_BEND, c[i - PER_BEND]);
    }
  }
  return MBD_OK;
}

const mbd_curve_ops mbd_curve_piecewise_linear = {
    CURVE(piecewise_linear, 4, 16),
    .doc =
        "Straight lines of given slopes with rounded bends, through the origin, as of a damper over speed: slope c0 up "
        "to the first bend, at c2, slope c3 from there to the next one, at c4, slope c5 after it, and so on. "
        "At a bend the slope changes like the smooth step, from c1/2 before its place to c1/2 after it. The value at 0 "
        "is 0: where the middle of a bend is there, the lines on both sides pass 0.0684 c1 times the change of slope "
        "below "
        "the origin.",
    .units = "y/x x x y/x x y/x x y/x x y/x x y/x x y/x x y/x",
    .coefs =
        "c0 slope before the first bend, c1 width of the bends > 0, then for each bend its place and the slope "
        "after it",
    .check = piecewise_linear_check,
};
