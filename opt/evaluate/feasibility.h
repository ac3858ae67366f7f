/* Designs that violate constraints: could one beside them violate less, and what is violated, in words. */
#ifndef MBO_FEASIBILITY_H
#define MBO_FEASIBILITY_H

#include <stddef.h>

#include "mbo/problem.h"

/* The part of the violation of c [nc] that can be taken away to first order, by moving each variable by its scale at most and not
 * beyond its bounds. With v_k by how much constraint k is beyond its bound (below: negative) and the Jacobian jac [nc][n],
 *
 *   sum |g_i| min(way to the bound, scale_i) / |v|,   g = J' v / |v|
 *
 * 0 where no small change helps, so a minimum of the violation; 1 and more where much can be gained. */
double feasibility_left(const mbo_problem *p, const double *x, const double *c, const double *jac);

/* "height = 0.3 is below 0.5 by 0.2, ..." of all constraints that are violated by more than tol; the worst first, at most three of them.
 * "" where none is. */
void feasibility_words(const mbo_problem *p, const double *c, double tol, char *out, size_t size);

#endif
