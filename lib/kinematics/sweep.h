/* Recursive kinematics (theory.md §2 (2.1), (2.2); S0 (4)): from the ground outwards, for any reference point. */
#ifndef MBD_SWEEP_H
#define MBD_SWEEP_H

#include "kinematics/work.h"

/* Orientations, points, reference points, columns b, inertias and markers at z [nz] for the parameters w->p. */
void sweep_position(mbd_work *w, const mbd_real *z);

/* Velocities and accelerations of bodies and markers at the swept position.
 * zd, zdd  [nz]; zd NULL: all velocities zero (products with M in a projection)
 * gravity  1: the ground accelerates with -g */
void sweep_motion(mbd_work *w, const mbd_real *zd, const mbd_real *zdd, int gravity);

/* Computes the columns c, e, bd of derivatives for the swept motion, unless they have been computed. */
void sweep_columns(mbd_work *w);

/* Places light bodies (model.h) and, if the others have been moved, moves them. Sweeps leave them out, unless a marker that they sweep is on one:
 * what reads all bodies calls it first. */
void sweep_light(mbd_work *w);
/* sweep_columns with the columns of light bodies, which only changes of coordinates read. */
void sweep_all_columns(mbd_work *w);

#endif
