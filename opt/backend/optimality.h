/* How far a design is from the conditions of Karush, Kuhn and Tucker, as a decrease of the objective. */
#ifndef MBO_OPTIMALITY_H
#define MBO_OPTIMALITY_H

#include "evaluate/evaluator.h"
#include "mbo/backend.h"

/* The largest decrease of the objective that a condition still leaves open, to first order. With the gradient g [n] of the objective, the
 * constraints c [nc] and their Jacobian jac [nc][n] at x, and multipliers lambda,
 *
 *   r = g + jac' lambda,   max of  |r_i| min(way of x_i against r_i to its bound, scale_i)   over the variables
 *                          and     |lambda_k| (way of c_k to the bound that lambda_k belongs to)   over the constraints
 *
 * lambda_k > 0 belongs to the upper bound and lambda_k < 0 to the lower one, of an equation to both. The multipliers are those that make the
 * sum of squares of all these least [after the estimates of Nocedal and Wright, sec. 18.3]. 0 at an optimum; the unit is that of the
 * objective, whatever units variables and constraints have.
 * NaN: a constraint is violated by more than tol. MBD_NO_MEMORY: *out is NaN. Cost: nc^2 n, and a few factorizations of nc x nc.
 * multipliers  [nc] of the least remainder; unchanged where *out is NaN; NULL: they are not asked for */
mbd_status optimality(const mbo_problem *p, const double *x, const double *g, const double *c, const double *jac,
                      double tol, double *out, double *multipliers, mbd_error *err);

/* The same at the best design, by the scales of p; NaN as well where its gradient is not known. */
mbd_status optimality_of_best(const evaluator *e, const mbo_problem *p, const mbo_settings *s, double *out,
                              double *multipliers, mbd_error *err);

/* Can a design that leaves so much be an optimum? Where it is more than a thousandth of what the first design left to first order, and of
 * the objective, it cannot; with looser tolerances, more may be left. An optimum leaves far less: what is left is the root of what tol_f
 * lets the objective change. 1 if it is NaN. */
int optimality_is_within(const evaluator *e, const mbo_settings *s, double left);

#endif
