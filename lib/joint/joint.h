/* Joints: what one joint adds to the recursion  V_i = B_i V_h + b_i zd_i   (S0 (4a), Table 11).
 *
 * A joint is described in its own frame, fixed in the parent body h: origin at the joint's point, e_z along its
 * axis. The child i is placed by
 *   A_i = A_h F_P R(z) F_C',    (joint point on i) = (joint point on h) + A_h F_P d(z)
 * with F_P, F_C the joint frame as parent and child carry it. Twists H_k are columns [v; w] at the joint's point on
 * the parent; turned into the global frame they are the columns b_k. Only derivatives *inside* the joint are needed
 * here: that a twist moves with the bodies below it is the sweeps' business. */
#ifndef MBD_JOINT_H
#define MBD_JOINT_H

#include "base/real.h"
#include "mbd/element.h"

enum {
  MBD_NZ_MAX = 16
}; /* coordinates of one joint: floating has 3 + 4, a node of a flexible body one for each shape */

/* One equation set that closes a loop where this joint is cut; see constraint/constraint.h for the types. */
typedef struct mbd_closure {
  const char *type; /* "coincident", "dot", or "dot_design" (a dot product that keeps its design value) */
  /* For "dot", the two factors: the axes of the joint frame on the parent (P) or child (C), "Px" .. "Cz", or "d",
   * the vector from the joint point on the parent to that on the child. NULL for "coincident". */
  const char *a, *b;
} mbd_closure;

enum { MBD_CLOSURE_MAX = 5 };

/* What measures a coordinate between the two bodies: the constraint that makes a coordinate of it, and its vectors. A displacement, of the
 * joint point on the child from that on the parent, has one; an angle has the direction that turns, the one from which it counts, and
 * that a quarter turn beyond. Named as the factors of closures, with "Pe" .. "Cf" besides for joints with two axes: across the axis
 * that side carries, e is where the other side's axis points at zero angles and f a quarter turn beyond, with the coordinate.
 * NULL: none, as for an Euler parameter. */
typedef struct mbd_measure {
  const char *type, *vector[3];
} mbd_measure;

/* clang-format off */
#define MEASURE_ANGLE        {"angle_coordinate", {"Cx", "Px", "Py"}}
#define MEASURE_TRAVEL(axis) {"displacement_coordinate", {axis}}
/* clang-format on */

typedef struct mbd_joint_ops {
  mbd_joint_info info; /* name, text, number and names of the coordinates */
  int nz;

  /* R [3][3], d [3] of the coordinates z [nz]. Q, here and below, are the joint's own numbers: Q [3][3] as above; of a node those of modal.h. */
  void (*pose)(const mbd_real *z, const mbd_real *Q, mbd_real *R, mbd_real *d);
  /* H [nz][6] */
  void (*h)(const mbd_real *z, const mbd_real *Q, mbd_real *H);

  int euler;      /* index of the first of four Euler parameters; -1: none */
  int mid;        /* first coordinate behind the constant middle rotation Q (cardan); nz where there is none */
  int turns_only; /* its one coordinate is an angle about e_z, and d = 0: the sweeps contain its pose and h */
  int scaled;     /* all its translations are in proportion to a coefficient, its own number MODAL_SCALE (modal.h) */

  /* The following five are NULL where H does not depend on z. */
  /* g [6] = sum_kl  d H_k / d z_l  zd_l zd_k:  the joint's own part of the acceleration */
  void (*hd_zd)(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *g);
  /* dH [nz][nz][6]:  dH[j][k] = d H_k / d z_j */
  void (*dh)(const mbd_real *z, const mbd_real *Q, mbd_real *dH);
  /* Its products: out [nz][6]:  out[j] = sum_k dH_k/dz_j x_k;   Hd [nz][6]:  Hd[k] = sum_j dH_k/dz_j zd_j */
  void (*dh_times)(const mbd_real *z, const mbd_real *Q, const mbd_real *x, mbd_real *out);
  void (*hd)(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *Hd);
  /* dg [nz][6]:  dg[j] = d g / d z_j at fixed zd */
  void (*dhd_zd)(const mbd_real *z, const mbd_real *Q, const mbd_real *zd, mbd_real *dg);

  mbd_measure measure[MBD_NZ_MAX]; /* of every coordinate */
  int nclosure;
  mbd_closure closure[MBD_CLOSURE_MAX];
  /* Axes of the joint frame ("z", "zx") that have the same direction on both bodies. The dot products above are zero where
   * they have opposite directions, too; the start distinguishes the two. NULL: none. */
  const char *shared;
} mbd_joint_ops;

/* The table: index 0, 1, ... until NULL; and by name (NULL if unknown). */
const mbd_joint_ops *mbd_joint_at(int i);
const mbd_joint_ops *mbd_joint_find(const char *name);
const char *mbd_joint_name(int i);

#endif
