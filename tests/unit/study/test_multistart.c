/* Starts that cannot be put together are drawn again, the same ones whenever they are asked for. */
#include <math.h>
#include <string.h>

#include "study/multistart.h"
#include "scatter/samples.h"
#include "opened_run.h"

enum { N = 6, STARTS = 12 };
static const char run_file[] =
    "configs/four_bar_path.ini"; /* six lengths between wide bounds: many are no four-bar linkage */

static mbd_status start(int k, double x[N]) {
  opened_run q = run_open(run_file, 0, NULL);
  mbd_error err = {0};
  must(starts_apply(q.m, STARTS, k, &err), &err);
  memcpy(x, q.m->start, N * sizeof *x);
  must(mechanism_set_design(q.m, x, 0, &err), &err);
  const mbd_status status = mbd_sim_start(q.m->cases[0].sim, q.m->cases[0].v->params, NULL, NULL, NULL, NULL, NULL);
  for (int i = 0; i < N; i++) { CU_ASSERT(x[i] >= q.m->lower[i] && x[i] <= q.m->upper[i]); }
  run_close(&q);
  return status;
}

/* The design of the plan, before anything is drawn again. */
static void planned(int k, double x[N]) {
  opened_run q = run_open(run_file, 0, NULL);
  mbd_error err = {0};
  samples *plan;
  must(samples_create(SAMPLES_LATIN_HYPERCUBE, STARTS - 1, N, 1, &plan, &err), &err);
  samples_skip(plan, k - 1);
  CU_ASSERT(samples_next(plan, x));
  for (int i = 0; i < N; i++) { x[i] = q.m->lower[i] + (q.m->upper[i] - q.m->lower[i]) * x[i]; }
  samples_destroy(plan);
  run_close(&q);
}

static void test_drawn_again(void) {
  int others = 0;
  for (int k = 1; k < STARTS; k++) {
    double x[N], again[N], plan[N];
    CU_ASSERT_EQUAL(start(k, x), MBD_OK);
    CU_ASSERT_EQUAL(start(k, again), MBD_OK);
    CU_ASSERT(memcmp(x, again, sizeof x) == 0);
    planned(k, plan);
    double far = 0;
    for (int i = 0; i < N; i++) { far = fmax(far, fabs(x[i] - plan[i])); }
    CU_ASSERT(far < 1e-15 || far > 1e-3);
    others += far > 1e-3;
  }
  CU_ASSERT(others > 0 && others < STARTS - 1);
}

TEST_MAIN(TEST(test_drawn_again))
