/* Several designs at once (base/designs.h): each takes the formulas that hold for it, as if it were computed alone. */
#include <stdio.h>

#include "base/operator.h"
#include "base/smooth.h"
#include "la/fill.h"
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

/* Factors by one of the two ways; MBD_SINGULAR, or the largest residual of A x = b relative to the largest term. */
static mbd_status factor(int by_fill, const mbd_real A[4], double *left) {
  const int first[2] = {0, 2}, count[2] = {2, 2}, col[4] = {0, 1, 0, 1};
  const mbd_nonzeros at = {.first = first, .count = (int *)count, .col = (int *)col};
  mbd_real lu[4] = {A[0], A[1], A[2], A[3]}, x[2] = {1, {2, 3, 4, 5}};
  const mbd_real b[2] = {x[0], x[1]};
  mbd_fill *f = NULL;
  mbd_error err;
  int piv[2], within = 0;
  mbd_status status = MBD_OK;
  if (by_fill) { status = mbd_fill_create(2, &at, &f, &err); }
  if (status == MBD_OK) { status = f ? mbd_fill_factor(f, lu, piv, &within) : mbd_lu_factor(2, lu, piv); }
  if (status == MBD_OK) { within ? mbd_fill_solve(f, lu, 1, x) : mbd_lu_solve(2, lu, piv, 1, x); }
  *left = 0;
  for (int r = 0; r < 2; r++) {
    const mbd_real y[2] = {A[2 * r] * x[0], A[2 * r + 1] * x[1]};
    *left = fmax(*left, mbd_largest((y[0] + y[1] - b[r]) / (mbd_abs(y[0]) + mbd_abs(y[1]) + mbd_abs(b[r]))));
  }
  mbd_fill_destroy(f);
  return status;
}

/* One order of pivots for all, which is good enough for each; a matrix that is singular for one design is singular. */
static void check_factors(void) {
  static const struct {
    mbd_real A[4];
    mbd_status expected;
  } list[] = {{{{4, 1e-3, 3, 5}, 1, 2, {5, 1, -4, 1}}, MBD_OK},
              {{1, 1, 1, {-1, 1e-9, 2, 2}}, MBD_OK},
              {{{1, 0, 1, 1}, {1e-2, 1, 1e-2, 1e-2}, {1e-2, 1, 1e-2, 1e-2}, {1, 1e-9, 1, 1}}, MBD_OK},
              {{1, 2, 2, {1, 2, 4, 8}}, MBD_SINGULAR},
              {{{1, 1e20, 1, 1}, 0, 0, 1}, MBD_SINGULAR},
              {{1e20, 0, 0, {1e10, 1, 1e10, 1e10}}, MBD_SINGULAR}};
  double left;
  for (int i = 0; i < 2 * (int)(sizeof list / sizeof list[0]); i++) {
    const mbd_status status = factor(i % 2, list[i / 2].A, &left);
    if (status == list[i / 2].expected && (status == MBD_SINGULAR || left < 1e-12)) { continue; }
    printf("factors: matrix %d, way %d: status %d, residual %g\n", i / 2, i % 2, (int)status, left), failed = 1;
  }
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
 * k solutions of very different sizes. Each is exact. */
static void check_saddle(int k) {
  enum { N = 3, COLUMNS = 2 };
  const mbd_real stiff = {1, 2, 1e4, 3}, size = {1e9, 1, 1e-9, 0}, phi[N] = {1, 2, -1};
  const mbd_real A[N * N] = {stiff, 1, 0, 1, stiff + 3, 1, 0, 1, 2 * stiff};
  mbd_real K[N * N], f[N * COLUMNS], g[COLUMNS], x[N * COLUMNS], y[COLUMNS] = {0}, dx[N * COLUMNS], rg[COLUMNS];
  int piv[N];
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < k; c++) { g[c] = size * (1 + c), f[i * k + c] = size * (1 + 0.3 * i - c); }
    for (int j = 0; j < N; j++) { K[N * i + j] = A[N * i + j] + 1e4 * phi[i] * phi[j]; }
  }
  const mbd_factors lu = {.n = N, .lu = K, .piv = piv};
  const mbd_saddle s = {.n = N, .m = 1, .A = A, .Phi = phi, .lu = &lu, .alpha = 1e4};
  mbd_error err;
  if (mbd_lu_factor(N, K, piv) != MBD_OK || mbd_saddle_solve(&s, k, f, g, x, y, dx, rg, &err) != MBD_OK) {
    printf("saddle: singular\n"), failed = 1;
  }
  mbd_value left = 0;
  for (int c = 0; c < k; c++) {
    mbd_real row = -g[c];
    for (int i = 0; i < N; i++) {
      mbd_real force = phi[i] * y[c] - f[i * k + c];
      for (int j = 0; j < N; j++) { force += A[N * i + j] * x[j * k + c]; }
      row += phi[i] * x[i * k + c], left += mbd_abs(force) / stiff;
    }
    left += mbd_abs(row);
  }
  for (int i = 0; i < MBD_DESIGNS; i++) {
    if (!(left[i] <= 1e-13 * size[i])) {
      printf("saddle: design %d of %d columns leaves %g of %g\n", i, k, left[i], size[i]), failed = 1;
    }
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
  check_saddle(1);
  check_saddle(2);
  check_apart();
  return failed;
}
