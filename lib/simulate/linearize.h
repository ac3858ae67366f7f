/* The linear system of small motions with its derivatives along a perturbation of the coefficients. */
#ifndef MBD_SIMULATE_LINEARIZE_H
#define MBD_SIMULATE_LINEARIZE_H

#include "mbd/linearize.h"
#include "state/sim.h"

/* mbd_sim_linearize without eigenvalues, and A [order][order] in the scalar of the library, with room for [2 nz][2 nz]. */
mbd_status linearize_exact(mbd_sim *s, const mbd_params *p, mbd_linear *out, mbd_real *A, mbd_error *err);

/* The linear system about the present motion, in `out`; the bodies are left with other velocities.
 * bodies: as of mbd_sim_linearize_bodies; exact: A as above, without eigenvalues; modes: vectors in it, and where modes->differentiated what their
 * derivatives are made of. NULL: not wanted. */
mbd_status linearize_present(mbd_sim *s, mbd_linear *out, double **bodies, mbd_real *exact, mbd_modes *modes,
                             mbd_error *err);

#endif
