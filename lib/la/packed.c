#include "la/packed.h"

#include <stddef.h>
#include <string.h>

#include "la/two.h"

enum { ROWS_MAX = 4 }; /* largest number of rows of a group that are multiplied together */

/* y += f x, k numbers */
static inline void add_row(int k, mbd_real f, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int r = 0; r < k; r++) { y[r] += f * x[r]; }
}

/* Row i times b, as two independent sums, which the processor computes in parallel. */
static inline mbd_real row_dot(const mbd_packed *p, int i, const mbd_real *restrict b) {
  const int end = p->first[i + 1];
  mbd_real even = 0, odd = 0;
  int q = p->first[i];
  for (; q + 1 < end; q += 2) {
    even += p->val[q] * b[p->col[q]];
    odd += p->val[q + 1] * b[p->col[q + 1]];
  }
  if (q < end) { even += p->val[q] * b[p->col[q]]; }
  return even + odd;
}

/* ---- groups of rows with the same columns ---- */

static int same_columns(const mbd_packed *p, int i, int j) {
  const int n = p->first[i + 1] - p->first[i];
  return p->first[j + 1] - p->first[j] == n &&
         memcmp(p->col + p->first[i], p->col + p->first[j], (size_t)n * sizeof *p->col) == 0;
}

void mbd_packed_find_alike(int m, const mbd_packed *p) {
  mbd_alike *alike = p->alike;
  int rows = 0;
  alike->count = 0;
  for (int i = 0; i < m; i++) {
    if (p->first[i + 1] == p->first[i]) { continue; }
    if (rows == 0 || !same_columns(p, alike->row[rows - 1], i)) { alike->begin[alike->count++] = rows; }
    alike->row[rows++] = i;
  }
  alike->begin[alike->count] = rows;
}

/* Rows of a group: v has n numbers of each row, col [n] their common columns, `row` the numbers of the rows. How many
 * rows there are is a constant argument of the functions below. */
typedef struct some_rows {
  ptrdiff_t n;
  const mbd_real *v;
  const int *col, *row;
} some_rows;

/* c += s a b */
static inline void mul_rows(int rows, some_rows q, mbd_real s, const mbd_real *restrict b, mbd_real *restrict c) {
  const mbd_real last = q.n % 2 ? b[q.col[q.n - 1]] : 0;
  mbd_two dot[ROWS_MAX];
  for (int r = 0; r < rows; r++) { dot[r] = two_of(0); }
  for (ptrdiff_t k = 0; k + 1 < q.n; k += 2) {
    const mbd_two x = two_from(b[q.col[k]], b[q.col[k + 1]]);
    for (int r = 0; r < rows; r++) { dot[r] = two_axpy(dot[r], two_load(q.v + r * q.n + k), x); }
  }
  for (int r = 0; r < rows; r++) {
    const mbd_real sum = two_sum(dot[r]);
    c[q.row[r]] += s * (q.n % 2 ? sum + q.v[r * q.n + q.n - 1] * last : sum);
  }
}

/* c += s a' b */
static inline void mulT_rows(int rows, some_rows q, mbd_real s, const mbd_real *restrict b, mbd_real *restrict c) {
  mbd_real f[ROWS_MAX];
  for (int r = 0; r < rows; r++) { f[r] = s * b[q.row[r]]; }
  for (ptrdiff_t k = 0; k + 1 < q.n; k += 2) {
    mbd_two x = two_mul(two_of(f[0]), two_load(q.v + k));
    for (int r = 1; r < rows; r++) { x = two_axpy(x, two_of(f[r]), two_load(q.v + r * q.n + k)); }
    c[q.col[k]] += two_first(x), c[q.col[k + 1]] += two_second(x);
  }
  if (q.n % 2 == 0) { return; }
  mbd_real x = 0;
  for (int r = 0; r < rows; r++) { x += f[r] * q.v[r * q.n + q.n - 1]; }
  c[q.col[q.n - 1]] += x;
}

/* Calls `function`, one of the two above, for all rows of all groups. */
#define FOR_GROUPS(function)                                                                 \
  for (int g = 0; g < p->alike->count; g++) {                                                \
    const int end = p->alike->begin[g + 1];                                                  \
    for (int i = p->alike->begin[g], take; i < end; i += take) {                             \
      const int *row = p->alike->row + i, first = p->first[*row];                            \
      const some_rows q = {p->first[*row + 1] - first, p->val + first, p->col + first, row}; \
      take = end - i < ROWS_MAX ? end - i : ROWS_MAX;                                        \
      switch (take) {                                                                        \
        case 1: function(1, q, s, b, c); break;                                              \
        case 2: function(2, q, s, b, c); break;                                              \
        case 3: function(3, q, s, b, c); break;                                              \
        default: function(ROWS_MAX, q, s, b, c);                                             \
      }                                                                                      \
    }                                                                                        \
  }

/* ---- products ---- */

void mbd_packed_mul_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *restrict b,
                        mbd_real *restrict c) {
  if (k == 1 && p->alike) {
    FOR_GROUPS(mul_rows)
    return;
  }
  for (int i = 0; i < m && k == 1; i++) { c[i] += s * row_dot(p, i, b); }
  for (int i = 0; i < m && k > 1; i++) {
    for (int q = p->first[i]; q < p->first[i + 1]; q++) {
      add_row(k, s * p->val[q], b + (size_t)p->col[q] * (size_t)k, c + (size_t)i * (size_t)k);
    }
  }
}

void mbd_packed_mulT_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *restrict b,
                         mbd_real *restrict c) {
  if (k == 1 && p->alike) {
    FOR_GROUPS(mulT_rows)
    return;
  }
  for (int i = 0; i < m && k == 1; i++) {
    const mbd_real f = s * b[i];
    for (int q = p->first[i]; q < p->first[i + 1]; q++) { c[p->col[q]] += f * p->val[q]; }
  }
  for (int i = 0; i < m && k > 1; i++) {
    for (int q = p->first[i]; q < p->first[i + 1]; q++) {
      add_row(k, s * p->val[q], b + (size_t)i * (size_t)k, c + (size_t)p->col[q] * (size_t)k);
    }
  }
}
