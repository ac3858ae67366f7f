/* The description of a mechanism with the contents of a model file: the input of mbd_model_create.
 *
 * A description is plain data. Every physical number is a *coefficient* theta_k, registered first by name and nominal
 * value; bodies, points and elements then refer to coefficients by index. Which numbers may vary is decided later and
 * elsewhere: the library can differentiate with respect to every coefficient.
 *
 * Names are copied. References between items are by name and are resolved by mbd_model_create, so that items can be
 * described in any order and every misspelt name is reported with its nearest neighbour.
 *
 * Functions that return a status return MBD_OK, MBD_NO_MEMORY or the code that stands beside them. After any but MBD_OK the description is as
 * it was before the call. The description owns the texts that functions return. Body 0 is "ground", which every description has. */
#ifndef MBD_SPEC_H
#define MBD_SPEC_H

#include <stddef.h>

#include "mbd/element.h"
#include "mbd/expression.h"
#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_spec mbd_spec;

/* An empty description, which the caller destroys. */
mbd_spec *mbd_spec_create(void);    /* NULL: no memory */
void mbd_spec_destroy(mbd_spec *s); /* NULL allowed */

/* Registers a coefficient and returns its index (0, 1, 2, ... in order of registration), or -1 if there is no memory.
 * Coefficients that belong together (a position, an inertia) are registered one after the other. */
int mbd_spec_coef(mbd_spec *s, const char *name, double nominal);
/* The number of coefficients; name and nominal value of coefficient k = 0 .. ncoef - 1. */
int mbd_spec_ncoef(const mbd_spec *s);
const char *mbd_spec_coef_name(const mbd_spec *s, int k);
double mbd_spec_nominal(const mbd_spec *s, int k);

/* Sets the acceleration of gravity [m/s^2]: coefficients g, g+1, g+2 in the global frame. Without a call there is no gravity. */
void mbd_spec_gravity(mbd_spec *s, int g);

/* Adds a body. mass [kg]; com: 3 coefficients [m], body frame; inertia: 6 coefficients Ixx Iyy Izz Ixy Ixz Iyz [kg m^2] about the
 * centre of mass, axes of the body frame (Ixy is the element of the matrix, so -integral of xy dm).
 * MBD_BAD_INPUT: there is a body of this name. */
mbd_status mbd_spec_body(mbd_spec *s, const char *name, int mass, int com, int inertia, mbd_error *err);

/* Adds a point (or vector), and its local coordinates on each body that shares it: 3 coefficients from `coords` on, in the body frame;
 * on "ground" in the global frame. A vector need not be of unit length. MBD_BAD_INPUT: there is one of this name, the point (vector) or the
 * body has not been described yet, or the point has been given on this body before. */
mbd_status mbd_spec_point(mbd_spec *s, const char *name, mbd_error *err);
mbd_status mbd_spec_point_on(mbd_spec *s, const char *point, const char *body, int coords, mbd_error *err);
mbd_status mbd_spec_vector(mbd_spec *s, const char *name, mbd_error *err);
mbd_status mbd_spec_vector_on(mbd_spec *s, const char *vector, const char *body, int coords, mbd_error *err);

/* Marks a point or vector that is described already as a mirror image; a vector is the image of a direction or of an axis of rotation
 * (mbd_image). Joints that are found there have the signs of axes with which their coordinates have the values of the original joints.
 * MBD_BAD_INPUT: it has not been described yet. */
mbd_status mbd_spec_point_mirrored(mbd_spec *s, const char *point, mbd_error *err);
mbd_status mbd_spec_vector_mirrored(mbd_spec *s, const char *vector, mbd_image image, mbd_error *err);

/* Adds a coordinate that belongs to no joint (a suspension length, say) and that a constraint defines. `guess`: coefficient, its value
 * before the position is assembled. */
mbd_status mbd_spec_coordinate(mbd_spec *s, const char *name, int guess, mbd_error *err);

/* Whether a loop is cut at a joint. AUTO: the program chooses. */
typedef enum mbd_cut { MBD_CUT_AUTO, MBD_CUT_NO, MBD_CUT_YES } mbd_cut;

/* The description of a joint, for mbd_spec_joint. */
typedef struct mbd_joint_desc {
  const char *name;
  const char *type;    /* name of a joint type */
  const char *body[2]; /* "ground" allowed */
  const char
      *point[2];    /* point on body[0] and on body[1], the same name if they share it; NULL for types without points */
  const char *axis; /* vector shared by both bodies; for cardan the axis fixed in body[0] */
  const char *axis2; /* cardan: the axis fixed in body[1]; else NULL */
  const char *
      zero; /* of joints with one axis: a vector on both bodies, not along the axis. At zero angle its parts normal to the axis
                         * have the same direction on both bodies. NULL: zero angle is where the joint frames of both bodies
                         * coincide; such a frame is the body frame, turned the shortest way until its nearest axis is along the
                         * joint axis. If both bodies give the axis the same components, their frames are parallel there */
  mbd_cut cut;
  int mirrored; /* 1: a joint of a mirror image: the signs of mirrored vectors are chosen as for a joint that is found; 0: as given */
} mbd_joint_desc;

/* The first function sets the defaults: no names, MBD_CUT_AUTO. The other adds a joint. MBD_BAD_INPUT: there is a joint of this name. Names
 * of types, bodies, points and vectors are checked by mbd_model_create. */
void mbd_joint_desc_init_sized(mbd_joint_desc *d, size_t size);
mbd_status mbd_spec_joint_sized(mbd_spec *s, const mbd_joint_desc *d, size_t size, mbd_error *err);
static inline void mbd_joint_desc_init(mbd_joint_desc *d) {
  mbd_joint_desc_init_sized(d, sizeof *d);
}
static inline mbd_status mbd_spec_joint(mbd_spec *s, const mbd_joint_desc *d, mbd_error *err) {
  return mbd_spec_joint_sized(s, d, sizeof *d, err);
}

/* The joints that the program finds besides those that are described. */
typedef enum mbd_find {
  MBD_FIND_NONE,
  MBD_FIND_SHARED, /* the default: between bodies that share points, or two vectors */
  MBD_FIND_ALL /* also from the geometry at the design position, where all body frames coincide: cardan joints from a shared point
                    * and a constraint `perpendicular`, which they replace; and, for bodies that would float, cylindrical,
                    * prismatic and planar joints from one shared vector */
} mbd_find;
void mbd_spec_find_joints(mbd_spec *s, mbd_find which);

/* Adds a curve with nc consecutive coefficients from `coef` on, and nknot knots (copied; NULL and 0 for kinds without).
 * MBD_BAD_INPUT: there is a curve of this name. mbd_model_create checks whether kind, coefficients and knots fit together. */
mbd_status mbd_spec_curve(mbd_spec *s, const char *name, const char *kind, int nc, int coef, int nknot,
                          const double *knot, mbd_error *err);

/* Sets the expression of a curve of kind "expression" that is described already: leaf 0 is its argument x, leaf k its coefficient k, counted
 * from 1. It is copied. MBD_BAD_INPUT: there is no such curve; an operation is not known, or takes what is not before it. */
mbd_status mbd_spec_curve_value(mbd_spec *s, const char *curve, const mbd_expression *value, mbd_error *err);

/* Stretches a curve that is described already: y(x/s) takes the place of y(x), with coefficient s > 0, so that knots are multiplied by s.
 * MBD_BAD_INPUT: there is no such curve. */
mbd_status mbd_spec_curve_stretch(mbd_spec *s, const char *curve, int coef, mbd_error *err);

/* The description of a force or constraint, for mbd_spec_force and mbd_spec_constraint. */
typedef struct mbd_element_desc {
  const char *name;
  const char *type;
  const char *ref[MBD_REF_MAX]; /* names in the order of the type's `refs`; a point or vector may be "P1@A1" to
                                       name the body on which it is taken (default: the first that has it) */
  int coef;                     /* first of its coefficients, in the order of the type's `coefs`; -1 if it has none */
  const char *curve[MBD_CURVE_MAX];  /* names in the order of the type's `curves`; NULL: not given */
  const struct mbd_user_force *user; /* of type "user": the force (mbd/user_force.h), which has refs and coefs and must
                                        outlive the description and its models; else NULL */
  const char *line; /* of type "expression": name of the line of action (mbd_expression_line), whose references
                       are in `ref`; else NULL */
  int mirror; /* of type "user": 1, 2, 3: the mirror image of the force along the global axis x, y, z; 0: the force itself */
} mbd_element_desc;

/* The first function sets the defaults: no references, no coefficients. The others add a force or a constraint; the description is copied,
 * except for `user`. mbd_model_create resolves all names. */
void mbd_element_desc_init_sized(mbd_element_desc *d, size_t size);
mbd_status mbd_spec_force_sized(mbd_spec *s, const mbd_element_desc *d, size_t size, mbd_error *err);
mbd_status mbd_spec_constraint_sized(mbd_spec *s, const mbd_element_desc *d, size_t size, mbd_error *err);
static inline void mbd_element_desc_init(mbd_element_desc *d) {
  mbd_element_desc_init_sized(d, sizeof *d);
}
static inline mbd_status mbd_spec_force(mbd_spec *s, const mbd_element_desc *d, mbd_error *err) {
  return mbd_spec_force_sized(s, d, sizeof *d, err);
}
static inline mbd_status mbd_spec_constraint(mbd_spec *s, const mbd_element_desc *d, mbd_error *err) {
  return mbd_spec_constraint_sized(s, d, sizeof *d, err);
}

/* Holds a quantity of the initial state. It has a given value and rate at the start; all other coordinates follow from the constraints, by an iteration
 * that begins at the guesses. quantity: a coordinate ("J1.angle", "s_front"), a component of a point ("P1.x", "P1@A1.y"), or the angle of a
 * body about a global axis ("A1.angle.z"). value, rate: coefficients; rate -1: zero. mbd_model_create checks the name. */
mbd_status mbd_spec_hold(mbd_spec *s, const char *quantity, int value, int rate, mbd_error *err);
/* Lets the rate of a held quantity follow from velocity constraints where they determine it; else it has the rate that mbd_spec_hold gave. It is
 * so already if that was -1. MBD_BAD_INPUT: the quantity is not held. */
mbd_status mbd_spec_rate_follows(mbd_spec *s, const char *quantity, mbd_error *err);
/* Makes a held quantity free where a case starts from static equilibrium: its value is then only the beginning of the search. Its rate is
 * held in any case. MBD_BAD_INPUT: the quantity is not held; the message has the nearest one that is. */
mbd_status mbd_spec_settle(mbd_spec *s, const char *quantity, mbd_error *err);
/* Sets the value (a coefficient) from which the iteration begins for a coordinate that is not held; without it the iteration begins at 0. */
mbd_status mbd_spec_guess(mbd_spec *s, const char *coordinate, int value, mbd_error *err);

/* What a leaf is. */
typedef enum mbd_leaf_kind { MBD_LEAF_OUTPUT, MBD_LEAF_COEFFICIENT, MBD_LEAF_TIME } mbd_leaf_kind;
/* A leaf of a derived quantity: what goes into its expression. This structure keeps its layout. */
typedef struct mbd_leaf {
  mbd_leaf_kind is;
  int coef; /* MBD_LEAF_COEFFICIENT: its number */
  /* MBD_LEAF_OUTPUT: name of a scalar output or of another derived quantity; "sum(PATTERN)" or "mean(PATTERN)" over all outputs, except
   * derived ones, whose names match the pattern, where a star stands for any text */
  const char *output;
} mbd_leaf;

/* Sets value k of a force of type "expression" that is described already: an expression of outputs, derived quantities, coefficients and the
 * time, copied with its leaves [nleaf]. mbd_model_create finds the outputs; those that are no functions of positions and velocities are refused.
 * MBD_BAD_INPUT: there is no such force, or the expression is not complete. */
mbd_status mbd_spec_force_value(mbd_spec *s, const char *force, int k, const mbd_expression *value, int nleaf,
                                const mbd_leaf *leaf, mbd_error *err);
/* The same of a constraint of type "expression", which has one value. It has to be linear in velocities. */
mbd_status mbd_spec_constraint_value(mbd_spec *s, const char *constraint, const mbd_expression *value, int nleaf,
                                     const mbd_leaf *leaf, mbd_error *err);

/* Adds a state x with d/dt x = rate, for controllers, filters and actuators. The rate is an expression as that of mbd_spec_force_value, in which
 * states may be, too; with accelerations or reactions in it x measures, and no force may read it. Their values are outputs NAME, their rates NAME.rate. In a model a state is the rate of an added coordinate, one of the last
 * (mbd_model_nstate). unit: of x; NULL or "": not stated. start: coefficient of its value at the start; -1: zero. settles: 1: if a case starts in
 * static equilibrium, the value at the start is where the rate is zero, and the search begins at `start`; so it is in a static case in any case.
 * MBD_BAD_INPUT: there is a state of this name, or the expression is not complete. */
mbd_status mbd_spec_state(mbd_spec *s, const char *name, const char *unit, int start, int settles,
                          const mbd_expression *rate, int nleaf, const mbd_leaf *leaf, mbd_error *err);

/* Adds a derived quantity, an expression of outputs, coefficients and the time, which may be used wherever an output may. The expression and
 * its leaves [nleaf] are copied. unit: unit of the value; NULL or "": not stated. A stated unit is compared with that of the expression when
 * the quantity is first used.
 * MBD_BAD_INPUT: there is a quantity of this name; an operation is unknown, or names a leaf or operands that are not there before it. */
mbd_status mbd_spec_quantity(mbd_spec *s, const char *name, const char *unit, const mbd_expression *value, int nleaf,
                             const mbd_leaf *leaf, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
