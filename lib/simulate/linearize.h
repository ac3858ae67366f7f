/* The linear system of small motions with its derivatives along a perturbation of the coefficients. */
#ifndef MBD_SIMULATE_LINEARIZE_H
#define MBD_SIMULATE_LINEARIZE_H

#include "mbd/linearize.h"
#include "state/sim.h"

/* mbd_sim_linearize without eigenvalues, and A [order][order] in the scalar of the library, with room for [2 nz][2 nz]. */
mbd_status linearize_exact(mbd_sim *s, const mbd_params *p, mbd_linear *out, mbd_real *A, mbd_error *err);

#endif
