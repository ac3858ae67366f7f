/* Every form of an objective by hand, of a motion that is given: a carriage driven as y(t) = 0.3 + 0.5 sin(2 t + 0.4). Integrals
 * are sums of the trapezoidal rule over the nodes of Newmark's method. */
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
static void simulate(double duration, double step, int n, mbd_term *term, int npsi, double *psi) {
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(carriage);
  const mbd_case c = case_lasting(duration, step);
  for (int i = 0; i < 2; i++) { CU_ASSERT_EQUAL(model_output(&q, outputs[i]), i); }
  must(mbd_sim_create(q.m, &c, q.o, n, term, npsi, 0, &s, &err), &err);
  for (int run = 0; run < 2; run++) { /* nothing is left of an earlier run */
    must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* ---- one form ---- */

enum { STEPS = 9 };
static const double step = 0.1, duration = 0.9;

/* s at node k: of the place, less 0.15 and less the path; or of the speed, less -0.35. */
static double error_at(int term, int k) {
  const double t = step * k;
  return term == 0 ? place(t) - 0.15 - path(t) : speed(t) + 0.35;
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

static double integral_square_above(int term) {
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) {
    sum += weight_at(k) * pow((error_at(term, k) + hypot(error_at(term, k), smoothing)) / 2, 2);
  }
  return sum;
}

static double integral_abs(int term) {
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) { sum += weight_at(k) * (hypot(error_at(term, k), smoothing) - smoothing); }
  return sum;
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

static const struct {
  const char *form;
  double (*value)(int term); /* of one term; of a peak: of the first n */
} forms[] = {{"integral", integral},
             {"integral_square", integral_square},
             {"integral_abs", integral_abs},
             {"mean_square", mean_square},
             {"terminal", terminal},
             {"peak", peak},
             {"peak_abs", peak_abs},
             {"trough", trough},
             {"integral_square_above", integral_square_above}};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* psi[0] of the first term alone, psi[1] of both: a weighted sum, but of peaks the extremum over both. */
static void test_forms(void) {
  for (int i = 0; i < N_FORMS; i++) {
    const char *form = forms[i].form;
    const int is_peak = mbd_form_find(form)->is_peak;
    const double w[] = {1.7, is_peak ? 1.7 : -0.6};
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
                        .target_curve = term ? NULL : "path"};
    }
    simulate(duration, step, 3, t, 2, psi);
    const double one = w[0] * forms[i].value(is_peak ? 1 : 0);
    const double both = is_peak ? w[0] * forms[i].value(2) : one + w[1] * forms[i].value(1);
    CHECK_VALUE(forms[i].form, psi[0], one, 1e-13); /* largest seen: 4e-15 */
    CHECK_VALUE(forms[i].form, psi[1], both, 1e-13);
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

static void test_every_form_has_values(void) {
  for (int i = 0; mbd_form_name(i); i++) { EXPECT_VALUE("objective form", mbd_form_name(i), NULL); }
}

TEST_MAIN(TEST(test_forms), TEST(test_period), TEST(test_every_form_has_values))
