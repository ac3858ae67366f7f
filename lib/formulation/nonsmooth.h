/* Forces with a kink: from one motion to another the slopes of a force f at the first, where its arguments are x, miss
 *   e = f(x + dx) - f(x) - f_x dx - f_xd dxd
 * of the change of f. */
#ifndef MBD_NONSMOOTH_H
#define MBD_NONSMOOTH_H

#include "state/sim.h"

typedef struct nonsmooth_motion {
  mbd_real t;
  const mbd_real *z, *zd; /* [nz] */
} nonsmooth_motion;

typedef struct nonsmooth {
  double missed, change; /* |e|, |f(x + dx) - f(x)| */
  int force;
} nonsmooth;

/* Finds the force with the largest e; worst->force -1: there is none, always so in the complex build. Allocates memory;
 * leaves the work moved to the second motion. Returns MBD_NO_MEMORY if the allocation fails. */
mbd_status nonsmooth_find(mbd_sim *s, const nonsmooth_motion *from, const nonsmooth_motion *to, nonsmooth *worst,
                          mbd_error *err);

/* What makes the law of a force smoother: the keys of its type that widen a transition, "a larger touchdown or slip_speed", or
 * "a smoother law". */
void nonsmooth_remedy(const mbd_force *force, char *text, size_t size);

#endif
