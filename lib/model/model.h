/* The compiled model: constant after mbd_model_create, shared by any number of simulations. */
#ifndef MBD_MODEL_INTERNAL_H
#define MBD_MODEL_INTERNAL_H

#include "base/names.h"
#include "constraint/expression.h"
#include "flexible/beam.h"
#include "force/expression.h"
#include "joint/joint.h"
#include "mbd/model.h"
#include "mbd/spec.h"
#include "model/quantity.h"

/* A body of the spanning tree, numbered so that parents come before children. Body 0 is the ground. */
typedef struct mbd_body {
  char *name;
  int parent;             /* body; -1 for the ground */
  int joint;              /* the joint that carries it; -1 for the ground */
  int mass, com, inertia; /* first indices in theta, of 1, 3 and 6 numbers */
  int z0, nz;             /* first coordinate of its joint, and their number */
  int c0;                 /* the column of that coordinate; those of the others of the joint follow */
  int level;              /* number of joints to the ground */
  int light; /* 1: a point of inertia of a beam on which nothing else acts; its beam sums it up (dynamics/beam_points.c) */
  int flexible; /* 1 + the beam of which it is the clamped end; 0: none */
  int before;   /* number of coordinates of the joints between the ground and its own joint */
} mbd_body;

/* A joint. In the tree it carries body[1]; a cut joint is replaced by its closure equations, which are constraints. */
typedef struct mbd_joint {
  char *name;
  const mbd_joint_ops *ops;
  int body[2];      /* parent and child side, in tree order */
  int point[2];     /* coefficients of the joint's point on each; -1: origin of the body frame */
  int axis[2];      /* coefficients of the axis on each; -1: none, the joint frame is the body frame */
  int axis_from[2]; /* coefficients of a point to subtract from it: an axis given by two points; -1: a vector */
  int zero[2];      /* coefficients of a vector on each that gives the joint frame its x axis; -1: see frame_about */
  int reversed;     /* 1: body[0] is the second body of the description */
  int sign
      [2]; /* sign of the axis on each body: -1 where reversed, so that coordinates keep their meaning (motion of the second
                   body relative to the first), and in mirror images */
  int cut;
  int found;       /* 1: not named in the description but found from shared points and vectors */
  int closure;     /* of a cut joint: the first of its ops->nclosure closures among the constraints */
  const char *why; /* of a cut joint: the reason why this one is cut */
  int beam;        /* 1 + the beam of which the child is a node; 0: none */
  int own;         /* of a node: the first of its numbers in `modal` */
  int framed; /* of a node: 1: its frame is that of the beam's body where the beam is undeformed; 0: the frame of the joint */
  double at; /* of a node: its place between 0, the clamped end, and 1 */
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
  int frame; /* list of frame axes: of a vector, the last one that it spans as the first vector; of an axis, the one before */
} mbd_marker;

typedef struct mbd_force {
  char *name;
  const mbd_force_ops *ops;   /* operations of its type; or `user` */
  mbd_force_ops user;         /* operations of a force of type "user", with its own arguments */
  mbd_force_ops with_states;  /* operations of a force that has states of its own, with them as arguments */
  expression_law *expression; /* of a force by expression: its operations and values; NULL: of another type */
  mbd_lift lift;
  int coef;
  int curve[MBD_CURVE_MAX]; /* -1: not given */
} mbd_force;

typedef struct mbd_constraint {
  char *name;
  const mbd_constraint_ops *ops;
  velocity_law *expression; /* of a constraint by expression: its operations and value; NULL: of another type */
  mbd_lift lift;
  int coef;         /* first coefficient; of a held quantity: its value */
  int rate;         /* held quantity: coefficient of its rate */
  int rate_follows; /* held quantity: 1: its rate follows from velocity constraints where they determine it */
  int prepared;     /* index of its own prepared data */
  int curve[MBD_CURVE_MAX];
  int row; /* first row in Phi */
} mbd_constraint;

/* Half of the mass of an element, at a point of a body. */
typedef struct mbd_point_mass {
  int body;
  int mass; /* coefficient: the whole mass of the element */
  int at;   /* first of the point's 3 coefficients; -1: the origin of the body frame */
} mbd_point_mass;

/* A body with point masses (point_masses.h). */
typedef struct mbd_point_masses {
  const char *name;       /* of the body, which owns it */
  int mass, com, inertia; /* its own coefficients: 1, 3, 6 */
  int first, n;           /* its first point mass, and their number */
  int numbers;            /* index in theta of its ten numbers with all point masses: mass, centre of mass, inertia */
} mbd_point_masses;

/* A beam (beams.h). Its nodes and its points of inertia are bodies behind modal joints, whose coordinates are the amplitudes of its shapes. */
typedef struct mbd_beam {
  char *name;
  beam_layout layout;
  int body;                                 /* at its clamped end */
  int node[BEAM_NODE_MAX + BEAM_POINT_MAX]; /* bodies of its nodes, then of its points of inertia */
  int modal;                                /* the first number of its first node in `modal` */
  int z0;                                   /* the amplitude of its first shape */
  int from, to;                             /* first coefficients of the points at its ends */
  int coef;                                 /* first of its coefficients (flexible/beam.h) */
  int numbers;                              /* index in theta of the numbers that follow from them */
  int zero;                                 /* a coefficient that is zero: the amplitudes at the start */
  mbd_force_ops ops;                        /* of the force of its elasticity */
  mbd_coef_info info[3];
} mbd_beam;

/* A named point or vector with its marker on each body that shares it. */
typedef struct mbd_named_marker {
  char *name;
  int is_point;
  int n;
  int *marker; /* [n] */
} mbd_named_marker;

/* A first-order state (model/state.h); its name is that of its coordinate. */
typedef struct mbd_state {
  char *unit, *rate_unit;          /* of x and of its rate; "": not stated */
  int settles;                     /* 1: a static equilibrium determines its start */
  int start;                       /* coefficient of its value at the start */
  struct output_formula *measured; /* the rate of one that measures (state.h); NULL: it may act */
  int measures; /* number of the output in this rate for which it does: what cannot act, or a state that was known to measure before */
} mbd_state;

struct mbd_model {
  int nb; /* number of bodies, the ground included */
  mbd_body *body;
  int njoint;
  mbd_joint *joint;
  int nmarker;      /* axes, origins and centres of mass of the bodies stand last */
  int nmarker_core; /* number of the others */
  mbd_marker *marker;
  int nnamed;
  mbd_named_marker *named;
  int nforce;
  mbd_force *force;
  int nrotor;      /* forces that are inertias of a coordinate */
  int *rotor;      /* [nrotor] their numbers */
  int nconstraint; /* normalizations, closures, user constraints; those of velocities last */
  int nvelocity;   /* constraints of velocities */
  mbd_constraint *constraint;
  int npoint_mass; /* masses at points */
  mbd_point_mass *point_mass;
  int npoint_masses; /* bodies with point masses */
  mbd_point_masses *point_masses_of;
  int nbeam;
  mbd_beam *beam;
  int nmodal;    /* numbers of all nodes of beams, */
  double *modal; /* [nmodal] for a length of one */
  int nhold;     /* held quantities: constraints of one row that act on the start only */
  mbd_constraint *hold;
  int nhold_kept; /* number of the first of these, which are held also where a case starts from static equilibrium */
  int nhold_given; /* number of the first of these; those behind are shapes of beams, which the description says nothing of */
  int ncurve;
  mbd_curve *curve;
  int nquantity;
  model_quantity *quantity;
  int nstate;
  mbd_state *state;
  int nturn;   /* angles whose turns act: in values of forces or rates of states */
  int turning; /* the first force that reads one, or the rate of a state; if there are any */

  int nz;      /* coordinates, the last nstate of them those of states */
  int nz_tree; /* coordinates of joints; the others behind them were added by the user */
  int ncol; /* columns of joints. A coordinate has one in each body that it carries; where it carries one, the two have the same
                          number */
  int *col_body;       /* [ncol] the body that has the column */
  int *col_z;          /* [ncol] the coordinate of the column */
  int nphi;            /* rows of Phi, and behind them of velocities */
  int nvelocity_row;   /* rows of velocities */
  int nhold_row;       /* rows of the held quantities */
  int gravity;         /* 3 coefficients; -1: none */
  char **z_name;       /* [nz] "J1.angle" */
  const char **z_unit; /* [nz] */
  char **phi_name;     /* [nphi] */
  int *z_body;         /* [nz] body that the coordinate carries, the first one; -1 for added coordinates */
  int *z_guess;        /* [nz] coefficient of the guess; -1: the guess is the joint's zero (1 for e0) */
  int *z_above;        /* [nz] next coordinate towards the ground; -1 at its end */
  int *depth_first;    /* [nb] bodies in an order in which all bodies beyond a body follow it directly */

  int ncoef;
  int ntheta;       /* coefficients, and behind them the numbers of bodies with point masses */
  double *nominal;  /* [ntheta] */
  char **coef_name; /* [ncoef] */
  int naux;

  mbd_names body_names, z_names, curve_names; /* from names to numbers */
  mbd_names point_names, vector_names;        /* from names to numbers in `named` */
  mbd_names quantity_names;
};

/* The marker of a reference "P1" or "P1@A1" to a point or (is_point 0) a vector. Returns -1 if there is none, with the nearest known
 * name in err; the message begins with `where` ("force 's1'"). */
int model_find_marker(const mbd_model *m, const char *ref, int is_point, const char *where, mbd_error *err);
/* Returns MBD_BAD_INPUT with the nearest name of a body in the message; the ground, number 0, is among them if first is 0. */
mbd_status model_unknown_body(const mbd_model *m, const char *name, int first, const char *where, mbd_error *err);
/* MBD_BAD_INPUT for a point or vector without "@BODY" that several bodies have and that no joint or constraint keeps together, so that
 * its place is not determined by the name. */
mbd_status model_check_shared(const mbd_model *m, const char *name, int is_point, const char *where, mbd_error *err);
/* The same for all points and vectors that an element names, ref in the order of its table. */
mbd_status model_check_references(const mbd_model *m, const mbd_ref_info *info, char *const *ref, const char *where,
                                  mbd_error *err);
int model_axis_marker(const mbd_model *m, int body, int axis); /* the body axis number `axis` */
int model_last_coordinate(const mbd_model *m, int body);       /* the last coordinate that moves the body; -1: none */
int model_last_column(const mbd_model *m, int body); /* its column on the way from the body to the ground; -1: none */
int model_column_above(const mbd_model *m, int column);          /* the next column towards the ground; -1: none */
int model_carrier(const mbd_model *m, int a, int b);             /* the deepest body that carries both in the tree */
int model_origin_marker(const mbd_model *m, int body);           /* the origin of a body's frame */
int model_com_marker(const mbd_model *m, int body);              /* the centre of mass; of the ground: its origin */
int model_find_body(const mbd_model *m, const char *name);       /* -1: unknown */
int model_find_coordinate(const mbd_model *m, const char *name); /* -1: unknown */

/* Joints that are found have '-' in their names, which is an operator in expressions: '_' may stand for it. Writes the name with '-' where one of
 * its words is such a joint so written; 0: none is, or the name is too long. */
int model_found_joint_name(const mbd_model *m, const char *name, char *to, size_t size);

/* Units of added coordinates, after all constraints are built; of an element's multipliers; of quantity k of a force; and of the
 * generalized force on a coordinate, from the unit of the coordinate. Fails if coordinates of different units are added. */
mbd_status model_units(mbd_model *m, mbd_error *err);
const char *model_lam_unit(const mbd_model *m, const mbd_constraint *c);
const char *model_equation_unit(
    const mbd_model *m, const mbd_constraint *c); /* of Phi; of velocity constraints without 1/s; "": a pure number */
const char *model_scalar_unit(const mbd_model *m, const mbd_force *f, int k);
const char *model_unit_on(const char *coordinate_unit);

/* Builds the columns of a lift whose arguments are set. `frame_free`: a common motion of all arguments does not change the element, so
 * that coordinates that move all of them alike have no columns. The model owns the memory. */
mbd_status lift_create(const mbd_model *m, mbd_lift *l, int frame_free, mbd_error *err);
void lift_destroy(mbd_lift *l);
/* The model of a description, but for the values of forces by expression, which lib/output compiles (output/acting.h): mbd_model_create is both.
 * model_free frees all but these. */
mbd_status model_build(const mbd_spec *s, mbd_model **out, mbd_error *err);
void model_free(mbd_model *m);
int model_arg_max(const mbd_model *m); /* the largest number of arguments of an element, and no less than MBD_ARG_MAX */

#endif
