#include "la/pivots.h"

#include <string.h>

#include "la/strips.h"

void mbd_pivots_layout(mbd_pivots *q, size_t m, size_t n, size_t capacity, size_t k, mbd_arena *a) {
  const size_t max = (m < n ? m : n) + 1;
  q->capacity = (int)capacity;
  q->row = mbd_arena_take(a, max * sizeof *q->row);
  q->col = mbd_arena_take(a, max * sizeof *q->col);
  q->order = mbd_arena_take(a, (n + 1) * sizeof *q->order);
  q->first = mbd_arena_take(a, (max + 1) * sizeof *q->first);
  q->mid = mbd_arena_take(a, max * sizeof *q->mid);
  q->at = mbd_arena_take(a, capacity * sizeof *q->at);
  q->mark = mbd_arena_take(a, max);
  q->val = mbd_arena_real(a, capacity);
  q->inverse = mbd_arena_real(a, max);
  q->y = mbd_arena_real(a, max * k);
}

/* ---- the places ---- */

/* Row i of the factors: the places of the matrix and, for every one before the pivot, those behind the pivot of the row that is subtracted.
 * Returns whether there was room. */
static int find_row(mbd_pivots *q, const mbd_packed *J, int i) {
  const int row = q->row[i];
  int count = q->first[i];
  memset(q->mark, 0, (size_t)q->rank);
  for (int p = J->first[row]; p < J->first[row + 1]; p++) {
    if (q->order[J->col[p]] >= 0) { q->mark[q->order[J->col[p]]] = 1; }
  }
  for (int j = 0; j < q->rank; j++) {
    if (j == i) {
      q->mid[i] = count;
      continue;
    }
    if (!q->mark[j]) { continue; }
    if (count == q->capacity) { return 0; }
    q->at[count++] = j;
    for (int p = q->mid[j]; j < i && p < q->first[j + 1]; p++) { q->mark[q->at[p]] = 1; }
  }
  q->first[i + 1] = count;
  return 1;
}

int mbd_pivots_set(mbd_pivots *q, int n, const mbd_packed *J, int rank, const int *row, const int *col) {
  q->rank = rank, q->first[0] = 0;
  memmove(q->row, row, (size_t)rank * sizeof *row), memmove(q->col, col, (size_t)rank * sizeof *col);
  for (int j = 0; j < n; j++) { q->order[j] = -1; }
  for (int i = 0; i < rank; i++) { q->order[q->col[i]] = i; }
  for (int i = 0; i < rank; i++) {
    if (!find_row(q, J, i)) {
      q->rank = 0;
      return 0;
    }
  }
  return 1;
}

/* ---- factors ---- */

/* Row i of J into y, at the places of row i of the factors. */
static void scatter(const mbd_pivots *q, const mbd_packed *J, int i, mbd_real *y) {
  for (int p = q->first[i]; p < q->first[i + 1]; p++) { y[q->at[p]] = 0; }
  y[i] = 0;
  for (int p = J->first[q->row[i]]; p < J->first[q->row[i] + 1]; p++) {
    const int j = q->order[J->col[p]];
    if (j >= 0) { y[j] = J->val[p]; }
  }
}

/* Row by row: row i of J minus the multiples f = l_ij of the rows of U above it; what remains from column i on is row i of U. Returns the
 * least |u_ii| / max_j |u_ij|, or 0 where a pivot is zero or a number is not finite. */
double mbd_pivots_factor(mbd_pivots *q, const mbd_packed *J) {
  mbd_real *const y = q->y;
  double min = 1;
  for (int i = 0; i < q->rank; i++) {
    scatter(q, J, i, y);
    for (int p = q->first[i]; p < q->mid[i]; p++) {
      const int j = q->at[p];
      const mbd_real f = q->val[p] = y[j] * q->inverse[j];
      for (int r = q->mid[j]; r < q->first[j + 1]; r++) { y[q->at[r]] -= f * q->val[r]; }
    }
    const double pivot = mbd_min(y[i]);
    double max = pivot;
    for (int p = q->mid[i]; p < q->first[i + 1]; p++) {
      const mbd_real v = q->val[p] = y[q->at[p]];
      max = mbd_largest(v) > max ? mbd_largest(v) : max;
    }
    if (!(pivot > 0) || !isfinite(max)) { return 0; }
    min = pivot < min * max ? pivot / max : min;
    q->inverse[i] = 1 / y[i];
  }
  return min;
}

/* ---- solutions ---- */

/* The unknowns of one strip of b [m][k], x [n][k], in the order of the pivots in y [rank][wide]. */
static inline void solve_strip(const mbd_pivots *q, int k, int wide, const mbd_real *restrict b, mbd_real *restrict x) {
  mbd_real *restrict y = q->y;
  for (int i = 0; i < q->rank; i++) {
    mbd_real v[STRIP];
    const mbd_real *bi = b + (size_t)q->row[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { v[r] = bi[r]; }
    for (int p = q->first[i]; p < q->mid[i]; p++) { add_wide(wide, -q->val[p], y + q->at[p] * wide, v); }
    for (int r = 0; r < wide; r++) { y[i * wide + r] = v[r]; }
  }
  for (int i = q->rank - 1; i >= 0; i--) {
    mbd_real v[STRIP], *xi = x + (size_t)q->col[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { v[r] = y[i * wide + r]; }
    for (int p = q->mid[i]; p < q->first[i + 1]; p++) { add_wide(wide, -q->val[p], y + q->at[p] * wide, v); }
    for (int r = 0; r < wide; r++) { xi[r] = y[i * wide + r] = q->inverse[i] * v[r]; }
  }
}

void mbd_pivots_solve(const mbd_pivots *q, int k, const mbd_real *b, mbd_real *x) {
  FOR_STRIPS(k, solve_strip(q, k, wide, b + r, x + r))
}

/* A' = U' L': rows of the factors are columns now, so every unknown is spread over those that it takes part in. */
static inline void transposed_strip(const mbd_pivots *q, int k, int wide, const mbd_real *restrict x,
                                    mbd_real *restrict b) {
  mbd_real *restrict y = q->y, v[STRIP];
  for (int i = 0; i < q->rank; i++) {
    const mbd_real *xi = x + (size_t)q->col[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { y[i * wide + r] = xi[r]; }
  }
  for (int i = 0; i < q->rank; i++) {
    for (int r = 0; r < wide; r++) { v[r] = y[i * wide + r] = q->inverse[i] * y[i * wide + r]; }
    for (int p = q->mid[i]; p < q->first[i + 1]; p++) { add_wide(wide, -q->val[p], v, y + q->at[p] * wide); }
  }
  for (int i = q->rank - 1; i >= 0; i--) {
    mbd_real *bi = b + (size_t)q->row[i] * (size_t)k;
    for (int r = 0; r < wide; r++) { bi[r] = v[r] = y[i * wide + r]; }
    for (int p = q->first[i]; p < q->mid[i]; p++) { add_wide(wide, -q->val[p], v, y + q->at[p] * wide); }
  }
}

void mbd_pivots_solve_T(const mbd_pivots *q, int k, const mbd_real *x, mbd_real *b) {
  FOR_STRIPS(k, transposed_strip(q, k, wide, x + r, b + r))
}
