/* The numbers of one design, and their changes along one direction of the coefficients. */
#ifndef MBD_PARAMS_INTERNAL_H
#define MBD_PARAMS_INTERNAL_H

#include "base/memory.h"
#include "mbd/params.h"
#include "model/model.h"

/* The frames of a joint, fixed in its two bodies. */
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

/* The change of a joint's frames: the displacement ds of the joint's point and the rotation phi of the frame on each body, in the axes
 * that are noted. */
typedef struct joint_dparams {
  int active;
  mbd_real ds[2][3];   /* body frames */
  mbd_real phi[2][3];  /* body frames:  dF = phi~ F */
  mbd_real phi_mid[3]; /* joint frame: turn of the middle rotation,  dQ = phi_mid~ Q  (cardan) */
} joint_dparams;

/* A direction of the coefficients, with marks of the objects that it changes, so that nothing is computed for the others. */
struct mbd_dparams {
  const mbd_model *model;
  mbd_real *dtheta;                 /* [ntheta] */
  mbd_real *daux;                   /* [naux] */
  joint_dparams *joint;             /* [njoint] */
  mbd_real *dlocal;                 /* [nmarker][3] */
  unsigned char *marker_active;     /* [nmarker] 1: local coordinates change */
  unsigned char *body_active;       /* [nb] 1: mass, centre of mass or inertia changes */
  unsigned char *force_active;      /* [nforce] 1: own coefficients or curves change */
  unsigned char *constraint_active; /* [nconstraint] */
  unsigned char *hold_active;       /* [nhold] */
  int any_joint, any_marker, any_body, any_force, any_constraint, any_hold, any_gravity;
  mbd_arena arena;
};

#ifdef MBD_COMPLEX
/* Adds i * value[k], with the imaginary unit i, to coefficient index[k], for n at most the number of coefficients. */
void params_set_imaginary(mbd_params *p, int n, const int *index, const double *value);
#endif

/* The input of an element: its arguments and the numbers of the design. */
void params_force_input(const mbd_params *p, const mbd_force *f, mbd_real t, const mbd_arg_state *s,
                        mbd_element_input *in);
void params_constraint_input(const mbd_params *p, const mbd_constraint *c, mbd_real t, const mbd_arg_state *s,
                             mbd_element_input *in);
/* dt: change of the time along the direction */
mbd_element_direction params_direction(const mbd_dparams *d, int coef, int own, mbd_real dt);

/* Has an element with these curve numbers [MBD_CURVE_MAX] any curve? Constraints depend on the time through curves alone. */
int params_has_curve(const int *curve);

/* 1: the force depends on the time explicitly, through a curve or through its own law. */
int params_force_has_time(const mbd_force *f);

#endif
