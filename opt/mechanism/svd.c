#include "mechanism/svd.h"

#include <math.h>
#include <string.h>

#include "base/cholesky.h"

/* Reflects the columns from j on of the rows from j on, so that column j becomes alpha e_j. */
static void reflect(int m, int n, double *A, int j) {
  double norm = 0;
  for (int i = j; i < m; i++) { norm += A[i * n + j] * A[i * n + j]; }
  norm = sqrt(norm);
  if (norm == 0) { return; }
  const double alpha = A[j * n + j] > 0 ? -norm : norm, first = A[j * n + j] - alpha, half = -alpha * first; /* v'v/2 */
  for (int c = j + 1; c < n; c++) {
    double dot = first * A[j * n + c];
    for (int i = j + 1; i < m; i++) { dot += A[i * n + j] * A[i * n + c]; }
    dot /= half;
    A[j * n + c] -= dot * first;
    for (int i = j + 1; i < m; i++) { A[i * n + c] -= dot * A[i * n + j]; }
  }
  A[j * n + j] = alpha;
  for (int i = j + 1; i < m; i++) { A[i * n + j] = 0; }
}

void svd_triangle(int m, int n, double *A) {
  for (int j = 0; j < n && j < m - 1; j++) { reflect(m, n, A, j); }
}

/* ---- one-sided Jacobi, on the rows of a matrix W that is the transpose of R ---- */

static void rotate(int n, double c, double s, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y, b[i] = s * x + c * y;
  }
}

/* Makes rows p and q of W orthogonal; returns 1 if they were not orthogonal before. */
static int orthogonalize(int n, double *W, double *V, int p, int q) {
  double *a = W + p * n, *b = W + q * n;
  const double aa = vector_dot(n, a, a), bb = vector_dot(n, b, b), ab = vector_dot(n, a, b);
  if (fabs(ab) <= 1e-15 * sqrt(aa * bb) || ab == 0) { return 0; }
  const double zeta = (bb - aa) / (2 * ab), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t);
  rotate(n, c, c * t, a, b);
  rotate(n, c, c * t, V + p * n, V + q * n);
  return 1;
}

static void transpose(int n, double *A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      const double x = A[i * n + j];
      A[i * n + j] = A[j * n + i], A[j * n + i] = x;
    }
  }
}

static void swap_rows(int n, double *A, int i, int j) {
  for (int k = 0; k < n && i != j; k++) {
    const double x = A[i * n + k];
    A[i * n + k] = A[j * n + k], A[j * n + k] = x;
  }
}

/* Changes the sign of a direction so that its largest component is positive. */
static void orient(int n, double *v) {
  int max = 0;
  for (int i = 1; i < n; i++) {
    if (fabs(v[i]) > fabs(v[max])) { max = i; }
  }
  const double sign = v[max] < 0 ? -1 : 1;
  for (int i = 0; i < n; i++) { v[i] *= sign; }
}

void svd_jacobi(int n, double *R, double *s, double *V) {
  enum { SWEEPS_MAX = 60 };
  int turned = 1;
  transpose(n, R);
  memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
  for (int i = 0; i < n; i++) { V[i * n + i] = 1; }
  for (int sweep = 0; turned && sweep < SWEEPS_MAX; sweep++) {
    turned = 0;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) { turned |= orthogonalize(n, R, V, p, q); }
    }
  }
  /* The columns are orthogonal: their lengths are the singular values, which are sorted with their vectors. */
  for (int i = 0; i < n; i++) { s[i] = sqrt(vector_dot(n, R + i * n, R + i * n)); }
  for (int i = 0; i < n; i++) {
    int max = i;
    for (int k = i + 1; k < n; k++) {
      if (s[k] > s[max]) { max = k; }
    }
    const double x = s[i];
    s[i] = s[max], s[max] = x;
    swap_rows(n, V, i, max), swap_rows(n, R, i, max);
    orient(n, V + i * n);
  }
}
