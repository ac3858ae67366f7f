/* Which backend and which second derivatives an optimization uses where the run file leaves it open. */
#include "backend/run_settings.h"
#include "opened_run.h"

static mbo_problem problem_of(const opened_run *q) {
  mbo_problem p;
  mechanism_problem(q->m, &p);
  return p;
}

static const char *hessian(const char *run, int n, const char *const *set) {
  opened_run q = run_open(run, n, set);
  const mbo_problem p = problem_of(&q);
  const char *word = run_hessian(q.config, &p); /* of the table of words, or of the text of the program */
  run_close(&q);
  return word;
}

#define CHECK_HESSIAN(run, expected, ...)                    \
  do {                                                       \
    const char *const set[] = {__VA_ARGS__, NULL};           \
    int n_ = 0;                                              \
    while (set[n_]) { n_++; }                                \
    CU_ASSERT_STRING_EQUAL(hessian(run, n_, set), expected); \
  } while (0)

static void test_auto(void) {
  CHECK_HESSIAN("configs/wishbone_corner.ini", "gauss_newton", "optimizer.hessian=auto");
  CHECK_HESSIAN("configs/pendulum.ini", "gauss_newton", "optimizer.hessian=auto"); /* its constraint is not linear */
  CHECK_HESSIAN("configs/wishbone_corner.ini", "gauss_newton", "gradient.method=direct");
  CHECK_HESSIAN("configs/wishbone_corner.ini", "limited_memory", "gradient.method=discrete_adjoint");
  CHECK_HESSIAN("configs/wishbone_corner.ini", "limited_memory", "gradient.memory_limit=10");
  CHECK_HESSIAN("configs/wishbone_corner.ini", "limited_memory", "optimizer.backend=lbfgsb");
  CHECK_HESSIAN("configs/wishbone_corner.ini", "limited_memory", "optimizer.backend=nlopt");
  CHECK_HESSIAN("configs/five_bar_gradient.ini", "gauss_newton", "optimizer.backend=ipopt");
  CHECK_HESSIAN("configs/chain.ini", "limited_memory", "optimizer.backend=ipopt");   /* no squares */
  CHECK_HESSIAN("configs/five_bar_driven.ini", "gauss_newton", "scalars.points=50"); /* 100 variables */
  CHECK_HESSIAN("configs/five_bar_driven.ini", "limited_memory", "scalars.points=101");
  CHECK_HESSIAN("configs/desk_lamp.ini", "limited_memory", "optimizer.hessian=auto", "objective.low.weight=-1");
}

static void test_asked_for(void) {
  CHECK_HESSIAN("configs/pendulum.ini", "limited_memory", "optimizer.hessian=limited_memory");
  CHECK_HESSIAN("configs/chain.ini", "gauss_newton",
                "optimizer.hessian=gauss_newton"); /* refused later on, with a message */
  CHECK_HESSIAN("configs/pendulum.ini", "exact", "optimizer.hessian=exact");
}

static const char *other(const char *run, int n, const char *const *set) {
  opened_run q = run_open(run, n, set);
  const mbo_problem p = problem_of(&q);
  const char *word = run_other_hessian(q.config, &p);
  run_close(&q);
  return word ? word : "none";
}

#define CHECK_OTHER(run, expected, word)                  \
  do {                                                    \
    const char *const set[] = {word};                     \
    CU_ASSERT_STRING_EQUAL(other(run, 1, set), expected); \
  } while (0)

/* Squares with nonlinear constraints: no word advises against the one that another has advised. */
static void test_other(void) {
  CHECK_OTHER("configs/pendulum.ini", "none", "optimizer.hessian=auto");
  CHECK_OTHER("configs/pendulum.ini", "auto", "optimizer.hessian=gauss_newton");
  CHECK_OTHER("configs/pendulum.ini", "none", "optimizer.hessian=limited_memory"); /* chosen by the user */
  CHECK_OTHER("configs/pendulum.ini", "none", "gradient.method=discrete_adjoint"); /* not to be had */
  CHECK_OTHER("configs/pendulum.ini", "none", "gradient.memory_limit=10");
  CHECK_OTHER("configs/wishbone_corner.ini", "none", "optimizer.hessian=gauss_newton"); /* no constraints */
  CHECK_OTHER("configs/frame_reaction.ini", "none", "optimizer.hessian=auto");          /* no squares */
}

static int leaves(const char *run, const char *set) {
  mbo_settings s;
  opened_run q = run_open(run, 1, &set);
  const mbo_problem p = problem_of(&q);
  free(run_settings(q.config, &p, &s));
  run_close(&q);
  return s.leave_gauss_newton;
}

/* What the user has asked for stays, and so does what has no curvature of constraints to leave out. */
static void test_leaves(void) {
  CU_ASSERT(leaves("configs/pendulum.ini", "optimizer.hessian=auto"));
  CU_ASSERT(!leaves("configs/pendulum.ini", "optimizer.hessian=gauss_newton"));
  CU_ASSERT(!leaves("configs/pendulum.ini", "optimizer.hessian=limited_memory"));
  CU_ASSERT(!leaves("configs/pendulum.ini", "gradient.memory_limit=10"));
  CU_ASSERT(!leaves("configs/five_bar.ini", "optimizer.hessian=auto"));
}

static const char *backend(const char *run, int n, const char *const *set) {
  opened_run q = run_open(run, n, set);
  const mbo_problem p = problem_of(&q);
  const char *name = strcmp(run_backend(q.config, &p), RUN_LEAST_SQUARES) == 0 ? RUN_LEAST_SQUARES
                     : strcmp(run_backend(q.config, &p), "ipopt") == 0         ? "ipopt"
                                                                               : "another";
  run_close(&q);
  return name;
}

/* Sums of squares between bounds have a method of their own, unless something is set that another one is meant for. */
static void test_backend(void) {
  static const struct {
    const char *run, *set[2], *backend;
  } runs[] = {{"wishbone_corner", {"optimizer.backend=auto", "optimizer.hessian=auto"}, RUN_LEAST_SQUARES},
              {"wishbone_corner", {"optimizer.backend=auto", "optimizer.hessian=gauss_newton"}, RUN_LEAST_SQUARES},
              {"wishbone_corner", {"optimizer.backend=auto", "optimizer.hessian=limited_memory"}, "ipopt"},
              {"wishbone_corner", {"optimizer.backend=auto", "gradient.memory_limit=10"}, "ipopt"},
              {"wishbone_corner", {"optimizer.backend=auto", "native.max_iter=7"}, "ipopt"},
              {"wishbone_corner", {"optimizer.backend=ipopt", "optimizer.hessian=gauss_newton"}, "ipopt"},
              {"wishbone_corner", {"optimizer.backend=lbfgsb", "optimizer.hessian=auto"}, "another"},
              {"pendulum", {"optimizer.backend=auto", "optimizer.hessian=gauss_newton"}, "ipopt"}, /* a constraint */
              {"chain", {"optimizer.backend=auto", "optimizer.hessian=auto"}, "ipopt"}};           /* no squares */
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char path[100];
    snprintf(path, sizeof path, "configs/%s.ini", runs[i].run);
    CU_ASSERT_STRING_EQUAL(backend(path, 2, runs[i].set), runs[i].backend);
  }
}

TEST_MAIN(TEST(test_auto), TEST(test_asked_for), TEST(test_other), TEST(test_leaves), TEST(test_backend))
