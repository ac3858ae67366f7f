/* A smooth step and its integrals, which stops, steps and ramps use.
 *   s(u) = 35 u^4 - 84 u^5 + 70 u^6 - 20 u^7,  0 <= u <= 1,    exactly 0 before and 1 after,
 * three times continuously differentiable: s' = 140 p^3 with p = u (1 - u), s'' = 420 p^2 (1 - 2u),
 * s''' = 840 p (1 - 5p). */
#ifndef MBD_SMOOTH_H
#define MBD_SMOOTH_H

#include "base/real.h"

/* Sets s[k] to the k-th derivative of the step at u, k = 0..3. */
static inline void smooth_step(mbd_real u, mbd_real s[4]) {
  const mbd_truth beside = mbd_re(u) <= 0 || mbd_re(u) >= 1; /* not where u is NaN */
  s[0] = mbd_select(mbd_re(u) >= 1, 1, 0);
  s[1] = s[2] = s[3] = 0;
  if (mbd_none(!beside)) { return; }
  const mbd_real p = u * (1 - u);
  s[0] = mbd_select(beside, s[0], u * u * u * u * (35 + u * (-84 + u * (70 - 20 * u))));
  s[1] = mbd_select(beside, 0, 140 * p * p * p);
  s[2] = mbd_select(beside, 0, 420 * p * p * (1 - 2 * u));
  s[3] = mbd_select(beside, 0, 840 * p * (1 - 5 * p));
}

/* Returns the integral of s from 0 to u: zero before the step, a bend within it, the line u - 1/2 after it. */
static inline mbd_real smooth_ramp(mbd_real u) {
  const mbd_real bend = u * u * u * u * u * (7 + u * (-14 + u * (10 - 2.5 * u)));
  return mbd_select(mbd_re(u) <= 0, 0, mbd_select(mbd_re(u) >= 1, u - 0.5, bend));
}

/* Returns the integral of the ramp from 0 to u. */
static inline mbd_real smooth_bowl(mbd_real u) {
  const mbd_real bend = u * u * u * u * u * u * (7. / 6 + u * (-2 + u * (1.25 - 5. / 18 * u)));
  return mbd_select(mbd_re(u) <= 0, 0, mbd_select(mbd_re(u) >= 1, u * (u - 1) / 2 + 5. / 36, bend));
}

#endif
