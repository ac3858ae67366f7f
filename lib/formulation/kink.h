/* Forces with a kink: from one motion to another the slopes of a force f at the first, where its arguments are x, miss
 *   e = f(x + dx) - f(x) - f_x dx - f_xd dxd
 * of its change. */
#ifndef MBD_KINK_H
#define MBD_KINK_H

#include "state/sim.h"

typedef struct kink_motion {
  mbd_real t;
  const mbd_real *z, *zd; /* [nz] */
} kink_motion;

typedef struct kink {
  double missed, change; /* |e|, |f(x + dx) - f(x)| */
  int force;
} kink;

/* The force with the largest e; worst->force -1: there is none. Allocates; leaves the work moved to the second motion. The complex build
 * looks for none. MBD_NO_MEMORY. */
mbd_status kink_find(mbd_sim *s, const kink_motion *from, const kink_motion *to, kink *worst, mbd_error *err);

#endif
