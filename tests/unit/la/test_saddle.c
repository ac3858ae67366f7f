/* Systems with multipliers: both rows hold, with redundant rows of Phi, for constraints that are held and for
 * compliant ones, whether or not their compliance is that of the penalty; transposed too. Factors that do not serve are a failure. */
#include "la/near_singular.h"
#include "test.h"

enum { N = 5, M = 3, K = 2 };

static const double apart[M] = {1, 30, 0.2}; /* weights of the rows */

/* An A that is not symmetric, and a third row of Phi that repeats the first two. */
static void fill(double A[N * N], double Phi[M * N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) { A[i * N + j] = (i == j ? 4 : 0) + sin(1 + 3 * i + 7 * j); }
    Phi[i] = cos(2.0 * i), Phi[N + i] = sin(5.0 * i + 1), Phi[2 * N + i] = Phi[i] - 2 * Phi[N + i];
  }
}

/* Largest entries of A x + Phi' y - f and Phi x - W^-1 compliance y - g. */
static void residuals(const mbd_saddle *q, const double *f, const double *g, const double *x, const double *y,
                      double *first, double *second) {
  double rf[N * K], rg[M * K];
  memcpy(rf, f, sizeof rf), memcpy(rg, g, sizeof rg);
  (q->transposed ? mbd_mulT_add : mbd_mul_add)(N, N, K, -1, q->A, x, rf);
  mbd_mulT_add(M, N, K, -1, q->Phi, y, rf);
  mbd_mul_add(M, N, K, -1, q->Phi, x, rg);
  for (int i = 0; i < M * K; i++) { rg[i] += q->compliance / (q->weight ? q->weight[i / K] : 1) * y[i]; }
  *first = mbd_norm_inf(N * K, rf), *second = mbd_norm_inf(M * K, rg);
}

/* tiny: factor of the last column's right-hand sides. */
static void solve_with(double tiny, double alpha, double compliance, const double *weight, int transposed) {
  double A[N * N], Phi[M * N], lu[N * N], f[N * K], g[M * K], x[N * K], y[M * K] = {0}, dx[N * K], rg[M * K];
  double first, second;
  int piv[N];
  fill(A, Phi);
  memcpy(lu, A, sizeof A);
  for (int r = 0; r < M; r++) {
    for (int i = 0; i < N; i++) {
      const double scale = alpha * (weight ? weight[r] : 1);
      for (int j = 0; j < N; j++) { lu[i * N + j] += scale * Phi[r * N + i] * Phi[r * N + j]; }
    }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
  for (int i = 0; i < N * K; i++) { f[i] = 1 + i; }
  for (int k = 0; k < K; k++) { g[k] = 0.5 + k, g[K + k] = -2, g[2 * K + k] = g[k] - 2 * g[K + k]; }
  for (int i = 0; i < N; i++) { f[i * K + K - 1] *= tiny; }
  for (int r = 0; r < M; r++) { g[r * K + K - 1] *= tiny; }
  const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
  const mbd_saddle q = {.n = N,
                        .m = M,
                        .A = A,
                        .Phi = Phi,
                        .lu = &factors,
                        .alpha = alpha,
                        .compliance = compliance,
                        .weight = weight,
                        .transposed = transposed};
  CU_ASSERT_EQUAL(mbd_saddle_solve(&q, K, f, g, x, y, dx, rg, NULL), MBD_OK);
  residuals(&q, f, g, x, y, &first, &second);
  CHECK_CLOSE("first row", first, 0, 1e-13);
  CHECK_CLOSE("second row", second, 0, 1e-13);
}

static void solve(double alpha, double compliance, int transposed) {
  solve_with(1, alpha, compliance, NULL, transposed);
  solve_with(1, alpha, compliance, apart, transposed);
}

/* A column so close to the least number there is that corrections find no digits in it: what acts far away. */
static void test_tiny(void) {
  for (int k = 280; k < 324; k++) { solve_with(pow(10, -k), 1e4, 0, NULL, k & 1); }
}

static void test_rows(void) {
  for (int transposed = 0; transposed < 2; transposed++) {
    solve(1e4, 0, transposed);
    solve(1e4, 1e-4, transposed);
    solve(1e4, 1e-5, transposed); /* stiffer than the penalty in the factors */
    solve(10, 0.1, transposed);   /* as soft as A */
  }
}

/* The last row has other coefficients in its equation; transposed the other way round. */
static void test_extra(void) {
  for (int transposed = 0; transposed < 2; transposed++) {
    double A[N * N], Phi[M * N], E[N], lu[N * N], f[N * K], g[M * K], x[N * K], y[M * K] = {0}, dx[N * K], rg[M * K];
    int piv[N];
    const double alpha = 1e4;
    fill(A, Phi);
    for (int i = 0; i < N; i++) { E[i] = 0.1 * sin(1 + 4.0 * i), Phi[2 * N + i] = cos(3.0 * i + 0.5); }
    memcpy(lu, A, sizeof A);
    for (int r = 0; r < M; r++) {
      for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
          lu[i * N + j] += alpha * Phi[r * N + i] * (Phi[r * N + j] + (r == M - 1 ? E[j] : 0));
        }
      }
    }
    CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
    for (int i = 0; i < N * K; i++) { f[i] = 1 + i; }
    for (int i = 0; i < M * K; i++) { g[i] = 0.5 - 0.3 * i; }
    const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
    const mbd_saddle q = {.n = N,
                          .m = M,
                          .A = A,
                          .Phi = Phi,
                          .lu = &factors,
                          .alpha = alpha,
                          .nextra = 1,
                          .extra = E,
                          .transposed = transposed};
    CU_ASSERT_EQUAL(mbd_saddle_solve(&q, K, f, g, x, y, dx, rg, NULL), MBD_OK);
    (transposed ? mbd_mulT_add : mbd_mul_add)(N, N, K, -1, A, x, f);
    mbd_mulT_add(M, N, K, -1, Phi, y, f);
    mbd_mul_add(M, N, K, -1, Phi, x, g);
    if (transposed) {
      mbd_mulT_add(1, N, K, -1, E, y + (M - 1) * K, f);
    } else {
      mbd_mul_add(1, N, K, -1, E, x, g + (M - 1) * K);
    }
    CHECK_CLOSE("first row", mbd_norm_inf(N * K, f), 0, 1e-13);
    CHECK_CLOSE("second row", mbd_norm_inf(M * K, g), 0, 1e-13);
  }
}

/* The same by the whole matrix: x, y := [A Phi'; Phi 0]^-1 (f, g). */
static void solve_whole(const mbd_saddle *q, double *xy) {
  double S[(N + M) * (N + M)] = {0};
  int piv[N + M];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) { S[i * (N + M) + j] = q->transposed ? q->A[j * N + i] : q->A[i * N + j]; }
    for (int r = 0; r < M; r++) { S[i * (N + M) + N + r] = S[(N + r) * (N + M) + i] = q->Phi[r * N + i]; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N + M, S, piv), MBD_OK);
  mbd_lu_solve(N + M, S, piv, K, xy);
}

/* A third row that is near to the first two: of its own effect the penalty sees the square, so that corrections alone would
 * take one over alpha off^2 of them. */
static void check_weak(double off, const double *weight, int transposed) {
  enum { MEMORY = 4096 };
  const double alpha = 1e4;
  double A[N * N], Phi[M * N], lu[N * N], xy[(N + M) * K], f[N * K], g[M * K], x[N * K], y[M * K] = {0}, dx[N * K],
                                                                                               rg[M * K];
  static double memory[MEMORY];
  mbd_arena arena = {.base = (char *)memory, .cap = sizeof memory};
  mbd_near_singular near_singular;
  int piv[N];
  mbd_near_singular_layout(&near_singular, N, M, &arena);
  fill(A, Phi);
  for (int i = 0; i < N; i++) { Phi[2 * N + i] += off * sin(3.0 * i); }
  memcpy(lu, A, sizeof A);
  for (int r = 0; r < M; r++) {
    const double scale = alpha * (weight ? weight[r] : 1);
    for (int i = 0; i < N * N; i++) { lu[i] += scale * Phi[r * N + i / N] * Phi[r * N + i % N]; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
  for (int i = 0; i < N * K; i++) { f[i] = 1 + i; }
  for (int k = 0; k < K; k++) { g[k] = 0.5 + k, g[K + k] = -2, g[2 * K + k] = g[k] - 2 * g[K + k] + off * (1 + k); }
  memcpy(xy, f, sizeof f), memcpy(xy + N * K, g, sizeof g);
  const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
  const mbd_saddle q = {.n = N,
                        .m = M,
                        .A = A,
                        .Phi = Phi,
                        .lu = &factors,
                        .alpha = alpha,
                        .weight = weight,
                        .near_singular = &near_singular,
                        .transposed = transposed};
  solve_whole(&q, xy);
  CU_ASSERT_EQUAL(mbd_saddle_solve(&q, K, f, g, x, y, dx, rg, NULL), MBD_OK);
  for (int i = 0; i < N * K; i++) { CHECK_NEAR("x", x[i], xy[i], mbd_norm_inf(N * K, xy), 1e-13 / off); }
  for (int i = 0; i < M * K; i++) {
    CHECK_NEAR("y", y[i], xy[N * K + i], mbd_norm_inf(M * K, xy + N * K), 1e-13 / off);
  }
}

static void test_weak(void) {
  for (int transposed = 0; transposed < 2; transposed++) {
    for (double off = 1; off > 3e-6; off /= 10) {
      check_weak(off, NULL, transposed), check_weak(off, apart, transposed);
    }
  }
}

/* A contradiction of the redundant row, g of which is off by `off`, is left; x is what it is without its part that no x changes. */
static void solve_contradiction(double off, double *x) {
  const double alpha = 1e4, off_rows = off / 6; /* (-1, 2, 1) Phi = 0 */
  double A[N * N], Phi[M * N], lu[N * N], f[N], y[M] = {0}, dx[N], rg[M];
  const double g[M] = {0.5 - off_rows, -2 + 2 * off_rows, 4.5 + off_rows};
  int piv[N];
  fill(A, Phi);
  memcpy(lu, A, sizeof A);
  for (int r = 0; r < M; r++) {
    for (int i = 0; i < N * N; i++) { lu[i] += alpha * Phi[r * N + i / N] * Phi[r * N + i % N]; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
  for (int i = 0; i < N; i++) { f[i] = 1 + i; }
  const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
  const mbd_saddle q = {.n = N, .m = M, .A = A, .Phi = Phi, .lu = &factors, .alpha = alpha};
  CU_ASSERT_EQUAL(mbd_saddle_solve(&q, 1, f, g, x, y, dx, rg, NULL), MBD_OK);
}

static void test_contradiction(void) {
  double x[N], expected[N];
  solve_contradiction(0, expected);
  solve_contradiction(0.1, x);
  for (int i = 0; i < N; i++) { CHECK_CLOSE("x", x[i], expected[i], 1e-11); }
}

/* A change of numbers of size 1e8, by [A Phi'; Phi 0]^-1 (0, g), to 1e-14 of these and no more. */
static void test_part(void) {
  const double alpha = 1e4, size = 1e8;
  double A[N * N], Phi[M * N], lu[N * N], xy[(N + 2) * K] = {0}, S[(N + 2) * (N + 2)] = {0};
  double f[N * K] = {0}, g[M * K], x[N * K], y[M * K] = {0}, dx[N * K], rg[M * K];
  int piv[N], whole[N + 2];
  fill(A, Phi);
  memcpy(lu, A, sizeof A);
  for (int r = 0; r < M; r++) {
    for (int i = 0; i < N * N; i++) { lu[i] += alpha * Phi[r * N + i / N] * Phi[r * N + i % N]; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
  for (int k = 0; k < K; k++) { g[k] = 0.5 + k, g[K + k] = -2, g[2 * K + k] = g[k] - 2 * g[K + k]; }
  for (int i = 0; i < N; i++) { /* without the third row, which repeats the others */
    for (int j = 0; j < N; j++) { S[i * (N + 2) + j] = A[i * N + j]; }
    for (int r = 0; r < 2; r++) { S[i * (N + 2) + N + r] = S[(N + r) * (N + 2) + i] = Phi[r * N + i]; }
  }
  memcpy(xy + N * K, g, (size_t)(2 * K) * sizeof *g);
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N + 2, S, whole), MBD_OK);
  mbd_lu_solve(N + 2, S, whole, K, xy);
  const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
  const mbd_saddle q = {.n = N, .m = M, .A = A, .Phi = Phi, .lu = &factors, .alpha = alpha, .part_of = size};
  CU_ASSERT_EQUAL(mbd_saddle_solve(&q, K, f, g, x, y, dx, rg, NULL), MBD_OK);
  for (int i = 0; i < N * K; i++) { CHECK_CLOSE("x", x[i], xy[i], 1e-14 * size); }
}

/* The first solution alone is exact where the compliance is 1/alpha: 2 x + 3 y = f, 3 x - y/4 = g by (2 + 4 9) x = f + 12 g, y = 4 (3 x - g);
 * 4 is alpha, or the weight of the row with alpha = 1. */
static void check_once(double alpha, const double *weight) {
  const double A = 2, Phi = 3, f[3] = {-10, 14, 64}, g[3] = {4, 2, 1};
  static const double by_hand[2][3] = {{1, 1, 2}, {-4, 4, 20}};
  double lu = 38, x[3] = {7, 7, 7}, y[3] = {7, 7, 7}, dx[3], rg[3];
  int piv;
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(1, &lu, &piv), MBD_OK);
  const mbd_factors factors = {.n = 1, .lu = &lu, .piv = &piv};
  const mbd_saddle q = {.n = 1,
                        .m = 1,
                        .A = &A,
                        .Phi = &Phi,
                        .lu = &factors,
                        .alpha = alpha,
                        .compliance = 1 / alpha,
                        .weight = weight,
                        .once = 1};
  CU_ASSERT_EQUAL(mbd_saddle_solve(&q, 3, f, g, x, y, dx, rg, NULL), MBD_OK);
  for (int k = 0; k < 3; k++) {
    CHECK_CLOSE("x", x[k], by_hand[0][k], 1e-15);
    CHECK_CLOSE("y", y[k], by_hand[1][k], 1e-14);
  }
}

static void test_once(void) {
  const double four = 4;
  check_once(4, NULL), check_once(1, &four);
}

/* ---- no wrong solution without a word ---- */

/* Factors of `part` of the matrix: each correction multiplies the error by 1 - 1/part. */
static mbd_status solve_with_part(double part, int columns, double first_entry, mbd_error *err) {
  const double alpha = 1e4;
  double A[N * N], Phi[M * N], lu[N * N], f[N * K], g[M * K] = {0}, x[N * K], y[M * K] = {0}, dx[N * K], rg[M * K];
  int piv[N];
  fill(A, Phi);
  memcpy(lu, A, sizeof A);
  for (int r = 0; r < M; r++) {
    for (int i = 0; i < N * N; i++) { lu[i] += alpha * Phi[r * N + i / N] * Phi[r * N + i % N]; }
  }
  for (int i = 0; i < N * N; i++) { lu[i] *= part; }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, lu, piv), MBD_OK);
  for (int i = 0; i < N * K; i++) { f[i] = 1 + i; }
  f[0] = first_entry;
  const mbd_factors factors = {.n = N, .lu = lu, .piv = piv};
  const mbd_saddle q = {.n = N, .m = M, .A = A, .Phi = Phi, .lu = &factors, .alpha = alpha, .what = "the test"};
  return mbd_saddle_solve(&q, columns, f, g, x, y, dx, rg, err);
}

/* Corrections that grow or turn back and forth (parts up to a half), that contract too slowly, and such as are not numbers. */
static void test_failures(void) {
  for (int columns = 1; columns <= K; columns++) {
    for (int tenths = 3; tenths <= 5; tenths++) {
      mbd_error err = {0};
      CU_ASSERT_EQUAL(solve_with_part(tenths / 10.0, columns, 1, &err), MBD_SINGULAR);
      CHECK_CONTAINS(err.text, "the test: the solution is not exact");
    }
    mbd_error err = {0};
    CU_ASSERT_EQUAL(solve_with_part(4, columns, 1, &err), MBD_SINGULAR);
    CU_ASSERT_EQUAL(solve_with_part(1, columns, NAN, &err), MBD_NOT_FINITE);
    CHECK_CONTAINS(err.text, "the test: the solution is not finite");
    CU_ASSERT_EQUAL(solve_with_part(0.99, columns, 1, &err), MBD_OK);
  }
}

TEST_MAIN(TEST(test_rows), TEST(test_extra), TEST(test_tiny), TEST(test_weak), TEST(test_contradiction),
          TEST(test_part), TEST(test_once), TEST(test_failures))
