/* What changes first at an optimum as a number p moves: which limit or bound that holds the design lets it go, or which other one is reached. Where
 * the constraints and bounds that hold it have the Jacobian A and the multipliers lambda, and L is the second derivative of f + lambda'c, design and
 * multipliers move by
 *
 *   [ L  A' ] [ dx/dp      ]     [ L_xp ]
 *   [ A  0  ] [ dlambda/dp ] = - [ A_p - db/dp ]                                                          (6.21)
 *
 * with the limits b, until the least of
 *
 *   lambda_k + t dlambda_k/dp = 0,      c_j + t (A_j dx/dp + c_jp) = a limit of c_j,      x_i + t dx_i/dp = a bound of x_i       (6.22)
 *
 * over the k that hold the design, and the j and i that do not [Fiacco 1983, ch. 3]. Second derivatives are exact (mechanism/hessian.h); of quadratic
 * objectives with linear constraints t is exact, of others to first order: the more so, the smaller t is. Cost: for each design variable a product of
 * second derivatives, whatever the number of numbers. */
#ifndef MBO_FIRST_CHANGE_H
#define MBO_FIRST_CHANGE_H

#include "mechanism/mechanism.h"

typedef enum price_of {
  PRICE_UPPER_LIMIT,
  PRICE_LOWER_LIMIT,
  PRICE_EQUATION,
  PRICE_UPPER_BOUND,
  PRICE_LOWER_BOUND,
  PRICE_NUMBER
} price_of;

typedef struct first_change {
  int is;           /* 0: nothing changes, to first order */
  int is_reached;   /* 1: what did not hold the design does from there on; 0: what held it no longer does */
  price_of of;      /* which limit or bound */
  const char *name; /* of the constraint or variable */
  double at;        /* value of the number where it happens */
} first_change;

/* An optimum with its multipliers, and the gradients of the problem in which numbers vary, too. */
typedef struct conditions {
  const mbo_problem *p; /* of the design variables alone */
  int n;                /* variables of the wide problem: these and the numbers */
  const double *x;      /* [n] */
  double f;
  double *g, *c, *jac; /* [n], [nc], [nc][n] */
  double *own_jac;     /* [nc][p->n] by the design variables */
  double *lambda, *r;  /* [nc], [n] g + A' lambda */
  int *held;           /* [p->n] by which bound: -1 the lower one, 1 the upper one, 0 none */
} conditions;

/* Of a number that moves: the limit of constraint `index`, the bound of variable `index`, or variable `index` of the wide problem. */
typedef struct moving_number {
  price_of of;
  int index;
  double at;
} moving_number;

/* For each of count numbers what changes first as it falls (out[2 i]) and as it rises (out[2 i + 1]). MBD_SINGULAR: what holds the design is
 * dependent, or second derivatives vanish along a direction, so that it is not determined how the design moves. MBD_UNSUPPORTED, MBD_NO_MEMORY. */
mbd_status first_changes(mechanism *wide, const conditions *at, int count, const moving_number *number,
                         first_change *out, mbd_error *err);

#endif
