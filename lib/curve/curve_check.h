/* What kinds of curves share: checks of their numbers, and finding an interval. */
#ifndef MBD_CURVE_CHECK_H
#define MBD_CURVE_CHECK_H

#include "curve/curve.h"

mbd_status curve_check_finite(const char *name, int nc, const double *c, int nknot, const double *knot, mbd_error *err);

/* least <= nc <= most */
mbd_status curve_check_count(const char *name, int nc, int least, int most, mbd_error *err);

/* Coefficient k is a width: c[k] > 0. */
mbd_status curve_check_width(const char *name, const double *c, int k, mbd_error *err);

/* Also: at least two coefficients, as many knots as coefficients, strictly increasing. */
mbd_status curve_check_knots(const char *name, int nc, const double *c, int nknot, const double *knot, mbd_error *err);

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
