/* P(|T| < t) = 1 - I_x(freedom/2, 1/2) with x = freedom/(freedom + t^2), I the regularized incomplete beta function, of which the continued
 * fraction is evaluated by the method of Lentz. */
#include "fit/student.h"

#include <math.h>

/* The factor of the continued fraction of I_x(a, b); it converges quickly for x < (a + 1)/(a + b + 2). */
static double fraction(double a, double b, double x) {
  static const double min = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < min ? min : d);
  double f = d;
  for (int m = 1; m < 10000; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (int k = 0; k < 2; k++) {
      const double term = k ? odd : even;
      d = 1 + term * d, c = 1 + term / c;
      d = 1 / (fabs(d) < min ? min : d);
      if (fabs(c) < min) { c = min; }
      f *= d * c, change = d * c;
    }
    if (fabs(change - 1) < 1e-15) { break; }
  }
  return f;
}

static double beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) { return x > 0; }
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, 1 - x) / b;
}

static double inside(double t, double freedom) {
  return isinf(freedom) ? erf(t / sqrt(2)) : 1 - beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double level, double freedom) {
  double low = 0, high = 1;
  while (inside(high, freedom) < level && high < 1e12) { high *= 2; }
  for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const double t = low + (high - low) / 2;
    if (inside(t, freedom) < level) {
      low = t;
    } else {
      high = t;
    }
  }
  return low + (high - low) / 2;
}
