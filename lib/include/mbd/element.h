/* Descriptions of the types of elements: from these a reader of model files accepts every type that the library has, checks
 * ranges and writes the manual, without code for a particular type.
 *
 * Every element type (force or constraint) refers to points, vectors, bodies or coordinates, has coefficients in a
 * fixed order, and may use curves. Lists end with an entry whose key is NULL. */
#ifndef MBD_ELEMENT_H
#define MBD_ELEMENT_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { MBD_REF_MAX = 9, MBD_CURVE_MAX = 3, MBD_ARG_MAX = 7 };

/* Kinds of references. MBD_REF_FRAME: two vectors by name, each given on both bodies of the element. These are the bodies of its two points,
 * or its two bodies, which are earlier references. The two vectors span a right-handed orthonormal frame on each body, with six arguments:
 * three axes on the first body and three on the second. A frame is the last reference. */
typedef enum mbd_ref_kind {
  MBD_REF_POINT,
  MBD_REF_VECTOR,
  MBD_REF_BODY,
  MBD_REF_COORDINATE,
  MBD_REF_FRAME,
  MBD_REF_PLUGIN, /* of type "user" alone: a force that the user defines and that has keys of its own (mbd/user_force.h) */
  MBD_REF_LINE, /* of type "expression" alone: its line of action has keys of its own (mbd_expression_line) */
  MBD_REF_VALUE /* of users' forces and of constraints of type "expression": an expression of outputs, states, curves, scalars and the time
                   (mbd_spec_force_value, mbd_spec_constraint_value) */
} mbd_ref_kind;

/* Arguments of an element: points (or differences of two), vectors fixed in bodies, rotations of bodies (or of one relative to another),
 * coordinates. A rotation has no value; its rate is the angular velocity. The value of an expression, which users' forces alone may have, is
 * one number without a rate, on which nothing acts. */
typedef enum mbd_arg_kind {
  MBD_ARG_POINT,
  MBD_ARG_VECTOR,
  MBD_ARG_ROTATION,
  MBD_ARG_COORDINATE,
  MBD_ARG_VALUE
} mbd_arg_kind;

/* The references of an argument, as places in the list of references: the argument is b - a; a = -1: b alone. */
typedef struct mbd_arg_info {
  mbd_arg_kind kind;
  int b, a;
} mbd_arg_info;

/* A key by which a type of elements refers to others, as "points = A, B". */
typedef struct mbd_ref_info {
  const char *key; /* "points" */
  mbd_ref_kind kind;
  int count; /* number of names of this key */
  const char *doc;
} mbd_ref_info;

/* A coefficient of a type of elements: key, unit, default and range. */
typedef struct mbd_coef_info {
  const char *key; /* "stiffness" */
  int size; /* 1, or 3 for a direction or position; 0: no number, but a .tir file that gives other coefficients by their keys */
  const char *unit; /* "N/m"; "-" for pure numbers */
  double dflt;      /* value if the key is not given (of each component); NaN: the key is required */
  double min, max;  /* range, ends allowed */
  const char *doc;
} mbd_coef_info;

/* The usual ranges, min and max: any number, a positive one, one that is not negative. */
#define MBD_ANY          -1e300, 1e300
#define MBD_POSITIVE     1e-9, 1e300
#define MBD_NOT_NEGATIVE 0, 1e300

/* A curve that a type of elements takes. */
typedef struct mbd_curve_info {
  const char *key; /* "force_of_length" */
  int required;
  /* It contains the unit of the value in brackets, then either "of time" or the unit of the abscissa in brackets. */
  const char *doc;
} mbd_curve_info;

static inline int mbd_curve_info_is_of_time(const mbd_curve_info *info) {
  return strstr(info->doc, "of time") != NULL;
}

/* A type of forces or constraints: a row of the table from which model files are read and the manual is made. */
typedef struct mbd_element_info {
  const char *name;             /* the type's name in model files */
  const char *doc;              /* one paragraph with the formula */
  const mbd_ref_info *refs;     /* ends with key NULL; never NULL itself */
  const mbd_coef_info *coefs;   /* ends with key NULL; never NULL itself */
  const mbd_curve_info *curves; /* ends with key NULL; never NULL itself */
} mbd_element_info;

/* How a picture shows a force or a constraint; see picture.h. */
typedef enum mbd_look {
  MBD_LOOK_NONE,    /* not shown, since it has no place */
  MBD_LOOK_SPRING,  /* spring, damper or both, between two points */
  MBD_LOOK_STOP,    /* a stop between two points */
  MBD_LOOK_WHEEL,   /* a wheel on a road */
  MBD_LOOK_ROD,     /* keeps or measures the distance of two points */
  MBD_LOOK_BUSHING, /* an elastic bearing between two points near each other */
  MBD_LOOK_GUIDE,   /* a constraint between two points other than their distance */
  MBD_LOOK_TORSION, /* spring, damper or friction of one coordinate, or between two */
  MBD_LOOK_MOTOR,   /* a motor on a coordinate, or a torque on a body */
  MBD_LOOK_GEAR,    /* couples two coordinates */
  MBD_LOOK_PUSH     /* a force at a point */
} mbd_look;

/* The image of a quantity in the mirror image of a mechanism. With the reflection S, the image of a place r is S r. The image of a direction
 * u, such as the difference of two places, is S u; that of an axis of rotation is -S u, so that the image of a rotation is a rotation by
 * the same angle. */
typedef enum mbd_image {
  MBD_IMAGE_NONE, /* it has no image */
  MBD_IMAGE_DIRECTION,
  MBD_IMAGE_AXIS,
  MBD_IMAGE_OPPOSITE /* a number that changes its sign */
} mbd_image;

/* The image of a key of an element. Keys without a row: vectors are directions, of the two of a frame the first may be an axis, and
 * coefficients do not change. MBD_IMAGE_NONE: the vector may be either. The list ends with key NULL. */
typedef struct mbd_image_info {
  const char *key;
  mbd_image image;
} mbd_image_info;

/* A state that forces of a type have where one of these coefficients, up to two, is not zero: the transient slip of a tyre. mbd_spec_force adds it to the
 * description as FORCE.name, which settles (mbd_spec_state), and the force is its rate. */
typedef struct mbd_force_state_info {
  const char *name; /* "transient_slip"; NULL: end of the list */
  const char *unit;
  const char *key[2]; /* of the coefficients; NULL: none */
  const char *start;  /* key of the coefficient that is its value at the start */
} mbd_force_state_info;

/* The description of a type of joints. */
typedef struct mbd_joint_info {
  const char *name;
  const char *doc;
  int nz;                        /* joint coordinates */
  const char *const *coordinate; /* [nz] names: "angle", "e0" */
  const char *const *unit;       /* [nz] "rad", "m", "-" */
  int naxis;                     /* axes needed: 0, 1, or 2 (cardan) */
  int npoint;                    /* 1: needs a point on each body; 0: the point is optional */
  /* The image of its axis. If it is that of a direction, coordinates in rad have the opposite sign in a mirror image.
   * MBD_IMAGE_NONE: its coordinates have no image. */
  mbd_image image;
} mbd_joint_info;

/* The description of a kind of curves: its name, a text, the names of its coefficients in order, whether it has knots, and the least and the
 * largest number of coefficients. */
typedef struct mbd_curve_kind_info {
  const char *name, *doc, *coefs;
  int needs_knots, nc_min, nc_max;
  /* Units of the coefficients in order, from those of the axes: "x", "y", "y/x", "1/x", "-", or "y/x^i" for coefficient i. The last one
   * holds for all coefficients that follow. */
  const char *units;
} mbd_curve_kind_info;

/* Return row i = 0, 1, ... of the tables of forces, constraints and joints; NULL past the end. Tables and texts are in static storage. */
const mbd_element_info *mbd_force_info(int i);
const mbd_element_info *mbd_constraint_info(int i);
const mbd_joint_info *mbd_joint_info_at(int i);

/* Returns the name of output k = 0, 1, ... of force type i, and sets its unit; NULL past the end. Besides these every type has the output "power"
 * [W]. */
const char *mbd_force_output(int i, int k, const char **unit);

/* Returns the list of the states of force type i; NULL: it has none. */
const mbd_force_state_info *mbd_force_states(int i);

/* Returns the references of line of action i = 0, 1, ... of forces of type "expression"; its name is the first key. NULL past the end. *nvalue:
 * the number of expressions that are its value. */
const mbd_ref_info *mbd_expression_line(int i, int *nvalue);

/* Return the list of the images of the keys of a type; NULL: elements of this type have no mirror image. */
const mbd_image_info *mbd_force_image(int i);
const mbd_image_info *mbd_constraint_image(int i);

/* Returns the unit of the coordinates that constraint type i names; NULL: any unit that all of them have. */
const char *mbd_constraint_coordinate_unit(int i);

/* Sets *info to row i of the table of curves; returns 0, and leaves *info alone, past the end. */
int mbd_curve_info_at(int i, mbd_curve_kind_info *info);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
