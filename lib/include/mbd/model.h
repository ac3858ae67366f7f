/* The compiled mechanism, and what a program may ask about it. */
#ifndef MBD_MODEL_H
#define MBD_MODEL_H

#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_model mbd_model;

/* Compile a description: find joints, choose the spanning tree, cut loops, resolve every name.
 * out  the model; owns copies of all it needs, so that `s` may be destroyed. NULL on failure.
 * returns MBD_BAD_INPUT with the item, what was found, what was expected and the nearest known name. */
mbd_status mbd_model_create(const mbd_spec *s, mbd_model **out, mbd_error *err);
void mbd_model_destroy(mbd_model *m); /* NULL allowed */

int mbd_model_nbody(const mbd_model *m); /* without the ground */
int mbd_model_nz(const mbd_model *m);    /* coordinates */
int mbd_model_nphi(const mbd_model *m);  /* constraint equations */
int mbd_model_ncoef(const mbd_model *m); /* coefficients */

/* Names and units, which belong to the model: of coordinate j, constraint equation i, coefficient k, each from 0. */
const char *mbd_model_z_name(const mbd_model *m, int j);
const char *mbd_model_z_unit(const mbd_model *m, int j);
const char *mbd_model_force_unit(const mbd_model *m, int j); /* of what acts along it: "N", "N m", "J" */
const char *mbd_model_phi_name(const mbd_model *m, int i);
const char *mbd_model_lam_unit(const mbd_model *m, int i); /* of its multiplier: "N", "N m", "N/m", "J" */
const char *mbd_model_coef_name(const mbd_model *m, int k);
/* The value of coefficient k in the description. */
double mbd_model_nominal(const mbd_model *m, int k);

/* One body of the tree, in tree order, i = 1 .. nbody; parent and joint are names. */
typedef struct mbd_body_report {
  const char *name, *parent, *joint, *joint_type;
  int level, z0, nz;
} mbd_body_report;
void mbd_model_body(const mbd_model *m, int i, mbd_body_report *r);
/* `mbd_model_body` for joints, i = 0 .. njoint - 1; nphi: closure equations of a cut joint. */
typedef struct mbd_joint_report {
  const char *name, *type, *body[2];
  int cut, found, nphi;
  const char *why; /* for a cut joint */
} mbd_joint_report;
int mbd_model_njoint(const mbd_model *m);
void mbd_model_joint(const mbd_model *m, int i, mbd_joint_report *r);

const char *mbd_model_curve_name(const mbd_model *m, int i);    /* NULL past the end */
const char *mbd_model_quantity_name(const mbd_model *m, int i); /* derived quantities; NULL past the end */
const char *mbd_model_drive_name(const mbd_model *m,
                                 int i); /* constraints that move with the time; NULL past the end */

/* Forces, constraints and held quantities of the start in the order of the description, with their names and types; a constraint's
 * equations are row .. row + nrow - 1. Unless NULL, *type, *row and *nrow are set. */
int mbd_model_nforce(const mbd_model *m);
const char *mbd_model_force_name(const mbd_model *m, int i, const char **type);
int mbd_model_nconstraint(const mbd_model *m);
const char *mbd_model_constraint_name(const mbd_model *m, int i, const char **type, int *row, int *nrow);
int mbd_model_nhold(const mbd_model *m);
const char *mbd_model_hold_name(const mbd_model *m, int i);

/* Bodies that an element joins, in tree order with the ground as 0, each once: as many as there are, at most `most`. A coordinate
 * stands for the two bodies of its joint. 0: what closes a cut joint or keeps Euler parameters of unit length. */
int mbd_model_force_bodies(const mbd_model *m, int i, int most, int *body);
int mbd_model_constraint_bodies(const mbd_model *m, int i, int most, int *body);

/* The graph of the joints of the tree, S4 §2.1 and S4 §2.2. Joints have the numbers 1 .. njoint, one for each body: depth first, those
 * on one body in the order of the description. So a joint has a higher number than its parent, and the joints of a branch, a chain
 * that ends where a body carries no joint or several, have consecutive numbers. Row i of the joint parent matrix (18) is
 * [i, joint_parent[i-1]]; row k of the branch parent matrix (19) is [k, branch_parent[k-1]], and of the joint-branch matrix (20)
 * [branch_first[k-1], branch_last[k-1]]. The parent 0 is the ground. */
typedef struct mbd_topology {
  int njoint, nbranch, ncoordinate;
  int *body;                                       /* [njoint] the body that the joint carries: mbd_model_body */
  int *joint_parent;                               /* [njoint] */
  int *branch;                                     /* [njoint] the branch that the joint belongs to */
  int *branch_parent, *branch_first, *branch_last; /* [nbranch] */
  long depth; /* sum over the joints of the number of joints from the ground to them, themselves included */
  long
      coupled; /* entries of the derivative of the forces on coordinates by coordinates, [ncoordinate][ncoordinate], that can
                 * differ from zero without elements between branches: one joint is above the other, or the same */
} mbd_topology;

/* *out: to be destroyed by the caller; NULL on failure, MBD_NO_MEMORY. */
mbd_status mbd_topology_create(const mbd_model *m, mbd_topology **out, mbd_error *err);
void mbd_topology_destroy(mbd_topology *t); /* NULL allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
