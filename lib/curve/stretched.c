/* Curves with a stretch s of their abscissae: with Y(u) of the kind, u = x/s,
 *   y = Y,   yx = Y'/s,   yxx = Y''/s^2
 * and along a direction of the coefficients of Y and of s, at fixed x, with du = -u ds/s,
 *   dy = dY + Y' du,   dyx = (dY' + Y'' du - Y' ds/s)/s,   dyxx = (dY'' + Y''' du - 2 Y'' ds/s)/s^2 */
#include "curve/curve.h"

static mbd_real stretch_of(const mbd_curve *k, const mbd_real *theta) {
  return k->stretch ? theta[k->stretch - 1] : 1;
}

void curve_eval_stretched(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                          mbd_curve_value *v) {
  const mbd_real s = stretch_of(k, theta);
  curve_kind_eval(k, theta + k->coef, aux + k->aux, x / s, v);
  v->yx /= s, v->yxx /= s * s;
}

/* Computes the derivatives of (y, yx, yxx) with respect to s, at fixed coefficients of Y. */
static void by_stretch(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                       mbd_curve_value *v_s) {
  const mbd_real s = stretch_of(k, theta), u = x / s;
  mbd_curve_value Y;
  curve_kind_eval(k, theta + k->coef, aux + k->aux, u, &Y);
  const mbd_real third = curve_kind_third(k, theta + k->coef, aux + k->aux, u);
  v_s->y = -u * Y.yx / s;
  v_s->yx = -(u * Y.yxx + Y.yx) / (s * s);
  v_s->yxx = -(u * third + 2 * Y.yxx) / (s * s * s);
}

void curve_deval_stretched(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, const mbd_real *dtheta,
                           const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  const mbd_real s = stretch_of(k, theta), ds = dtheta[k->stretch - 1];
  mbd_curve_value v_s;
  curve_kind_deval(k, theta + k->coef, aux + k->aux, dtheta + k->coef, daux + k->aux, x / s, dv);
  dv->yx /= s, dv->yxx /= s * s;
  if (mbd_none(ds != 0)) { return; }
  by_stretch(k, theta, aux, x, &v_s);
  dv->y += ds * v_s.y, dv->yx += ds * v_s.yx, dv->yxx += ds * v_s.yxx;
}

void curve_reverse(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                   const mbd_curve_value *vbar, const unsigned char *requested, mbd_real *thetabar, mbd_real *auxbar) {
  const mbd_real s = stretch_of(k, theta);
  const mbd_curve_value Ybar = {vbar->y, vbar->yx / s, vbar->yxx / (s * s)};
  mbd_curve_value v_s;
  curve_kind_reverse(k, theta + k->coef, aux + k->aux, x / s, &Ybar, thetabar + k->coef, auxbar + k->aux);
  if (!k->stretch || !requested[k->stretch - 1]) { return; }
  by_stretch(k, theta, aux, x, &v_s);
  thetabar[k->stretch - 1] += vbar->y * v_s.y + vbar->yx * v_s.yx + vbar->yxx * v_s.yxx;
}

void curve_shift(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x, mbd_real dx,
                 mbd_curve_value *dv) {
  const mbd_real s = stretch_of(k, theta);
  mbd_curve_value v;
  curve_eval(k, theta, aux, x, &v);
  dv->y += dx * v.yx, dv->yx += dx * v.yxx;
  dv->yxx += dx * curve_kind_third(k, theta + k->coef, aux + k->aux, x / s) / (s * s * s);
}
