/* Constraints: equations Phi(x, t) = 0 between arguments, at most quadratic in them.
 *
 * With x the arguments of the element (natural coordinates, or joint coordinates), c its coefficients and s(t) curves:
 *   Phi   = phi(x; c) - s(t)
 *   Phid  = phi_x xd + phi_t
 *   Phidd = phi_x xdd + xd' phi_xx xd + phi_tt
 * x and t do not mix. phi_xx does not depend on c, and is constant where there is no phi_xxx (but that of a held angle, which is
 * never differentiated twice in time).
 * Constraints of velocities have no Phi. Their equations are Psi = 0, linear in the rates, with the matrix A in the place of phi_x:
 *   Psi   = A(x; c) xd + b(t)
 *   Psid  = A xdd + xd' H xd + bd,   H[a][b] = dA_a/dx_b, which is not symmetric
 * They stand in the place of Phid and Phidd, so that projections, reactions A' mu and their derivatives are those of all rows.
 * Arrays of an argument have 3 entries; a coordinate uses the first only and leaves the others zero. */
#ifndef MBD_CONSTRAINT_H
#define MBD_CONSTRAINT_H

#include "element/element.h"

enum { MBD_ROW_MAX = 3 }; /* equations of one element */

/* In the place of `a` of an argument that is a vector: axis k of the frame of the body that b names. */
#define BODY_AXIS(k) (-2 - (k))

typedef struct mbd_constraint_ops {
  mbd_element_info info;
  const mbd_image_info *image; /* in a mirror image: IMAGE_PLAIN or a list; NULL: it has none */
  mbd_look look;               /* how a picture shows it */
  int coupling;                /* 1: couples two different coordinates, whose units may differ */
  int narg;
  mbd_arg_info arg[CONSTRAINT_ARG_MAX];
  int nphi;
  const char *lam_unit;        /* of its multipliers: lam'Phi is an energy; NULL: what acts on its coordinates */
  const char *coordinate_unit; /* of the coordinates that it names; NULL: that they have in common */
  const char *arg_unit[CONSTRAINT_ARG_MAX]; /* of each coordinate, where they differ; NULL: as above */
  int internal;        /* 1: made by the program (closures, normalizations), not offered to model files */
  int frame_free;      /* 1: unchanged when everything it touches moves as one rigid body */
  int tension;         /* 1: keeps the distance of two points, its only argument */
  int point_masses_of; /* 1 + place of its mass, half of which is at each of both points; 0: none */
  int hold;            /* 1: a held quantity of the start */
  int velocity;        /* 1: a constraint of velocities; phi is NULL, phi_x is A, phi_t is b and bd */
  int of_ground;       /* 1 + its argument that has to be a vector of the ground; 0: none */
  int nown;            /* scalars of prepared data of its own */
  int variant;         /* copied to the input: distinguishes types that share their functions */
  int timed;           /* 1: it may depend on the time other than by its curves */
  const void *law;     /* copied to the input: what the constraint itself has (expression.h); NULL: nothing */

  void (*phi)(const mbd_element_input *in, mbd_real *phi);                          /* [nphi] */
  void (*phi_x)(const mbd_element_input *in, mbd_real (*J)[CONSTRAINT_ARG_MAX][3]); /* [nphi][narg][3] */
  /* H[a][b] += sum_r s_r d2 phi_r / dx_a dx_b,  3 x 3 row-major; H comes zeroed. NULL: linear. */
  void (*phi_xx)(const mbd_element_input *in, const mbd_real *s, mbd_real (*H)[ELEMENT_ARG_MAX][9]);
  /* g[a] += sum_r s_r d(xd' phi_xx xd)/dx_a, [narg][3]. NULL: phi_xx is constant. */
  void (*phi_xxx)(const mbd_element_input *in, const mbd_real *s, mbd_real (*g)[3]);
  /* dPhi/dt and d2Phi/dt2 at fixed x [nphi]. NULL: no explicit time. */
  void (*phi_t)(const mbd_element_input *in, mbd_real *phi_t, mbd_real *phi_tt);
  /* Derivatives of Phi, phi_t, phi_tt along a direction of coefficients, x fixed. */
  void (*phi_c)(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dphi, mbd_real *dphi_t,
                mbd_real *dphi_tt);
  /* dJ [nphi][narg][3]: derivative of phi_x along a direction of coefficients; comes zeroed. NULL: does not depend on them. */
  void (*phi_xc)(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*dJ)[CONSTRAINT_ARG_MAX][3]);
  /* d(xd' phi_xx xd) [nphi] along a direction of coefficients, x and xd fixed. NULL: phi_xx does not depend on them. */
  void (*phi_xxc)(const mbd_element_input *in, const mbd_element_direction *d, mbd_real *dq);
  /* Of one constraint of velocities with b(x, t) or A(x, t): Psid, and adds to g, gd, g2 [narg][3] the derivatives of Psi by x, of Psid by x and
   * by xd; all NULL: not wanted. Then phi_tt is zero, and phi_xxc is the change of all of Psid but A xdd. NULL: they follow from A(x) and b(t). */
  void (*psid)(const mbd_element_input *in, mbd_real *psid, mbd_real (*g)[3], mbd_real (*gd)[3], mbd_real (*g2)[3]);
} mbd_constraint_ops;

/* Entries of a row: functions by the first part of their names. */
#define PHI_LINEAR(k)    .phi = k##_phi, .phi_x = k##_phi_x
#define PHI_QUADRATIC(k) PHI_LINEAR(k), .phi_xx = k##_phi_xx
#define PHI_DRIVEN(k)    .phi_t = k##_phi_t, .phi_c = k##_phi_c

extern const mbd_constraint_ops mbd_constraint_driven_coordinate; /* z - s(t) */

const mbd_constraint_ops *mbd_constraint_at(int i); /* table; NULL past the end */
const mbd_constraint_ops *mbd_constraint_find(const char *name);
const char *mbd_constraint_name(int i);

#endif
