/* Newton's iteration where rounding of the model's own numbers is near to the tolerance of the case or above it: the iteration ends with
 * whole corrections, results are those of larger tolerances, and a warning says that the tolerance was not reached. */
#include "model.h"

typedef struct outcome {
  double psi, grad; /* along one scalar of the model */
  int failed, advised, nonsmooth;
  char rounding[512]; /* the warning; empty: there was none */
} outcome;

static outcome simulate(test_model *q, const char *output, double step, double duration, double tolerance) {
  outcome r = {0};
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c = case_lasting(duration, step);
  const mbd_term term = {.output = model_output(q, output), .form = "integral_square", .weight = 1};
  test_directions to = directions_of_scalars(q);
  mbd_dparams *d;
  c.tolerance = tolerance;
  must(mbd_dparams_create(q->m, &d, &err), &err);
  mbd_dparams_set(d, q->p, to.start[1] - to.start[0], to.index + to.start[0], to.value + to.start[0]);
  must(mbd_sim_create(q->m, &c, q->o, 1, &term, 1, 1, &s, &err), &err);
  r.failed = mbd_sim_run(s, q->p, 1, &d, &r.psi, &r.grad, NULL, NULL, NULL, &err) != MBD_OK;
  if (r.failed) { printf("\n  %s, tolerance %g: %s\n", output, tolerance, err.text); }
  const mbd_warning *w = warning_of(s, "rounding");
  if (w) { snprintf(r.rounding, sizeof r.rounding, "%s", w->text); }
  r.advised = warning_of(s, "newton") != NULL, r.nonsmooth = warning_of(s, "kink") != NULL;
  mbd_sim_destroy(s), mbd_dparams_destroy(d), directions_free(&to);
  return r;
}

/* ---- redundant rows: rounding of the constraints has a part that no motion can change ---- */

static outcome four_bars(const char *lines, double tolerance) {
  test_model q = model_open_more("tests/conformance/models/floating_four_bars.ini", 0, NULL, NULL, lines);
  const outcome r = simulate(&q, "C2.acceleration.norm", 0.005, 0.05, tolerance);
  model_close(&q);
  return r;
}

static void check_same(const char *name, const outcome *r, const outcome *as, double tol) {
  CU_ASSERT_FALSE_FATAL(r->failed);
  CU_ASSERT(!r->advised && !r->nonsmooth);
  CHECK_NEAR(name, r->psi, as->psi, fabs(as->psi), tol);
  CHECK_NEAR(name, r->grad, as->grad, fabs(as->grad), tol);
}

/* Multipliers of 1e9 and more had come from rounding of the constraints along redundant rows: below a tolerance of 1e-12 beside the origin,
 * and at the usual tolerance a kilometre away. Largest seen: 2e-13 beside the origin, 6e-11 a kilometre away. */
static void test_redundant_rows(void) {
  static const double tolerance[] = {1e-12, 3e-13, 1e-13, 1e-14, 1e-15};
  const outcome usual = four_bars("", 1e-10);
  CU_ASSERT_FALSE_FATAL(usual.failed);
  CU_ASSERT(usual.grad != 0 && usual.rounding[0] == '\0');
  for (int i = 0; i < 5; i++) {
    const outcome r = four_bars("", tolerance[i]), far = four_bars("guess.base.x = 1e3\n", tolerance[i]);
    check_same("beside the origin", &r, &usual, 1e-12);
    check_same("a kilometre away", &far, &usual, 1e-9);
  }
  const outcome far = four_bars("guess.base.x = 1e3\n", 1e-10);
  check_same("a kilometre away", &far, &usual, 1e-9);
}

/* ---- tolerances that rounding puts out of reach ---- */

static outcome five_bar(int far, double tolerance) {
  static const char *const scalar[] = {"xA", "x1", "x2", "x3", "xB"};
  static const char *const place[] = {"1e4", "9999", "10000.5", "10002", "10001"};
  test_model q = model_open_with("problems/five_bar/five_bar_found.ini", far ? 5 : 0, scalar, place);
  const outcome r = simulate(&q, "P2.velocity", 1e-3, 0.3, tolerance);
  model_close(&q);
  return r;
}

/* Ten kilometres away rounding of the constraints is 1e-12, which 4/h^2 makes 1e-6 m/s2 of. Steps had taken damped
 * corrections there, and failed. Largest seen: 1e-8. */
static void test_far_away(void) {
  const outcome usual = five_bar(0, 1e-10), far = five_bar(1, 1e-10);
  CU_ASSERT_FALSE_FATAL(usual.failed);
  check_same("ten kilometres away", &far, &usual, 1e-7);
  CU_ASSERT(usual.rounding[0] == '\0' && far.rounding[0] == '\0');
  const outcome closer = five_bar(1, 1e-13);
  check_same("ten kilometres away, tolerance 1e-13", &closer, &usual, 1e-7);
  CHECK_CONTAINS(closer.rounding,
                 "rounding keeps Newton's iteration from the tolerance of 1e-13: its last correction is ");
  CHECK_CONTAINS(closer.rounding, "A tolerance of 3e-12 can be reached");
}

TEST_MAIN(TEST(test_redundant_rows), TEST(test_far_away))
