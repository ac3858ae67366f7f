/* Small tools of the tests: comparisons that show what they saw, and a main function.
 * MBD_TOL_SCALE=0 shows every residual; MBD_TOL_SCALE=10 loosens all tolerances tenfold for a look around.
 * MBOPT_LONG=1, which scripts/test --long sets, runs loops whole of which the test command takes a sample. */
#ifndef MBOPT_TEST_H
#define MBOPT_TEST_H

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbd/status.h"

static inline double test_scale(void) {
  const char *s = getenv("MBD_TOL_SCALE");
  return s ? atof(s) : 1;
}

/* Whether loops that take long run whole; otherwise they take a sample that a fixed seed draws. */
static inline int test_long(void) {
  const char *s = getenv("MBOPT_LONG");
  return s && *s;
}

/* Whether the program is slow (sanitizers), and motions are to be short. */
static inline int test_slow(void) {
  return getenv("MBOPT_SLOW") != NULL;
}

/* |got - want| <= tol; NaN fails. */
static inline int test_close(const char *name, double got, double expected, double tol) {
  int ok = fabs(got - expected) <= tol * test_scale();
  if (!ok) {
    printf("\n  %s: got %.15g, wanted %.15g, difference %.3g > %.3g\n", name, got, expected, fabs(got - expected), tol);
  }
  return ok;
}

#define CHECK_CLOSE(name, got, expected, tol) CU_ASSERT(test_close(name, got, expected, tol))

/* Relative to `scale`, the size of the largest entry compared. */
#define CHECK_NEAR(name, got, expected, scale, tol) CU_ASSERT(test_close(name, got, expected, (tol) * (scale)))

/* The text contains the part. */
static inline int test_contains(const char *text, const char *part) {
  int ok = text && strstr(text, part) != NULL;
  if (!ok) { printf("\n  expected \"%s\" in: %s\n", part, text ? text : "(nothing)"); }
  return ok;
}

#define CHECK_CONTAINS(text, part) CU_ASSERT(test_contains(text, part))

/* Ends the program with the message unless status is MBD_OK: for what a test only sets up. */
static inline void must(mbd_status status, const mbd_error *err) {
  if (status == MBD_OK) { return; }
  printf("\n  %s\n", err->text);
  exit(1);
}

/* A file of that text, in the place of one that is there. */
static inline void test_put(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  CU_ASSERT_FATAL(fputs(text, out) >= 0);
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
}

/* What a test cannot compare, because a library was not there at build time: told, and ctest says "Skipped". */
static inline int *test_skips(void) {
  static int n;
  return &n;
}
static inline void test_skip(const char *why) {
  printf("\n  skipped: %s\n", why);
  ++*test_skips();
}

typedef struct test_entry {
  const char *name;
  void (*run)(void);
} test_entry;

/* Run all; fails if anything failed or nothing was asserted. */
static inline int test_run(const char *suite, const test_entry *entry, int n) {
  if (CU_initialize_registry() != CUE_SUCCESS) { return 2; }
  CU_pSuite s = CU_add_suite(suite, NULL, NULL);
  for (int i = 0; s && i < n; i++) { CU_add_test(s, entry[i].name, entry[i].run); }
  CU_basic_set_mode(CU_BRM_NORMAL);
  CU_basic_run_tests();
  int failed = CU_get_number_of_failures() > 0 || !s || (CU_get_number_of_asserts() == 0 && *test_skips() == 0);
  CU_cleanup_registry();
  return failed ? 1 : *test_skips() ? 77 : 0;
}

#define TEST(f) \
  { #f, f }
#define TEST_MAIN(...)                                                             \
  int main(void) {                                                                 \
    const test_entry entries[] = {__VA_ARGS__};                                    \
    return test_run(__FILE__, entries, (int)(sizeof entries / sizeof entries[0])); \
  }

/* Run all with a folder of their own, whose name takes the place of the six X at the end of `folder`; it is removed with all in it. */
static inline int test_run_in(char *folder, const char *suite, const test_entry *entry, int n) {
  char command[200];
  if (!mkdtemp(folder)) { return 2; }
  const int failed = test_run(suite, entry, n);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) { puts("the folder of the test cannot be removed"); }
  return failed;
}
#define TEST_MAIN_IN(folder, ...)                                                             \
  int main(void) {                                                                            \
    const test_entry entries[] = {__VA_ARGS__};                                               \
    return test_run_in(folder, __FILE__, entries, (int)(sizeof entries / sizeof entries[0])); \
  }

#endif
