/* Catalogue values: what follows an optimization in which every variable could have any value. */
#ifndef MBO_CATALOGUE_H
#define MBO_CATALOGUE_H

#include "backend/backend.h"

/* Does some variable have catalogue values? */
int catalogue_is_there(const mbo_problem *p);

/* Goes on from the best design of an optimization that has ended:
 *
 *   round   variables with a catalogue to the nearest of its values
 *   beside  designs one step further in one catalogue are tried, then those in two; the first that is better takes the place of the
 *           design, until none is: less violated, or with a lower objective where neither violates a constraint
 *   farther where the design violates constraints and none beside it is better, all combinations are tried, by their distance in
 *           steps, until one violates none; then those beside it
 *
 * A design is worth what it is after the same backend has optimized the variables without a catalogue, if there are any, from their
 * values at hand. Fills r->f_continuous, r->x_continuous, r->neighbours (x_continuous stays NULL where no
 * design with values of the catalogues could be simulated), adds to r->iterations and r->restarts. The evaluator's best design
 * then is the best with values of the catalogues; where none was found, that of the optimization before.
 * along    what the evaluator computes along with every design of an optimization
 * fixed    the problem that the evaluator holds afterwards, in new memory, for free(); NULL: it holds the one before
 * returns  MBD_INTERRUPTED: a limit of the run has ended it
 * cost     for k catalogues 2 k^2 designs after the last that was better, each a simulation or an optimization of the others; all
 *          combinations where none is feasible */
mbd_status catalogue_search(evaluator *e, const backend_ops *b, const mbo_settings *s, unsigned along, mbo_result *r,
                            mbo_problem **fixed, mbd_error *err);

#endif
