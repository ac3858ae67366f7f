/* Pieces of a block: the requests run twice, and what they get is apart and zero. */
#include "base/memory.h"
#include "test.h"

typedef struct pieces {
  double *a, *b;
  int *few;
  mbd_arena arena;
} pieces;

static void layout(pieces *q, size_t n, mbd_arena *a) {
  MBD_ARENA_REALS(a, n, &q->a, &q->b);
  q->few = mbd_arena_take(a, 3 * sizeof *q->few);
}

static void test_pieces(void) {
  pieces q = {0};
  mbd_error err = {0};
  int runs = 0;
  for (; mbd_arena_pass(&q.arena); runs++) { layout(&q, 5, &q.arena); }
  CU_ASSERT_EQUAL(runs, 2);
  CU_ASSERT_EQUAL(mbd_arena_check(&q.arena, "pieces", &err), MBD_OK);
  CU_ASSERT(q.b >= q.a + 5 && (char *)q.few >= (char *)(q.b + 5));
  CU_ASSERT((char *)(q.few + 3) <= q.arena.base + q.arena.cap);
  for (int i = 0; i < 5; i++) { CU_ASSERT(q.a[i] == 0 && q.b[i] == 0); }
  free(q.arena.base);
}

static void test_too_much(void) {
  pieces q = {0};
  mbd_error err = {0};
  const size_t max = (size_t)1 << 58; /* numbers: no machine has as many bytes */
  int runs = 0;
  for (; mbd_arena_pass(&q.arena); runs++) { layout(&q, max, &q.arena); }
  CU_ASSERT_EQUAL(runs, 1);
  CU_ASSERT_EQUAL(mbd_arena_check(&q.arena, "pieces", &err), MBD_NO_MEMORY);
  CHECK_CONTAINS(err.text, "no memory for pieces: ");
}

TEST_MAIN(TEST(test_pieces), TEST(test_too_much))
