/* Tangents of the table: the matrices are the analytic ones, values and gradients of runs do not depend on them, Newton's iteration does
 * take them, and what forms none is refused. */
#include "formulation/ali3p.h"
#include "formulation/tangent.h"
#include "model.h"

static const char *const models[] = {"problems/five_bar/five_bar_found.ini", "problems/buggy/buggy.ini",
                                     "tests/conformance/models/constraints.ini", "tests/conformance/models/cuts.ini"};
enum { N_MODELS = sizeof models / sizeof models[0] };

static mbd_case case_of(const char *formulation, const char *tangent) {
  mbd_case c;
  mbd_case_init(&c);
  c.duration = 0.05, c.step = 5e-3, c.formulation = formulation, c.tangent = tangent;
  return c;
}

static mbd_sim *create(const test_model *q, const mbd_case *c, int np) {
  const mbd_term term = {.output = model_output(q, "energy.kinetic"), .form = "integral_square", .weight = 1};
  mbd_error err = {0};
  mbd_sim *s;
  must(mbd_sim_create(q->m, c, q->o, 1, &term, 1, np, &s, &err), &err);
  return s;
}

/* ---- the matrices ---- */

static void check_matrix(const char *name, int numbers, const double *got, const double *expected) {
  const double size = mbd_norm_inf(numbers, expected);
  CU_ASSERT(size > 0);
  for (int i = 0; i < numbers; i++) { CHECK_NEAR(name, got[i], expected[i], size, 2e-6); }
}

static void test_matrices(void) {
  for (int k = 0; k < N_MODELS; k++) {
    test_model q = model_open(models[k]);
    mbd_error err = {0};
    const mbd_case c = case_of("ali3p", "differences");
    mbd_sim *s = create(&q, &c, 0);
    double psi;
    must(mbd_sim_run(s, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    ali3p *own = ali3p_of(s);
    const size_t numbers = matrices_size(&own->x, &own->x.K_at);
    double *K = calloc(numbers, sizeof *K), *C = calloc(numbers, sizeof *C);
    ali3p_evaluate_tangent(s);
    s->tangent->evaluate(s, &(tangent_motion){s->now.z, own->newton.vs, own->newton.as, s->now.lam}, K, C);
    check_matrix("K", (int)numbers, K, own->tangent.K);
    check_matrix("C", (int)numbers, C, own->tangent.C);
    free(K), free(C), mbd_sim_destroy(s), model_close(&q);
  }
}

/* ---- runs ---- */

typedef struct results {
  double psi, along, *gradient;
} results;

static results run(const test_model *q, const mbd_case *c) {
  const mbd_adjoint_options discrete = {0};
  mbd_error err = {0};
  mbd_dparams *d;
  const int nc = mbd_model_ncoef(q->m);
  int *all = calloc((size_t)nc + 1, sizeof *all);
  double *by = calloc((size_t)nc + 1, sizeof *by);
  for (int j = 0; j < nc; j++) { all[j] = j, by[j] = j >= q->m->gravity && j < q->m->gravity + 3; }
  results r = {.gradient = calloc((size_t)nc + 1, sizeof *r.gradient)};
  mbd_sim *s = create(q, c, 1);
  must(mbd_dparams_create(q->m, &d, &err), &err);
  mbd_dparams_set(d, q->p, nc, all, by);
  must(mbd_sim_run(s, q->p, 1, &d, &r.psi, &r.along, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q->p, &discrete, &r.psi, r.gradient, NULL, NULL, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, &r.psi, NULL, NULL, NULL, NULL, &err), &err);
  free(all), free(by), mbd_dparams_destroy(d), mbd_sim_destroy(s);
  return r;
}

static void compare(const test_model *q, const char *model, const char *formulation) {
  const mbd_case exact = case_of(formulation, "analytic"), differences = case_of(formulation, "differences");
  results expected = run(q, &exact), got = run(q, &differences);
  const double size = mbd_norm_inf(mbd_model_ncoef(q->m), expected.gradient);
  CHECK_NEAR(model, got.psi, expected.psi, fabs(expected.psi), 1e-11);
  CHECK_NEAR(model, got.along, expected.along, fabs(expected.along), 1e-9);
  CU_ASSERT(size > 0 && expected.along != 0);
  for (int j = 0; j < mbd_model_ncoef(q->m); j++) {
    CHECK_NEAR(mbd_model_coef_name(q->m, j), got.gradient[j], expected.gradient[j], size, 1e-9);
  }
  free(expected.gradient), free(got.gradient);
}

static void test_results(void) {
  static const char *const formulations[] = {"ali3p", "penalty", "matrix_r"};
  for (int k = 0; k < N_MODELS; k++) {
    test_model q = model_open(models[k]);
    for (size_t f = 0; f < sizeof formulations / sizeof formulations[0]; f++) {
      compare(&q, models[k], formulations[f]);
    }
    model_close(&q);
  }
  test_model tree = model_open("problems/double_pendulum/double_pendulum.ini");
  compare(&tree, "tree", "semi_recursive");
  model_close(&tree);
}

/* Whether Newton's iteration takes the matrices that the hook gives: 2 % more stiffness and damping still lead to the solution, by
 * more corrections. */
static void stiffer(mbd_sim *s, const tangent_motion *at, mbd_real *K, mbd_real *C) {
  const int n = s->m->nz;
  (void)at;
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  motion_jacobian(s->w, &e, NULL, K, C, NULL, NULL);
  for (int i = 0; i < n * n; i++) { K[i] *= 1.02, C[i] *= 1.02; }
}

static void test_is_taken(void) {
  static const mbd_tangent_ops wrong = {.name = "stiffer", .doc = "", .evaluate = stiffer};
  test_model q = model_open("problems/buggy/buggy.ini");
  static const char *const formulations[] = {"ali3p", "penalty", "matrix_r"};
  for (size_t f = 0; f < sizeof formulations / sizeof formulations[0]; f++) {
    mbd_case c = case_of(formulations[f], "analytic");
    mbd_error err = {0};
    mbd_sim *s = create(&q, &c, 0);
    double psi, other;
    must(mbd_sim_run(s, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    const long few = mbd_sim_stats(s)->iterations;
    s->tangent = &wrong;
    must(mbd_sim_run(s, q.p, 0, NULL, &other, NULL, NULL, NULL, NULL, &err), &err);
    CU_ASSERT(mbd_sim_stats(s)->iterations > few);
    CHECK_NEAR(formulations[f], other, psi, fabs(psi), 1e-9);
    mbd_sim_destroy(s);
  }
  model_close(&q);
}

/* ---- what is refused ---- */

static void check_unsupported(const test_model *q, const mbd_case *c, const char *message) {
  mbd_error err = {0};
  mbd_sim *s;
  CU_ASSERT_EQUAL(mbd_sim_create(q->m, c, q->o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, message);
}

static void test_refused(void) {
  test_model q = model_open("problems/double_pendulum/double_pendulum.ini");
  mbd_case c = case_of("fully_recursive", "differences");
  check_unsupported(&q, &c, "tangent = differences: formulation 'fully_recursive' forms no tangent matrix");
  c.formulation = "matrix_r", c.integrator = "runge_kutta_4";
  check_unsupported(&q, &c, "integrator 'runge_kutta_4' solves no equations by Newton's iteration");
  c.analysis = "static";
  check_unsupported(&q, &c, "tangent = differences: analysis 'static' takes no time steps");
  c = case_of("ali3p", "diferences");
  check_refused(&q, &c, "tangent 'diferences' is not known, did you mean 'differences'?");
  for (int k = 0; mbd_tangent_at(k); k++) {
    CU_ASSERT_STRING_EQUAL(mbd_tangent_name(k), mbd_tangent_at(k)->name);
    CU_ASSERT(strlen(mbd_tangent_doc(k)) > 20);
  }
  model_close(&q);
}

TEST_MAIN(TEST(test_matrices), TEST(test_results), TEST(test_is_taken), TEST(test_refused))
