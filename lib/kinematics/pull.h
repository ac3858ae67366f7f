/* Reverse sweeps: derivatives of one scalar L of a state in all coordinates, their rates, and the geometry, at the cost of
 * about one sweep whatever their number.
 *
 * L sees bodies through fields. When a body is displaced by x, its velocity changes by c and its acceleration by e (as in
 * kinematics/work.h), and its virtual velocity, the velocity field U that the coordinates' rates mu would make, by u:
 *   dL = X . x + C . c + E . e + Y . u
 * so X, C, E, Y are wrenches at the body's reference point, and are summed towards the ground like wrenches. Arguments of
 * elements put theirs on the bodies; joints read them off: a coordinate moves all bodies beyond it by
 *   in z:  x = b,  c,  e,  u       in zd:  c = b,  e = c + bd       in zdd:  e = b
 * and a shifted joint frame xi acts like a virtual joint at rest (kinematics/variation.c). */
#ifndef MBD_PULL_H
#define MBD_PULL_H

#include "kinematics/lift.h"
#include "model/params_pull.h"

typedef struct body_pull {
  mbd_real X[6], C[6], E[6], Y[6];
} body_pull;

/* One reverse sweep: scratch, filled by elements, read by joints. */
typedef struct mbd_pull {
  body_pull *body, *sum;  /* [nb] of each body alone; of all beyond its joint */
  mbd_real *U;            /* [nb][6] virtual velocity */
  mbd_real *mu;           /* [nz] the rates that make it */
  mbd_real *z, *zd, *zdd; /* [nz] derivatives by arguments that are coordinates */
} mbd_pull;

/* Derivatives of L by the values of the arguments of one element, and by their virtual velocities u. */
typedef struct arg_pull {
  mbd_real x[MBD_ARG_MAX][3], xd[MBD_ARG_MAX][3], xdd[MBD_ARG_MAX][3], u[MBD_ARG_MAX][3];
} arg_pull;

/* Scratch of one sweep in an arena. */
void pull_layout(mbd_pull *q, const mbd_model *m, mbd_arena *a);

/* Begin: nothing depends on anything; U = 0. */
void pull_clear(const mbd_model *m, mbd_pull *q);

/* Virtual velocities of the bodies for the rates mu [nz]; needs sweep_position. */
void pull_virtual(const mbd_work *w, mbd_pull *q, const mbd_real *mu);

/* Virtual velocities u [narg][3] of an element's arguments. */
void pull_virtual_arguments(const mbd_work *w, const mbd_pull *q, const mbd_lift *l, mbd_real (*u)[3]);

/* Put the derivatives by arguments on the bodies (and coordinates, and local coordinates of markers in t; t may be NULL:
 * no geometry). Needs sweep_position; xd, xdd, if any is not zero, sweep_motion. */
void pull_arguments(const mbd_work *w, const mbd_lift *l, const arg_pull *g, mbd_pull *q, params_pull *t);

/* Read off: z, zd, zdd [nz] += derivatives of L; NULL: not wanted. Needs sweep_columns. */
void pull_coordinates(const mbd_params *p, mbd_work *w, mbd_pull *q, mbd_real *z, mbd_real *zd, mbd_real *zdd);

/* Read off the joint frames into t. */
void pull_joints(const mbd_params *p, mbd_work *w, mbd_pull *q, params_pull *t);

#endif
