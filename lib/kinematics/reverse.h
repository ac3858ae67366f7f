/* Reverse sweeps: derivatives of one scalar L of a state in all coordinates, their rates, and the geometry, at the cost of
 * about one sweep whatever their number.
 *
 * L depends on the bodies through fields. When a body is displaced by x, its velocity changes by c and its acceleration by e (as in
 * kinematics/work.h), and its virtual velocities, velocity fields U_f that given rates mu_f of the coordinates would make,
 * by u_f:
 *   dL = X . x + C . c + E . e + sum_f Y_f . u_f
 * so X, C, E, Y are wrenches at the body's reference point, and are summed towards the ground like wrenches. Arguments of
 * elements put theirs on the bodies; joints read them off: a coordinate moves all bodies beyond it by
 *   in z:  x = b,  c,  e,  u_f       in zd:  c = b,  e = c + bd       in zdd:  e = b
 * and a shifted joint frame xi acts like a virtual joint at rest (kinematics/variation.c). */
#ifndef MBD_REVERSE_H
#define MBD_REVERSE_H

#include <string.h>

#include "kinematics/lift.h"
#include "model/params_reverse.h"

enum { REVERSE_FIELDS = 4 }; /* virtual velocities at once */

typedef struct body_reverse {
  mbd_real X[6], C[6], E[6], Y[REVERSE_FIELDS][6];
} body_reverse;

typedef struct virtual_field {
  mbd_real *U;  /* [nb][6] */
  mbd_real *mu; /* [nz] the rates that make it */
} virtual_field;

/* One reverse sweep: scratch, filled by elements, read by joints. */
typedef struct mbd_reverse {
  mbd_work *w;              /* the motion it is at; not owned */
  params_reverse *theta;    /* derivatives by the coefficients are added here; NULL: coordinates only; not owned */
  body_reverse *body, *sum; /* [nb] of each body alone; of all beyond its joint */
  int moving;               /* L depends on velocities and accelerations */
  int nfield;               /* virtual velocities in use */
  virtual_field field[REVERSE_FIELDS];
  mbd_real *z, *zd, *zdd; /* [nz] derivatives by arguments that are coordinates */
} mbd_reverse;

/* Derivatives of L by the values of the arguments of one element, and by their virtual velocities u in one field. */
typedef struct arg_reverse {
  int field;
  mbd_real x[ELEMENT_ARG_MAX][3], xd[ELEMENT_ARG_MAX][3], xdd[ELEMENT_ARG_MAX][3], u[ELEMENT_ARG_MAX][3];
} arg_reverse;

/* No derivatives by narg arguments, and field 0. */
static inline void arg_reverse_zero(int narg, arg_reverse *r) {
  const size_t bytes = (size_t)narg * sizeof r->x[0];
  r->field = 0;
  memset(r->x, 0, bytes), memset(r->xd, 0, bytes), memset(r->xdd, 0, bytes), memset(r->u, 0, bytes);
}

/* Scratch of one sweep in an arena. */
void reverse_layout(mbd_reverse *sweep, const mbd_model *m, mbd_arena *a);

/* Begin at the current motion: nothing depends on anything, no virtual velocities. theta: NULL: coordinates only. */
void reverse_begin(mbd_reverse *sweep, mbd_work *w, params_reverse *theta);

/* The next virtual field, for the rates mu [nz]; returns its number, 0 for the first. */
int reverse_virtual(mbd_reverse *sweep, const mbd_real *mu);

/* Virtual velocities u [narg][3] of an element's arguments in a field. */
void reverse_virtual_arguments(const mbd_reverse *sweep, int field, const mbd_lift *l, mbd_real (*u)[3]);

/* Put the derivatives by arguments on the bodies (and coordinates, and local coordinates of markers in theta). xd, xdd that are
 * not zero need a swept motion. */
void reverse_arguments(mbd_reverse *sweep, const mbd_lift *l, const arg_reverse *by_arg);

/* L changes by x . dp as marker k is displaced by dp (a vector: as it turns by du). */
void reverse_place(mbd_reverse *sweep, int k, const mbd_real x[3]);

/* Read off: z, zd, zdd [nz] += derivatives of L; NULL: not wanted. */
void reverse_coordinates(mbd_reverse *sweep, mbd_real *z, mbd_real *zd, mbd_real *zdd);

/* Adds the derivatives by the joint frames to theta, if they are wanted. */
void reverse_joints(mbd_reverse *sweep);

#endif
