/* What the intervals of a fit assume beside noise: that residuals are independent, and that the error of the time step is small. */
#ifndef MBO_ASSUMPTIONS_H
#define MBO_ASSUMPTIONS_H

#include "fit/fit.h"

/* Sets `neighbours` and `alike` of every series, and f->alike. */
void assumptions_neighbours(fit *f);

/* Sets f->step_shift, f->step_error and f->step_of, after noise, directions and deviations are known. Cost: a simulation of every case with a
 * measurement that counts, at half its step. MBD_NO_MEMORY, MBD_INTERRUPTED. */
mbd_status assumptions_step(fit *f, mbd_error *err);

#endif
