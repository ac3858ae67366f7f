/* The data of a description, which spec.c collects and build.c reads. */
#ifndef MBD_SPEC_INTERNAL_H
#define MBD_SPEC_INTERNAL_H

#include "base/names.h"
#include "flexible/beam.h"
#include "mbd/spec.h"
#include "model/quantity.h"

typedef struct spec_coef {
  char *name;
  double nominal;
} spec_coef;
typedef struct spec_place {
  int on, coords;
} spec_place; /* local coordinates of a marker on one body: the body in a list of the marker, the marker in one of the body */
typedef struct spec_body {
  char *name;
  int mass, com, inertia;
  int npoint, nvector;
  int node;                   /* 1: a node of a beam */
  spec_place *point, *vector; /* that it has, in the order of the description */
} spec_body;
typedef struct spec_marker {
  char *name;
  mbd_image image; /* kind of the mirror image that its coordinates are; NONE: it is not mirrored */
  int nplace;
  spec_place *place;
} spec_marker;
typedef struct spec_coordinate {
  char *name;
  int guess;
} spec_coordinate;
typedef struct spec_curve {
  char *name, *kind;
  int nc, coef, nknot;
  double *knot;
  int stretch;          /* 1 + index of the coefficient; 0: none */
  mbd_expression value; /* of kind "expression"; no operations: another kind */
} spec_curve;
typedef struct spec_joint {
  char *name, *type, *body[2], *point[2], *axis, *axis2, *zero;
  mbd_cut cut;
  int mirrored;
} spec_joint;
typedef struct spec_element {
  char *name, *type, *ref[MBD_REF_MAX], *curve[MBD_CURVE_MAX];
  int coef;
  const struct mbd_user_force *user;   /* not its own; NULL: of another type */
  int mirror;                          /* of a user's force: 0, or 1 + the axis of its mirror */
  char *line;                          /* of a force by expression; NULL: of another type */
  model_quantity value[MBD_VALUE_MAX]; /* its values; without operations where none is given */
} spec_element;
typedef struct spec_start {
  char *quantity;
  int value, rate;
  int rate_follows; /* 1: the rate has not been given: velocity constraints may determine it */
  int settles;      /* 1: a held quantity that is free where static equilibrium determines the start */
} spec_start;

typedef struct spec_state {
  char *unit;
  int start;           /* coefficient of its value at the start */
  int settles;         /* 1: a static equilibrium determines it */
  model_quantity rate; /* with the name of the state */
} spec_state;

/* A beam. Its body, then its nodes and its points of inertia follow each other among the bodies. */
typedef struct spec_beam {
  char *name, *from, *to, *up;
  beam_layout layout;
  int body, coef;
  int zero; /* the first of six coefficients that are zero */
  /* By data from outside: names of the shapes [n]; first coefficients of the places of nodes and points, and of the direction of shortening with
   * one across it; of each node, then of each point the numbers of modal.h [modal_size]. */
  char **shape;
  int place, axis;
  double *own;
} spec_beam;

struct mbd_spec {
  int nbeam;
  spec_beam *beam;
  int ncoef, nbody, npoint, nvector, ncoordinate, ncurve, njoint, nforce, nconstraint, nhold, nguess, nquantity, nstate;
  spec_coef *coef;
  spec_body *body; /* body[0] is the ground */
  spec_marker *point, *vector;
  spec_coordinate *coordinate;
  spec_curve *curve;
  spec_joint *joint;
  spec_element *force, *constraint;
  spec_start *hold, *guess;
  model_quantity *quantity;
  spec_state *state;
  mbd_names body_names, point_names, vector_names, curve_names, joint_names, hold_names;
  int gravity;
  mbd_find find_joints;
};

/* Appends a copy of d to one of the lists of elements; `what` is its kind in the message. */
mbd_status spec_add_element(spec_element **list, int *n, const mbd_element_desc *d, const char *what, mbd_error *err);

void spec_beam_free(spec_beam *b);

/* -1: unknown */
int spec_find_body(const mbd_spec *s, const char *name);
int spec_find_marker(const mbd_spec *s, int is_point, const char *name);

/* Local coordinates of a point (or vector) on a body: index of the first coefficient, or -1. The shorter list is searched. */
int spec_place_on(const mbd_spec *s, int is_point, int marker, int body);

#endif
