/* Squares with a nonlinear constraint whose curvature the Gauss-Newton matrix leaves out: the run goes on without this matrix where it makes
 * no progress. */
#include <unistd.h>

#include "backend/progress.h"
#include "toy.h"

/* The point of the circle x0^2 + x1^2 = 1 that is nearest to (30, 0). The Hessian of the Lagrangian along the circle is 2*30 in the answer (1, 0),
 * with the multiplier 29 of the circle; that of the objective is 2. So steps along the circle are 30 times too long. */
static const double far = 30;

static mbd_status nearest_of_circle(void *user, const double *x, unsigned request, mbo_eval *v, mbd_error *err) {
  int *calls = user;
  (void)err;
  ++*calls;
  v->f = (x[0] - far) * (x[0] - far) + x[1] * x[1];
  v->c[0] = x[0] * x[0] + x[1] * x[1];
  if (request & MBO_REQUEST_GRADIENT) {
    v->g[0] = 2 * (x[0] - far), v->g[1] = 2 * x[1];
    v->jac[0] = 2 * x[0], v->jac[1] = 2 * x[1];
  }
  if (request & MBO_REQUEST_GAUSS_NEWTON) { v->H[0] = v->H[3] = 2, v->H[1] = v->H[2] = 0; }
  return MBD_OK;
}

typedef struct trial {
  int calls, max_iterations; /* 0: the default */
  mbo_settings s;
  mbo_result r;
} trial;

static void solve(trial *q, int leave, int max_evaluations, const char *journal, int resume) {
  static const double one[] = {1, 1}, on[] = {1};
  mbo_problem p = toy_problem(1, one, &q->calls, nearest_of_circle);
  mbd_error err = {0};
  p.nc = 1, p.c_lower = p.c_upper = on, p.has_hessian = 0;
  q->calls = 0;
  mbo_settings_init(&q->s);
  q->s.gauss_newton = 1, q->s.leave_gauss_newton = leave;
  q->s.max_evaluations = max_evaluations;
  if (q->max_iterations) { q->s.max_iterations = q->max_iterations; }
  q->s.journal = journal, q->s.resume = resume;
  mbo_result_free(&q->r);
  must(mbo_solve("ipopt", &p, &q->s, &q->r, &err), &err);
}

/* By itself the matrix ends without a design on the circle; left, the run ends at the optimum and says so. */
static void test_circle(void) {
  trial q = {0};
  if (!toy_is_built_in("ipopt")) { return; }
  solve(&q, 0, 1000, NULL, 0);
  CU_ASSERT(q.r.status != MBO_CONVERGED && q.r.gauss_newton_left == 0);
  CU_ASSERT_PTR_NULL(strstr(q.r.text, "made no progress"));
  solve(&q, 1, 1000, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT(q.r.gauss_newton_left > 0 && q.r.gauss_newton_left < q.r.evaluations);
  char words[100];
  snprintf(words, sizeof words, "the Gauss-Newton matrix made no progress after %d designs: limited memory from there",
           q.r.gauss_newton_left);
  CHECK_CONTAINS(q.r.text, words);
  CHECK_CLOSE("x0", q.r.x[0], 1, 1e-8);
  CHECK_CLOSE("x1", q.r.x[1], 0, 1e-7);
  mbo_result_free(&q.r);
}

/* A limit is one of the whole run, whichever matrix it has. */
static void test_limits(void) {
  trial q = {0};
  if (!toy_is_built_in("ipopt")) { return; }
  solve(&q, 1, 1000, NULL, 0);
  const int left = q.r.gauss_newton_left, iterations = q.r.iterations;
  solve(&q, 1, left + 2, NULL, 0);
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.evaluations == left + 2 && q.r.gauss_newton_left == left);
  solve(&q, 1, left - 1, NULL, 0);
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.evaluations == left - 1 && q.r.gauss_newton_left == 0);
  q.max_iterations = iterations - 1;
  solve(&q, 1, 1000, NULL, 0);
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.iterations == iterations - 1);
  mbo_result_free(&q.r);
}

/* Interrupted with either matrix and resumed, the run repeats the whole one to the bit, and simulates no design twice. */
static void test_resume(void) {
  char path[] = "/tmp/mbopt_journal_XXXXXX";
  trial whole = {0}, q = {0};
  close(mkstemp(path));
  if (!toy_is_built_in("ipopt")) { return; }
  solve(&whole, 1, 1000, NULL, 0);
  const int cut[] = {5, whole.r.gauss_newton_left - 1, whole.r.gauss_newton_left, whole.r.gauss_newton_left + 3};
  for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
    solve(&q, 1, cut[k], path, 0);
    CU_ASSERT_EQUAL(q.r.evaluations, cut[k]);
    solve(&q, 1, 1000, path, 1);
    CU_ASSERT_EQUAL(q.r.replayed, cut[k]);
    CU_ASSERT_EQUAL(q.r.evaluations + q.r.replayed, whole.r.evaluations);
    CU_ASSERT_EQUAL(q.r.gauss_newton_left, whole.r.gauss_newton_left);
    CU_ASSERT_EQUAL(q.r.iterations, whole.r.iterations);
    CU_ASSERT(q.r.f == whole.r.f && memcmp(q.r.x, whole.r.x, 2 * sizeof *q.r.x) == 0);
    CU_ASSERT_STRING_EQUAL(q.r.text, whole.r.text);
  }
  unlink(path);
  mbo_result_free(&whole.r), mbo_result_free(&q.r);
}

/* By hand: what counts as progress, and when there was none for too long. */
static void test_progress(void) {
  static const double tol = 1e-8;
  const int max = PROGRESS_DESIGNS;
  progress p;
  progress_begin(&p, tol, 1);
  CU_ASSERT(progress_is_made(&p, 1, 5, 1, 10));
  CU_ASSERT(progress_is_made(&p, max, 5, 1, 10));
  CU_ASSERT(!progress_is_made(&p, 1 + max, 5, 0.91, 6));    /* the violation fell by 9 %, the residual by 40 % */
  CU_ASSERT(progress_is_made(&p, 1 + max, 9, 0.89, 6));     /* by 11 % */
  CU_ASSERT(progress_is_made(&p, 2 * max, 9, 0.89, 5));     /* the residual fell to half */
  CU_ASSERT(progress_is_made(&p, 3 * max, 20, 0, 9));       /* the first feasible design */
  CU_ASSERT(!progress_is_made(&p, 4 * max, 19.99, 0, 9));   /* by 0.05 % */
  CU_ASSERT(progress_is_made(&p, 4 * max, 19.97, tol, 9));  /* by 0.15 % */
  CU_ASSERT(!progress_is_made(&p, 5 * max, 19.97, tol, 9)); /* nothing */
}

TEST_MAIN(TEST(test_circle), TEST(test_limits), TEST(test_resume), TEST(test_progress))
