#include "la/saddle.h"

#include <stddef.h>
#include <string.h>

#include "la/weak.h"

enum { MOST_CORRECTIONS = 25 };

static const double penalty_factor = 1e5;

/* What is left after a correction of this size is at the level of rounding even if the contraction slows down. */
static const double predict_from = 1e-10;

/* Corrections below this are of rounding alone. */
static const double rounding = 1e-12;

/* y -= A x */
static void times_A(const mbd_saddle *s, int k, const mbd_real *x, mbd_real *y) {
  if (s->product) {
    s->product(s->user, k, -1, x, y);
  } else {
    (s->transposed ? mbd_mulT_add_at : mbd_mul_add_at)(s->n, s->n, k, -1, s->A, s->A_at, x, y);
  }
}

void mbd_saddle_add_Phi(const mbd_saddle *s, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (s->Phi_packed) {
    mbd_packed_mul_add(s->m, k, c, s->Phi_packed, x, y);
  } else {
    mbd_mul_add_at(s->m, s->n, k, c, s->Phi, s->Phi_at, x, y);
  }
}

void mbd_saddle_add_Phi_T(const mbd_saddle *s, int k, mbd_real c, const mbd_real *y, mbd_real *x) {
  if (s->Phi_packed) {
    mbd_packed_mulT_add(s->m, k, c, s->Phi_packed, y, x);
  } else {
    mbd_mulT_add_at(s->m, s->n, k, c, s->Phi, s->Phi_at, y, x);
  }
}

/* rg = g - Phi x + y/k; first: x is zero yet */
static void gap(const mbd_saddle *s, int first, int k, const mbd_real *g, const mbd_real *x, const mbd_real *y,
                mbd_real *rg) {
  const size_t rows = (size_t)s->m * (size_t)k;
  if (rows == 0) { return; }
  memcpy(rg, g, rows * sizeof *g);
  if (!first) { mbd_saddle_add_Phi(s, k, -1, x, rg); }
  for (size_t i = 0; i < rows; i++) { rg[i] += s->compliance * y[i]; }
}

/* dx = (A + alpha Phi' Phi)^-1 (f - A x - Phi' (y - alpha rg)),  y := y - alpha rg + alpha Phi dx: the step leaves
 * A x + Phi' y = f and reduces rg by the ratio of A to the penalty; to zero if k = alpha. Returns its size. */
static double correct(const mbd_saddle *s, int first, int k, const mbd_real *f, const mbd_real *g, mbd_real *x,
                      mbd_real *y, mbd_real *dx, mbd_real *rg) {
  const size_t size = (size_t)s->n * (size_t)k, rows = (size_t)s->m * (size_t)k;
  memcpy(dx, f, size * sizeof *f);
  if (!first) { times_A(s, k, x, dx); }
  gap(s, first, k, g, x, y, rg);
  for (size_t i = 0; i < rows; i++) { y[i] -= s->alpha * rg[i]; }
  mbd_saddle_add_Phi_T(s, k, -1, y, dx);
  mbd_factors_solve(s->lu, s->lu_at, s->transposed, k, dx);
  for (size_t i = 0; i < size; i++) { x[i] += dx[i]; }
  if (rows) { mbd_saddle_add_Phi(s, k, s->alpha, dx, y); }
  return mbd_norm_inf((int)size, dx);
}

void mbd_saddle_solve(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                      mbd_real *dx, mbd_real *rg) {
  const int n = s->n, m = s->m;
  const size_t size = (size_t)n * (size_t)k;
  const int reach = s->weak && m > 0;
  double last = INFINITY, stalled = INFINITY; /* where it contracted no more */
  memset(x, 0, size * sizeof *x);
  for (int it = 0; it < MOST_CORRECTIONS; it++) {
    const double step = correct(s, it == 0, k, f, g, x, y, dx, rg), scale = mbd_norm_inf((int)size, x);
    if (m == 0 && it >= s->at_least) { return; }
    const int done = step <= 1e-14 * scale || step > 0.5 * last || isnan(step); /* reached, or contracts no more */
    const int predicted = s->predict && it > 0 && step <= predict_from * scale && step * (step / last) <= 1e-16 * scale;
    if (predicted && it >= s->at_least) { return; }
    last = step;
    if (!done || it < s->at_least) { continue; }
    if (!reach || !(isinf(stalled) ? step > rounding * scale : step < 0.1 * stalled && step > 0)) { return; }
    gap(s, 0, k, g, x, y, rg);
    mbd_weak_reach(s->weak, s, k, rg, y);
    stalled = step, last = INFINITY;
  }
}

/* Both from the largest entry of A's diagonal and the largest square of the length of a row of Phi. */
static double penalty(int n, const mbd_real *A, double row) {
  double a = 0;
  for (int i = 0; i < n; i++) {
    const double v = mbd_absre(A[i * n + i]);
    a = v > a ? v : a;
  }
  return a > 0 && row > 0 ? penalty_factor * a / row : 1;
}

static double square(int n, const mbd_real *x) {
  double v = 0;
  for (int j = 0; j < n; j++) { v += mbd_re(x[j]) * mbd_re(x[j]); }
  return v;
}

double mbd_saddle_penalty(int n, int m, const mbd_real *A, const mbd_real *Phi) {
  double row = 0;
  for (int r = 0; r < m; r++) { row = fmax(row, square(n, Phi + r * n)); }
  return penalty(n, A, row);
}

double mbd_saddle_penalty_packed(int n, int m, const mbd_real *A, const mbd_packed *Phi) {
  double row = 0;
  for (int r = 0; r < m; r++) {
    const double v = square(Phi->first[r + 1] - Phi->first[r], Phi->val + Phi->first[r]);
    row = v > row ? v : row;
  }
  return penalty(n, A, row);
}
