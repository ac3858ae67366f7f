/* Finds outputs that would determine a direction of the variables which the measured series do not. */
#ifndef MBO_INFORMATIVE_OUTPUTS_H
#define MBO_INFORMATIVE_OUTPUTS_H

#include "fit/fit.h"

/* Sets the informative outputs of n directions: the outputs, of all cases, whose change along the direction is largest relative to their own variation.
 * The design of m is set and does not change. Cost: one direct differentiation with all outputs. Errors of a simulation. */
mbd_status informative_outputs_find(mechanism *m, int n, fit_direction *direction, mbd_error *err);

#endif
