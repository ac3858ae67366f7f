/* The rank of sparse rows is that of the dense elimination: the same rows, the same columns, in the same order. */
#include <string.h>

#include "la/rank.h"
#include "test.h"

enum { MOST_ROWS = 60, MOST_COLS = 40, ENTRIES = 6, FULL_ROWS = 30 };

typedef struct sample {
  int m, n, first[MOST_ROWS + 1], col[MOST_ROWS * MOST_COLS];
  mbd_real J[MOST_ROWS * MOST_COLS];
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
  static mbd_real val[MOST_ROWS * MOST_COLS];
  for (int i = 0; i < q->m; i++) {
    for (int p = q->first[i]; p < q->first[i + 1]; p++) { val[p] = q->J[i * q->n + q->col[p]]; }
  }
  return (mbd_packed){(int *)q->first, (int *)q->col, val};
}

/* The rank, compared with the dense one, or -1: not enough memory, which is that of `entries` nonzeros. */
static int compare(const sample *q, size_t entries) {
  mbd_arena arena = {0};
  mbd_rank_memory memory = {0};
  static double work[MOST_ROWS * (MOST_COLS + 1)];
  int row[2][MOST_ROWS], col[2][MOST_COLS];
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
    fill(&q, MOST_ROWS - seed % 7, MOST_COLS - seed % 5, 1 + seed % ENTRIES, 1000 * seed);
    const int rank = compare(&q, MOST_ROWS * MOST_COLS);
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
    int row[MOST_ROWS], col[MOST_COLS];
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
    int seen[MOST_COLS] = {0}, once = 1;
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
  const mbd_packed J = {first, place, val};
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

TEST_MAIN(TEST(test_as_dense), TEST(test_no_room), TEST(test_one_wanted), TEST(test_not_plain))
