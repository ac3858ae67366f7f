/* Several designs at once (base/designs.h): each takes the formulas that hold for it, as if it were computed alone. */
#include <stdio.h>

#include "base/operator.h"
#include "base/smooth.h"
#include "la/dense.h"
#include "la/gmres.h"
#include "la/saddle.h"

_Thread_local int designs_apart;

static int failed;

/* y of several designs, and of design i in all places: the numbers of design i are the same. */
static void check(const char *name, int i, mbd_real y, mbd_real alone) {
  if (y[i] == alone[i]) { return; }
  printf("%s: design %d has %.17g, alone %.17g\n", name, i, y[i], alone[i]);
  failed = 1;
}

static void check_smooth(void) {
  const mbd_real u = {-0.5, 0.25, 0.75, 2};
  mbd_real s[4], alone[4];
  smooth_step(u, s);
  for (int i = 0; i < MBD_DESIGNS; i++) {
    smooth_step(u[i], alone);
    for (int k = 0; k < 4; k++) { check("smooth_step", i, s[k], alone[k]); }
    check("smooth_ramp", i, smooth_ramp(u), smooth_ramp(u[i]));
    check("smooth_bowl", i, smooth_bowl(u), smooth_bowl(u[i]));
  }
}

static void check_operators(void) {
  const mbd_real a = {-2, 3, 0.5, 0}, b = {2, 1, 0.5, 0};
  for (const char *const *name = (const char *const[]){"abs", "min", "max", "pow", NULL}; *name; name++) {
    const mbd_operator_info *op = mbd_operator_at(mbd_operator_find(*name));
    mbd_real by[2] = {0}, alone[2] = {0};
    op->d(a, b, &by[0], &by[1]);
    for (int i = 0; i < MBD_DESIGNS; i++) {
      op->d(a[i], b[i], &alone[0], &alone[1]);
      check(*name, i, op->f(a, b), op->f(a[i], b[i]));
      for (int k = 0; k < 2; k++) { check(*name, i, by[k], alone[k]); }
    }
  }
}

/* One order of pivots for all, which is good enough for each; a matrix that is singular for one design is singular. */
static void check_factors(void) {
  mbd_real A[4] = {{4, 1e-3, 3, 5}, 1, 2, {5, 1, -4, 1}}, b[2] = {1, {2, 3, 4, 5}};
  const mbd_real A_[4] = {A[0], A[1], A[2], A[3]}, b_[2] = {b[0], b[1]};
  int piv[2];
  if (mbd_lu_factor(2, A, piv) != MBD_OK) { printf("lu: singular\n"), failed = 1; }
  mbd_lu_solve(2, A, piv, 1, b);
  for (int r = 0; r < 2; r++) {
    if (!(mbd_largest(A_[2 * r] * b[0] + A_[2 * r + 1] * b[1] - b_[r]) < 1e-12)) {
      printf("lu: row %d\n", r), failed = 1;
    }
  }
  mbd_real S[4] = {1, 2, 2, {1, 2, 4, 8}};
  if (mbd_lu_factor(2, S, piv) != MBD_SINGULAR) { printf("lu: one design is singular\n"), failed = 1; }
}

enum { SYSTEM = 6 };

/* The unit matrix but for two directions. */
static void times(void *user, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  for (int i = 0; i < SYSTEM; i++) {
    y[i] += c * x[i];
    for (int j = 0; j < SYSTEM; j++) {
      y[i] += c * (sin(2.0 * i + 1) * cos(1.3 * j) + sin(3.0 * i) * cos(j - 0.4)) * x[j];
    }
  }
  (void)user, (void)k;
}

/* Right-hand sides of very different sizes, and zero: each has the accuracy, and the bits, that it has alone. */
static void check_gmres(void) {
  static mbd_real v[(SYSTEM + 1) * SYSTEM], h[(SYSTEM + 1) * SYSTEM], c[SYSTEM + 1], s[SYSTEM + 1], g[SYSTEM + 1],
      r[SYSTEM], dx[SYSTEM];
  const mbd_gmres q = {
      .n = SYSTEM, .max = SYSTEM, .product = times, .v = v, .h = h, .c = c, .s = s, .g = g, .r = r, .dx = dx};
  const mbd_real size = {1, 1e-9, 0, 1e9};
  mbd_real b[SYSTEM], x[2][SYSTEM], alone[2][SYSTEM];
  for (int i = 0; i < SYSTEM; i++) { b[i] = size * (1 + 0.3 * i * i); }
  for (int i = 0; i < SYSTEM; i++) { b[i][0] = sin(3.0 * i); } /* two products suffice */
  mbd_gmres_cycle(&q, 1e-6, b, x[0]), (void)mbd_gmres_solve(&q, b, x[1]);
  for (int i = 0; i < MBD_DESIGNS; i++) {
    mbd_real own[SYSTEM];
    for (int k = 0; k < SYSTEM; k++) { own[k] = b[k][i]; }
    mbd_gmres_cycle(&q, 1e-6, own, alone[0]), (void)mbd_gmres_solve(&q, own, alone[1]);
    for (int k = 0; k < 2 * SYSTEM; k++) {
      check("gmres", i, x[k / SYSTEM][k % SYSTEM], alone[k / SYSTEM][k % SYSTEM]);
    }
  }
}

/* A x + phi' y = f, phi x = g with A of larger and smaller numbers than the penalty, so that the third design takes many corrections, and the others few;
 * solutions of very different sizes. Each is exact. */
static void check_saddle(void) {
  enum { N = 3 };
  const mbd_real stiff = {1, 2, 1e4, 3}, size = {1e9, 1, 1e-9, 0}, phi[N] = {1, 2, -1};
  const mbd_real A[N * N] = {stiff, 1, 0, 1, stiff + 3, 1, 0, 1, 2 * stiff};
  mbd_real K[N * N], f[N], x[N], y[1] = {0}, dx[N], rg[1];
  int piv[N];
  for (int i = 0; i < N; i++) {
    f[i] = size * (1 + 0.3 * i);
    for (int j = 0; j < N; j++) { K[N * i + j] = A[N * i + j] + 1e4 * phi[i] * phi[j]; }
  }
  const mbd_factors lu = {.n = N, .lu = K, .piv = piv};
  const mbd_saddle s = {.n = N, .m = 1, .A = A, .Phi = phi, .lu = &lu, .alpha = 1e4};
  mbd_error err;
  if (mbd_lu_factor(N, K, piv) != MBD_OK || mbd_saddle_solve(&s, 1, f, &size, x, y, dx, rg, &err) != MBD_OK) {
    printf("saddle: singular\n"), failed = 1;
  }
  mbd_value left = mbd_abs(mbd_dot(N, phi, x) - size);
  for (int i = 0; i < N; i++) { left += mbd_abs(mbd_dot(N, A + N * i, x) + phi[i] * y[0] - f[i]) / stiff; }
  for (int i = 0; i < MBD_DESIGNS; i++) {
    if (!(left[i] <= 1e-13 * size[i])) { printf("saddle: design %d leaves %g of %g\n", i, left[i], size[i]), failed = 1; }
  }
}

/* Branches and numbers that are not alike set the designs apart. */
static void check_apart(void) {
  const mbd_real alike = 1, x = {1, 2, 3, NAN};
  if (designs_apart || !mbd_if(alike > 0) || mbd_same(alike) != 1 || designs_apart) { printf("apart\n"), failed = 1; }
  if (!mbd_if(x < 2) || !designs_apart) { printf("branch: not apart\n"), failed = 1; }
  designs_apart = 0;
  if (mbd_same(x) != 1 || !designs_apart) { printf("number: not apart\n"), failed = 1; }
  if (!mbd_any(x > 2) || mbd_none(x > 2) || !mbd_none(x > 3)) { printf("any, none\n"), failed = 1; }
  if (!isnan(mbd_largest(x)) || !isnan(mbd_min(x))) { printf("NaN\n"), failed = 1; }
  if (mbd_largest(-alike) != 1 || mbd_first(x) != 1) { printf("largest, first\n"), failed = 1; }
}

int main(void) {
  check_smooth();
  check_operators();
  check_factors();
  check_gmres();
  check_saddle();
  check_apart();
  return failed;
}
