/* Dense algebra: solutions against known ones, many right-hand sides, singular matrices, rank, systems with multipliers. */
#include "la/fill.h"
#include "la/saddle.h"
#include "test.h"

enum { MAX = 100 }; /* beyond the order from which LAPACK factors */

static double entry(int i, int j) {
  return sin(1.3 * i + 2.7 * j + 0.1 * i * j) + (i == j ? 3 : 0);
}

static void test_solve(void) {
  for (int n = 1; n <= MAX; n += n < 8 ? 1 : 13) {
    double a[MAX * MAX], b[MAX * 3], one[MAX];
    int piv[MAX];
    for (int i = 0; i < n; i++) {
      for (int r = 0; r < 3; r++) { b[3 * i + r] = 0; }
      for (int j = 0; j < n; j++) {
        a[i * n + j] = entry(i, j);
        for (int r = 0; r < 3; r++) { b[3 * i + r] += a[i * n + j] * (j + 1 + r); }
      }
      one[i] = b[3 * i];
    }
    CU_ASSERT_EQUAL(mbd_lu_factor(n, a, piv), MBD_OK);
    mbd_lu_solve(n, a, piv, 3, b);
    mbd_lu_solve(n, a, piv, 1, one);
    for (int i = 0; i < n; i++) {
      for (int r = 0; r < 3; r++) { CHECK_NEAR("solution", b[3 * i + r], i + 1 + r, n, 1e-12); }
      CHECK_NEAR("one right-hand side", one[i], i + 1, n, 1e-12);
    }
  }
}

/* c [m][n] = 2 A b: entry q of row i of A [m][k] is a[i * row + q * column] */
static void check_product(const char *name, int m, int k, int row, int column, int n, const double *a, const double *b,
                          const double *c) {
  for (int i = 0; i < m; i++) {
    for (int r = 0; r < n; r++) {
      double expected = 0;
      for (int q = 0; q < k; q++) { expected += 2 * a[i * row + q * column] * b[q * n + r]; }
      CHECK_CLOSE(name, c[i * n + r], expected, 1e-13);
    }
  }
}

/* Products and solutions of any width against plain sums; those that leave out zeros to the last digit. */
static void test_widths(void) {
  enum { M = 5, K = 7, MAX_WIDE = 19 };
  double a[M * K], square[K * K], lu[K * K];
  int count[K], col[K * K], piv[K];
  const mbd_nonzeros z = {.count = count, .col = col};
  for (int i = 0; i < M * K; i++) { a[i] = i % 3 ? entry(i, 1) : 0; }
  for (int i = 0; i < K * K; i++) { square[i] = lu[i] = i % 4 ? entry(i / K, i % K) : i % (K + 1) == 0; }
  CU_ASSERT_EQUAL(mbd_lu_factor(K, lu, piv), MBD_OK);
  for (int n = 1; n <= MAX_WIDE; n++) {
    double b[K * MAX_WIDE], c[K * MAX_WIDE] = {0}, d[K * MAX_WIDE] = {0}, back[K * MAX_WIDE] = {0};
    for (int i = 0; i < K * n; i++) { b[i] = entry(i, 2); }
    mbd_nonzeros_find(M, K, a, &z);
    mbd_mul_add(M, K, n, 2, a, b, c);
    mbd_mul_add_at(M, K, n, 2, a, &z, b, d);
    check_product("product", M, K, K, 1, n, a, b, c);
    check_product("product without zeros", M, K, K, 1, n, a, b, d);
    memset(c, 0, sizeof c), memset(d, 0, sizeof d);
    mbd_mulT_add(M, K, n, 2, a, b, c);
    mbd_mulT_add_at(M, K, n, 2, a, &z, b, d);
    check_product("transposed product", K, M, 1, K, n, a, b, c);
    check_product("transposed product without zeros", K, M, 1, K, n, a, b, d);
    memcpy(c, b, sizeof b);
    mbd_lu_solve(K, lu, piv, n, c);
    mbd_mul_add(K, K, n, 1, square, c, back);
    for (int i = 0; i < K * n; i++) { CHECK_CLOSE("solution", back[i], b[i], 1e-12); }
  }
}

/* A tree in which every coordinate has three others beyond it: is one of i and j on the other's way to the root? */
static int is_place(int i, int j) {
  while (i > j) { i = (i - 1) / 3; }
  while (j > i) { j = (j - 1) / 3; }
  return i == j;
}

/* x [n][k] against b = A x or A' x */
static void check_solution(const char *name, int n, int k, int transposed, const double *A, const double *x,
                           const double *b) {
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < k; r++) {
      double sum = 0;
      for (int j = 0; j < n; j++) { sum += (transposed ? A[j * n + i] : A[i * n + j]) * x[j * k + r]; }
      CHECK_CLOSE(name, sum, b[i * k + r], 1e-12);
    }
  }
}

/* Factors at known places, with fill by a loop between branches: the same digits as those of the whole matrix, columns of any number; a pivot
 * off the diagonal leads out of the places, and solutions are right by the other functions. */
static void test_fill(void) {
  enum { N = 23, MAX_WIDE = 13 };
  double A[N * N], whole[N * N], a[N * N], list[N * N];
  unsigned char mark[N * N] = {0};
  int count[N], col[N * N], piv[N], within;
  const mbd_nonzeros z = {.count = count, .col = col};
  mbd_fill *f;
  for (int exchange = 0; exchange < 2; exchange++) {
    for (int i = 0; i < N * N; i++) {
      const int r = i / N, c = i % N;
      mark[i] = is_place(r, c) || (r + c == N + 13 && r > 13 && c > 13);
      A[i] = mark[i] ? (r == c ? 6 : entry(r, c) - (r == c ? 3 : 0)) : 0;
    }
    if (exchange) { A[N * N - 1] = 0; }
    mbd_nonzeros_list(N, N, mark, &z);
    CU_ASSERT_EQUAL_FATAL(mbd_fill_create(N, &z, &f, NULL), MBD_OK);
    CU_ASSERT(mbd_fill_count(f) < N * N / 2);
    memcpy(whole, A, sizeof A), memset(a, 0, sizeof a);
    mbd_fill_copy(f, A, a);
    for (int i = 0; i < N * N; i++) { CU_ASSERT(a[i] == A[i]); }
    CU_ASSERT_EQUAL(mbd_fill_factor(f, a, piv, &within), MBD_OK);
    CU_ASSERT_EQUAL(within, !exchange);
    if (!exchange) {
      CU_ASSERT_EQUAL(mbd_lu_factor(N, whole, piv), MBD_OK);
      for (int i = 0; i < N * N; i++) { CU_ASSERT(a[i] == whole[i]); }
      mbd_fill_pack(f, a, list), memset(a, 0, sizeof a), mbd_fill_unpack(f, list, a);
      for (int i = 0; i < N * N; i++) { CU_ASSERT(a[i] == whole[i]); }
    }
    for (int k = 1; k <= MAX_WIDE; k++) {
      double b[N * MAX_WIDE], x[N * MAX_WIDE], y[N * MAX_WIDE];
      for (int i = 0; i < N * k; i++) { b[i] = x[i] = y[i] = entry(i, 2); }
      if (exchange) {
        mbd_lu_solve(N, a, piv, k, x), mbd_lu_solve_T(N, a, piv, k, y);
      } else {
        mbd_fill_solve(f, a, k, x), mbd_fill_solve_T(f, a, k, y);
      }
      check_solution("solution at places", N, k, 0, A, x, b);
      check_solution("transposed solution at places", N, k, 1, A, y, b);
    }
    mbd_fill_destroy(f);
  }
  mbd_fill_destroy(NULL);
}

static void test_singular(void) {
  double zero[4] = {0}, twice[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, nan[4] = {1, NAN, 0, 1};
  int piv[3];
  CU_ASSERT_EQUAL(mbd_lu_factor(2, zero, piv), MBD_SINGULAR);
  CU_ASSERT_EQUAL(mbd_lu_factor(3, twice, piv), MBD_SINGULAR);
  CU_ASSERT_EQUAL(mbd_lu_factor(2, nan, piv), MBD_SINGULAR);
}

static void test_rank(void) {
  double a[12 + 3] = {1, 2, 3, 4, 2, 4, 6, 8, 0, 1, 0, 1}; /* the second row is twice the first */
  int row[3], col[4];
  CU_ASSERT_EQUAL(mbd_rank(3, 4, a, 1e-10, row, col), 2);
  CU_ASSERT(row[0] == 1 && row[1] == 2 && row[2] == 0);
  double zero[6 + 2] = {0};
  CU_ASSERT_EQUAL(mbd_rank(2, 3, zero, 1e-10, row, col), 0);
  CU_ASSERT_EQUAL(mbd_rank(0, 3, zero, 1e-10, row, col), 0);
}

/* A x + Phi' y = f, Phi x = g with a redundant row: x does not depend on penalty, and holds to rounding. */
static void test_saddle(void) {
  static const double A[9] = {4, 1, 0, 1, 3, 0.5, 0, 0.5, 2}, Phi[6] = {1, 1, 0, 2, 2, 0}, f[3] = {1, 2, 3},
                      g[2] = {0.5, 1};
  static const double penalties[] = {1e1, 1e4, 1e9};
  double first[3] = {0};
  for (int q = 0; q < 3; q++) {
    double lu[9], x[3], y[2] = {0, 0}, dx[3], rg[2], r[3], e[2];
    int piv[3];
    memcpy(lu, A, sizeof A);
    mbd_mulT_add(2, 3, 3, penalties[q], Phi, Phi, lu);
    CU_ASSERT_EQUAL(mbd_lu_factor(3, lu, piv), MBD_OK);
    const mbd_factors factors = {.n = 3, .lu = lu, .piv = piv};
    const mbd_saddle s = {.n = 3, .m = 2, .A = A, .Phi = Phi, .lu = &factors, .alpha = penalties[q]};
    CU_ASSERT_EQUAL(mbd_saddle_solve(&s, 1, f, g, x, y, dx, rg, NULL), MBD_OK);
    memcpy(r, f, sizeof r);
    mbd_mul_add(3, 3, 1, -1, A, x, r);
    mbd_mulT_add(2, 3, 1, -1, Phi, y, r);
    memcpy(e, g, sizeof e);
    mbd_mul_add(2, 3, 1, -1, Phi, x, e);
    for (int i = 0; i < 3; i++) { CHECK_CLOSE("first equation", r[i], 0, 1e-13); }
    for (int i = 0; i < 2; i++) { CHECK_CLOSE("second equation", e[i], 0, 1e-14); }
    for (int i = 0; i < 3; i++) {
      if (q == 0) { first[i] = x[i]; }
      CHECK_CLOSE("independent of the penalty", x[i], first[i], 1e-13);
    }
  }
}

TEST_MAIN(TEST(test_solve), TEST(test_widths), TEST(test_fill), TEST(test_singular), TEST(test_rank), TEST(test_saddle))
