/* The numbers of one design, and how they change along one direction of the coefficients. */
#ifndef MBD_PARAMS_INTERNAL_H
#define MBD_PARAMS_INTERNAL_H

#include "base/memory.h"
#include "mbd/params.h"
#include "model/model.h"

/* A joint's frames as its two bodies carry them. */
typedef struct joint_params {
  mbd_real s[2][3]; /* its point on either body, body frame */
  mbd_real F[2][9]; /* joint frame on either body: columns in the body frame, e_z along the axis */
  mbd_real Q[9];    /* F[0]' F[1] */
} joint_params;

struct mbd_params {
  const mbd_model *model;
  mbd_real *theta;     /* [ntheta] */
  mbd_real *aux;       /* [naux] prepared data of curves and constraints */
  joint_params *joint; /* [njoint] */
  mbd_real *local;     /* [nmarker][3] markers, body frame */
  mbd_arena arena;
};

/* Change of a joint's frames, as small displacements seen in the frame of the body (or the joint) that carries them:
 * a shifted joint point, a frame turned by phi. */
typedef struct joint_dparams {
  int active;
  mbd_real ds[2][3];   /* body frames */
  mbd_real phi[2][3];  /* body frames:  dF = phi~ F */
  mbd_real phi_mid[3]; /* joint frame: turn of the middle rotation,  dQ = phi_mid~ Q  (cardan) */
} joint_dparams;

/* What a direction touches, so that nothing is computed for what it leaves alone. */
struct mbd_dparams {
  const mbd_model *model;
  mbd_real *dtheta;                 /* [ntheta] */
  mbd_real *daux;                   /* [naux] */
  joint_dparams *joint;             /* [njoint] */
  mbd_real *dlocal;                 /* [nmarker][3] */
  unsigned char *marker_active;     /* [nmarker] local coordinates change */
  unsigned char *body_active;       /* [nb] mass, centre of mass or inertia changes */
  unsigned char *force_active;      /* [nforce] own coefficients or curves change */
  unsigned char *constraint_active; /* [nconstraint] */
  unsigned char *hold_active;       /* [nhold] */
  int any_joint, any_marker, any_body, any_force, any_constraint, any_hold, any_gravity;
  mbd_arena arena;
};

#ifdef MBD_COMPLEX
/* Add i * value[k] to the coefficients index[k]. n at most the number of coefficients. */
void params_set_imaginary(mbd_params *p, int n, const int *index, const double *value);
#endif

/* Input of an element from its arguments and the numbers of the design. */
void params_force_input(const mbd_params *p, const mbd_force *f, mbd_real t, const mbd_arg_state *s,
                        mbd_element_input *in);
void params_constraint_input(const mbd_params *p, const mbd_constraint *c, mbd_real t, const mbd_arg_state *s,
                             mbd_element_input *in);
/* dt: change of the time along the direction */
mbd_element_direction params_direction(const mbd_dparams *d, int coef, int own, mbd_real dt);

/* Does an element with these curves [MBD_CURVE_MAX] have any? Only through curves do constraints see the time. */
int params_has_curve(const int *curve);

/* 1: the force depends on the time, by a curve or by itself. */
int params_force_has_time(const mbd_force *f);

#endif
