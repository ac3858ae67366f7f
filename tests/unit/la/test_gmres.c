/* Systems known by their products: to rounding, in a cycle as long as the matrix has different eigenvalues, and in several
 * shorter ones; transposed systems are systems of their own; zero, and matrices without an inverse. */
#include "la/gmres.h"
#include "test.h"

enum { N = 12 };

typedef struct system {
  double A[N * N];
  int products;
} system_of;

static void times(void *user, int k, mbd_real s, const mbd_real *x, mbd_real *y) {
  system_of *q = user;
  q->products++;
  mbd_mul_add(N, N, k, s, q->A, x, y);
}

/* A multiple of the unit matrix but for `rank` directions. */
static system_of nearly_unit(double a, int rank) {
  system_of q = {.products = 0};
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      q.A[i * N + j] = i == j ? a : 0;
      for (int r = 1; r <= rank; r++) { q.A[i * N + j] += sin(2.0 * r * i + 1) * cos(1.3 * r * j - r); }
    }
  }
  return q;
}

static double v[(N + 1) * N], h[(N + 1) * N], rotation[3][N + 1], r[N], dx[N];

static mbd_gmres solver(system_of *q, int max) {
  return (mbd_gmres){.n = N,
                     .max = max,
                     .product = times,
                     .user = q,
                     .v = v,
                     .h = h,
                     .c = rotation[0],
                     .s = rotation[1],
                     .g = rotation[2],
                     .r = r,
                     .dx = dx};
}

static double residual(const system_of *q, const double *b, const double *x) {
  double left[N];
  memcpy(left, b, sizeof left);
  mbd_mul_add(N, N, 1, -1, q->A, x, left);
  return mbd_norm_inf(N, left) / mbd_norm_inf(N, b);
}

static void right_side(double *b) {
  for (int i = 0; i < N; i++) { b[i] = sin(5.0 * i + 2); }
}

static void test_solve(void) {
  for (int rank = 0; rank <= 4; rank++) {
    for (int max = N; max >= 6; max -= 3) {
      system_of q = nearly_unit(7, rank);
      const mbd_gmres g = solver(&q, max);
      double b[N], x[N];
      right_side(b);
      const double left = mbd_gmres_solve(&g, b, x);
      CHECK_CLOSE("its own residual", left, residual(&q, b, x), 1e-16);
      CHECK_CLOSE("residual", left, 0, 2e-15); /* 9e-16 seen */
      CU_ASSERT(q.products <= 2 * rank + 4);   /* few directions, few products */
    }
  }
}

/* Squares of the entries are no numbers of double precision any more. */
static void test_small(void) {
  system_of q = nearly_unit(7, 3);
  const mbd_gmres g = solver(&q, N);
  double b[N], x[N];
  right_side(b);
  for (int i = 0; i < N; i++) { b[i] *= 1e-250; }
  CHECK_CLOSE("residual", mbd_gmres_solve(&g, b, x), 0, 2e-15);
}

/* Divided by the entries of the matrix, these leave the range of normal numbers. */
static void test_smallest(void) {
  system_of q = nearly_unit(4e8, 3);
  const mbd_gmres g = solver(&q, N);
  double b[N], x[N], large[N], y[N];
  right_side(b), right_side(large);
  for (int i = 0; i < N; i++) { b[i] *= 1e-303; }
  CHECK_CLOSE("residual", mbd_gmres_solve(&g, b, x), 0, 2e-15);
  mbd_gmres_solve(&g, large, y);
  for (int i = 0; i < N; i++) {
    CHECK_CLOSE("solution", x[i] * 1e303, y[i], 1e-11 / 4e8);
  } /* digits left: 1e-324/1e-311 */
}

static void test_short_cycles(void) {
  system_of q = nearly_unit(7, 4);
  const mbd_gmres g = solver(&q, 2);
  double b[N], x[N];
  right_side(b);
  const double left = mbd_gmres_solve(&g, b, x);
  CU_ASSERT(left > 0 && left < 0.1); /* ten cycles are not enough, and it says so */
  CHECK_CLOSE("its own residual", left, residual(&q, b, x), 1e-15);
}

static void test_rough(void) {
  system_of q = nearly_unit(7, 4);
  const mbd_gmres g = solver(&q, N);
  double b[N], x[N];
  right_side(b);
  mbd_gmres_cycle(&g, 0.1, b, x);
  CU_ASSERT(residual(&q, b, x) < 0.3);
  CU_ASSERT(q.products < 5);
}

static void test_zero(void) {
  system_of q = nearly_unit(7, 2);
  const mbd_gmres g = solver(&q, N);
  double b[N] = {0}, x[N];
  CU_ASSERT_EQUAL(mbd_gmres_solve(&g, b, x), 0);
  CU_ASSERT_EQUAL(mbd_norm_inf(N, x), 0);
  CU_ASSERT_EQUAL(q.products, 0);
  mbd_gmres_cycle(&g, 0.1, b, x);
  CU_ASSERT_EQUAL(mbd_norm_inf(N, x), 0);
}

static void test_singular(void) {
  system_of q = nearly_unit(0, 3); /* of rank three: b is not in its range */
  const mbd_gmres g = solver(&q, N);
  double b[N], x[N];
  right_side(b);
  CU_ASSERT(!(mbd_gmres_solve(&g, b, x) < 1e-3));
}

TEST_MAIN(TEST(test_solve), TEST(test_small), TEST(test_smallest), TEST(test_short_cycles), TEST(test_rough),
          TEST(test_zero), TEST(test_singular))
