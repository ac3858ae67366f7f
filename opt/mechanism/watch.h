/* Checks of gradients by an adjoint during an optimization: each is compared with one direct sensitivity. */
#ifndef MBO_WATCH_H
#define MBO_WATCH_H

#include "mechanism/mechanism.h"

/* mbo_problem.deviate with user = the mechanism: cases whose last gradient was by adjoint are simulated with the derivative along one
 * direction d of the variables, d_j uniform in [-scale_j, scale_j], from a seed that is `number`. Row i of difference and size
 * [quantities] is objective or constraint i; where the adjoint has differentiated the weighted sum of a case's objectives, the first of
 * them has the row of the sum. Cases by direct differentiation, and values that are no result of a simulation, have zeros.
 * cost: a simulation and one right-hand side in each step; memory for it the first time. */
mbd_status watch_gradient(void *user, int number, double *difference, double *size, mbd_error *err);

/* [gradient] watch_limit, and for the continuous adjoint not less than [check] continuous_tolerance. */
double watch_limit(const mechanism *m);

#endif
