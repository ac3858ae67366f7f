/* The numbers of one design, their changes along one direction of the coefficients, and the derivatives of one scalar by all of them:
 * structures, which params.c and params_reverse.c make, and derived.c fills. */
#ifndef MBD_NUMBERS_H
#define MBD_NUMBERS_H

#include <string.h>

#include "base/memory.h"
#include "mbd/params.h"
#include "model/model.h"

/* The frames of a joint, fixed in its two bodies. */
typedef struct joint_params {
  mbd_real s[2][3];    /* its point on either body, body frame */
  mbd_real F[2][9];    /* joint frame on either body: columns in the body frame, e_z along the axis */
  mbd_real Q[9];       /* F[0]' F[1] */
  const mbd_real *own; /* the numbers that its functions take (joint.h): Q, or of a node its part of `modal` */
} joint_params;

struct mbd_params {
  const mbd_model *model;
  mbd_real *theta;     /* [ntheta] */
  mbd_real *aux;       /* [naux] prepared data of curves and constraints */
  joint_params *joint; /* [njoint] */
  mbd_real *modal;     /* [nmodal] the numbers of the nodes of flexible bodies */
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
  mbd_real scale;      /* change of the scale of a joint that has one (joint.h) */
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

/* Derivatives by the changes of a joint's frames of joint_dparams. */
typedef struct joint_reverse {
  mbd_real ds[2][3], phi[2][3], phi_mid[3];
  mbd_real scale;
} joint_reverse;

typedef struct params_reverse {
  const mbd_model *model;
  mbd_real *theta;      /* [ntheta] */
  mbd_real *aux;        /* [naux] */
  joint_reverse *joint; /* [njoint] */
  mbd_real *dlocal;     /* [nmarker][3] */
  mbd_real stretch;     /* derivative by a stretch of the time, t' = t s' */

  unsigned char *requested; /* [ntheta] 1: the derivative is needed */
  int stretch_requested;    /* set before params_reverse_request */
  /* Bits for the wanted derivatives of each element: by own coefficients or prepared data, by each curve, and by the time. */
  unsigned char *force_requests, *constraint_requests, *hold_requests;
  unsigned char *curve_requested;                                     /* [ncurve] */
  unsigned char *joint_requested, *marker_requested, *body_requested; /* [njoint] frames, [nmarker], [nb] inertia */
  int any_joint, any_geometry,
      gravity_requested; /* any joint of the tree; any joint, marker or slope of a constraint; gravity */
  mbd_real *unit,
      *zero; /* directions of an element's coefficients, with room for any element; all zero between calls */
  mbd_arena arena;
} params_reverse;

/* Is the derivative by any of the coefficients coef .. coef + n - 1 needed? */
static inline int params_any_requested(const params_reverse *u, int coef, int n) {
  return coef >= 0 && n > 0 && memchr(u->requested + coef, 1, (size_t)n) != NULL;
}

#endif
