/* Systems of conditions of optimality, by hand. */
#include "backend/kkt.h"
#include "test.h"

/* min x^2 + y^2 - b'(x, y) on x + 2 y = c: with b = (2, 0), c = 0 the solution is (0.8, -0.4), and the multiplier 0.4; with b = 0, c = 5 it is (1, 2), -2. */
static void test_by_hand(void) {
  static const double H[] = {2, 0, 0, 2}, A[] = {1, 2};
  double v[] = {2, 0, 0, 0, 0, 5}, work[9];
  CU_ASSERT_EQUAL_FATAL(kkt_solve(2, 1, H, A, 2, v, work), 1);
  static const double expected[] = {0.8, 1, -0.4, 2, 0.4, -2};
  for (int i = 0; i < 6; i++) { CHECK_CLOSE("v", v[i], expected[i], 1e-15); }
}

/* A matrix that is 0 but for the constraints, which determine all; no zero pivot is met. */
static void test_corner(void) {
  static const double H[4] = {0}, A[] = {1, 1, 1, -1};
  double v[] = {0, 0, 3, 1}, work[16];
  CU_ASSERT_EQUAL_FATAL(kkt_solve(2, 2, H, A, 1, v, work), 1);
  CHECK_CLOSE("x", v[0], 2, 1e-15);
  CHECK_CLOSE("y", v[1], 1, 1e-15);
}

/* Dependent rows; no curvature along a direction that is free. */
static void test_singular(void) {
  static const double H[] = {1, 0, 0, 1}, twice[] = {1, 1, 2, 2}, flat[] = {1, 0, 0, 0};
  double v[4] = {1, 1, 1, 1}, work[16];
  CU_ASSERT_EQUAL(kkt_solve(2, 2, H, twice, 1, v, work), 0);
  CU_ASSERT_EQUAL(kkt_solve(2, 0, flat, NULL, 1, v, work), 0);
}

TEST_MAIN(TEST(test_by_hand), TEST(test_corner), TEST(test_singular))
