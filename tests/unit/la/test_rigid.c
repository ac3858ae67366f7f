/* Eigenvalues without rigid motions: Jordan blocks of zero in other coordinates, slow eigenvalues that stay, left vectors, equal eigenvalues. */
#include <complex.h>

#include "la/rigid.h"
#include "test.h"

enum { MAX = 8 };

typedef struct modes {
  int n, nrigid;
  double re[MAX], im[MAX], v[MAX * MAX], w[MAX * MAX], residual[MAX];
} modes;

static int solve_with(int n, const double *a, const double *pair, modes *q) {
  mbd_error err = {0};
  q->n = n;
  const mbd_status status = mbd_eigen_rigid(n, a, pair, &q->nrigid, q->re, q->im, q->v, q->w, q->residual, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
    return 0;
  }
  must(status, &err);
  return 1;
}

static int solve(int n, const double *a, modes *q) {
  return solve_with(n, a, NULL, q);
}

static double complex entry(const modes *q, const double *rows, int i, int k) {
  if (q->im[i] == 0) { return rows[i * q->n + k]; }
  const int first = q->im[i] < 0 ? i - 1 : i;
  return rows[first * q->n + k] + (q->im[i] < 0 ? -1 : 1) * rows[(first + 1) * q->n + k] * I;
}

/* w_i'v_j is 1 or 0, and w'A = lam w'. */
static void check_left(const double *a, const modes *q, double tol) {
  for (int i = q->nrigid; i < q->n; i++) {
    for (int j = 0; j < q->n; j++) {
      double complex product = 0, row = 0, size = 0;
      for (int k = 0; k < q->n; k++) {
        product += entry(q, q->w, i, k) * entry(q, q->v, j, k);
        row += entry(q, q->w, i, k) * a[k * q->n + j], size += cabs(entry(q, q->w, i, k) * a[k * q->n + j]);
      }
      CHECK_CLOSE("w'v", cabs(product - (i == j)), 0, tol);
      row -= (q->re[i] + q->im[i] * I) * entry(q, q->w, i, j);
      CHECK_NEAR("w'A", cabs(row), 0, 1 + creal(size), tol);
    }
  }
}

/* S B S^-1 with a unit lower bidiagonal S */
static void transform(int n, const double *b, double *a) {
  double s[MAX * MAX], inverse[MAX * MAX], product[MAX * MAX] = {0};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { s[i * n + j] = i == j ? 1 : i == j + 1 ? 0.5 : 0; }
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double sum = i == j;
      for (int k = 0; k < i; k++) { sum -= s[i * n + k] * inverse[k * n + j]; }
      inverse[i * n + j] = sum;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      a[i * n + j] = 0;
      for (int k = 0; k < n; k++) { product[i * n + j] += s[i * n + k] * b[k * n + j]; }
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) { a[i * n + j] += product[i * n + k] * inverse[k * n + j]; }
    }
  }
}

/* Zero four times, in blocks of three and one, beside -1 +- 2i and -0.5. */
static void test_blocks(void) {
  const int n = 7;
  double b[MAX * MAX] = {0}, a[MAX * MAX];
  b[0 * n + 1] = 20, b[1 * n + 2] = 3; /* 3 is a zero by itself */
  b[4 * n + 4] = b[5 * n + 5] = -1, b[4 * n + 5] = 2, b[5 * n + 4] = -2, b[6 * n + 6] = -0.5;
  transform(n, b, a);
  modes q;
  if (!solve(n, a, &q)) { return; }
  CU_ASSERT_EQUAL_FATAL(q.nrigid, 4);
  for (int i = 0; i < 4; i++) {
    CU_ASSERT(q.re[i] == 0 && q.im[i] == 0);
    CHECK_CLOSE("residual of a rigid motion", q.residual[i], 0, 1e-15);
  }
  int pair = 0, slow = 0;
  for (int i = 4; i < n; i++) {
    CHECK_CLOSE("residual", q.residual[i], 0, 1e-14);
    if (q.im[i] > 0) {
      CHECK_CLOSE("pair", hypot(q.re[i] + 1, q.im[i] - 2), 0, 1e-13);
      pair++;
    } else if (q.im[i] == 0) {
      CHECK_CLOSE("slow", q.re[i], -0.5, 1e-11);
      slow++;
    }
  }
  CU_ASSERT(pair == 1 && slow == 1);
  check_left(a, &q, 1e-11);
}

/* A slow decay beside a stiff row stays: x' = v, v' = -1e-3 v + 1e9 (w - v), w' = 1e9 (v - w), of which the sum decays. */
static void test_slow_and_stiff(void) {
  const double stiff = 1e9, a[] = {0, 1, 0, 0, -1e-3 - stiff, stiff, 0, stiff, -stiff};
  modes q;
  if (!solve(3, a, &q)) { return; }
  CU_ASSERT_EQUAL_FATAL(q.nrigid, 1);
  double slowest = INFINITY;
  for (int i = 1; i < 3; i++) { slowest = fmin(slowest, fabs(q.re[i])); }
  CHECK_CLOSE("slow", slowest, 0.5e-3, 1e-6); /* entries are rounded by 1e-7 */
}

/* Equal eigenvalues with as many vectors have left vectors that belong to them; with one vector there are none. */
static void test_equal(void) {
  const int n = 4;
  double b[MAX * MAX] = {0}, a[MAX * MAX];
  b[0] = b[5] = -2, b[10] = -3, b[15] = 1;
  transform(n, b, a);
  modes q;
  if (!solve(n, a, &q)) { return; }
  CU_ASSERT_EQUAL(q.nrigid, 0);
  check_left(a, &q, 1e-11);
  const double block[] = {-1, 1, 0, -1};
  if (!solve(2, block, &q)) { return; }
  CU_ASSERT(!isfinite(q.w[0]) || fabs(q.w[1]) > 1e12);
}

/* Nothing but rigid motions; and a matrix of zeros. */
static void test_all_rigid(void) {
  const double drift[] = {0, 1, 0, 0}, none[9] = {0};
  modes q;
  if (!solve(2, drift, &q)) { return; }
  CU_ASSERT_EQUAL(q.nrigid, 2);
  if (!solve(3, none, &q)) { return; }
  CU_ASSERT_EQUAL(q.nrigid, 3);
}

/* Two shifts that a frame at the rate 0.25 turns into each other, a zero that leads to them, and -3. */
static void test_pair(void) {
  const double r = 0.25, a[] = {0, r, 5, 1, -r, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, -3}, pair[] = {1, 0, 0, 0, 0, 1, 0, 0},
               other[] = {1, 0, 0, 0, 0, 0, 0, 1};
  modes q;
  if (!solve_with(4, a, pair, &q)) { return; }
  CU_ASSERT_EQUAL_FATAL(q.nrigid, 3);
  CHECK_CLOSE("turns", q.im[0], r, 1e-16);
  CHECK_CLOSE("turns", q.im[1], -r, 1e-16);
  CU_ASSERT(q.re[0] == 0 && q.re[1] == 0 && q.re[2] == 0 && q.im[2] == 0);
  double re = 0, im = 0; /* A v = i r v, row 0 */
  for (int j = 0; j < 4; j++) { re += a[j] * q.v[j], im += a[j] * q.v[4 + j]; }
  CHECK_CLOSE("vector", re, -r * q.v[4], 1e-15);
  CHECK_CLOSE("vector", im, r * q.v[0], 1e-15);
  CHECK_CLOSE("decays", q.re[3], -3, 1e-14);
  CHECK_CLOSE("residual", q.residual[3], 0, 1e-15);
  if (!solve_with(4, a, other, &q)) { return; }
  CU_ASSERT_EQUAL(q.nrigid, 1); /* it is none; zero has a vector of all three */
}

TEST_MAIN(TEST(test_blocks), TEST(test_slow_and_stiff), TEST(test_equal), TEST(test_all_rigid), TEST(test_pair))
