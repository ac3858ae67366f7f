#include "scatter/normal.h"

#include <math.h>

double normal_density(double z) {
  return exp(-z * z / 2) / sqrt(2 * acos(-1));
}

double normal_cdf(double z) {
  return erfc(-z / sqrt(2)) / 2;
}

/* Newton's method within an interval that holds the solution: it is halved where a step leaves it. The lower half alone, where erfc keeps all digits. */
double normal_quantile(double p) {
  enum { ITERATIONS = 100 };
  if (!(p > 0 && p < 1)) { return p <= 0 ? -INFINITY : INFINITY; }
  if (p > 0.5) { return -normal_quantile(1 - p); }
  double low = -40, high = 0, z = -sqrt(fmax(-2 * log(2 * p), 0));
  for (int i = 0; i < ITERATIONS; i++) {
    const double excess = normal_cdf(z) - p;
    if (excess > 0) {
      high = z;
    } else {
      low = z;
    }
    double next = z - excess / normal_density(z);
    if (!(next >= low && next <= high)) { next = low + (high - low) / 2; }
    if (fabs(next - z) <= 4e-16 * fabs(z)) { return next; }
    z = next;
  }
  return z;
}
