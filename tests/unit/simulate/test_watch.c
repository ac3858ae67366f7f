/* Steps that do not resolve the motion say so: explicit ones that are too long to be stable end with a failure, implicit ones
 * with warnings; good runs say nothing. */
#include "model.h"

typedef struct run_of {
  const char *model, *scalar, *value;
  const char *formulation, *integrator;
  double duration, step;
} run_of;

/* A run, and its warnings' kinds in one text. */
static mbd_status run_in(mbd_coordinates coordinates, const run_of *q, char kinds[64], char *text, mbd_error *err) {
  mbd_sim *s;
  const char *const scalar[] = {q->scalar}, *const value[] = {q->value};
  const int is_text = strchr(q->model, '\n') != NULL;
  test_model f = is_text ? model_open_text(q->model) : model_open_with(q->model, q->scalar != NULL, scalar, value);
  mbd_case c = case_lasting(q->duration, q->step);
  c.formulation = q->formulation, c.integrator = q->integrator, c.coordinates = coordinates;
  must(mbd_sim_create(f.m, &c, f.o, 0, NULL, 0, 0, &s, err), err);
  const mbd_status status = mbd_sim_run(s, f.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, err);
  const mbd_warning *w;
  kinds[0] = text[0] = 0;
  for (int i = 0; (w = mbd_sim_warning(s, i)) != NULL; i++) {
    strcat(strcat(kinds, w->kind), " ");
    strcat(strcat(text, w->text), "\n");
    CU_ASSERT(w->time >= 0 && w->time <= q->duration);
  }
  mbd_sim_destroy(s), model_close(&f);
  return status;
}

static mbd_status run(const run_of *q, char kinds[64], char *text, mbd_error *err) {
  return run_in(MBD_COORDINATES_JOINT, q, kinds, text, err);
}

static const char bicycle[] = "problems/bicycle/bicycle.ini", buggy[] = "problems/buggy/buggy.ini";

/* Friction of the tyres saturates at 0.01 m/s of slip: explicit steps of 1 ms end in a wrong motion that stays finite. */
static void test_explicit(void) {
  char kinds[64], text[1200];
  mbd_error err = {0};
  const run_of too_long = {bicycle, "slip_speed", "0.01", "matrix_r", "runge_kutta_4", 0.5, 1e-3};
  CU_ASSERT_EQUAL(run(&too_long, kinds, text, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "explicit steps of 0.001 s are too long");
  CHECK_CONTAINS(err.text, "a smaller step, integrator = newmark");
  CU_ASSERT(err.time < 0.25);
  CU_ASSERT_EQUAL(run_in(MBD_COORDINATES_NATURAL, &too_long, kinds, text, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "explicit steps of 0.001 s are too long");
}

/* A wheel that spins freely: its acceleration is zero, those of its vectors are not, and their errors do not matter. */
static void test_steady(void) {
  static const char wheel[] =
      "schema = 1\n[model]\nname = wheel\n[body wheel]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 2\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, wheel\n[vector axis]\nalong = 0, 0, 1\nbodies = ground, wheel\n"
      "[joint J]\ntype = revolute\nbodies = ground, wheel\npoint = O\naxis = axis\n"
      "[start]\nhold.J.angle = 0.3\nrate.J.angle = 12\n";
  static const double step[] = {0.01, 0.005, 0.001};
  for (int i = 0; i < 3; i++) {
    char kinds[64], text[1200];
    mbd_error err = {0};
    const run_of spin = {wheel, NULL, NULL, "matrix_r", "runge_kutta_4", 300 * step[i], step[i]};
    CU_ASSERT_EQUAL(run_in(MBD_COORDINATES_NATURAL, &spin, kinds, text, &err), MBD_OK);
    CU_ASSERT_STRING_EQUAL(text, "");
  }
}

/* The edge of a step of the road is passed within three steps of 20 ms; at 1 ms it is resolved. */
static void test_implicit(void) {
  char kinds[64], text[1200];
  mbd_error err = {0};
  const run_of too_long = {buggy, "step_at", "1", "ali3p", "newmark", 2, 2e-2};
  CU_ASSERT_EQUAL(run(&too_long, kinds, text, &err), MBD_OK);
  CHECK_CONTAINS(kinds, "unresolved");
  CHECK_CONTAINS(kinds, "kink");
  CHECK_CONTAINS(text, "steps of 0.02 s do not resolve the accelerations");
  CHECK_CONTAINS(text, "a smaller step, or integrator = generalized_alpha");
  CHECK_CONTAINS(text, "in the step to t = ");
  CHECK_CONTAINS(text, "within the step (most of all force 'front_");
  CHECK_CONTAINS(text, ".tyre', tyre_contact, which changes by ");
  CHECK_CONTAINS(text, "of the run: a smaller step, or a larger touchdown or slip_speed\n");
}

/* Advice is what the run does not have already, causes what the model has. */
static void test_words_fit(void) {
  char kinds[64], text[1200];
  mbd_error err = {0};
  run_of q = {buggy, "step_at", "1", "ali3p", "generalized_alpha", 2, 2e-2};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CHECK_CONTAINS(text, "a smaller step, or a smaller rho_inf, which damps more of what is not resolved\n");
  static const char pendulum[] = "problems/double_pendulum/double_pendulum.ini"; /* without forces */
  q = (run_of){pendulum, NULL, NULL, "matrix_r", "newmark", 40, 0.4};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CHECK_CONTAINS(text, "the acceleration of 'J1.angle' changes so much that its velocity is uncertain by");
  CHECK_CONTAINS(text, "of the run: a smaller step\n");
  q.integrator = "runge_kutta_4";
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "'. Expected a smaller step, integrator = newmark or dormand_prince");
  CU_ASSERT_PTR_NULL(strstr(err.text, "force"));
}

/* Seen: shares of 0.2 at most for longer than a moment, kinks of 0.05 at most. */
static void test_quiet(void) {
  static const run_of good[] = {
      {bicycle, "slip_speed", "0.1", "matrix_r", "runge_kutta_4", 0.2, 2e-4},
      {bicycle, "slip_speed", "0.01", "ali3p", "newmark", 0.5, 1e-3},
      {buggy, "step_at", "1", "ali3p", "newmark", 1, 1e-3},
      {"problems/five_bar/five_bar.ini", NULL, NULL, "matrix_r", "runge_kutta_4", 5, 1e-2},
      {"problems/five_bar/five_bar.ini", NULL, NULL, "matrix_r", "newmark", 5, 1e-2},
      {"problems/spatial_four_bar/spatial_four_bar.ini", NULL, NULL, "ali3p", "generalized_alpha", 1, 1e-3},
      {"problems/n_four_bar/n_four_bar.ini", NULL, NULL, "ali3p", "newmark", 2, 1e-3},
      {"problems/heavy_top/heavy_top.ini", NULL, NULL, "matrix_r", "runge_kutta_4", 0.2, 5e-4},
  };
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    char kinds[64], text[1200];
    mbd_error err = {0};
    must(run(&good[i], kinds, text, &err), &err);
    if (*kinds) { printf("\n  %s, %s: %s\n", good[i].model, good[i].integrator, text); }
    CU_ASSERT_STRING_EQUAL(kinds, "");
  }
}

/* A pendulum at rest moves by rounding only, none of which is resolved. */
static void test_rest(void) {
  static const char pendulum[] =
      "schema = 1\n[model]\nname = rest\nframe = global\ngravity = 0, -9.81, 0\n"
      "[body bar]\nmass = 1\ncom = 0.3, -0.4, 0\ninertia = 0, 0, 0.1\n"
      "[point A]\nat = 0, 0, 0\nbodies = ground, bar\n"
      "[point B]\nat = 0.3, -0.4, 0\nbodies = bar\n"
      "[vector n]\nalong = 0, 0, 1\nbodies = ground, bar\n"
      "[start]\nhold.ground-bar.angle = -atan(0.75)\n";
  static const char *const formulations[] = {"ali3p", "matrix_r", "matrix_r"};
  static const char *const integrators[] = {"newmark", "newmark", "runge_kutta_4"};
  test_model f = model_open_text(pendulum);
  for (int i = 0; i < 3; i++) {
    mbd_sim *s;
    mbd_error err = {0};
    mbd_case c = case_lasting(1, 1e-3);
    c.formulation = formulations[i], c.integrator = integrators[i];
    must(mbd_sim_create(f.m, &c, f.o, 0, NULL, 0, 0, &s, &err), &err);
    must(mbd_sim_run(s, f.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
    CU_ASSERT_PTR_NULL(mbd_sim_warning(s, 0));
    mbd_sim_destroy(s);
  }
  model_close(&f);
}

/* A mass on two rods, each 1 m long, falls freely while the rods, which have hardly any inertia, are not in line: from 0.5 rad between them
 * at the place x = 1 + cos(0.5), z = -sin(0.5). The rods are in line when it is 2 m away, and soon after their rates change by more than
 * 3000 rad/s in a step. With a rod of 10 g nothing is said. */
static void test_whip(void) {
  static const char rods[] =
      "schema = 1\n[model]\nname = rods\njoints = named\n"
      "[body a]\nmass = %g\ncom = 0.5, 0, 0\ninertia = 0, 0, 0\n[body b]\nmass = 1\ncom = 2, 0, 0\ninertia = 0, 0, 0\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, a\n[point P]\nat = 1, 0, 0\nbodies = a, b\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b\n[point T]\nat = 2, 0, 0\nbodies = b\n"
      "[joint j1]\ntype = revolute\nbodies = ground, a\npoint = O\naxis = y\n"
      "[joint j2]\ntype = revolute\nbodies = a, b\npoint = P\naxis = y\n[start]\nhold.j1.angle = 0\nhold.j2.angle = "
      "0.5\n";
  const double x = 1 + cos(0.5), in_line = sqrt(2 * (sqrt(4 - x * x) - sin(0.5)) / 9.81);
  static const double mass[] = {1e-9, 1e-6, 1e-2}, until[] = {0.2, 0.5};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      char text[2000];
      mbd_error err = {0};
      mbd_sim *s;
      double z;
      snprintf(text, sizeof text, rods, mass[i]);
      test_model f = model_open_text(text);
      const mbd_case c = case_lasting(until[k], 1e-3);
      const mbd_term term = {.output = model_output(&f, "T.position.z"), .form = "terminal", .weight = 1};
      must(mbd_sim_create(f.m, &c, f.o, 1, &term, 1, 0, &s, &err), &err);
      must(mbd_sim_run(s, f.p, 0, NULL, &z, NULL, NULL, NULL, NULL, &err), &err);
      const mbd_warning *w = warning_of(s, "whip");
      if (i < 2 && k == 0) { CHECK_CLOSE("free fall", z, -sin(0.5) - 9.81 * 0.2 * 0.2 / 2, 1e-5); }
      CU_ASSERT((w != NULL) == (i < 2 && k == 1));
      if (w) {
        CHECK_CONTAINS(w->text, "more than half a turn in a step of 0.001 s");
        CU_ASSERT(w->time > in_line && w->time < in_line + 0.05);
      }
      mbd_sim_destroy(s), model_close(&f);
    }
  }
}

/* A motor whose torque has a control point every 5 ms: steps of 10 ms pass over every other one; stages of explicit steps reach them. */
static void test_control_points(void) {
  static const char driven[] = "problems/five_bar/five_bar_driven.ini";
  char kinds[64], text[1200];
  mbd_error err = {0};
  run_of q = {driven, "points", "201", "ali3p", "newmark", 1, 1e-2};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "curve ");
  CHECK_CONTAINS(text,
                 "steps of 0.01 s pass over 100 of the 201 control points of curve 'torque', the first at t = 0.005 s");
  CHECK_CONTAINS(text, "A step of at most 0.005 s, or fewer points");
  q.step = 5e-3;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
  q.step = 1e-2, q.formulation = "matrix_r", q.integrator = "runge_kutta_4";
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
  q.integrator = "dormand_prince";
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
}

/* The same of a curve that a constraint of velocities by expression takes at the time. */
static void test_control_points_of_velocities(void) {
  static const char sled[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, 0\n[body sled]\nmass = 1\ncom = 0, 0, 0\n"
      "inertia = 1, 1, 1\n[vector x]\nalong = 1, 0, 0\nbodies = ground, sled\n"
      "[joint rail]\ntype = prismatic\nbodies = ground, sled\naxis = x\n"
      "[curve speed]\ntype = spline\npoints = 201\nfrom = 0\nto = 1\nvalue = 0\n"
      "[quantity wish]\ncurve = speed\nvalue = time\n"
      "[constraint drive]\ntype = expression\nvalue = rail.distance.rate - wish\n[start]\nhold.rail.distance = 0\n";
  char kinds[64], text[1200];
  mbd_error err = {0};
  run_of q = {sled, NULL, NULL, "ali3p", "newmark", 1, 1e-2};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "curve ");
  CHECK_CONTAINS(text, "pass over 100 of the 201 control points of curve 'speed', the first at t = 0.005 s");
  q.step = 5e-3;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
}

/* A cantilever, its tip loaded by its weight. The highest frequency of bending is 34 times the first one. */
static void test_beams(void) {
  static const char arm[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, -9.81\n[scalars]\nE = 1e9\nratio = 0\n"
      "[beam arm]\nfrom = A\nto = B\nsection = circle\ndiameter = 0.02\nE = E\ndensity = 1000\nshapes = 3, 3, 0\n"
      "damping_ratio = ratio\n[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
      "[point B]\nat = 1, 0, 0\nbodies = arm.tip\n[joint clamp]\ntype = weld\nbodies = ground, arm\npoint = A\n";
  char kinds[64], text[1200];
  mbd_error err = {0};
  run_of q = {arm, NULL, NULL, "ali3p", "newmark", 0.05, 1e-3};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "ringing ");
  CHECK_CONTAINS(text, "steps of 0.001 s do not resolve the highest frequency of beam 'arm', of bending along `up`");
  CHECK_CONTAINS(text, "damping_ratio = 0.01 of the beam");
  q.integrator = "generalized_alpha";
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
  q.integrator = "newmark", q.step = 1e-4, q.duration = 2e-3;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
  q.formulation = "matrix_r", q.integrator = "runge_kutta_4", q.step = 4e-3, q.duration = 8e-3;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "explicit steps of 0.004 s are too long for beam 'arm', whose highest frequency");
  CHECK_CONTAINS(err.text, "or fewer shapes");
  char stretched[2000];
  edit(stretched, sizeof stretched, arm, "shapes = 3, 3, 0", "shapes = 1, 1, 0\naxial = 1");
  q.model = stretched;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "whose highest frequency, of extension, is ");
  CHECK_CONTAINS(err.text, "or axial = 0");
}

/* The deflection by weight is q L^4/(8 E I), the slope at the tip q L^3/(6 E I), in the first swing twice as much. */
static void test_slopes(void) {
  static const char soft[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, -9.81\n"
      "[beam arm]\nfrom = A\nto = B\nsection = circle\ndiameter = 0.02\nE = 1e8\ndensity = 1000\nshapes = 2, 2, 0\n"
      "damping_ratio = 0.01\n[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
      "[point B]\nat = 1, 0, 0\nbodies = arm.tip\n[joint clamp]\ntype = weld\nbodies = ground, arm\npoint = A\n";
  char kinds[64], text[1200];
  mbd_error err = {0};
  run_of q = {soft, NULL, NULL, "ali3p", "newmark", 0.2, 5e-3};
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "slopes ");
  CHECK_CONTAINS(text, "of beam 'arm' at t = 0.2 s. A stiffer section");
  q.duration = 0.05;
  CU_ASSERT_EQUAL(run(&q, kinds, text, &err), MBD_OK);
  CU_ASSERT_STRING_EQUAL(kinds, "");
}

TEST_MAIN(TEST(test_beams), TEST(test_slopes), TEST(test_control_points), TEST(test_control_points_of_velocities),
          TEST(test_explicit), TEST(test_steady), TEST(test_implicit), TEST(test_words_fit), TEST(test_quiet),
          TEST(test_rest), TEST(test_whip))
