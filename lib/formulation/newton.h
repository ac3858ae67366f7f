/* What Newton's iterations of the time steps share. */
#ifndef MBD_NEWTON_H
#define MBD_NEWTON_H

#include "core/real.h"

/* Part of a correction [n] to take. Where a force saturates (friction), whole corrections can jump to and fro across the
 * bend: after a part w of the one before, `last`, the secant through both vanishes at
 *   w last.(last - now)/|last - now|^2    of the new one: 1/2 for a correction that comes back reversed, 1 for one that has
 * shrunk by what was taken. One that grows in the same direction is taken whole. */
static inline double newton_part(int n, const mbd_real *last, const mbd_real *now, double part) {
  double along = 0, change2 = 0;
  for (int j = 0; j < n; j++) {
    const double change = mbd_re(last[j]) - mbd_re(now[j]);
    along += mbd_re(last[j]) * change, change2 += change * change;
  }
  const double secant = change2 > 0 ? part * along / change2 : 1;
  return secant > 0 ? fmin(1, fmax(secant, 0.05)) : 1;
}

#endif
