/* Forces that the user defines. Authors write a C file that includes mbd/plugin.h, and `mbopt plugin` makes a library of it that contains
 * this struct under the name mbd_plugin. libmbd itself loads no library: the caller passes the struct to mbd_spec_force.
 *
 * Numbers are doubles; functions named _complex have pairs of real and imaginary part. With narg arguments, a state is
 *   x [narg][3], xd [narg][3], t                 6 narg + 1 numbers, in the global frame
 * and a result is
 *   f [narg][3], outputs [noutput]               f_a is the force on argument a: its power is sum_a f_a . xd_a
 * A coordinate is the first of its three numbers, and a rotation has xd alone. The value of an expression is the first number of its x, and the
 * force on it is not read. All other numbers are zero. Results are zero on entry. All functions may be called by several threads at once. */
#ifndef MBD_USER_FORCE_H
#define MBD_USER_FORCE_H

#include "mbd/element.h"
#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* MBD_USER_ABI changes with this header and with mbd/element.h. The others are the largest numbers of coefficients and outputs of a force. */
enum { MBD_USER_ABI = 1, MBD_USER_COEFS = 256, MBD_USER_OUTPUTS = 8 };
enum { MBD_USER_STATE = 6 * MBD_ARG_MAX + 1, MBD_USER_RESULTS = 3 * MBD_ARG_MAX + MBD_USER_OUTPUTS };

/* An output of a user force; its power is an output in any case. */
typedef struct mbd_user_output {
  const char *name, *unit;
} mbd_user_output;

/* Computes the result y; outputs = 0: its outputs need not be computed. */
typedef void mbd_user_value(const double *state, const double *coef, int outputs, double *y);
/* Computes dy/d(x, xd) into J [results][6 narg], row-major, which is zero on entry. */
typedef void mbd_user_slopes(const double *state, const double *coef, int outputs, double *J);
/* Computes dy, the derivative of the result along a direction of the coefficients and of the time, direction [ncoef + 1]. */
typedef void mbd_user_along(const double *state, const double *coef, int ncoef, const double *direction, int outputs,
                            double *dy);

/* A user force, as its source describes it. */
typedef struct mbd_user_force {
  int abi,
      size; /* MBD_USER_ABI and sizeof(mbd_user_force) when it was compiled; they are compared before anything else is read */
  const char *name, *doc;
  const mbd_ref_info *refs;   /* keys of its points, vectors, bodies, coordinates; the last key is NULL */
  const mbd_coef_info *coefs; /* keys of its coefficients; likewise */
  const mbd_arg_info *arg;    /* [narg] */
  int narg;
  const mbd_user_output *output; /* the last name is NULL */
  int own;                       /* 1: slopes and along are the author's; 0: made by dual numbers, or not there */
  mbd_user_value *value, *value_complex;
  mbd_user_slopes *slopes, *slopes_complex; /* NULL: by complex step of value_complex */
  mbd_user_along *along, *along_complex;    /* likewise */
} mbd_user_force;

/* Checks a force before its use. MBD_BAD_INPUT: another ABI, sizes beyond the limits, tables that do not fit together; the message has what was found and expected. */
mbd_status mbd_user_force_check(const mbd_user_force *u, mbd_error *err);

int mbd_user_force_ncoef(
    const mbd_user_force *u); /* the number of numbers in its coefficients, of which some have three */
int mbd_user_force_noutput(const mbd_user_force *u); /* the number of its outputs */
/* 1: place i of x and xd, which have 6 narg places, holds a number of its argument; the others are zero. */
int mbd_user_force_is_number(const mbd_user_force *u, int i);

/* Returns the origin of its derivatives: "own", "dual numbers", "complex step". */
const char *mbd_user_force_derivatives(const mbd_user_force *u);
/* 1: it has the second derivatives that `hessian = exact` needs, since its first ones exist for complex numbers too. */
int mbd_user_force_second(const mbd_user_force *u);

/* Compute the value and the derivatives, by the author's functions, by dual numbers or by complex step; arrays as above, real, which these
 * functions set to zero first. Cost by complex step: one complex call for `along`, one for each number of the state for `slopes`. */
void mbd_user_force_value(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *y);
void mbd_user_force_slopes(const mbd_user_force *u, const double *state, const double *coef, int outputs, double *J);
void mbd_user_force_along(const mbd_user_force *u, const double *state, const double *coef, const double *direction,
                          int outputs, double *dy);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
