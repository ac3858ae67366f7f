/* Sparse factors give the motion and the gradients of dense ones, by every method and with every scheme: motions with
 * loops, with Euler parameters, in natural coordinates, from equilibrium; and through checkpoints to the last bit. */
#include "opened_run.h"

enum { MOST_SET = 8 };

static const struct {
  const char *file, *set[MOST_SET]; /* up to a NULL */
} runs[] = {
    {"configs/five_bar_gradient.ini", {"case.swing.duration=0.5", "case.swing.step=1e-2"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.integrator=generalized_alpha",
      "case.swing.reference=com"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.projection_iterations=2",
      "case.swing.projection_matrix=unit"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.integrator=generalized_alpha",
      "case.swing.coordinates=natural"}},
    {"configs/five_bar_gradient.ini",
     {"case.swing.duration=0.3", "case.swing.step=1e-2", "case.swing.projection_iterations=1",
      "case.swing.coordinates=natural"}},
    {"configs/bicycle_double_turn.ini",
     {"case.turn.duration=3", "case.turn.step=1e-2", "scalars.points=4", "case.turn.coordinates=natural"}},
    {"configs/step_descent.ini", {"case.step.duration=0.1", "case.step.step=5e-3"}},
    {"configs/bicycle_double_turn.ini", {"case.turn.duration=3", "case.turn.step=1e-2", "scalars.points=4"}},
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

static int quantities(const opened_run *q) {
  return q->m->nobjective + q->m->nconstraint;
}

static opened_run open_run(int which, const char *solver, const char *more) {
  char choice[64];
  const char *set[2 * MOST_SET];
  int n = 0;
  while (n < MOST_SET && runs[which].set[n]) { set[n] = runs[which].set[n], n++; }
  const char *end = strchr(set[0] + strlen("case."), '.'); /* of the case's name */
  snprintf(choice, sizeof choice, "%.*s.linear_solver=%s", (int)(end - set[0]), set[0], solver);
  set[n++] = choice;
  if (more) { set[n++] = more; }
  return run_open(runs[which].file, n, set);
}

static void evaluate(opened_run *q, const char *method) {
  mbd_error err = {0};
  mbd_status status = mechanism_evaluate(q->m, q->m->start, method, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
}

static void compare(const opened_run *got, const opened_run *want, double tol) {
  const int n = want->m->n;
  for (int i = 0; i < quantities(want); i++) {
    double size = 0;
    for (int j = 0; j < n; j++) { size = fmax(size, fabs(want->m->grad[i * n + j]) * want->m->scale[j]); }
    CU_ASSERT(size > 0);
    for (int j = 0; j < n; j++) {
      const double scale = want->m->scale[j];
      CHECK_NEAR(want->m->name[j], got->m->grad[i * n + j] * scale, want->m->grad[i * n + j] * scale, size, tol);
    }
  }
}

static void test_methods(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint", "complex_step", "continuous_adjoint"};
  for (int i = 0; i < N_RUNS; i++) {
    opened_run dense = open_run(i, "dense", NULL), sparse = open_run(i, "sparse", NULL);
    opened_run reference = open_run(i, "dense", NULL);
    evaluate(&reference, "direct");
    for (int k = 0; k < 4; k++) {
      evaluate(&dense, methods[k]);
      evaluate(&sparse, methods[k]);
      compare(&sparse, &dense, 1e-10); /* 8e-12 seen */
      if (k < 3) { compare(&sparse, &reference, 1e-9); }
    }
    run_close(&dense), run_close(&sparse), run_close(&reference);
  }
}

/* With few checkpoints steps are recomputed, to the same bits. */
static void test_checkpoints(void) {
  opened_run all = open_run(0, "sparse", NULL), few = open_run(0, "sparse", "gradient.memory_limit=0.02");
  evaluate(&all, "discrete_adjoint");
  evaluate(&few, "discrete_adjoint");
  CU_ASSERT_EQUAL(memcmp(all.m->grad, few.m->grad, (size_t)(quantities(&all) * all.m->n) * sizeof(double)), 0);
  run_close(&all), run_close(&few);
}

TEST_MAIN(TEST(test_methods), TEST(test_checkpoints))
