/* Objectives that are made of histories: windows that end at crossings, integrals over an output, settling times, quantiles, with
 * their gradients by every method, on a linkage whose start varies; Gauss-Newton matrices; what is refused, and in which words. */
#include "mbd/referee.h"
#include "model.h"

enum { X, Y, SPEED, VX, OUTPUTS };
static const char *const watched[OUTPUTS] = {"P2.position.x", "P2.position.y", "P2.velocity.norm", "P2.velocity.x"};

#define TIME(t) \
  { .kind = MBD_MOMENT_TIME, .value = (t) }
#define FALLS(output, v) \
  { MBD_MOMENT_FALLS, output, v }
#define RISES(output, v) \
  { MBD_MOMENT_RISES, output, v }

/* Between nodes, at a node, and next to the end; the coefficients of their delays and offsets are those of the curve "sensor". */
static const double sampled[] = {0.0213, 0.1, 0.2471, 0.3997}, heights[] = {-2, -2.3, -2.5, -2.4},
                    speeds[] = {1, 0, 2, 4}, places[] = {0.5, 0.4, 0.9, 0.5};
static mbd_samples series[] = {{.n = 4, .time = sampled, .value = heights, .sigma = 0.3},
                               {.n = 4, .time = sampled, .value = speeds, .sigma = 0.5, .loss = 1, .width = 1},
                               {.n = 4, .time = sampled, .value = places, .sigma = 0.1, .loss = 2, .width = 2}};

/* From the start the point falls, and turns back after 0.45 s. */
static const mbd_term histories[] = {
    {.form = "rms", .output = VX},
    {.form = "rms", .from = TIME(0.103), .until = FALLS(Y, -2.4)},
    {.form = "range", .output = Y, .sharpness = 30},
    {.form = "range", .output = Y, .sharpness = 30, .from = FALLS(Y, -2.1), .until = RISES(SPEED, 1.7)},
    {.form = "value_at", .output = VX, .at = TIME(0.3123)},
    {.form = "value_at", .at = FALLS(Y, -2.35), .target_curve = "wish"},
    {.form = "integral", .from = TIME(0.1), .until = TIME(0.3)},
    {.form = "integral_square", .output = SPEED, .from = FALLS(Y, -2.1), .target_curve = "wish"},
    {.form = "integral_abs", .until = FALLS(Y, -2.4)},
    {.form = "integral_abs", .output = Y, .target = -2.2, .smoothing = 1e-7},
    {.form = "integral_abs",
     .output = VX,
     .target_curve = "wish",
     .smoothing = 1e-7,
     .over = 1 + Y,
     .until = FALLS(Y, -2.4)},
    {.form = "integral_square_above", .output = SPEED, .target = 1, .target_curve = "wish", .smoothing = 1e-7},
    {.form = "integral", .output = VX, .over = 1 + Y, .from = TIME(0.05), .until = FALLS(Y, -2.4)},
    {.form = "mean_square", .output = SPEED, .from = FALLS(Y, -2.1), .until = TIME(0.377)},
    {.form = "peak", .output = SPEED, .sharpness = 5, .until = FALLS(Y, -2.4)},
    {.form = "trough", .output = VX, .sharpness = 5, .from = RISES(X, 0.51)},
    {.form = "terminal", .output = SPEED, .until = FALLS(Y, -2.4), .target_curve = "wish"},
    {.form = "quantile", .output = SPEED, .level = 0.7, .width = 0.1},
    {.form = "quantile", .output = X, .level = 0.4, .width = 0.02, .from = FALLS(Y, -2.1)},
    {.form = "settling_time", .output = Y, .target = -2.52, .tolerance = 0.1},
    {.form = "settling_time", .output = Y, .target = -2.52, .tolerance = 0.1, .from = FALLS(Y, -2.1)},
    {.form = "integral_square", .over = 1 + Y, .target_curve = "wish"},
    {.form = "rms", .over = 1 + Y, .from = FALLS(Y, -2.1), .until = FALLS(Y, -2.4), .target_curve = "wish"},
    {.form = "peak", .output = VX, .sharpness = 8, .over = 1 + Y, .from = TIME(0.113)},
    {.form = "quantile", .level = 0.5, .width = 0.02, .over = 1 + Y, .until = FALLS(Y, -2.4)},
    {.form = "measured", .output = Y, .samples = &series[0]},
    {.form = "measured", .output = SPEED, .samples = &series[1]},
    {.form = "measured", .output = X, .samples = &series[2]},
};
enum { N = sizeof histories / sizeof histories[0] };

typedef struct linkage {
  test_model base;
  mbd_term term[N];
  mbd_case c;
  test_directions all; /* coefficients */
  int nc;
  double *dtheta;
  mbd_dparams *d;
} linkage;

static linkage open_linkage(const char *integrator, double step) {
  static const char *const scalar[] = {"Ls1", "Ls2"}, *const value[] = {"2.2", "2.1"};
  linkage q = {.base = model_open_more("problems/five_bar/five_bar.ini", 2, scalar, value,
                                       "\n[curve wish]\ntype = harmonic\ncoefficients = 0.4, 0.2, 3, 0.5\n"
                                       "[curve sensor]\ntype = polynomial\ncoefficients = 0.013, 0.2\n"),
               .c = case_lasting(0.4, step)};
  q.c.formulation = "matrix_r", q.c.integrator = integrator;
  for (int i = 0; i < OUTPUTS; i++) { CU_ASSERT_EQUAL(model_output(&q.base, watched[i]), i); }
  for (int i = 0; i < N; i++) {
    q.term[i] = histories[i];
    q.term[i].psi = i, q.term[i].weight = 1.5;
    if (q.term[i].smoothing == 0) { q.term[i].smoothing = 0.1; }
  }
  q.all = directions_of_coefficients(&q.base), q.nc = q.all.n;
  q.dtheta = calloc((size_t)q.nc, sizeof *q.dtheta);
  test_directions scalars = directions_of_scalars(&q.base);
  directions_any(&scalars, q.dtheta);
  directions_free(&scalars);
  for (int i = 0; i < q.nc; i++) { /* the target as well */
    if (strncmp(q.all.name[i], "curve.wish", 10) == 0) { q.dtheta[i] = 0.3; }
    if (strcmp(q.all.name[i], "curve.sensor.1") == 0) { q.dtheta[i] = 0.4, series[0].delay = series[1].delay = i + 1; }
    if (strcmp(q.all.name[i], "curve.sensor.2") == 0) {
      q.dtheta[i] = -0.7, series[1].offset = series[2].offset = i + 1;
    }
  }
  q.d = direction_along(&q.base, q.dtheta);
  return q;
}

static void close_linkage(linkage *q) {
  mbd_dparams_destroy(q->d), directions_free(&q->all), free(q->dtheta), model_close(&q->base);
}

/* Derivatives along the direction by an adjoint, of which g [N][nc] are the parts. */
static void by_adjoint(const linkage *q, mbd_sim *s, mbd_adjoint_options o, double *g, double *along) {
  double psi[N];
  mbd_error err = {0};
  must(mbd_sim_adjoint(s, q->base.p, &o, psi, g, NULL, NULL, &err), &err);
  for (int i = 0; i < N; i++) {
    along[i] = 0;
    for (int k = 0; k < q->nc; k++) { along[i] += g[i * q->nc + k] * q->dtheta[k]; }
  }
}

/* ---- gradients ---- */

/* Direct = discrete adjoint = complex step; checkpoints leave no trace; a sum of objectives is one adjoint; the continuous adjoint is
 * near, where there is one (`near` > 0). */
static void check_gradients(const linkage *q, double near) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_referee *r;
  double psi[N], direct[N], adjoint[N], same[N], exact[N], sum[N], weights[N], total = 0;
  const size_t size = N * (size_t)q->nc;
  double *g = calloc(2 * size, sizeof *g), *again = g + size;
  must(mbd_sim_create(q->base.m, &q->c, q->base.o, N, q->term, N, 1, &s, &err), &err);
  for (int run = 0; run < 2; run++) { /* nothing is left of an earlier run */
    must(mbd_sim_run(s, q->base.p, 1, &q->d, psi, direct, NULL, NULL, NULL, &err), &err);
    by_adjoint(q, s, (mbd_adjoint_options){0}, g, adjoint);
  }
  by_adjoint(q, s, (mbd_adjoint_options){.memory_limit = mbd_sim_stats(s)->memory / 3}, again, same);
  CU_ASSERT(mbd_sim_stats(s)->recomputed > 0);
  CU_ASSERT(memcmp(g, again, size * sizeof *g) == 0);
  for (int i = 0; i < N; i++) { weights[i] = cos(i), total += weights[i] * adjoint[i]; }
  const mbd_adjoint_options summed = {.nsum = 1, .sum = weights};
  must(mbd_sim_adjoint(s, q->base.p, &summed, psi, again, NULL, NULL, &err), &err);
  for (int k = 0; k < q->nc; k++) { total -= again[k] * q->dtheta[k]; }
  CHECK_CLOSE("sum of objectives", total, 0, 1e-9);
  must(mbd_referee_create(mbo_model_file_spec(q->base.file), &q->c, OUTPUTS, watched, N, q->term, N, &r, &err), &err);
  must(mbd_referee_derivative(r, q->all.theta, q->nc, q->all.index, q->dtheta, same, exact, &err), &err);
  for (int i = 0; i < N; i++) {
    const double max = fabs(exact[i]);
    CU_ASSERT(max > 1e-3);
    CHECK_NEAR(q->term[i].form, psi[i], same[i], fabs(psi[i]), 1e-11);
    CHECK_NEAR(q->term[i].form, adjoint[i], direct[i], max, 1e-10);
    CHECK_NEAR(q->term[i].form, direct[i], exact[i], max, 1e-10);
  }
  if (near > 0) {
    by_adjoint(q, s, (mbd_adjoint_options){.continuous = 1}, g, sum);
    for (int i = 0; i < N; i++) { CHECK_NEAR(q->term[i].form, sum[i], direct[i], fabs(direct[i]), near); }
  } else {
    const mbd_adjoint_options o = {.continuous = 1};
    CU_ASSERT_EQUAL(mbd_sim_adjoint(s, q->base.p, &o, psi, g, NULL, NULL, &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, "the continuous adjoint of integrator 'dormand_prince' reads the nodes of a run");
    CHECK_CONTAINS(err.text, "looks between them");
  }
  mbd_referee_destroy(r), mbd_sim_destroy(s), free(g);
}

static void test_gradients(void) {
  static const struct {
    const char *integrator, *formulation;
    double step, near;
  } how[] = {{"newmark", "ali3p", 5e-3, 0.02},          {"newmark", "matrix_r", 1e-2, 0.06},
             {"generalized_alpha", "ali3p", 5e-3, 0.1}, {"runge_kutta_4", "matrix_r", 1e-2, 1e-5},
             {"dormand_prince", "matrix_r", 1e-2, 0},   {"dormand_prince", "matrix_r", 0.05, 0}};
  for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
    linkage q = open_linkage(how[k].integrator, how[k].step);
    q.c.formulation = how[k].formulation;
    check_gradients(&q, how[k].near);
    close_linkage(&q);
  }
}

/* ---- order ---- */

static void solve(const linkage *q, const char *integrator, double step, double rtol, double *y) {
  mbd_case c = q->c;
  mbd_error err = {0};
  mbd_sim *s;
  c.integrator = integrator, c.step = step, c.rtol = c.atol = rtol;
  must(mbd_sim_create(q->base.m, &c, q->base.o, N, q->term, N, 1, &s, &err), &err);
  must(mbd_sim_run(s, q->base.p, 1, &q->d, y, y + N, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
}

/* Every integrator has its order in windows too, values and gradients. */
static void test_order(void) {
  static const struct {
    const char *integrator;
    double step, order;
  } how[] = {{"newmark", 4e-3, 2}, {"runge_kutta_4", 8e-3, 4}};
  linkage q = open_linkage("newmark", 0.01);
  double expected[2 * N], y[2 * N];
  solve(&q, "dormand_prince", 0.005, 1e-12, expected);
  for (int k = 0; k < 2; k++) {
    double e[2][2];
    for (int fine = 0; fine < 2; fine++) {
      solve(&q, how[k].integrator, how[k].step / (1 + fine), 1, y);
      e[fine][0] = size_of_errors(N, y, expected), e[fine][1] = size_of_errors(N, y + N, expected + N);
    }
    for (int i = 0; i < 2; i++) {
      CU_ASSERT(log2(e[0][i] / e[1][i]) > how[k].order - 0.3); /* seen: 2.0, 2.0, 4.0, 4.8 */
    }
  }
  solve(&q, "dormand_prince", 0.2, 1e-9, y);        /* two nodes */
  CU_ASSERT(size_of_errors(N, y, expected) < 1e-8); /* seen: 5e-10, 2e-8 */
  CU_ASSERT(size_of_errors(N, y + N, expected + N) < 2e-7);
  close_linkage(&q);
}

/* ---- Gauss-Newton matrices ---- */

enum { NP = 2 };

/* Of the whole run given as a window, the matrix that is summed during it; of a root, m''/(2 r) - m' m'^T/(4 r^3) with m = r^2. */
static void test_gauss_newton(void) {
  linkage q = open_linkage("newmark", 0.01);
  mbd_term t[] = {{.psi = 0, .form = "mean_square", .output = Y, .target = -2, .target_curve = "wish"},
                  {.psi = 1, .form = "mean_square", .output = Y, .target = -2, .target_curve = "wish"},
                  {.psi = 2, .form = "rms", .output = Y, .target = -2, .target_curve = "wish"},
                  {.psi = 3, .form = "rms", .output = Y, .target = -2, .from = FALLS(Y, -2.1), .over = 1 + X}};
  mbd_dparams *d[NP];
  double psi[4], g[4][NP], gn[4][NP][NP];
  mbd_error err = {0};
  mbd_sim *s;
  for (int i = 0; i < 4; i++) { t[i].weight = 1; }
  t[1].until = (mbd_moment)TIME(0.4);
  for (int a = 0; a < NP; a++) {
    for (int k = 0; k < q.nc; k++) { q.dtheta[k] *= any(); }
    d[a] = direction_along(&q.base, q.dtheta);
  }
  must(mbd_sim_create(q.base.m, &q.c, q.base.o, 4, t, 4, NP, &s, &err), &err);
  must(mbd_sim_run(s, q.base.p, NP, d, psi, &g[0][0], &gn[0][0][0], NULL, NULL, &err), &err);
  const double r = psi[2];
  CHECK_CLOSE("root", r * r, psi[0], 1e-13);
  for (int a = 0; a < NP; a++) {
    for (int b = 0; b < NP; b++) {
      CHECK_NEAR("window", gn[1][a][b], gn[0][a][b], gn[0][0][0], 1e-12);
      CHECK_NEAR("root", gn[2][a][b], gn[0][a][b] / (2 * r) - g[0][a] * g[0][b] / (4 * r * r * r), gn[2][0][0], 1e-11);
      CHECK_NEAR("symmetric", gn[3][a][b], gn[3][b][a], gn[3][0][0], 1e-12);
    }
  }
  CU_ASSERT(gn[3][0][0] > 0 && gn[3][0][0] * gn[3][1][1] >= gn[3][0][1] * gn[3][1][0]);
  for (int a = 0; a < NP; a++) { mbd_dparams_destroy(d[a]); }
  mbd_sim_destroy(s), close_linkage(&q);
}

/* ---- what is refused ---- */

static void test_refused(void) {
  static const double times[] = {0.2, 0.1, 0.5};
  static const mbd_samples backwards = {.n = 2, .time = times, .value = places, .sigma = 1},
                           beyond = {.n = 2, .time = times + 1, .value = places, .sigma = 1},
                           sharp = {.n = 1, .time = times, .value = places},
                           narrow = {.n = 1, .time = times, .value = places, .sigma = 1, .loss = 1};
  static const struct {
    mbd_term term;
    const char *message;
  } bad[] = {
      {{.form = "value_at"}, "objective 1: form value_at needs a time, at"},
      {{.form = "value_at", .at = TIME(0.5)}, "at = 0.5 s lies outside of the case, which lasts from 0 to 0.4 s"},
      {{.form = "rms", .from = TIME(-1)}, "from = -1 s lies outside of the case"},
      {{.form = "rms", .from = TIME(0.3), .until = TIME(0.2)}, "from = 0.3 s, expected less than until = 0.2 s"},
      {{.form = "rms", .at = TIME(0.3)}, "form rms has no key at, which belongs to value_at"},
      {{.form = "terminal", .from = TIME(0.3)},
       "form terminal is the value at one time: it has no key from, but until"},
      {{.form = "value_at", .at = TIME(0.3), .until = TIME(0.4)}, "it has no key from or until, but at"},
      {{.form = "settling_time", .tolerance = 1, .over = 1 + Y}, "over changes nothing without a target_curve"},
      {{.form = "settling_time"}, "form settling_time needs a tolerance > 0"},
      {{.form = "quantile", .level = 1, .width = 1}, "form quantile needs a level between 0 and 1, and a width > 0"},
      {{.form = "quantile", .level = 0.5}, "form quantile needs a level between 0 and 1, and a width > 0"},
      {{.form = "measured"}, "form measured needs a measured series, which a [measurement NAME] has"},
      {{.form = "measured", .samples = &backwards}, "times must increase, but 0.1 s follows 0.2 s"},
      {{.form = "measured", .samples = &beyond}, "the sample at 0.5 s lies outside of the case"},
      {{.form = "measured", .samples = &sharp}, "sigma = 0, expected > 0"},
      {{.form = "measured", .samples = &narrow}, "loss huber needs a width > 0"},
  };
  linkage q = open_linkage("newmark", 0.01);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbd_error err = {0};
    mbd_sim *s;
    mbd_term t = bad[i].term;
    t.weight = 1;
    CU_ASSERT_EQUAL(mbd_sim_create(q.base.m, &q.c, q.base.o, 1, &t, 1, 0, &s, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i].message);
  }
  mbd_error err = {0};
  mbd_sim *s;
  const mbd_term apart[] = {{.form = "rms", .weight = 1}, {.form = "rms", .weight = 2, .output = Y}};
  CU_ASSERT_EQUAL(mbd_sim_create(q.base.m, &q.c, q.base.o, 2, apart, 1, 0, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "have the same keys, except for output and target");
  close_linkage(&q);
}

/* What a motion does not do: a design of which another one may. */
static void test_does_not_happen(void) {
  static const struct {
    mbd_term term;
    const char *message;
  } bad[] = {
      {{.form = "rms", .until = FALLS(Y, -5)},
       "objective 1: until: 'P2.position.y' does not fall below -5 between t = 0 s and the end at 0.4 s, where it lies "
       "between -2.5"},
      {{.form = "rms", .from = RISES(Y, -2.2)}, "from: 'P2.position.y' does not rise above -2.2"},
      {{.form = "value_at", .label = "[objective x]", .at = {MBD_MOMENT_CROSSES, Y, -2}},
       "[objective x]: at: 'P2.position.y' does not cross -2"}, /* it begins there */
      {{.form = "rms", .from = FALLS(Y, -2.4), .until = TIME(0.1)}, "the window is empty: it begins at t = 0.2"},
      {{.form = "settling_time", .tolerance = 0.01}, "'P2.position.x' has not settled: at t = 0.4 s"},
      {{.form = "integral", .over = 1 + SPEED}, "over: 'P2.velocity.norm' turns back at t = "},
  };
  linkage q = open_linkage("newmark", 0.01);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbd_error err = {0};
    mbd_sim *s;
    mbd_term t = bad[i].term;
    double psi;
    t.weight = 1;
    must(mbd_sim_create(q.base.m, &q.c, q.base.o, 1, &t, 1, 0, &s, &err), &err);
    CU_ASSERT_EQUAL(mbd_sim_run(s, q.base.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), MBD_OUT_OF_DOMAIN);
    CHECK_CONTAINS(err.text, bad[i].message);
    mbd_sim_destroy(s);
  }
  close_linkage(&q);
}

TEST_MAIN(TEST(test_gradients), TEST(test_order), TEST(test_gauss_newton), TEST(test_refused),
          TEST(test_does_not_happen))
