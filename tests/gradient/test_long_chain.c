/* A chain of 1000 four-bar linkages, 1000 m long: corrections on one tangent converge as those of a short chain do. What rounds is judged by
 * the places of the points, and what multipliers have not reached yet is no contradiction of redundant rows. */
#include "la/sparse.h"
#include "opened_run.h"

static mbd_stats stats_of(const char *loops) {
  const char *const set[] = {"scalars.NZ=1", loops, "case.swing.step=1e-3", "case.swing.duration=0.03",
                             "case.swing.linear_solver=sparse"};
  opened_run r = run_open("configs/linkages.ini", 5, set);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const mbd_stats stats = *mbd_sim_stats(r.m->cases[0].sim);
  run_close(&r);
  return stats;
}

static void test_corrections(void) {
  if (!mbd_sparse_available()) { return; }
  const mbd_stats some = stats_of("scalars.NY=10"), many = stats_of("scalars.NY=1000");
  CU_ASSERT_EQUAL(many.steps, 30);
  CU_ASSERT(many.iterations <= 7 * many.steps / 2);          /* seen 2.9 a step, and 2 in the short chain */
  CU_ASSERT(many.factorizations <= some.factorizations + 3); /* seen: as many, 31 */
  CHECK_CLOSE("Phi", many.phi, 0, 1e-11);
}

TEST_MAIN(TEST(test_corrections))
