#include "la/dense.h"

#include <stddef.h>

#if defined(MBD_HAVE_LAPACK) && !defined(MBD_COMPLEX)
#define USE_LAPACK
enum { LAPACK_FROM = 64 }; /* order from which dgetrf is faster than the loops: measured, with OpenBLAS on one thread */
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
#endif

static void swap_rows(int n, mbd_real *a, int i, int k) {
  if (i == k) { return; }
  for (int j = 0; j < n; j++) {
    mbd_real t = a[i * n + j];
    a[i * n + j] = a[k * n + j];
    a[k * n + j] = t;
  }
}

/* A pivot at the level of rounding of the largest entry is no pivot. */
static const double singular_below = 1e-15;

/* Right-looking elimination: the inner loop runs along rows. A = P' L U, L of unit diagonal. */
static mbd_status factor_loops(int n, mbd_real *restrict a, int *piv) {
  const double least = singular_below * mbd_norm_inf(n * n, a);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (mbd_absre(a[i * n + k]) > mbd_absre(a[p * n + k])) { p = i; }
    }
    piv[k] = p;
    if (!(mbd_absre(a[p * n + k]) > least)) { return MBD_SINGULAR; } /* also for NaN */
    swap_rows(n, a, k, p);
    const mbd_real inverse = 1 / a[k * n + k];
    const mbd_real *restrict top = a + k * n;
    for (int i = k + 1; i < n; i++) {
      mbd_real *restrict row = a + i * n;
      if (row[k] == 0) { continue; }
      const mbd_real f = row[k] *= inverse;
      for (int j = k + 1; j < n; j++) { row[j] -= f * top[j]; }
    }
  }
  return MBD_OK;
}

/* LAPACK reads columns, so it sees A' = P L U, that is A = U' L' P': a lower triangle with the pivots, then an upper one
 * of unit diagonal, then the exchanges in reverse. */
#ifdef USE_LAPACK
static mbd_status factor_lapack(int n, double *a, int *piv) {
  const double least = singular_below * mbd_norm_inf(n * n, a);
  int info;
  dgetrf_(&n, &n, a, &n, piv, &info);
  if (info != 0) { return MBD_SINGULAR; }
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i * n + i]) > least)) { return MBD_SINGULAR; }
    piv[i]--;
  }
  return MBD_OK;
}
#endif

static int by_lapack(int n) {
#ifdef USE_LAPACK
  return n >= LAPACK_FROM;
#else
  (void)n;
  return 0;
#endif
}

mbd_status mbd_lu_factor(int n, mbd_real *a, int *piv) {
#ifdef USE_LAPACK
  if (by_lapack(n)) { return factor_lapack(n, a, piv); }
#endif
  return factor_loops(n, a, piv);
}

static void solve_one(int n, const mbd_real *restrict lu, int lower_has_pivots, mbd_real *restrict b) {
  for (int i = 0; i < n; i++) {
    mbd_real v = b[i];
    for (int k = 0; k < i; k++) { v -= lu[i * n + k] * b[k]; }
    b[i] = lower_has_pivots ? v / lu[i * n + i] : v;
  }
  for (int i = n - 1; i >= 0; i--) {
    mbd_real v = b[i];
    for (int k = i + 1; k < n; k++) { v -= lu[i * n + k] * b[k]; }
    b[i] = lower_has_pivots ? v : v / lu[i * n + i];
  }
}

/* b_i := (b_i - sum of f_ik b_k over the given k) / pivot */
static void solve_row(int n, const mbd_real *restrict lu, int i, int from, int to, int divide, int m,
                      mbd_real *restrict b) {
  mbd_real *restrict bi = b + (size_t)i * (size_t)m;
  for (int k = from; k < to; k++) {
    const mbd_real f = lu[i * n + k], *restrict bk = b + (size_t)k * (size_t)m;
    for (int r = 0; r < m; r++) { bi[r] -= f * bk[r]; }
  }
  if (!divide) { return; }
  const mbd_real inverse = 1 / lu[i * n + i];
  for (int r = 0; r < m; r++) { bi[r] *= inverse; }
}

static void swap_sides(int m, mbd_real *b, int i, int k) {
  for (int r = 0; i != k && r < m; r++) {
    mbd_real t = b[i * m + r];
    b[i * m + r] = b[k * m + r];
    b[k * m + r] = t;
  }
}

void mbd_lu_solve(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b) {
  const int lapack = by_lapack(n);
  for (int i = 0; i < n && !lapack; i++) { swap_sides(nrhs, b, i, piv[i]); }
  if (nrhs == 1) {
    solve_one(n, lu, lapack, b);
  } else {
    for (int i = 0; i < n; i++) { solve_row(n, lu, i, 0, i, lapack, nrhs, b); }
    for (int i = n - 1; i >= 0; i--) { solve_row(n, lu, i, i + 1, n, !lapack, nrhs, b); }
  }
  for (int i = n - 1; i >= 0 && lapack; i--) { swap_sides(nrhs, b, i, piv[i]); }
}

void mbd_mul_add(int m, int k, int n, mbd_real s, const mbd_real *restrict a, const mbd_real *restrict b,
                 mbd_real *restrict c) {
  for (int i = 0; i < m; i++) {
    mbd_real *restrict ci = c + (size_t)i * (size_t)n;
    for (int q = 0; q < k; q++) {
      const mbd_real f = s * a[i * k + q], *restrict bq = b + (size_t)q * (size_t)n;
      if (f == 0) { continue; }
      for (int j = 0; j < n; j++) { ci[j] += f * bq[j]; }
    }
  }
}

void mbd_mulT_add(int m, int k, int n, mbd_real s, const mbd_real *restrict a, const mbd_real *restrict b,
                  mbd_real *restrict c) {
  for (int q = 0; q < m; q++) {
    const mbd_real *restrict bq = b + (size_t)q * (size_t)n;
    for (int i = 0; i < k; i++) {
      const mbd_real f = s * a[q * k + i];
      mbd_real *restrict ci = c + (size_t)i * (size_t)n;
      if (f == 0) { continue; }
      for (int j = 0; j < n; j++) { ci[j] += f * bq[j]; }
    }
  }
}

static void swap_int(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

int mbd_rank(int m, int n, double *a, double tol, int *row, int *col) {
  double largest = 0;
  for (int i = 0; i < m; i++) { row[i] = i; }
  for (int j = 0; j < n; j++) { col[j] = j; }
  for (int i = 0; i < m * n; i++) { largest = fabs(a[i]) > largest ? fabs(a[i]) : largest; }
  for (int k = 0; k < m && k < n; k++) {
    int pi = k, pj = k;
    for (int i = k; i < m; i++) {
      for (int j = k; j < n; j++) {
        if (fabs(a[i * n + j]) > fabs(a[pi * n + pj]) * (1 + 1e-12)) { pi = i, pj = j; }
      }
    }
    if (!(fabs(a[pi * n + pj]) > tol * largest)) { return k; }
    swap_int(&row[k], &row[pi]);
    swap_int(&col[k], &col[pj]);
    for (int j = 0; j < n; j++) {
      double t = a[k * n + j];
      a[k * n + j] = a[pi * n + j];
      a[pi * n + j] = t;
    }
    for (int i = 0; i < m; i++) {
      double t = a[i * n + k];
      a[i * n + k] = a[i * n + pj];
      a[i * n + pj] = t;
    }
    for (int i = k + 1; i < m; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) { a[i * n + j] -= f * a[k * n + j]; }
    }
  }
  return m < n ? m : n;
}

double mbd_norm_inf(int n, const mbd_real *x) {
  double v = 0;
  for (int i = 0; i < n; i++) {
    double a = mbd_absre(x[i]);
    if (!isfinite(a)) { return NAN; }
    if (a > v) { v = a; }
  }
  return v;
}
