/* Simulations of all cases with their derivatives along one direction of the variables. */
#ifndef MBO_DIRECTIONAL_H
#define MBO_DIRECTIONAL_H

#include "mechanism/mechanism.h"

/* Simulates the cases, at the design that is set, with the derivative along d [n]: values and derivatives in load->along. of_adjoints: only those whose last
 * gradient was by an adjoint. cost: a simulation and one right-hand side in each step; memory for it the first time. */
mbd_status cases_simulate_along(mechanism *m, const double *d, int of_adjoints, mbd_error *err);

#endif
