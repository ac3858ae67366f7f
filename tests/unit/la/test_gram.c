/* Squares of rows in a sparse matrix against dense products: groups that share columns, of one to seven rows, columns that
 * are no neighbours, some and many that are; both triangles, and one alone. */
#include "la/gram.h"
#include "test.h"

enum { N = 24, GROUPS = 6, WIDEST = 9, HIGHEST = 7 };

static const int column[GROUPS][WIDEST] = {
    {3, 4, 5, 6, 7, 20}, {0, 9, 10, 23}, {4, 5, 6, 20, 21}, {12}, {1, 11, 12, 13, 14, 15, 16, 17, 22}, {2, 0, 8}};
static const int width[GROUPS] = {6, 4, 5, 1, 9, 3}, height[GROUPS] = {3, 1, 2, 4, 5, HIGHEST};

static double entry(int group, int row, int k) {
  return sin(1.1 * group + 2.3 * row + 0.7 * k + 0.4);
}

static mbd_sparse *make_sparse(void) {
  static int count[N], col[N * N];
  const mbd_nonzeros at = {.count = count, .col = col};
  mbd_error err = {0};
  mbd_sparse *s;
  char mark[N][N] = {{0}};
  for (int i = 0; i < N; i++) { mark[i][i] = 1, count[i] = 0; }
  for (int g = 0; g < GROUPS; g++) {
    for (int a = 0; a < width[g]; a++) {
      for (int b = 0; b < width[g]; b++) { mark[column[g][a]][column[g][b]] = 1; }
    }
  }
  for (int i = 0; i < N * N; i++) {
    if (mark[i / N][i % N]) { col[i / N * N + count[i / N]++] = i % N; }
  }
  CU_ASSERT_EQUAL_FATAL(mbd_sparse_create(N, &at, &s, &err), MBD_OK);
  return s;
}

static void compare(int symmetric) {
  const double alpha = 2.5;
  mbd_sparse *s = make_sparse();
  mbd_gram_group group[GROUPS];
  mbd_gram *g;
  mbd_error err = {0};
  double expected[N * N] = {0};
  for (int i = 0; i < GROUPS; i++) { group[i] = (mbd_gram_group){.n = width[i], .col = column[i]}; }
  if (symmetric) { CU_ASSERT_EQUAL_FATAL(mbd_sparse_make_symmetric(s, &err), MBD_OK); }
  CU_ASSERT_EQUAL_FATAL(mbd_gram_create(s, GROUPS, group, &g, &err), MBD_OK);
  for (int i = 0; i < N; i++) { expected[i * N + i] = 1; }
  mbd_sparse_set(s, NULL, expected);
  for (int i = 0; i < GROUPS; i++) {
    double x[HIGHEST * WIDEST];
    for (int r = 0; r < height[i]; r++) {
      for (int a = 0; a < width[i]; a++) { x[r * width[i] + a] = entry(i, r, a); }
      for (int a = 0; a < width[i]; a++) {
        for (int b = 0; b < width[i]; b++) {
          expected[column[i][a] * N + column[i][b]] += alpha * entry(i, r, a) * entry(i, r, b);
        }
      }
    }
    mbd_gram_add(g, i, alpha, height[i], x, mbd_sparse_values(s));
  }
  for (int i = 0; i < N * N; i++) {
    const int place = mbd_sparse_place(s, i / N, i % N);
    if (symmetric && i % N < i / N) { continue; } /* not read */
    CHECK_CLOSE("entry", place < 0 ? 0 : mbd_sparse_values(s)[place], expected[i], 1e-14);
  }
  mbd_gram_destroy(g), mbd_gram_destroy(NULL);
  mbd_sparse_destroy(s);
}

static void test_squares(void) {
  compare(0);
}

static void test_symmetric(void) {
  compare(1);
}

TEST_MAIN(TEST(test_squares), TEST(test_symmetric))
