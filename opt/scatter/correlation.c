#include "scatter/correlation.h"

#include <math.h>
#include <string.h>

int correlation_factor(int n, const double *C, double *L) {
  static const double min = 1e-12; /* of a square of the diagonal, relative to that of C, 1 */
  memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = C[i * n + j];
      for (int k = 0; k < j; k++) { sum -= L[i * n + k] * L[j * n + k]; }
      if (j < i) {
        L[i * n + j] = sum / L[j * n + j];
        continue;
      }
      if (!(sum > min)) { return i; }
      L[i * n + i] = sqrt(sum);
    }
  }
  return -1;
}

void correlation_apply(int n, const double *L, const double *y, double *z) {
  for (int i = n - 1; i >= 0; i--) { /* from below, so that y may be overwritten */
    double sum = 0;
    for (int k = 0; k <= i; k++) { sum += L[i * n + k] * y[k]; }
    z[i] = sum;
  }
}
