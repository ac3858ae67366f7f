/* Products of vectors, and symmetric matrices of few rows: the factor of Cholesky L L' = A, row-major [n][n]. */
#ifndef MBD_CHOLESKY_H
#define MBD_CHOLESKY_H

#include <math.h>

/* a . b */
static inline double vector_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += a[i] * b[i]; }
  return sum;
}

/* The lower part of A becomes L. Returns -1, or the first row at which the square of the diagonal is not above min. */
static inline int cholesky_factor(int n, double min, double *A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) { sum -= A[i * n + k] * A[j * n + k]; }
      if (i == j && !(sum > min)) { return i; }
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  }
  return -1;
}

/* x := L^-1 x */
static inline void cholesky_forward(int n, const double *L, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) { x[i] -= L[i * n + k] * x[k]; }
    x[i] /= L[i * n + i];
  }
}

/* x := L'^-1 x */
static inline void cholesky_back(int n, const double *L, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) { x[i] -= L[k * n + i] * x[k]; }
    x[i] /= L[i * n + i];
  }
}

#endif
