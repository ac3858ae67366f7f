/* The costs of direct differentiation and of the discrete adjoint of a case, measured by its first steps.
 *
 * A simulation, one with directions and one with an adjoint are run in turn over the first 8 and over the first 40 steps, each several
 * times; the least time counts. With T_8 and T_40 the time of N steps is
 *   T(N) = T_40 + (N - 40) (T_40 - T_8)/32
 * so that the start counts once. It is the time of the processor, not of the clock on the wall: other processes hardly show. Of more than
 * 32 variables only 32 are carried, spread over all, and 8, and the cost of the others follows by the straight line through both. */
#ifndef MBO_GRADIENT_COSTS_H
#define MBO_GRADIENT_COSTS_H

#include "mechanism/mechanism.h"

/* How the case is to be differentiated. */
void gradient_task_of(const mechanism *m, const mechanism_case *load, gradient_task *task);

/* Measure at the design that is set (mechanism_set_design), in memory of its own. > 0: the first steps cannot be simulated, or not
 * differentiated; MBD_INTERRUPTED when m->stop is set. */
mbd_status gradient_costs_measure(const mechanism *m, const mechanism_case *load, gradient_costs *costs,
                                  mbd_error *err);

#endif
