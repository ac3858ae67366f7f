/* The compiled model: constant after mbd_model_create, shared by any number of simulations. */
#ifndef MBD_MODEL_INTERNAL_H
#define MBD_MODEL_INTERNAL_H

#include "base/names.h"
#include "constraint/constraint.h"
#include "force/force.h"
#include "joint/joint.h"
#include "mbd/model.h"
#include "mbd/spec.h"
#include "model/quantity.h"

/* A body of the spanning tree, numbered so that parents come before children. Body 0 is the ground. */
typedef struct mbd_body {
  char *name;
  int parent;             /* body; -1 for the ground */
  int joint;              /* the joint that carries it; -1 for the ground */
  int mass, com, inertia; /* indices in theta: 1, 3, 6 */
  int z0, nz;             /* its joint's coordinates */
  int level;              /* number of joints to the ground */
  int before;             /* number of coordinates of the joints between the ground and its own */
} mbd_body;

/* A joint, kept in the tree (it carries body[1]) or cut (its closure equations are elements). */
typedef struct mbd_joint {
  char *name;
  const mbd_joint_ops *ops;
  int body[2];      /* parent and child side, in tree order */
  int point[2];     /* coefficients of the joint's point on each; -1: origin of the body frame */
  int axis[2];      /* coefficients of the axis on each; -1: none, the joint frame is the body frame */
  int axis_from[2]; /* coefficients of a point to subtract from it: an axis given by two points; -1: a vector */
  int zero[2];      /* coefficients of a vector on each that gives the joint frame its x axis; -1: see frame_about */
  int reversed;     /* 1: body[0] is the second body of the description */
  int sign[2]; /* that the axis is taken with on each: -1 where reversed, so that coordinates keep their meaning (motion
                   of the second body relative to the first), and in mirror images */
  int cut;
  int found;       /* 1: not named in the description but found from shared points and vectors */
  int closure;     /* of a cut joint: its first closure among the constraints; it has ops->nclosure of them */
  const char *why; /* for a cut joint: why this one */
} mbd_joint;

/* A point or vector fixed in a body. Its local coordinates are coefficients, a column of a joint frame, the point of
 * a joint, an axis of the frame that two vectors span, or an axis of the body frame. */
typedef enum mbd_marker_source {
  MBD_MARKER_COEF,
  MBD_MARKER_JOINT_AXIS,
  MBD_MARKER_FRAME_AXIS,
  MBD_MARKER_BODY_AXIS
} mbd_marker_source;

typedef struct mbd_marker {
  int body;
  int is_point;
  mbd_marker_source source;
  int coef;        /* first of 3 coefficients; -1: the origin of the body frame */
  int coef2;       /* frame axis: of the second vector */
  int joint, side; /* joint axis: of the frame of `joint` as body[side] carries it */
  int axis;        /* joint, frame or body axis: 0, 1, 2 */
  int frame;       /* of a vector: the last frame axis that it spans as the first; of that: the one before; 0: none */
} mbd_marker;

typedef struct mbd_force {
  char *name;
  const mbd_force_ops *ops; /* of its type; or `user` */
  mbd_force_ops user;       /* of type "user": with the arguments of this force */
  mbd_lift lift;
  int coef;
  int curve[MBD_CURVE_MAX]; /* -1: left out */
} mbd_force;

typedef struct mbd_constraint {
  char *name;
  const mbd_constraint_ops *ops;
  mbd_lift lift;
  int coef; /* first coefficient; of a held quantity: its value */
  int rate; /* held quantity: coefficient of its rate */
  int own;  /* index of its own prepared data */
  int curve[MBD_CURVE_MAX];
  int row; /* first row in Phi */
} mbd_constraint;

/* Half of the mass of an element, at a point of a body. */
typedef struct mbd_lump {
  int body;
  int mass; /* coefficient: the whole mass of the element */
  int at;   /* first of the point's 3 coefficients; -1: the origin of the body frame */
} mbd_lump;

/* A body that carries some (lumps.h). */
typedef struct mbd_lumped {
  const char *name;       /* of the body, which owns it */
  int mass, com, inertia; /* its own coefficients: 1, 3, 6 */
  int first, n;           /* its lumps */
  int numbers;            /* index in theta of the ten numbers with all of them: mass, centre of mass, inertia */
} mbd_lumped;

/* A named point or vector with its marker on each body that shares it. */
typedef struct mbd_named_marker {
  char *name;
  int is_point;
  int n;
  int *marker; /* [n] */
} mbd_named_marker;

struct mbd_model {
  int nb; /* bodies with the ground */
  mbd_body *body;
  int njoint;
  mbd_joint *joint;
  int nmarker;      /* axes, origins and centres of mass of the bodies stand last */
  int nmarker_core; /* the others */
  mbd_marker *marker;
  int nnamed;
  mbd_named_marker *named;
  int nforce;
  mbd_force *force;
  int nrotor;      /* forces that are inertias of a coordinate */
  int *rotor;      /* [nrotor] their numbers */
  int nconstraint; /* normalizations, closures, user constraints */
  mbd_constraint *constraint;
  int nlump; /* masses at points */
  mbd_lump *lump;
  int nlumped; /* bodies that have some */
  mbd_lumped *lumped;
  int nhold; /* held quantities: constraints of one row that act on the start only */
  mbd_constraint *hold;
  int nhold_kept; /* of these, the first: those that stay where a case starts from static equilibrium */
  int ncurve;
  mbd_curve *curve;
  int nquantity;
  model_quantity *quantity;

  int nz;              /* coordinates */
  int nz_tree;         /* of these, in joints; the others were added by the user */
  int nphi;            /* rows of Phi */
  int nhold_row;       /* rows of the held quantities */
  int gravity;         /* 3 coefficients; -1: none */
  char **z_name;       /* [nz] "J1.angle" */
  const char **z_unit; /* [nz] */
  char **phi_name;     /* [nphi] */
  int *z_body;         /* [nz] body that the coordinate carries; -1 for added coordinates */
  int *z_guess;        /* [nz] coefficient of the guess; -1: the joint's zero (1 for e0) */
  int *z_above;        /* [nz] next coordinate towards the ground; -1 at its end */
  int *depth_first;    /* [nb] bodies in an order in which those beyond a body follow it at once */

  int ncoef;
  int ntheta;       /* coefficients, and behind them the numbers of bodies that carry lumps */
  double *nominal;  /* [ntheta] */
  char **coef_name; /* [ncoef] */
  int naux;

  mbd_names body_names, z_names, curve_names; /* their numbers */
  mbd_names point_names, vector_names;        /* numbers in `named` */
  mbd_names quantity_names;
};

/* Marker of a reference "P1" or "P1@A1" (is_point: point or vector). Returns -1 and fills err with the nearest known
 * name if there is none; `where` begins the message ("force 's1'"). */
int model_find_marker(const mbd_model *m, const char *ref, int is_point, const char *where, mbd_error *err);
/* MBD_BAD_INPUT with the nearest name of a body; the ground, number 0, may have been meant if first is 0. */
mbd_status model_unknown_body(const mbd_model *m, const char *name, int first, const char *where, mbd_error *err);
/* MBD_BAD_INPUT for a point or vector without "@BODY" that several bodies carry and no joint or constraint keeps together: its name
 * does not say where it is. */
mbd_status model_check_shared(const mbd_model *m, const char *name, int is_point, const char *where, mbd_error *err);
/* The same for all points and vectors that an element names, ref in the order of its table. */
mbd_status model_check_references(const mbd_model *m, const mbd_ref_info *info, char *const *ref, const char *where,
                                  mbd_error *err);
int model_axis_marker(const mbd_model *m, int body, int axis);   /* the body axis number `axis` */
int model_last_coordinate(const mbd_model *m, int body);         /* the last that moves it; -1: none */
int model_origin_marker(const mbd_model *m, int body);           /* the origin of a body's frame */
int model_com_marker(const mbd_model *m, int body);              /* its centre of mass; of the ground: the origin */
int model_find_body(const mbd_model *m, const char *name);       /* -1: unknown */
int model_find_coordinate(const mbd_model *m, const char *name); /* -1: unknown */

/* Units: of added coordinates, once all constraints are there; of an element's multipliers; of quantity k of a force; of what
 * acts on a coordinate, by the coordinate's. Fails where coordinates of different units are added. */
mbd_status model_units(mbd_model *m, mbd_error *err);
const char *model_lam_unit(const mbd_model *m, const mbd_constraint *c);
const char *model_scalar_unit(const mbd_model *m, const mbd_force *f, int k);
const char *model_unit_on(const char *coordinate_unit);

/* Build the columns of a lift whose arguments are set. `frame_free`: the element does not see a common motion of all
 * its arguments, so coordinates that move all of them alike are left out. Memory is owned by the model. */
mbd_status lift_create(const mbd_model *m, mbd_lift *l, int frame_free, mbd_error *err);
void lift_destroy(mbd_lift *l);

#endif
