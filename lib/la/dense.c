#include "la/dense.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "la/strips.h"

#if defined(MBD_HAVE_LAPACK) && !defined(MBD_COMPLEX) && !defined(__EMSCRIPTEN__) /* pages have no fast one */
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

/* A matrix is singular if a pivot is at the level of rounding of the largest diagonal entry or of an earlier pivot. */
static const double singular_below = 1e-15;

int mbd_is_pivot(double pivot, double max) {
  return pivot > singular_below * max && pivot <= DBL_MAX; /* not NaN */
}

double mbd_largest_of_diagonal(int n, const mbd_real *a) {
  double max = 0;
  for (int i = 0; i < n; i++) {
    const double v = mbd_largest(a[i * n + i]);
    max = v > max ? v : max;
  }
  return max;
}

static int pivot_row(int n, const mbd_real *a, int k) {
  int p = k;
  double max = mbd_min(a[k * n + k]);
  const double enough = max / MBD_DIAGONAL_FROM;
  for (int i = 0; i < k; i++) { /* of equal ones the last */
    const double v = mbd_min(a[i * n + k]);
    if (v >= max) { p = i, max = v; }
  }
  return max > enough ? p : k;
}

/* row -= f top and row2 -= f2 top, n numbers */
static void subtract_twice(int n, mbd_real f, mbd_real f2, const mbd_real *restrict top, mbd_real *restrict row,
                           mbd_real *restrict row2) {
  for (int j = 0; j < n; j++) {
    const mbd_real t = top[j];
    row[j] -= f * t;
    row2[j] -= f2 * t;
  }
}

static void subtract(int n, mbd_real f, const mbd_real *restrict top, mbd_real *restrict row) {
  for (int j = 0; j < n; j++) { row[j] -= f * top[j]; }
}

/* Elimination from the last row to the first. Coordinates are numbered from the root of a tree to its leaves, and a leaf is not
 * coupled to other branches, so that rows of other branches do not change. The inner loop runs along rows.
 * A = P' U L, where U has a unit diagonal and L holds the pivots. */
mbd_status mbd_lu_factor_rest(int n, int from, double max, mbd_real *restrict a, int *piv) {
  for (int k = from; k >= 0; k--) {
    /* The pivot of column k; its row is exchanged with row k. */
    const int p = piv[k] = pivot_row(n, a, k);
    const double pivot = mbd_min(a[p * n + k]);
    if (!mbd_is_pivot(pivot, max)) { return MBD_SINGULAR; }
    max = pivot > max ? pivot : max;
    swap_rows(n, a, k, p);
    /* The multipliers of the rows above in column k, and these rows less their multiples of row k, two at a time. */
    const mbd_real inverse = 1 / a[k * n + k];
    const mbd_real *top = a + k * n;
    mbd_real *waiting = NULL; /* a row that is subtracted together with the next one */
    for (int i = k - 1; i >= 0; i--) {
      mbd_real *row = a + i * n;
      if (mbd_none(row[k] != 0)) { continue; }
      row[k] *= inverse;
      if (waiting) {
        subtract_twice(k, row[k], waiting[k], top, row, waiting);
        waiting = NULL;
      } else {
        waiting = row;
      }
    }
    if (waiting) { subtract(k, waiting[k], top, waiting); }
  }
  return MBD_OK;
}

/* LAPACK stores matrices by columns and therefore factors A' = P L U, that is A = U' L' P': a lower triangle with the pivots,
 * then an upper one of unit diagonal, then the exchanges in reverse order. */
#ifdef USE_LAPACK
static mbd_status factor_lapack(int n, double *a, int *piv) {
  double max = mbd_largest_of_diagonal(n, a);
  int info;
  dgetrf_(&n, &n, a, &n, piv, &info);
  if (info != 0) { return MBD_SINGULAR; }
  for (int i = 0; i < n; i++) {
    const double pivot = fabs(a[i * n + i]);
    if (!mbd_is_pivot(pivot, max)) { return MBD_SINGULAR; }
    max = pivot > max ? pivot : max;
    piv[i]--;
  }
  return MBD_OK;
}
#endif

int mbd_lu_by_library(int n) {
#ifdef USE_LAPACK
  return n >= LAPACK_FROM;
#else
  (void)n;
  return 0;
#endif
}

mbd_status mbd_lu_factor(int n, mbd_real *a, int *piv) {
#ifdef USE_LAPACK
  if (mbd_lu_by_library(n)) { return factor_lapack(n, a, piv); }
#endif
  return mbd_lu_factor_rest(n, n - 1, mbd_largest_of_diagonal(n, a), a, piv);
}

/* b_i := (b_i - sum over k of f_ik b_k) / pivot, k from `from` to before `to`, for `wide` columns of b [n][m] */
static inline void solve_row(int n, const mbd_real *restrict lu, int i, int from, int to, int divide, int m, int wide,
                             mbd_real *restrict b) {
  mbd_real v[STRIP], *bi = b + (size_t)i * (size_t)m;
  for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
  for (int k = from, by = from < to ? 1 : -1; k != to; k += by) {
    add_wide(wide, -lu[i * n + k], b + (size_t)k * (size_t)m, v);
  }
  const mbd_real scale = divide ? 1 / lu[i * n + i] : 1;
  for (int r = 0; r < wide; r++) { bi[r] = scale * v[r]; }
}

/* Solves with both triangles. The lower one has the pivots, the upper one a unit diagonal. In LAPACK's factors the lower one is the
 * first, in ours the last. */
static inline void solve_strip(int n, const mbd_real *lu, int lower_first, int m, int wide, mbd_real *b) {
  for (int i = 0; i < n && lower_first; i++) { solve_row(n, lu, i, 0, i, 1, m, wide, b); }
  for (int i = n - 1; i >= 0; i--) { solve_row(n, lu, i, n - 1, i, 0, m, wide, b); }
  for (int i = 0; i < n && !lower_first; i++) { solve_row(n, lu, i, 0, i, 1, m, wide, b); }
}

void mbd_lu_solve(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b) {
  const int lapack = mbd_lu_by_library(n);
  for (int i = n - 1; i >= 0 && !lapack; i--) { swap_rows(nrhs, b, i, piv[i]); }
  FOR_STRIPS(nrhs, solve_strip(n, lu, lapack, nrhs, wide, b + r))
  for (int i = n - 1; i >= 0 && lapack; i--) { swap_rows(nrhs, b, i, piv[i]); }
}

/* ---- the transposed system ---- */

/* A' = L' U' P: solves with L', from the last row on, then with U' of unit diagonal. Rows of the factors are columns of their
 * transposes, so that each unknown, once known, is subtracted from all equations in which it occurs. */
static inline void spread_range(int n, const mbd_real *restrict lu, int i, int from, int to, int m, int wide,
                                mbd_real *restrict b) {
  const mbd_real *bi = b + (size_t)i * (size_t)m;
  mbd_real v[STRIP];
  for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
  for (int k = from; k < to; k++) { add_wide(wide, -lu[i * n + k], v, b + (size_t)k * (size_t)m); }
}

static inline void transposed_strip(int n, const mbd_real *lu, int upper_first, int m, int wide, mbd_real *b) {
  for (int i = 0; i < n && upper_first; i++) { spread_range(n, lu, i, i + 1, n, m, wide, b); }
  for (int i = n - 1; i >= 0; i--) {
    for (int r = 0; r < wide; r++) { b[(size_t)i * (size_t)m + (size_t)r] /= lu[i * n + i]; }
    spread_range(n, lu, i, 0, i, m, wide, b);
  }
  for (int i = 0; i < n && !upper_first; i++) { spread_range(n, lu, i, i + 1, n, m, wide, b); }
}

void mbd_lu_solve_T(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b) {
  const int lapack = mbd_lu_by_library(n);
  for (int i = 0; i < n && lapack; i++) { swap_rows(nrhs, b, i, piv[i]); }
  FOR_STRIPS(nrhs, transposed_strip(n, lu, lapack, nrhs, wide, b + r))
  for (int i = 0; i < n && !lapack; i++) { swap_rows(nrhs, b, i, piv[i]); }
}

/* sum of a_i b_i, in four partial sums */
static mbd_real dot(int n, const mbd_real *restrict a, const mbd_real *restrict b) {
  mbd_real v[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int r = 0; r < 4; r++) { v[r] += a[i + r] * b[i + r]; }
  }
  for (; i < n; i++) { v[0] += a[i] * b[i]; }
  return (v[0] + v[1]) + (v[2] + v[3]);
}

/* c_ij += s sum_q a_iq b_qj for `wide` columns j of b and c [.][n]; a_iq at a[i * di + q * dq] */
static inline void mul_strip(int m, int k, int n, mbd_real s, const mbd_real *a, int di, int dq, const mbd_real *b,
                             int wide, mbd_real *restrict c) {
  for (int i = 0; i < m; i++) {
    mbd_real v[STRIP] = {0}, *ci = c + (size_t)i * (size_t)n;
    for (int q = 0; q < k; q++) { add_wide(wide, a[i * di + q * dq], b + (size_t)q * (size_t)n, v); }
    for (int r = 0; r < wide; r++) { ci[r] += s * v[r]; }
  }
}

void mbd_mul_add(int m, int k, int n, mbd_real s, const mbd_real *restrict a, const mbd_real *restrict b,
                 mbd_real *restrict c) {
  if (n == 1) {
    for (int i = 0; i < m; i++) { c[i] += s * dot(k, a + i * k, b); }
    return;
  }
  FOR_STRIPS(n, mul_strip(m, k, n, s, a, k, 1, b + r, wide, c + r))
}

void mbd_mulT_add(int m, int k, int n, mbd_real s, const mbd_real *restrict a, const mbd_real *restrict b,
                  mbd_real *restrict c) {
  if (n == 1) {
    for (int q = 0; q < m; q++) {
      const mbd_real f = s * b[q], *restrict aq = a + q * k;
      for (int i = 0; i < k; i++) { c[i] += f * aq[i]; }
    }
    return;
  }
  FOR_STRIPS(n, mul_strip(k, m, n, s, a, 1, k, b + r, wide, c + r))
}

int mbd_nonzeros_places(int m, const mbd_nonzeros *z) {
  int places = 0;
  for (int i = 0; i < m; i++) { places += z->count[i]; }
  return places;
}

void mbd_nonzeros_clear(int n, const mbd_nonzeros *z, mbd_real *a) {
  if (!z || z->mirror) {
    memset(a, 0, (z ? (size_t)mbd_nonzeros_places(n, z) : (size_t)n * (size_t)n) * sizeof *a);
    return;
  }
  for (int i = 0; i < n; i++) {
    const int *col = mbd_nonzeros_row(z, i, n);
    for (int q = 0; q < z->count[i]; q++) { a[(size_t)i * (size_t)n + (size_t)col[q]] = 0; }
  }
}

int mbd_nonzeros_place(const mbd_nonzeros *z, int i, int j) {
  int low = z->first[i], high = low + z->count[i] - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (z->col[middle] < j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void mbd_nonzeros_find(int m, int n, const mbd_real *a, const mbd_nonzeros *z) {
  for (int i = 0; i < m; i++) {
    int count = 0, *col = mbd_nonzeros_row(z, i, n);
    for (int j = 0; j < n; j++) {
      col[count] = j;
      count += mbd_any(a[i * n + j] != 0);
    }
    z->count[i] = count;
  }
}

void mbd_nonzeros_list(int m, int n, const unsigned char *mark, const mbd_nonzeros *z) {
  for (int i = 0; i < m; i++) {
    z->count[i] = 0;
    for (int j = 0; j < n; j++) {
      if (mark[i * n + j]) { mbd_nonzeros_row(z, i, n)[z->count[i]++] = j; }
    }
  }
}

/* The same product, over the columns of each row that are not zero. packed: a constant, z->mirror != NULL */
static inline void mul_strip_at(int packed, int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z,
                                const mbd_real *b, int wide, mbd_real *restrict c) {
  for (int i = 0; i < m; i++) {
    const int *col = mbd_nonzeros_row(z, i, k), count = z->count[i];
    const mbd_real *row = a + (packed ? z->first[i] : i * k);
    mbd_real v[STRIP] = {0}, *ci = c + (size_t)i * (size_t)n;
    for (int q = 0; q < count; q++) { add_wide(wide, row[packed ? q : col[q]], b + (size_t)col[q] * (size_t)n, v); }
    for (int r = 0; r < wide; r++) { ci[r] += s * v[r]; }
  }
}

void mbd_mul_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                    mbd_real *c) {
  if (z && z->mirror) {
    FOR_STRIPS(n, mul_strip_at(1, m, k, n, s, a, z, b + r, wide, c + r))
  } else if (z) {
    FOR_STRIPS(n, mul_strip_at(0, m, k, n, s, a, z, b + r, wide, c + r))
  } else {
    mbd_mul_add(m, k, n, s, a, b, c);
  }
}

/* c_q += s a_iq b_i over the columns q of each row that are not zero */
static inline void spread_strip_at(int packed, int m, int k, int n, mbd_real s, const mbd_real *a,
                                   const mbd_nonzeros *z, const mbd_real *b, int wide, mbd_real *restrict c) {
  for (int i = 0; i < m; i++) {
    const int *col = mbd_nonzeros_row(z, i, k), count = z->count[i];
    const mbd_real *row = a + (packed ? z->first[i] : i * k), *bi = b + (size_t)i * (size_t)n;
    mbd_real v[STRIP];
    for (int r = 0; r < wide; r++) { v[r] = s * bi[r]; }
    for (int q = 0; q < count; q++) { add_wide(wide, row[packed ? q : col[q]], v, c + (size_t)col[q] * (size_t)n); }
  }
}

void mbd_mulT_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                     mbd_real *c) {
  if (z && z->mirror) {
    FOR_STRIPS(n, spread_strip_at(1, m, k, n, s, a, z, b + r, wide, c + r))
  } else if (z) {
    FOR_STRIPS(n, spread_strip_at(0, m, k, n, s, a, z, b + r, wide, c + r))
  } else {
    mbd_mulT_add(m, k, n, s, a, b, c);
  }
}

static void swap_int(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static double largest_from(const double *row, int from, int to) {
  double max = 0;
  for (int j = from; j < to; j++) { max = fabs(row[j]) > max ? fabs(row[j]) : max; }
  return max;
}

int mbd_rank(int m, int n, double *a, double tol, int *row, int *col) {
  return mbd_rank_above(m, n, a, tol * largest_from(a, 0, m * n), row, col);
}

/* Finds the pivot of step k: the largest entry from row and column k on, of equal ones the first. A row is searched only if its
 * largest entry, most[i], exceeds the largest one found so far. */
static void find_pivot(int m, int n, const double *a, int k, const double *max, int *pi, int *pj) {
  *pi = k, *pj = k;
  double enough = fabs(a[k * n + k]) * (1 + MBD_EQUAL_PIVOTS);
  for (int i = k; i < m; i++) {
    if (!(max[i] > enough)) { continue; }
    for (int j = k; j < n; j++) {
      if (!(fabs(a[i * n + j]) > enough)) { continue; }
      *pi = i, *pj = j;
      enough = fabs(a[i * n + j]) * (1 + MBD_EQUAL_PIVOTS);
    }
  }
}

/* Exchanges row and column k with those of the pivot. */
static void exchange(int m, int n, double *a, int k, int pi, int pj) {
  for (int j = k; j < n && pi != k; j++) {
    const double t = a[k * n + j];
    a[k * n + j] = a[pi * n + j];
    a[pi * n + j] = t;
  }
  for (int i = k; i < m && pj != k; i++) {
    const double t = a[i * n + k];
    a[i * n + k] = a[i * n + pj];
    a[i * n + pj] = t;
  }
}

/* Elements depend on few coordinates, so that most rows have no entry in the column of the pivot and need no elimination. */
int mbd_rank_above(int m, int n, double *a, double smallest, int *row, int *col) {
  double *max = a + (size_t)m * (size_t)n;
  for (int i = 0; i < m; i++) { row[i] = i, max[i] = largest_from(a + i * n, 0, n); }
  for (int j = 0; j < n; j++) { col[j] = j; }
  for (int k = 0; k < m && k < n; k++) {
    int pi, pj;
    find_pivot(m, n, a, k, max, &pi, &pj);
    if (!(fabs(a[pi * n + pj]) > smallest)) { return k; }
    swap_int(&row[k], &row[pi]);
    swap_int(&col[k], &col[pj]);
    exchange(m, n, a, k, pi, pj);
    max[pi] = max[k];
    for (int i = k + 1; i < m; i++) {
      if (a[i * n + k] == 0) { continue; }
      const double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) { a[i * n + j] -= f * a[k * n + j]; }
      max[i] = largest_from(a + i * n, k + 1, n);
    }
  }
  return m < n ? m : n;
}

#if MBD_DESIGNS > 1

/* As below NaN if a number is not finite. */
mbd_value mbd_norm_of_each(int n, const mbd_real *x) {
  mbd_value max = 0;
  for (int i = 0; i < n; i++) {
    const mbd_value a = mbd_abs(x[i]);
    max = mbd_select((a > max) | (a != a), a, max);
  }
  return max + 0 * max;
}

double mbd_norm_inf(int n, const mbd_real *x) {
  return mbd_largest(mbd_norm_of_each(n, x));
}

#else

/* Two maxima at a time; `nothing` is 0, or NaN if a number is not finite, because the comparisons of the maxima ignore
 * NaN. */
double mbd_norm_inf(int n, const mbd_real *x) {
  double max[2] = {0}, nothing[2] = {0};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    MBD_IN_PAIRS
    for (int r = 0; r < 2; r++) {
      const double a = mbd_largest(x[i + r]);
      max[r] = max[r] > a ? max[r] : a;
      nothing[r] += 0 * a;
    }
  }
  if (i < n) {
    const double a = mbd_largest(x[i]);
    max[0] = max[0] > a ? max[0] : a;
    nothing[0] += 0 * a;
  }
  return (max[0] > max[1] ? max[0] : max[1]) + (nothing[0] + nothing[1]);
}

#endif

mbd_real mbd_orthogonalize(int n, int count, const mbd_real *Q, mbd_real *x, mbd_real *part) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      const mbd_real along = mbd_dot(n, Q + k * n, x);
      if (part) { part[k] += along; }
      mbd_axpy(n, -along, Q + k * n, x);
    }
  }
  return mbd_dot(n, x, x);
}
