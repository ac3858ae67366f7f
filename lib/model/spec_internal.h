/* The description as data: what spec.c collects and build.c reads. */
#ifndef MBD_SPEC_INTERNAL_H
#define MBD_SPEC_INTERNAL_H

#include "mbd/spec.h"

typedef struct spec_coef {
  char *name;
  double nominal;
} spec_coef;
typedef struct spec_body {
  char *name;
  int mass, com, inertia;
} spec_body;
typedef struct spec_place {
  int body, coords;
} spec_place; /* local coordinates on one body */
typedef struct spec_marker {
  char *name;
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
} spec_curve;
typedef struct spec_joint {
  char *name, *type, *body[2], *point[2], *axis, *axis2;
  mbd_cut cut;
} spec_joint;
typedef struct spec_element {
  char *name, *type, *ref[MBD_REF_MAX], *curve[MBD_CURVE_MAX];
  int coef;
} spec_element;
typedef struct spec_start {
  char *quantity;
  int value, rate;
  int settles; /* a held quantity that a static equilibrium determines instead */
} spec_start;

struct mbd_spec {
  int ncoef, nbody, npoint, nvector, ncoordinate, ncurve, njoint, nforce, nconstraint, nhold, nguess;
  spec_coef *coef;
  spec_body *body; /* body[0] is the ground */
  spec_marker *point, *vector;
  spec_coordinate *coordinate;
  spec_curve *curve;
  spec_joint *joint;
  spec_element *force, *constraint;
  spec_start *hold, *guess;
  int gravity;
  int find_joints;
};

int spec_find_body(const mbd_spec *s, const char *name); /* -1: unknown */
int spec_find_marker(const spec_marker *list, int n, const char *name);

/* Local coordinates of a marker on a body: first coefficient, or -1. */
int spec_place_on(const spec_marker *k, int body);

#endif
