/* Motions of beams: a cantilever that is released against the numbers of an independent program, by every formulation that takes it and at
 * equal frequencies, bent as it begins, with a state; the spin-up of Kane, Ryan and Banerjee (problems/spin_up) against a chain of rigid segments. */
#include "mbo/backend.h"
#include "mbo/run.h"
#include "opened_run.h"

/* ---- a cantilever with a mass at its tip, released straight ---- */

static const char model[] =
    "schema = 1\n[model]\ngravity = 0, -9.81, 0\njoints = named\n[scalars]\nheight = 0.02\n"
    "[beam arm]\nfrom = A\nto = B\nup = up\nsection = rectangle\nheight = height\nwidth = 0.02\n"
    "E = 1e9\ndensity = 1000\nshapes = 3, 0, 0\npoints = 7\nrotary_inertia = no\n"
    "[body weight]\nmass = 0.1\ncom = 1, 0, 0\ninertia = 0, 0, 0\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
    "[point B]\nat = 1, 0, 0\nbodies = arm.tip, weight\n"
    "[vector up]\nalong = 0, 1, 0\nbodies = arm\n"
    "[joint clamp]\ntype = weld\nbodies = ground, arm\npoint = A\n"
    "[joint end]\ntype = weld\nbodies = arm.tip, weight\npoint = B\n";
static const char run[] =
    "schema = 1\n[model]\nfile = MODEL\n[design height]\nlower = 0.01\nupper = 0.05\n"
    "[case released]\nduration = 0.5\nstep = 1e-3\n"
    "[objective deflection]\nof = B.position.y\nform = integral_square\n";

/* The integral of the square of the tip's deflection and its derivative by the height, Newmark's scheme, trapezoidal sum: complex steps of the
 * other program agree to 1e-15. */
static void test_released(void) {
  static const char *const method[] = {"direct", "discrete_adjoint"};
  for (int k = 0; k < 2; k++) {
    mbd_error err = {0};
    opened_run r = run_open_texts(model, run, 0, NULL);
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    CHECK_CLOSE("integral", r.m->psi[0], 0.0025100310898135136, 1e-14);
    CHECK_CLOSE("by the height", r.m->grad[0], -0.7503139625245027, 1e-10);
    run_close(&r);
  }
}

/* The value and the derivative of the one objective by the one variable, direct and adjoint. */
static void evaluate(const char *of, const char *how, int n, const char *const *set, double *y, double *dy) {
  static const char *const method[] = {"discrete_adjoint", "direct"};
  double g[2];
  for (int k = 0; k < 2; k++) {
    mbd_error err = {0};
    opened_run r = run_open_texts(of, how, n, set);
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    *y = r.m->psi[0], g[k] = r.m->grad[0];
    run_close(&r);
  }
  CHECK_NEAR("direct, adjoint", g[0], g[1], fabs(g[1]), 1e-10);
  *dy = g[1];
}

/* A tree without constraints has one motion in all formulations with the same integrator. */
static void test_formulations(void) {
  static const char *const formulation[] = {"ali3p", "penalty", "matrix_r", "semi_recursive"};
  double y[4], dy[4];
  for (int i = 0; i < 4; i++) {
    char text[60];
    const char *const set[] = {text, "case.released.duration=0.1"};
    snprintf(text, sizeof text, "case.released.formulation=%s", formulation[i]);
    evaluate(model, run, 2, set, &y[i], &dy[i]);
    CHECK_NEAR(formulation[i], y[i], y[0], y[0], 1e-9);
    CHECK_NEAR(formulation[i], dy[i], dy[0], fabs(dy[0]), 1e-9);
  }
}

/* Begun in equilibrium, it stays as it is, which is the static case; the weight of a beam of L = 1 m and a tip mass bend it by
 * (m g L^3/8 + M g L^3/3)/(E I), up to terms of third order. */
static void test_equilibrium(void) {
  static const char *const begun[] = {"objective.deflection.form=terminal", "case.released.duration=0.1",
                                      "case.released.start=equilibrium"};
  static const char *const still[] = {"objective.deflection.form=terminal", "case.released.duration=0.1",
                                      "case.released.step=0.1", "case.released.analysis=static"};
  const double EI = 1e9 * 0.02 * 8e-6 / 12, bent = 9.81 * (0.4 / 8 + 0.1 / 3) / EI;
  double y[2], dy[2];
  evaluate(model, run, 3, begun, &y[0], &dy[0]);
  evaluate(model, run, 4, still, &y[1], &dy[1]);
  CHECK_CLOSE("static", y[1], -bent, 1e-2 * bent);
  CHECK_CLOSE("begun in equilibrium", y[0], y[1], 1e-10);
  CHECK_NEAR("by the height", dy[0], dy[1], fabs(dy[1]), 1e-8);
}

/* A state that integrates the square of the deflection, and pulls at the tip. */
static void test_state(void) {
  static const char with_state[] =
      "[state sum]\nrate = B.position.y^2\n[force pull]\ntype = expression\npoint = B\nframe = ground\n"
      "value = 0, 20*sum, 0\n";
  static const char *const set[] = {"objective.deflection.of=sum", "objective.deflection.form=terminal"};
  char whole[3000];
  double y[2], dy[2];
  snprintf(whole, sizeof whole, "%s%s", model, with_state);
  evaluate(whole, run, 2, set, &y[0], &dy[0]);
  evaluate(whole, run, 0, NULL, &y[1], &dy[1]);
  CHECK_NEAR("integral", y[0], y[1], y[1], 1e-5);
  CHECK_NEAR("by the height", dy[0], dy[1], fabs(dy[1]), 1e-5);
}

/* The height of a beam is found again from its deflections. */
static void test_fit(void) {
  static const char of_height[] =
      "schema = 1\n[model]\nfile = MODEL\n[design height]\nlower = 0.01\nupper = 0.05\n"
      "[case released]\nduration = 0.2\nstep = 1e-3\n[measurement tip]\nfile = TABLE\nof = B.position.y\n";
  char table[] = "/tmp/mbopt_table_XXXXXX", rows[400] = "", text[1000], model_path[40], run_path[40];
  mbd_error err = {0};
  mbo_result found = {0};
  mbo_run *r;
  for (int i = 1; i <= 4; i++) {
    char at[60];
    const char *const set[] = {at, "objective.deflection.form=value_at", "design.height.start=0.022"};
    snprintf(at, sizeof at, "objective.deflection.at=%g", 0.05 * i);
    opened_run measured = run_open_texts(model, run, 3, set);
    must(mechanism_evaluate(measured.m, measured.m->start, "none", &err), &err);
    snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%g,%.17g\n", 0.05 * i, measured.m->psi[0]);
    run_close(&measured);
  }
  write_file(table, rows);
  edit(text, sizeof text, of_height, "TABLE", table);
  run_write_texts(model, text, model_path, run_path);
  must(mbo_run_open(run_path, 0, NULL, &r, &err), &err);
  must(mbo_run_minimize(r, "levenberg_marquardt", NULL, &found, &err), &err);
  CHECK_CLOSE("height", found.x[0], 0.022, 1e-9);
  mbo_result_free(&found);
  mbo_run_close(r);
  unlink(run_path), unlink(model_path), unlink(table);
}

/* ---- equal frequencies ---- */

/* A square section under a weight askew, which bends in both planes and is damped by one ratio: the derivative by its height is that of
 * differences over the design at which both planes have the same frequencies. */
static void test_equal_frequencies(void) {
  static const double height[] = {0.02, 0.02 * (1 + 1e-5), 0.02 * (1 - 1e-5)};
  char askew[3000], both[3000];
  double y[3], dy[3];
  edit(askew, sizeof askew, model, "gravity = 0, -9.81, 0", "gravity = 0, -5, 3");
  edit(both, sizeof both, askew, "shapes = 3, 0, 0", "shapes = 3, 3, 0\ndamping_ratio = 0.05");
  for (int i = 0; i < 3; i++) {
    char text[60];
    const char *const set[] = {text, "case.released.duration=0.1", "objective.deflection.of=B.position.z"};
    snprintf(text, sizeof text, "design.height.start=%.17g", height[i]);
    evaluate(both, run, 3, set, &y[i], &dy[i]);
  }
  CHECK_NEAR("by the height", (y[1] - y[2]) / (height[1] - height[2]), dy[0], fabs(dy[0]), 1e-6);
  CHECK_NEAR("of both sides", (dy[1] + dy[2]) / 2, dy[0], fabs(dy[0]), 1e-8);
}

/* ---- spin-up ---- */

static double deflection(const char *at, const char *stiffening) {
  mbd_error err = {0};
  const char *const set[] = {"objective.lag.form=value_at", at, stiffening};
  opened_run r = run_open("configs/spin_up.ini", 3, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double found = r.m->psi[0];
  run_close(&r);
  return found;
}

/* Chains of 10, 20 and 40 rigid segments, extrapolated. */
static void test_spin_up(void) {
  CHECK_CLOSE("at 5 s", deflection("objective.lag.at=5", "output.columns=tip.position.y"), -0.4684363944114329, 2e-3);
  CHECK_CLOSE("at 6.76 s", deflection("objective.lag.at=6.76", "output.columns=tip.position.y"), -0.5737532557921922,
              4e-3);
  CHECK_CLOSE("at 10 s", deflection("objective.lag.at=10", "output.columns=tip.position.y"), -0.3626776400062616, 2e-3);
}

/* ---- a body by moments ---- */

/* Three masses at x = [ 1 ; s ; S ]. */
static const double vane[3][7] = {
    {1, 0.5, 0.1, 0, 0, 0, 0.3}, {1, 0.9, -0.1, 0.1, 0.02, 0, 0.7}, {1, 0.2, 0, 0, 0, 0.05, 0.1}};

/* sum m x x' */
static void put_moments(FILE *f, const double mass[3]) {
  for (int i = 0; i < 7; i++) {
    fputs(i ? "], [" : "\"moments\": [[", f);
    for (int j = 0; j < 7; j++) {
      double sum = 0;
      for (int p = 0; p < 3; p++) { sum += mass[p] * vane[p][i] * vane[p][j]; }
      fprintf(f, "%s%.17g", j ? ", " : "", sum);
    }
  }
  fputs("]]", f);
}

/* The gradient by a scalar that changes its moments, stiffness and damping: at its design and at another one, at which masses of points are negative. */
static void test_moments(void) {
  static const char body[] =
      "schema = 1\n[model]\ngravity = 1, -9.81, 2\njoints = named\n[scalars]\nheight = 0.2\n"
      "[body vane]\nmodal_data = FILE\nlinear = yes\n"
      "[point A]\nat = 0, 0, 0\nbodies = ground, vane\n[point B]\nat = 1, 0, 0\nbodies = vane.tip\n"
      "[vector u]\nalong = 0.2, 1, 0.1\nbodies = ground, vane\n"
      "[joint hinge]\ntype = revolute\nbodies = ground, vane\npoint = A\naxis = u\n";
  const double mass[3] = {0.6, 0.5, 0.3}, change[3] = {2, 1, -0.5};
  char text[1000], path[] = "/tmp/mbopt_moments_XXXXXX";
  write_file(path, "");
  FILE *f = fopen(path, "w");
  CU_ASSERT_FATAL(f != NULL);
  fputs(
      "{\"shapes\": [\"bend\"], \"stiffness\": [[90]], \"damping\": [[0.4]], \"nodes\": {\"tip\": {\"at\": [1, 0, 0], "
      "\"translation\": [[0, 0, 0.9]], \"shortening\": [[-0.5]]}},\n",
      f);
  put_moments(f, mass);
  /* Of a shortening by 0.2 + 0.3 x. */
  fputs(",\n\"shortening_moments\": [", f);
  for (int i = 0; i < 4; i++) {
    double sum = 0;
    for (int p = 0; p < 3; p++) { sum -= mass[p] * (0.2 + 0.3 * vane[p][1]) * vane[p][i]; }
    fprintf(f, "%s[[%.17g]]", i ? ", " : "", sum);
  }
  fputs("], \"derivatives\": {\"height\": {\"at\": 0.2, \"stiffness\": [[300]], \"damping\": [[1]], ", f);
  put_moments(f, change);
  fputs("}}}\n", f);
  fclose(f);
  edit(text, sizeof text, body, "FILE", path);
  for (int k = 0; k < 2; k++) {
    const char *const set[] = {k ? "design.height.start=0.23" : "design.height.start=0.2", "case.released.step=1e-2",
                               "design.height.upper=0.5"};
    opened_run r = run_open_texts(text, run, 3, set);
    CU_ASSERT_EQUAL(run_check_gradients_of(&r), 1);
  }
  /* At 1 one of the masses is -0.1. */
  const char *const far[] = {"design.height.start=1", "design.height.upper=2"};
  mbd_error err = {0};
  opened_run r = run_open_texts(text, run, 2, far);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "body 'vane': its mass matrix is not positive, by ");
  run_close(&r);
  unlink(path);
}

TEST_MAIN(TEST(test_moments), TEST(test_released), TEST(test_formulations), TEST(test_equilibrium), TEST(test_state),
          TEST(test_fit), TEST(test_equal_frequencies), TEST(test_spin_up))
