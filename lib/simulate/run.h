/* The time loop, and what else goes over its nodes. */
#ifndef MBD_RUN_H
#define MBD_RUN_H

#include "state/sim.h"

/* Step k from s->now, which becomes the node before. */
mbd_status sim_advance(mbd_sim *s, int k, mbd_error *err);

/* s->observed, what observers are shown, from the arena of s. */
void observed_layout(mbd_sim *s, mbd_arena *arena);

/* A run without directions, each of whose nodes is shown to `keep` (an adjoint's trajectory), with `kept`; what: that is kept of it. */
typedef mbd_status (*sim_keep)(void *kept, int k, mbd_error *err);
mbd_status sim_run_kept(mbd_sim *s, const mbd_params *p, sim_kept what, sim_keep keep, void *kept,
                        mbd_observer observer, void *user, mbd_error *err);

#endif
