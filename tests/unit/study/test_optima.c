/* Which ends of optimizations count as the same optimum. */
#include <math.h>

#include "study/optima.h"
#include "test.h"

static void add(optima *o, long run, double f, double x, double y) {
  mbd_error err = {0};
  const double at[] = {x, y};
  const optima_end e = {.run = run, .converged = run != 7, .f = f, .f_start = 100, .x = at};
  int id;
  must(optima_add(o, &e, &id, &err), &err);
}

/* Two optima, one found three times; best first, each with its best run. */
static void test_groups(void) {
  const double scale[] = {1, 1000};
  optima o = {.nx = 2, .scale = scale, .tol_f = 1e-6, .tol_x = 1e-6};
  add(&o, 4, 7, 1, 5000);
  add(&o, 5, 3, 2, -1);
  add(&o, 6, 7 - 1e-6, 1 + 5e-7, 5000.004);
  add(&o, 7, 7 + 1e-6, 1, 4999.996);
  optima_sort(&o);
  CU_ASSERT_EQUAL_FATAL(o.n, 2);
  CU_ASSERT_EQUAL(o.found[0].run, 5);
  CU_ASSERT_EQUAL(o.found[0].found, 1);
  CU_ASSERT_EQUAL(o.found[1].found, 3);
  CU_ASSERT_EQUAL(o.found[1].converged, 2);
  CU_ASSERT_EQUAL(o.found[1].run, 6);
  CHECK_CLOSE("objective", o.found[1].f, 7 - 1e-6, 0);
  CHECK_CLOSE("variable", o.found[1].x[1], 5000.004, 0);
  optima_free(&o);
}

/* The same objective elsewhere is another optimum, and so is the same place with another objective. */
static void test_differences(void) {
  optima o = {.nx = 2, .tol_f = 1e-6, .tol_x = 1e-6};
  add(&o, 0, 1e-20, 1, 1);
  add(&o, 1, 3e-24, 1, 1); /* both zero, beside the 100 of the start */
  CU_ASSERT_EQUAL(o.n, 1);
  add(&o, 2, 1e-20, 1, 1.00001);
  CU_ASSERT_EQUAL(o.n, 2);
  add(&o, 3, 1e-3, 1, 1);
  CU_ASSERT_EQUAL(o.n, 3);
  optima_free(&o);
}

/* Neighbours along a valley do not make it one optimum: all are compared with the first. */
static void test_valley(void) {
  optima o = {.nx = 2, .tol_f = 1e-6, .tol_x = 1e-6};
  for (int i = 0; i < 10; i++) { add(&o, i, 1 - 1e-9 * i, 1 + 0.6e-6 * i, 1); }
  CU_ASSERT_EQUAL(o.n, 5);
  optima_free(&o);
}

/* Runs that a limit has stopped are at an optimum only where another run ends. */
static void test_stopped(void) {
  optima o = {.nx = 1, .tol_f = 1e-6, .tol_x = 1e-6};
  const double x[] = {1, 5, 1, 7, 8};
  const optima_end ends[] = {{.run = 0, .stopped = 1, .f = 3, .x = &x[0]},
                             {.run = 1, .stopped = 1, .f = 4, .x = &x[1]},
                             {.run = 2, .converged = 1, .f = 3, .x = &x[2]},
                             {.run = 3, .stopped = 1, .f = 2, .x = &x[3]},
                             {.run = 4, .f = 9, .x = &x[4]}};
  mbd_error err = {0};
  for (int i = 0; i < 5; i++) {
    int id;
    must(optima_add(&o, &ends[i], &id, &err), &err);
  }
  optima_sort(&o);
  CU_ASSERT_EQUAL_FATAL(o.n, 2);
  CU_ASSERT(o.found[0].f == 3 && o.found[0].found == 2 && o.found[0].converged == 1 && o.found[0].stopped == 1);
  CU_ASSERT(o.found[1].f == 9 && o.found[1].id == 3);
  CU_ASSERT(o.stopped == 2 && o.stopped_f == 2 && o.stopped_run == 3);
  optima_free(&o);
}

static void test_many(void) {
  optima o = {.nx = 2, .tol_f = 1e-6, .tol_x = 1e-6};
  for (int i = 0; i < OPTIMA_MAX + 7; i++) { add(&o, i, i, i, 1); }
  add(&o, 0, 3, 3, 1);
  CU_ASSERT_EQUAL(o.n, OPTIMA_MAX);
  CU_ASSERT_EQUAL(o.more, 7);
  CU_ASSERT_EQUAL(o.found[3].found, 2);
  optima_free(&o);
}

/* Objectives that differ by no more than their noise agree, whichever of the two has it. */
static void test_noise(void) {
  optima o = {.nx = 2, .tol_f = 1e-6, .tol_x = 1e-6};
  const double at[] = {1, 1};
  const optima_end ends[] = {{0, 1, 7, 100, at, 0, 0},
                             {1, 1, 7.002, 100, at, 3e-3, 0},
                             {2, 1, 7.002, 100, at, 0, 0},
                             {3, 1, 7.004, 100, at, 0, 0}};
  mbd_error err = {0};
  for (int i = 0; i < 4; i++) {
    int id;
    must(optima_add(&o, &ends[i], &id, &err), &err);
    CU_ASSERT_EQUAL(id, i == 3); /* the others agree with the first */
  }
  CHECK_CLOSE("noise", optima_same(1e-6, 7, 100, 3e-3), 3e-3, 0);
  CHECK_CLOSE("size of the start", optima_same(1e-6, 7, 100, 0), 1e-4, 1e-15);
  CHECK_CLOSE("start not known", optima_same(1e-6, 7, NAN, 0), 7e-6, 1e-15);
  CU_ASSERT_EQUAL_FATAL(o.n, 2);
  CU_ASSERT_EQUAL(o.found[0].found, 3);
  CU_ASSERT_EQUAL(o.found[0].noise, 3e-3);
  optima_free(&o);
}

/* w (w + 1)/(N (N - 1)): of 12 starts with two ends 6/132. Of three starts with two ends nothing can be said. */
static void test_missed(void) {
  optima o = {.nx = 2, .tol_f = 1e-6, .tol_x = 1e-6};
  CU_ASSERT(isnan(optima_missed(&o)));
  for (int i = 0; i < 3; i++) { add(&o, i, i == 1 ? 3 : 5, 1, 1); }
  CU_ASSERT(isnan(optima_missed(&o)));
  add(&o, 3, 5, 1, 1);
  CHECK_CLOSE("4 starts", optima_missed(&o), 0.5, 1e-15);
  for (int i = 4; i < 12; i++) { add(&o, i, 5, 1, 1); }
  CHECK_CLOSE("12 starts", optima_missed(&o), 6.0 / 132, 1e-15);
  optima_free(&o);
}

TEST_MAIN(TEST(test_noise), TEST(test_missed), TEST(test_groups), TEST(test_differences), TEST(test_valley),
          TEST(test_stopped), TEST(test_many))
