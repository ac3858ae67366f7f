/* Products with a packed matrix whose rows are grouped by their columns, against those row by row: groups of one to nine rows, of few and
 * many columns, with empty rows among them. */
#include "la/packed.h"
#include "test.h"

enum { N = 20, GROUPS = 7, ROWS_MAX = 45, MAX = N * ROWS_MAX };

static const int rows_of[GROUPS] = {1, 2, 3, 4, 5, 9, 2}, columns_of[GROUPS] = {3, 1, 6, 7, 2, 17, 8};

typedef struct sample {
  int m, first[ROWS_MAX + 1], col[MAX], begin[ROWS_MAX + 1], row[ROWS_MAX];
  double val[MAX];
} sample;

static double entry(int i, int j) {
  return sin(1.3 * i + 2.7 * j + 0.1 * i * j);
}

/* Group g has columns g, g + step, ... modulo N; every third row is empty. */
static void make(sample *q) {
  int at = 0;
  q->m = 0;
  for (int g = 0; g < GROUPS; g++) {
    for (int r = 0; r < rows_of[g]; q->m++) {
      q->first[q->m] = at;
      if (q->m % 3 == 0) { continue; }
      for (int k = 0; k < columns_of[g]; k++, at++) {
        q->col[at] = (g + 7 * k) % N;
        q->val[at] = entry(q->m, k);
      }
      r++;
    }
  }
  q->first[q->m] = at;
}

static void test_groups(void) {
  static sample q;
  make(&q);
  mbd_alike alike = {.begin = q.begin, .row = q.row};
  const mbd_packed plain = {q.first, q.col, q.val, NULL}, grouped = {q.first, q.col, q.val, &alike};
  double x[N], y[ROWS_MAX], expected[ROWS_MAX], got[ROWS_MAX];
  CU_ASSERT_FATAL(q.m <= ROWS_MAX);
  mbd_packed_find_alike(q.m, &grouped);
  CU_ASSERT_EQUAL(alike.count, GROUPS);
  for (int j = 0; j < N; j++) { x[j] = entry(j, 50); }
  for (int i = 0; i < q.m; i++) { y[i] = expected[i] = got[i] = entry(i, 60); }
  mbd_packed_mul_add(q.m, 1, 1.7, &plain, x, expected);
  mbd_packed_mul_add(q.m, 1, 1.7, &grouped, x, got);
  for (int i = 0; i < q.m; i++) { CHECK_CLOSE("A x", got[i], expected[i], 1e-14); }
  for (int j = 0; j < N; j++) { expected[j] = got[j] = x[j]; }
  mbd_packed_mulT_add(q.m, 1, 1.7, &plain, y, expected);
  mbd_packed_mulT_add(q.m, 1, 1.7, &grouped, y, got);
  for (int j = 0; j < N; j++) { CHECK_CLOSE("A' y", got[j], expected[j], 1e-14); }
}

TEST_MAIN(TEST(test_groups))
