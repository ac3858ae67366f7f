#include "scatter/correlation.h"

#include "base/cholesky.h"

int correlation_factor(int n, const double *C, double *L) {
  static const double min = 1e-12; /* of a square of the diagonal, relative to that of C, 1 */
  for (int i = 0; i < n * n; i++) { L[i] = i % n <= i / n ? C[i] : 0; }
  return cholesky_factor(n, min, L);
}

void correlation_apply(int n, const double *L, const double *y, double *z) {
  for (int i = n - 1; i >= 0; i--) { /* from below, so that y may be overwritten */
    double sum = 0;
    for (int k = 0; k <= i; k++) { sum += L[i * n + k] * y[k]; }
    z[i] = sum;
  }
}
