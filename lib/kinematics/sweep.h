/* Recursive kinematics (theory.md §2; S0 (4)): from the ground outwards, for any reference point. */
#ifndef MBD_SWEEP_H
#define MBD_SWEEP_H

#include "kinematics/work.h"

/* Orientations, points, reference points, columns b, inertias and markers at z [nz]. */
void sweep_position(const mbd_params *p, mbd_work *w, const mbd_real *z);

/* Velocities and accelerations of bodies and markers at the position of the last sweep_position.
 * zd, zdd  [nz]; zd NULL: all velocities zero (products with M in a projection)
 * gravity  1: the ground accelerates with -g */
void sweep_motion(const mbd_params *p, mbd_work *w, const mbd_real *zd, const mbd_real *zdd, int gravity);

/* The columns c, e, bd that carry derivatives; needs the last sweep_motion. */
void sweep_columns(const mbd_params *p, mbd_work *w);

#endif
