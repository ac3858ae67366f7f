/* An optimization problem for backends, and the results of one evaluation.
 *
 *   minimize f(x)   subject to   lower <= x <= upper,   c_lower <= c(x) <= c_upper
 *
 * x are the design variables rho in user units. This header does not depend on mechanics. */
#ifndef MBO_PROBLEM_H
#define MBO_PROBLEM_H

#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The wanted results of an evaluation; values can be combined. */
enum { MBO_REQUEST_VALUE = 1, MBO_REQUEST_GRADIENT = 2, MBO_REQUEST_GAUSS_NEWTON = 4, MBO_REQUEST_HESSIAN = 8 };

/* The results of one evaluation. The function that returns it owns the arrays. */
typedef struct mbo_eval {
  double f;     /* objective */
  double *g;    /* [n]      gradient of f */
  double *c;    /* [nc]     constraint values */
  double *jac;  /* [nc][n]  their Jacobian, row-major */
  double *H;    /* [n][n]   Gauss-Newton matrix, symmetric, full storage */
  double *hess; /* [1 + nc][n][n] exact second derivatives of f, then of every constraint, symmetric, full storage */
} mbo_eval;

/* A problem: minimize f(x) between bounds, with constraints. Its functions are called with `user`. */
typedef struct mbo_problem {
  const char *name;
  int n;                       /* design variables */
  const char *const *names;    /* [n] */
  const double *start;         /* [n] */
  const double *lower;         /* [n] -INFINITY: no bound */
  const double *upper;         /* [n] +INFINITY: no bound */
  const double *scale;         /* [n] > 0: typical size; backends see x / scale (scale_is_open) */
  const int *nvalues;          /* [n] number of catalogue values of each variable; 0: any value. NULL: no catalogues */
  const double *const *values; /* [n] the catalogue values, ascending, from lower to upper */
  int nc;                      /* number of constraints */
  const char *const *c_names;  /* [nc] */
  const double *c_lower;       /* [nc] -INFINITY: none */
  const double *c_upper;       /* [nc] +INFINITY: none */
  const unsigned char *c_linear; /* [nc] 1: a linear function of x; NULL: none is */
  int has_gradient;              /* 0: values only */
  int has_gauss_newton; /* 1: every term of the objective is a square, so that MBO_REQUEST_GAUSS_NEWTON is possible */
  int has_hessian;      /* 1: MBO_REQUEST_HESSIAN is possible; it costs at least n gradients */
  void *user;
  /* Sets the members of *out that `request` names. Returns MBD_OK; a positive code, with a text in err, if this design cannot be simulated; or
   * a negative code for an error that ends the run. */
  mbd_status (*eval)(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err);
  /* Decisions that eval bases on measured times, as a text in JSON. The journal keeps it, so that a resumed run computes in the same way.
   * Both functions may be NULL.
   * decided  called after an eval; the problem owns *text; NULL: nothing is decided yet.
   * recall   called before any eval of a resumed run, with the text of `decided`. MBD_BAD_INPUT: the text cannot be read. */
  mbd_status (*decided)(void *user, const char **text, mbd_error *err);
  mbd_status (*recall)(void *user, const char *text, mbd_error *err);
  /* Checks of gradients during a run: the first gradient of eval and every `watch`-th after it are compared with directional derivatives by
   * another method. watch = 0: none is.
   * deviate  called after an eval with a gradient, at its x. difference [nwatch]: |g' d - derivative along d| of each function that eval
   *          differentiates; size [nwatch]: sum |g_i d_i|; both 0 where there is nothing to compare. The direction d depends on `number`,
   *          the number of the gradient. Returns a positive code if the derivative does not exist at this design.
   * The deviation is the largest difference relative to the largest size of the same function so far; beyond watch_limit the run ends. */
  int watch, nwatch;
  double watch_limit;
  mbd_status (*deviate)(void *user, int number, double *difference, double *size, mbd_error *err);
  /* The number of measured data with which f, a sum of squares, compares; 0: it is no such sum.
   * is_noise  sets *yes to 1 if the residuals at x look like noise, so that the optimization may end within it. NULL: they are noise by
   *           their definition. Returns a positive code if x cannot be simulated. */
  long samples;
  mbd_status (*is_noise)(void *user, const double *x, int *yes, mbd_error *err);
  /* [n] 1: scale[i] is a guess from the start, so that mbo_solve takes half the distance of the bounds in its place where both are finite. NULL: none
   * is. Conditions of an optimum are measured by scale[i] in any case. */
  const unsigned char *scale_is_open;
} mbo_problem;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
