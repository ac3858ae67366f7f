/* The rank of sparse rows is that of the dense elimination: the same rows, the same columns, in the same order. Factors of the rows and
 * columns of its pivots, in their order and in one of little fill, solve what dense factors solve. */
#include <string.h>

#include "la/pivots.h"
#include "la/rank.h"
#include "test.h"

enum { ROWS_MAX = 60, MAX_COLS = 40, ENTRIES = 6, FULL_ROWS = 30 };

typedef struct sample {
  int m, n, first[ROWS_MAX + 1], col[ROWS_MAX * MAX_COLS];
  mbd_real J[ROWS_MAX * MAX_COLS];
} sample;

static double number(int i) {
  return sin(12.9898 * i) * 43758.5453 - floor(sin(12.9898 * i) * 43758.5453);
}

/* Rows of `per_row` entries in some columns; many are 1 or -1, as of constraints, so that pivots tie; every third repeats another. */
static void fill(sample *q, int m, int n, int per_row, int seed) {
  memset(q, 0, sizeof *q);
  q->m = m, q->n = n;
  for (int i = 0; i < m; i++) {
    const int like = i % 3 == 2 ? i - 2 : i;
    q->first[i + 1] = q->first[i];
    for (int k = 0; k < per_row; k++) {
      const int j = (int)(number(seed + 31 * like + k) * n);
      if (q->J[i * n + j] != 0) { continue; }
      const double v = number(seed + 7 * like + 3 * k);
      q->J[i * n + j] = v < 0.3 ? 1 : v < 0.6 ? -1 : v;
      q->col[q->first[i + 1]++] = j;
    }
  }
}

static mbd_packed pack(const sample *q) {
  static mbd_real val[ROWS_MAX * MAX_COLS];
  for (int i = 0; i < q->m; i++) {
    for (int p = q->first[i]; p < q->first[i + 1]; p++) { val[p] = q->J[i * q->n + q->col[p]]; }
  }
  return (mbd_packed){(int *)q->first, (int *)q->col, val, NULL};
}

/* The rank, compared with the dense one, or -1: not enough memory, which is that of `entries` nonzeros. */
static int compare(const sample *q, size_t entries) {
  mbd_arena arena = {0};
  mbd_rank_memory memory = {0};
  static double work[ROWS_MAX * (MAX_COLS + 1)];
  int row[2][ROWS_MAX], col[2][MAX_COLS];
  while (mbd_arena_pass(&arena)) { mbd_rank_layout(&memory, (size_t)q->m, (size_t)q->n, entries, &arena); }
  for (int k = 0; k < q->m * q->n; k++) { work[k] = mbd_re(q->J[k]); }
  const int dense = mbd_rank_above(q->m, q->n, work, 1e-9, row[0], col[0]);
  int sparse = -1;
  const mbd_packed J = pack(q);
  for (int again = 0; again < 2; again++) { /* nothing is left over from the time before */
    sparse = mbd_rank_packed(&memory, q->m, q->n, &J, 1e-9, MBD_RANK_BOTH, row[1], col[1]);
  }
  free(arena.base);
  if (sparse < 0) { return sparse; }
  CU_ASSERT_EQUAL(sparse, dense);
  CU_ASSERT_EQUAL(memcmp(row[0], row[1], (size_t)q->m * sizeof *row[0]), 0);
  CU_ASSERT_EQUAL(memcmp(col[0], col[1], (size_t)q->n * sizeof *col[0]), 0);
  return sparse;
}

static void test_as_dense(void) {
  static sample q;
  for (int seed = 0; seed < 40; seed++) {
    fill(&q, ROWS_MAX - seed % 7, MAX_COLS - seed % 5, 1 + seed % ENTRIES, 1000 * seed);
    const int rank = compare(&q, ROWS_MAX * MAX_COLS);
    CU_ASSERT(rank > 0 && rank < q.m);
  }
}

/* A diagonal with a first row and a first column: eliminating from the corner on fills the matrix. */
static void test_no_room(void) {
  static sample q;
  memset(&q, 0, sizeof q);
  q.m = q.n = FULL_ROWS;
  for (int i = 0; i < q.m; i++) {
    q.first[i + 1] = q.first[i];
    for (int j = 0; j < q.n; j++) {
      if (i > 0 && j > 0 && i != j) { continue; }
      q.J[i * q.n + j] = i == 0 && j == 0 ? 100 : 10 + i + j;
      q.col[q.first[i + 1]++] = j;
    }
  }
  CU_ASSERT_EQUAL(compare(&q, (size_t)q.first[q.m]), -1);
}

/* A matrix of full rank with `spare` columns or rows beyond it, all of them in a band: what is wanted leaves no choice. */
static void test_one_wanted(void) {
  static sample q;
  enum { N = 30 };
  for (int spare = -2; spare <= 2; spare++) {
    mbd_arena arena = {0};
    mbd_rank_memory memory = {0};
    int row[ROWS_MAX], col[MAX_COLS];
    const int m = spare < 0 ? N - spare : N, n = spare > 0 ? N + spare : N;
    memset(&q, 0, sizeof q);
    for (int i = 0; i < m; i++) {
      q.first[i + 1] = q.first[i];
      for (int j = i - 2; j <= i + 2; j++) {
        if (j < 0 || j >= n || i == 7) { continue; } /* row 7 is zero */
        q.J[i * n + j] = j == i ? 3 : 1;
        q.col[q.first[i + 1]++] = j;
      }
    }
    const mbd_packed J = pack(&q);
    while (mbd_arena_pass(&arena)) { mbd_rank_layout(&memory, (size_t)m, (size_t)n, (size_t)q.first[m], &arena); }
    const int rank = mbd_rank_packed(&memory, m, n, &J, 1e-9, MBD_RANK_NUMBER, row, col);
    CU_ASSERT_EQUAL(rank, m - 1 < n ? m - 1 : n);
    CU_ASSERT_EQUAL(mbd_rank_packed(&memory, m, n, &J, 1e-9, MBD_RANK_ROWS, row, col), rank);
    for (int i = 0; i < m && rank == m - 1; i++) { CU_ASSERT_EQUAL(row[i], i < 7 ? i : i < m - 1 ? i + 1 : 7); }
    CU_ASSERT_EQUAL(mbd_rank_packed(&memory, m, n, &J, 1e-9, MBD_RANK_COLUMNS, row, col), rank);
    int seen[MAX_COLS] = {0}, once = 1;
    for (int j = 0; j < n; j++) { seen[col[j]]++; }
    for (int j = 0; j < n; j++) { once &= seen[j] == 1; }
    CU_ASSERT(once);
    free(arena.base);
  }
}

/* A pivot between plain and none: full pivoting decides, and a dependent row with entries leaves a choice of rows. */
static void test_not_plain(void) {
  mbd_arena arena = {0};
  mbd_rank_memory memory = {0};
  enum { M = 4, N = 3 };
  mbd_real val[M] = {1, 1e-6, 2, 1e-12};
  int first[M + 1] = {0, 1, 2, 3, 4}, place[M] = {0, 1, 0, 2}, row[2][M], col[2][N];
  const mbd_packed J = {first, place, val, NULL};
  while (mbd_arena_pass(&arena)) { mbd_rank_layout(&memory, M, N, M, &arena); }
  CU_ASSERT_EQUAL(mbd_rank_packed(&memory, M, N, &J, 1e-9, MBD_RANK_BOTH, row[0], col[0]), 2);
  CU_ASSERT_EQUAL(mbd_rank_packed(&memory, M, N, &J, 1e-9, MBD_RANK_ROWS, row[1], col[1]), 2);
  CU_ASSERT_EQUAL(row[1][0], 2); /* of the two rows that depend on each other the larger one */
  CU_ASSERT_EQUAL(memcmp(row[0], row[1], sizeof row[0]), 0);
  CU_ASSERT_EQUAL(mbd_rank_packed(&memory, M, N, &J, 1e-9, MBD_RANK_COLUMNS, row[1], col[1]), 2);
  CU_ASSERT_EQUAL(memcmp(col[0], col[1], sizeof col[0]), 0);
  CU_ASSERT_EQUAL(col[1][2], 2);
  free(arena.base);
}

/* ---- factors of what has pivots ---- */

enum { MAX_WIDE = 11, CAPACITY = ROWS_MAX * MAX_COLS };

typedef struct factors_bench {
  sample q;
  mbd_arena arena;
  mbd_rank_memory memory;
  mbd_pivots lu;
  mbd_packed J;
  int rank, row[ROWS_MAX], col[MAX_COLS], other_row[MAX_COLS], other_col[MAX_COLS];
} factors_bench;

static void open_factors(factors_bench *b, size_t capacity) {
  const size_t m = (size_t)b->q.m, n = (size_t)b->q.n;
  b->J = pack(&b->q);
  while (mbd_arena_pass(&b->arena)) {
    mbd_rank_layout(&b->memory, m, n, CAPACITY, &b->arena);
    mbd_pivots_layout(&b->lu, m, n, capacity, MAX_WIDE, &b->arena);
  }
  b->rank = mbd_rank_packed(&b->memory, b->q.m, b->q.n, &b->J, 1e-9, MBD_RANK_BOTH, b->row, b->col);
}

/* The largest residual of solutions, of either side, for every width; numbers outside the pivots are to stay as they are. */
static double residual(const factors_bench *b, int *kept) {
  const int m = b->q.m, n = b->q.n;
  double max = 0;
  for (int k = 1; k <= MAX_WIDE; k++) {
    mbd_real side[ROWS_MAX * MAX_WIDE], x[MAX_COLS * MAX_WIDE], y[ROWS_MAX * MAX_WIDE], f[MAX_COLS * MAX_WIDE];
    for (int i = 0; i < m * k; i++) { side[i] = number(i + 5), y[i] = -7; }
    for (int j = 0; j < n * k; j++) { x[j] = f[j] = number(j + 3); }
    mbd_pivots_solve_T(&b->lu, k, f, y);
    mbd_pivots_solve(&b->lu, k, side, x);
    for (int p = 0; p < b->rank; p++) {
      for (int c = 0; c < k; c++) {
        double left = mbd_re(side[b->row[p] * k + c]), left_T = mbd_re(f[b->col[p] * k + c]);
        for (int r = 0; r < b->rank; r++) {
          left -= mbd_re(b->q.J[b->row[p] * n + b->col[r]] * x[b->col[r] * k + c]);
          left_T -= mbd_re(b->q.J[b->row[r] * n + b->col[p]] * y[b->row[r] * k + c]);
        }
        max = fmax(max, fmax(fabs(left), fabs(left_T)));
      }
    }
    for (int p = b->rank; p < m; p++) { *kept &= y[b->row[p] * k] == -7; }
  }
  return max;
}

static void test_factors(void) {
  for (int variant = 0; variant < 6; variant++) {
    factors_bench b = {.rank = 0};
    int kept = 1, seen[MAX_COLS] = {0};
    fill(&b.q, 20 + 4 * variant, MAX_COLS - 2 * variant, 3 + variant / 2, 17 * variant);
    open_factors(&b, CAPACITY);
    CU_ASSERT(b.rank > 10);
    CU_ASSERT(mbd_pivots_set(&b.lu, b.q.n, &b.J, b.rank, b.row, b.col));
    CU_ASSERT(mbd_pivots_factor(&b.lu, &b.J) > 0.9); /* complete pivoting: a pivot is the largest of its row */
    CHECK_CLOSE("in the order of complete pivoting", residual(&b, &kept), 0, 1e-13);
    const int fill_of_these = b.lu.first[b.rank];
    CU_ASSERT(mbd_rank_order(&b.memory, b.q.m, b.q.n, &b.J, 1e-9, b.rank, b.row, b.col, b.other_row, b.other_col));
    for (int p = 0; p < b.rank; p++) { seen[b.other_col[p]]++; }
    for (int p = 0; p < b.rank; p++) { CU_ASSERT_EQUAL(seen[b.col[p]], 1); }
    CU_ASSERT(mbd_pivots_set(&b.lu, b.q.n, &b.J, b.rank, b.other_row, b.other_col));
    CU_ASSERT(b.lu.first[b.rank] <= fill_of_these);
    CU_ASSERT(mbd_pivots_factor(&b.lu, &b.J) > 1e-3);
    CHECK_CLOSE("in an order of little fill", residual(&b, &kept), 0, 1e-13);
    CU_ASSERT(kept);
    free(b.arena.base);
  }
}

/* [2 1; 4 5] with the second row first: L = [1 0; 1/2 1], U = [4 5; 0 -3/2]; no room for two places; a pivot of zero. */
static void test_factors_by_hand(void) {
  mbd_arena arena = {0};
  mbd_pivots lu = {0}, small = {0};
  mbd_real val[4] = {2, 1, 4, 5}, b[2] = {4, 14}, x[2];
  int first[3] = {0, 2, 4}, place[4] = {0, 1, 0, 1}, row[2] = {1, 0}, col[2] = {0, 1};
  const mbd_packed J = {first, place, val, NULL};
  while (mbd_arena_pass(&arena)) {
    mbd_pivots_layout(&lu, 2, 2, 2, 1, &arena);
    mbd_pivots_layout(&small, 2, 2, 1, 1, &arena);
  }
  CU_ASSERT_EQUAL(mbd_pivots_set(&small, 2, &J, 2, row, col), 0);
  CU_ASSERT_EQUAL(mbd_pivots_set(&lu, 2, &J, 2, row, col), 1);
  CHECK_CLOSE("smallest pivot of its row", mbd_pivots_factor(&lu, &J), 4. / 5, 1e-16);
  CHECK_CLOSE("L", mbd_re(lu.val[1]), 0.5, 1e-16);
  CHECK_CLOSE("U", mbd_re(lu.val[0]), 5, 1e-16);
  CHECK_CLOSE("pivot", mbd_re(1 / lu.inverse[1]), -1.5, 1e-15);
  mbd_pivots_solve(&lu, 1, b, x);
  CHECK_CLOSE("x", mbd_re(x[0]), 1, 1e-15);
  CHECK_CLOSE("x", mbd_re(x[1]), 2, 1e-15);
  mbd_pivots_solve_T(&lu, 1, (mbd_real[]){8, 11}, b); /* 2 b0 + 4 b1 = 8, b0 + 5 b1 = 11 */
  CHECK_CLOSE("y", mbd_re(b[0]), -2. / 3, 1e-15);
  CHECK_CLOSE("y", mbd_re(b[1]), 7. / 3, 1e-15);
  val[1] = 2.5;
  CU_ASSERT_EQUAL(mbd_pivots_factor(&lu, &J), 0);
  free(arena.base);
}

TEST_MAIN(TEST(test_as_dense), TEST(test_no_room), TEST(test_one_wanted), TEST(test_not_plain), TEST(test_factors),
          TEST(test_factors_by_hand))
