/* What sensors would tell of parameters: values, gradients and optima by hand of a bar that is driven, durations that vary, all against differences of the
 * values, and messages. */
#include "opened_run.h"

/* A bar on a spring and a damper: a torque J q'' + c q' + k q drives it. */
static const char bar[] =
    "schema = 1\n[model]\nname = bar\ngravity = 0, 0, 0\n"
    "[scalars]\nJ = 0.5\nk = 8\nc = 0.7\na = 0.3\nw = 5\nT = 2\n"
    "[body bar]\nmass = 1\ncom = 0, 0, 0\ninertia = J, J, J\n"
    "[point o]\nat = 0, 0, 0\nbodies = ground, bar\n[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = ground-bar.angle\nstiffness = k\ndamping = c\n"
    "[curve q]\ntype = harmonic\ncoefficients = 0, a, w, 0\n"
    "[start]\nhold.ground-bar.angle = 0\nrate.ground-bar.angle = 1\n";

enum { STEPS = 40 };
#define MOVE                                                                                                    \
  "schema = 1\n[model]\nfile = MODEL\n[case move]\nanalysis = kinematic\nduration = 2*pi/w\nstep = 2*pi/w/40\n" \
  "drive.ground-bar.angle = q\n"
#define TORQUE     "[sensor torque]\nof = drive.ground-bar.angle.drive_force\nsigma = 0.02\n"
#define EXPERIMENT "[experiment e]\nparameters = J, c\n"
#define NUMBERS                                                                                                     \
  "[objective i]\nvalue = e.information\n[objective v]\nvalue = e.variance\n[objective d]\nvalue = e.deviation.c\n" \
  "[design a]\n[design w]\nlower = 1\n"

static const char *const methods[] = {"auto", "direct", "discrete_adjoint", "complex_step"};

/* Over a whole period, with sums S of the squares of sine and cosine at the samples,
 *   F = diag((J a w^2)^2 S_s, (c a w)^2 S_c)/sigma^2 + diag(0, (c/prior)^2),    parameters divided by their values */
typedef struct by_hand {
  double F[2], by_a[2], by_w[2];
} by_hand;

static by_hand information(double a, double w, double prior, double rate) {
  const double J = 0.5, c = 0.7, pi = acos(-1), half = rate > 0 ? rate * pi / w : STEPS / 2;
  const double per = 1 / (0.02 * 0.02), Ss = half, Sc = rate > 0 ? half : half + 1;
  const double F0 = J * a * w * w * J * a * w * w * Ss * per, F1 = c * a * w * c * a * w * Sc * per;
  return (by_hand){{F0, F1 + (prior > 0 ? c / prior * c / prior : 0)},
                   {2 * F0 / a, 2 * F1 / a},
                   {(rate > 0 ? 3 : 4) * F0 / w, (rate > 0 ? 1 : 2) * F1 / w}};
}

static void check_by_hand(const char *more, double prior, double rate, int of_c) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s%s%s", MOVE TORQUE, more, EXPERIMENT, prior > 0 ? "prior.c = 0.03\n" : "");
  snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", of_c ? "of_interest = c\n" : "", NUMBERS);
  opened_run r = run_open_texts(bar, text, 0, NULL);
  const double x[] = {0.2, 6};
  const by_hand h = information(x[0], x[1], prior, rate);
  const double *F = h.F, deviation = 0.7 / sqrt(F[1]);
  for (int i = 0; i < 4; i++) {
    const double tol = i < 3 ? 1e-11 : 1e-9;
    mbd_error err = {0};
    must(mechanism_evaluate(r.m, x, methods[i], &err), &err);
    const double *g = r.m->grad;
    CHECK_CLOSE("information", r.m->psi[0], log(of_c ? F[1] : F[0] * F[1]), 1e-12);
    CHECK_NEAR("variance", r.m->psi[1], (of_c ? 0 : 1 / F[0]) + 1 / F[1], r.m->psi[1], 1e-12);
    CHECK_NEAR("deviation", r.m->psi[2], deviation, deviation, 1e-12);
    for (int j = 0; j < 2; j++) {
      const double *dF = j ? h.by_w : h.by_a;
      const double variance = -(of_c ? 0 : dF[0] / F[0] / F[0]) - dF[1] / F[1] / F[1];
      CHECK_CLOSE("information'", g[j], (of_c ? 0 : dF[0] / F[0]) + dF[1] / F[1], 10 * tol);
      CHECK_NEAR("variance'", g[2 + j], variance, fabs(variance), tol);
      CHECK_NEAR("deviation'", g[4 + j], -deviation * dF[1] / F[1] / 2, fabs(g[4 + j]), tol);
    }
  }
  run_close(&r);
}

static void test_by_hand(void) {
  check_by_hand("", 0, 0, 0);
  check_by_hand("", 0.03, 0, 0);
  check_by_hand("", 0.03, 0, 1);
  check_by_hand("rate = 300\n", 0, 300, 0);
  check_by_hand("rate = 300\n", 0.03, 300, 1);
}

/* The best excitation under a limit of the mean square of the torque, a^2 D/2 with D = (k - J s)^2 + c^2 s, s = w^2. With a number of samples that is given det F goes with
 * a^4 w^6, so that 3 D = 2 s D', a quadratic equation; with a rate it goes with a^4 w^4, so that D = s D', which is resonance, s = k/J, whatever the
 * damping. There the gradients of the information and of the limit are parallel. */
static void test_best_excitation(void) {
  for (int by_rate = 0; by_rate < 2; by_rate++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s", MOVE TORQUE, by_rate ? "rate = 300\n" : "",
             EXPERIMENT NUMBERS
             "[constraint torque]\nof = drive.ground-bar.angle.drive_force\nform = mean_square\nupper = 0.02\n");
    opened_run r = run_open_texts(bar, text, 0, NULL);
    const double J = 0.5, k = 8, c = 0.7, b = 2 * k * J - c * c;
    const double s = by_rate ? k / J : (sqrt(b * b + 12 * J * J * k * k) - b) / (2 * J * J);
    const double D = (k - J * s) * (k - J * s) + c * c * s, x[] = {sqrt(2 * 0.02 / D), sqrt(s)};
    mbd_error err = {0};
    must(mechanism_evaluate(r.m, x, "direct", &err), &err);
    const double *g = r.m->grad, *limit = r.m->grad + 3 * r.m->n;
    CHECK_CLOSE("limit", r.m->psi[3], 0.02, 1e-7); /* the integral over 40 steps */
    CHECK_CLOSE("parallel", g[0] * limit[1] / (g[1] * limit[0]), 1, 4e-6);
    CU_ASSERT(fabs(g[0]) > 1 && fabs(limit[1]) > 1e-3 && g[0] * limit[0] > 0);
    run_close(&r);
  }
}

/* J q'' = -c q' from the rate 1: q' = exp(-t c/J), whose derivative by c, divided by its value, is -t c/J exp(-t c/J). With as many samples as nodes there
 * is a best duration; with a rate each further second adds something. */
static void test_best_duration(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[scalars]\nk = 0\n[case coast]\nduration = T\nstep = T/160\nformulation = "
      "matrix_r\n"
      "integrator = runge_kutta_4\n[sensor rate]\nof = bar.rate.y\nsigma = 0.01\n[experiment e]\nparameters = c\n"
      "[objective i]\nvalue = e.information\n[design T]\n";
  const double lambda = 0.7 / 0.5, n = 160;
  for (int by_rate = 0; by_rate < 2; by_rate++) {
    char text[2000];
    edit(text, sizeof text, run, "sigma = 0.01\n", by_rate ? "sigma = 0.01\nrate = 50\n" : "sigma = 0.01\n");
    opened_run r = run_open_texts(bar, text, 0, NULL);
    for (double T = 0.7; T < 3; T += 0.7) {
      double F = 0, dF = 0;
      for (int i = 0; i <= n; i++) { /* u = lambda t */
        const double u = lambda * T * i / n, samples = by_rate ? 50 * T / n * (i < n ? 1 : 0.5) : 1;
        const double f = samples * u * u * exp(-2 * u);
        F += f / 1e-4, dF += f * (2 - 2 * u + by_rate) / T / 1e-4;
      }
      mbd_error err = {0};
      must(mechanism_evaluate(r.m, &T, "auto", &err), &err);
      CHECK_CLOSE("information", r.m->psi[0], log(F), 2e-7);
      CHECK_CLOSE("by the duration", r.m->grad[0], dF / F, 2e-7);
      if (by_rate) { CU_ASSERT(r.m->grad[0] > 0); }
    }
    /* u^3 + u^2 + 2 u + 2 = 2 e^u with u = 2 lambda T is the condition for many samples: u = 3.3836 */
    double ends[2];
    for (int side = 0; side < 2; side++) {
      const double T = (side ? 3.55 : 3.25) / (2 * lambda);
      mbd_error err = {0};
      must(mechanism_evaluate(r.m, &T, "auto", &err), &err);
      ends[side] = r.m->grad[0];
    }
    CU_ASSERT(by_rate || (ends[0] > 0 && ends[1] < 0));
    run_close(&r);
  }
}

/* Two cases of a pendulum that a torque over time drives, with parameters that move everything: start, gravity, expressions with a variable. */
static const char pendulum[] =
    "schema = 1\n[model]\nname = pendulum\ngravity = 0, 0, -g\n"
    "[scalars]\ng = 9.81\nm = 1.2\nl = 0.4\nc = 0.3\nangle = 0.2\nbias = 0.05\nfactor = 1.5\nT = 1.2\nload = 0\n"
    "[body bar]\nmass = m + load\ncom = l, 0, 0\ninertia = 0.01, m*l^2/12, m*l^2/12\n"
    "[point o]\nat = 0, 0, 0\nbodies = ground, bar\n[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n"
    "[force damper]\ntype = torsion_spring\ncoordinate = ground-bar.angle\nstiffness = 2\ndamping = c*factor\n"
    "[curve torque]\ntype = spline\nknots = 0, 0.4, 0.8, 1.2, 1.6\ncoefficients = 0, 2, -1, 1, 0\n"
    "[force motor]\ntype = relative_torque\nbodies = ground, bar\ndirection = 0, 1, 0\ntorque = torque\n"
    "[quantity shown]\nvalue = ground_bar.angle + bias\n"
    "[start]\nhold.ground-bar.angle = angle\n";
static const char swing[] =
    "schema = 1\n[model]\nfile = MODEL\n[case free]\nduration = T\nstep = T/40\n[case loaded]\nduration = 1.2\nstep = "
    "0.03\n"
    "scalar.load = 0.5\n[sensor encoder]\nof = shown\ncase = free\nsigma = 0.01\nrate = 100\n"
    "[sensor gyro]\nof = bar.rate.y\ncase = free\nsigma = 0.1\n"
    "[sensor later]\nof = shown\ncase = loaded\nsigma = 0.01\nfrom = 0.3\nuntil = 0.9\nrate = 30\n"
    "[experiment all]\nparameters = m, c, angle, bias\nof_interest = m, c\n"
    "[experiment one]\nparameters = m, l\nsensors = encoder\nprior.l = 0.01\n"
    "[design motor]\ncurve = torque\n[design factor]\n[design T]\n[design l]\n"
    "[objective i]\nvalue = all.information\n[objective v]\nvalue = all.variance/one.variance\n"
    "[objective d]\nvalue = one.deviation.m\n[objective o]\nvalue = one.information\n";

static void test_against_differences(void) {
  enum { N = 8, Q = 4 };
  opened_run r = run_open_texts(pendulum, swing, 0, NULL);
  CU_ASSERT_EQUAL_FATAL(r.m->n, N);
  double x[N], g[Q * N], dpsi[Q], along[Q], psi[Q], w[N], v[N];
  const double of[Q] = {1, -0.3, 20, 0.5};
  mbd_error err = {0};
  for (int j = 0; j < N; j++) { x[j] = r.m->start[j] * 1.03 + 0.01, w[j] = (j % 3 - 1.3) * r.m->scale[j]; }
  must(mechanism_evaluate(r.m, x, "auto", &err), &err);
  memcpy(g, r.m->grad, sizeof g), memcpy(psi, r.m->psi, sizeof psi);
  /* each variable, and the products along a direction and transposed */
  must(mechanism_evaluate(r.m, x, "complex_step", &err), &err);
  for (int i = 0; i < Q; i++) {
    double largest = 0;
    CHECK_NEAR("value", r.m->psi[i], psi[i], fabs(psi[i]), 1e-14);
    for (int j = 0; j < N; j++) { largest = fmax(largest, fabs(g[i * N + j] * r.m->scale[j])); }
    for (int j = 0; j < N; j++) {
      CHECK_NEAR(r.m->name[j], g[i * N + j] * r.m->scale[j], r.m->grad[i * N + j] * r.m->scale[j], largest, 1e-8);
    }
  }
  must(mechanism_jvp(r.m, x, w, NULL, dpsi, &err), &err);
  must(mechanism_vjp(r.m, x, of, NULL, v, &err), &err);
  double forward = 0, transposed = 0;
  for (int i = 0; i < Q; i++) { forward += of[i] * dpsi[i]; }
  for (int j = 0; j < N; j++) { transposed += v[j] * w[j]; }
  CHECK_NEAR("products", forward, transposed, fabs(forward), 1e-12);
  /* what is left of values beyond the gradient falls by four where the step is halved */
  for (int i = 0; i < Q; i++) {
    along[i] = 0;
    for (int j = 0; j < N; j++) { along[i] += g[i * N + j] * w[j]; }
  }
  double left[2][Q];
  for (int half = 0; half < 2; half++) {
    const double h = half ? 5e-4 : 1e-3;
    double y[N];
    for (int j = 0; j < N; j++) { y[j] = x[j] + h * w[j]; }
    must(mechanism_values(r.m, y, left[half], &err), &err);
    for (int i = 0; i < Q; i++) { left[half][i] -= psi[i] + h * along[i]; }
  }
  for (int i = 0; i < Q; i++) { CHECK_CLOSE("Taylor", left[0][i] / left[1][i], 4, 0.1); }
  run_close(&r);
}

/* Over one frequency the torque shows k - J w^2 alone: no gradient, but a message with the direction; a prior helps. */
static void test_not_determined(void) {
  static const char text[] =
      MOVE TORQUE "[experiment e]\nparameters = J, k, c\n[objective i]\nvalue = e.information\n[design a]\n";
  char known[1000];
  mbd_error err = {0};
  opened_run r = run_open_texts(bar, text, 0, NULL);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "auto", &err), MBD_SINGULAR);
  CHECK_CONTAINS(err.text, "[experiment e] the sensors determine 2 of 3 directions of the parameters");
  CHECK_CONTAINS(err.text, "+0.539 J +0.842 k; expected a further sensor, or prior.NAME of one of these");
  run_close(&r);
  edit(known, sizeof known, text, "J, k, c\n", "J, k, c\nprior.k = 0.1\n");
  r = run_open_texts(bar, known, 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "auto", &err), &err);
  CU_ASSERT(isfinite(r.m->psi[0]) && isfinite(r.m->grad[0]));
  mbo_problem p;
  mechanism_problem(r.m, &p);
  CU_ASSERT(!p.has_hessian);
  run_close(&r);
}

static void test_messages(void) {
  static const char run[] = MOVE TORQUE EXPERIMENT "prior.c = 1\nsensors = torque\nof_interest = c\n" NUMBERS;
  static const broken_case bad[] = {
      {"parameters = J, c", "parameters = J, J", "'J' is there twice, expected it once"},
      {"parameters = J, c", "parameters = ", "[experiment e] parameters has no value"},
      {"parameters = J, c", "parameters = JJ, c", "[experiment ...] parameters: scalar 'JJ' is not known"},
      {"prior.c = 1", "prior.cc = 1", "'cc' is none of the parameters of the section, did you mean 'c'?"},
      {"prior.c = 1", "prior.c = 0", "expected"},
      {"of_interest = c", "of_interest = k", "'k' is none of the parameters of the section"},
      {"sensors = torque", "sensors = torqe", "[sensor torqe] is not known, did you mean 'torque'?"},
      {"sigma = 0.02", "", "key 'sigma' is missing: standard deviation of its noise"},
      {"sigma = 0.02", "sigma = 0.02\ncase = mov", "case 'mov' is not known, did you mean 'move'?"},
      {"sigma = 0.02", "sigma = 0.02\nfrom = 1\nuntil = 0.5", "from = 1 s, expected less than until = 0.5 s"},
      {"sigma = 0.02", "sigma = 0.02\nfrom = 0.5",
       "the duration of case 'move' varies; expected samples over all of it"},
      {"angle.drive_force\nsigma", "angle.drive_farce\nsigma", "[sensor torque] "},
      {"of = drive.ground-bar.angle.drive_force", "of = bar.com_velocity",
       "[sensor torque] of: output bar.com_velocity has 3 components"},
      {"value = e.variance", "value = e.varians", "'e.varians' is no number of [experiment e], expected e.information"},
      {"value = e.deviation.c", "value = e.deviation.k", "is no number of [experiment e]"},
      {"[design w]", "[mode e]\n[design w]", "there is a [mode e] already, expected another name"},
      {"drive.ground-bar.angle = q\n", "drive.ground-bar.angle = q\nscalar.J = 1\n", "expected one value in all cases"},
  };
  check_broken_runs(bar, run, sizeof bad / sizeof bad[0], bad);
}

TEST_MAIN(TEST(test_by_hand), TEST(test_best_excitation), TEST(test_best_duration), TEST(test_against_differences),
          TEST(test_not_determined), TEST(test_messages))
