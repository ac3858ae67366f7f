/* Masses that elements put at points of bodies, such as half of a rod's at each of its ends. Bodies that carry some read mass,
 * centre of mass and inertia not where the description has them but from ten numbers behind the coefficients, theta[ncoef]
 * and on, which follow from both once for a design. With own numbers m_0, c_0, J_0 and masses m_k at r_k, d_k = r_k - c_0:
 *   m = m_0 + sum m_k,   c = c_0 + s/m,   s = sum m_k d_k
 *   J = J_0 + sum m_k (|d_k|^2 1 - d_k d_k') - (|s|^2 1 - s s')/m          (theorem of parallel axes, twice) */
#ifndef MBD_LUMPS_H
#define MBD_LUMPS_H

#include "model/model.h"

/* Finds the lumps of all constraints, and gives their bodies other numbers. Once constraints are there. */
mbd_status lumps_build(mbd_model *m, mbd_error *err);
void lumps_destroy(mbd_model *m);

mbd_status lumps_check(const mbd_model *m, const double *theta,
                       mbd_error *err); /* MBD_OUT_OF_DOMAIN: a negative mass */

void lumps_set(const mbd_model *m, mbd_real *theta);                            /* [ntheta], from the coefficients */
void lumps_direct(const mbd_model *m, const mbd_real *theta, mbd_real *dtheta); /* its change along dtheta */
void lumps_pull(const mbd_model *m, const mbd_real *theta, mbd_real *thetabar); /* its transpose; they become zero */
void lumps_want(const mbd_model *m, unsigned char *wanted); /* [ntheta] those that wanted ones move */

#endif
