/* Values of swept keys: lists, ranges, what is wrong with others. */
#include "study/axis.h"
#include "test.h"

static axis of(const char *values) {
  axis a;
  mbd_error err = {0};
  must(axis_read("k", values, &a, &err), &err);
  return a;
}

static void check_levels(const char *values, int n, const char *const *expected) {
  axis a = of(values);
  char text[AXIS_NUMBER];
  CU_ASSERT_EQUAL_FATAL(a.n, n);
  for (int i = 0; i < n; i++) { CU_ASSERT_STRING_EQUAL(axis_level(&a, i, text), expected[i]); }
  axis_free(&a);
}

static void test_lists(void) {
  check_levels("1, 2.5 ,-3e2", 3, (const char *const[]){"1", "2.5", "-3e2"});
  check_levels("newmark, generalized_alpha", 2, (const char *const[]){"newmark", "generalized_alpha"});
  check_levels("7", 1, (const char *const[]){"7"});
}

static void test_ranges(void) {
  check_levels("0 to 1 in 5", 5, (const char *const[]){"0", "0.25", "0.5", "0.75", "1"});
  check_levels("1 to 1000 in 4 log", 4, (const char *const[]){"1", "10", "100", "1000"});
  check_levels("-8 to -2 in 3 log", 3, (const char *const[]){"-8", "-4", "-2"});
  check_levels("1e-200 to 1e-190 in 3 log", 3, (const char *const[]){"1e-200", "1e-195", "1e-190"}); /* product: 0 */
  check_levels("2 to 1 in 2", 2, (const char *const[]){"2", "1"});
  /* ends as written; between them 15 digits */
  axis a = of("0.1 to 0.7 in 7");
  char text[AXIS_NUMBER];
  CU_ASSERT_STRING_EQUAL(axis_level(&a, 6, text), "0.7");
  CU_ASSERT_STRING_EQUAL(axis_level(&a, 1, text), "0.2"); /* 0.1 + 0.6/6 is not, in the last bit */
  CU_ASSERT(axis_width(&a) >= (int)strlen(axis_level(&a, 1, text)));
  axis_free(&a);
}

static void test_intervals(void) {
  axis a = of("10 to 1000 log"), list = of("a, b, c");
  char text[AXIS_NUMBER];
  CU_ASSERT_EQUAL(a.n, 0);
  CHECK_CLOSE("middle", strtod(axis_at(&a, 0.5, text), NULL), 100, 1e-11);
  CU_ASSERT_STRING_EQUAL(axis_at(&a, 0, text), "10");
  CU_ASSERT_STRING_EQUAL(axis_at(&list, 0.34, text), "b");
  CU_ASSERT_STRING_EQUAL(axis_at(&list, 0.999, text), "c");
  CU_ASSERT_EQUAL(axis_width(&list), 1);
  axis_free(&a), axis_free(&list);
}

static void check_refused(const char *values, const char *says) {
  axis a;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(axis_read("k", values, &a, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, says);
  axis_free(&a);
}

static void test_refused(void) {
  check_refused("0 to 1 in 2.5", "expected a list A, B, C, or FROM to TO in N");
  check_refused("0 to 1 in 3 lin", "expected a list");
  check_refused("0 to", "expected a list");
  check_refused("0 to 1 in 3 log", "needs ends of one sign and not zero, found 0 and 1");
  check_refused("-1 to 1 in 3 log", "needs ends of one sign");
  check_refused("0 to 1 in 1", "one value cannot be 0 and 1");
  check_refused("1, , 2", "value 2 of the list is empty");
  check_refused("1, 2, 1", "value '1' is there twice");
}

TEST_MAIN(TEST(test_lists), TEST(test_ranges), TEST(test_intervals), TEST(test_refused))
