/* What the tables of element types say about themselves: enough for a reader of model files to accept every type
 * that the library has, to check ranges and to write the manual, without knowing any of them.
 *
 * Every element type (force or constraint) refers to points, vectors, bodies or coordinates, has coefficients in a
 * fixed order, and may use curves. Lists end with an entry whose key is NULL. */
#ifndef MBD_ELEMENT_H
#define MBD_ELEMENT_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { MBD_REF_MAX = 9, MBD_CURVE_MAX = 3, MBD_ARG_MAX = 7 };

/* A frame: two vectors by name, each given on both bodies of the element: those of its two points, or its two bodies, which
 * come first. They span a right-handed orthonormal frame on each of the two bodies: six references, three vectors of the first body and
 * three of the second. It stands last. */
typedef enum mbd_ref_kind {
  MBD_REF_POINT,
  MBD_REF_VECTOR,
  MBD_REF_BODY,
  MBD_REF_COORDINATE,
  MBD_REF_FRAME,
  MBD_REF_PLUGIN /* of type "user" alone: the force of one's own, which has the other keys (mbd/user_force.h) */
} mbd_ref_kind;

/* What an element sees of the mechanism: points (or differences of two), vectors fixed in bodies, rotations of bodies (or of one
 * relative to another), coordinates. A rotation has no value, but a rate, the angular velocity. */
typedef enum mbd_arg_kind { MBD_ARG_POINT, MBD_ARG_VECTOR, MBD_ARG_ROTATION, MBD_ARG_COORDINATE } mbd_arg_kind;

/* How an argument is made of references: b - a, as positions in the list of references; a = -1: b alone. */
typedef struct mbd_arg_info {
  mbd_arg_kind kind;
  int b, a;
} mbd_arg_info;

/* A key by which a type of elements refers to others, as "points = A, B". */
typedef struct mbd_ref_info {
  const char *key; /* "points" */
  mbd_ref_kind kind;
  int count; /* how many names this key takes */
  const char *doc;
} mbd_ref_info;

/* A coefficient of a type of elements: key, unit, default and range. */
typedef struct mbd_coef_info {
  const char *key; /* "stiffness" */
  int size; /* 1, or 3 for a direction or position; 0: no number, but a .tir file that gives others by their keys */
  const char *unit; /* "N/m"; "-" for pure numbers */
  double dflt;      /* value where the key is left out (each component); NaN: the key is required */
  double min, max;  /* range, ends allowed */
  const char *doc;
} mbd_coef_info;

/* A curve that a type of elements takes. */
typedef struct mbd_curve_info {
  const char *key; /* "force_of_length" */
  int required;
  const char
      *doc; /* has the unit of the value in brackets, then either "of time" or the unit of the abscissa in brackets */
} mbd_curve_info;

/* A type of forces or constraints: a row of the table that model files, manual and messages are made from. */
typedef struct mbd_element_info {
  const char *name;             /* the type's name in model files */
  const char *doc;              /* one paragraph with the formula */
  const mbd_ref_info *refs;     /* ends with key NULL; never NULL itself */
  const mbd_coef_info *coefs;   /* ends with key NULL; never NULL itself */
  const mbd_curve_info *curves; /* ends with key NULL; never NULL itself */
} mbd_element_info;

/* How a picture shows a force or a constraint; see picture.h. */
typedef enum mbd_look {
  MBD_LOOK_NONE,    /* nothing that has a place */
  MBD_LOOK_SPRING,  /* spring, damper or both, between two points */
  MBD_LOOK_STOP,    /* between two points too */
  MBD_LOOK_WHEEL,   /* a wheel on a road */
  MBD_LOOK_ROD,     /* keeps or measures the distance of two points */
  MBD_LOOK_BUSHING, /* an elastic bearing, of two points that are near each other */
  MBD_LOOK_GUIDE,   /* a constraint between two points that is none of their distance */
  MBD_LOOK_TORSION, /* spring, damper or friction of one coordinate, or between two */
  MBD_LOOK_MOTOR,   /* drives a coordinate, or turns a body */
  MBD_LOOK_GEAR,    /* couples two coordinates */
  MBD_LOOK_PUSH     /* a force at a point */
} mbd_look;

/* How something goes into the mirror image of a mechanism. S: the reflection, S r the image of a place. A direction u goes into S u,
 * as the difference of two places does; an axis, which rotations are about, into -S u, so that a turn by the same angle is the
 * image of the turn. */
typedef enum mbd_image {
  MBD_IMAGE_NONE, /* has none */
  MBD_IMAGE_DIRECTION,
  MBD_IMAGE_AXIS,
  MBD_IMAGE_OPPOSITE /* a number that changes its sign */
} mbd_image;

/* Of an element: the keys that are not as most. Vectors that it names are directions, where no row says that they are axes, or
 * NONE: either; of the two of a frame the first may be an axis. Coefficients stay as they are. The list ends with key NULL. */
typedef struct mbd_image_info {
  const char *key;
  mbd_image image;
} mbd_image_info;

/* What a joint type says about itself. */
typedef struct mbd_joint_info {
  const char *name;
  const char *doc;
  int nz;                        /* joint coordinates */
  const char *const *coordinate; /* [nz] names: "angle", "e0" */
  const char *const *unit;       /* [nz] "rad", "m", "-" */
  int naxis;                     /* axes needed: 0, 1, or 2 (cardan) */
  int npoint;                    /* 1: needs a point on each body; 0: may go without */
  mbd_image image; /* its axis in a mirror image. Where this is a direction, coordinates in rad have the opposite
                                    sign there; NONE: its coordinates have no image */
} mbd_joint_info;

/* What a kind of curve says about itself. */
typedef struct mbd_curve_kind_info {
  const char *name, *doc, *coefs; /* coefs: what the coefficients are, in order */
  int needs_knots, nc_min, nc_max;
  const char *
      units; /* of the coefficients by those of the axes, in order, the last for all that follow: "x", "y", "y/x", "1/x",
                        "-", or "y/x^i" of coefficient i */
} mbd_curve_kind_info;

/* Entry i of each table, NULL past the end. */
const mbd_element_info *mbd_force_info(int i);
const char *mbd_force_output(int i, int k, const char **unit); /* output k of force type i, beside "power" */
const mbd_element_info *mbd_constraint_info(int i);
const mbd_image_info *mbd_force_image(int i); /* NULL: the type has no mirror image */
const mbd_image_info *mbd_constraint_image(int i);
const char *mbd_constraint_coordinate_unit(
    int i); /* of the coordinates that it names; NULL: that they have in common */
const mbd_joint_info *mbd_joint_info_at(int i);
int mbd_curve_info_at(int i, mbd_curve_kind_info *info); /* 0 past the end */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
