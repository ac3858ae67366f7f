#include "backend/kkt.h"

#include <math.h>

static const double too_small = 1e-13; /* pivot of a matrix whose rows and columns have entries of about 1 */

static void exchange(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    const double kept = a[i];
    a[i] = b[i], b[i] = kept;
  }
}

/* Divides each row, with its right-hand sides, by its largest entry. Returns 0 if a row is 0 or not finite. */
static int scale_rows(int size, int columns, double *M, double *v) {
  for (int i = 0; i < size; i++) {
    double largest = 0;
    for (int j = 0; j < size; j++) { largest = fmax(largest, fabs(M[i * size + j])); }
    if (!(largest > 0) || isinf(largest)) { return 0; }
    for (int j = 0; j < size; j++) { M[i * size + j] /= largest; }
    for (int j = 0; j < columns; j++) { v[i * columns + j] /= largest; }
  }
  return 1;
}

int kkt_solve(int n, int m, const double *H, const double *A, int columns, double *v, double *work) {
  const int size = n + m;
  double *M = work;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      M[i * size + j] = i < n && j < n ? H[i * n + j] : i < n ? A[(j - n) * n + i] : j < n ? A[(i - n) * n + j] : 0;
    }
  }
  if (!scale_rows(size, columns, M, v)) { return 0; }
  for (int k = 0; k < size; k++) {
    int pivot = k;
    for (int i = k + 1; i < size; i++) {
      if (fabs(M[i * size + k]) > fabs(M[pivot * size + k])) { pivot = i; }
    }
    if (!(fabs(M[pivot * size + k]) > too_small)) { return 0; }
    exchange(size, M + k * size, M + pivot * size);
    exchange(columns, v + k * columns, v + pivot * columns);
    for (int i = k + 1; i < size; i++) {
      const double factor = M[i * size + k] / M[k * size + k];
      for (int j = k; j < size && factor != 0; j++) { M[i * size + j] -= factor * M[k * size + j]; }
      for (int j = 0; j < columns; j++) { v[i * columns + j] -= factor * v[k * columns + j]; }
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = 0; j < columns; j++) {
      double sum = v[k * columns + j];
      for (int i = k + 1; i < size; i++) { sum -= M[k * size + i] * v[i * columns + j]; }
      v[k * columns + j] = sum / M[k * size + k];
    }
  }
  return 1;
}
