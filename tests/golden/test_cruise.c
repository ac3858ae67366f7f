/* The buggy with driver and speed control (configs/cruise.ini): gradients by all methods in the middle of the lane change, and the design of the README. */
#include "opened_run.h"

enum { N = 8, CASES = 2 };

/* Direct differentiation and discrete adjoint against the complex step, every component by itself; all variables of driver and speed control matter. The path
 * bends at once. */
static void test_gradients(void) {
  static const char *const set[] = {"scalars.cruise.begin=-3",      "case.fast.duration=0.2",
                                    "case.fast.tolerance=1e-14",    "case.slow.tolerance=1e-14",
                                    "case.slow.duration=0.2",       "objective.comfort_fast.from=0",
                                    "objective.comfort_slow.from=0"};
  CU_ASSERT_EQUAL(run_check_gradients("configs/cruise.ini", sizeof set / sizeof set[0], set), N);
}

/* The weighted sum, 3.5285 at the start. */
static void test_design(void) {
  static const double x[N] = {17491.9686, 663.671307, 10000, 571.188282, 0.925519614, 1.3418287, 222.685208, 1000};
  static const double weight[3] = {20, 10, 100};
  opened_run r = run_open("configs/cruise.ini", 0, NULL);
  mbd_error err = {0};
  double sum = 0;
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  CU_ASSERT_EQUAL_FATAL(r.m->nobjective, 3 * CASES);
  for (int i = 0; i < 3 * CASES; i++) { sum += weight[i / CASES] * r.m->psi[i]; }
  CHECK_CLOSE("objective", sum, 1.26960161, 1e-6);
  CHECK_CLOSE("distance from the path", sqrt(r.m->psi[0]), 0.132236, 1e-5);
  CHECK_CLOSE("weighted acceleration on the bad road", sqrt(r.m->psi[3]), 0.232964, 1e-5);
  CHECK_CLOSE("limit of the steering", r.m->psi[6], 30, 1e-4);
  run_close(&r);
}

TEST_MAIN(TEST(test_gradients), TEST(test_design))
