/* How far sensitivities, and rounding with them, grow along a run whose gradient is computed. Equations: theory.md §7.6. */
#ifndef MBD_GROWTH_H
#define MBD_GROWTH_H

#include "state/adjoint.h"
#include "state/sim.h"

/* Allocates s->growth for the runs of s, from the arena of s. */
void growth_layout(mbd_sim *s, mbd_arena *a);

/* Direct differentiation: at the start of a run, and at each of its nodes. */
void growth_begin(mbd_sim *s);
void growth_node(mbd_sim *s);

/* A discrete adjoint, after the step to node k was reversed; k = 0: after the start, with complete derivatives. */
void growth_back(mbd_sim *s, const sim_adjoint *a, int k);

/* Adds the warning "growth" at the end of a run with directions, or of an adjoint pass. */
void growth_end(mbd_sim *s);

#endif
