/* Neville's extrapolation of q(h) = r(h)/h = a + b h + c h^2 + ... to h = 0, with an error for every value of the tableau as Ridders (1982)
 * estimates it for differences. */
#include "evaluate/taylor.h"

#include <math.h>

enum { DEGREE = 3 }; /* largest degree of the polynomials in h */

/* Remainders of at least so many times the noise have an order that is accurate to 1 %. */
static const double clearly = 300;

/* A term of first order is significant if it is at least so many times its error. */
static const double sure = 5;

/* If the error of a is more than 1 % of `size`, there is no verdict. */
static const double resolved = 1e-2;

static int all_finite(const taylor *t) {
  int finite = isfinite(t->slope);
  for (int k = 0; k < t->n; k++) { finite &= isfinite(t->remainder[k]) != 0; }
  return finite;
}

static void find_order(taylor *t) {
  t->order = NAN;
  t->clear = t->n - 1;
  while (t->clear >= 0 &&
         fabs(t->remainder[t->clear]) <= fmax(clearly * t->noise, t->step[t->clear] * t->slope_error)) {
    t->clear--;
  }
  if (t->clear < 1) { return; }
  const int k = t->clear;
  t->order = log(fabs(t->remainder[k - 1] / t->remainder[k])) / log(t->step[k - 1] / t->step[k]);
}

/* q[k][j]: the value at h = 0 of the polynomial of degree j through the steps k-j to k; noise[k][j]: the noise in it,
 *   q[k][j] = (h_{k-j} q[k][j-1] - h_k q[k-1][j-1])/(h_{k-j} - h_k).
 * The error of q[k][j] is the largest of its differences from the two values from which it is computed and from its
 * neighbour of the same degree (so that an accidental agreement of two values does not give a small error), and of the
 * noise. */
static void extrapolate(taylor *t) {
  double q[TAYLOR_MAX][DEGREE + 1], noise[TAYLOR_MAX][DEGREE + 1];
  t->first = NAN, t->error = INFINITY;
  for (int k = 0; k < t->n; k++) {
    q[k][0] = t->remainder[k] / t->step[k], noise[k][0] = t->noise / t->step[k];
    for (int j = 1; j <= DEGREE && j <= k; j++) {
      const double far = t->step[k - j], near = t->step[k];
      q[k][j] = (far * q[k][j - 1] - near * q[k - 1][j - 1]) / (far - near);
      noise[k][j] = (far * noise[k][j - 1] + near * noise[k - 1][j - 1]) / (far - near);
      const double parts = fmax(fabs(q[k][j] - q[k][j - 1]), fabs(q[k][j] - q[k - 1][j - 1]));
      const double error = k > j ? fmax(parts, fabs(q[k][j] - q[k - 1][j])) + noise[k][j] : INFINITY;
      if (error < t->error) { t->first = q[k][j], t->error = error; }
    }
  }
}

void taylor_judge(taylor *t) {
  t->size = t->first = t->error = t->order = NAN;
  t->clear = -1, t->by_change = 0;
  t->verdict = TAYLOR_WRONG;
  if (!all_finite(t)) { return; }
  t->verdict = TAYLOR_UNDECIDED;
  if (t->n < 3) { return; }
  find_order(t);
  extrapolate(t);
  t->size = fmax(fabs(t->slope), fabs(t->slope + t->first));
  t->by_change = t->error + t->slope_error > resolved * t->size;
  if (t->by_change) { t->size = fmax(t->size, fabs(t->remainder[0] / t->step[0] + t->slope)); }
  if (fabs(t->first) > sure * t->error + t->slope_error) {
    t->verdict = TAYLOR_WRONG;
  } else if (t->error + t->slope_error <= resolved * t->size) {
    t->verdict = TAYLOR_RIGHT;
  }
}
