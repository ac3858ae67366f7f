/* Forces with a kink: from one motion to another the slopes of a force f at the first, where its arguments are x, miss
 *   e = f(x + dx) - f(x) - f_x dx - f_xd dxd
 * of the change of f. */
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

/* Finds the force with the largest e; worst->force -1: there is none, always so in the complex build. Allocates memory;
 * leaves the work moved to the second motion. Returns MBD_NO_MEMORY if the allocation fails. */
mbd_status kink_find(mbd_sim *s, const kink_motion *from, const kink_motion *to, kink *worst, mbd_error *err);

#endif
