/* A referee for motions without constraints: y' = f(t-independent y), complex so that a step along the imaginary axis carries the
 * derivative in a parameter (to rounding). Gragg's midpoint rule with 2, 4, ... 16 substeps, extrapolated to zero: order 16.
 * It shares nothing with the library. */
#ifndef EXTRAPOLATION_H
#define EXTRAPOLATION_H

#include <complex.h>
#include <string.h>

typedef long double complex ref;
typedef void (*ref_rhs)(const void *data, const ref *y, ref *yd);

enum { REF_MAX = 32, REF_LEVELS = 8 };

/* Midpoint rule over H in n substeps, n even, with Gragg's smoothing. */
static void ref_midpoint(ref_rhs f, const void *data, int dim, const ref *y, long double H, int n, ref *out) {
  ref a[REF_MAX], b[REF_MAX], d[REF_MAX];
  const long double h = H / n;
  f(data, y, d);
  for (int i = 0; i < dim; i++) { a[i] = y[i], b[i] = y[i] + h * d[i]; }
  for (int k = 1; k < n; k++) {
    f(data, b, d);
    for (int i = 0; i < dim; i++) {
      const ref next = a[i] + 2 * h * d[i];
      a[i] = b[i], b[i] = next;
    }
  }
  f(data, b, d);
  for (int i = 0; i < dim; i++) { out[i] = (a[i] + b[i] + h * d[i]) / 2; }
}

/* y over a step H: Neville's scheme in 1/n^2. */
static void ref_step(ref_rhs f, const void *data, int dim, ref *y, long double H) {
  ref row[REF_LEVELS][REF_MAX];
  for (int k = 0; k < REF_LEVELS; k++) {
    ref_midpoint(f, data, dim, y, H, 2 * (k + 1), row[k]);
    for (int j = k - 1; j >= 0; j--) { /* row[j] becomes the value extrapolated from the levels j ... k */
      const long double q = (long double)(k + 1) / (j + 1), w = 1 / (q * q - 1);
      for (int i = 0; i < dim; i++) { row[j][i] = row[j + 1][i] + w * (row[j + 1][i] - row[j][i]); }
    }
  }
  memcpy(y, row[0], (size_t)dim * sizeof *y);
}

#endif
