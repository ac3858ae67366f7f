/* Durations that design variables move: gradients in closed form by every method, in several cases, and what comes of the start. */
#include "opened_run.h"
#include "slide.h"

/* Free fall from rest, z(T) = -g T^2/2. */
static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "g = 10\n"
    "T = 0.5\n"
    "whole = 2*T\n"
    "[model]\n"
    "gravity = 0, 0, -g\n" MASS_ON_A_SLIDE;

/* Cases one and two share the model's numbers; three has its own, and four a duration that is a number. */
static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = MODEL\n"
    "[design T]\n"
    "start = 0.4\n"
    "lower = 0.1\n"
    "[design g]\n"
    "[case one]\n"
    "duration = T\n"
    "step = 0.1\n"
    "[case two]\n"
    "duration = whole + 0.1*g\n"
    "step = (whole + 0.1*g)/7\n"
    "[case three]\n"
    "scalar.whole = 3*T\n"
    "duration = whole\n"
    "step = 0.1\n"
    "[case four]\n"
    "duration = 2\n"
    "step = 0.1\n"
    "[objective one]\ncase = one\nof = slide.distance\nform = terminal\n"
    "[objective two]\ncase = two\nof = slide.distance\nform = terminal\n"
    "[objective three]\ncase = three\nof = slide.distance\nform = terminal\n"
    "[objective four]\ncase = four\nof = slide.distance\nform = terminal\n";

static void test_gradients(void) {
  static const struct {
    const char *name;
    double tolerance;
  } methods[] = {
      {"direct", 1e-11}, {"discrete_adjoint", 1e-11}, {"complex_step", 1e-11}, {"central_differences", 1e-6}};
  const double T = 0.4, g = 10, two = 2 * T + 0.1 * g;
  const double expected[4][2] = {
      {-g * T, -T * T / 2}, {-g * two * 2, -two * two / 2 - g * two * 0.1}, {-g * 3 * T * 3, -9 * T * T / 2}, {0, -2}};
  opened_run r = run_open_texts(model_text, run_text, 0, NULL);
  mbd_error err = {0};
  for (int k = 0; k < 4; k++) {
    must(mechanism_evaluate(r.m, r.m->start, methods[k].name, &err), &err);
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 2; j++) {
        CHECK_CLOSE(methods[k].name, r.m->grad[2 * i + j], expected[i][j], methods[k].tolerance);
      }
    }
  }
  run_close(&r);
}

/* The start decides how many steps there are; another design has as many. */
static void test_steps(void) {
  static const char *const set[] = {"design.T.start=0.8"};
  const int expected[2][4] = {{4, 7, 12, 20}, {8, 7, 24, 20}};
  for (int k = 0; k < 2; k++) {
    opened_run r = run_open_texts(model_text, run_text, k, set);
    const double there[] = {1.2, 9};
    mbd_error err = {0};
    for (int i = 0; i < 4; i++) { CU_ASSERT_EQUAL(mbd_sim_steps(r.m->cases[i].sim), expected[k][i]); }
    must(mechanism_evaluate(r.m, there, "none", &err), &err);
    for (int i = 0; i < 4; i++) { CU_ASSERT_EQUAL(mbd_sim_steps(r.m->cases[i].sim), expected[k][i]); }
    CHECK_CLOSE("z(T)", r.m->psi[0], -9 * 1.2 * 1.2 / 2, 1e-12);
    run_close(&r);
  }
}

/* By adjoints in complex arithmetic: d2 psi = [-g, -T; -T, 0] of the first case. */
static void test_hessian(void) {
  static const char *const set[] = {"optimizer.hessian=exact"};
  opened_run r = run_open_texts(model_text, run_text, 1, set);
  mbo_problem p;
  double H[4], G[2];
  mbo_eval v = {.g = G, .hess = H};
  mechanism_problem(r.m, &p);
  for (int i = 1; i < 4; i++) { r.config->objective[i].weight = 0; }
  run_evaluate(&p, r.m->start, MBO_REQUEST_HESSIAN, &v);
  CHECK_CLOSE("TT", H[0], -10, 1e-9);
  CHECK_CLOSE("Tg", H[1], -0.4, 1e-9);
  CHECK_CLOSE("gg", H[3], 0, 1e-9);
  run_close(&r);
}

static void test_refused(void) {
  opened_run r = run_open_texts(model_text, run_text, 0, NULL);
  const double never[] = {-1, 10};
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, never, "none", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "case 'one': duration = -1 s, expected > 0");
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "continuous_adjoint", &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "case 'one': the continuous adjoint has no derivative by the duration");
  run_close(&r);
}

TEST_MAIN(TEST(test_gradients), TEST(test_steps), TEST(test_hessian), TEST(test_refused))
