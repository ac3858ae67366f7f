/* Steps that an integrator chooses for their error: its numbers, its order and that of the interpolation, what tolerances
 * do, and that nothing depends on where the nodes are; gradients over any number of own steps between nodes. */
#include "mechanism/mechanism.h"
#include "integrator/integrator.h"
#include "test.h"

/* ---- the method's numbers ---- */

enum { MAX = 8 };

static const mbd_tableau *method(void) {
  return mbd_integrator_find("dormand_prince")->tableau;
}

/* y := a x */
static void mul(const mbd_tableau *q, const double *x, double *y) {
  for (int i = 0; i < q->stages; i++) {
    y[i] = 0;
    for (int j = 0; j < q->stages; j++) { y[i] += q->a[i * q->stages + j] * x[j]; }
  }
}

/* sum_i w_i c_i^n x_i */
static double moment(const mbd_tableau *q, const double *w, int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < q->stages; i++) { sum += w[i] * pow(q->c[i], n) * (x ? x[i] : 1); }
  return sum;
}

/* Conditions of order four at theta (Hairer, Norsett, Wanner I, section II.6), and the quadratures of order five. */
static void check_order(const mbd_tableau *q, const double *w, double theta, int quadrature) {
  double ac[MAX], ac2[MAX], aac[MAX], c2[MAX];
  for (int i = 0; i < q->stages; i++) { c2[i] = q->c[i] * q->c[i]; }
  mul(q, q->c, ac), mul(q, c2, ac2), mul(q, ac, aac);
  for (int n = 0; n < quadrature; n++) {
    CHECK_CLOSE("quadrature", moment(q, w, n, NULL), pow(theta, n + 1) / (n + 1), 1e-14);
  }
  CHECK_CLOSE("b a c", moment(q, w, 0, ac), pow(theta, 3) / 6, 1e-14);
  CHECK_CLOSE("b c a c", moment(q, w, 1, ac), pow(theta, 4) / 8, 1e-14);
  CHECK_CLOSE("b a c^2", moment(q, w, 0, ac2), pow(theta, 4) / 12, 1e-14);
  CHECK_CLOSE("b a a c", moment(q, w, 0, aac), pow(theta, 4) / 24, 1e-14);
}

static void test_numbers(void) {
  const mbd_tableau *q = method();
  const double one[MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
  double c[MAX], w[MAX], embedded[MAX];
  mul(q, one, c);
  for (int i = 0; i < q->stages; i++) {
    CHECK_CLOSE("c", c[i], q->c[i], 1e-14);
    CHECK_CLOSE("last stage", q->a[(q->stages - 1) * q->stages + i], q->b[i], 0);
    embedded[i] = q->b[i] - q->error[i];
  }
  check_order(q, q->b, 1, 5);
  check_order(q, embedded, 1, 4);
  CU_ASSERT(fabs(moment(q, q->error, 4, NULL)) > 1e-5); /* the embedded one is of order four only */
  for (int k = 0; k <= 10; k++) {
    tableau_between(q, 0.1 * k, w);
    check_order(q, w, 0.1 * k, 4);
  }
  for (int i = 0; i < q->stages; i++) { CHECK_CLOSE("at the end", w[i], q->b[i], 1e-15); }
}

/* Rates are interpolated as well: w' at both ends is that of the first and the last stage alone. */
static void test_smooth(void) {
  const mbd_tableau *q = method();
  const double e = 1e-6;
  double w[MAX], v[MAX];
  tableau_between(q, e, w), tableau_between(q, 1 - e, v);
  for (int i = 0; i < q->stages; i++) {
    CHECK_CLOSE("rate at the start", w[i] / e, i == 0, 1e-5);
    CHECK_CLOSE("rate at the end", (q->b[i] - v[i]) / e, i == q->stages - 1, 1e-5);
  }
}

/* ---- simulations ---- */

enum { QUANTITIES = 3, PARAMETERS = 11, NUMBERS = QUANTITIES * PARAMETERS };

typedef struct answer {
  double psi[QUANTITIES], grad[NUMBERS];
  mbd_stats stats;
} answer;

typedef struct how {
  double step, duration, rtol, max_step; /* rtol 0: the default */
  const char *method;                    /* NULL: no gradient */
  double memory_limit;
  const char *form;   /* of all objectives; NULL: as they are */
  const char *config; /* a run file with such names; NULL: the five-bar's */
} how;

static answer run(how q) {
  char path[512], text[11][64];
  const char *set[11];
  int n = 0;
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  answer y = {0};
  snprintf(path, sizeof path, "%s/configs/five_bar_gradient.ini", MBOPT_SOURCE_DIR);
  if (q.config) { snprintf(path, sizeof path, "%s", q.config); }
  snprintf(text[n++], sizeof text[0], "case.swing.integrator=dormand_prince");
  snprintf(text[n++], sizeof text[0], "case.swing.formulation=matrix_r");
  snprintf(text[n++], sizeof text[0], "case.swing.step=%.17g", q.step);
  snprintf(text[n++], sizeof text[0], "case.swing.duration=%.17g", q.duration);
  if (q.rtol > 0) {
    snprintf(text[n++], sizeof text[0], "case.swing.rtol=%g", q.rtol);
    snprintf(text[n++], sizeof text[0], "case.swing.atol=%g", q.rtol);
  }
  snprintf(text[n++], sizeof text[0], "case.swing.max_step=%.17g", q.max_step);
  snprintf(text[n++], sizeof text[0], "gradient.memory_limit=%g", q.memory_limit);
  for (int i = 1; q.form && i <= 3; i++) { snprintf(text[n++], sizeof text[0], "objective.psi%d.form=%s", i, q.form); }
  for (int i = 0; i < n; i++) { set[i] = text[i]; }
  must(mbo_run_config_read(path, n, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  must(mechanism_evaluate(m, m->start, q.method ? q.method : "none", &err), &err);
  memcpy(y.psi, m->psi, sizeof y.psi);
  if (q.method) { memcpy(y.grad, m->grad, QUANTITIES * (size_t)m->n * sizeof *y.grad); }
  y.stats = *mbd_sim_stats(m->cases[0].sim);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return y;
}

/* Largest difference, relative to the largest of the same quantity. */
static double apart(const double *x, const double *y, int each) {
  double worst = 0;
  for (int i = 0; i < QUANTITIES; i++) {
    double max = 0, scale = 0;
    for (int k = i * each; k < (i + 1) * each; k++) {
      max = fmax(max, fabs(x[k] - y[k])), scale = fmax(scale, fabs(y[k]));
    }
    worst = fmax(worst, max / scale);
  }
  return worst;
}

/* Own steps of a given size: order five at their ends, and at nodes in between that they do not meet. */
static void test_order(void) {
  static const double grid[] = {0.5 / 8, 0.5 / 96};
  for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
    how q = {.step = grid[i], .duration = 0.5, .rtol = 1, .max_step = 0.5 / 1024};
    const answer expected = run(q);
    q.max_step = 0.5 / 32;
    const answer coarse = run(q);
    q.max_step = 0.5 / 64;
    const answer fine = run(q);
    const double error = apart(fine.psi, expected.psi, 1);
    CHECK_CLOSE("own steps", (double)coarse.stats.own_steps, 32, 0);
    CHECK_CLOSE("own steps", (double)fine.stats.own_steps, 64, 0);
    CHECK_CLOSE("rejected", (double)fine.stats.rejected, 0, 0);
    CU_ASSERT(error > 1e-11 && error < 1e-9);
    CHECK_CLOSE("order", log2(apart(coarse.psi, expected.psi, 1) / error), 5, 0.2);
  }
}

/* Errors of values and gradients go with the tolerance; the steps that it takes, with its fifth root. Seen: 0.8 to 32 times
 * the tolerance. */
static void test_tolerance(void) {
  how q = {.step = 0.01, .duration = 1, .rtol = 1e-12, .method = "direct"};
  const answer expected = run(q);
  double steps = 0;
  long rejected = 0;
  for (q.rtol = 1e-5; q.rtol > 1e-11; q.rtol /= 10) {
    const answer y = run(q);
    const double value = apart(y.psi, expected.psi, 1), gradient = apart(y.grad, expected.grad, PARAMETERS);
    CU_ASSERT(value > 0.5 * q.rtol && value < 20 * q.rtol);
    CU_ASSERT(gradient > 0.5 * q.rtol && gradient < 20 * q.rtol);
    if (steps > 0) { CHECK_CLOSE("steps", log10((double)y.stats.own_steps / steps), 0.2, 0.03); }
    rejected += y.stats.rejected;
    CU_ASSERT(y.stats.evaluations >= 6 * (y.stats.own_steps + y.stats.rejected) + y.stats.steps);
    steps = (double)y.stats.own_steps;
  }
  q.rtol = 0;
  CU_ASSERT(apart(run(q).grad, expected.grad, PARAMETERS) < 1e-7); /* seen: 2.6e-8 */
  printf("(%ld rejected) ", rejected);
  CU_ASSERT(rejected > 0);
}

/* The last own step ends with the run to the last bit, whatever the sums of sizes round to. */
static void test_ends(void) {
  for (int i = 1; i <= 60; i++) {
    const how q = {.step = 0.01 * i, .duration = 0.01 * i, .rtol = 1e-4};
    CU_ASSERT(run(q).stats.own_steps > 0);
  }
}

/* Nodes look at the motion and take no part in it. */
static void test_any_grid(void) {
  how q = {.step = 1, .duration = 1, .rtol = 1e-6, .form = "terminal", .method = "direct"};
  const answer coarse = run(q);
  q.step = 0.001;
  const answer fine = run(q);
  CHECK_CLOSE("own steps", (double)fine.stats.own_steps, (double)coarse.stats.own_steps, 0);
  CHECK_CLOSE("values", apart(fine.psi, coarse.psi, 1), 0, 1e-14);
  CHECK_CLOSE("gradients", apart(fine.grad, coarse.grad, PARAMETERS), 0, 1e-13);
}

enum { DIRECT, COMPLEX_STEP, ADJOINT, LIMITED, N_RUNS };

/* By each method; the adjoint once more where memory does not hold all of the motion: the same to the last bit. */
static void run_each(how q, double memory_limit, answer y[N_RUNS]) {
  static const char *const method[] = {"direct", "complex_step", "discrete_adjoint", "discrete_adjoint"};
  for (int i = 0; i < N_RUNS; i++) {
    q.method = method[i], q.memory_limit = i == LIMITED ? memory_limit : 0;
    y[i] = run(q);
  }
  CU_ASSERT(memcmp(y[LIMITED].grad, y[ADJOINT].grad, sizeof y->grad) == 0);
}

/* From many nodes in an own step to many own steps between nodes; gradients by each
 * method. */
static void test_gradients(void) {
  static const double grid[] = {1e-3, 0.013, 0.1, 1, 5};
  double worst = 0;
  for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
    answer y[N_RUNS];
    run_each((how){.step = grid[i], .duration = fmax(1, grid[i]), .rtol = 1e-7}, 0.02, y);
    const double to_complex_step = apart(y[COMPLEX_STEP].grad, y[DIRECT].grad, PARAMETERS);
    CHECK_CLOSE("values", apart(y[ADJOINT].psi, y[DIRECT].psi, 1), 0, 1e-14);
    CHECK_CLOSE("values", apart(y[COMPLEX_STEP].psi, y[DIRECT].psi, 1), 0, 1e-12);
    CHECK_CLOSE("adjoint", apart(y[ADJOINT].grad, y[DIRECT].grad, PARAMETERS), 0, 1e-13);
    CHECK_CLOSE("complex step", to_complex_step, 0, 1e-11);
    CU_ASSERT((y[LIMITED].stats.recomputed > 0) == (i < 2));
    worst = fmax(worst, to_complex_step);
  }
  printf("(to the complex step %.2g) ", worst);
}

/* The Euler parameters of a spinning top take turns as dependent coordinate, at ends of own steps. */
static void test_changing_coordinates(void) {
  enum { N = 4 };
  char path[] = "/tmp/mbopt_adaptive_XXXXXX";
  FILE *out = fdopen(mkstemp(path), "w");
  fprintf(out,
          "schema = 1\n[model]\nfile = %s/problems/heavy_top/heavy_top.ini\n"
          "[case swing]\nduration = 1\nstep = 1\n[design g]\n[design m]\n[design spin]\n[design precession]\n"
          "[objective psi1]\nof = C.position.z\nform = integral_square\n"
          "[objective psi2]\nof = C.velocity.norm\nform = integral_square\n"
          "[objective psi3]\nof = C.acceleration.x\nform = integral_square\n",
          MBOPT_SOURCE_DIR);
  fclose(out);
  static const double grid[] = {1e-3, 0.02};
  for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
    answer y[N_RUNS];
    run_each((how){.step = grid[i], .duration = 0.2, .rtol = 1e-7, .config = path}, 0.005, y);
    CU_ASSERT(y[DIRECT].stats.choices >= 5);
    CHECK_CLOSE("adjoint", apart(y[ADJOINT].grad, y[DIRECT].grad, N), 0, 1e-11);
    CHECK_CLOSE("complex step", apart(y[COMPLEX_STEP].grad, y[DIRECT].grad, N), 0, 1e-10);
  }
  remove(path);
}

/* ---- control points of a curve over time ---- */

enum { POINTS = 400 };

static void by_points(const char *integrator, const char *step, double grad[2 * POINTS], mbd_stats *stats) {
  char path[512], text[2][64];
  const char *const set[] = {"case.hold.formulation=matrix_r",
                             "scalars.points=400",
                             "case.hold.duration=0.2",
                             "scalars.duration=0.2",
                             text[0],
                             text[1]};
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  snprintf(path, sizeof path, "%s/configs/five_bar_driven.ini", MBOPT_SOURCE_DIR);
  snprintf(text[0], sizeof text[0], "case.hold.integrator=%s", integrator);
  snprintf(text[1], sizeof text[1], "case.hold.step=%s", step);
  must(mbo_run_config_read(path, 6, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  CU_ASSERT_EQUAL_FATAL(m->n, POINTS);
  must(mechanism_evaluate(m, m->start, "discrete_adjoint", &err), &err);
  memcpy(grad, m->grad, 2 * POINTS * sizeof *grad);
  *stats = *mbd_sim_stats(m->cases[0].sim);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

/* Internal steps end at control points, which the error of a step does not see: derivatives by all of them are those of short steps. */
static void test_control_points(void) {
  static double grad[2 * POINTS], expected[2 * POINTS];
  mbd_stats stats;
  by_points("runge_kutta_4", "1.25e-4", expected, &stats);
  by_points("dormand_prince", "5e-3", grad, &stats);
  double size = 0; /* of the first objective; the second one is stationary */
  for (int k = 0; k < POINTS; k++) { size = fmax(size, fabs(expected[k])); }
  CU_ASSERT(size > 0);
  for (int k = 0; k < POINTS; k++) { CHECK_NEAR("derivative by a control point", grad[k], expected[k], size, 1e-6); }
  CU_ASSERT(stats.own_steps >= POINTS - 1);
}

/* ---- steps that come to nothing ---- */

static void check_failure(const char *key, const char *value, const char *message) {
  char path[512], text[2][64];
  const char *const set[] = {"case.drop.integrator=dormand_prince", "case.drop.formulation=semi_recursive", text[0],
                             text[1]};
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  snprintf(path, sizeof path, "%s/configs/pendulum.ini", MBOPT_SOURCE_DIR);
  snprintf(text[0], sizeof text[0], "case.drop.step=1");
  snprintf(text[1], sizeof text[1], "%s=%s", key, value);
  must(mbo_run_config_read(path, 4, set, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  CU_ASSERT_EQUAL(mechanism_evaluate(m, m->start, "none", &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, message);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

static void test_failures(void) {
  check_failure("case.drop.max_step", "1e-6",
                "integrator 'dormand_prince' has taken 100000 steps since the last node, at the end of 1e-06 s");
  check_failure("scalars.mass", "1e-40", "the steps of integrator 'dormand_prince' have shrunk to");
}

TEST_MAIN(TEST(test_numbers), TEST(test_smooth), TEST(test_order), TEST(test_tolerance), TEST(test_ends),
          TEST(test_any_grid), TEST(test_gradients), TEST(test_changing_coordinates), TEST(test_control_points),
          TEST(test_failures))
