/* Masses that elements put at points of bodies (point masses), such as half of the mass of a rod at each of its ends. The mass, centre of mass
 * and inertia of a body with point masses are not its coefficients but ten numbers behind all coefficients, theta[ncoef] and on, which are
 * computed once for a design. With the body's coefficients m_0, c_0, J_0 and masses m_k at r_k, d_k = r_k - c_0:
 *   m = m_0 + sum m_k,   c = c_0 + s/m,   s = sum m_k d_k
 *   J = J_0 + sum m_k (|d_k|^2 1 - d_k d_k') - (|s|^2 1 - s s')/m          (theorem of parallel axes, twice) */
#ifndef MBD_POINT_MASSES_H
#define MBD_POINT_MASSES_H

#include "model/model.h"

/* Finds the point masses of all constraints, and makes their bodies read the ten numbers. To be called after the constraints are built. */
mbd_status point_masses_build(mbd_model *m, mbd_error *err);
void point_masses_destroy(mbd_model *m);

mbd_status point_masses_check(const mbd_model *m, const double *theta,
                              mbd_error *err); /* MBD_OUT_OF_DOMAIN: a negative mass */

void point_masses_set(const mbd_model *m, mbd_real *theta); /* computes them from the coefficients */
void point_masses_direct(const mbd_model *m, const mbd_real *theta,
                         mbd_real *dtheta); /* their changes along dtheta [ntheta] */
void point_masses_reverse(const mbd_model *m, const mbd_real *theta,
                          mbd_real *thetabar); /* the transpose; sets theirs to zero */
void point_masses_request(const mbd_model *m,
                          unsigned char *requested); /* [ntheta] marks the numbers that wanted coefficients change */

#endif
