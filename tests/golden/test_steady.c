/* Steady motions (trim): the planar car against its equations in the body frame, its understeer gradient in closed form, its limit, and a long
 * simulation that ends in trim; a disc that rolls in a circle and a governor in closed form; bicycles straight on at every speed; buggy and coach in
 * turns that last; those that do not; gradients of all of them; messages.
 * Equations: theory.md §5.8. */
#include "model.h"
#include "opened_run.h"

/* A run file as text, in which SOURCE stands for the root of the repository. */
static opened_run open_text(const char *text) {
  char path[] = "/tmp/mbopt_run_XXXXXX", whole[4000];
  edit(whole, sizeof whole, text, "SOURCE", MBOPT_SOURCE_DIR);
  write_file(path, whole);
  const opened_run r = run_read(path, 0, NULL);
  unlink(path);
  return r;
}

/* Values of the objectives of such a file. */
static void values_of(const char *text, double *y) {
  mbd_error err = {0};
  opened_run r = open_text(text);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  memcpy(y, r.m->psi, (size_t)r.m->nobjective * sizeof *y);
  run_close(&r);
}

/* ---- the planar car ---- */

static const double mass = 1500, a = 1.2, b = 1.5, C_f = 80000, C_r = 100000, F_f = 8500, F_r = 7500;

static double side(double C, double F, double slip) {
  return F * tanh(C / F * slip);
}

/* m v r and the balances in the frame of the car, at the side slip velocity v, the angle of the wheel and the force of the engine x [3]; the speed V
 * is that of the centre of mass. */
static void car(double V, double r, const double *x, double *f) {
  const double v = x[0], steer = x[1], drive = x[2], u = sqrt(V * V - v * v);
  const double front = side(C_f, F_f, steer - atan((v + a * r) / u)), rear = side(C_r, F_r, -atan((v - b * r) / u));
  f[0] = mass * u * r - front * cos(steer) - rear;
  f[1] = a * front * cos(steer) - b * rear;
  f[2] = -mass * v * r + front * sin(steer) - drive;
}

/* Newton's iteration with differences, to rounding. */
static void solve_car(double V, double r, double *x) {
  x[0] = x[1] = x[2] = 0;
  for (int it = 0; it < 40; it++) {
    double f[3], g[3], J[3][4];
    car(V, r, x, f);
    for (int j = 0; j < 3; j++) {
      const double h = j == 2 ? 1 : 1e-6, before = x[j];
      x[j] += h;
      car(V, r, x, g);
      x[j] = before;
      for (int i = 0; i < 3; i++) { J[i][j] = (g[i] - f[i]) / h; }
    }
    for (int i = 0; i < 3; i++) { J[i][3] = -f[i]; }
    for (int k = 0; k < 3; k++) { /* the pivots are in this order */
      for (int i = 0; i < 3; i++) {
        const double l = i == k ? 0 : J[i][k] / J[k][k];
        for (int j = k; j < 4; j++) { J[i][j] -= l * J[k][j]; }
      }
    }
    for (int k = 0; k < 3; k++) { x[k] += J[k][3] / J[k][k]; }
  }
}

#define CAR "schema = 1\n[model]\nfile = SOURCE/problems/planar_car/planar_car.ini\n"
#define STEADY                                                                                       \
  "[case turn]\nanalysis = steady\nduration = 30\nstep = 30\nsteady.speed = 20\nsteady.curvature = " \
  "0.25/20\nsteady.find = "                                                                          \
  "steer, drive\n"
#define AT_END(name, output) "[objective " name "]\nof = " output "\nform = terminal\n"

/* 20 m/s and 0.25 rad/s. */
static void test_planar_car(void) {
  double x[3], y[6];
  solve_car(20, 0.25, x);
  values_of(CAR STEADY AT_END("v", "C@car.local_velocity.y") AT_END("steer", "wheel")
                AT_END("drive", "rear_tyre.force_x") AT_END("r", "car.yaw_rate") AT_END("speed", "C@car.velocity.norm")
                    AT_END("yaw", "car.yaw"),
            y);
  printf("(side slip %.6g m/s, wheel %.6g rad, drive %.6g N) ", y[0], y[1], y[2]);
  CHECK_CLOSE("side slip velocity", y[0], x[0], 1e-11);
  CHECK_CLOSE("steer", y[1], x[1], 1e-12);
  CHECK_NEAR("drive", y[2], x[2], 100, 1e-10);
  CHECK_CLOSE("rate of turn", y[3], 0.25, 1e-14);
  CHECK_CLOSE("speed", y[4], 20, 1e-13);
  CHECK_CLOSE("yaw", y[5], 0, 1e-14); /* the time of a node moves nothing */
}

/* In the limit of small lateral accelerations a_y the car is the linear single-track model,
 *   steer = (L/V^2 + m/L (b/C_f - a/C_r)) a_y,   so its slope, an exact derivative at a_y = 0. */
static void test_understeer_gradient(void) {
  mbd_error err = {0};
  opened_run r = open_text(
      CAR
      "[scalars]\nmass = 1500\n[design v]\n[case turn]\nanalysis = steady\nduration = 1\nstep = 1\n"
      "steady.speed = 20\nsteady.lateral_acceleration = v - 20\nsteady.find = steer, drive\n" AT_END("steer", "wheel"));
  const double L = a + b;
  must(mechanism_evaluate(r.m, r.m->start, "direct", &err), &err);
  CHECK_CLOSE("straight on", r.m->psi[0], 0, 1e-14);
  CHECK_CLOSE("understeer gradient", r.m->grad[0], L / 400 + mass / L * (b / C_f - a / C_r), 1e-13);
  run_close(&r);
}

/* With the inputs that trim has found, a motion that begins straight on ends in the same turn: after 900 s to 1e-8. */
static void test_long_simulation(void) {
  char text[1200];
  double trim[4], end[3];
  values_of(CAR STEADY AT_END("steer", "wheel") AT_END("drive", "rear_tyre.force_x")
                AT_END("v", "C@car.local_velocity.y") AT_END("u", "C@car.local_velocity.x"),
            trim);
  snprintf(text, sizeof text,
           CAR
           "[scalars]\nsteer = %.17g\ndrive = %.17g\n[case long]\nduration = 900\nstep = 0.02\nformulation = "
           "semi_recursive\nintegrator = runge_kutta_4\n" AT_END("v", "C@car.local_velocity.y")
               AT_END("u", "C@car.local_velocity.x") AT_END("r", "car.yaw_rate"),
           trim[0], trim[1]);
  values_of(text, end);
  printf("(off by %.2g, %.2g m/s, %.2g rad/s) ", end[0] - trim[2], end[1] - trim[3], end[2] - 0.25);
  CHECK_CLOSE("side slip", end[0], trim[2], 1e-8);
  CHECK_NEAR("speed", end[1], trim[3], 20, 1e-8);
  CHECK_CLOSE("rate of turn", end[2], 0.25, 1e-8);
}

/* ---- a disc that rolls in a circle ---- */

/* With the lean q, the rate of turning r and the spin w about the axle, both of a thin disc of radius R,
 *   (3/2) w r cos q = r^2 sin q cos q/4 - g/R sin q,   w = spin + r sin q,   speed = spin R  (problems/rolling_disc/README.md) */
static void test_rolling_disc(void) {
  static const double speed[] = {0.5, 0.82107302699999996, 2, 0.2}, turn[] = {2, 4, 1, -5};
  const double g = 9.81, R = 0.1;
  for (int i = 0; i < 4; i++) {
    char text[700];
    double y[3];
    snprintf(text, sizeof text,
             "schema = 1\n[model]\nfile = SOURCE/problems/rolling_disc/rolling_disc.ini\n[case turn]\nanalysis = "
             "steady\nduration = 1\nstep = 1\nsteady.speed = %.17g\nsteady.curvature = %.17g\n" AT_END(
                 "lean", "lean.angle") AT_END("spin", "axle.angle.rate") AT_END("r", "contact.angle.rate"),
             speed[i], turn[i] / speed[i]);
    values_of(text, y);
    const double q = y[0], w = y[1] + y[2] * sin(q);
    CHECK_CLOSE("turn", y[2], turn[i], 1e-13);
    CHECK_NEAR("speed", fabs(y[1]) * R, speed[i], 1, 1e-13);
    CHECK_NEAR("lean", 1.5 * w * y[2] * cos(q), y[2] * y[2] * sin(q) * cos(q) / 4 - g / R * sin(q), g / R, 1e-12);
    CU_ASSERT(fabs(q) > 0.05);
  }
}

/* ---- bicycles ---- */

#define ROLLING "schema = 1\n[model]\nfile = SOURCE/problems/bicycle/rolling_bicycle.ini\n[scalars]\nsteered = 1\n"

/* The benchmark bicycle goes straight on at every speed, upright, and takes no torque; in turns it leans to the inside. */
static void test_bicycle(void) {
  for (int v = 1; v <= 10; v++) {
    char text[800];
    double y[5], turn[5];
    for (int turns = 0; turns < 2; turns++) {
      snprintf(text, sizeof text,
               ROLLING
               "[case on]\nanalysis = steady\nduration = 1\nstep = 1\nsteady.speed = %d\nsteady.curvature = %g\n"
               "steady.find = steer_torque\n" AT_END("lean", "R.lean.angle") AT_END("steer", "steer.angle") AT_END(
                   "torque", "steering.force") AT_END("rear", "R.spin.angle.rate") AT_END("front", "F.spin.angle.rate"),
               v, turns * 0.01);
      values_of(text, turns ? turn : y);
    }
    CHECK_CLOSE("lean", y[0], 0, 1e-13);
    CHECK_CLOSE("steer", y[1], 0, 1e-13);
    CHECK_CLOSE("torque", y[2], 0, 1e-11);
    CHECK_CLOSE("rear wheel", y[3], v / 0.3, 1e-12 * v);
    CHECK_CLOSE("front wheel", y[4], v / 0.35, 1e-12 * v);
    /* tan(lean) is about v^2 kappa/g, less by gyroscopic moments and more by the width of none; the steering turns to the left */
    CU_ASSERT(turn[0] < 0 && turn[1] > 0);
    if (v >= 5) { CHECK_NEAR("lean in a turn", -turn[0], v * v * 0.01 / 9.81, v * v * 0.01 / 9.81, 0.1); }
  }
}

/* ---- vehicles ---- */

#define BUGGY                                                                                                     \
  "schema = 1\n[model]\nfile = SOURCE/problems/buggy/buggy.ini\n[scalars]\nv = 10\nw = 36.7\nengines = 1\n[case " \
  "turn]\n"                                                                                                       \
  "curve.steering = turned\nsteady.speed = v\nsteady.lateral_acceleration = 3\nsteady.find = throttle, rack_at\n"
#define COACH                                                                                                          \
  "schema = 1\n[model]\nfile = SOURCE/problems/coach/coach.ini\n[case turn]\ncurve.steering = turned\nsteady.speed = " \
  "v\nsteady.lateral_acceleration = 2\nsteady.find = lack, pitman_at\n"

/* What begins in trim stays there: the ranges of what would change, over a second. */
static void test_turns_last(void) {
  double y[4];
  values_of(BUGGY
            "start = steady\nduration = 0.5\nstep = 2e-3\n[objective roll]\nof = chassis.roll\nform = "
            "range\nsharpness = 1e9\n[objective speed]\nof = P1.velocity.norm\nform = range\nsharpness = "
            "1e9\n[objective load]\nof = front_left.tyre.load\nform = range\nsharpness = 1e6\n[objective at]\nof = "
            "chassis.roll\nform = terminal\n",
            y);
  printf("(buggy: %.2g rad of %.2g, %.2g m/s, %.2g N; ", y[0], y[3], y[1], y[2]);
  CHECK_CLOSE("roll", y[0], 0, 1e-8);
  CHECK_CLOSE("speed", y[1], 0, 1e-8);
  CHECK_CLOSE("load", y[2], 0, 1e-4);
  CU_ASSERT(fabs(y[3]) > 0.01);
  values_of(COACH
            "start = steady\nduration = 1\nstep = 1e-2\n[objective roll]\nof = front.roll\nform = range\nsharpness = "
            "1e9\n[objective speed]\nof = centre.velocity.norm\nform = range\nsharpness = 1e9\n[objective at]\nof = "
            "front.roll\nform = terminal\n",
            y);
  printf("coach: %.2g rad of %.2g, %.2g m/s) ", y[0], y[2], y[1]);
  CHECK_CLOSE("roll", y[0], 0, 1e-8);
  CHECK_CLOSE("speed", y[1], 0, 1e-8);
  CU_ASSERT(fabs(y[2]) > 0.01);
}

/* ---- what turns with a loop of joints on it ---- */

/* One side of a governor: arm and link of the length l, a ball of 1 kg between them, the sleeve of 2 kg on the spindle. With q the angle of both
 * to the spindle, T and U their tensions, T cos q = U cos q + m g, U cos q = M g, (T + U) sin q = m w^2 l sin q. */
static const char governor[] =
    "schema = 1\n[model]\ngravity = 0, 0, -9.81\njoints = named\n[scalars]\nl = 0.3\nspeed = 20\nside = l*sqrt(3)/2\n"
    "[body spindle]\nmass = 1\ncom = 0, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
    "[body arm]\nmass = 1\ncom = side, 0, -l/2\ninertia = 0, 0, 0\n"
    "[body link]\nmass = 0\ncom = 0, 0, -l/2\ninertia = 0, 0, 0\n"
    "[body sleeve]\nmass = 2\ncom = 0, 0, -l\ninertia = 0, 0, 0\n"
    "[point P]\nat = 0, 0, 0\nbodies = ground, spindle, arm\n"
    "[point B]\nat = side, 0, -l/2\nbodies = arm, link\n"
    "[point S]\nat = 0, 0, -l\nbodies = link, sleeve\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = ground, spindle, sleeve\n"
    "[vector across]\nalong = 0, 1, 0\nbodies = spindle, arm, link, sleeve\n"
    "[joint hub]\ntype = revolute\nbodies = ground, spindle\npoint = P\naxis = up\n"
    "[joint top]\ntype = revolute\nbodies = spindle, arm\npoint = P\naxis = across\n"
    "[joint ball]\ntype = revolute\nbodies = arm, link\npoint = B\naxis = across\n"
    "[joint low]\ntype = revolute\nbodies = link, sleeve\npoint = S\naxis = across\n"
    "[joint slide]\ntype = prismatic\nbodies = spindle, sleeve\naxis = up\n"
    "[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = hub.angle\nmotion = turning\n";

static const char at_its_speed[] =
    "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[design l]\n[case turn]\nanalysis = steady\nduration = 1\nstep "
    "= "
    "1\n" AT_END("height", "B@arm.position.z") AT_END("rate", "hub.angle.rate") AT_END("torque", "motor.drive_force");

/* The closure of the loop turns along. */
static void test_governor(void) {
  opened_run r = run_open_texts(governor, at_its_speed, 0, NULL);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, r.m->start, "direct", &err), &err);
  const double height = 5 * 9.81 / 400; /* l cos q = (m + 2 M) g/(m w^2) */
  CHECK_CLOSE("height", r.m->psi[0], -height, 1e-14);
  CHECK_CLOSE("by the speed", r.m->grad[0], 2 * height / 20, 1e-14);
  CHECK_CLOSE("by the length", r.m->grad[1], 0, 1e-14);
  CHECK_CLOSE("rate", r.m->psi[1], 20, 1e-14);
  CHECK_CLOSE("torque", r.m->psi[2], 0, 1e-13);
  run_close(&r);
}

/* A balanced crank, on which nothing depends but the pin that closes its loop, moves no steady motion: it stays where it is, as what is driven does. */
static void test_crank(void) {
  static const char crank[] =
      "schema = 1\n[model]\ngravity = 0, 0, 0\njoints = named\n[scalars]\nspeed = 20\n"
      "[body spindle]\nmass = 1\ncom = 0, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[body rod]\nmass = 1\ncom = 0.3, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[body slider]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 0, 0\n"
      "[point P]\nat = 0, 0, 0\nbodies = ground, spindle\n[point B]\nat = 0.06, 0.08, 0\nbodies = spindle, rod\n"
      "[point S]\nat = 0.5, 0, 0\nbodies = rod, slider\n"
      "[vector up]\nalong = 0, 0, 1\nbodies = ground, spindle, rod, slider\n"
      "[vector along]\nalong = 1, 0, 0\nbodies = ground, slider\n"
      "[joint hub]\ntype = revolute\nbodies = ground, spindle\npoint = P\naxis = up\n"
      "[joint pin]\ntype = revolute\nbodies = spindle, rod\npoint = B\naxis = up\ncut = yes\n"
      "[joint low]\ntype = revolute\nbodies = rod, slider\npoint = S\naxis = up\n"
      "[joint guide]\ntype = prismatic\nbodies = ground, slider\naxis = along\n"
      "[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n"
      "[constraint motor]\ntype = driven_coordinate\ncoordinate = hub.angle\nmotion = turning\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[design speed]\n[case turn]\nanalysis = steady\nduration = 1\nstep = "
      "1\n" AT_END("rate", "hub.angle.rate");
  opened_run r = run_open_texts(crank, run, 0, NULL);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("rate", r.m->psi[0], 0, 1e-14);
  run_close(&r);
}

/* ---- derivatives ---- */

/* Direct, adjoint and complex step of a text, in all of its variables. */
static void check_text(const char *text) {
  char path[] = "/tmp/mbopt_run_XXXXXX", whole[9000];
  static const char *const method[] = {"complex_step", "direct", "discrete_adjoint"};
  edit(whole, sizeof whole, text, "SOURCE", MBOPT_SOURCE_DIR);
  write_file(path, whole);
  mbd_error err = {0};
  opened_run r = run_read(path, 0, NULL);
  const int nq = r.m->nobjective, n = r.m->n;
  double *exact = malloc((size_t)(nq * n) * sizeof *exact), worst = 0;
  unlink(path);
  for (int k = 0; k < 3; k++) {
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    for (int i = 0; i < nq * n; i++) {
      double scale = 0;
      if (k == 0) { exact[i] = r.m->grad[i]; }
      for (int j = 0; j < n; j++) { scale = fmax(scale, fabs(r.m->grad[i / n * n + j] * r.m->scale[j])); }
      CU_ASSERT(scale > 1e-4 * fabs(r.m->psi[i / n]) && scale > 0);
      CHECK_NEAR(r.m->name[i % n], r.m->grad[i] * r.m->scale[i % n], exact[i] * r.m->scale[i % n], scale, 1e-10);
      worst = fmax(worst, fabs(r.m->grad[i] - exact[i]) * r.m->scale[i % n] / scale);
    }
  }
  printf("(%.2g) ", worst);
  free(exact);
  run_close(&r);
}

#define CURVES             "analysis = steady\nduration = 1\nstep = 0.25\n"
#define MEAN(name, output) "[objective " name "]\nof = " output "\nform = integral_square\n"

/* Steady turns of the planar car, ever harder, and a motion that begins with one. */
#define HARDER                                                                                                       \
  "[design C_front]\n[design front]\n[design v]\n[case harder]\nanalysis = steady\nduration = 1\nstep = "            \
  "0.05\nsteady.speed = v\nsteady.lateral_acceleration = harder\nsteady.find = steer, drive\n[case turn]\nstart = "  \
  "steady\nduration = 1\nstep = 0.02\nsteady.speed = v\nsteady.curvature = 0.01\nsteady.find = steer, drive\n"       \
  "[objective wheel]\ncase = harder\nof = wheel\nform = terminal\n[objective use]\ncase = harder\nof = "             \
  "use_front\nform "                                                                                                 \
  "= integral_square\n[objective slip]\ncase = turn\nof = side_slip\nform = integral_square\n[objective y]\ncase = " \
  "turn\nof = place.y\nform = terminal\n"

static void test_gradients(void) {
  check_text(CAR HARDER);
  check_text(BUGGY CURVES "[design k_f]\n[design x_c]\n[design slip]\n[design Iy]\n[design v]\n[design g]\n" MEAN(
      "load", "front_left.tyre.load") MEAN("roll", "chassis.roll") MEAN("rack", "chassis-rack.distance")
                 MEAN("speed", "P1.velocity.norm") MEAN("ball", "front_left.upper-front_left.knuckle.reaction_force")
                     MEAN("drive", "engine_left.force") MEAN("acceleration", "driver.acceleration"));
  check_text(COACH CURVES "[design k_f]\n[design k_br]\n[design z_front]\n[design v]\n[design wheelbase]\n" MEAN(
      "load", "front_left.tyre.load") MEAN("roll", "front.roll") MEAN("arm", "front-pitman.angle")
                 MEAN("shaft", "drive.force"));
  check_text(ROLLING
             "[design v]\n[design w]\n[design c]\n[design tilt]\n[case turn]\n" CURVES
             "steady.speed = v\nsteady.curvature = 0.02\nsteady.find = steer_torque\n" MEAN("lean", "R.lean.angle")
                 MEAN("steer", "steer.angle") MEAN("torque", "steering.force") MEAN("side", "R.rolls.multiplier"));
  check_text(
      "schema = 1\n[model]\nfile = SOURCE/problems/bicycle/bicycle.ini\n[design v]\n[design m_B]\n[design tilt]\n"
      "[case turn]\nstart = steady\nduration = 0.1\nstep = 1e-2\nsteady.speed = v\nsteady.curvature = "
      "0.02\nsteady.find = steer_torque, pedal_torque\n" MEAN("lean", "base.e1") MEAN("y", "base.y"));
}

/* All scalars of a model that may vary, but those that are found. */
static void check_all_scalars(const char *file, const char *text, const char *left_out) {
  char all[8000];
  double value;
  test_model q = model_open(file);
  size_t used = (size_t)snprintf(all, sizeof all, "%s", text);
  for (int k = 0; k < mbo_model_file_nscalar(q.file); k++) {
    const char *name = mbo_model_file_scalar(q.file, k, &value);
    char word[100];
    snprintf(word, sizeof word, " %s ", name);
    if (q.file->scalar[k].fixed || strchr(name, '.') || strstr(left_out, word)) { continue; }
    used += (size_t)snprintf(all + used, sizeof all - used, "[design %s]\n", name);
  }
  CU_ASSERT_FATAL(used < sizeof all);
  model_close(&q);
  check_text(all);
}

static void test_all_scalars(void) {
  if (!test_long()) { return; }
  check_all_scalars("problems/buggy/buggy.ini",
                    BUGGY "analysis = steady\nduration = 1\nstep = 1\n" MEAN("load", "front_left.tyre.load")
                        MEAN("slip", "driver.local_velocity") MEAN("rack", "chassis-rack.distance"),
                    " throttle rack_at engines drivers ");
  check_all_scalars("problems/coach/coach.ini",
                    COACH "analysis = steady\nduration = 1\nstep = 1\n" MEAN("load", "front_left.tyre.load")
                        MEAN("roll", "front.roll") MEAN("arm", "front-pitman.angle"),
                    " lack pitman_at k_v slip_r Re_r ");
}

/* The adjoint of a case of steady motions that are stored in part, and found again. */
static void test_little_memory(void) {
  check_text(CAR HARDER "[gradient]\nmemory_limit = 0.003\n");
}

/* ---- messages ---- */

static void fails(const char *text, mbd_status expected, const char *message) {
  mbd_error err = {0};
  opened_run r = open_text(text);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), expected);
  CHECK_CONTAINS(err.text, message);
  run_close(&r);
}

static void test_messages(void) {
#define TURN "[case turn]\nstart = steady\nduration = 0.1\nstep = 1e-2\nsteady.speed = 20\n"
#define END_ AT_END("y", "place.y")
  fails(CAR TURN "steady.lateral_acceleration = 11\nsteady.find = steer, drive\n" END_, MBD_SINGULAR,
        "no steady turn beyond a lateral acceleration of 9.81");
  fails(CAR TURN "steady.lateral_acceleration = 11\nsteady.find = steer, drive\n" END_, MBD_SINGULAR,
        "towards which input 'steer' grows without bound");
  fails(CAR TURN "steady.curvature = 0.01\nsteady.find = steer\n" END_, MBD_NO_CONVERGENCE,
        "expected as many inputs in steady.find as motions are given (1 of 2)");
  fails(CAR TURN "steady.find = steer, drive\n" END_, MBD_SINGULAR, "nothing determines input 'steer' there");
  fails(
      "schema = 1\n[model]\nfile = SOURCE/problems/coach/coach.ini\n[case turn]\nstart = steady\nduration = 0.1\nstep "
      "= "
      "1e-2\nsteady.speed = v\nsteady.find = lack\n" AT_END("y", "centre.position.y"),
      MBD_BAD_INPUT, "'steering' moves at the start already, at a rate of 0.0408");
  fails(
      "schema = 1\n[model]\nfile = SOURCE/problems/buggy/buggy.ini\n[scalars]\ndrivers = 1\n[case on]\nstart = "
      "steady\nduration = 0.1\nstep = 1e-2\nsteady.speed = v\n" AT_END("y", "P1.position.y"),
      MBD_UNSUPPORTED, "no steady motion: force 'cruise.pilot.s' changes as 'chassis.x' does; expected a level road");
  fails(CAR "[case turn]\nstart = steady\nduration = 0.1\nstep = 1e-2\nsteady.speed = -1\n" END_, MBD_OUT_OF_DOMAIN,
        "steady.speed = -1 m/s, expected > 0");
}

/* A search that fails tells what is left where it ended, not in a trial that was refused (1e57 N m there). */
static void test_where_it_ends(void) {
  static const char *const fast[] = {"scalars.v=100"};
  mbd_error err = {0};
  opened_run r = run_open("configs/buggy_turns.ini", 1, fast);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "no steady motion straight on was found at 100 m/s");
  const char *left = strstr(err.text, "is left at ");
  CU_ASSERT_FATAL(left != NULL);
  CU_ASSERT(fabs(strtod(left + strlen("is left at "), NULL)) < 1e20);
  run_close(&r);
}

static void text_of(const char *file, size_t size, char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, size - 1, in)] = '\0';
  CU_ASSERT_FATAL(feof(in));
  fclose(in);
}

/* A wheel that is not round about its axle, of the bicycle on tyres, cannot turn steadily, and is named. */
static void test_unbalanced_wheel(void) {
  char model[8000], bent[8000];
  mbd_error err = {0};
  text_of("problems/bicycle/bicycle.ini", sizeof model, model);
  edit(bent, sizeof bent, model, "inertia = 0.1405, 0.28, 0.1405", "inertia = 0.1405, 0.28, 0.15");
  opened_run r =
      run_open_texts(bent,
                     "schema = 1\n[model]\nfile = MODEL\n[case on]\nstart = steady\nduration = "
                     "0.1\nstep = 1e-2\nsteady.speed = v\nsteady.find = pedal_torque\n" AT_END("y", "base.y"),
                     0, NULL);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_NO_CONVERGENCE);
  CHECK_CONTAINS(err.text, "'spin_F.angle' moves at the start, but stands still in a steady motion");
  run_close(&r);
}

static void test_refused_cases(void) {
  static const broken_case broken[] = {
      {"steady.speed = 20\n", "", "steady.curvature is given, but no speed; expected also steady.speed"},
      {"start = steady\n", "", "steady.speed says something of a steady motion; expected start = steady"},
      {"steady.speed = 20", "steady.speed = 20\nsteady.lateral_acceleration = 1",
       "expected one of steady.curvature and steady.lateral_acceleration"},
      {"steady.speed = 20", "steady.speed = harde", "has no curve or scalar 'harde', did you mean 'harder'?"},
      {"find = steer", "find = steed", "steady.find: scalar 'steed' is not known"},
      {"steady.speed = 20", "analysis = static", "every node of a static case is an equilibrium"},
  };
  static const broken_case nonlinear[] = {{"mass", "radius", "is no linear function of scalar 'radius'"}};
  char text[4000], model[8000];
  text_of("problems/planar_car/planar_car.ini", sizeof model, model);
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = MODEL\n" TURN "steady.curvature = 0.01\nsteady.find = steer, drive\n" END_);
  check_broken_runs(model, text, sizeof broken / sizeof *broken, broken);
  text_of("problems/rolling_disc/rolling_disc.ini", sizeof model, model);
  check_broken_runs(model, "schema = 1\n[model]\nfile = MODEL\n" TURN "steady.find = mass\n" AT_END("y", "contact.y"),
                    1, nonlinear);
}

/* ---- is it stable? ---- */

/* The first case of a run, shown: what it warns of, or NULL; its objective is that of a run that is not shown, to the bit. */
static const char *warned(const opened_run *r) {
  static char text[512];
  double psi[3];
  mbd_error err = {0};
  must(mechanism_evaluate(r->m, r->m->start, "none", &err), &err);
  mbd_sim *s = r->m->cases[0].sim;
  CU_ASSERT_PTR_NULL(warning_of(s, "unstable"));
  must(mbd_sim_run(s, r->m->cases[0].v->params, 0, NULL, psi, NULL, NULL, observe, NULL, &err), &err);
  CU_ASSERT_EQUAL(psi[0], r->m->psi[0]);
  const mbd_warning *w = warning_of(s, "unstable");
  snprintf(text, sizeof text, "%s", w ? w->text : "");
  return w ? text : NULL;
}

/* That the run warns of a mode that grows by exp(rate t); rate <= 0: that it does not. */
static void check_growth(const char *model, const char *run, double rate) {
  const opened_run r = model ? run_open_texts(model, run, 0, NULL) : open_text(run);
  const char *text = warned(&r), *doubles = text ? strstr(text, "doubles every ") : NULL;
  CU_ASSERT_EQUAL(doubles != NULL, rate > 0);
  if (doubles) { CHECK_NEAR("time to double", strtod(doubles + 14, NULL), log(2) / rate, log(2) / rate, 5e-3); }
  opened_run done = r;
  run_close(&done);
}

/* The car with more grip in front, straight on: the single-track model in (v, r) has a root that is zero at the critical speed
 * V^2 = C_f C_r L^2/(m (a C_f - b C_r)), and positive beyond. Its symmetries, of place and heading, are no instability. */
static void test_oversteer(void) {
  static const char *const formulation[] = {
      "formulation = penalty\n",         "formulation = semi_recursive\nintegrator = runge_kutta_4\n",
      "formulation = fully_recursive\n", "formulation = matrix_r\nintegrator = runge_kutta_4\n",
      "coordinates = natural\n",         ""};
  const double f = 110000, r = 70000, I = 2500, critical = (a + b) * sqrt(f * r / (mass * (a * f - b * r)));
  const double factor[] = {0.8, 0.999, 1.001, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1};
  for (int i = 0; i < 9; i++) {
    const double V = factor[i] * critical, y = (f + r) / (mass * V), n = (a * a * f + b * b * r) / (I * V);
    const double det = y * n - (a * f - b * r) / I * (1 + (a * f - b * r) / (mass * V * V));
    char text[1000];
    snprintf(text, sizeof text,
             CAR
             "[scalars]\nC_front = %g\nC_rear = %g\n[case on]\nstart = steady\nduration = 0.01\nstep = 5e-3\n%s"
             "steady.speed = %.17g\nsteady.find = drive\n" AT_END("y", "C@car.local_velocity.y"),
             f, r, formulation[i < 3 ? 5 : i - 3], V);
    check_growth(NULL, text, -(y + n) / 2 + sqrt((y + n) * (y + n) / 4 - det));
  }
}

/* A pendulum whose hinge is on the axis of a turntable, l q'' = (speed^2 l cos q -+ g) sin q: hanging it is unstable beyond speed^2 = g/l, standing always. */
static void test_pendulum_on_a_turntable(void) {
  static const char model[] =
      "schema = 1\n[model]\ngravity = 0, 0, -9.81\njoints = named\n[scalars]\nspeed = 3\nheight = -0.5\n"
      "[body table]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body bob]\nmass = 2\ncom = 0, 0, height\n"
      "inertia = 0, 0, 0\n[point O]\nat = 0, 0, 0\nbodies = ground, table, bob\n"
      "[vector up]\nalong = 0, 0, 1\nbodies = ground, table\n[vector hinge]\nalong = 0, 1, 0\nbodies = table, bob\n"
      "[joint axis]\ntype = revolute\nbodies = ground, table\npoint = O\naxis = up\n"
      "[joint swing]\ntype = revolute\nbodies = table, bob\npoint = O\naxis = hinge\n"
      "[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n"
      "[constraint motor]\ntype = driven_coordinate\ncoordinate = axis.angle\nmotion = turning\n";
  const double speed[] = {4.4, 4.5, 6, 3}, l[] = {-0.5, -0.5, -0.5, 0.5};
  for (int i = 0; i < 4; i++) {
    char run[500];
    snprintf(run, sizeof run,
             "schema = 1\n[model]\nfile = MODEL\n[scalars]\nspeed = %g\nheight = %g\n[case turn]\nanalysis = steady\n"
             "duration = 1\nstep = 1\n" AT_END("angle", "swing.angle"),
             speed[i], l[i]);
    const double square = speed[i] * speed[i] + 9.81 / l[i];
    check_growth(model, run, square > 0 ? sqrt(square) : 0);
  }
}

/* The bicycle straight on: weave at 4 m/s and capsize at 7 m/s of J. P. Meijaard et al. (2007), none at 5 m/s; and what nothing damps, which does not
 * grow: the disc. */
static void test_what_falls(void) {
  const double rate[][2] = {{4, 0.413253315211}, {5, 0}, {7, 0.102681705748}};
  char text[700];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text,
             ROLLING
             "[case on]\nstart = steady\nduration = 0.01\nstep = 5e-3\nsteady.speed = %g\nsteady.curvature = 0\n"
             "steady.find = steer_torque\n" AT_END("lean", "R.lean.angle"),
             rate[i][0]);
    check_growth(NULL, text, rate[i][1]);
  }
  check_growth(
      NULL,
      "schema = 1\n[model]\nfile = SOURCE/problems/rolling_disc/rolling_disc.ini\n[case turn]\nanalysis = steady\n"
      "duration = 1\nstep = 1\nsteady.speed = 2\nsteady.curvature = 0.5\n" AT_END("lean", "lean.angle"),
      0);
  check_growth(governor, at_its_speed, 0);
}

TEST_MAIN(TEST(test_planar_car), TEST(test_understeer_gradient), TEST(test_long_simulation), TEST(test_rolling_disc),
          TEST(test_bicycle), TEST(test_turns_last), TEST(test_governor), TEST(test_crank), TEST(test_oversteer),
          TEST(test_pendulum_on_a_turntable), TEST(test_what_falls), TEST(test_gradients), TEST(test_all_scalars),
          TEST(test_little_memory), TEST(test_messages), TEST(test_where_it_ends), TEST(test_unbalanced_wheel),
          TEST(test_refused_cases))
