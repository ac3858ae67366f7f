#include "la/fill.h"

#include <stdlib.h>
#include <string.h>

#include "la/strips.h"

struct mbd_fill {
  int n;
  int *first; /* [n + 1] start of each row in col, whose columns ascend and leave out the diagonal */
  int *
      mid; /* [n] the first column behind the diagonal; by symmetry, the columns before it are the rows above the diagonal, too */
  int *col;
};

/* ---- the places ---- */

/* Adds to mark [n][n] the places that elimination fills: row k is subtracted from the rows that have an entry in column k. */
static void eliminate(int n, unsigned char *mark) {
  for (int k = n - 1; k >= 0; k--) {
    for (int i = 0; i < k; i++) {
      if (!mark[i * n + k]) { continue; }
      for (int j = 0; j < k; j++) { mark[i * n + j] |= mark[k * n + j]; }
    }
  }
}

static void mark_places(int n, const mbd_nonzeros *at, unsigned char *mark) {
  for (int i = 0; i < n; i++) {
    mark[i * n + i] = 1;
    const int *col = mbd_nonzeros_row(at, i, n);
    for (int q = 0; q < at->count[i]; q++) { mark[i * n + col[q]] = mark[col[q] * n + i] = 1; }
  }
}

static void list_places(int n, const unsigned char *mark, mbd_fill *f) {
  int count = 0;
  f->n = n;
  for (int i = 0; i < n; i++) {
    f->first[i] = count;
    for (int j = 0; j < n; j++) {
      if (j == i) { f->mid[i] = count; }
      if (j != i && mark[i * n + j]) { f->col[count++] = j; }
    }
  }
  f->first[n] = count;
}

mbd_status mbd_fill_create(int n, const mbd_nonzeros *at, mbd_fill **out, mbd_error *err) {
  const size_t size = (size_t)n * (size_t)n;
  unsigned char *mark = calloc(size + 1, 1);
  mbd_fill *f = *out = calloc(1, sizeof *f);
  if (f) {
    f->first = calloc((size_t)n + 1, sizeof *f->first);
    f->mid = calloc((size_t)n + 1, sizeof *f->mid);
    f->col = calloc(size + 1, sizeof *f->col);
  }
  const int there = mark && f && f->first && f->mid && f->col;
  if (there) {
    mark_places(n, at, mark);
    eliminate(n, mark);
    list_places(n, mark, f);
  }
  free(mark);
  if (!there) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of factors of order %d", n); }
  return MBD_OK;
}

void mbd_fill_destroy(mbd_fill *f) {
  if (!f) { return; }
  free(f->first), free(f->mid), free(f->col);
  free(f);
}

int mbd_fill_count(const mbd_fill *f) {
  return f->n + f->first[f->n];
}

/* ---- the numbers there ---- */

void mbd_fill_copy(const mbd_fill *f, const mbd_real *from, mbd_real *to) {
  const size_t n = (size_t)f->n;
  for (size_t i = 0; i < n; i++, from += n, to += n) {
    to[i] = from[i];
    for (int q = f->first[i]; q < f->first[i + 1]; q++) { to[f->col[q]] = from[f->col[q]]; }
  }
}

void mbd_fill_pack(const mbd_fill *f, const mbd_real *a, mbd_real *list) {
  const size_t n = (size_t)f->n;
  for (size_t i = 0; i < n; i++, a += n) {
    *list++ = a[i];
    for (int q = f->first[i]; q < f->first[i + 1]; q++) { *list++ = a[f->col[q]]; }
  }
}

void mbd_fill_unpack(const mbd_fill *f, const mbd_real *list, mbd_real *a) {
  const size_t n = (size_t)f->n;
  for (size_t i = 0; i < n; i++, a += n) {
    a[i] = *list++;
    for (int q = f->first[i]; q < f->first[i + 1]; q++) { a[f->col[q]] = *list++; }
  }
}

/* ---- factors ---- */

/* row -= f top and row2 -= f2 top at `count` columns */
static inline void subtract_twice(int count, const int *col, mbd_real f, mbd_real f2, const mbd_real *restrict top,
                                  mbd_real *restrict row, mbd_real *restrict row2) {
  for (int q = 0; q < count; q++) {
    const int j = col[q];
    const mbd_real t = top[j];
    row[j] -= f * t;
    row2[j] -= f2 * t;
  }
}

static inline void subtract(int count, const int *col, mbd_real f, const mbd_real *restrict top,
                            mbd_real *restrict row) {
  for (int q = 0; q < count; q++) { row[col[q]] -= f * top[col[q]]; }
}

/* Subtracts row k, whose pivot is on the diagonal, from the rows before it that have an entry in its column. */
static void eliminate_row(const mbd_fill *f, int k, mbd_real *a) {
  const size_t n = (size_t)f->n;
  const int *col = f->col + f->first[k], count = f->mid[k] - f->first[k];
  const mbd_real *top = a + (size_t)k * n, inverse = 1 / top[k];
  int q = count - 1;
  for (; q > 0; q -= 2) {
    mbd_real *row = a + (size_t)col[q] * n, *row2 = a + (size_t)col[q - 1] * n;
    row[k] *= inverse, row2[k] *= inverse;
    subtract_twice(count, col, row[k], row2[k], top, row, row2);
  }
  if (q < 0) { return; }
  mbd_real *row = a + (size_t)col[q] * n;
  row[k] *= inverse;
  subtract(count, col, row[k], top, row);
}

/* Can the diagonal entry be the pivot of column k? It can in a positive definite matrix, where |a_ik|^2 <= a_ii a_kk in any units, and
 * in a matrix close to a positive definite one. */
static int on_diagonal(const mbd_fill *f, int k, const mbd_real *a) {
  const size_t n = (size_t)f->n;
  const double pivot = mbd_min(a[(size_t)k * n + (size_t)k]), enough = pivot / MBD_DIAGONAL_FROM;
  for (int q = f->first[k]; q < f->mid[k]; q++) {
    const size_t i = (size_t)f->col[q];
    const double v = mbd_largest(a[i * n + (size_t)k]);
    if (v > enough && v * v > enough / MBD_DIAGONAL_FROM * mbd_min(a[i * n + i])) { return 0; }
  }
  return 1;
}

mbd_status mbd_fill_factor(const mbd_fill *f, mbd_real *a, int *piv, int *within) {
  const int n = f->n;
  double max = mbd_largest_of_diagonal(n, a);
  *within = 0;
  for (int k = n - 1; k >= 0; k--) {
    if (!on_diagonal(f, k, a)) { return mbd_lu_factor_rest(n, k, max, a, piv); }
    const double pivot = mbd_min(a[k * n + k]);
    if (!mbd_is_pivot(pivot, max)) { return MBD_SINGULAR; }
    max = pivot > max ? pivot : max;
    piv[k] = k;
    eliminate_row(f, k, a);
  }
  *within = 1;
  return MBD_OK;
}

/* ---- solutions ---- */

/* b_i := (b_i - sum of row_j b_j) scale for `wide` columns of b [n][m]; j: columns from list entry q to before `to`, in steps of `by`. */
static inline void solve_row(const int *col, int q, int to, int by, const mbd_real *restrict row, mbd_real scale, int i,
                             int m, int wide, mbd_real *restrict b) {
  mbd_real v[STRIP], *bi = b + (size_t)i * (size_t)m;
  for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
  for (; q != to; q += by) { add_wide(wide, -row[col[q]], b + (size_t)col[q] * (size_t)m, v); }
  for (int r = 0; r < wide; r++) { bi[r] = scale * v[r]; }
}

/* Solves with the upper triangle, of unit diagonal, from the last row on, then with the lower one, which has the pivots. */
static inline void solve_strip(const mbd_fill *f, const mbd_real *lu, int m, int wide, mbd_real *b) {
  const int n = f->n;
  for (int i = n - 1; i >= 0; i--) {
    solve_row(f->col, f->first[i + 1] - 1, f->mid[i] - 1, -1, lu + (size_t)i * (size_t)n, 1, i, m, wide, b);
  }
  for (int i = 0; i < n; i++) {
    const mbd_real *row = lu + (size_t)i * (size_t)n;
    solve_row(f->col, f->first[i], f->mid[i], 1, row, 1 / row[i], i, m, wide, b);
  }
}

/* The same for one column, with the same rounding. */
static void solve_one(const mbd_fill *f, const mbd_real *restrict lu, mbd_real *restrict b) {
  const int n = f->n, *col = f->col;
  for (int i = n - 1; i >= 0; i--) {
    const mbd_real *restrict row = lu + (size_t)i * (size_t)n;
    mbd_real v = b[i];
    for (int q = f->first[i + 1] - 1, to = f->mid[i]; q >= to; q--) { v -= row[col[q]] * b[col[q]]; }
    b[i] = v;
  }
  for (int i = 0; i < n; i++) {
    const mbd_real *restrict row = lu + (size_t)i * (size_t)n;
    mbd_real v = b[i];
    for (int q = f->first[i], to = f->mid[i]; q < to; q++) { v -= row[col[q]] * b[col[q]]; }
    b[i] = 1 / row[i] * v;
  }
}

void mbd_fill_solve(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b) {
  if (k == 1) {
    solve_one(f, lu, b);
    return;
  }
  FOR_STRIPS(k, solve_strip(f, lu, k, wide, b + r))
}

/* b_j -= row_j v over columns from list entry q to before `to`, in steps of `by` */
static inline void spread_row(const int *col, int q, int to, int by, const mbd_real *restrict row, const mbd_real *v,
                              int m, int wide, mbd_real *restrict b) {
  for (; q != to; q += by) { add_wide(wide, -row[col[q]], v, b + (size_t)col[q] * (size_t)m); }
}

/* A' = L' U': solves with L', from the last row on, then with U'. Rows of the factors are columns of their transposes, so that each
 * unknown, once known, is subtracted from all equations in which it occurs. */
static inline void transposed_strip(const mbd_fill *f, const mbd_real *lu, int m, int wide, mbd_real *b) {
  const int n = f->n;
  mbd_real v[STRIP];
  for (int i = n - 1; i >= 0; i--) {
    const mbd_real *row = lu + (size_t)i * (size_t)n;
    mbd_real *bi = b + (size_t)i * (size_t)m;
    for (int r = 0; r < wide; r++) { v[r] = bi[r] = bi[r] / row[i]; }
    spread_row(f->col, f->first[i], f->mid[i], 1, row, v, m, wide, b);
  }
  for (int i = 0; i < n; i++) {
    const mbd_real *bi = b + (size_t)i * (size_t)m;
    for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
    spread_row(f->col, f->first[i + 1] - 1, f->mid[i] - 1, -1, lu + (size_t)i * (size_t)n, v, m, wide, b);
  }
}

void mbd_fill_solve_T(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b) {
  FOR_STRIPS(k, transposed_strip(f, lu, k, wide, b + r))
}
