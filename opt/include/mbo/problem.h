/* An optimization problem as backends see it, and what one evaluation of it gives.
 *
 *   minimize f(x)   subject to   lower <= x <= upper,   c_lower <= c(x) <= c_upper
 *
 * x are the design variables rho in user units. Nothing here knows of bodies. */
#ifndef MBO_PROBLEM_H
#define MBO_PROBLEM_H

#include "mbd/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What is asked of an evaluation; values can be combined. */
enum { MBO_WANT_VALUE = 1, MBO_WANT_GRADIENT = 2, MBO_WANT_GAUSS_NEWTON = 4, MBO_WANT_HESSIAN = 8 };

/* One evaluation. The arrays belong to the evaluator that hands it out. */
typedef struct mbo_eval {
  double f;     /* objective */
  double *g;    /* [n]      gradient of f */
  double *c;    /* [nc]     constraint values */
  double *jac;  /* [nc][n]  their Jacobian, row-major */
  double *H;    /* [n][n]   Gauss-Newton matrix, symmetric, full storage */
  double *hess; /* [1 + nc][n][n] exact second derivatives: of f, then of every constraint; likewise */
} mbo_eval;

/* A problem as optimizers take it: minimize f(x) between bounds, with constraints; its functions are called with `user`. */
typedef struct mbo_problem {
  const char *name;
  int n;                         /* design variables */
  const char *const *names;      /* [n] */
  const double *start;           /* [n] */
  const double *lower;           /* [n] -INFINITY where free */
  const double *upper;           /* [n] +INFINITY where free */
  const double *scale;           /* [n] > 0: typical size; backends see x / scale */
  const int *nvalues;            /* [n] variables with catalogue values: how many; 0: any value. NULL: none has any */
  const double *const *values;   /* [n] and these, ascending, from lower to upper */
  int nc;                        /* constraints */
  const char *const *c_names;    /* [nc] */
  const double *c_lower;         /* [nc] -INFINITY where one-sided */
  const double *c_upper;         /* [nc] +INFINITY where one-sided */
  const unsigned char *c_linear; /* [nc] 1: a linear function of x; NULL: none is */
  int has_gradient;              /* 0: values only */
  int has_gauss_newton;          /* 1: every objective term is a square, so MBO_WANT_GAUSS_NEWTON is answered */
  int has_hessian;               /* 1: MBO_WANT_HESSIAN is answered, at the cost of n gradients or more */
  void *user;
  /* Fill what `want` names of *out. Returns MBD_OK, or > 0 with text in err where this design cannot be simulated,
   * or < 0 for an error that ends the run. */
  mbd_status (*eval)(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err);
  /* What eval has decided by measuring, as a text in JSON: the journal keeps it, so that a run that goes on computes as it began. Both may
   * be NULL.
   * decided  asked after an eval: *text belongs to the problem; NULL: nothing is decided (yet).
   * recall   before any eval: what was decided then, as `decided` told it. MBD_BAD_INPUT: it cannot be understood. */
  mbd_status (*decided)(void *user, const char **text, mbd_error *err);
  mbd_status (*recall)(void *user, const char *text, mbd_error *err);
  /* Gradients that watch themselves: of those that eval computes the first, and every `watch`-th after it, are held against directional
   * derivatives by another way. 0: none is.
   * deviate  after an eval with a gradient, at its x: difference [nwatch] |g' d - derivative along d| of what eval differentiates, and
   *          size [nwatch] sum |g_i d_i|; both 0 where there is nothing to compare. d follows from `number`, that of the gradient.
   *          > 0: the derivative cannot be had at this design.
   * The largest difference relative to the largest size of its kind so far is the deviation; beyond watch_limit the run ends. */
  int watch, nwatch;
  double watch_limit;
  mbd_status (*deviate)(void *user, int number, double *difference, double *size, mbd_error *err);
} mbo_problem;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
