/* What an optimum costs: derivatives of its objective by the limits and bounds that hold it, and by the fixed numbers of the model. The design follows
 * and stays an optimum, which changes nothing to first order. With the gradient g of the objective f, the Jacobian A of the constraints that hold the
 * design and their multipliers lambda, r = g + A' lambda, which is 0 but for variables that a bound holds,
 *
 *   df/d(limit k) = -lambda_k,   df/d(bound i) = r_i,   df/dp = g_p + lambda' A_p     (6.18)  [Fiacco 1983, ch. 3; Nocedal and Wright, sec. 12.8]
 *
 * All of it comes from one gradient of a mechanism in which the fixed numbers vary, too. Of smooth extrema, sharpness and shifts are those of the stage
 * that gave the result (stages.h). */
#ifndef MBO_POST_OPTIMALITY_H
#define MBO_POST_OPTIMALITY_H

#include "stages/first_change.h"
#include "stages/stages.h"

typedef struct price {
  price_of of;
  int index;        /* of the constraint or variable; of a number beyond the variables */
  const char *name; /* of the constraint, variable or scalar */
  double at;        /* the limit, the bound, the number */
  double slope;     /* derivative of the objective by it */
  double
      percent; /* by how many percent of its size the objective rises where `at` rises by 1 % of its size; NaN: either is 0 */
  first_change below, above; /* what changes first as `at` falls, and as it rises; if they were asked for */
} price;

/* Limits and bounds first, then numbers; of each the largest |percent| first. Numbers without influence are left out. Names belong to the mechanism. */
typedef struct post_optimality {
  int n;
  price *price;  /* [n] */
  int several;   /* 1: what holds the design is dependent, so that these are some of many multipliers */
  int is;        /* 1: x is an optimum */
  int changes;   /* 1: what changes first is known */
  char why[400]; /* why it is not; "": nobody asked */
} post_optimality;

/* x  an optimum of m: a design at which an optimizer has converged
 * at the stage whose result it is; NULL: it is one of the mechanism as the run file describes it
 * out->n is 0 where nothing holds the design and no number matters, and where x is no optimum: the conditions leave more than a thousandth of f.
 * changes 1: what changes first, too (first_change.h)
 * MBD_UNSUPPORTED: there are no gradients; errors of an evaluation otherwise. Cost: the assembly of another mechanism, and a gradient. */
mbd_status post_optimality_create(const mechanism *m, const double *x, const stage *at, double tol_constraint,
                                  int changes, post_optimality *out, mbd_error *err);
void post_optimality_free(post_optimality *p);

const char *price_kind(price_of of);                  /* "constraint", "variable", "number" */
const char *price_side(price_of of);                  /* "lower", "upper"; NULL for an equation and for a number */
char *price_unit(const mechanism *m, const price *p); /* of what the price is by, in new memory */

#endif
