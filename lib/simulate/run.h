/* The time loop, and other loops over its nodes. */
#ifndef MBD_RUN_H
#define MBD_RUN_H

#include "state/sim.h"

/* Takes step k from s->now, which becomes s->before. */
mbd_status sim_advance(mbd_sim *s, int k, mbd_error *err);

/* Allocates s->observed, the data passed to observers, from the arena of s. */
void observed_layout(mbd_sim *s, mbd_arena *arena);

/* A run without directions; `keep`, with `kept` (an adjoint's trajectory), is called at each node; what: the part of a
 * step that is stored. */
typedef mbd_status (*sim_keep)(void *kept, int k, mbd_error *err);
mbd_status sim_run_kept(mbd_sim *s, const mbd_params *p, sim_kept what, sim_keep keep, void *kept,
                        mbd_observer observer, void *user, mbd_error *err);

#endif
