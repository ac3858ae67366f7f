/* Time steps that Newton's usual iteration does not solve: those that damped corrections or parts of the step solve, exact
 * derivatives included, and the messages about the others. */
#include "model.h"

/* ---- the bicycle whose tyres hardly slip: friction sets in within a step ---- */

static const char *const scalar[] = {"slip_speed", "v", "k_roll", "k_roll_rate", "k_steer_rate"};
static const char *const value[] = {"1e-4", "5", "10", "5", "2"};

static test_model open_bicycle(void) {
  return model_open_with("problems/bicycle/bicycle.ini", 5, scalar, value);
}

static mbd_case long_steps(const char *formulation) {
  mbd_case c = case_lasting(test_slow() ? 0.2 : 1, 1e-2);
  c.formulation = formulation;
  return c;
}

/* Direct derivative and adjoint by the slip speed and the mass: of the equations of the step, however they were solved. */
static void check_derivatives(const char *formulation) {
  enum { DIRECTIONS = 2 };
  const mbd_case c = long_steps(formulation);
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d[DIRECTIONS];
  double psi[1], direct[DIRECTIONS];
  test_model q = open_bicycle();
  const mbd_term roll = {.output = model_output(&q, "frame.roll"), .form = "integral_square", .weight = 1};
  test_directions v = directions_of_coefficients(&q);
  double *gtheta = calloc((size_t)v.n, sizeof *gtheta), *along = calloc((size_t)v.n, sizeof *along);
  must(mbd_sim_create(q.m, &c, q.o, 1, &roll, 1, DIRECTIONS, &s, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  for (int k = 0; k < DIRECTIONS; k++) {
    double sum = 0;
    memset(along, 0, (size_t)v.n * sizeof *along);
    directions_any(&v, along);
    for (int i = 0; i < v.n; i++) { sum += along[i] * gtheta[i]; }
    d[k] = direction_along(&q, along);
    direct[k] = sum;
  }
  double grad[DIRECTIONS];
  must(mbd_sim_run(s, q.p, DIRECTIONS, d, psi, grad, NULL, NULL, NULL, &err), &err);
  for (int k = 0; k < DIRECTIONS; k++) {
    CHECK_NEAR(formulation, direct[k], grad[k], fabs(grad[k]), 1e-6);
    mbd_dparams_destroy(d[k]);
  }
  const mbd_warning *w = warning_of(s, "newton");
  CU_ASSERT_FATAL(w != NULL);
  CHECK_CONTAINS(w->text, "Newton's iteration converges with damped corrections only, which take time: force 'tyre_");
  CHECK_CONTAINS(w->text, "has a kink there");
  CHECK_CONTAINS(w->text, "or a larger touchdown or slip_speed");
  free(gtheta), free(along);
  directions_free(&v);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_slip(void) {
  check_derivatives("ali3p");
  check_derivatives("matrix_r");
}

/* The bicycle rolls on at 5 m/s on wheels of 0.35 m, whether steps need help or not. */
static double turned(const char *formulation, double step, int *helped) {
  mbd_case c = case_lasting(0.2, step);
  mbd_error err = {0};
  mbd_sim *s;
  double psi;
  test_model q = open_bicycle();
  const mbd_term spin = {.output = model_output(&q, "spin_F.angle"), .form = "terminal", .weight = 1};
  c.formulation = formulation;
  must(mbd_sim_create(q.m, &c, q.o, 1, &spin, 1, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
  *helped = warning_of(s, "newton") != NULL;
  mbd_sim_destroy(s), model_close(&q);
  return psi;
}

static void test_value(void) {
  static const char *const formulations[] = {"ali3p", "matrix_r"};
  for (int i = 0; i < 2; i++) {
    int helped, alone;
    CHECK_CLOSE(formulations[i], turned(formulations[i], 1e-2, &helped), 5 * 0.2 / 0.35, 1e-4);
    CHECK_CLOSE(formulations[i], turned(formulations[i], 1e-3, &alone), 5 * 0.2 / 0.35, 1e-4);
    CU_ASSERT(helped && !alone);
  }
}

/* ---- two bars that are pulled straight, and further ---- */

static const char bars[] =
    "schema = 1\n[model]\ntitle = two bars\ngravity = 0, 0, -9.81\n"
    "[body upper]\nmass = 2\ncom = 0.5, 0, 0\ninertia = 0, 2/12, 2/12\n"
    "[body lower]\nmass = 1\ncom = 1.5, 0, 0\ninertia = 0, 1/12, 1/12\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, upper\n"
    "[point E]\nat = 1, 0, 0\nbodies = upper, lower\n"
    "[point T]\nat = 2, 0, 0\nbodies = lower\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, upper, lower\n"
    "[curve reach]\ntype = polynomial\ncoefficients = 1.5, 0.5\n" /* 2 after a second */
    "[constraint pull]\ntype = driven_distance\npoints = O, T\ndistance = reach\n"
    "[start]\nhold.ground-upper.angle = 1\nguess.upper-lower.angle = -1.5\n";

static void check_locks(const char *formulation, mbd_coordinates coordinates, double step) {
  mbd_case c = case_lasting(2, step);
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(bars);
  c.formulation = formulation, c.coordinates = coordinates;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  CU_ASSERT(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err) > 0);
  CHECK_CLOSE(formulation, err.time, 1, 2 * step);
  CHECK_CONTAINS(err.text, "the mechanism is near a dead point, where it locks: ");
  CHECK_CONTAINS(err.text, "by 'pull' (loop ground - upper - lower), and 'upper-lower.angle' moves by ");
  mbd_sim_destroy(s), model_close(&q);
}

static void test_locks(void) {
  static const double step[] = {1e-3, 3e-3,
                                1.7e-2}; /* in natural coordinates the longest one meets a singular tangent */
  for (int i = 0; i < 3; i++) {
    check_locks("ali3p", MBD_COORDINATES_JOINT, step[i]), check_locks("matrix_r", MBD_COORDINATES_JOINT, step[i]);
    if (i < 2) { check_locks("ali3p", MBD_COORDINATES_NATURAL, step[i]); }
  }
}

TEST_MAIN(TEST(test_slip), TEST(test_value), TEST(test_locks))
