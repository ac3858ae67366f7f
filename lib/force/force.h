/* Forces: what acts on the arguments of an element, as a function of their positions and rates, time and the
 * element's coefficients. f_a is the force on argument a: its power is sum_a f_a . xd_a, so the generalized force on
 * z is sum_a x_a,z' f_a; a spring-damper between two points is one argument, the difference of the points. */
#ifndef MBD_FORCE_H
#define MBD_FORCE_H

#include "element/element.h"

enum { MBD_FORCE_SCALAR_MAX = 10, MBD_FORCE_BLOCK_MAX = 4 };

/* Where the slopes K, D of a force can differ from zero: pairs of arguments a, b. */
typedef struct mbd_force_slopes {
  int nK, nD;
  struct {
    int a, b;
  } K[MBD_FORCE_BLOCK_MAX], D[MBD_FORCE_BLOCK_MAX];
} mbd_force_slopes;

typedef struct mbd_force_ops {
  mbd_element_info info;
  const mbd_image_info *image; /* in a mirror image: IMAGE_PLAIN or a list; NULL: it has none */
  /* How a picture shows it: a line between the points of its argument, a wheel with arguments as in tyre.h; of a wheel the
   * key of the coefficient that is its radius. Others: of the first arguments that have a place. */
  mbd_look look;
  const char *radius;
  int variant; /* copied to the input: distinguishes types that share their functions */
  int narg;
  mbd_arg_info arg[MBD_ARG_MAX];
  int frame_free;  /* 1: turns with everything it touches */
  int timed;       /* 1: depends on the time by itself, without a curve of it */
  const void *law; /* goes to the input as well */

  void (*f)(const mbd_element_input *in, mbd_real (*f)[3]); /* [narg][3] */
  /* f, and its slopes K[a][b] = df_a/dx_b, D[a][b] = df_a/dxd_b, 3 x 3 row-major; they come zeroed */
  void (*f_x)(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]);
  /* df [narg][3]: derivative of f along a direction of coefficients */
  void (*f_c)(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]);
  /* An adjoint keeps these slopes, all of which are listed; NULL: to evaluate them again costs less. */
  const mbd_force_slopes *keep;
  /* Potential energy; NULL: none (not conservative). Damping has none. */
  mbd_real (*potential)(const mbd_element_input *in);
  mbd_real (*potential_c)(const mbd_element_input *in, const mbd_element_direction *d);

  /* Inertia of argument 0, a coordinate: a mass term of the equations of motion, of the coefficients alone (s is not there).
   * NULL: none. */
  mbd_real (*inertia)(const mbd_element_input *in);
  mbd_real (*inertia_c)(const mbd_element_input *in, const mbd_element_direction *d);

  /* Scalars that can be outputs: "length", "speed", "force". */
  int nscalar;
  const char *scalar_name[MBD_FORCE_SCALAR_MAX];
  const char *scalar_unit[MBD_FORCE_SCALAR_MAX]; /* NULL: what acts on its coordinates, N or N m */
  /* value of scalar k, gradient g_x, g_xd [narg][3] */
  mbd_real (*scalar)(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]);
  mbd_real (*scalar_c)(const mbd_element_input *in, int k, const mbd_element_direction *d);

  /* States of its own; NULL: none. A force that has state k of this list is made with bit k of `variant`, and with the coordinate of the
   * state (model/state.h), whose rate is the value of the state, as an argument behind the others: the force on it is the rate of the state. */
  const mbd_force_state_info *states;
} mbd_force_ops;

/* Entries of a row: functions by the first part of their names. */
#define FORCE_F(k)         .f = k##_f, .f_x = k##_f_x, .f_c = k##_f_c
#define FORCE_POTENTIAL(k) .potential = k##_potential, .potential_c = k##_potential_c
#define FORCE_SCALARS(k)   .scalar = k##_scalar, .scalar_c = k##_scalar_c

const mbd_force_ops *mbd_force_at(int i); /* table; NULL past the end */
const mbd_force_ops *mbd_force_find(const char *name);
const char *mbd_force_name(int i);

/* The curve in slot k at the present time, `without` if it is left out; its change along a direction, then 0. */
static inline mbd_real force_curve_now(const mbd_element_input *in, int k, mbd_real without) {
  mbd_curve_value v;
  if (!in->curve[k]) { return without; }
  mbd_element_curve_now(in, k, &v);
  return v.y;
}
static inline mbd_real force_dcurve_now(const mbd_element_input *in, const mbd_element_direction *d, int k) {
  mbd_curve_value v;
  if (!in->curve[k]) { return 0; }
  mbd_element_dcurve_now(in, d, k, &v);
  return v.y;
}

/* Makes k_f_x of a force that does not depend on its arguments. */
#define FORCE_WITHOUT_SLOPES(k)                                                                       \
  static void k##_f_x(const mbd_element_input *in, mbd_real(*f)[3], mbd_real(*K)[ELEMENT_ARG_MAX][9], \
                      mbd_real(*D)[ELEMENT_ARG_MAX][9]) {                                             \
    (void)K, (void)D;                                                                                 \
    k##_f(in, f);                                                                                     \
  }

#endif
