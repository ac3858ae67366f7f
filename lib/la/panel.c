#include "la/panel.h"

#include <stddef.h>

#include "la/two.h"

static inline void subtract(int columns, int n, const mbd_real *restrict L, ptrdiff_t ld, const mbd_real *restrict from,
                            mbd_real *restrict y) {
  mbd_real f[PANEL_BLOCK];
  int i = 0;
  for (int c = 0; c < columns; c++) { f[c] = from[c]; }
  for (; i + 1 < n; i += 2) { two_store(y + i, two_sub(two_load(y + i), two_sum_of(columns, f, L + i, ld))); }
  if (i < n) { y[i] -= one_sum_of(columns, f, L + i, ld); }
}

void panel_subtract(int n, int wide, const mbd_real *L, int ld, const mbd_real *f, mbd_real *y) {
  for (; wide >= PANEL_BLOCK; wide -= PANEL_BLOCK, L += PANEL_BLOCK * (ptrdiff_t)ld, f += PANEL_BLOCK) {
    subtract(PANEL_BLOCK, n, L, ld, f, y);
  }
  switch (wide) {
    case 0: return;
    case 1: subtract(1, n, L, ld, f, y); return;
    case 2: subtract(2, n, L, ld, f, y); return;
    default: subtract(3, n, L, ld, f, y);
  }
}

static inline void dots(int columns, int n, const mbd_real *restrict L, ptrdiff_t ld, const mbd_real *restrict x,
                        mbd_real *restrict dot) {
  mbd_two sum[PANEL_BLOCK];
  int i = 0;
  for (int c = 0; c < columns; c++) { sum[c] = two_of(0); }
  for (; i + 1 < n; i += 2) {
    const mbd_two v = two_load(x + i);
    for (int c = 0; c < columns; c++) { sum[c] = two_axpy(sum[c], two_load(L + c * ld + i), v); }
  }
  for (int c = 0; c < columns; c++) { dot[c] = two_sum(sum[c]); }
  if (i == n) { return; }
  for (int c = 0; c < columns; c++) { dot[c] += L[c * ld + i] * x[i]; }
}

void panel_dots(int n, int wide, const mbd_real *L, int ld, const mbd_real *x, mbd_real *dot) {
  switch (wide) {
    case 1: dots(1, n, L, ld, x, dot); return;
    case 2: dots(2, n, L, ld, x, dot); return;
    case 3: dots(3, n, L, ld, x, dot); return;
    default: dots(PANEL_BLOCK, n, L, ld, x, dot);
  }
}

void panel_subtract_at(int n, mbd_real f, const mbd_real *restrict L, const int *restrict at, mbd_real *restrict y) {
  const mbd_two factor = two_of(f);
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const mbd_two v = two_mul(factor, two_load(L + i));
    y[at[i]] -= two_first(v), y[at[i + 1]] -= two_second(v);
  }
  if (i < n) { y[at[i]] -= f * L[i]; }
}

mbd_real panel_dot_at(int n, const mbd_real *restrict L, const int *restrict at, const mbd_real *restrict y) {
  mbd_two sum = two_of(0);
  int i = 0;
  for (; i + 1 < n; i += 2) { sum = two_axpy(sum, two_load(L + i), two_from(y[at[i]], y[at[i + 1]])); }
  return i < n ? two_sum(sum) + L[i] * y[at[i]] : two_sum(sum);
}
