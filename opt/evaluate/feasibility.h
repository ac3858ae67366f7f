/* Designs that violate constraints: whether a small change of the design could reduce the violation, and a description
 * of the violated constraints. */
#ifndef MBO_FEASIBILITY_H
#define MBO_FEASIBILITY_H

#include <stddef.h>

#include "mbo/problem.h"

/* The part of the violation of c [nc] that can be removed, to first order, by a change of each variable by at most its
 * scale within its bounds. With v_k the violation of constraint k (negative below its lower bound) and the Jacobian jac
 * [nc][n],
 *
 *   sum |g_i| min(distance to the bound, scale_i) / |v|,   g = J' v / |v|
 *
 * It is 0 at a minimum of the violation, where no small change reduces it, and 1 or more where a large part can be
 * removed. */
double feasibility_left(const mbo_problem *p, const double *x, const double *c, const double *jac);

/* "height = 0.3 is below 0.5 by 0.2, ..." for the constraints that are violated by more than tol: at most three, the
 * worst first. "" if there is none. */
void feasibility_words(const mbo_problem *p, const double *c, double tol, char *out, size_t size);

#endif
