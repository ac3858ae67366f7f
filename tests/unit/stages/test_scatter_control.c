/* Shares of a variance by hand, prices of tolerances by differences, and independent samples, whose intervals contain closed forms as often as they
 * say. */
#include "stages/scatter_control.h"

#include "opened_run.h"
#include "scatter/normal.h"

static const char *const model =
    "schema = 1\n[model]\nname = drop\ngravity = 0, -g, 0\njoints = named\n[scalars]\ng = 10\nv = 2\nL = 3\nfree = 1\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[joint j]\ntype = prismatic\nbodies = ground, b\naxis = y\n[start]\nhold.j.distance = L\nrate.j.distance = v\n";

#define HEAD                                                                                                      \
  "schema = 1\n[model]\nfile = MODEL\n[design free]\n[uncertain L]\ndeviation = 0.3\n[uncertain v]\ndeviation = " \
  "0.4\ncorrelation.L = 0.5\n[uncertain g]\ndistribution = uniform\nlower = 9\nupper = 11\n"

/* The files stay as long as the run: the control reads them again. */
typedef struct kept_run {
  char model_path[40], run_path[40];
  opened_run r;
} kept_run;

static kept_run open_kept(const char *run, int n, const char *const *set) {
  kept_run k;
  run_write_texts(model, run, k.model_path, k.run_path);
  k.r = run_read(k.run_path, n, set);
  return k;
}

static void close_kept(kept_run *k) {
  run_close(&k->r);
  unlink(k->run_path), unlink(k->model_path);
}

/* The height after 0.5 s is linear: parts a = 0.3 of L, b = 0.2 of v, c = 0.125/sqrt(3) of g; of its variance a^2 + 2 r a b + b^2 + c^2 the
 * shares are a (a + r b), b (b + r a), c^2. A value that names another one, and a scalar. */
static void test_shares(void) {
  static const char *const run = HEAD
      "[case c]\nduration = 0.5\nstep = 0.05\n[scenarios]\nsamples = 3\n[objective o]\nof = j.distance\nform = "
      "terminal\nacross = worst\nacross.width = 0.1\n[objective p]\nvalue = o + 2*L\nacross = mean\n";
  kept_run kept = open_kept(run, 0, NULL);
  const opened_run r = kept.r;
  const double start[] = {1}, a = 0.3, b = 0.2, c = 0.125 / sqrt(3), d = 0.9; /* of o + 2 L the part of L is 0.9 */
  const double of_o = a * a + a * b + b * b + c * c, of_p = d * d + d * b + b * b + c * c;
  const double share[2][3] = {{a * (a + b / 2) / of_o, b * (b + a / 2) / of_o, c * c / of_o},
                              {d * (d + b / 2) / of_p, b * (b + d / 2) / of_p, c * c / of_p}};
  scatter_control k;
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, start, "none", &err), &err);
  must(scatter_control_create(r.m, start, &k, &err), &err);
  CU_ASSERT_EQUAL_FATAL(k.n, 2);
  CU_ASSERT(k.samples == 0 && isnan(k.of[0].low) && !*k.failure);
  CHECK_CLOSE("mean", k.of[0].mean, 2.75, 1e-12);
  CHECK_CLOSE("mean", k.of[1].mean, 8.75, 1e-12);
  CHECK_CLOSE("sigma", k.of[0].sigma, sqrt(of_o), 1e-12);
  CHECK_CLOSE("sigma", k.of[1].sigma, sqrt(of_p), 1e-12);
  for (int q = 0; q < 2; q++) {
    for (int i = 0; i < 3; i++) { CHECK_CLOSE("share", k.of[q].share[i], share[q][i], 1e-12); }
  }
  int order[2];
  CU_ASSERT_EQUAL(scatter_control_largest(r.m, &k.of[0], 2, order), 2);
  CU_ASSERT(order[0] == 0 && order[1] == 1);
  scatter_control_free(&k);
  close_kept(&kept);
}

/* ---- means to second order ---- */

#define WITH(more)                                                                                        \
  HEAD "[case c]\nduration = 0.5\nstep = 0.05\n[scenarios]\nsamples = 3\ncheck = 2\n[objective y]\nof = " \
       "j.distance\nform "                                                                                \
       "= integral_square\n" more

/* The integral of y^2 where nothing scatters, with L, v, g. */
static double square(const double at[3]) {
  char text[3][40];
  const char *const set[] = {text[0], text[1], text[2]};
  const double start[] = {1};
  mbd_error err = {0};
  for (int i = 0; i < 3; i++) { snprintf(text[i], sizeof text[i], "scalars.%c=%.17g", "Lvg"[i], at[i]); }
  kept_run kept = open_kept(WITH(""), 3, set);
  must(mechanism_evaluate(kept.r.m, start, "none", &err), &err);
  const double f = kept.r.m->psi[0];
  close_kept(&kept);
  return f;
}

/* y is linear in what scatters, its integrated square is quadratic, so second differences along the columns of the correlations' factor are exact. Of a
 * value the expectation is that by hand: E o^2 = (E o)^2 + var o, E L v = L v + r 0.3 0.4, and of the square of a scatter in an expression of the model. */
static void test_second_order(void) {
  static const double mean[] = {3, 2, 10},
                      column[3][3] = {{0.3, 0.2, 0}, {0, 0.34641016151377546, 0}, {0, 0, 0.57735026918962576}};
  kept_run kept = open_kept(WITH("across = mean\n[objective o]\nof = j.distance\nform = terminal\nacross = mean_sigma\n"
                                 "[objective p]\nvalue = o^2 + L*v\nacross = mean\n"),
                            0, NULL);
  const double start[] = {1}, a = 0.3, b = 0.2, c = 0.125 / sqrt(3);
  scatter_control k;
  mbd_error err = {0};
  must(mechanism_evaluate(kept.r.m, start, "none", &err), &err);
  must(scatter_control_create(kept.r.m, start, &k, &err), &err);
  double more = 0;
  for (int i = 0; i < 3; i++) {
    double up[3], down[3];
    for (int j = 0; j < 3; j++) { up[j] = mean[j] + column[i][j], down[j] = mean[j] - column[i][j]; }
    more += (square(up) - 2 * square(mean) + square(down)) / 2;
  }
  CHECK_CLOSE("integral of a square", k.of[0].mean_second - k.of[0].mean, more, 1e-12);
  CU_ASSERT(more > 0.05 && scatter_control_bends(&k.of[0]));
  CHECK_CLOSE("linear", k.of[1].mean_second, 2.75, 1e-12);
  CU_ASSERT(!scatter_control_bends(&k.of[1]));
  CHECK_CLOSE("value", k.of[2].mean_second, 2.75 * 2.75 + a * a + a * b + b * b + c * c + 6 + 0.06, 1e-12);
  scatter_control_free(&k);
  close_kept(&kept);
}

static const char *const values = HEAD
    "[scenarios]\nsamples = 31\n[objective mean]\nvalue = L + v\nacross = mean\n[objective both]\nvalue = L + v\n"
    "across = mean_sigma\nacross.sigmas = 2\n[objective tail]\nvalue = L + v\nacross = cvar\nacross.width = 0.01\n"
    "across.tail = lower\n[objective part]\nvalue = L + v\nacross = probability\nacross.limit = 5.5\nacross.width = "
    "0.01\n"
    "[constraint largest]\nvalue = L + v\nacross = worst\nacross.width = 0.01\nupper = 5.1\n"
    "[objective never]\nvalue = L + v\nacross = probability\nacross.limit = 50\nacross.width = 0.01\n";

/* Of 200 draws of 200 samples each, the intervals of 95 % contain the values of the normal distribution in 190, more or less (standard deviation 3). */
static void test_coverage(void) {
  const int draws = test_long() ? 200 : 50;
  const double sigma = sqrt(0.09 + 0.12 + 0.16), z = normal_quantile(0.9);
  const double value[] = {5, 5 + 2 * sigma, 5 - sigma * normal_density(z) / 0.1, normal_cdf(-0.5 / sigma)};
  const double start[] = {1};
  int contained[4] = {0};
  mbd_error err = {0};
  for (int d = 0; d < draws; d++) {
    char seed[40];
    const char *set[] = {"scenarios.check=200", seed};
    snprintf(seed, sizeof seed, "scenarios.seed=%d", d + 1);
    kept_run kept = open_kept(values, 2, set);
    const opened_run r = kept.r;
    scatter_control k;
    must(mechanism_evaluate(r.m, start, "none", &err), &err);
    must(scatter_control_create(r.m, start, &k, &err), &err);
    CU_ASSERT_EQUAL_FATAL(k.samples, 200);
    for (int i = 0; i < 4; i++) { contained[i] += k.of[i].low <= value[i] && value[i] <= k.of[i].high; }
    /* None of 200 says that at most 1.9 % are there: z^2/(n + z^2). */
    CU_ASSERT(k.of[4].value == 0 && k.of[4].low == 0 && !scatter_control_differs(&k.of[4]));
    CHECK_CLOSE("never", k.of[4].high, 3.841458820694124 / 203.841458820694124, 1e-9);
    CHECK_CLOSE("beyond", k.of[5].beyond, 1 - pow(0.05, 0.005), 1e-12);
    CU_ASSERT(scatter_control_violates(r.m, &k.of[5]) && !scatter_control_violates(r.m, &k.of[0]));
    scatter_control_free(&k);
    close_kept(&kept);
  }
  for (int i = 0; i < 4; i++) {
    printf("\n  %d: %.3g of the intervals contain the value", i, (double)contained[i] / draws);
    CU_ASSERT(contained[i] >= 0.85 * draws);
  }
}

/* The control is not of the scenarios' own samples: few of them do not represent the tail, and are told to differ. */
static void test_differs(void) {
  static const char *const set[] = {"scenarios.check=4000", "scenarios.samples=3"};
  const double start[] = {1};
  kept_run kept = open_kept(values, 2, set);
  const opened_run r = kept.r;
  scatter_control k;
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, start, "none", &err), &err);
  must(scatter_control_create(r.m, start, &k, &err), &err);
  CU_ASSERT(scatter_control_differs(&k.of[2]));
  CHECK_CLOSE("deviation", k.of[0].sample_sigma, sqrt(0.37), 0.03);
  scatter_control_free(&k);
  close_kept(&kept);
}

TEST_MAIN(TEST(test_shares), TEST(test_second_order), TEST(test_coverage), TEST(test_differs))
