/* Squares of rows in a sparse matrix against dense products: groups that share columns, of one to three rows, columns that
 * are no neighbours; both triangles. */
#include "la/gram.h"
#include "test.h"

enum { N = 24, GROUPS = 4, WIDEST = 6 };

static const int column[GROUPS][WIDEST] = {{3, 4, 5, 6, 7, 20}, {0, 9, 10, 23}, {4, 5, 6, 20, 21}, {12}};
static const int width[GROUPS] = {6, 4, 5, 1}, height[GROUPS] = {3, 1, 2, 2};

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

static void test_squares(void) {
  const double alpha = 2.5;
  mbd_sparse *s = make_sparse();
  mbd_gram_group group[GROUPS];
  mbd_gram *g;
  mbd_error err = {0};
  double want[N * N] = {0};
  for (int i = 0; i < GROUPS; i++) { group[i] = (mbd_gram_group){.n = width[i], .col = column[i]}; }
  CU_ASSERT_EQUAL_FATAL(mbd_gram_create(s, GROUPS, group, &g, &err), MBD_OK);
  for (int i = 0; i < N; i++) { want[i * N + i] = 1; }
  mbd_sparse_set(s, NULL, want);
  for (int i = 0; i < GROUPS; i++) {
    double x[3 * WIDEST];
    for (int r = 0; r < height[i]; r++) {
      for (int a = 0; a < width[i]; a++) { x[r * width[i] + a] = entry(i, r, a); }
      for (int a = 0; a < width[i]; a++) {
        for (int b = 0; b < width[i]; b++) {
          want[column[i][a] * N + column[i][b]] += alpha * entry(i, r, a) * entry(i, r, b);
        }
      }
    }
    mbd_gram_add(g, i, alpha, height[i], x, mbd_sparse_values(s));
  }
  for (int i = 0; i < N * N; i++) {
    const int place = mbd_sparse_place(s, i / N, i % N);
    CHECK_CLOSE("entry", place < 0 ? 0 : mbd_sparse_values(s)[place], want[i], 1e-14);
  }
  mbd_gram_destroy(g), mbd_gram_destroy(NULL);
  mbd_sparse_destroy(s);
}

TEST_MAIN(TEST(test_squares))
