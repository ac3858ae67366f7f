#include "la/packed.h"

#include <stddef.h>

/* y += f x, k numbers */
static inline void add_row(int k, mbd_real f, const mbd_real *restrict x, mbd_real *restrict y) {
  for (int r = 0; r < k; r++) { y[r] += f * x[r]; }
}

/* Row i times b, as two sums that do not wait for each other. */
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

void mbd_packed_mul_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *restrict b,
                        mbd_real *restrict c) {
  for (int i = 0; i < m && k == 1; i++) { c[i] += s * row_dot(p, i, b); }
  for (int i = 0; i < m && k > 1; i++) {
    for (int q = p->first[i]; q < p->first[i + 1]; q++) {
      add_row(k, s * p->val[q], b + (size_t)p->col[q] * (size_t)k, c + (size_t)i * (size_t)k);
    }
  }
}

void mbd_packed_mulT_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *restrict b,
                         mbd_real *restrict c) {
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
