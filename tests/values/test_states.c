/* First-order states against closed forms and a few lines of their own: a lag by every integrator, the trapezoidal rule of newmark to rounding,
 * PI control of a shaft, its matrix of small motions, static equilibria, and energies, in which states have no part. */
#include <stddef.h>

#include "mbd/linearize.h"
#include "values.h"

static const char shaft[] =
    "schema = 1\n[model]\nname = shaft\njoints = named\n[scalars]\nkp = 3\nki = 8\nJ = 0.5\nwish = 2\nT = 0.2\n"
    "[body rotor]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, J\n[point O]\nat = 0, 0, 0\nbodies = ground, rotor\n"
    "[vector k]\nalong = 0, 0, 1\nbodies = ground, rotor\n"
    "[joint turn]\ntype = revolute\nbodies = ground, rotor\npoint = O\naxis = k\n"
    "[start]\nhold.turn.angle = 0\n";

/* ---- a lag: T xd = u - x ---- */

static const char lag[] = "[state x]\nrate = (wish - x)/T\nstart = 0.3\nunit = N\n";

static double lag_after(const char *formulation, const char *integrator, mbd_coordinates coordinates, double h, int n) {
  test_model q = model_open_parts(shaft, lag);
  mbd_case c = case_lasting(h * n, h);
  c.formulation = formulation, c.integrator = integrator, c.coordinates = coordinates, c.tolerance = 1e-12;
  c.rtol = c.atol = 1e-12;
  const double x = value_after(&q, &c, "x", n);
  model_close(&q);
  return x;
}

/* x = u - (u - x0) exp(-t/T): the error falls by the order of the integrator where steps are halved. */
static void test_lag(void) {
  const double t = 0.4, exact = 2 - (2 - 0.3) * exp(-t / 0.2);
  for (int i = 0; mbd_integrator_name(i); i++) {
    const char *name = mbd_integrator_name(i);
    if (strcmp(name, "dormand_prince") == 0) {
      CHECK_CLOSE(name, lag_after("matrix_r", name, MBD_COORDINATES_JOINT, 0.01, 40), exact, 1e-9);
      continue;
    }
    const char *formulation =
        strcmp(name, "newmark") == 0 || strcmp(name, "generalized_alpha") == 0 ? "ali3p" : "matrix_r";
    double error[3];
    for (int k = 0; k < 3; k++) {
      error[k] = lag_after(formulation, name, MBD_COORDINATES_JOINT, 0.02 / (1 << k), 20 << k) - exact;
    }
    const double order = log2(error[1] / error[2]);
    printf("\n  %s: errors %.2e %.2e %.2e, order %.3f", name, error[0], error[1], error[2], order);
    CU_ASSERT(fabs(error[0]) > 1e-12);
    CU_ASSERT(order > 1.9);
  }
}

/* 1: the combination is there. */
static int is_available(const char *formulation, mbd_coordinates coordinates) {
  test_model q = model_open_parts(shaft, lag);
  mbd_case c = case_lasting(1, 0.1);
  mbd_error err = {0};
  mbd_sim *s = NULL;
  c.formulation = formulation, c.integrator = "newmark", c.coordinates = coordinates;
  const mbd_status status = mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err);
  mbd_sim_destroy(s), model_close(&q);
  return status == MBD_OK;
}

/* newmark with its parameters 1/4 and 1/2: x = x_ + h/2 (f + f_), in every formulation and kind of coordinates. */
static void test_trapezoidal_rule(void) {
  const double h = 0.05;
  double x = 0.3;
  int natural = 0;
  for (int k = 0; k < 20; k++) { x = (x * (1 - h / 2 / 0.2) + h * 2 / 0.2) / (1 + h / 2 / 0.2); }
  for (int i = 0; mbd_formulation_name(i); i++) {
    const char *name = mbd_formulation_name(i);
    CHECK_CLOSE(name, lag_after(name, "newmark", MBD_COORDINATES_JOINT, h, 20), x, 1e-12);
    if (!is_available(name, MBD_COORDINATES_NATURAL)) { continue; }
    CHECK_CLOSE(name, lag_after(name, "newmark", MBD_COORDINATES_NATURAL, h, 20), x, 1e-12);
    natural++;
  }
  CU_ASSERT_EQUAL(natural, 2); /* ali3p and matrix_r */
}

/* ---- PI control: J wd = kp (u - w) + ki e,  ed = u - w,  w(0) = e(0) = 0 ---- */

static const char control[] =
    "[state error]\nrate = wish - turn.angle.rate\nunit = rad\nstart = 0\n"
    "[force motor]\ntype = expression\ncoordinate = turn.angle\nvalue = kp*(wish - turn.angle.rate) + ki*error\n";

/* With d = kp/(2 J) = 3, w0^2 = ki/J = 16, wd = sqrt(16 - 9): the error v = u - w is v = u exp(-d t) (cos wd t - d/wd sin wd t), and e its
 * integral, u/wd exp(-d t) sin wd t. */
static void test_step_response(void) {
  test_model q = model_open_parts(shaft, control);
  const double t = 0.5, d = 3, wd = sqrt(7.0), u = 2, decay = u * exp(-d * t);
  double speed[2], error[2];
  for (int k = 0; k < 2; k++) { /* extrapolated: errors are of order 2, then 4 */
    const mbd_case c = case_lasting(t, 0.01 / (1 + k));
    speed[k] = value_after(&q, &c, "turn.angle.rate", 50 * (1 + k));
    error[k] = value_after(&q, &c, "error", 50 * (1 + k));
  }
  CHECK_CLOSE("speed", (4 * speed[1] - speed[0]) / 3, u - decay * (cos(wd * t) - d / wd * sin(wd * t)), 1e-7);
  CHECK_CLOSE("error", (4 * error[1] - error[0]) / 3, decay / wd * sin(wd * t), 1e-7);
  CU_ASSERT(fabs(speed[1] - speed[0]) > 1e-5);
  model_close(&q);
}

/* Energies are those of the shaft, J w^2/2; a state adds none. */
static void test_energy(void) {
  test_model q = model_open_parts(shaft, control);
  const mbd_case c = case_lasting(0.5, 0.01);
  const double w = value_after(&q, &c, "turn.angle.rate", 50);
  CHECK_CLOSE("energy.kinetic", value_after(&q, &c, "energy.kinetic", 50), 0.5 * w * w / 2, 1e-14);
  CHECK_CLOSE("energy.total", value_after(&q, &c, "energy.total", 50), 0.5 * w * w / 2, 1e-14);
  const double torque = 3 * (2 - w) + 8 * value_after(&q, &c, "error", 50);
  CHECK_CLOSE("sum of powers", value_after(&q, &c, "motor.power", 50), torque * w, 1e-12);
  CHECK_CLOSE("turn.angle.force", value_after(&q, &c, "turn.angle.force", 50), torque, 1e-12);
  model_close(&q);
}

/* ---- small motions: x = (angle, speed, error) ---- */

static void test_matrix(void) {
  static const double A[3][3] = {{0, 1, 0}, {0, -3 / 0.5, 8 / 0.5}, {0, -1, 0}};
  test_model q = model_open_parts(shaft, control);
  const mbd_case c = case_lasting(1, 0.1);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_linear l;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_linearize(s, q.p, &l, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(l.n, 1);
    CU_ASSERT_EQUAL(l.nstate, 1);
    for (int i = 0; i < 9; i++) { CHECK_CLOSE("matrix", l.A[i], A[i / 3][i % 3], 1e-13); }
    /* l^2 + 6 l + 16 = 0, and the angle, on which nothing depends. */
    CHECK_CLOSE("free", l.re[0], 0, 1e-14);
    CHECK_CLOSE("decay", l.re[1], -3, 1e-12);
    CHECK_CLOSE("oscillation", l.im[1], sqrt(7.0), 1e-12);
    CHECK_CLOSE("state", l.state_shape[1], 1, 1e-15);
    mbd_linear_free(&l);
    /* Programs that were compiled before there were states get no matrix of another size. */
    CU_ASSERT_EQUAL(mbd_sim_linearize_sized(s, q.p, &l, offsetof(mbd_linear, nstate), &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, "the model has states");
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* ---- equilibria: 20 z + x = 5, 2 x = 6 z + y, y = 4 - z ---- */

static const char held[] =
    "[force spring]\ntype = torsion_spring\ncoordinate = turn.angle\nstiffness = 20\ndamping = 1\n"
    "[force load]\ntype = expression\ncoordinate = turn.angle\nvalue = 5 - x\n"
    "[state x]\nrate = (6*turn.angle + y - 2*x)/T\n[state y]\nrate = 4 - turn.angle - y + 3*turn.angle.rate\n"
    "[state given]\nrate = -given\nstart = 0.7\n[start]\nsettle = turn.angle\n";

static void test_equilibrium(void) {
  /* x = (6 z + 4 - z)/2, so 20 z + 2.5 z + 2 = 5. */
  const double z = 3 / 22.5, y = 4 - z, x = (6 * z + y) / 2;
  for (int i = 0; i < 2; i++) {
    char text[4000], sections[2000];
    edit(text, sizeof text, shaft, "[start]\nhold.turn.angle = 0\n",
         "[start]\nhold.turn.angle = 0.1\nsettle = turn.angle\n");
    edit(sections, sizeof sections, held, "[start]\nsettle = turn.angle\n", "");
    test_model q = model_open_parts(text, sections);
    mbd_case c = case_lasting(1, 0.1);
    if (i == 0) { c.start = MBD_START_EQUILIBRIUM; }
    if (i == 1) { c.analysis = "static"; }
    for (int k = 0; k < 3; k += 2) { /* at the start and later */
      CHECK_CLOSE("angle", value_after(&q, &c, "turn.angle", k), z, 1e-12);
      CHECK_CLOSE("x", value_after(&q, &c, "x", k), x, 1e-12);
      CHECK_CLOSE("y", value_after(&q, &c, "y", k), y, 1e-12);
      CHECK_CLOSE("x.rate", value_after(&q, &c, "x.rate", k), 0, 1e-12);
    }
    CHECK_CLOSE("given", value_after(&q, &c, "given", 0), i == 0 ? 0.7 : 0, 1e-12);
    model_close(&q);
  }
}

/* ---- stability of an equilibrium in which a state acts: J z.. + z. + 20 z + ki x = 0, x. = z - 0.1 ---- */

/* The real and the imaginary part of the mode that a run warns of; 0, 0: it does not. */
static void warned(double ki, const char *rate, double *re, double *im) {
  char text[4000], start[100], gain[60];
  snprintf(start, sizeof start, "[start]\nhold.turn.angle = 0\nsettle = turn.angle\n%s", rate);
  snprintf(gain, sizeof gain, "ki = %.17g\n", ki);
  edit(text, sizeof text, shaft, "[start]\nhold.turn.angle = 0\n", start);
  char with_gain[4000];
  edit(with_gain, sizeof with_gain, text, "ki = 8\n", gain);
  test_model q = model_open_parts(with_gain,
                                  "[force spring]\ntype = torsion_spring\ncoordinate = turn.angle\nstiffness = 20\n"
                                  "damping = 1\n[force motor]\ntype = expression\ncoordinate = turn.angle\n"
                                  "value = -ki*x\n[state x]\nrate = turn.angle - 0.1\n");
  mbd_case c = case_lasting(0.2, 0.1);
  mbd_sim *s;
  mbd_params *p;
  mbd_error err = {0};
  c.start = MBD_START_EQUILIBRIUM;
  must(mbd_params_create(q.m, NULL, &p, &err), &err);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, p, 0, NULL, NULL, NULL, NULL, observe, NULL, &err), &err);
  const mbd_warning *w = warning_of(s, "unstable");
  const char *oscillates = w ? strstr(w->text, "oscillations of ") : NULL,
             *doubles = w ? strstr(w->text, "doubles every ") : NULL;
  *re = doubles ? log(2) / strtod(doubles + 14, NULL) : 0;
  *im = oscillates ? 2 * M_PI * strtod(oscillates + 16, NULL) : 0;
  mbd_sim_destroy(s), mbd_params_destroy(p), model_close(&q);
}

/* Of J s^3 + s^2 + 20 s + ki roots are to the right from J ki = 20 on (Routh), though the stiffness is positive; the warning has three digits of them. */
static void test_unstable_equilibrium(void) {
  double re, im;
  warned(39.9, "", &re, &im);
  CU_ASSERT(re == 0 && im == 0);
  warned(40.1, "", &re, &im);
  CU_ASSERT(re > 0);
  CHECK_NEAR("frequency at the limit", im, sqrt(40), sqrt(40), 5e-3);
  warned(100, "", &re, &im);
  const double real = 0.5 * (re * re * re - 3 * re * im * im) + re * re - im * im + 20 * re + 100;
  const double imaginary = 0.5 * (3 * re * re * im - im * im * im) + 2 * re * im + 20 * im;
  CHECK_CLOSE("root", real, 0, 1);
  CHECK_CLOSE("root", imaginary, 0, 1);
  warned(100, "rate.turn.angle = 1\n", &re, &im); /* no motion that lasts */
  CU_ASSERT(re == 0);
}

/* ---- kinematic cases: the angle is sin(3 t) ---- */

static const char driven[] =
    "[curve swing]\ntype = expression\nvalue = sin(3*x)\n"
    "[constraint crank]\ntype = driven_coordinate\ncoordinate = turn.angle\nmotion = swing\n"
    "[state x]\nrate = (turn.angle - x)/T\nstart = 0.3\n"
    "[state y]\nrate = x - y^3\n"
    "[quantity work]\nvalue = integral(turn.angle.rate^2)\n"
    "[force motor]\ntype = expression\ncoordinate = turn.angle\nvalue = kp*x\n";

static double driven_after(const char *name, double h, int n) {
  char text[2000];
  edit(text, sizeof text, shaft, "[start]\nhold.turn.angle = 0\n", "");
  test_model q = model_open_parts(text, driven);
  mbd_case c = case_lasting(n > 0 ? h * n : h, h);
  c.analysis = "kinematic";
  const double y = value_after(&q, &c, name, n);
  model_close(&q);
  return y;
}

/* Filter and integral of the motion, of order two: T xd = sin w t - x from 0.3, and the integral of (w cos w t)^2. */
static void test_driven(void) {
  static const char *const name[] = {"x", "work"};
  const double T = 0.2, w = 3, t = 0.8, wT = w * T;
  const double exact[] = {
      (sin(w * t) - wT * cos(w * t) + wT * exp(-t / T)) / (1 + wT * wT) + 0.3 * exp(-t / T),
      w * w * (t / 2 + sin(2 * w * t) / (4 * w)),
  };
  for (int i = 0; i < 2; i++) {
    double error[3];
    for (int k = 0; k < 3; k++) { error[k] = driven_after(name[i], 0.02 / (1 << k), 40 << k) - exact[i]; }
    const double order = log2(error[1] / error[2]);
    printf("\n  %s of a given motion: errors %.2e %.2e %.2e, order %.3f", name[i], error[0], error[1], error[2], order);
    CHECK_CLOSE("order", order, 2, 0.01);
    CU_ASSERT(fabs(error[0]) > 1e-5);
  }
}

/* The trapezoidal rule to rounding, also where the rate is no linear function of the state; and the drive bears what a force makes of one. */
static void test_driven_rule(void) {
  const double h = 0.1, T = 0.2;
  enum { STEPS = 7 };
  double x = 0.3, y = 0, u = 0;
  for (int k = 1; k <= STEPS; k++) {
    const double next = sin(3 * h * k), x_ = x, y_ = y;
    x = (x * (1 - h / 2 / T) + h / 2 * (u + next) / T) / (1 + h / 2 / T);
    for (int it = 0; it < 20; it++) {
      const double left = y - y_ - h / 2 * (x_ - y_ * y_ * y_ + x - y * y * y);
      y -= left / (1 + h / 2 * 3 * y * y);
    }
    u = next;
  }
  CHECK_CLOSE("x", driven_after("x", h, STEPS), x, 1e-14);
  CHECK_CLOSE("y", driven_after("y", h, STEPS), y, 1e-14);
  CHECK_CLOSE("y.rate", driven_after("y.rate", h, STEPS), x - y * y * y, 1e-14);
  CHECK_CLOSE("drive", driven_after("crank.drive_force", h, STEPS), 0.5 * -9 * u - 3 * x, 1e-13);
  CHECK_CLOSE("start", driven_after("x.rate", h, 0), -0.3 / T, 1e-15);
}

/* ---- states that measure: the angle has the acceleration sin(3 t) ---- */

static const char measured[] =
    "[force motor]\ntype = expression\ncoordinate = turn.angle\nvalue = J*sin(3*time)\n"
    "[state a]\nrate = (turn.angle.acceleration - a)/T\nstart = 0.3\n"
    "[state y]\nrate = (turn.angle.rate - y)/T\nstart = -0.06\n[quantity same]\nvalue = (turn.angle.rate - y)/T\n"
    "[state heat]\nrate = turn.angle.acceleration^2 - a*heat\nstart = 0.1\n"
    "[state spent]\nrate = motor.power\n";

static double measured_after(const char *name, const mbd_case *c) {
  test_model q = model_open_parts(shaft, measured);
  const double y = value_after(&q, c, name, (int)(c->duration / c->step + 0.5));
  model_close(&q);
  return y;
}

/* The trapezoidal rule on the accelerations of the nodes, whatever the step to them is. */
static void test_measured_rule(void) {
  const double h = 0.05, T = 0.2;
  enum { STEPS = 16 };
  double a = 0.3, heat = 0.1, u = 0;
  int combinations = 0;
  for (int k = 1; k <= STEPS; k++) {
    const double next = sin(3 * h * k), a_ = a;
    a = (a * (1 - h / 2 / T) + h / 2 * (u + next) / T) / (1 + h / 2 / T);
    heat = (heat + h / 2 * (u * u - a_ * heat + next * next)) / (1 + h / 2 * a);
    u = next;
  }
  for (int f = 0; mbd_formulation_name(f); f++) {
    for (int i = 0; mbd_integrator_name(i); i++) {
      for (int natural = 0; natural < 2; natural++) {
        mbd_case c = case_lasting(h * STEPS, h);
        c.formulation = mbd_formulation_name(f), c.integrator = mbd_integrator_name(i), c.tolerance = 1e-12;
        c.coordinates = natural ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT;
        test_model q = model_open_parts(shaft, measured);
        mbd_error err = {0};
        mbd_sim *s;
        const mbd_status status = mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err);
        mbd_sim_destroy(s), model_close(&q);
        if (status != MBD_OK) { continue; }
        CHECK_CLOSE(c.formulation, measured_after("a", &c), a, 1e-12);
        CHECK_CLOSE(c.integrator, measured_after("heat", &c), heat, 1e-12);
        CHECK_CLOSE("rate", measured_after("a.rate", &c), (u - a) / T, 1e-11);
        combinations++;
      }
    }
  }
  printf("\n  %d combinations", combinations);
  CU_ASSERT(combinations >= 10);
}

/* Of order two against closed forms, and the same as the filter of the velocity, to rounding, where steps follow the trapezoidal rule as well. */
static void test_measured(void) {
  const double T = 0.2, w = 3, t = 0.8, wT = w * T;
  const double filtered = (sin(w * t) - wT * cos(w * t) + wT * exp(-t / T)) / (1 + wT * wT) + 0.3 * exp(-t / T);
  const double speed = (1 - cos(w * t)) / w; /* so the work is J speed^2/2 */
  static const char *const name[] = {"a", "spent"};
  const double exact[] = {filtered, 0.25 * speed * speed};
  for (int i = 0; i < 2; i++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      const mbd_case c = case_lasting(t, 0.02 / (1 << k));
      error[k] = measured_after(name[i], &c) - exact[i];
      CHECK_CLOSE("filter of the velocity", measured_after("a", &c), measured_after("same", &c), 1e-13);
    }
    const double order = log2(error[1] / error[2]);
    printf("\n  %s, measured: errors %.2e %.2e %.2e, order %.3f", name[i], error[0], error[1], error[2], order);
    CHECK_CLOSE("order", order, 2, 0.02);
    CU_ASSERT(fabs(error[0]) > 1e-7);
  }
}

/* In a kinematic case drives are measured, too: the heat of a motor by its torque 0.5 u'' - 3 x (test_driven_rule). */
static void test_measured_drive(void) {
  const double h = 0.1, T = 0.2;
  enum { STEPS = 7 };
  char text[2000], sections[2000];
  edit(text, sizeof text, shaft, "[start]\nhold.turn.angle = 0\n", "");
  snprintf(sections, sizeof sections, "%s[state heat]\nrate = crank.drive_force^2 - heat\nstart = 2\n", driven);
  double x = 0.3, heat = 2, torque = -3 * x, u = 0;
  for (int k = 1; k <= STEPS; k++) {
    const double next = sin(3 * h * k), before = torque;
    x = (x * (1 - h / 2 / T) + h / 2 * (u + next) / T) / (1 + h / 2 / T);
    torque = 0.5 * -9 * next - 3 * x;
    heat = (heat * (1 - h / 2) + h / 2 * (before * before + torque * torque)) / (1 + h / 2);
    u = next;
  }
  test_model q = model_open_parts(text, sections);
  mbd_case c = case_lasting(h * STEPS, h);
  c.analysis = "kinematic";
  CHECK_CLOSE("heat", value_after(&q, &c, "heat", STEPS), heat, 1e-12);
  model_close(&q);
}

/* Small motions: T m' = acceleration - m, with the acceleration -6 speed + 16 error of test_matrix. */
static void test_measured_matrix(void) {
  static const double A[4][4] = {{0, 1, 0, 0}, {0, -6, 16, 0}, {0, -1, 0, 0}, {0, -30, 80, -5}};
  char sections[2000];
  snprintf(sections, sizeof sections, "%s[state m]\nrate = (turn.angle.acceleration - m)/T\n", control);
  test_model q = model_open_parts(shaft, sections);
  const mbd_case c = case_lasting(1, 0.1);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_linear l;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_linearize(s, q.p, &l, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    for (int i = 0; i < 16; i++) { CHECK_CLOSE("matrix", l.A[i], A[i / 4][i % 4], 1e-12); }
    mbd_linear_free(&l);
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* In a start from equilibrium they begin as in any other. */
static void test_measured_start(void) {
  static const char sections[] =
      "[force spring]\ntype = torsion_spring\ncoordinate = turn.angle\nstiffness = 20\ndamping = 1\n"
      "[force load]\ntype = expression\ncoordinate = turn.angle\nvalue = 5\n"
      "[state m]\nrate = turn.angle.acceleration + 3 - m\n[state n]\nrate = m - n\nstart = 0.4\n";
  char text[4000];
  edit(text, sizeof text, shaft, "[start]\nhold.turn.angle = 0\n",
       "[start]\nhold.turn.angle = 0.1\nsettle = turn.angle\n");
  test_model q = model_open_parts(text, sections);
  mbd_case c = case_lasting(1, 0.1);
  c.start = MBD_START_EQUILIBRIUM;
  CHECK_CLOSE("angle", value_after(&q, &c, "turn.angle", 0), 0.25, 1e-12);
  CHECK_CLOSE("m", value_after(&q, &c, "m", 0), 0, 1e-15);
  CHECK_CLOSE("m.rate", value_after(&q, &c, "m.rate", 0), 3, 1e-11);
  CHECK_CLOSE("n", value_after(&q, &c, "n", 0), 0.4, 1e-15);
  CHECK_CLOSE("n.rate", value_after(&q, &c, "n.rate", 0), -0.4, 1e-15);
  model_close(&q);
}

static void check_not_measured(const char *key, const mbd_case *c, const char *message) {
  test_model q = model_open_parts(shaft, measured);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_status status = mbd_sim_create(q.m, c, q.o, 0, NULL, 0, 0, &s, &err);
  if (status == MBD_OK) {
    const mbd_adjoint_options o = {.continuous = 1};
    status = mbd_sim_adjoint(s, q.p, &o, NULL, NULL, NULL, NULL, &err);
  }
  CU_ASSERT_EQUAL(status, MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, key);
  CHECK_CONTAINS(err.text, message);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_measured_refused(void) {
  mbd_case c = case_lasting(1, 0.1);
  check_not_measured("state 'a' measures", &c, "gradient method discrete_adjoint or direct");
  c.analysis = "static";
  check_not_measured("analysis = static", &c, "state 'a' measures accelerations or reactions in time");
  c = case_lasting(1, 0.1);
  c.formulation = "matrix_r", c.integrator = "dormand_prince";
  check_not_measured("integrator = dormand_prince", &c, "state 'a' measures accelerations or reactions at the nodes");
}

/* ---- messages ---- */

static void check_message(const char *sections, const char *message) {
  char text[6000];
  mbo_model_file *file;
  mbd_model *m = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, shaft, "", sections);
  mbd_status status = read_model(text, &file, &err);
  if (status == MBD_OK) { status = mbd_model_create(mbo_model_file_spec(file), &m, &err); }
  CU_ASSERT(status < 0);
  CHECK_CONTAINS(err.text, message);
  mbd_model_destroy(m), mbo_model_file_destroy(file);
}

static void test_messages(void) {
  check_message("[state x]\nstart = 1\n", "[state x] key 'rate' is missing");
  check_message("[state x]\nrate = -x\nstrat = 1\n", "'strat'");
  check_message("[state error]\nrate = -eror\n", "did you mean 'error'?");
  check_message("[state x]\nrate = -x.rate\n",
                "state 'x': 'x.rate' is the rate of a state, which follows at the same instant as accelerations do");
  check_message("[state x]\nrate = turn.angle.acceleration + x.rate\n", "state 'x': 'x.rate' is the rate of a state");
  check_message("[state x]\nrate = turn.angle.acceleration\nunit = m/s\n",
                "state 'x': its value is in s^-2, expected m/s/s");
  check_message("[state x]\nrate = turn.angle\nunit = m\n", "state 'x': its value is in no unit, expected m/s");
  check_message("[state x]\nrate = 1\n[force s]\ntype = torsion_spring\ncoordinate = x\nstiffness = 1\n",
                "force 's': 'x' is a state, expected a coordinate");
  check_message(
      "[state x]\nrate = 1\n[quantity y]\nvalue = x.force\n[force f]\ntype = expression\ncoordinate = "
      "turn.angle\nvalue = y\n",
      "state 'x' has no quantity 'force', expected one of: rate");
  check_message("[state x]\nrate = 1\n[quantity x]\nvalue = 1\n", "quantity 'x' has the name of a state");
  check_message("[state rotor]\nrate = 1\n", "the name 'rotor' is used for a state and for a body");
  check_message("[state wish]\nrate = -wish\n", "'wish' is a scalar and a quantity, state or coordinate");
}

static void test_undetermined(void) {
  test_model q = model_open_parts(shaft, "[state x]\nrate = wish - turn.angle.rate\n");
  mbd_case c = case_lasting(1, 0.1);
  mbd_error err = {0};
  mbd_sim *s;
  c.start = MBD_START_EQUILIBRIUM;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  CU_ASSERT(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err) > 0);
  CHECK_CONTAINS(err.text, "nothing determines state 'x' there: its rate has to be zero");
  CHECK_CONTAINS(err.text, "expected start = VALUE in [state x]");
  mbd_sim_destroy(s), model_close(&q);
}

/* ---- a state that is faster than the steps, which newmark makes ring ---- */

static void check_fast(const char *integrator, double h, int expected) {
  test_model q = model_open_parts(shaft, lag); /* T = 0.2 s */
  mbd_case c = case_lasting(4, h);
  mbd_error err = {0};
  mbd_sim *s;
  c.integrator = integrator;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, NULL, NULL, &err), &err);
  int warned = 0;
  for (int i = 0; mbd_sim_warning(s, i); i++) {
    warned |= strstr(mbd_sim_warning(s, i)->text, "state 'x' has a time constant of 0.2 s at the start") != NULL;
  }
  CU_ASSERT_EQUAL(warned, expected);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_fast(void) {
  check_fast("newmark", 0.5, 1);
  check_fast("newmark", 0.25, 0);
  check_fast("generalized_alpha", 0.5, 0);
}

/* ---- powers of forces: a battery of the charge c, which the motor empties and which limits it, and a loss ---- */

static const char battery[] =
    "[force motor]\ntype = expression\ncoordinate = turn.angle\nvalue = kp*(wish - turn.angle.rate)*charge/5\n"
    "[force loss]\ntype = expression\nbodies = ground, rotor\naxis = k\nvalue = -0.25*motor.power\n"
    "[state charge]\nrate = -motor.power - 0.2*motor.power^2\nstart = 4\nunit = J\n";

/* M = 3 (2 - 1.5) 4/5 = 1.2, P = M w = 1.8. */
static void test_powers(void) {
  char turning[2000];
  edit(turning, sizeof turning, shaft, "hold.turn.angle = 0\n", "hold.turn.angle = 0\nrate.turn.angle = 1.5\n");
  test_model q = model_open_parts(turning, battery);
  CHECK_CLOSE("motor", value_now(&q, "motor.force"), 1.2, 1e-14);
  CHECK_CLOSE("loss", value_now(&q, "loss.torque"), -0.45, 1e-14);
  CHECK_CLOSE("power of the loss", value_now(&q, "loss.power"), -0.45 * 1.5, 1e-14);
  CHECK_CLOSE("acceleration", value_now(&q, "turn.angle.acceleration"), (1.2 - 0.45) / 0.5, 1e-12);
  CHECK_CLOSE("charge", value_now(&q, "charge.rate"), -1.8 - 0.2 * 1.8 * 1.8, 1e-14);
  model_close(&q);
}

TEST_MAIN(TEST(test_lag), TEST(test_trapezoidal_rule), TEST(test_step_response), TEST(test_energy), TEST(test_matrix),
          TEST(test_equilibrium), TEST(test_unstable_equilibrium), TEST(test_driven), TEST(test_driven_rule),
          TEST(test_measured_rule), TEST(test_measured), TEST(test_measured_drive), TEST(test_measured_matrix),
          TEST(test_measured_start), TEST(test_measured_refused), TEST(test_messages), TEST(test_undetermined),
          TEST(test_fast), TEST(test_powers))
