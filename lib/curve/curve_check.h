/* What kinds of curves share: checks of their numbers, and finding an interval. */
#ifndef MBD_CURVE_CHECK_H
#define MBD_CURVE_CHECK_H

#include "curve/curve.h"

/* Coefficient k is a width: c[k] > 0. */
mbd_status curve_check_width(const char *name, const double *c, int k, mbd_error *err);

/* Entries of a curve's row: its name, least and greatest number of coefficients, and functions by its name. */
#define CURVE(NAME, LEAST, MOST)                                                                                     \
  .name = #NAME, .nc_min = LEAST, .nc_max = MOST, .eval = NAME##_eval, .third = NAME##_third, .deval = NAME##_deval, \
  .pull = NAME##_pull

/* i with knot[i] <= x < knot[i+1], 0 <= i <= n - 2; x inside the knots. */
static inline int curve_interval(int n, const double *knot, double x) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int mid = (low + high) / 2;
    if (knot[mid] <= x) {
      low = mid;
    } else {
      high = mid;
    }
  }
  return low;
}

#endif
