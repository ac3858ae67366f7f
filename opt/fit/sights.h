/* Outputs that would show a direction of the variables which measured series do not. */
#ifndef MBO_SIGHTS_H
#define MBO_SIGHTS_H

#include "fit/fit.h"

/* Sets the sights of n directions: of all outputs of all cases, those whose change along the direction is the largest part of what they
 * do. The design of m is set and stays. One direct differentiation with all outputs. The errors of a simulation. */
mbd_status sights_find(mechanism *m, int n, fit_direction *direction, mbd_error *err);

#endif
