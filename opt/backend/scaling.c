#include "backend/scaling.h"

#include <math.h>

double scaling_by_bounds(const mbo_problem *p, int i) {
  const double half = (p->upper[i] - p->lower[i]) / 2;
  return p->scale_is_open && p->scale_is_open[i] && half > 0 && isfinite(half) ? half : p->scale[i];
}

/* The factor of variable i that makes s_i^2 H_ii equal to 1; 0: none does. */
static double factor(int n, const double *H, const double *scale, int i) {
  const double curvature = H[i * n + i] * scale[i] * scale[i];
  return curvature > 0 ? 1 / sqrt(curvature) : 0;
}

void scaling_by_curvature(int n, const double *H, double *scale) {
  double sum = 0;
  int seen = 0;
  for (int i = 0; i < n; i++) {
    const double f = factor(n, H, scale, i);
    if (f > 0) { sum += log(f), seen++; }
  }
  const double mean = seen ? exp(sum / seen) : 1;
  for (int i = 0; i < n; i++) {
    const double f = factor(n, H, scale, i);
    if (f > 0) { scale[i] *= fmin(fmax(f / mean, 1. / SCALE_RANGE), SCALE_RANGE); }
  }
}
