/* Checks whether the steps of a run resolve the motion. */
#ifndef MBD_WATCH_H
#define MBD_WATCH_H

#include "state/sim.h"

/* s->watch for the runs of s, from its arena. */
void watch_layout(mbd_sim *s, mbd_arena *a);

/* At the start of a run; after step k, MBD_NO_CONVERGENCE if explicit steps are too long; at its end, with warnings, MBD_NO_MEMORY. */
void watch_begin(mbd_sim *s);
mbd_status watch_step(mbd_sim *s, int k, mbd_error *err);
mbd_status watch_end(mbd_sim *s, mbd_error *err);

#endif
