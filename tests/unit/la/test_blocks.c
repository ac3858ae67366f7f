/* Least squares in blocks against the same matrix in one piece: redundant rows, free columns, rows without columns. */
#include "la/blocks.h"
#include "test.h"

/* Blocks, interleaved: columns 0 3 with rows 1 4 (4 repeats 1, times two), columns 1 4 5 with rows 0 2 and a free column,
 * column 2 without a row, column 6 with row 5; row 3 has no columns. */
enum { ROWS = 6, COLS = 7, BLOCKS = 4, WIDE = 2 };
static const int row_block[ROWS] = {1, 0, 1, -1, 0, 3};
static const int col_block[COLS] = {0, 1, 2, 0, 1, 1, 3};
static const double matrix[ROWS][COLS] = {{0, 2, 0, 0, 1, -1, 0}, {3, 0, 0, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 4, 0},
                                          {0, 0, 0, 0, 0, 0, 0},  {6, 0, 0, 2, 0, 0, 0}, {0, 0, 0, 0, 0, 0, -5}};

static mbd_blocks *make(void) {
  mbd_error err = {0};
  mbd_blocks *q = NULL;
  int first[ROWS + 1] = {0}, col[ROWS * COLS];
  for (int i = 0; i < ROWS; i++) {
    first[i + 1] = first[i];
    for (int j = 0; j < COLS; j++) {
      if (matrix[i][j] != 0) { col[first[i + 1]++] = j; }
    }
  }
  const mbd_block_rows rows = {.n = ROWS, .block = row_block, .in = {.first = first, .col = col}};
  CU_ASSERT_EQUAL_FATAL(mbd_blocks_create(BLOCKS, &rows, COLS, col_block, WIDE, &q, &err), MBD_OK);
  for (int pass = 0; pass < 2; pass++) { /* the second after clearing */
    mbd_blocks_clear(q);
    for (int i = 0; i < ROWS; i++) {
      for (int j = 0; j < COLS; j++) {
        if (matrix[i][j] != 0) { q->row[i][q->at[j]] = matrix[i][j] + 1 - pass; }
      }
    }
  }
  return q;
}

static int contains(int n, const int *list, int value) {
  for (int i = 0; i < n; i++) {
    if (list[i] == value) { return 1; }
  }
  return 0;
}

static void test_rank(void) {
  mbd_blocks *q = make();
  int row[ROWS], col[COLS];
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, ROWS, 1e-9, MBD_RANK_BOTH, row, col), 4);
  CU_ASSERT(contains(4, row, 0) && contains(4, row, 2) && contains(4, row, 4) && contains(4, row, 5)); /* 4 is larger */
  CU_ASSERT(contains(2, row + 4, 1) && contains(2, row + 4, 3));
  CU_ASSERT_EQUAL(col[4], 3); /* left free: the smaller entries of each block, block by block */
  CU_ASSERT_EQUAL(col[5], 4);
  CU_ASSERT_EQUAL(col[6], 2);
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, 2, 1e-9, MBD_RANK_BOTH, row, col), 2); /* of the first two rows alone */
  CU_ASSERT(contains(2, row, 0) && contains(2, row, 1));
  CU_ASSERT(contains(2, col, 0) && contains(2, col, 1));
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, ROWS, 0.9, MBD_RANK_BOTH, row, col),
                  1); /* "zero" is measured by the largest of all blocks */
  mbd_blocks_destroy(q);
}

/* J with the rows of the kept columns. */
static double full(const mbd_blocks *q, int i, int j) {
  return i < ROWS ? matrix[i][j] : q->kept[i - ROWS] == j;
}

static mbd_blocks *factored(void) {
  mbd_blocks *q = make();
  int row[ROWS], col[COLS];
  const int rank = mbd_blocks_rank(q, ROWS, 1e-9, MBD_RANK_BOTH, row, col);
  mbd_blocks_keep(q, COLS - rank, col + rank);
  CU_ASSERT_EQUAL(q->nkept, 3);
  CU_ASSERT_EQUAL(mbd_blocks_factor(q, 0), MBD_OK);
  return q;
}

/* J'(b - J x) = 0, and what is left of b is b - J x. */
static void test_solve(void) {
  mbd_blocks *q = factored();
  double b[(ROWS + COLS) * WIDE], left[(ROWS + COLS) * WIDE], x[COLS * WIDE];
  const int rows = ROWS + q->nkept;
  for (int i = 0; i < rows * WIDE; i++) { b[i] = left[i] = sin(1.7 * i + 0.3); }
  mbd_blocks_solve(q, WIDE, left, x);
  for (int r = 0; r < WIDE; r++) {
    for (int i = 0; i < rows; i++) {
      double v = b[i * WIDE + r];
      for (int j = 0; j < COLS; j++) { v -= full(q, i, j) * x[j * WIDE + r]; }
      CHECK_CLOSE("remainder", left[i * WIDE + r], v, 2e-15);
    }
    for (int j = 0; j < COLS; j++) {
      double v = 0;
      for (int i = 0; i < rows; i++) { v += full(q, i, j) * left[i * WIDE + r]; }
      CHECK_CLOSE("remainder along a column", v, 0, 2e-15);
    }
  }
  CHECK_CLOSE("a row without columns", left[3 * WIDE], b[3 * WIDE], 0);
  CU_ASSERT(fabs(left[WIDE]) > 0.1); /* the redundant rows contradict each other */
  mbd_blocks_destroy(q);
}

/* w = J y with J'J y = x is the transposed of the solution: w . b = x . y(b) for every b. */
static void test_weights(void) {
  mbd_blocks *q = factored();
  double x[COLS], w[ROWS + COLS];
  const int rows = ROWS + q->nkept;
  for (int j = 0; j < COLS; j++) { x[j] = cos(2.1 * j); }
  mbd_blocks_weights(q, x, w);
  for (int i = 0; i < rows; i++) {
    double b[ROWS + COLS] = {0}, y[COLS], expected = 0;
    b[i] = 1;
    mbd_blocks_solve(q, 1, b, y);
    for (int j = 0; j < COLS; j++) { expected += x[j] * y[j]; }
    CHECK_CLOSE("weight", w[i], expected, 2e-15);
  }
  mbd_blocks_destroy(q);
}

static void test_singular(void) {
  mbd_blocks *q = make();
  mbd_blocks_keep(q, 0, NULL);
  CU_ASSERT_EQUAL(mbd_blocks_factor(q, 0), MBD_SINGULAR);
  mbd_blocks_destroy(q);
}

/* A block large and empty enough to be packed: springs between neighbours in a row, two where `twice` says, the first one to a wall.
 * x_i - x_(i-1) = 1 has x_i = i + 1. */
enum { LONG = 150 };
static int twice(int i) {
  return i % 10 == 3;
}

static mbd_blocks *make_long(void) {
  mbd_error err = {0};
  mbd_blocks *q = NULL;
  int first[2 * LONG + 1] = {0}, col[4 * LONG], block[2 * LONG] = {0}, one[LONG] = {0}, rows = 0;
  for (int i = 0; i < LONG; i++) {
    for (int k = 0; k <= twice(i); k++, rows++) {
      int *next = col + first[rows];
      if (i > 0) { *next++ = i - 1; }
      *next++ = i;
      first[rows + 1] = (int)(next - col);
    }
  }
  const mbd_block_rows list = {.n = rows, .block = block, .in = {.first = first, .col = col}};
  CU_ASSERT_EQUAL_FATAL(mbd_blocks_create(1, &list, LONG, one, 1, &q, &err), MBD_OK);
  mbd_blocks_clear(q);
  for (int i = 0, r = 0; i < LONG; i++) {
    for (int k = 0; k <= twice(i); k++, r++) {
      CU_ASSERT_EQUAL(q->packed[r], 1);
      q->row[r][i > 0] = 1;
      if (i > 0) { q->row[r][0] = -1; }
    }
  }
  return q;
}

static void test_packed(void) {
  if (!mbd_sparse_available()) { return; }
  mbd_blocks *q = make_long();
  const int rows = q->nrow;
  static mbd_real b[2 * LONG], x[LONG], w[2 * LONG], J[2 * LONG * LONG];
  static int row[2 * LONG], col[LONG];
  CU_ASSERT_EQUAL(rows, LONG + LONG / 10);
  mbd_block_unpack(&q->block[0], J);
  CU_ASSERT(J[0] == 1 && J[1] == 0 && J[LONG] == -1 && J[LONG + 1] == 1);
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, rows, 1e-9, MBD_RANK_COLUMNS, row, col), LONG);
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, rows, 1e-9, MBD_RANK_ROWS, row, col), LONG);
  for (int i = 0, r = 0; i < LONG; r += 1 + twice(i), i++) {
    CU_ASSERT(contains(LONG, row, r) || (twice(i) && contains(LONG, row, r + 1)));
  }
  CU_ASSERT_EQUAL(mbd_blocks_rank(q, LONG / 2, 1e-9, MBD_RANK_NUMBER, row, col), LONG / 2 - 7); /* 7 stand twice */
  CU_ASSERT_EQUAL(mbd_blocks_factor(q, 0), MBD_OK);
  for (int r = 0; r < rows; r++) { b[r] = 1; }
  mbd_blocks_solve(q, 1, b, x);
  for (int i = 0; i < LONG; i++) { CHECK_CLOSE("position", x[i], i + 1, 1e-10); }
  for (int r = 0; r < rows; r++) { CHECK_CLOSE("left", b[r], 0, 1e-10); }
  for (int i = 0; i < LONG; i++) {
    x[i] = i == LONG - 1;
  } /* a force at the end goes through all, halved by two springs */
  mbd_blocks_weights(q, x, w);
  for (int i = 0, r = 0; i < LONG; i++) {
    for (int k = 0; k <= twice(i); k++) { CHECK_CLOSE("force", w[r++], twice(i) ? 0.5 : 1, 1e-10); }
  }
  mbd_blocks_destroy(q);
}

/* Of the first block, J = [3 1; 6 2] with its second column kept: before' J + E'E is [45 15; 15 6], [-45 -15; -15 -4], [0 0; 0 1]. */
static void test_sign(void) {
  static const mbd_real J[] = {3, 1, 6, 2}, turned[] = {-3, -1, -6, -2}, zero[4];
  mbd_blocks *q = factored();
  mbd_real N[4];
  int piv[2];
  double min_pivot;
  CU_ASSERT_EQUAL(mbd_blocks_sign(q, 0, J, J, N, piv, &min_pivot), 1);
  CHECK_CLOSE("smallest pivot", min_pivot, 6 / 7.5, 1e-14); /* eliminated from the last one on: 6, 45 - 15*15/6 */
  CU_ASSERT_EQUAL(mbd_blocks_sign(q, 0, turned, J, N, piv, &min_pivot), -1);
  CU_ASSERT_EQUAL(mbd_blocks_sign(q, 0, zero, J, N, piv, &min_pivot), 0);
  mbd_blocks_destroy(q);
}

TEST_MAIN(TEST(test_rank), TEST(test_solve), TEST(test_weights), TEST(test_singular), TEST(test_packed),
          TEST(test_sign))
