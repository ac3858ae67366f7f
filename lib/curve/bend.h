/* One bend of a line:  b(x, p, w) = w r((x - p)/w),  r the ramp of base/smooth.h: 0 up to p, of slope 1 from p + w on. */
#ifndef MBD_BEND_H
#define MBD_BEND_H

#include "base/smooth.h"
#include "curve/curve.h"

static inline void bend_eval(mbd_real x, mbd_real p, mbd_real w, mbd_curve_value *b) {
  mbd_real s[4], u = (x - p) / w;
  smooth_step(u, s);
  /* cppcheck-suppress constStatement ; taken for a multiplication */
  *b = (mbd_curve_value){w * smooth_ramp(u), s[0], s[1] / w};
}

/* Its derivative along (dp, dw), with du = -(dp + u dw)/w. */
static inline void bend_deval(mbd_real x, mbd_real p, mbd_real w, mbd_real dp, mbd_real dw, mbd_curve_value *db) {
  mbd_real s[4], u = (x - p) / w, du = -(dp + u * dw) / w;
  smooth_step(u, s);
  *db = (mbd_curve_value){dw * smooth_ramp(u) + w * s[0] * du, s[1] * du, (s[2] * du - s[1] * dw / w) / w};
}

/* Transpose of slope times bend_deval: pbar, wbar += */
static inline void bend_reverse(mbd_real x, mbd_real p, mbd_real w, mbd_real slope, const mbd_curve_value *vbar,
                                mbd_real *pbar, mbd_real *wbar) {
  mbd_real s[4], u = (x - p) / w;
  smooth_step(u, s);
  const mbd_real ubar = slope * (vbar->y * w * s[0] + vbar->yx * s[1] + vbar->yxx * s[2] / w);
  *pbar -= ubar / w;
  *wbar += slope * (vbar->y * smooth_ramp(u) - vbar->yxx * s[1] / (w * w)) - u * ubar / w;
}

/* Its third derivative in x. */
static inline mbd_real bend_third(mbd_real x, mbd_real p, mbd_real w) {
  mbd_real s[4];
  smooth_step((x - p) / w, s);
  return s[2] / (w * w);
}

/* v += a b */
static inline void bend_add(mbd_curve_value *v, mbd_real a, const mbd_curve_value *b) {
  v->y += a * b->y, v->yx += a * b->yx, v->yxx += a * b->yxx;
}

/* vbar . b */
static inline mbd_real bend_dot(const mbd_curve_value *vbar, const mbd_curve_value *b) {
  return vbar->y * b->y + vbar->yx * b->yx + vbar->yxx * b->yxx;
}

#endif
