/* Scales of the variables, in which an optimizer works: from their bounds, from the Gauss-Newton matrix. */
#ifndef MBO_SCALING_H
#define MBO_SCALING_H

#include "mbo/problem.h"

/* The scale of variable i: half the distance of its bounds, where both are finite and its scale is open (mbo_problem.scale_is_open), else its typical
 * size. That of a variable with an open scale is the size of its start, which says nothing of other starts, nor of an optimum far from it. */
double scaling_by_bounds(const mbo_problem *p, int i);

/* Changes scale [n] of n variables by the Gauss-Newton matrix H [n][n] of the objective in user units: s_i^2 H_ii becomes the same for all,
 * while the geometric mean of the scales stays. A factor is between 1/SCALE_RANGE and SCALE_RANGE. Where H_ii is 0, the scale stays. */
enum { SCALE_RANGE = 1000 };
void scaling_by_curvature(int n, const double *H, double *scale);

#endif
