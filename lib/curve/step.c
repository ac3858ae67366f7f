/* Smooth step:  y = c0 + (c1 - c0) s(u),  u = (x - c2)/c3,  s as in base/smooth.h */
#include "base/smooth.h"
#include "curve/curve.h"
#include "curve/curve_check.h"

enum { BEFORE, AFTER, START, WIDTH };

static void step_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  mbd_real s[4], height = c[AFTER] - c[BEFORE], w = c[WIDTH];
  (void)k, (void)aux;
  smooth_step((x - c[START]) / w, s);
  *v = (mbd_curve_value){c[BEFORE] + height * s[0], height * s[1] / w, height * s[2] / (w * w)};
}

static mbd_real step_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  mbd_real s[4], w = c[WIDTH];
  (void)k, (void)aux;
  smooth_step((x - c[START]) / w, s);
  return (c[AFTER] - c[BEFORE]) * s[3] / (w * w * w);
}

/* With du = -(dc2 + u dc3)/c3. */
static void step_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                       const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  mbd_real s[4], w = c[WIDTH], u = (x - c[START]) / w, du = -(dc[START] + u * dc[WIDTH]) / w;
  mbd_real h = c[AFTER] - c[BEFORE], dh = dc[AFTER] - dc[BEFORE], stretch = h * dc[WIDTH] / w;
  (void)k, (void)aux, (void)daux;
  smooth_step(u, s);
  dv->y = dc[BEFORE] + dh * s[0] + h * s[1] * du;
  dv->yx = (dh * s[1] + h * s[2] * du - stretch * s[1]) / w;
  dv->yxx = (dh * s[2] + h * s[3] * du - 2 * stretch * s[2]) / (w * w);
}

static void step_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                         const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  mbd_real s[4], w = c[WIDTH], u = (x - c[START]) / w, h = c[AFTER] - c[BEFORE];
  const mbd_real a = vbar->y, b = vbar->yx / w, e = vbar->yxx / (w * w);
  (void)k, (void)aux, (void)auxbar;
  smooth_step(u, s);
  const mbd_real hbar = a * s[0] + b * s[1] + e * s[2], ubar = h * (a * s[1] + b * s[2] + e * s[3]);
  cbar[BEFORE] += a - hbar;
  cbar[AFTER] += hbar;
  cbar[START] -= ubar / w;
  cbar[WIDTH] -= (u * ubar + h * (b * s[1] + 2 * e * s[2])) / w;
}

static mbd_status step_check(const char *name, int nc, const double *c, mbd_error *err) {
  (void)nc;
  return curve_check_width(name, c, WIDTH, err);
}

const mbd_curve_ops mbd_curve_step = {
    CURVE(step, 4, 4),
    .doc =
        "Smooth step from c0 to c1: constant up to c2 and from c2 + c3 on; between, three times continuously "
        "differentiable, c0 + (c1 - c0)(35 u^4 - 84 u^5 + 70 u^6 - 20 u^7), u = (x - c2)/c3.",
    .units = "y y x x",
    .coefs = "c0 level before, c1 level after, c2 start, c3 width > 0",
    .check = step_check,
};
