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
int mbd_model_ncoef(const mbd_model *m);
const char *mbd_model_z_name(const mbd_model *m, int j);
const char *mbd_model_z_unit(const mbd_model *m, int j);
const char *mbd_model_phi_name(const mbd_model *m, int i);
const char *mbd_model_lam_unit(const mbd_model *m, int i); /* of its multiplier: "N", "N m", "N/m", "J" */
const char *mbd_model_coef_name(const mbd_model *m, int k);
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
int mbd_model_nforce(const mbd_model *m);
const char *mbd_model_force_name(const mbd_model *m, int i, const char **type);
int mbd_model_nconstraint(const mbd_model *m);
const char *mbd_model_constraint_name(const mbd_model *m, int i, const char **type, int *row, int *nrow);
int mbd_model_nhold(const mbd_model *m);
const char *mbd_model_hold_name(const mbd_model *m, int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
