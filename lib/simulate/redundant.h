/* Multipliers of redundant rows: of all that exert the same, those of least norm, so lam = Phi_z u for some u. With P the projection
 * onto the range of Phi_z, along any direction
 *   (1 - P) lam' = (1 - P) Phi_z' u       (the change of Phi_z, times u)
 * which needs motions of its own: with velocities u, rates of rows are Phi_z u + phi_t. Each of these functions leaves the motion at
 * hand with other velocities. */
#ifndef MBD_REDUNDANT_H
#define MBD_REDUNDANT_H

#include "state/adjoint.h"

/* side [nphi][np] := Phi_z' u along the directions with s->sens.z; rest [nz]: zeros; dphid [nphi]: scratch */
void redundant_sens(mbd_sim *s, const mbd_real *u, const mbd_real *rest, mbd_real *dphid, mbd_real *side);
/* L += e . Phi_z u of every objective, e [nphi][npsi]: the derivatives by the coefficients, and those by z, which a->z gains. */
void redundant_back(mbd_sim *s, sim_adjoint *a, const mbd_real *u, const mbd_real *rest, const mbd_real *e);

#endif
