/* Checks whether the steps of a run resolve the motion. */
#ifndef MBD_WATCH_H
#define MBD_WATCH_H

#include "state/sim.h"

/* Allocates s->watch for the runs of s, from the arena of s. */
void watch_layout(mbd_sim *s, mbd_arena *a);

/* Called at the start of a run; after step k, with MBD_NO_CONVERGENCE if explicit steps are too long; and at the end of
 * the run, which adds warnings, with MBD_NO_MEMORY. */
void watch_begin(mbd_sim *s);
void watch_knots(
    mbd_sim *s); /* at the start of a run, a warning where steps pass over control points of a curve (passed_knots.c) */
/* Of beams (watch_beams.c): at the start of a run, MBD_NO_CONVERGENCE if explicit steps are too long for a shape; at each node; and behind the
 * run, whether it failed or not, with its status: the message of a failure begins with a beam that left the theory. */
mbd_status watch_beams_begin(mbd_sim *s, mbd_error *err);
void watch_beams_node(mbd_sim *s);
mbd_status watch_beams_end(mbd_sim *s, mbd_status status, mbd_error *err);
/* After step k, k = 0: at the start: a warning where the motion has passed a singular position (passed_singular.c). */
void watch_singular(mbd_sim *s, int k);
void singular_layout(mbd_sim *s, mbd_arena *a); /* its memory, s->singular */
/* At the present steady motion, or in static equilibrium: a warning where it is unstable, once in a run that is shown (watch_stability.c). */
void watch_stability(mbd_sim *s);
mbd_status watch_step(mbd_sim *s, int k, mbd_error *err);
mbd_status watch_end(mbd_sim *s, mbd_error *err);

#endif
