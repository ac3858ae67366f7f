/* With Q = R R', R [N][r] of eigenvectors, and an orthogonal matrix H that makes all entries in the first row of R H alike, the columns of R H are
 * r points of the same mass: theory.md §12 (12.15). Eigenvectors are those of the matrix scaled to a unit diagonal, by Jacobi's rotations
 * (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed. 2013, section 8.5). */
#include "config/load_moments.h"

#include <math.h>
#include <string.h>

enum { N_MAX = 52 }; /* 16 shapes */

/* One rotation of rows and columns p, q of A, and of the eigenvectors in the rows of V, after which A_pq is zero. */
static void rotate(int N, double *A, double *V, int p, int q) {
  const double apq = A[p * N + q];
  if (apq == 0) { return; }
  const double theta = (A[q * N + q] - A[p * N + p]) / (2 * apq);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < N; k++) {
    const double a = A[k * N + p], b = A[k * N + q];
    A[k * N + p] = c * a - s * b, A[k * N + q] = s * a + c * b;
  }
  for (int k = 0; k < N; k++) {
    const double a = A[p * N + k], b = A[q * N + k], v = V[p * N + k], w = V[q * N + k];
    A[p * N + k] = c * a - s * b, A[q * N + k] = s * a + c * b;
    V[p * N + k] = c * v - s * w, V[q * N + k] = s * v + c * w;
  }
}

/* A = sum_k value_k vector_k vector_k' of a symmetric matrix [N][N]; vectors are rows [N][N], of the length of the scales. Returns the lowest
 * value. */
static double factors(int N, const double *A, double *value, double *vector) {
  double scaled[N_MAX * N_MAX], scale[N_MAX], lowest = 0;
  for (int i = 0; i < N; i++) {
    double row = 0;
    for (int j = 0; j < N; j++) { row = fmax(row, fabs(A[i * N + j])); }
    scale[i] = A[i * N + i] > 1e-14 * row ? sqrt(A[i * N + i]) : sqrt(row);
  }
  for (int i = 0; i < N * N; i++) {
    const double unit = scale[i / N] * scale[i % N];
    scaled[i] = unit > 0 ? A[i] / unit : 0;
    vector[i] = i / N == i % N;
  }
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int p = 0; p < N; p++) {
      for (int q = p + 1; q < N; q++) { rotate(N, scaled, vector, p, q); }
    }
  }
  for (int k = 0; k < N; k++) {
    value[k] = scaled[k * N + k], lowest = fmin(lowest, value[k]);
    for (int i = 0; i < N; i++) { vector[k * N + i] *= scale[i]; }
  }
  return lowest;
}

double moments_points(int N, const double *Q, double *mass, double *x, int *count) {
  double value[N_MAX], R[N_MAX * N_MAX], v[N_MAX], vv = 0;
  const double lowest = factors(N, Q, value, R);
  int r = 0;
  *count = 0;
  if (lowest < -1e-9) { return lowest; }
  for (int k = 0; k < N; k++) {
    if (value[k] <= 1e-12) { continue; }
    for (int i = 0; i < N; i++) { x[r * N + i] = sqrt(value[k]) * R[k * N + i]; }
    r++;
  }
  /* Householder's reflection to equal first entries: their squares are the masses. */
  const double root = sqrt(Q[0] / r);
  for (int k = 0; k < r; k++) { v[k] = x[k * N] - root, vv += v[k] * v[k]; }
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) { sum += x[k * N + i] * v[k]; }
    for (int k = 0; k < r; k++) { x[k * N + i] = (x[k * N + i] - (vv > 0 ? 2 * sum / vv * v[k] : 0)) / root; }
  }
  for (int k = 0; k < r; k++) { mass[k] = root * root; }
  *count = r;
  return lowest;
}

/* Of each eigenvector [c ; w], with y = w/total^(1/2), two points at [1 ; y] and [1 ; -y] and a part of one at [1 ; 0], the last. */
void moments_change(int N, double total, const double *dQ, double *mass, double *x, int *count) {
  double value[N_MAX], vector[N_MAX * N_MAX], centre = 0, largest = 0;
  int n = 0;
  factors(N, dQ, value, vector);
  for (int k = 0; k < N; k++) { largest = fmax(largest, fabs(value[k])); }
  for (int k = 0; k < N; k++) {
    const double c = vector[k * N], sum = value[k] * total, difference = value[k] * c * sqrt(total);
    if (fabs(value[k]) <= 1e-12 * largest) { continue; }
    for (int side = -1; side <= 1; side += 2, n++) {
      mass[n] = (sum + side * difference) / 2, x[n * N] = 1;
      for (int i = 1; i < N; i++) { x[n * N + i] = side * vector[k * N + i] / sqrt(total); }
    }
    centre += value[k] * c * c - sum;
  }
  mass[n] = centre;
  memset(x + n * N, 0, (size_t)N * sizeof *x);
  x[n * N] = 1;
  *count = n + 1;
}

double moments_solve(int N, const double *Q, const double b[4], double y[4]) {
  double A[16], value[4], vector[16], error = 0, size = 0, unit[4];
  for (int i = 0; i < 16; i++) { A[i] = Q[i / 4 * N + i % 4]; }
  for (int i = 0; i < 4; i++) { unit[i] = A[5 * i] > 0 ? sqrt(A[5 * i]) : 1; }
  /* With vectors u scaled by D, A = D (sum value u u') D, and y = D^-1 (sum u u'/value) D^-1 b */
  factors(4, A, value, vector);
  memset(y, 0, 4 * sizeof *y);
  for (int k = 0; k < 4; k++) {
    double ub = 0;
    if (value[k] <= 1e-12) { continue; }
    for (int i = 0; i < 4; i++) { ub += vector[4 * k + i] / (unit[i] * unit[i]) * b[i]; }
    for (int i = 0; i < 4; i++) { y[i] += vector[4 * k + i] / (unit[i] * unit[i]) * ub / value[k]; }
  }
  for (int i = 0; i < 4; i++) {
    double rest = -b[i];
    for (int j = 0; j < 4; j++) { rest += A[4 * i + j] * y[j]; }
    error = fmax(error, fabs(rest) / unit[i]), size = fmax(size, fabs(b[i]) / unit[i]);
  }
  return size > 0 ? error / size : 0;
}
