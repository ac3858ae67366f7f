/* Modes as numbers in values: frequencies, damping ratios and real parts by hand with their derivatives, modes followed across a crossing and over load
 * cases, the smooth maximum, double eigenvalues, messages. */
#include "files/json.h"
#include "mechanism/cases.h"
#include "mechanism/warnings.h"
#include "opened_run.h"

/* Two masses of 1 kg, each by itself on a spring and a damper. */
static const char model[] =
    "schema = 1\n[model]\nname = two\ngravity = 0, 0, 0\njoints = named\n[scalars]\nka = 4\nca = 0.4\nkb = 25\ncb = "
    "0.2\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, a, b\n"
    "[body a]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body b]\nmass = 1\ncom = 0, 1, 0\ninertia = 1, 1, 1\n"
    "[joint ja]\ntype = prismatic\nbodies = ground, a\naxis = x\n[joint jb]\ntype = prismatic\nbodies = ground, "
    "b\naxis = x\n"
    "[force fa]\ntype = torsion_spring\ncoordinate = ja.distance\nstiffness = ka\ndamping = ca\n"
    "[force fb]\ntype = torsion_spring\ncoordinate = jb.distance\nstiffness = kb\ndamping = cb\n";

#define HEAD "schema = 1\n[model]\nfile = MODEL\n"
#define CASE "[case c]\nduration = 1\nstep = 0.1\n"
#define SHOWN                                                                                                     \
  "[objective f]\nvalue = m.frequency\n[objective d]\nvalue = m.damping_ratio\nweight = 0\n[objective r]\nvalue " \
  "= 2*m.real + ka\nweight = 0\n"

static const char *const methods[] = {"auto", "direct", "discrete_adjoint", "complex_step"};

/* The mass a: w^2 = k, zeta = c/(2 sqrt k). */
static void test_by_hand(void) {
  opened_run r = run_open_texts(model, HEAD "[design ka]\n[design ca]\n" CASE "[mode m]\nnear = 0.3\n" SHOWN, 0, NULL);
  const double k = 9, c = 0.6, x[] = {k, c}, wd = sqrt(k - c * c / 4), pi = acos(-1);
  for (int i = 0; i < 4; i++) {
    if (!run_evaluate_modes(&r, x, methods[i])) { return; }
    const double *g = r.m->grad;
    CHECK_CLOSE("frequency", r.m->psi[0], wd / (2 * pi), 1e-14);
    CHECK_CLOSE("damping ratio", r.m->psi[1], c / (2 * sqrt(k)), 1e-14);
    CHECK_CLOSE("real", r.m->psi[2], -c + k, 1e-13);
    CHECK_CLOSE("frequency'", g[0], 1 / (2 * wd) / (2 * pi), 1e-14);
    CHECK_CLOSE("frequency'", g[1], -c / 4 / wd / (2 * pi), 1e-14);
    CHECK_CLOSE("damping ratio'", g[2], -c / (4 * k * sqrt(k)), 1e-14);
    CHECK_CLOSE("damping ratio'", g[3], 1 / (2 * sqrt(k)), 1e-14);
    CHECK_CLOSE("real'", g[4], 1, 1e-13);
    CHECK_CLOSE("real'", g[5], -1, 1e-13);
  }
  /* along a direction, and transposed */
  const double w[] = {0.3, -2}, of[] = {1, 2, 3};
  double dpsi[3], g[2];
  mbd_error err = {0};
  must(mechanism_jvp(r.m, x, w, NULL, dpsi, &err), &err);
  must(mechanism_vjp(r.m, x, of, NULL, g, &err), &err);
  CHECK_CLOSE("products", dpsi[0] + 2 * dpsi[1] + 3 * dpsi[2], g[0] * w[0] + g[1] * w[1], 1e-13);
  run_close(&r);
}

/* Two equal arms of point masses: w^2 = (2 -+ sqrt 2) g/l. */
static void test_double_pendulum(void) {
  static const char pendulum[] =
      "schema = 1\n[model]\nname = two\ngravity = 0, 0, -g\njoints = named\n[scalars]\ng = 9.81\nl = 0.8\n"
      "[body a]\nmass = 2\ncom = 0, 0, -l\ninertia = 0, 0, 0\n[body b]\nmass = 2\ncom = 0, 0, -2*l\ninertia = 0, 0, 0\n"
      "[point A]\nat = 0, 0, 0\nbodies = ground, a\n[point B]\nat = 0, 0, -l\nbodies = a, b\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = ground, a, b\n"
      "[joint ja]\ntype = revolute\nbodies = ground, a\npoint = A\naxis = y\n"
      "[joint jb]\ntype = revolute\nbodies = a, b\npoint = B\naxis = y\n";
  opened_run r = run_open_texts(pendulum,
                                HEAD "[design g]\n[design l]\n" CASE
                                     "[mode slow]\nnear = 0\n[mode fast]\nnear = 2\n[objective s]\nvalue = "
                                     "slow.frequency\n[objective f]\nvalue = fast.frequency\n",
                                0, NULL);
  const double g = 9.81, l = 0.8, pi = acos(-1), x[] = {g, l};
  for (int i = 0; i < 4; i++) {
    if (!run_evaluate_modes(&r, x, methods[i])) { return; }
    for (int k = 0; k < 2; k++) {
      const double f = sqrt((2 + (k ? 1 : -1) * sqrt(2)) * g / l) / (2 * pi);
      CHECK_CLOSE("frequency", r.m->psi[k], f, 1e-13);
      CHECK_CLOSE("by g", r.m->grad[2 * k], f / (2 * g), 1e-13);
      CHECK_CLOSE("by l", r.m->grad[2 * k + 1], -f / (2 * l), 1e-13);
    }
  }
  run_close(&r);
}

/* The mode of a stays that of a where it has become the faster one; also on the way through equal eigenvalues. */
static void test_crossing(void) {
  opened_run r = run_open_texts(model, HEAD "[design ka]\n" CASE "[mode m]\nnear = 0.3\n" SHOWN, 0, NULL);
  static const double stiffness[] = {4, 16, 24.9, 25, 26, 100};
  for (int i = 0; i < 6; i++) {
    if (!run_evaluate_modes(&r, &stiffness[i], "auto")) { return; }
    CHECK_CLOSE("of a", r.m->psi[0], sqrt(stiffness[i] - 0.04) / (2 * acos(-1)), 1e-13);
    CHECK_CLOSE("of a'", r.m->grad[0], 1 / (2 * sqrt(stiffness[i] - 0.04)) / (2 * acos(-1)), 1e-13);
    json_t *warnings = warnings_json(r.m); /* two modes that do not know of each other */
    CU_ASSERT_EQUAL(json_array_size(warnings), 0);
    json_decref(warnings);
  }
  run_close(&r);
}

/* The largest real part of all modes, of which a pair counts twice: by hand, also where two are equal. */
static void test_largest(void) {
  opened_run r = run_open_texts(model,
                                HEAD "[design ca]\n[design cb]\n" CASE
                                     "[mode all]\nsharpness = 3\n[objective o]\nvalue = all.largest_real\n",
                                0, NULL);
  static const double dampings[][2] = {{0.4, 0.2}, {0.3, 0.3}, {0.1, 0.7}};
  for (int i = 0; i < 3; i++) {
    const double *x = dampings[i], a = exp(-3 * x[0] / 2), b = exp(-3 * x[1] / 2);
    for (int k = 0; k < 4; k++) {
      if (!run_evaluate_modes(&r, x, methods[k])) { return; }
      CHECK_CLOSE("largest", r.m->psi[0], log(2 * a + 2 * b) / 3, 1e-14);
      CHECK_CLOSE("largest'", r.m->grad[0], -a / (a + b) / 2, 1e-14);
      CHECK_CLOSE("largest'", r.m->grad[1], -b / (a + b) / 2, 1e-14);
    }
  }
  run_close(&r);
}

/* Beside critical damping, k = 1, c = 2 + e: lam = -c/2 +- s, s^2 = c^2/4 - 1. Each derivative is large, and a warning says so; that of the smooth maximum
 * -c/2 + ln(2 cosh(p s))/p is not. At c = 2 there is none. */
static void test_double(void) {
  static const char *const set[] = {"scalars.kb=900", "scalars.ka=1", "scalars.ca=2.01", "scalars.cb=80"};
  opened_run r = run_open_texts(model,
                                HEAD "[scalars]\nkb = 25\n[design ca]\nlower = 0\n" CASE
                                     "[mode m]\nnear = 0\nnear_real = -0.9\n[mode all]\nsharpness = 2\n"
                                     "[objective o]\nvalue = all.largest_real\n[objective s]\nvalue = m.real\n",
                                4, set);
  const double c = 2 + 1e-5, s = sqrt(c * c / 4 - 1), p = 2;
  const double b = exp(p * (-40 + sqrt(700.0))) + exp(p * (-40 - sqrt(700.0))), a = 2 * exp(-p * c / 2) * cosh(p * s);
  if (!run_evaluate_modes(&r, &c, "auto")) { return; }
  CHECK_CLOSE("slow one", r.m->psi[1], -c / 2 + s, 1e-10);
  CHECK_CLOSE("slow one'", r.m->grad[1], -0.5 + c / (4 * s), 1e-5 * c / (4 * s));
  CHECK_CLOSE("largest", r.m->psi[0], log(a + b) / p, 1e-10);
  CHECK_CLOSE("largest'", r.m->grad[0], a / (a + b) * (-0.5 + p * c / 4 * tanh(p * s) / (p * s)), 1e-7);
  json_t *warnings = warnings_json(r.m);
  CU_ASSERT_EQUAL_FATAL(json_array_size(warnings), 1);
  CHECK_CONTAINS(json_text_in(json_array_get(warnings, 0), "text"), "mode 'm', -0.99");
  CHECK_CONTAINS(json_text_in(json_array_get(warnings, 0), "text"), "is near another one");
  json_decref(warnings);
  const double critical = 2;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, &critical, "auto", &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "of case 'c' has no derivative: it is a double one with one vector");
  must(mechanism_evaluate(r.m, &critical, "none", &err), &err);
  CHECK_CLOSE("value without derivative", r.m->psi[1], -1, 1e-7);
  run_close(&r);
}

/* Over load cases of another stiffness: the mode of a in each of them, though that of b is nearer to the frequency of the section in the last. */
static void test_over_cases(void) {
  opened_run r = run_open_texts(
      model,
      HEAD
      "[design ca]\n[case s{i}]\nrepeat = i from 0 to 4\nduration = 1\nstep = 0.1\nscalar.ka = 4 + 12*{i}\n"
      "[mode m]\ncase = s{i from 0 to 4}\nnear = 0.3\nsharpness = 10\n"
      "[objective f]\nvalue = m.s4.frequency\n[objective d]\nvalue = m.s1.damping_ratio\n[objective l]\nvalue = "
      "m.largest_real\n",
      0, NULL);
  const double c = 0.5;
  if (!run_evaluate_modes(&r, &c, "auto")) { return; }
  CHECK_CLOSE("frequency", r.m->psi[0], sqrt(52 - c * c / 4) / (2 * acos(-1)), 1e-13);
  CHECK_CLOSE("damping ratio", r.m->psi[1], c / 8, 1e-14);
  CHECK_CLOSE("largest", r.m->psi[2], -c / 2 + log(5) / 10, 1e-14);
  CHECK_CLOSE("largest'", r.m->grad[2], -0.5, 1e-14);
  run_close(&r);
}

/* ---- messages ---- */

static void check_message_of(const char *of, const char *run, const char *part) {
  mbo_run_config *c = NULL;
  mechanism *m = NULL;
  mbd_error err = {0};
  mbd_status status = run_read_texts(of, run, 0, NULL, &c, &err);
  if (status == MBD_OK) {
    opened_run r = {0};
    char model_path[40], run_path[40];
    mbo_run_config_destroy(c);
    run_write_texts(of, run, model_path, run_path);
    must(mbo_run_config_read(run_path, 0, NULL, &r.config, &err), &err);
    status = mechanism_create(r.config, &m, &err);
    if (status == MBD_OK) {
      double psi[4];
      status = mechanism_values(m, m->start, psi, &err);
      mechanism_destroy(m);
    }
    unlink(model_path), unlink(run_path);
    mbo_run_config_destroy(r.config);
  }
  if (status == MBD_NOT_BUILT_IN) { return; }
  CU_ASSERT_NOT_EQUAL(status, MBD_OK);
  CHECK_CONTAINS(err.text, part);
}

static void check_message(const char *run, const char *part) {
  check_message_of(model, run, part);
}

static void test_messages(void) {
  char moving[2000];
  edit(moving, sizeof moving, model, "", "[start]\nhold.ja.distance = 0.1\n");
  check_message_of(moving, HEAD CASE "[mode m]\nnear = 1\n[objective o]\nvalue = m.real\n",
                   "a mode is followed from the start of the run file: case 'c': modes are those of a steady motion, "
                   "but at the start "
                   "ja.distance accelerates by 0.4; expected start = equilibrium");
  check_message(HEAD CASE "[mode m]\nnear = 1\n[objective o]\nvalue = m.frequenzy\n",
                "[objective o] value = m.frequenzy: 'm.frequenzy' is no number of [mode m], expected m.real, "
                ".frequency or .damping_ratio, or m.largest_real");
  check_message(HEAD CASE "[mode m]\n[objective o]\nvalue = m.frequency\n",
                "'m.frequency' is no number of [mode m], which is all modes of its cases: expected m.largest_real, or "
                "near = FREQUENCY");
  check_message(HEAD CASE "[mode m]\ncase = d\nnear = 1\n",
                "[mode m] case = d: case 'd' is not known, did you mean 'c'?");
  check_message(HEAD CASE "[mode m]\ncase = c, c\nnear = 1\n", "case 'c' is there twice, expected it once");
  check_message(HEAD "[case c]\nduration = 1\nstep = 0.1\n[case d]\nduration = 1\nstep = 0.1\n[mode m]\nnear = 1\n",
                "[mode m] key 'case' is missing: there are 2 cases");
  check_message(
      HEAD "[case c]\nduration = 1\nstep = 0.1\nanalysis = static\n[mode m]\nnear = 1\n[objective o]\nvalue = m.real\n",
      "[mode m] case 'c' has analysis = static, expected motion, with start = equilibrium");
}

TEST_MAIN(TEST(test_by_hand), TEST(test_double_pendulum), TEST(test_crossing), TEST(test_largest), TEST(test_double),
          TEST(test_over_cases), TEST(test_messages))
