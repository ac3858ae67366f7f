/* Linkages that pass near to positions in which the bars of a row lie in one line, and the rank of the constraints drops: the
 * time steps converge as elsewhere, the constraints and their rates hold to rounding, and direct differentiation and its
 * transpose give the same. */
#include "mechanism/mechanism.h"
#include "la/sparse.h"
#include "test.h"

static const struct {
  const char *set[4];
  double tol; /* of the gradients, relative to the largest */
} runs[] = {
    {{"scalars.NY=2", "scalars.NZ=1", "scalars.rate=6", "case.swing.step=10e-3"}, 1e-9},
    {{"scalars.NY=3", "scalars.NZ=1", "scalars.rate=6", "case.swing.step=10e-3"}, 1e-9},
    {{"scalars.NY=3", "scalars.NZ=2", "scalars.rate=8", "case.swing.step=20e-3"}, 1e-9},
};
enum { N_RUNS = sizeof runs / sizeof runs[0], VARIABLES = 3 };

static mbd_stats evaluate(int which, const char *solver, const char *method, double grad[VARIABLES]) {
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  const char *const *set = runs[which].set, *const sets[] = {set[0], set[1], set[2], set[3], solver};
  must(mbo_run_config_read(MBOPT_SOURCE_DIR "/configs/linkages.ini", 5, sets, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  CU_ASSERT_EQUAL_FATAL(m->n, VARIABLES);
  must(mechanism_evaluate(m, m->start, method, &err), &err);
  memcpy(grad, m->grad, VARIABLES * sizeof *grad);
  const mbd_stats stats = *mbd_sim_stats(m->cases[0].sim);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return stats;
}

static void check_solver(const char *solver) {
  for (int i = 0; i < N_RUNS; i++) {
    double direct[VARIABLES], adjoint[VARIABLES];
    const mbd_stats q = evaluate(i, solver, "direct", direct);
    evaluate(i, solver, "discrete_adjoint", adjoint);
    CHECK_CLOSE("Phi", q.phi, 0, 1e-12);
    CHECK_CLOSE("Phi'", q.phid, 0, 1e-12);
    CHECK_CLOSE("Phi''", q.phidd, 0, 1e-11);
    CU_ASSERT(q.factorizations <= 3 * q.steps); /* a tangent at the solution, and one of the projections: seen 2.2 */
    CU_ASSERT(q.iterations <= 6 * q.steps);     /* on one tangent, they may be more: seen 4.8 */
    for (int k = 0; k < VARIABLES; k++) {
      CHECK_NEAR("direct, adjoint", direct[k], adjoint[k], mbd_norm_inf(VARIABLES, direct), runs[i].tol);
    }
  }
}

static void test_dense(void) {
  check_solver("case.swing.linear_solver=dense");
}

static void test_sparse(void) {
  if (mbd_sparse_available()) { check_solver("case.swing.linear_solver=sparse"); }
}

TEST_MAIN(TEST(test_dense), TEST(test_sparse))
