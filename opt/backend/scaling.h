/* Scales of the variables from the Gauss-Newton matrix. */
#ifndef MBO_SCALING_H
#define MBO_SCALING_H

/* Changes scale [n] of n variables by the Gauss-Newton matrix H [n][n] of the objective in user units: s_i^2 H_ii becomes the same for all,
 * while the geometric mean of the scales stays. A factor is between 1/SCALE_RANGE and SCALE_RANGE. Where H_ii is 0, the scale stays. */
enum { SCALE_RANGE = 1000 };
void scaling_by_curvature(int n, const double *H, double *scale);

#endif
