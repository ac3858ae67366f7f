/* The index of names against the list of names itself. */
#include "base/names.h"
#include "test.h"

enum { MANY = 3000 };

static void test_find(void) {
  mbd_names q = {0};
  char(*name)[16] = calloc(MANY, sizeof *name);
  int wrong = 0;
  CU_ASSERT_EQUAL(mbd_names_find(&q, "body_0"), -1); /* empty */
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "body_%d", i);
    CU_ASSERT(mbd_names_add(&q, name[i], 2 * i));
  }
  for (int i = 0; i < MANY; i++) { wrong += mbd_names_find(&q, name[i]) != 2 * i; }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_EQUAL(mbd_names_find(&q, "body_"), -1);
  CU_ASSERT_EQUAL(mbd_names_find(&q, "body_10 "), -1);
  CU_ASSERT_EQUAL(mbd_names_find(&q, ""), -1);
  mbd_names_free(&q);
  free(name);
}

static void test_part(void) {
  mbd_names q = {0};
  CU_ASSERT(mbd_names_add(&q, "ground-bar", 7));
  CU_ASSERT(mbd_names_add(&q, "ground", 3));
  CU_ASSERT_EQUAL(mbd_names_find_part(&q, "ground-bar.angle", 10), 7);
  CU_ASSERT_EQUAL(mbd_names_find_part(&q, "ground-bar.angle", 6), 3);
  CU_ASSERT_EQUAL(mbd_names_find_part(&q, "ground-bar.angle", 7), -1);
  mbd_names_free(&q);
}

static void test_first_stays(void) {
  mbd_names q = {0};
  CU_ASSERT(mbd_names_add(&q, "P1", 4));
  CU_ASSERT(mbd_names_add(&q, "P1", 5));
  CU_ASSERT_EQUAL(mbd_names_find(&q, "P1"), 4);
  mbd_names_free(&q);
}

TEST_MAIN(TEST(test_find), TEST(test_part), TEST(test_first_stays))
