#include "la/pivots.h"

#include <string.h>

#include "la/strips.h"

void mbd_pivots_layout(mbd_pivots *pivots, size_t m, size_t n, size_t capacity, size_t k, mbd_arena *a) {
  const size_t max = (m < n ? m : n) + 1;
  pivots->capacity = (int)capacity;
  pivots->row = mbd_arena_take(a, max * sizeof *pivots->row);
  pivots->col = mbd_arena_take(a, max * sizeof *pivots->col);
  pivots->order = mbd_arena_take(a, (n + 1) * sizeof *pivots->order);
  pivots->first = mbd_arena_take(a, (max + 1) * sizeof *pivots->first);
  pivots->mid = mbd_arena_take(a, max * sizeof *pivots->mid);
  pivots->at = mbd_arena_take(a, capacity * sizeof *pivots->at);
  pivots->mark = mbd_arena_take(a, max);
  pivots->val = mbd_arena_real(a, capacity);
  pivots->inverse = mbd_arena_real(a, max);
  pivots->y = mbd_arena_real(a, max * k);
}

/* ---- the places ---- */

/* Row i of the factors: the places of the matrix and, for every one before the pivot, those behind the pivot of the row that is subtracted.
 * Returns whether there was capacity. */
static int find_row(mbd_pivots *pivots, const mbd_packed *J, int i) {
  const int row = pivots->row[i];
  int count = pivots->first[i];
  memset(pivots->mark, 0, (size_t)pivots->rank);
  for (int p = J->first[row]; p < J->first[row + 1]; p++) {
    if (pivots->order[J->col[p]] >= 0) { pivots->mark[pivots->order[J->col[p]]] = 1; }
  }
  for (int j = 0; j < pivots->rank; j++) {
    if (j == i) {
      pivots->mid[i] = count;
      continue;
    }
    if (!pivots->mark[j]) { continue; }
    if (count == pivots->capacity) { return 0; }
    pivots->at[count++] = j;
    for (int p = pivots->mid[j]; j < i && p < pivots->first[j + 1]; p++) { pivots->mark[pivots->at[p]] = 1; }
  }
  pivots->first[i + 1] = count;
  return 1;
}

int mbd_pivots_set(mbd_pivots *pivots, int n, const mbd_packed *J, int rank, const int *row, const int *col) {
  pivots->rank = rank, pivots->first[0] = 0;
  memmove(pivots->row, row, (size_t)rank * sizeof *row), memmove(pivots->col, col, (size_t)rank * sizeof *col);
  for (int j = 0; j < n; j++) { pivots->order[j] = -1; }
  for (int i = 0; i < rank; i++) { pivots->order[pivots->col[i]] = i; }
  for (int i = 0; i < rank; i++) {
    if (!find_row(pivots, J, i)) {
      pivots->rank = 0;
      return 0;
    }
  }
  return 1;
}

/* ---- factors ---- */

/* Row i of J into y, at the places of row i of the factors. */
static void scatter(const mbd_pivots *pivots, const mbd_packed *J, int i, mbd_real *y) {
  for (int p = pivots->first[i]; p < pivots->first[i + 1]; p++) { y[pivots->at[p]] = 0; }
  y[i] = 0;
  for (int p = J->first[pivots->row[i]]; p < J->first[pivots->row[i] + 1]; p++) {
    const int j = pivots->order[J->col[p]];
    if (j >= 0) { y[j] = J->val[p]; }
  }
}

/* Row by row: row i of J minus the multiples f = l_ij of the rows of U above it; what remains from column i on is row i of U. Returns the
 * least |u_ii| / max_j |u_ij|, or 0 where a pivot is zero or a number is not finite. */
double mbd_pivots_factor(mbd_pivots *pivots, const mbd_packed *J) {
  mbd_real *const y = pivots->y;
  double min = 1;
  for (int i = 0; i < pivots->rank; i++) {
    /* Row i of J, less the multiples l_ij of the rows of U above it. */
    scatter(pivots, J, i, y);
    for (int p = pivots->first[i]; p < pivots->mid[i]; p++) {
      const int j = pivots->at[p];
      const mbd_real f = pivots->val[p] = y[j] * pivots->inverse[j];
      for (int r = pivots->mid[j]; r < pivots->first[j + 1]; r++) { y[pivots->at[r]] -= f * pivots->val[r]; }
    }
    /* What remains is row i of U: its pivot, its entries behind the pivot, and the largest of all. */
    const double pivot = mbd_min(y[i]);
    double max = pivot;
    for (int p = pivots->mid[i]; p < pivots->first[i + 1]; p++) {
      const mbd_real v = pivots->val[p] = y[pivots->at[p]];
      max = mbd_largest(v) > max ? mbd_largest(v) : max;
    }
    /* The smallest ratio of a pivot to the largest entry of its row measures the accuracy of the factors. */
    if (!(pivot > 0) || !isfinite(max)) { return 0; }
    min = pivot < min * max ? pivot / max : min;
    pivots->inverse[i] = 1 / y[i];
  }
  return min;
}

/* ---- solutions ---- */

/* The unknowns of one strip of b [m][k], x [n][k], in the order of the pivots in y [rank][wide]. */
static inline void solve_strip(const mbd_pivots *pivots, int k, int wide, const mbd_real *restrict b,
                               mbd_real *restrict x) {
  mbd_real *restrict y = pivots->y;
  for (int i = 0; i < pivots->rank; i++) {
    mbd_real v[STRIP];
    const mbd_real *bi = b + (size_t)pivots->row[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
    for (int p = pivots->first[i]; p < pivots->mid[i]; p++) {
      add_wide(wide, -pivots->val[p], y + pivots->at[p] * wide, v);
    }
    for (int r = 0; r < wide; r++) { y[i * wide + r] = v[r]; }
  }
  for (int i = pivots->rank - 1; i >= 0; i--) {
    mbd_real v[STRIP], *xi = x + (size_t)pivots->col[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { v[r] = y[i * wide + r]; }
    for (int p = pivots->mid[i]; p < pivots->first[i + 1]; p++) {
      add_wide(wide, -pivots->val[p], y + pivots->at[p] * wide, v);
    }
    for (int r = 0; r < wide; r++) { xi[r] = y[i * wide + r] = pivots->inverse[i] * v[r]; }
  }
}

void mbd_pivots_solve(const mbd_pivots *pivots, int k, const mbd_real *b, mbd_real *x) {
  FOR_STRIPS(k, solve_strip(pivots, k, wide, b + r, x + r))
}

/* A' = U' L': rows of the factors are columns now, so every unknown is spread over those that it takes part in. */
static inline void transposed_strip(const mbd_pivots *pivots, int k, int wide, const mbd_real *restrict x,
                                    mbd_real *restrict b) {
  mbd_real *restrict y = pivots->y, v[STRIP];
  for (int i = 0; i < pivots->rank; i++) {
    const mbd_real *xi = x + (size_t)pivots->col[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { y[i * wide + r] = xi[r]; }
  }
  for (int i = 0; i < pivots->rank; i++) {
    for (int r = 0; r < wide; r++) { v[r] = y[i * wide + r] = pivots->inverse[i] * y[i * wide + r]; }
    for (int p = pivots->mid[i]; p < pivots->first[i + 1]; p++) {
      add_wide(wide, -pivots->val[p], v, y + pivots->at[p] * wide);
    }
  }
  for (int i = pivots->rank - 1; i >= 0; i--) {
    mbd_real *bi = b + (size_t)pivots->row[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { bi[r] = v[r] = y[i * wide + r]; }
    for (int p = pivots->first[i]; p < pivots->mid[i]; p++) {
      add_wide(wide, -pivots->val[p], v, y + pivots->at[p] * wide);
    }
  }
}

void mbd_pivots_solve_T(const mbd_pivots *pivots, int k, const mbd_real *x, mbd_real *b) {
  FOR_STRIPS(k, transposed_strip(pivots, k, wide, x + r, b + r))
}
