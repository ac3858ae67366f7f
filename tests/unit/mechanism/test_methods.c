/* Every method gives the same gradient of a run: control points beside scalars that move several coefficients, several
 * objectives and a constraint in two cases. What a method does not need has no memory. */
#include "edited.h"
#include "opened_run.h"
#include "mechanism/numerical.h"

enum { N = 7, NQ = 3 };

static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = " MBOPT_SOURCE_DIR
    "/problems/five_bar/five_bar_driven.ini\n"
    "[scalars]\n"
    "points = 5\n"
    "duration = 0.3\n"
    "[design x1]\n"
    "[design motor]\n"
    "curve = torque\n"
    "start = 4\n"
    "[design k1]\n"
    "[case one]\n"
    "duration = 0.3\n"
    "step = 1e-2\n"
    "[case two]\n"
    "duration = 0.2\n"
    "step = 5e-3\n"
    "scalar.mA1 = 2\n"
    "[objective stray]\n"
    "of = P2.position\n"
    "form = integral_square\n"
    "target = 0.5, -2, 0\n"
    "case = one\n"
    "[objective effort]\n"
    "of = motor.force\n"
    "form = mean_square\n"
    "case = two\n"
    "weight = 0.01\n"
    "[constraint end]\n"
    "of = P2.position.x\n"
    "form = terminal\n"
    "case = two\n"
    "upper = 1\n";

static opened_run open_run(int nset, const char *const *set) {
  char path[] = "/tmp/mbopt_methods_XXXXXX";
  write_file(path, run_text);
  const opened_run q = run_read(path, nset, set);
  unlink(path);
  return q;
}

static void gradient_by(opened_run *q, const char *method, double grad[NQ * N]) {
  mbd_error err = {0};
  mbd_status status = mechanism_evaluate(q->m, q->m->start, method, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  memcpy(grad, q->m->grad, NQ * N * sizeof *grad);
}

static void compare_row(const mechanism *m, const double *got, const double *expected, double tol) {
  double size = 0;
  for (int j = 0; j < N; j++) { size = fmax(size, fabs(expected[j]) * m->scale[j]); }
  CU_ASSERT(size > 0);
  for (int j = 0; j < N; j++) { CHECK_NEAR(m->name[j], got[j] * m->scale[j], expected[j] * m->scale[j], size, tol); }
}

static void compare(const mechanism *m, const double *got, const double *expected, double tol) {
  for (int i = 0; i < NQ; i++) { compare_row(m, got + i * N, expected + i * N, tol); }
}

/* As they are, and with a target that follows the control points. */
static void test_methods_agree(void) {
  static const char *const set = "objective.stray.target_curve=torque";
  for (int i = 0; i < 2; i++) {
    opened_run q = {0};
    double expected[NQ * N], got[NQ * N];
    q = open_run(i, &set);
    CU_ASSERT_EQUAL_FATAL(q.m->n, N);
    gradient_by(&q, "complex_step", expected);
    gradient_by(&q, "direct", got);
    compare(q.m, got, expected, 1e-10);
    gradient_by(&q, "discrete_adjoint", got);
    compare(q.m, got, expected, 1e-10);
    gradient_by(&q, "auto", got);
    compare(q.m, got, expected, 1e-10);
    gradient_by(&q, "central_differences", got);
    compare(q.m, got, expected, 1e-6);
    run_close(&q);
  }
}

/* What the optimizer gets is the sum with its weights: of direct differentiation, and of one adjoint for all objectives of a case and
 * one for its constraint. With both objectives in the case of the constraint, and with one of them. */
static void test_sum(void) {
  static const char *const methods[] = {"gradient.method=direct", "gradient.method=discrete_adjoint",
                                        "gradient.method=continuous_adjoint"};
  static const char *const cases[] = {"objective.stray.case=one", "objective.stray.case=two"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
      opened_run q = open_run(2, (const char *[]){methods[i], cases[k]});
      double each[NQ * N], sum[N], g[N], c[1], jac[N];
      mbo_eval v = {.g = g, .c = c, .jac = jac};
      mbo_problem p;
      gradient_by(&q, q.config->gradient.method, each);
      for (int j = 0; j < N; j++) { sum[j] = each[j] + 0.01 * each[N + j]; }
      mechanism_problem(q.m, &p);
      run_evaluate(&p, p.start, MBO_REQUEST_GRADIENT, &v);
      compare_row(q.m, g, sum, 1e-12);
      compare_row(q.m, jac, each + 2 * N, 1e-12);
      run_close(&q);
    }
  }
}

/* The Gauss-Newton matrix comes by direct differentiation, whatever the choice is. */
static void test_memory_where_needed(void) {
  opened_run q = {0};
  double grad[NQ * N], H[N * N];
  mbo_problem p;
  mbo_eval v = {.g = grad, .c = grad + N, .jac = grad + 2 * N, .H = H};
  q = open_run(0, NULL);
  gradient_by(&q, "discrete_adjoint", grad);
  for (int i = 0; i < 2; i++) {
    const mechanism_case *k = &q.m->cases[i];
    CU_ASSERT_PTR_NULL(k->gn);
    CU_ASSERT_PTR_NULL(k->grad);
    CU_ASSERT_PTR_NULL(k->v->d);
    CU_ASSERT_PTR_NOT_NULL(k->gtheta);
    CU_ASSERT_EQUAL(k->directions, 0);
    CU_ASSERT(k->stored > 0);
  }
  run_close(&q);
  q = open_run(0, NULL);
  gradient_by(&q, "direct", grad);
  CU_ASSERT_PTR_NULL(q.m->cases[0].gtheta);
  CU_ASSERT_PTR_NULL(q.m->cases[0].gn);
  mechanism_problem(q.m, &p);
  run_evaluate(&p, p.start, MBO_REQUEST_GAUSS_NEWTON, &v);
  CU_ASSERT_PTR_NULL(q.m->cases[0].gtheta);
  CU_ASSERT_PTR_NOT_NULL(q.m->cases[0].gn);
  run_close(&q);
}

/* A limit of memory is shared by the cases; the gradient does not depend on it. */
static void test_memory_limit(void) {
  opened_run q = {0};
  double expected[NQ * N], got[NQ * N];
  q = open_run(0, NULL);
  gradient_by(&q, "discrete_adjoint", expected);
  CU_ASSERT_EQUAL(q.m->cases[0].repeated, 0);
  run_close(&q);
  q = open_run(1, (const char *[]){"gradient.memory_limit=0.005"});
  gradient_by(&q, "discrete_adjoint", got);
  compare(q.m, got, expected, 1e-11);
  for (int i = 0; i < 2; i++) { CU_ASSERT((double)q.m->cases[i].stored <= 0.0025 * 1048576); }
  CU_ASSERT(q.m->cases[1].repeated > 0);
  run_close(&q);
}

/* Along any direction: the same as the gradient says. */
static void test_directional(void) {
  opened_run q = {0};
  double grad[NQ * N], w[N], exact[NQ], rough[NQ];
  mbd_error err = {0};
  q = open_run(0, NULL);
  gradient_by(&q, "direct", grad);
  for (int j = 0; j < N; j++) { w[j] = q.m->scale[j] * cos(1.0 + j); }
  CU_ASSERT_EQUAL_FATAL(numerical_derivative(q.m, q.m->start, GRADIENT_COMPLEX_STEP, w, exact, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(numerical_derivative(q.m, q.m->start, GRADIENT_CENTRAL_DIFFERENCES, w, rough, &err), MBD_OK);
  for (int i = 0; i < NQ; i++) {
    double slope = 0;
    for (int j = 0; j < N; j++) { slope += grad[i * N + j] * w[j]; }
    CHECK_NEAR("complex step", exact[i], slope, fabs(slope), 1e-10);
    CHECK_NEAR("central differences", rough[i], slope, fabs(slope), 1e-6);
  }
  run_close(&q);
}

/* A word that is no method is an error, not a gradient of zeros. */
static void test_unknown_method(void) {
  opened_run q = open_run(0, NULL);
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mechanism_evaluate(q.m, q.m->start, "auto|direct", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "gradient method 'auto|direct' is not known");
  run_close(&q);
}

TEST_MAIN(TEST(test_methods_agree), TEST(test_sum), TEST(test_memory_where_needed), TEST(test_memory_limit),
          TEST(test_directional), TEST(test_unknown_method))
