/* Harmonic:  y = c0 + c1 sin(c2 x + c3) */
#include "curve/curve.h"
#include "curve/curve_check.h"

static void harmonic_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v) {
  mbd_real s = mbd_sin(c[2] * x + c[3]), co = mbd_cos(c[2] * x + c[3]);
  (void)k, (void)aux;
  *v = (mbd_curve_value){c[0] + c[1] * s, c[1] * c[2] * co, -c[1] * c[2] * c[2] * s};
}

static mbd_real harmonic_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x) {
  (void)k, (void)aux;
  return -c[1] * c[2] * c[2] * c[2] * mbd_cos(c[2] * x + c[3]);
}

/* With the phase a = c2 x + c3 and da = dc2 x + dc3. */
static void harmonic_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                           const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  mbd_real s = mbd_sin(c[2] * x + c[3]), co = mbd_cos(c[2] * x + c[3]), da = dc[2] * x + dc[3];
  (void)k, (void)aux, (void)daux;
  dv->y = dc[0] + dc[1] * s + c[1] * co * da;
  dv->yx = (dc[1] * c[2] + c[1] * dc[2]) * co - c[1] * c[2] * s * da;
  dv->yxx = -(dc[1] * c[2] * c[2] + 2 * c[1] * c[2] * dc[2]) * s - c[1] * c[2] * c[2] * co * da;
}

static void harmonic_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                             const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar) {
  const mbd_real s = mbd_sin(c[2] * x + c[3]), co = mbd_cos(c[2] * x + c[3]), w = c[2];
  const mbd_real abar = c[1] * (vbar->y * co - vbar->yx * w * s - vbar->yxx * w * w * co); /* of the phase */
  (void)k, (void)aux, (void)auxbar;
  cbar[0] += vbar->y;
  cbar[1] += vbar->y * s + vbar->yx * w * co - vbar->yxx * w * w * s;
  cbar[2] += c[1] * (vbar->yx * co - 2 * vbar->yxx * w * s) + abar * x;
  cbar[3] += abar;
}

const mbd_curve_ops mbd_curve_harmonic = {
    CURVE(harmonic, 4, 4),
    .doc = "y = c0 + c1 sin(c2 x + c3): mean, amplitude, angular frequency, phase.",
    .units = "y y 1/x -",
    .coefs = "c0 mean, c1 amplitude, c2 angular frequency [rad per unit of x], c3 phase [rad]",
};
