/* Numbers as text: the same characters as printf's, for what is exact, what is rounded and what lies half way between two. */
#include "files/number_text.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "test.h"

static void check(double v) {
  char want[40], got[NUMBER_TEXT];
  const int length = snprintf(want, sizeof want, "%.17g", v);
  CU_ASSERT_EQUAL(number_text(v, got), length);
  if (strcmp(got, want) != 0) {
    printf("got %s, wanted %s\n", got, want);
    CU_FAIL("another text than printf's");
  }
}

static void check_around(double v) {
  check(v), check(-v);
  check(nextafter(v, INFINITY)), check(nextafter(v, 0));
}

static void check_text(double v, const char *want) {
  char got[NUMBER_TEXT];
  number_text(v, got);
  CU_ASSERT_STRING_EQUAL(got, want);
}

static void test_by_hand(void) {
  check_text(0, "0"), check_text(-0.0, "-0");
  check_text(1, "1"), check_text(-1.5, "-1.5"), check_text(1000, "1000");
  check_text(0.1, "0.10000000000000001");
  check_text(1e-4, "0.0001"), check_text(1e-5, "1.0000000000000001e-05");
  check_text(1e16, "10000000000000000"), check_text(1e17, "1e+17");
  check_text(DBL_TRUE_MIN, "4.9406564584124654e-324");
  /* 2^-25 = 2.98023223876953125e-8 and three of it end half way between two texts: the even digit */
  check_text(0x1p-25, "2.9802322387695312e-08"), check_text(0x3p-25, "8.9406967163085938e-08");
}

static void test_edges(void) {
  for (int e = -323; e <= 308; e++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    check_around(strtod(text, NULL));
    snprintf(text, sizeof text, "99999e%d", e - 4);
    if (e < 304) { check_around(strtod(text, NULL)); }
  }
  for (int e = -1074; e <= 1023; e++) { check_around(ldexp(1, e)); }
  check(DBL_MAX), check(INFINITY), check(-INFINITY), check(NAN), check(0.0), check(-0.0);
}

/* Short and long odd multiples of powers of two: those with 18 digits end half way between two texts. */
static void test_half_way(void) {
  for (int bits = 1; bits <= 60; bits++) {
    for (uint64_t odd = 1; odd < 4000; odd += 2) { check(ldexp((double)odd, -bits)); }
    for (uint64_t odd = (UINT64_C(1) << 53) - 1; odd > (UINT64_C(1) << 53) - 2000; odd -= 2) {
      check(ldexp((double)odd, -bits));
    }
  }
}

static void test_random(void) {
  uint64_t state = 88172645463325252U;
  for (int i = 0; i < 400000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    double v;
    uint64_t bits = state;
    if (i % 2) {
      bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(1023 - 60) + state % 120) << 52;
    } /* 1e-18 to 1e18 */
    memcpy(&v, &bits, sizeof v);
    check(v);
  }
}

TEST_MAIN(TEST(test_by_hand), TEST(test_edges), TEST(test_half_way), TEST(test_random))
