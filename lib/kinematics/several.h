/* Directions of the coordinates alone, MBD_LANES of them side by side: each body and each element is visited once for all. What
 * kinematics/variation.c and kinematics/vary_forces.c do for one direction of coefficients and coordinates. */
#ifndef MBD_SEVERAL_H
#define MBD_SEVERAL_H

#include "kinematics/lift.h"

/* Sets the directions dz, dzd [nz][k], k at most MBD_LANES; each may be NULL: zero. Sweeps the kinds `requested` over the
 * bodies. The motion must have been swept. */
void several_begin(mbd_work *w, int k, const mbd_real *dz, const mbd_real *dzd, int requested);

/* Changes of the arguments of an element, each [narg]; xd, xdd may be NULL; only of the kinds swept. */
void several_arguments(const mbd_work *w, const mbd_lift *l, mbd_lanes3 *x, mbd_lanes3 *xd, mbd_lanes3 *xdd);

/* Change of generalized forces: several_clear sets the sums to zero; the next functions add forces f on arguments with
 * their changes df, or wrenches F on bodies with their changes; the last one sums them. */
void several_clear(mbd_work *w);
void several_forces(mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], const mbd_lanes3 *df);
void several_wrench(mbd_work *w, int body, const mbd_real F[6], const mbd_lane dF[6]);
void several_sum(mbd_work *w);

#endif
