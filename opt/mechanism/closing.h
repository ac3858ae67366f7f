/* Designs whose kinematic cases lock: how far a design is from closing over the whole of them, which variables would close it, and designs
 * beside it that do. theory.md §5.6 */
#ifndef MBO_CLOSING_H
#define MBO_CLOSING_H

#include "mechanism/mechanism.h"

typedef struct mechanism_closings mechanism_closings;

/* Simulations with analysis = closing beside the kinematic cases of m, which must outlive them; *out is NULL where it has none. */
mbd_status closing_create(const mechanism *m, mechanism_closings **out, mbd_error *err);
void closing_destroy(mechanism_closings *list); /* NULL allowed */

/* 1: all kinematic cases can be simulated at x [n]. */
int closing_runs(mechanism *m, const mechanism_closings *list, const double *x);

/* Moves x [n] between the bounds to a design at which all kinematic cases can be simulated, by the gradient of the sum C of the mean
 * squares of mechanism.opening over the cases. Near that design C is the square of the
 * distance from it, so that steps are 2 C/|g| long, a little more to leave the dead point behind. Returns 0, with x anywhere, where none is found. */
int closing_repair(mechanism *m, mechanism_closings *list, double *x);

/* Moves the start of m like this if a kinematic case locks there; where that is not found, or none locks, it stays. */
mbd_status closing_repair_start(mechanism *m, mbd_error *err);

/* Of the failed simulation of a design x [n]: if the mechanism locks there, *text says in new memory when, how far bars stay apart and which changes of
 * single variables would close it, to first order; else it is NULL. */
mbd_status closing_explain(mechanism *m, const double *x, char **text, mbd_error *err);

#endif
