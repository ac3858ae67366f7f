/* Functions that several kinds of curves share: checks of their coefficients, the search for an interval, periods. */
#ifndef MBD_CURVE_CHECK_H
#define MBD_CURVE_CHECK_H

#include "curve/curve.h"

/* Checks that coefficient k, a width, is positive: c[k] > 0. */
mbd_status curve_check_width(const char *name, const double *c, int k, mbd_error *err);

/* Entries of a row of the table: name of the kind, least and greatest number of coefficients, and the functions of that name. */
#define CURVE(NAME, MIN, MAX)                                                                                     \
  .name = #NAME, .nc_min = MIN, .nc_max = MAX, .eval = NAME##_eval, .third = NAME##_third, .deval = NAME##_deval, \
  .reverse = NAME##_reverse

/* i with knot[i] <= x < knot[i+1], 0 <= i <= n - 2; x inside the knots. */
static inline int curve_interval(int n, const double *knot, mbd_value x) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int mid = (low + high) / 2;
    if (mbd_if(knot[mid] <= x)) {
      low = mid;
    } else {
      high = mid;
    }
  }
  return low;
}

/* Whole periods between x and the one that the knots of a periodic curve span. */
static inline mbd_value curve_periods(const mbd_curve *k, mbd_value x) {
  const double first = k->knot[0], last = k->knot[k->nc - 1];
  return mbd_round((x - (first + last) / 2) / (last - first));
}

#endif
