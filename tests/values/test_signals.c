/* Curves in expressions: their values, slopes and second derivatives at a state, in quantities, forces and rates, against formulas written out
 * here; of outputs that no force may read; replaced by a load case, mapped by a part, and in a file in millimetres. */
#include "opened_run.h"
#include "values.h"

static const char shaft[] =
    "schema = 1\n[model]\nname = shaft\njoints = named\n[scalars]\nv = 2\nJ = 0.5\nahead = 0.3\nc0 = 1.5\n"
    "[body rotor]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, J\n[point O]\nat = 0, 0, 0\nbodies = ground, rotor\n"
    "[vector k]\nalong = 0, 0, 1\nbodies = ground, rotor\n"
    "[joint turn]\ntype = revolute\nbodies = ground, rotor\npoint = O\naxis = k\n"
    "[start]\nhold.turn.angle = 0\n"
    "[curve path]\ntype = polynomial\ncoefficients = c0, -2, 0.5, 0.25\n"
    "[curve wave]\ntype = harmonic\ncoefficients = 0.2, 3, 1.5, 0.4\nstretch = 2\n"
    "[state s]\nrate = v\nstart = 0.5\n"; /* so that s = 0.5 + 2 t, by newmark without error */

static double path(double x, int order) {
  return order == 0 ? 1.5 - 2 * x + 0.5 * x * x + 0.25 * x * x * x : order == 1 ? -2 + x + 0.75 * x * x : 1 + 1.5 * x;
}

/* 0.2 + 3 sin(1.5 u + 0.4), u = x/2 */
static double wave(double x, int order) {
  const double w = 0.75, a = w * x + 0.4;
  return order == 0 ? 0.2 + 3 * sin(a) : order == 1 ? 3 * w * cos(a) : -3 * w * w * sin(a);
}

static const char quantities[] =
    "[quantity y]\ncurve = path\nvalue = s + ahead\n"
    "[quantity heading]\ncurve = path\nvalue = s + ahead\nderivative = 1\n"
    "[quantity bend]\ncurve = path\nvalue = s + ahead\nderivative = 2\n"
    "[quantity gain]\ncurve = wave\nvalue = y*0.3\n" /* a curve at a curve */
    "[quantity slope]\ncurve = wave\nvalue = s\nderivative = 1\n"
    "[quantity jolt]\ncurve = wave\nvalue = time\nderivative = 2\n"
    "[quantity late]\ncurve = path\nvalue = turn.angle.acceleration\n"
    "[quantity many]\nvalue = y + 2*heading + 3*bend + gain + slope + jolt\n"
    "[force motor]\ntype = expression\ncoordinate = turn.angle\nvalue = y*heading - gain + 0.1*bend\n"
    "[state i]\nrate = jolt - i\n";

static void test_values(void) {
  test_model q = model_open_parts(shaft, quantities);
  const mbd_case c = case_lasting(0.5, 0.05);
  for (int k = 0; k < 10; k += 4) {
    const double t = 0.05 * k, s = 0.5 + 2 * t, x = s + 0.3;
    const double y = path(x, 0), heading = path(x, 1), bend = path(x, 2), gain = wave(0.3 * y, 0);
    const double torque = y * heading - gain + 0.1 * bend;
    CHECK_CLOSE("y", value_after(&q, &c, "y", k), y, 1e-12);
    CHECK_CLOSE("heading", value_after(&q, &c, "heading", k), heading, 1e-12);
    CHECK_CLOSE("bend", value_after(&q, &c, "bend", k), bend, 1e-12);
    CHECK_CLOSE("gain", value_after(&q, &c, "gain", k), gain, 1e-12);
    CHECK_CLOSE("slope", value_after(&q, &c, "slope", k), wave(s, 1), 1e-12);
    CHECK_CLOSE("jolt", value_after(&q, &c, "jolt", k), wave(t, 2), 1e-12);
    CHECK_CLOSE("many", value_after(&q, &c, "many", k), y + 2 * heading + 3 * bend + gain + wave(s, 1) + wave(t, 2),
                1e-12);
    CHECK_CLOSE("motor", value_after(&q, &c, "motor.force", k), torque, 1e-12);
    CHECK_CLOSE("late", value_after(&q, &c, "late", k), path(torque / 0.5, 0), 1e-10);
    const double i = value_after(&q, &c, "i", k);
    CHECK_CLOSE("rate", value_after(&q, &c, "i.rate", k), wave(t, 2) - i, 1e-12);
  }
  model_close(&q);
}

/* ---- curves by an expression: driven coordinates, forces over time, scalars that vary ---- */

/* The shaft follows a sin(w t) + b t^2, so that its motor needs J (2 b - a w^2 sin(w t)). */
static void test_driven(void) {
  char free_start[4000];
  edit(free_start, sizeof free_start, shaft, "[start]\nhold.turn.angle = 0\n", "");
  test_model q = model_open_parts(free_start,
                                  "[curve motion]\ntype = expression\nvalue = ahead*sin(v*x) + J*x^2\n"
                                  "[constraint drive]\ntype = driven_coordinate\ncoordinate = turn.angle\n"
                                  "motion = motion\n");
  const mbd_case c = case_lasting(0.5, 0.05);
  const double a = 0.3, w = 2, b = 0.5;
  for (int k = 0; k < 10; k += 4) {
    const double t = 0.05 * k;
    CHECK_CLOSE("angle", value_after(&q, &c, "turn.angle", k), a * sin(w * t) + b * t * t, 1e-12);
    CHECK_CLOSE("rate", value_after(&q, &c, "turn.angle.rate", k), a * w * cos(w * t) + 2 * b * t, 1e-11);
    CHECK_CLOSE("motor", value_after(&q, &c, "drive.drive_force", k), 0.5 * (2 * b - a * w * w * sin(w * t)), 1e-9);
  }
  model_close(&q);
}

/* ---- integral(...): states that start at zero ---- */

static void test_integrals(void) {
  test_model q = model_open_parts(shaft,
                                  "[quantity way]\nvalue = ahead + 2*integral(v*(1 + 0)) - integral(3*integral(v))\n"
                                  "[force motor]\ntype = expression\ncoordinate = turn.angle\n"
                                  "value = 4*integral((v - turn.angle.rate)*(2))\n");
  const mbd_case c = case_lasting(0.5, 0.05);
  double x = 0, y = 0; /* the trapezoidal rule: of 2 it is exact, and of 3*2 t as well */
  for (int k = 0; k < 10; k += 3) {
    const double t = 0.05 * k;
    x = 2 * t, y = 3 * t * t;
    CHECK_CLOSE("first", value_after(&q, &c, "way.integral", k), x, 1e-13);
    CHECK_CLOSE("second", value_after(&q, &c, "way.integral2", k), y, 1e-13);
    CHECK_CLOSE("inner", value_after(&q, &c, "way.integral3", k), x, 1e-13);
    CHECK_CLOSE("way", value_after(&q, &c, "way", k), 0.3 + 2 * x - y, 1e-13);
    CHECK_CLOSE("rate", value_after(&q, &c, "motor.integral.rate", k),
                2 * (2 - value_after(&q, &c, "turn.angle.rate", k)), 1e-12);
    CHECK_CLOSE("motor", value_after(&q, &c, "motor.force", k), 4 * value_after(&q, &c, "motor.integral", k), 1e-13);
  }
  CU_ASSERT_EQUAL(mbd_model_nstate(q.m), 5);
  model_close(&q);
}

/* ---- parts, load cases, millimetres ---- */

static const char outer[] =
    "schema = 1\n[model]\nname = two\njoints = named\n[scalars]\nu = 0.7\n"
    "[body rotor]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, rotor\n"
    "[vector k]\nalong = 0, 0, 1\nbodies = ground, rotor\n"
    "[joint turn]\ntype = revolute\nbodies = ground, rotor\npoint = O\naxis = k\n[start]\nhold.turn.angle = 0\n"
    "[curve A]\ntype = polynomial\ncoefficients = 1, 2\n[curve B]\ntype = polynomial\ncoefficients = 5, 7\n";

/* The curve of the part is its own, or one of the file that uses it. 0.4 m are 400 mm, at which 3 + 0.25*400 mm = 103 mm. */
static void test_parts(void) {
  static const char inner[] =
      "schema = 1\n[model]\nunits = mm\n[curve own]\ntype = polynomial\ncoefficients = 3, 0.25\n"
      "[quantity y]\ncurve = own\nvalue = 0.4\nunit = m\nargument_unit = m\n"
      "[quantity slope]\ncurve = own\nvalue = 0.4\nderivative = 1\nunit = -\nargument_unit = m\n"
      "[quantity other]\ncurve = given\nvalue = 2*u\n"
      "[curve law]\ntype = expression\nvalue = 3 + 0.25*x + x^2/1000\n" /* mm: 3 + 100 + 160 */
      "[quantity bent]\ncurve = law\nvalue = 0.4\nunit = m\nargument_unit = m\n"
      "[quantity sum]\nvalue = integral(y)\n";
  char path[] = "/tmp/mbopt_part_XXXXXX", text[4000], section[200];
  write_file(path, inner);
  snprintf(section, sizeof section, "[part p]\nfile = %s\ncurve.given = B\n", path);
  edit(text, sizeof text, outer, "", section);
  test_model q = model_open_parts(text, "");
  CHECK_CLOSE("mm", value_now(&q, "p.y"), 0.103, 1e-15);
  CHECK_CLOSE("mm", value_now(&q, "p.slope"), 0.25, 1e-15);
  CHECK_CLOSE("mm", value_now(&q, "p.bent"), 0.263, 1e-15);
  const mbd_case c = case_lasting(0.2, 0.1);
  CHECK_CLOSE("integral", value_after(&q, &c, "p.sum.integral", 1), 0.0103, 1e-15);
  CHECK_CLOSE("mapped", value_now(&q, "p.other"), 5 + 7 * 1.4, 1e-14);
  model_close(&q);
  unlink(path);
}

/* Quantities and states of a run file; a curve that the load case replaces, in those of the model as well. */
static void test_runs(void) {
  static const char *const of[] = {"own", "model_y", "lag", "total"};
  char model[4000], run[1000], model_path[40], run_path[40];
  double y[4];
  edit(model, sizeof model, outer, "", "[quantity model_y]\ncurve = A\nvalue = u\n");
  for (int k = 0; k < 2; k++) {
    snprintf(run, sizeof run,
             "schema = 1\n[model]\nfile = MODEL\n[quantity own]\ncurve = A\nvalue = u\nderivative = 1\n"
             "[state lag]\nrate = own\nstart = 2*u\n[quantity total]\nvalue = integral(own) + u\n"
             "[design u]\nlower = 0\nupper = 1\n[case c]\nduration = 0.2\nstep = 0.1\n%s",
             k ? "curve.A = B\n" : "");
    run_write_texts(model, run, model_path, run_path);
    FILE *in = fopen(run_path, "r");
    run[fread(run, 1, sizeof run - 1, in)] = '\0';
    fclose(in);
    run_to_end(run, 4, of, 0, NULL, y);
    CHECK_CLOSE("own", y[0], k ? 7 : 2, 1e-15);
    CHECK_CLOSE("model_y", y[1], k ? 5 + 7 * 0.7 : 1 + 2 * 0.7, 1e-15);
    CHECK_CLOSE("lag", y[2], 2 * 0.7 + 0.2 * (k ? 7 : 2), 1e-14);
    CHECK_CLOSE("total", y[3], 0.7 + 0.2 * (k ? 7 : 2), 1e-14);
    unlink(run_path), unlink(model_path);
  }
}

static void test_messages(void) {
  static const broken_case cases[] = {
      {"curve = A", "curve = C", "[quantity y] value = u: the model has no curve 'C', did you mean"},
      {"curve = A", "derivative = 1", "[quantity y] derivative = 1: belongs to a curve; expected the key 'curve'"},
      {"value = u", "value = u\nderivative = 3", "derivative = 3"},
      {"[quantity y]", "[curve D]\ntype = expression\nvalue = 2*zz\n[quantity y]",
       "[curve D] value = 2*zz: scalar 'zz' is not known"},
      {"[quantity y]", "[curve D]\ntype = expression\ncoefficients = 1\nvalue = 2\n[quantity y]",
       "[curve D] coefficients = 1: belongs to other types of curve; expected `value` alone"},
      {"[quantity y]", "[curve D]\ntype = polynomial\ncoefficients = 2*time\n[quantity y]",
       "scalar 'time' is not known; a function of time is a [curve NAME] of type expression"},
      {"[quantity y]", "[curve D]\ntype = expression\n[quantity y]", "key 'value' is missing"},
      {"value = u", "value = integral(2*zz)",
       "[quantity y] value = integral(2*zz): 'zz' is no scalar, quantity or output"},
      {"joints = named", "joints = named\nunits = mm", "where a [quantity] takes it, `unit` and `argument_unit` there"},
  };
  char model[4000], deep[1000] = "value = ";
  for (int i = 0; i < 51; i++) { strcat(deep, i % 10 == 9 ? "integral( \\\n  " : "integral("); } /* lines are short */
  strcat(deep, "1");
  for (int i = 0; i < 51; i++) { strcat(deep, ")"); }
  edit(model, sizeof model, outer, "", "[quantity y]\ncurve = A\nvalue = u\n");
  const broken_case nested = {"value = u", deep, "more than 50 of integral(...); expected sections [state NAME]"};
  check_broken_models(model, 1, &nested);
  check_broken_models(model, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN(TEST(test_values), TEST(test_driven), TEST(test_integrals), TEST(test_parts), TEST(test_runs),
          TEST(test_messages))
