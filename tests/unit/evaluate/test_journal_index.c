/* Designs of a journal are found, whatever their number, in the order of the journal. */
#include "evaluate/journal_index.h"
#include "base/random.h"
#include "test.h"

enum { N = 3, COUNT = 20000 };

/* Every tenth design stands there twice, COUNT/2 later. */
static void fill(journal_record *r, double *x) {
  uint64_t state = 1;
  for (int i = 0; i < COUNT; i++) {
    r[i] = (journal_record){.number = i, .x = x + N * i};
    for (int k = 0; k < N; k++) { r[i].x[k] = 2 * random_unit(&state) - 1; }
    if (i >= COUNT / 2 && i % 10 == 0) { memcpy(r[i].x, r[i - COUNT / 2].x, N * sizeof *x); }
  }
}

static void test_find(void) {
  journal_record *r = calloc(COUNT, sizeof *r);
  double *x = calloc(N * COUNT, sizeof *x);
  journal_index index;
  fill(r, x);
  CU_ASSERT_FATAL(journal_index_build(&index, r, COUNT, N));
  int wrong = 0;
  for (int i = 0; i < COUNT; i++) {
    const int twice = i % 10 == 0, first = twice ? i % (COUNT / 2) : i;
    const journal_record *found = journal_index_find(&index, r[i].x, NULL);
    wrong += !found || found->number != first;
    const journal_record *next = found ? journal_index_find(&index, r[i].x, found) : NULL;
    wrong += twice ? !next || next->number != first + COUNT / 2 || journal_index_find(&index, r[i].x, next) != NULL
                   : next != NULL;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  const double other[N] = {x[0], x[1], nextafter(x[2], 2)};
  CU_ASSERT(journal_index_find(&index, other, NULL) == NULL);
  journal_index_free(&index);
  free(r), free(x);
}

/* Whole numbers differ in few bits, all of them high: the lists stay short all the same. */
static void test_lists_are_short(void) {
  journal_record *r = calloc(COUNT, sizeof *r);
  double *x = calloc(N * COUNT, sizeof *x);
  journal_index index;
  int longest = 0;
  for (int i = 0; i < COUNT; i++) {
    r[i].x = x + N * i;
    r[i].x[0] = i % 20, r[i].x[1] = i / 20 % 20, r[i].x[2] = 1000 * (i / 400);
  }
  CU_ASSERT_FATAL(journal_index_build(&index, r, COUNT, N));
  for (int i = 0; i < index.capacity; i++) {
    int length = 0;
    for (int k = index.first[i]; k >= 0; k = index.next[k]) { length++; }
    longest = length > longest ? length : longest;
  }
  CU_ASSERT(longest >= 1 && longest <= 10);
  journal_index_free(&index);
  free(r), free(x);
}

static void test_empty(void) {
  const double x[N] = {0};
  journal_index index = {0};
  CU_ASSERT(journal_index_find(&index, x, NULL) == NULL);
  CU_ASSERT_FATAL(journal_index_build(&index, NULL, 0, N));
  CU_ASSERT(journal_index_find(&index, x, NULL) == NULL);
  journal_index_free(&index);
}

TEST_MAIN(TEST(test_find), TEST(test_lists_are_short), TEST(test_empty))
