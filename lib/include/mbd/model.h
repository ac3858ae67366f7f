/* The compiled mechanism, and functions that report on it. */
#ifndef MBD_MODEL_H
#define MBD_MODEL_H

#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_model mbd_model;

/* Compiles a description: finds joints, chooses the spanning tree, cuts loops, resolves every name.
 * out  the model; it owns copies of all it needs, so that `s` may be destroyed. NULL on failure.
 * returns MBD_BAD_INPUT; the message names the item, what was found, what was expected and the nearest known name. MBD_NO_MEMORY. */
mbd_status mbd_model_create(const mbd_spec *s, mbd_model **out, mbd_error *err);
void mbd_model_destroy(mbd_model *m); /* NULL allowed */

int mbd_model_nbody(const mbd_model *m); /* number of bodies without the ground */
int mbd_model_nz(const mbd_model *m);    /* number of coordinates, those of states among them */
int mbd_model_nphi(const mbd_model *m);  /* number of constraint equations */
int mbd_model_nvelocity(
    const mbd_model *m);                 /* number of those of them that constrain velocities alone, the last ones */
int mbd_model_ncoef(const mbd_model *m); /* number of coefficients */

/* The number of states. Coordinate j = nz - nstate + i belongs to state i and has its name; its rate is the value of the state, and its acceleration
 * the state's rate. The unit of the value and of the rate; "": not stated. */
int mbd_model_nstate(const mbd_model *m);
const char *mbd_model_state_unit(const mbd_model *m, int i);
const char *mbd_model_state_rate_unit(const mbd_model *m, int i);

/* Names and units of coordinate j, constraint equation i and coefficient k, each counted from 0. The model owns the texts. */
const char *mbd_model_z_name(const mbd_model *m, int j);
const char *mbd_model_z_unit(const mbd_model *m, int j);
const char *mbd_model_force_unit(const mbd_model *m, int j); /* unit of a force along coordinate j: "N", "N m", "J" */
const char *mbd_model_phi_name(const mbd_model *m, int i);
const char *mbd_model_lam_unit(const mbd_model *m, int i); /* unit of multiplier i: "N", "N m", "N/m", "J" */
const char *mbd_model_coef_name(const mbd_model *m, int k);
/* Returns the value of coefficient k in the description. */
double mbd_model_nominal(const mbd_model *m, int k);

/* Body i = 1 .. nbody in the order of the tree. `parent` and `joint` are names; `level` is the number of joints to the ground; z0 and nz are the
 * first coordinate of its joint and the number of these. */
typedef struct mbd_body_report {
  const char *name, *parent, *joint, *joint_type;
  int level, z0, nz;
} mbd_body_report;
void mbd_model_body_sized(const mbd_model *m, int i, mbd_body_report *r, size_t size);
static inline void mbd_model_body(const mbd_model *m, int i, mbd_body_report *r) {
  mbd_model_body_sized(m, i, r, sizeof *r);
}
/* Joint i = 0 .. njoint - 1. cut: 1 if a loop is cut there; found: 1 if it was found from shared points and vectors; nphi: the number of
 * closure equations of a cut joint; why: the reason of the cut. */
typedef struct mbd_joint_report {
  const char *name, *type, *body[2];
  int cut, found, nphi;
  const char *why; /* of a cut joint; else NULL */
} mbd_joint_report;
int mbd_model_njoint(const mbd_model *m);
void mbd_model_joint_sized(const mbd_model *m, int i, mbd_joint_report *r, size_t size);
static inline void mbd_model_joint(const mbd_model *m, int i, mbd_joint_report *r) {
  mbd_model_joint_sized(m, i, r, sizeof *r);
}

/* Names of curve i, of derived quantity i, and of constraint i among those that depend on the time; NULL past the end. */
const char *mbd_model_curve_name(const mbd_model *m, int i);
const char *mbd_model_quantity_name(const mbd_model *m, int i);
const char *mbd_model_drive_name(const mbd_model *m, int i);

/* Names and types of forces, constraints and held quantities of the start, in the order of the description; NULL past the end. Equations
 * row .. row + nrow - 1 belong to the constraint. Arguments type, row and nrow may be NULL. */
int mbd_model_nforce(const mbd_model *m);
const char *mbd_model_force_name(const mbd_model *m, int i, const char **type);
int mbd_model_nconstraint(const mbd_model *m);
const char *mbd_model_constraint_name(const mbd_model *m, int i, const char **type, int *row, int *nrow);
int mbd_model_nhold(const mbd_model *m);
const char *mbd_model_hold_name(const mbd_model *m, int i);

/* Lists the bodies that an element connects, in the order of the tree with the ground as 0, each once and at most `max`; returns their
 * number. A coordinate stands for the two bodies of its joint. Closures of cut joints and normalizations of Euler parameters have none. */
int mbd_model_force_bodies(const mbd_model *m, int i, int max, int *body);
int mbd_model_constraint_bodies(const mbd_model *m, int i, int max, int *body);

/* The graph of the joints of the tree, S4 §2.1 and S4 §2.2. Joints have the numbers 1 .. njoint, one for each body: depth first, those
 * on one body in the order of the description. So a joint has a higher number than its parent, and the joints of a branch, a chain
 * that ends where a body carries no joint or several, have consecutive numbers. Row i of the joint parent matrix (18) is
 * [i, joint_parent[i-1]]; row k of the branch parent matrix (19) is [k, branch_parent[k-1]], and of the joint-branch matrix (20)
 * [branch_first[k-1], branch_last[k-1]]. The parent 0 is the ground. */
typedef struct mbd_topology {
  int njoint, nbranch, ncoordinate;
  int *body;         /* [njoint] number of the body that the joint carries (mbd_model_body) */
  int *joint_parent; /* [njoint] */
  int *branch;       /* [njoint] the branch that the joint belongs to */
  int *branch_parent, *branch_first, *branch_last; /* [nbranch] */
  long depth; /* sum over the joints of the number of joints from the ground to them, themselves included */
  /* Entries of the derivative of the forces on coordinates by coordinates, [ncoordinate][ncoordinate], that can differ from zero without
   * elements between branches: those of a joint with itself and with the joints between it and the ground. */
  long coupled;
} mbd_topology;

/* The graph of a model in *out, which the caller destroys; NULL on failure, MBD_NO_MEMORY. */
mbd_status mbd_topology_create(const mbd_model *m, mbd_topology **out, mbd_error *err);
void mbd_topology_destroy(mbd_topology *t); /* NULL allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
