/* The residual's own sources, built a third time with a scalar of automatic differentiation: what such a build offers. It is a
 * library of its own (its functions have the names of libmbd's), of which only the function that returns these rows is seen. */
#ifndef BENCH_AD_H
#define BENCH_AD_H

#include "mbd/simulate.h"
#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the residual R(z, zd) = M zdd - Q(z, zd, t) + Phi_z' lam is evaluated: [nz], [nphi] */
typedef struct ad_point {
  double t;
  const double *z, *zd, *zdd, *lam;
} ad_point;

/* Directions: column j of the independents {z, zd} [2 nz] is added to the direction colour[j] of `colours`. */
typedef struct ad_seeds {
  int colours;
  const int *colour; /* [2 nz] */
} ad_seeds;

typedef struct ad_model ad_model;

/* Design variables: number j moves the coefficients index[k] by value[k], start[j] <= k < start[j + 1]. */
typedef struct ad_variables {
  int n;
  const int *start, *index;
  const double *value;
} ad_variables;

/* What a gradient of a whole simulation takes beside its time. */
typedef struct ad_cost {
  int simulations;   /* runs in the scalar */
  long iterations;   /* of Newton, in one of them */
  double operations; /* on the tape; 0: there is none */
  double tape,
      values; /* [bytes] of its operations with their operands, and of the values that its reverse pass reads */
} ad_cost;

/* A simulation in the scalar, Newton's iteration and projections included. */
typedef struct ad_sim ad_sim;

/* A step that the program has taken, at its solution: theory.md §5.1 (5.1), (5.2), (5.4). */
typedef struct ad_step {
  int k;
  double t;
  const double *z, *zd, *zdd, *vs, *as; /* [nz] */
  const double *lam, *sigma, *kappa;    /* [nphi] multipliers of the motion and of the projections */
} ad_step;

/* Solves the step's equations of motion (projection 0) or of its projections (1) on the program's factors,
 *   A x + Phi_z' y = f,  Phi_z x = g,   x, f [nz][AD_DIRECTIONS], y, g [nphi][AD_DIRECTIONS]
 * In reverse with A' and one column. */
typedef mbd_status (*ad_solve)(void *user, int projection, const double *f, const double *g, double *x, double *y,
                               mbd_error *err);
enum { AD_DIRECTIONS = 8 }; /* of one evaluation in dual numbers */

typedef struct ad_ops {
  const char *name;
  /* The model of a description, with the values theta [ncoef] of its coefficients; NULL with the reason in *err. */
  ad_model *(*open)(const mbd_spec *spec, const double *theta, mbd_error *err);
  void (*close)(ad_model *m);
  void (*value)(ad_model *m, const ad_point *at, double *R); /* [nz] */
  /* B [nz][colours]: derivatives along the directions. */
  void (*forward)(ad_model *m, const ad_point *at, const ad_seeds *seeds, double *B);
  /* J [nz][2 nz] by reverse mode; NULL: there is none. */
  void (*reverse)(ad_model *m, const ad_point *at, double *J);
  /* 1: a recorded tape serves at later points, too, which is right where no branch depends on the point; NULL: there is no tape. */
  void (*keep_tape)(ad_model *m, int keep);
  /* The case of a description; name [nname]: those of its outputs. NULL with the reason in *err. */
  ad_sim *(*sim_open)(const mbd_spec *spec, const mbd_case *c, int nname, const char *const *name, int nterm,
                      const mbd_term *term, int npsi, mbd_error *err);
  void (*sim_close)(ad_sim *s);
  /* g [n] of the sum of all psi with these weights, at theta [ncoef]; psi [npsi] */
  mbd_status (*sim_gradient)(ad_sim *s, const double *theta, const ad_variables *of, const double *weight, double *psi,
                             double *g, ad_cost *cost, mbd_error *err);
  /* Derivatives of the program's steps at their solutions by the implicit function theorem, along variables first .. first +
   * AD_DIRECTIONS - 1: the start, each step in turn, and the result, g of these variables. NULL: there are none. */
  mbd_status (*steps_begin)(ad_sim *s, const double *theta, const ad_variables *of, int first, mbd_error *err);
  mbd_status (*steps_take)(ad_sim *s, const ad_step *at, ad_solve solve, void *user, mbd_error *err);
  void (*steps_end)(ad_sim *s, const ad_variables *of, int first, const double *weight, double *psi, double *g);
  /* The same in reverse, the discrete adjoint: begins; takes the steps from the last to the first; ends with the start. g [n]. NULL: there
   * is none. */
  mbd_status (*reverse_begin)(ad_sim *s, const double *theta, const ad_variables *of, const double *weight,
                              mbd_error *err);
  mbd_status (*reverse_take)(ad_sim *s, const ad_step *at, ad_solve solve, void *user, mbd_error *err);
  mbd_status (*reverse_end)(ad_sim *s, double *g, ad_cost *cost, mbd_error *err);
} ad_ops;

const ad_ops *ad_dual(void);
const ad_ops *ad_adolc(void);

#ifdef __cplusplus
}
#endif

#endif
