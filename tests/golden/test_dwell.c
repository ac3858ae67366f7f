/* The forty starts of problems/dwell: those that lock are moved beside, until all of them can be simulated. */
#include "mechanism/closing.h"
#include "opened_run.h"
#include "study/multistart.h"
#include "scatter/samples.h"

enum { STARTS = 40 };

/* Start k of the run file, moved or as it is drawn from a Latin hypercube between the bounds: can it be simulated? */
static int runs_from(int k, int moved) {
  mbd_error err = {0};
  mechanism_closings *list;
  opened_run r = run_open("configs/dwell.ini", 0, NULL);
  double *x = r.m->design.start;
  if (moved) {
    must(starts_apply(r.m, STARTS, k, &err), &err);
  } else if (k > 0) {
    samples *plan;
    must(samples_create(SAMPLES_LATIN_HYPERCUBE, STARTS - 1, r.m->n, 1, &plan, &err), &err);
    samples_skip(plan, k - 1);
    CU_ASSERT(samples_next(plan, x));
    for (int i = 0; i < r.m->n; i++) { x[i] = r.m->lower[i] + (r.m->upper[i] - r.m->lower[i]) * x[i]; }
    samples_destroy(plan);
  }
  must(closing_create(r.m, &list, &err), &err);
  const int runs = closing_runs(r.m, list, x);
  for (int i = 0; i < r.m->n; i++) { CU_ASSERT(x[i] >= r.m->lower[i] && x[i] <= r.m->upper[i]); }
  closing_destroy(list);
  run_close(&r);
  return runs;
}

static void test_starts(void) {
  const int every = test_slow() ? 8 : 1, count = (STARTS + every - 1) / every;
  int drawn = 0, moved = 0;
  for (int k = 0; k < STARTS; k += every) { drawn += runs_from(k, 0), moved += runs_from(k, 1); }
  printf("%d of %d, then %d ", drawn, count, moved);
  CU_ASSERT(drawn < count * 3 / 4);
  CU_ASSERT_EQUAL(moved, count);
}

TEST_MAIN(TEST(test_starts))
