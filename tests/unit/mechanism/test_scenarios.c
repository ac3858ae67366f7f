/* Scalars that scatter: a drop, whose height is linear in all that scatters, so that what it is across scenarios is known in closed form; all methods of
 * differentiation, second derivatives, distributions, messages. */
#include "opened_run.h"

#include "config/model_file.h"
#include "mechanism/hessian.h"
#include "mechanism/true_values.h"
#include "scatter/normal.h"

static const char *const model =
    "schema = 1\n[model]\nname = drop\ngravity = 0, -g, 0\njoints = named\n[scalars]\ng = 10\nv = 2\nL = 3\ns = 0.2\n"
    "k = 2*L\ntop = 6\n[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = "
    "1, 1, 1\n"
    "[joint j]\ntype = prismatic\nbodies = ground, b\naxis = y\n[start]\nhold.j.distance = L\nrate.j.distance = v\n";

#define HEAD "schema = 1\n[model]\nfile = MODEL\n"
/* L is a design variable that scatters by a tenth of its mean; the deviation of v is a design variable. */
#define SCATTER                                                                              \
  "[design L]\n[design s]\n[uncertain L]\ndeviation = 0.1*L\n[uncertain v]\ndeviation = s\n" \
  "correlation.L = 0.5\n[uncertain g]\ndistribution = uniform\nlower = 9\nupper = 11\n"
#define CASE   "[case c]\nduration = 0.5\nstep = 0.05\n"
#define HEIGHT "of = j.distance\nform = terminal\n"

static const char *const methods[] = {"direct",       "discrete_adjoint",    "continuous_adjoint",
                                      "complex_step", "central_differences", "auto"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static const char *const first_order =
    HEAD SCATTER CASE "[objective mean]\n" HEIGHT "across = mean\n[objective both]\n" HEIGHT
                      "across = mean_sigma\nacross.sigmas = 2\n"
                      "[objective low]\n" HEIGHT "across = cvar\nacross.tail = lower\n[constraint above]\n" HEIGHT
                      "across = probability\nacross.limit = 3\nupper = 1\n[constraint plain]\n" HEIGHT "upper = 9\n";

/* Height after t = 0.5 s: mean L + v t - g t^2/2, variance (0.1 L)^2 + 2 r 0.1 L s t + (s t)^2 + t^4/12 with the correlation r, since g has
 * the variance 1/3; their derivatives by L and s. */
static void moments(const double *rho, double *mean, double *sigma, double dmean[2], double dsigma[2]) {
  const double L = rho[0], s = rho[1], t = 0.5, r = 0.5;
  *mean = L + 2 * t - 10 * t * t / 2;
  *sigma = sqrt(0.01 * L * L + 2 * r * 0.1 * L * s * t + s * s * t * t + t * t * t * t / 12);
  dmean[0] = 1, dmean[1] = 0;
  dsigma[0] = (0.01 * L + r * 0.1 * s * t) / *sigma, dsigma[1] = (r * 0.1 * L * t + s * t * t) / *sigma;
}

static void test_first_order(void) {
  static const double rho[] = {3.5, 0.3};
  opened_run r = run_open_texts(model, first_order, 0, NULL);
  double mean, sigma, dmean[2], dsigma[2];
  moments(rho, &mean, &sigma, dmean, dsigma);
  const double tail = normal_density(normal_quantile(0.9)) / 0.1, z = (mean - 3) / sigma, density = normal_density(z);
  const double value[] = {mean, mean + 2 * sigma, mean - tail * sigma, normal_cdf(z), mean};
  const double by[][2] = {{1, 0}, {1, 2}, {1, -tail}, {density / sigma, -z * density / sigma}, {1, 0}};
  mbd_error err = {0};
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, rho, methods[k], &err), &err);
    for (int i = 0; i < 5; i++) {
      CHECK_CLOSE(mechanism_quantity(r.m, i), r.m->psi[i], value[i], 1e-12);
      for (int j = 0; j < 2; j++) {
        CHECK_CLOSE(methods[k], r.m->grad[2 * i + j], by[i][0] * dmean[j] + by[i][1] * dsigma[j],
                    strcmp(methods[k], "central_differences") == 0 ? 1e-8 : 1e-11);
      }
    }
  }
  /* Values alone are the same, to the last bit; there are no second derivatives. */
  double with_gradient[5];
  memcpy(with_gradient, r.m->psi, sizeof with_gradient);
  must(mechanism_evaluate(r.m, rho, "none", &err), &err);
  for (int i = 0; i < 5; i++) { CHECK_CLOSE(mechanism_quantity(r.m, i), r.m->psi[i], with_gradient[i], 0); }
  CU_ASSERT_EQUAL(hessian_evaluate(r.m, rho, NULL, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "samples = 0");
  run_close(&r);
}

/* Along a direction, for programs: the product with the other side of the second derivatives. */
static void test_products(void) {
  static const double rho[] = {3.5, 0.3}, d[] = {0.7, -0.2}, w[] = {1, -2, 0.5, 3, 1};
  static const char *const sampled[] = {"scenarios.samples=7"};
  for (int n = 0; n < 2; n++) {
    opened_run r = run_open_texts(model, first_order, n, sampled);
    double dpsi[5], g[2];
    mbd_error err = {0};
    must(mechanism_jvp(r.m, rho, d, NULL, dpsi, &err), &err);
    must(mechanism_vjp(r.m, rho, w, NULL, g, &err), &err);
    must(mechanism_evaluate(r.m, rho, "direct", &err), &err);
    for (int i = 0; i < 5; i++) {
      CHECK_CLOSE("jvp", dpsi[i], r.m->grad[2 * i] * d[0] + r.m->grad[2 * i + 1] * d[1], 1e-12);
    }
    for (int j = 0; j < 2; j++) {
      double sum = 0;
      for (int i = 0; i < 5; i++) { sum += w[i] * r.m->grad[2 * i + j]; }
      CHECK_CLOSE("vjp", g[j], sum, 1e-11);
    }
    run_close(&r);
  }
}

static const char *const sampled = HEAD SCATTER CASE
    "[scenarios]\nsamples = 3\nplan = monte_carlo\n[objective mean]\n" HEIGHT "across = mean\n[objective both]\n" HEIGHT
    "across = mean_sigma\nacross.sigmas = 2\n[objective largest]\n" HEIGHT
    "across = worst\nacross.width = 0.1\n"
    "[constraint tail]\n" HEIGHT
    "across = cvar\nacross.level = 0.6\nacross.width = 0.05\nupper = 9\n"
    "[constraint above]\n" HEIGHT
    "across = probability\nacross.limit = 3.2\nacross.width = 0.2\nupper = 1\n"
    "[constraint wide]\nvalue = largest^2 + k/2\nacross = mean\nupper = 99\n[constraint plain]\nvalue = both + "
    "L\nupper = 9\n";

/* Heights in the three scenarios by their deviates, and what they are across them. */
static void test_samples(void) {
  static const double rho[] = {3.5, 0.3};
  opened_run r = run_open_texts(model, sampled, 0, NULL);
  const double *z = r.m->scenarios->deviate, width = 0.1;
  double x[3], L[3], mean = 0, squares = 0, top = 0, wide = 0;
  mbd_error err = {0};
  for (int s = 0; s < 3; s++) {
    L[s] = 3.5 + 0.35 * z[3 * s];
    x[s] = L[s] + 0.5 * (2 + 0.3 * z[3 * s + 1]) - 0.125 * (10 + z[3 * s + 2] / sqrt(3));
    mean += x[s] / 3, top += exp(x[s] / width), wide += (x[s] * x[s] + L[s]) / 3;
  }
  for (int s = 0; s < 3; s++) { squares += (x[s] - mean) * (x[s] - mean); }
  const double both = mean + 2 * sqrt(squares / 2);
  const double value[] = {mean, both, width * log(top), NAN, NAN, wide, both + 3.5};
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, rho, methods[k], &err), &err);
    for (int i = 0; i < 7; i++) {
      if (isfinite(value[i])) { CHECK_CLOSE(mechanism_quantity(r.m, i), r.m->psi[i], value[i], 1e-11); }
    }
  }
  /* The true largest, and how many of the three are above the limit. */
  const double largest = fmax(x[0], fmax(x[1], x[2])), above = ((x[0] > 3.2) + (x[1] > 3.2) + (x[2] > 3.2)) / 3.0;
  CU_ASSERT(r.m->truth[2].smooths && r.m->truth[4].smooths && !r.m->truth[1].smooths);
  CHECK_CLOSE("true largest", r.m->truth[2].value, largest, 1e-12);
  CHECK_CLOSE("true part", r.m->truth[4].value, above, 1e-15);
  /* Gradients of all methods are alike; that of the mean is the mean of those of the scenarios. */
  double grad[14];
  must(mechanism_evaluate(r.m, rho, "complex_step", &err), &err);
  memcpy(grad, r.m->grad, sizeof grad);
  CHECK_CLOSE("mean by L", grad[0], 1 + 0.1 * (z[0] + z[3] + z[6]) / 3, 1e-12);
  CHECK_CLOSE("mean by s", grad[1], 0.5 * (z[1] + z[4] + z[7]) / 3, 1e-12);
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, rho, methods[k], &err), &err);
    for (int i = 0; i < 14; i++) {
      CHECK_CLOSE(methods[k], r.m->grad[i], grad[i], strcmp(methods[k], "central_differences") == 0 ? 1e-7 : 1e-11);
    }
  }
  run_close(&r);
}

/* A number takes the place of any expression: of k = 2*L, and of one that begins with another number. */
static void test_set_number(void) {
  opened_run r = run_open_texts(model, sampled, 0, NULL);
  mbo_model_file *f = r.m->variant[0].file;
  int k;
  mbd_error err = {0};
  must(model_file_scalar(f, "k", &k, &err), &err);
  for (int n = 0; n < 2; n++) {
    if (n) { must(model_file_set_scalar(f, k, "-1", &err), &err); }
    model_file_set_number(f, k, 3 + n);
    must(mechanism_set_design(r.m, r.m->start, 0, &err), &err);
    CHECK_CLOSE("k", f->value[k], 3 + n, 0);
  }
  run_close(&r);
}

/* Second derivatives by differences of the gradient, and their product. */
static void test_second(void) {
  static const double rho[] = {3.5, 0.3}, w[] = {0.4, -1.5}, h = 1e-5;
  opened_run r = run_open_texts(model, sampled, 0, NULL);
  double H[7][2][2];
  mbd_error err = {0};
  must(hessian_evaluate(r.m, rho, NULL, &err), &err);
  memcpy(H, r.m->hess, sizeof H);
  must(hessian_evaluate(r.m, rho, w, &err), &err);
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < 2; j++) {
      CHECK_CLOSE("product", r.m->hess[2 * i + j], H[i][j][0] * w[0] + H[i][j][1] * w[1], 1e-11);
    }
  }
  for (int k = 0; k < 2; k++) {
    double up[14], x[2] = {rho[0], rho[1]};
    x[k] += h;
    must(mechanism_evaluate(r.m, x, "discrete_adjoint", &err), &err);
    memcpy(up, r.m->grad, sizeof up);
    x[k] -= 2 * h;
    must(mechanism_evaluate(r.m, x, "discrete_adjoint", &err), &err);
    for (int i = 0; i < 7; i++) {
      for (int j = 0; j < 2; j++) {
        CHECK_CLOSE(mechanism_quantity(r.m, i), H[i][j][k], (up[2 * i + j] - r.m->grad[2 * i + j]) / (2 * h), 1e-6);
      }
    }
  }
  run_close(&r);
}

/* The height is linear in L and s, so the Gauss-Newton matrix of the mean of its squares is the whole second derivative. */
static void test_mean_of_squares(void) {
  static const char *const text = HEAD SCATTER CASE
      "[scenarios]\nsamples = 5\n[objective square]\nof = j.distance\nform = integral_square\nacross = "
      "mean\nweight = 3\n[objective nominal]\nof = j.distance\nform = integral_square\n"
      "[objective shown]\n" HEIGHT "weight = 0\n";
  static const char *const worst[] = {"objective.square.across=mean_sigma"}, *const linear[] = {"scenarios.samples=0"};
  static const double rho[] = {3.5, 0.3};
  opened_run r = run_open_texts(model, text, 0, NULL);
  double g[2], c[1], jac[2], H[4], hess[4];
  mbo_eval out = {.g = g, .c = c, .jac = jac, .H = H, .hess = hess};
  mbo_problem p;
  mbd_error err = {0};
  mechanism_problem(r.m, &p);
  CU_ASSERT_FATAL(p.has_gauss_newton);
  must(p.eval(r.m, rho, MBO_REQUEST_HESSIAN, &out, &err), &err);
  must(p.eval(r.m, rho, MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &out, &err), &err);
  for (int i = 0; i < 4; i++) { CHECK_CLOSE("Gauss-Newton", H[i], hess[i], 1e-12); }
  CU_ASSERT(H[0] > 1 && H[3] > 1e-3);
  run_close(&r);
  for (int i = 0; i < 2; i++) { /* there is none of other measures, or to first order */
    r = run_open_texts(model, text, 1, i ? linear : worst);
    mechanism_problem(r.m, &p);
    CU_ASSERT(!p.has_gauss_newton);
    run_close(&r);
  }
}

/* Values of scalars cost no simulation, so that there may be many samples; closed forms of a normal distribution, and means and deviations of
 * all distributions, with the samples' ends. */
static void test_distributions(void) {
  static const char *const text = HEAD
      "[design s]\n[uncertain L]\ndeviation = s\n[uncertain v]\ndeviation = 0.1\ncorrelation.L = -0.4\n"
      "[uncertain g]\ndistribution = uniform\nlower = 9\nupper = 11\n"
      "[uncertain top]\ndistribution = triangular\nlower = 5\nupper = 5 + 4*s/0.2\n[scenarios]\nsamples = 1023\n"
      "[objective normal]\nvalue = L + v\nacross = mean_sigma\n[objective tail]\nvalue = L + v\nacross = cvar\n"
      "[objective part]\nvalue = L + v\nacross = probability\nacross.limit = 5.2\nacross.width = 0.005\n"
      "[objective uniform]\nvalue = g\nacross = mean_sigma\n[objective highest]\nvalue = g\nacross = worst\n"
      "[objective lowest]\nvalue = top\nacross = worst\nacross.tail = lower\nacross.width = 0.001\n"
      "[objective triangle]\nvalue = top\nacross = mean_sigma\n";
  opened_run r = run_open_texts(model, text, 0, NULL);
  const double s = 0.2, sigma = sqrt(s * s + 0.01 - 0.08 * s), z = normal_quantile(0.9);
  const double triangle = sqrt((16 - 4 + 1) / 18.0); /* of 5, 6, 9 */
  const struct {
    double value, tol;
  } of[] = {{5 + 3 * sigma, 1e-3},
            {5 + sigma * normal_density(z) / 0.1, 2e-3},
            {normal_cdf(-0.2 / sigma), 1e-2},
            {10 + 3 / sqrt(3), 2e-3},
            {11, 0.05},
            {5, 0.06},
            {20.0 / 3 + 3 * triangle, 2e-3}};
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, &s, "direct", &err), &err);
  for (int i = 0; i < 7; i++) { CHECK_CLOSE(mechanism_quantity(r.m, i), r.m->truth[i].value, of[i].value, of[i].tol); }
  CU_ASSERT(r.m->truth[4].value < 11 && r.m->truth[5].value > 5);
  CHECK_CLOSE("normal by s", r.m->grad[0], 3 * (s - 0.04) / sigma, 5e-3);
  double grad[7];
  memcpy(grad, r.m->grad, sizeof grad);
  must(mechanism_evaluate(r.m, &s, "central_differences", &err), &err);
  for (int i = 0; i < 7; i++) { CHECK_CLOSE(mechanism_quantity(r.m, i), grad[i], r.m->grad[i], 1e-5); }
  run_close(&r);
}

/* A width that is left out, and how stages make it narrower. */
static void test_width(void) {
  static const char *const set[] = {"constraint.tail.across.width="};
  static const double rho[] = {3, 0.2};
  opened_run r = run_open_texts(model, sampled, 1, set);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, rho, "none", &err), &err);
  double sum = 0, squares = 0;
  const double *x = r.m->psi + scenarios_sample(r.m, 3, 0);
  for (int i = 0; i < 3; i++) { sum += x[i] / 3; }
  for (int i = 0; i < 3; i++) { squares += (x[i] - sum) * (x[i] - sum) / 2; }
  CHECK_CLOSE("20/sigma", r.m->sharpness[3] * sqrt(squares), 20, 1);
  const double before = fabs(r.m->psi[3] - r.m->truth[3].value);
  must(scenarios_set_sharpness(r.m, 3, 10 * r.m->sharpness[3], &err), &err);
  must(mechanism_evaluate(r.m, rho, "none", &err), &err);
  CU_ASSERT(fabs(r.m->psi[3] - r.m->truth[3].value) < 0.2 * before);
  run_close(&r);
}

/* A deviation that a design makes negative is none, which an optimizer may avoid. */
static void test_negative(void) {
  static const double rho[] = {3, -0.2};
  opened_run r = run_open_texts(model, sampled, 0, NULL);
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, rho, "none", &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "[uncertain v] deviation = s is -0.2, expected >= 0");
  run_close(&r);
}

static void test_messages(void) {
  static const broken_case cases[] = {
      {"[uncertain v]", "[uncertain vv]", "[uncertain vv] scalar = vv: the model "},
      {"deviation = s\n", "deviation = sss\n", "[uncertain v] deviation = sss: "},
      {"deviation = s\n", "deviation = 0.1*L\n", "'L' scatters itself"},
      {"deviation = s\n", "deviation = 0.1*k\n", "'k' scatters itself"},
      {"deviation = s\n", "", "key 'deviation' is missing, which distribution = normal has"},
      {"lower = 9\n", "", "key 'lower' is missing, which distribution = uniform has"},
      {"lower = 9\n", "lower = 9\ndeviation = 1\n",
       "distribution = uniform has no deviation, expected lower and upper"},
      {"[uncertain g]", "[uncertain k]\ndeviation = 0.1*k\n[uncertain g]", "'k' is made of others that scatter"},
      {"= uniform", "= uniforn", "expected one of normal|uniform|triangular"},
      {"correlation.L = 0.5", "correlation.l = 0.5", "there is no [uncertain l]"},
      {"correlation.L = 0.5", "correlation.v = 0.5", "expected the name of another [uncertain NAME]"},
      {"correlation.L = 0.5", "correlation.g = 0.5", "'g' is uniform, expected distribution = normal of both"},
      {"correlation.L = 0.5", "correlation.L = 1", "the correlations are not positive definite"},
      {"correlation.L = 0.5", "correlation.L = 1.5", "expected a number between -1 and 1"},
      {"[uncertain g]", "[uncertain h]\nscalar = v", "scalar 'v' scatters already by [uncertain v]"},
      {"samples = 3", "samples = 1", "one sample has no scatter"},
      {"samples = 3", "samples = 0", "across = worst: to first order, without samples, scatter has no largest value"},
      {"across.limit = 3.2\n", "", "key 'across.limit' is missing"},
      {"across = mean_sigma", "across = sigma", "expected one of mean|mean_sigma|cvar|worst|probability"},
      {"across = mean_sigma\n", "", "across.sigmas = 2: there is no 'across'"},
      {"plan = monte_carlo", "plan = grid", "expected one of sobol|latin_hypercube|monte_carlo"},
  };
  check_broken_runs(model, sampled, sizeof cases / sizeof cases[0], cases);
  static const broken_case nothing[] = {
      {"[uncertain x]\nscalar = v\ndeviation = s\n", "", "nothing scatters, expected an [uncertain NAME]"},
      {"samples = 3", "samples = 0", "a value that scatters takes samples, which cost no simulation"}};
  static const char *const text = HEAD
      "[design s]\n[uncertain x]\nscalar = v\ndeviation = s\n[scenarios]\nsamples = 3\n"
      "[objective o]\nvalue = v\nacross = mean\n";
  check_broken_runs(model, text, sizeof nothing / sizeof nothing[0], nothing);
  /* Modes are those of the model where nothing scatters. */
  static const broken_case mode[] = {
      {"value = v", "value = m.real", "'m.real' is of the model where nothing scatters"}};
  static const char *const with_mode = HEAD CASE
      "[design s]\n[uncertain v]\ndeviation = s\n[scenarios]\nsamples = 3\n[mode m]\nnear = 1\n"
      "[objective o]\nvalue = v\nacross = mean\n";
  check_broken_runs(model, with_mode, 1, mode);
}

TEST_MAIN(TEST(test_first_order), TEST(test_products), TEST(test_samples), TEST(test_set_number), TEST(test_second),
          TEST(test_mean_of_squares), TEST(test_distributions), TEST(test_width), TEST(test_negative),
          TEST(test_messages))
