/* Every form of an objective by hand, of a motion that is given: a carriage driven as y(t) = 0.3 + 0.5 sin(2 t + 0.4). Integrals
 * are sums of the trapezoidal rule over the nodes of Newmark's method; those that bend where s is zero, and quantiles, are taken of the
 * cubic polynomials between them. */
#include "values.h"

static const char carriage[] =
    "schema = 1\n[model]\nname = carriage\n[body carriage]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[vector rail]\nalong = 1, 0, 0\nbodies = ground, carriage\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, carriage\naxis = rail\n"
    "[curve swing]\ntype = harmonic\ncoefficients = 0.3, 0.5, 2, 0.4\n"
    "[curve path]\ntype = polynomial\ncoefficients = 0.1, -0.2, 0.3\n"
    "[constraint drive]\ntype = driven_coordinate\ncoordinate = slide.distance\nmotion = swing\n";

static double place(double t) {
  return 0.3 + 0.5 * sin(2 * t + 0.4);
}

static double speed(double t) {
  return cos(2 * t + 0.4);
}

static double path(double t) {
  return 0.1 - 0.2 * t + 0.3 * t * t;
}

static const char *const outputs[] = {"slide.distance", "slide.distance.rate"};

/* The values of n terms of the outputs above, npsi sums. */
static void simulate_text(const char *text, const char *integrator, double duration, double step, int n, mbd_term *term,
                          int npsi, double *psi) {
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(text);
  mbd_case c = case_lasting(duration, step);
  c.integrator = integrator;
  if (strcmp(integrator, "newmark") != 0) { c.formulation = "matrix_r"; }
  for (int i = 0; i < 2; i++) { CU_ASSERT_EQUAL(model_output(&q, outputs[i]), i); }
  must(mbd_sim_create(q.m, &c, q.o, n, term, npsi, 0, &s, &err), &err);
  for (int run = 0; run < 2; run++) { /* nothing is left of an earlier run */
    must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  }
  mbd_sim_destroy(s), model_close(&q);
}

static void simulate(double duration, double step, int n, mbd_term *term, int npsi, double *psi) {
  simulate_text(carriage, "newmark", duration, step, n, term, npsi, psi);
}

/* ---- one form ---- */

enum { STEPS = 9 };
static const double step = 0.1, duration = 0.9;

/* s: of the place, less 0.15 and less the path; or of the speed, less -0.35. At a time; at node k. */
static double error_then(int term, double t) {
  return term == 0 ? place(t) - 0.15 - path(t) : speed(t) + 0.35;
}

static double error_at(int term, int k) {
  return error_then(term, step * k);
}

/* Trapezoidal rule: half a step at both ends. */
static double weight_at(int k) {
  return k == 0 || k == STEPS ? step / 2 : step;
}

static const double smoothing = 0.2, sharpness = 3;

static double integral(int term) {
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) { sum += weight_at(k) * error_at(term, k); }
  return sum;
}

static double integral_square(int term) {
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) { sum += weight_at(k) * error_at(term, k) * error_at(term, k); }
  return sum;
}

/* The integral over the whole run itself, by the middles of small parts. */
enum { PARTS = 2000 };
static double exactly(double (*u)(double), int term) {
  double sum = 0;
  for (int k = 0; k < PARTS; k++) { sum += u(error_then(term, duration * (k + 0.5) / PARTS)) * duration / PARTS; }
  return sum;
}

static double square_above(double s) {
  return pow((s + hypot(s, smoothing)) / 2, 2);
}

static double size_from_zero(double s) {
  return hypot(s, smoothing) - smoothing;
}

static double integral_square_above(int n) {
  return exactly(square_above, 0) + (n > 1 ? exactly(square_above, 1) : 0);
}

static double integral_abs(int n) {
  return exactly(size_from_zero, 0) + (n > 1 ? exactly(size_from_zero, 1) : 0);
}

static double mean_square(int term) {
  return integral_square(term) / duration;
}

static double terminal(int term) {
  return error_at(term, STEPS);
}

static double same(double s) {
  return s;
}

static double mirrored(double s) {
  return -s;
}

static double size_of(double s) {
  return hypot(s, smoothing);
}

/* ln(mean of exp(p u(s)))/p, the mean over time and over the first n terms */
static double smooth_maximum(double (*u)(double), int n) {
  double sum = 0;
  for (int term = 0; term < n; term++) {
    for (int k = 0; k <= STEPS; k++) { sum += weight_at(k) * exp(sharpness * u(error_at(term, k))); }
  }
  return log(sum / (duration * n)) / sharpness;
}

static double peak(int n) {
  return smooth_maximum(same, n);
}

static double peak_abs(int n) {
  return smooth_maximum(size_of, n);
}

static double trough(int n) {
  return -smooth_maximum(mirrored, n);
}

static double range(int n) {
  return peak(n) - trough(n);
}

/* Of a vector: the root of the sum of its components' mean squares. */
static double rms(int n) {
  return sqrt(mean_square(0) + (n > 1 ? mean_square(1) : 0));
}

/* At the node t = 0.5. */
static double value_at(int n) {
  return error_at(0, 5) + (n > 1 ? error_at(1, 5) : 0);
}

static const double level = 0.3, width = 0.1;

static double looked_at; /* the value that a quantile may have */

static double below(double s) {
  return 1 / (1 + exp(-(looked_at - s) / width));
}

/* By bisection: the time below v, counted smoothly, is the level. */
static double quantile(int n) {
  double lo = -2, hi = 2;
  for (int i = 0; i < 40; i++) {
    looked_at = (lo + hi) / 2;
    const double time = exactly(below, 0) + (n > 1 ? exactly(below, 1) : 0);
    *(time < level * n * duration ? &lo : &hi) = looked_at;
  }
  return lo;
}

static const struct {
  const char *form;
  double (*value)(int term); /* of one term; of forms that are taken of all terms together, of the first n */
  int together;              /* 2: and of the polynomials between nodes, which differ from the motion */
} forms[] = {{"integral", integral, 0},
             {"integral_square", integral_square, 0},
             {"integral_abs", integral_abs, 2},
             {"mean_square", mean_square, 0},
             {"rms", rms, 1},
             {"terminal", terminal, 0},
             {"value_at", value_at, 1},
             {"peak", peak, 1},
             {"peak_abs", peak_abs, 1},
             {"trough", trough, 1},
             {"range", range, 1},
             {"quantile", quantile, 2},
             {"integral_square_above", integral_square_above, 2}};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* psi[0] of the first term alone, psi[1] of both: a weighted sum, or what is taken of both together. */
static void test_forms(void) {
  for (int i = 0; i < N_FORMS; i++) {
    const char *form = forms[i].form;
    const int together = forms[i].together;
    const double w[] = {1.7, together ? 1.7 : -0.6};
    mbd_term t[3];
    double psi[2];
    for (int k = 0; k < 3; k++) {
      const int term = k == 2;
      t[k] = (mbd_term){.psi = k > 0,
                        .output = term,
                        .form = form,
                        .weight = w[term],
                        .target = term ? -0.35 : 0.15,
                        .smoothing = smoothing,
                        .sharpness = sharpness,
                        .level = level,
                        .width = width,
                        .target_curve = term ? NULL : "path"};
      if (mbd_form_find(form)->needs & MBD_NEEDS_AT) { t[k].at = (mbd_moment){.kind = MBD_MOMENT_TIME, .value = 0.5}; }
    }
    simulate(duration, step, 3, t, 2, psi);
    const double one = w[0] * forms[i].value(together ? 1 : 0);
    const double both = together ? w[0] * forms[i].value(2) : one + w[1] * forms[i].value(1);
    const double near = together > 1 ? 2e-5 : 1e-13; /* largest seen: 1e-5, 4e-15 */
    CHECK_VALUE(forms[i].form, psi[0], one, near);
    CHECK_VALUE(forms[i].form, psi[1], both, near);
  }
}

/* Over one period of the swing, of length pi, the rule is exact: integral of y = 0.3 pi; of (y - 0.3)^2, 0.5^2/2 pi, whose
 * mean is 0.125. */
static void test_period(void) {
  const double pi = acos(-1);
  mbd_term t[] = {{.psi = 0, .form = "integral", .weight = 1},
                  {.psi = 1, .form = "integral_square", .weight = 1, .target = 0.3},
                  {.psi = 2, .form = "mean_square", .weight = 1, .target = 0.3},
                  {.psi = 3, .form = "terminal", .weight = 1}};
  double psi[4];
  simulate(pi, pi / 20, 4, t, 4, psi);
  CHECK_VALUE("integral", psi[0], 0.3 * pi, 1e-13);
  CHECK_VALUE("integral_square", psi[1], 0.125 * pi, 1e-13);
  CHECK_VALUE("mean_square", psi[2], 0.125, 1e-13);
  CHECK_VALUE("terminal", psi[3], place(0), 1e-13);
}

/* ---- windows, crossings, integrals over an output ---- */

/* y = (1 - t)^2 of the place, x = -2 (1 - t) of the speed: polynomials, which the histories interpolate without error. So y crosses 0.36
 * at t = 0.4, and x = -1 there where y = 0.25, at t = 0.5. */
static const char brake[] =
    "schema = 1\n[model]\nname = brake\n[body carriage]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[vector rail]\nalong = 1, 0, 0\nbodies = ground, carriage\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, carriage\naxis = rail\n"
    "[curve swing]\ntype = polynomial\ncoefficients = 1, -2, 1\n"
    "[curve path]\ntype = polynomial\ncoefficients = 0.1, -0.2, 0.3\n"
    "[constraint drive]\ntype = driven_coordinate\ncoordinate = slide.distance\nmotion = swing\n";

static double cube(double x) {
  return x * x * x;
}

/* Integral of (x^2/4 - (0.1 - 0.2 x + 0.3 x^2))^2 from a to b: what is left of y with its target at x. */
static double error_over_x(double a, double b) {
  static const double c[] = {0.01, -0.04, 0.05, -0.02, 0.0025}; /* of (-0.1 + 0.2 x - 0.05 x^2)^2 */
  double sum = 0;
  for (int k = 0; k < 5; k++) { sum += c[k] * (pow(b, k + 1) - pow(a, k + 1)) / (k + 1); }
  return sum;
}

#define TIME(t) \
  { .kind = MBD_MOMENT_TIME, .value = (t) }
#define FALLS(output, v) \
  { MBD_MOMENT_FALLS, output, v }

enum { PLACE, SPEED, OVER_SPEED };

static void test_windows(void) {
  const mbd_moment at_place = {MBD_MOMENT_CROSSES, PLACE, 0.36}, at_speed = {MBD_MOMENT_RISES, SPEED, -1};
  mbd_term t[] = {
      {.form = "integral", .from = TIME(0.25), .until = at_place},
      {.form = "mean_square", .output = SPEED, .from = at_place, .until = at_speed},
      {.form = "rms", .output = SPEED, .from = at_place, .until = TIME(0.85)},
      {.form = "terminal", .until = at_speed},
      {.form = "value_at", .output = SPEED, .at = FALLS(PLACE, 0.36)},
      {.form = "value_at", .at = TIME(0.777)},
      {.form = "value_at", .at = at_speed, .target_curve = "path", .over = OVER_SPEED},
      {.form = "settling_time", .tolerance = 0.25},
      {.form = "settling_time", .tolerance = 0.25, .from = at_place},
      {.form = "settling_time", .tolerance = 2},
      {.form = "integral", .from = TIME(0.25), .until = at_place, .over = OVER_SPEED},
      {.form = "integral", .output = SPEED, .from = TIME(0.2), .until = TIME(0.7), .over = 1 + PLACE},
      {.form = "integral_abs", .output = SPEED, .from = TIME(0.2), .until = TIME(0.7), .over = 1 + PLACE},
      {.form = "integral_square", .until = at_speed, .target_curve = "path", .over = OVER_SPEED},
      {.form = "rms", .from = TIME(0.2), .until = TIME(0.7), .target_curve = "path", .over = OVER_SPEED},
  };
  enum { N = sizeof t / sizeof t[0] };
  const double expected[N] = {
      (cube(0.75) - cube(0.6)) / 3,
      4 * (cube(0.6) - cube(0.5)) / 3 / 0.1,
      sqrt(4 * (cube(0.6) - cube(0.15)) / 3 / 0.45),
      0.25,
      -1.2,
      0.223 * 0.223,
      0.25 - (0.1 + 0.2 + 0.3),
      0.5,
      0.1,
      0,
      (cube(-1.2) - cube(-1.5)) / 12,
      4 * (cube(0.8) - cube(0.3)) / 3, /* along the motion: of x dy = x^2 dt > 0, though the place falls */
      4 * (cube(0.8) - cube(0.3)) / 3, /* of |x| over increasing place */
      error_over_x(-2, -1),
      sqrt(error_over_x(-1.6, -0.6)),
  };
  const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince"};
  for (int k = 0; k < 3; k++) {
    double psi[N];
    for (int i = 0; i < N; i++) { t[i].psi = i, t[i].weight = 1; }
    simulate_text(brake, integrators[k], 0.9, 0.1, N, t, N, psi);
    for (int i = 0; i < N; i++) { CHECK_VALUE(t[i].form, psi[i], expected[i], 1e-9); }
  }
}

/* Kinks between nodes: y - 0.36 = (1 - t)^2 - 0.36 is negative from t = 0.4 to 1.6, its integral there 2 (0.6^3/3 - 0.36 0.6) = -0.288, over
 * the whole run 2/3 - 0.72; of its square above zero 2 (1/5 - 0.24 + 0.1296 - (0.6^5)(1/5 - 2/3 + 1)). Polynomials: no rule has an error. */
static void test_kinks(void) {
  const double above = 2 * (0.2 - 0.24 + 0.1296 - pow(0.6, 5) * (1 / 5.0 - 2 / 3.0 + 1));
  const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince"};
  for (int k = 0; k < 3; k++) {
    mbd_term t[] = {{.psi = 0, .form = "integral_abs", .weight = 1, .target = 0.36},
                    {.psi = 1, .form = "integral_square_above", .weight = 1, .target = 0.36}};
    double psi[2];
    simulate_text(brake, integrators[k], 2, 0.3, 2, t, 2, psi);
    CHECK_VALUE(integrators[k], psi[0], 2.0 / 3 - 0.72 + 2 * 0.288, 1e-9);
    CHECK_VALUE(integrators[k], psi[1], above, 1e-9);
  }
}

/* Within one step y = (1 - t)^2 falls below 0.01 at 0.9 and rises above it at 1.1: a window that begins between them ends at the second. */
static void test_crossing_after(void) {
  mbd_term t = {.form = "integral", .weight = 1, .from = TIME(1), .until = {MBD_MOMENT_CROSSES, PLACE, 0.01}};
  double psi;
  simulate_text(brake, "newmark", 2, 0.4, 1, &t, 1, &psi);
  CHECK_VALUE("integral", psi, 0.001 / 3, 1e-9);
}

/* A window of nodes is a run that ends there: all forms, both rules. */
static void test_window_of_nodes(void) {
  const char *const integrators[] = {"newmark", "runge_kutta_4"};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; mbd_form_name(i); i++) {
      const mbd_form_info *f = mbd_form_at(i);
      mbd_term t = {.form = f->name, .weight = 1, .target = 0.1, .smoothing = 0.2, .sharpness = 3};
      double whole, part;
      t.level = 0.4, t.width = 0.1, t.tolerance = 0.5;
      if (!(f->takes & MBD_TAKES_UNTIL)) { continue; }
      simulate_text(brake, integrators[k], 0.6, 0.1, 1, &t, 1, &whole);
      t.until = (mbd_moment)TIME(0.6);
      simulate_text(brake, integrators[k], 0.9, 0.1, 1, &t, 1, &part);
      CHECK_CLOSE(f->name, part, whole, 1e-13);
    }
  }
}

/* y = t from 0 to 1: the smoothed part of the time below v is w ln((1 + exp(v/w))/(1 + exp((v - 1)/w))). */
static void test_quantile(void) {
  const char text[] = "coefficients = 1, -2, 1";
  const double w = 0.05, q = 0.8, E = exp(q / w), v = w * log((E - 1) / (1 - E * exp(-1 / w)));
  mbd_term t = {.form = "quantile", .weight = 1, .level = q, .width = w, .from = TIME(1e-7)};
  char ramp[1000];
  double psi;
  edit(ramp, sizeof ramp, brake, text, "coefficients = 0, 1");
  simulate_text(ramp, "newmark", 1, 0.01, 1, &t, 1, &psi);
  CHECK_CLOSE("quantile", psi, v, 1e-6);
}

/* y = (1 - t)^2 is read as 0.49 at 0.3 and as 0.04 at 1.2, where 0.5 and 0 were measured with sigma = 0.1: residuals -0.1 and 0.4. */
static void test_measured(void) {
  const double time[] = {0.3, 1.2}, value[] = {0.5, 0};
  const mbd_samples series = {.n = 2, .time = time, .value = value, .sigma = 0.1};
  const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince"};
  for (int k = 0; k < 3; k++) {
    mbd_term t = {.form = "measured", .output = PLACE, .weight = 2, .samples = &series};
    double psi;
    simulate_text(brake, integrators[k], 2, 0.4, 1, &t, 1, &psi);
    CHECK_VALUE("measured", psi, 2 * (0.01 + 0.16), 1e-9);
  }
}

/* The same readings 0.49 and 0.04 times 3 and -2; with the nodes 0, 0.5, 1 for samples the readings 1, 0.25, 0. */
static void test_weighted_samples(void) {
  const double time[] = {1.2, 0.3}, value[] = {-2, 3, 7}; /* in any order */
  const mbd_samples at_times = {.n = 2, .time = time, .value = value}, at_nodes = {.value = value};
  const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince"};
  for (int k = 0; k < 3; k++) {
    mbd_term t = {.form = "weighted_samples", .output = PLACE, .weight = 2, .samples = &at_times};
    double psi;
    simulate_text(brake, integrators[k], 2, 0.4, 1, &t, 1, &psi);
    CHECK_VALUE("weighted_samples", psi, 2 * (3 * 0.49 - 2 * 0.04), 1e-9);
    t.samples = &at_nodes, t.target = 0.1;
    simulate_text(brake, integrators[k], 1, 0.5, 1, &t, 1, &psi);
    CHECK_VALUE("weighted_samples", psi, 2 * (-2 * 0.9 + 3 * 0.15 - 7 * 0.1), 1e-9);
  }
}

static void test_every_form_has_values(void) {
  for (int i = 0; mbd_form_name(i); i++) { EXPECT_VALUE("objective form", mbd_form_name(i), NULL); }
}

TEST_MAIN(TEST(test_forms), TEST(test_period), TEST(test_windows), TEST(test_kinks), TEST(test_crossing_after),
          TEST(test_window_of_nodes), TEST(test_quantile), TEST(test_measured), TEST(test_weighted_samples),
          TEST(test_every_form_has_values))
