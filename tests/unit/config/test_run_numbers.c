/* Numbers of run files as expressions of the model's scalars: their values, what is refused, and how they are written. */
#include "files/text_stream.h"
#include "opened_run.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "omega = 4\n"
    "m = 2\n"
    "m2 = 2*m\n"
    "n = 3\n"
    "[body bar]\n"
    "mass = m\n"
    "com = 1, 0, 0\n"
    "inertia = 0, 0, m2\n"
    "[point O]\n"
    "at = 0, 0, 0\n"
    "bodies = ground, bar\n";

static const char run_text[] =
    "schema = 1\n"
    "[model]\n"
    "file = MODEL\n"
    "[scalars]\n"
    "omega = 5\n"
    "[design m]\n"
    "upper = 2*omega\n"
    "[case slow]\n"
    "duration = 2*pi/omega\n"
    "step = 0.01\n"
    "[case fast]\n"
    "scalar.omega = 50\n"
    "duration = 2*pi/omega\n"
    "step = 0.001\n"
    "[objective speed]\n"
    "of = O.velocity\n"
    "form = integral_square\n"
    "case = fast\n"
    "weight = 1/omega\n"
    "target = omega, 0, -omega/2\n"
    "[output]\n"
    "every = n - 1\n";

/* By hand; each case with its own omega: 2 pi/5 and 2 pi/50. */
static void test_values(void) {
  const double pi = 3.14159265358979323846;
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  must(run_read_texts(model_text, run_text, 0, NULL, &c, &err), &err);
  CHECK_CLOSE("of the run's scalars", c->cases[0].simulation.duration, 2 * pi / 5, 0);
  CHECK_CLOSE("of the case's scalars", c->cases[1].simulation.duration, 2 * pi / 50, 0);
  CHECK_CLOSE("bound", c->design[0].upper, 10, 0);
  CHECK_CLOSE("of the objective's case", c->objective[0].weight, 1. / 50, 0);
  CU_ASSERT_EQUAL_FATAL(c->objective[0].target.n, 3);
  CHECK_CLOSE("first of a list", c->objective[0].target.v[0], 50, 0);
  CHECK_CLOSE("plain number of a list", c->objective[0].target.v[1], 0, 0);
  CHECK_CLOSE("last of a list", c->objective[0].target.v[2], -25, 0);
  CU_ASSERT_EQUAL(c->output.every, 2);
  mbo_run_config_destroy(c);
}

/* --set of a scalar reaches what uses it, and --set may be an expression itself. */
static void test_set(void) {
  static const char *const set[] = {"scalars.omega=8", "case.fast.duration=3/omega"};
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  must(run_read_texts(model_text, run_text, 2, set, &c, &err), &err);
  CHECK_CLOSE("upper", c->design[0].upper, 16, 0);
  CHECK_CLOSE("duration", c->cases[1].simulation.duration, 3. / 50, 0);
  mbo_run_config_destroy(c);
}

/* Bounds may be around the value of the variable itself in the model, which its start does not change. */
static void test_around(void) {
  char text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "upper = 2*omega", "start = 2.5\nlower = m - 0.5\nupper = 2*m");
  must(run_read_texts(model_text, text, 0, NULL, &c, &err), &err);
  CHECK_CLOSE("lower", c->design[0].lower, 1.5, 0);
  CHECK_CLOSE("upper", c->design[0].upper, 4, 0);
  mbo_run_config_destroy(c);
}

static char *written(const mbo_run_config *c) {
  text_stream s;
  FILE *out = text_begin(&s);
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  CU_ASSERT_EQUAL(mbo_run_config_write(c, out), MBD_OK);
  return text_end(&s);
}

/* Expressions are written as such, also where their values are the same; what somebody has changed is written as a number. */
static void test_written(void) {
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  must(run_read_texts(model_text, run_text, 0, NULL, &c, &err), &err);
  char *text = written(c);
  const char *slow = strstr(text, "\n[case slow]"), *fast = strstr(text, "\n[case fast]");
  CU_ASSERT_PTR_NOT_NULL_FATAL(slow);
  CU_ASSERT_PTR_NOT_NULL_FATAL(fast);
  CHECK_CONTAINS(slow, "\nduration = 2*pi/omega\n");
  CHECK_CONTAINS(fast, "\nduration = 2*pi/omega\n");
  CHECK_CONTAINS(text, "\nupper = 2*omega\n");
  CHECK_CONTAINS(text, "\ntarget = omega, 0, -omega/2\n");
  CHECK_CONTAINS(text, "\nevery = n - 1\n");
  free(text);
  c->cases[0].simulation.duration = 0.5;
  text = written(c);
  fast = strstr(text, "\n[case fast]");
  CHECK_CONTAINS(text, "\nduration = 0.5\n");
  CHECK_CONTAINS(fast, "\nduration = 2*pi/omega\n");
  free(text);
  mbo_run_config_destroy(c);
}

static void test_broken(void) {
  static const broken_case cases[] = {
      {"2*pi/omega", "2*pi/omga",
       ":9: [case slow] duration = 2*pi/omga: expected a number or an expression; scalar 'omga' is not known in "},
      {"2*pi/omega", "2*pi/omga", ", did you mean 'omega'?"},
      {"2*pi/omega", "2*pi/",
       ":9: [case slow] duration: expected a number or an expression; expression '2*pi/', column 6: found the end"},
      {"2*pi/omega", "2*inf", ":9: [case slow] duration = 2*inf: expected a number or an expression"},
      {"2*pi/omega", "1/(omega - 5)", ":9: [case slow] duration: expression '1/(omega - 5)': '/' of 1"},
      {"2*pi/omega", "-omega", "duration = -omega: the value is -5, expected a number between 1e-12 and 1e+09 s"},
      {"step = 0.01", "step = m2/100",
       ":10: [case slow] step = m2/100: moves with [design m]; expected a value that no design variable moves"},
      {"duration = 2*pi/omega\nstep = 0.01\n", "duration = m\nstep = m2*m/100\n",
       ":10: [case slow] step = m2*m/100: moves with [design m]; expected a value that no design variable moves, or a "
       "constant part of a duration that moves"},
      {"step = 0.01\n", "step = 0.01\nmax_step = m\n",
       ":11: [case slow] max_step = m: moves with [design m]; expected a value that no design variable moves; only the "
       "'duration' of a case may"},
      {"n - 1", "n/2", ":22: [output] every = n/2: the value is 1.5, expected a whole number"},
      {"n - 1", "n +", ":22: [output] every: expected a whole number or an expression; expression 'n +', column 4"},
      {"omega, 0,", "omega, m,", "target = omega, m, -omega/2: moves with [design m]"},
      {"omega, 0,", "omega, ,", "target = omega, , -omega/2: expected numbers or expressions separated by commas; "},
  };
  check_broken_runs(model_text, run_text, sizeof cases / sizeof cases[0], cases);
}

/* The number whose scalars are asked for first tells of it. */
static void test_no_model(void) {
  char text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "file = MODEL", "file = MODEL.ini");
  CU_ASSERT_EQUAL(run_read_texts(model_text, text, 0, NULL, &c, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, ":7: [design m] upper = 2*omega: ");
  mbo_run_config_destroy(c);
}

/* A duration that a design variable moves, and a step in proportion to it, have their values at the start of the variables. */
static void test_free_duration(void) {
  char text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "upper = 2*omega\n[case slow]\nduration = 2*pi/omega\nstep = 0.01\n",
       "start = 5\n[case slow]\nduration = m2 + 1\nstep = (m2 + 1)/40\n");
  must(run_read_texts(model_text, text, 0, NULL, &c, &err), &err);
  CHECK_CLOSE("duration", c->cases[0].simulation.duration, 11, 0);
  CHECK_CLOSE("step", c->cases[0].simulation.step, 11. / 40, 0);
  CU_ASSERT_STRING_EQUAL(mbo_run_config_free_duration(c, "slow"), "m2 + 1");
  CU_ASSERT_PTR_NULL(mbo_run_config_free_duration(c, "fast"));
  char *resolved = written(c);
  CHECK_CONTAINS(resolved, "\nduration = m2 + 1\n");
  CHECK_CONTAINS(resolved, "\nstep = (m2 + 1)/40\n");
  free(resolved);
  mbo_run_config_destroy(c);
}

/* What the mechanism's design refuses with a message of its own is left to it. */
static void test_unknown_design(void) {
  char text[2000];
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, run_text, "[design m]", "[design mm]");
  must(run_read_texts(model_text, text, 0, NULL, &c, &err), &err);
  mbo_run_config_destroy(c);
}

TEST_MAIN(TEST(test_values), TEST(test_set), TEST(test_around), TEST(test_written), TEST(test_broken),
          TEST(test_no_model), TEST(test_free_duration), TEST(test_unknown_design))
