/* Sparse factors against dense ones: random patterns, many right-hand sides, transposed, pivots off the diagonal,
 * singular matrices, symmetric ones, panels; the same bits whatever was factored before. */
#include "la/factors.h"
#include "test.h"

enum { N = 60, MAX_WIDE = 11 };

static int count[N], col[N * N];
static const mbd_nonzeros at = {.count = count, .col = col};
static double dense[N * N];

static double entry(int i, int j) {
  return sin(1.3 * i + 2.7 * j + 0.1 * i * j);
}

/* About six places in a row, among them the diagonal, where `diagonal` is added, and the entry right of it, where `beside`
 * is. */
static void make_matrix(int variant, double diagonal, double beside) {
  for (int i = 0; i < N; i++) {
    count[i] = 0;
    for (int j = 0; j < N; j++) {
      const int right = j == (i + 1) % N, here = i == j || right || (7 * i + 5 * j + i * j) % 13 == 0;
      dense[i * N + j] = here ? entry(i + variant, j) + (i == j ? diagonal : right ? beside : 0) : 0;
      if (here) { col[i * N + count[i]++] = j; }
    }
  }
}

static mbd_sparse *make_sparse(void) {
  mbd_sparse *s;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_create(N, &at, &s, &err), MBD_OK);
  return s;
}

static void put_dense(mbd_sparse *s) {
  mbd_sparse_set(s, NULL, dense);
}

/* The largest difference of A x (or A' x) from b for every width and both sides. */
static double residual(mbd_sparse *s) {
  const mbd_factors f = {.n = N, .sparse = s};
  double max = 0;
  for (int k = 1; k <= MAX_WIDE; k++) {
    for (int transposed = 0; transposed < 2; transposed++) {
      double b[N * MAX_WIDE], x[N * MAX_WIDE];
      for (int i = 0; i < N * k; i++) { b[i] = x[i] = entry(i, 3); }
      mbd_factors_solve(&f, transposed, k, x);
      (transposed ? mbd_mulT_add : mbd_mul_add)(N, N, k, -1, dense, x, b);
      max = fmax(max, mbd_norm_inf(N * k, b));
    }
  }
  return max;
}

static void test_solve(void) {
  make_matrix(0, 5, 0);
  mbd_sparse *s = make_sparse();
  for (int variant = 0; variant < 3; variant++) {
    make_matrix(variant, 5, 0);
    put_dense(s);
    CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
    CHECK_CLOSE("residual", residual(s), 0, 1e-13);
  }
  mbd_sparse_destroy(s);
}

static void test_places(void) {
  make_matrix(0, 5, 0);
  mbd_sparse *s = make_sparse();
  int places = 0;
  put_dense(s);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      const int place = mbd_sparse_place(s, i, j);
      places += place >= 0;
      CU_ASSERT_EQUAL(place < 0 ? 0 : mbd_sparse_values(s)[place], dense[i * N + j]);
    }
  }
  CU_ASSERT_EQUAL(places, mbd_sparse_count(s));
  CU_ASSERT(mbd_sparse_flops(s) > N && mbd_sparse_flops(s) < N * N * N);
  mbd_sparse_destroy(s);
}

/* Without anything added the diagonal is no pivot; and then it is again, to the same bits as before. */
static void test_pivots(void) {
  double before[N], after[N];
  make_matrix(0, 5, 0);
  mbd_sparse *s = make_sparse();
  for (int i = 0; i < N; i++) { before[i] = after[i] = entry(i, 3); }
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  mbd_sparse_solve(s, 0, 1, before);
  make_matrix(0, 0, 5);
  for (int i = 0; i < N; i++) { dense[i * N + i] = 1e-14; }
  put_dense(s);
  for (int twice = 0; twice < 2; twice++) {
    CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
    CHECK_CLOSE("residual with pivots off the diagonal", residual(s), 0, 1e-12);
  }
  make_matrix(0, 5, 0);
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  mbd_sparse_solve(s, 0, 1, after);
  CU_ASSERT_EQUAL(memcmp(before, after, sizeof before), 0);
  mbd_sparse_destroy(s);
}

/* Small pivots that would do for a diagonal factorization, but let its entries grow. */
static void test_growth(void) {
  make_matrix(0, 0, 5);
  mbd_sparse *s = make_sparse();
  for (double small = 1e-8; small > 1e-14; small /= 10) {
    for (int i = 0; i < N; i++) { dense[i * N + i] = small; }
    put_dense(s);
    CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
    CHECK_CLOSE("residual", residual(s), 0, 1e-12);
  }
  mbd_sparse_destroy(s);
}

/* Pivots off the diagonal, the last of them at rounding: the third row is nearly the sum of the others. */
static void test_nearly_singular(void) {
  const double A[] = {0, 1, 0.1, 1, 0, 0.2, 1, 1, 0.1 + 0.2 + 5e-16};
  int three[] = {3, 3, 3}, all[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  const mbd_nonzeros full = {.count = three, .col = all};
  mbd_sparse *s;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_create(3, &full, &s, &err), MBD_OK);
  mbd_sparse_set(s, NULL, A);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  mbd_sparse_destroy(s);
}

static void test_singular(void) {
  make_matrix(0, 5, 0);
  mbd_sparse *s = make_sparse();
  put_dense(s);
  for (int q = 0; q < count[7]; q++) { mbd_sparse_values(s)[mbd_sparse_place(s, 7, col[7 * N + q])] = 0; }
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  put_dense(s);
  mbd_sparse_values(s)[3] = NAN;
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  memset(mbd_sparse_values(s), 0, (size_t)mbd_sparse_count(s) * sizeof(double));
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK); /* and goes on */
  CHECK_CLOSE("residual", residual(s), 0, 1e-13);
  mbd_sparse_destroy(s);
}

/* ---- symmetric matrices ---- */

/* [4 2 0; 2 5 4; 0 4 6] = L D L' with L = [1; 1/2 1; 0 1 1], D = 4, 4, 2; A (1, 2, 3) = (8, 24, 26). The lower triangle is not read. */
static void test_symmetric_by_hand(void) {
  int three[] = {2, 3, 2}, places[] = {0, 1, 0, 0, 1, 2, 1, 2, 0};
  const mbd_nonzeros pattern = {.count = three, .col = places};
  static const double value[] = {4, 2, NAN, 5, 4, NAN, 6};
  double b[] = {8, 24, 26};
  mbd_sparse *s;
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_create(3, &pattern, &s, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_make_symmetric(s, &err), MBD_OK);
  CU_ASSERT(mbd_sparse_is_symmetric(s));
  memcpy(mbd_sparse_values(s), value, sizeof value);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  mbd_sparse_solve(s, 0, 1, b);
  for (int i = 0; i < 3; i++) { CHECK_CLOSE("x", b[i], i + 1, 1e-14); }
  mbd_sparse_destroy(s);
}

/* As make_matrix, symmetric: wide panels of L come from a dense last part. */
static void make_symmetric(double diagonal) {
  for (int i = 0; i < N; i++) {
    count[i] = 0;
    for (int j = 0; j < N; j++) {
      const int low = i < j ? i : j, high = i < j ? j : i;
      const int here = i == j || high == low + 1 || (7 * low + 5 * high) % 17 == 0 || low > N - 8;
      dense[i * N + j] = here ? entry(low, high) + (i == j ? diagonal : 0) : 0;
      if (here) { col[i * N + count[i]++] = j; }
    }
  }
}

/* Random places, all widths of right-hand sides; then a matrix that is not definite, which gets pivots of its own; and the first again, to
 * the same bits. */
static void test_symmetric(void) {
  mbd_error err = {0};
  double before[N], after[N];
  make_symmetric(12);
  mbd_sparse *s = make_sparse();
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_make_symmetric(s, &err), MBD_OK);
  for (int i = 0; i < N; i++) { before[i] = after[i] = entry(i, 3); }
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  CHECK_CLOSE("residual", residual(s), 0, 1e-14);
  mbd_sparse_solve(s, 0, 1, before);
  for (int indefinite = 0; indefinite < 2; indefinite++) {
    make_symmetric(indefinite ? -12 : 0);
    put_dense(s);
    CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
    CHECK_CLOSE("residual", residual(s), 0, indefinite ? 1e-14 : 1e-12);
  }
  make_symmetric(12);
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  mbd_sparse_solve(s, 0, 1, after);
  CU_ASSERT_EQUAL(memcmp(before, after, sizeof before), 0);
  mbd_sparse_values(s)[mbd_sparse_place(s, 3, 3)] = NAN;
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  mbd_sparse_destroy(s);
}

/* ---- panels ---- */

/* The places of make_symmetric, the values not. */
static void make_panels(double diagonal, double beside) {
  make_symmetric(0);
  for (int i = 0; i < N * N; i++) {
    const int row = i / N, column = i % N;
    if (dense[i] == 0) { continue; }
    dense[i] = entry(row, column) + (row == column ? diagonal : column == row + 1 ? beside : 0);
  }
}

/* All widths of right-hand sides, both sides; small pivots, which are exchanged; a singular matrix and a number that is none; and the
 * first matrix again, to the same bits. */
static void test_panels(void) {
  mbd_error err = {0};
  double before[N], after[N];
  make_panels(12, 0);
  mbd_sparse *s = make_sparse();
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_make_panels(s, &err), MBD_OK);
  CU_ASSERT(!mbd_sparse_is_symmetric(s));
  for (int i = 0; i < N; i++) { before[i] = after[i] = entry(i, 3); }
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  CHECK_CLOSE("residual", residual(s), 0, 3e-14);
  mbd_sparse_solve(s, 0, 1, before);
  for (double small = 1e-2; small > 1e-18;
       small /= 10) { /* first the diagonal is pivot, then entries grow too much, then it is too small */
    make_panels(0, 5);
    for (int i = 0; i < N - 8; i++) { dense[i * N + i] = small; }
    put_dense(s);
    CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
    CHECK_CLOSE("residual with small pivots", residual(s), 0, 2e-8); /* KLU leaves 4e-9, too */
  }
  make_panels(12, 0);
  put_dense(s);
  mbd_sparse_values(s)[mbd_sparse_place(s, 4, 3)] = NAN;
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  for (int j = 0; j < N; j++) { dense[7 * N + j] = 0; }
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_SINGULAR);
  make_panels(12, 0);
  put_dense(s);
  CU_ASSERT_EQUAL(mbd_sparse_factor(s), MBD_OK);
  mbd_sparse_solve(s, 0, 1, after);
  CU_ASSERT_EQUAL(memcmp(before, after, sizeof before), 0);
  mbd_sparse_destroy(s);
}

/* From a packed matrix with half of the places, twice, with other values in between. */
static void test_set_packed(void) {
  static int half_count[N], half_first[N + 1], half_col[N * N], mirror[N * N];
  static double packed[N * N];
  mbd_error err = {0};
  make_symmetric(12);
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    mbd_sparse *s = make_sparse();
    if (symmetric) { CU_ASSERT_EQUAL_FATAL(mbd_sparse_make_symmetric(s, &err), MBD_OK); }
    int places = 0;
    for (int i = 0; i < N; i++) {
      half_first[i] = places;
      for (int j = 0; j < N; j++) {
        if (dense[i * N + j] == 0 || (i + j) % 2) { continue; }
        half_col[places] = j, packed[places++] = dense[i * N + j];
      }
      half_count[i] = places - half_first[i];
    }
    const mbd_nonzeros half = {.count = half_count, .col = half_col, .first = half_first, .mirror = mirror};
    for (int twice = 0; twice < 2; twice++) {
      put_dense(s);
      mbd_sparse_set(s, &half, packed);
      for (int i = 0; i < N * N; i++) {
        const int row = i / N, column = i % N, place = mbd_sparse_place(s, row, column);
        if (place < 0 || (symmetric && column < row)) { continue; }
        CU_ASSERT_EQUAL(mbd_sparse_values(s)[place], (row + column) % 2 ? 0 : dense[i]);
      }
    }
    mbd_sparse_destroy(s);
  }
}

TEST_MAIN(TEST(test_solve), TEST(test_places), TEST(test_pivots), TEST(test_growth), TEST(test_nearly_singular),
          TEST(test_singular), TEST(test_symmetric_by_hand), TEST(test_symmetric), TEST(test_panels),
          TEST(test_set_packed))
