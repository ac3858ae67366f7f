/* Integrals over time have the order of their integrator, values and gradients: against closed forms of an oscillator, and on a
 * linkage with every form of objective. The gradients are those of the numbers reported. */
#include "mbd/referee.h"
#include "model.h"
#include "formulation/formulation.h"
#include "objective/objectives.h"

/* ---- the rule on the nodes ---- */

static double sum_of_powers(const mbd_sim *s, int n) {
  double sum = 0;
  for (int k = 0; k <= s->nsteps; k++) { sum += quadrature_node_rule(s, k) * pow((double)k / s->nsteps, n); }
  return sum;
}

/* Exact for powers up to the fifth, of fewer steps up to as many as there are (and the odd one above); positive. */
static void test_node_rule(void) {
  for (int steps = 1; steps <= 12; steps++) {
    const mbd_sim s = {.integrator = mbd_integrator_find("runge_kutta_4"), .nsteps = steps, .h = 1.0 / steps};
    const int exact = steps < 4 ? steps | 1 : 5;
    for (int n = 0; n <= exact; n++) { CHECK_CLOSE("power", sum_of_powers(&s, n), 1.0 / (n + 1), 1e-15); }
    CU_ASSERT(fabs(sum_of_powers(&s, exact + 1) - 1.0 / (exact + 2)) > 1e-9);
    for (int k = 0; k <= steps; k++) { CU_ASSERT(quadrature_node_rule(&s, k) > 0); }
  }
  const mbd_sim s = {.integrator = mbd_integrator_find("newmark"), .nsteps = 7, .h = 0.5};
  for (int k = 0; k <= 7; k++) { CHECK_CLOSE("trapezoidal", sim_weight(&s, k), k % 7 ? 0.5 : 0.25, 0); }
}

/* ---- an oscillator, x = a cos(w t), w^2 = stiffness/2 ---- */

static const char oscillator[] =
    "schema = 1\n[model]\nname = oscillator\ngravity = 0, 0, 0\n"
    "[body carriage]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[vector rail]\nalong = 1, 0, 0\nbodies = ground, carriage\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, carriage\naxis = rail\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = slide.distance\nstiffness = 18\n"
    "[curve beat]\ntype = harmonic\ncoefficients = 0, 0.3, 20, 0\n"
    "[start]\nhold.slide.distance = 0.7\nrate.slide.distance = 0\n";

static const double amplitude = 0.7, w = 3, duration = 1.1;

enum { VALUES = 4 };

typedef struct result {
  double psi[VALUES], grad[VALUES], adjoint[VALUES], gn; /* by the stiffness; Gauss-Newton matrix of the first */
} result;

/* Of x^2; of x'^2 w^2; of the mean of x''^2; of (x - beat)^2, a target much faster than the motion. */
static result closed_forms(void) {
  const double T = duration, s2 = sin(2 * w * T), c2 = cos(2 * w * T), aa = amplitude * amplitude, by = 1 / (4 * w);
  const double plus = T / 2 + s2 / (4 * w), minus = T / 2 - s2 / (4 * w), slope = T * c2 / (2 * w) - s2 / (4 * w * w);
  const double b = 0.3, p = 20 + w, m = 20 - w, cross = (1 - cos(p * T)) / (2 * p) + (1 - cos(m * T)) / (2 * m);
  const double p_w = T * sin(p * T) / (2 * p) - (1 - cos(p * T)) / (2 * p * p);
  const double m_w = -T * sin(m * T) / (2 * m) + (1 - cos(m * T)) / (2 * m * m);
  const double beat = b * b * (T / 2 - sin(40 * T) / 80), w4 = w * w * w * w;
  result y = {.psi = {aa * plus, aa * w * w * minus, aa * w4 * plus / T, aa * plus - 2 * amplitude * b * cross + beat}};
  y.grad[0] = by * aa * slope;
  y.grad[1] = by * aa * (2 * w * minus - w * w * slope);
  y.grad[2] = by * aa * (4 * w * w * w * plus + w4 * slope) / T;
  y.grad[3] = by * (aa * slope - 2 * amplitude * b * (p_w + m_w));
  y.gn = 2 * by * by * aa *
         (T * T * T / 6 - (T * T / (4 * w) - 1 / (8 * w * w * w)) * s2 -
          T * c2 / (4 * w * w)); /* of x_w = -a t sin(w t) */
  return y;
}

static const char *const output_of[VALUES] = {"slide.distance", "slide.distance.rate", "slide.distance.acceleration",
                                              "slide.distance"};

static result oscillate(const mbd_case *c) {
  const char *const form[VALUES] = {"integral_square", "integral_square", "mean_square", "integral_square"};
  const mbd_adjoint_options o = {0};
  const double one = 1;
  int stiffness = 0;
  mbd_error err = {0};
  mbd_dparams *d;
  mbd_sim *s;
  mbd_term term[VALUES];
  result y;
  double again[VALUES], gn[VALUES];
  test_model q = model_open_text(oscillator);
  const int nc = mbd_model_ncoef(q.m);
  double *gtheta = calloc(VALUES * (size_t)nc, sizeof *gtheta);
  while (strcmp(mbd_model_coef_name(q.m, stiffness), "force.spring.stiffness") != 0) { stiffness++; }
  for (int i = 0; i < VALUES; i++) {
    term[i] = (mbd_term){.psi = i, .output = model_output(&q, output_of[i]), .form = form[i], .weight = 1};
  }
  term[3].target_curve = "beat";
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, 1, &stiffness, &one);
  must(mbd_sim_create(q.m, c, q.o, VALUES, term, VALUES, 1, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 1, &d, y.psi, y.grad, gn, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &o, again, gtheta, NULL, NULL, &err), &err);
  for (int i = 0; i < VALUES; i++) {
    y.adjoint[i] = gtheta[i * nc + stiffness];
    CHECK_CLOSE("value", again[i], y.psi[i], 1e-14);
    CHECK_NEAR("adjoint", y.adjoint[i], y.grad[i], fabs(y.grad[i]), 1e-11);
  }
  y.gn = gn[0];
  mbd_sim_destroy(s), mbd_dparams_destroy(d), model_close(&q);
  free(gtheta);
  return y;
}

/* Errors of all numbers, relative to their values; of derivatives, to value/stiffness. */
enum { NUMBERS = 2 * VALUES + 1 };

static void errors(const result *y, double *e) {
  const result expected = closed_forms();
  for (int i = 0; i < VALUES; i++) {
    e[i] = fabs(y->psi[i] / expected.psi[i] - 1),
    e[VALUES + i] = fabs(y->grad[i] - expected.grad[i]) * 2 * w * w / expected.psi[i];
  }
  e[2 * VALUES] = fabs(y->gn / expected.gn - 1);
}

static mbd_case oscillator_case(const char *integrator, int steps) {
  mbd_case c = case_lasting(duration, duration / steps);
  c.formulation = "semi_recursive", c.integrator = integrator;
  return c;
}

/* Runge-Kutta steps: order four, seen 3.9 to 4.3. The target, of which 400 steps take 114 a period, is summed by the rule of order
 * six; 3e-11 is left of it, 1e-5 by the trapezoidal rule. */
static void test_order(void) {
  double coarse[NUMBERS], fine[NUMBERS];
  mbd_case c = oscillator_case("runge_kutta_4", 200);
  const result a = oscillate(&c);
  c = oscillator_case("runge_kutta_4", 400);
  const result b = oscillate(&c);
  errors(&a, coarse), errors(&b, fine);
  for (int i = 0; i < NUMBERS; i++) {
    if (i % VALUES == 3) {
      CU_ASSERT(fine[i] < 1e-10);
    } else {
      CHECK_CLOSE("order", log2(coarse[i] / fine[i]), 4, 0.4);
    }
  }
}

/* Adaptive steps: errors go with the tolerance, whatever the nodes. Seen: up to 7.2 times the tolerance. */
static void test_tolerance(void) {
  static const int nodes[] = {1, 7, 300};
  for (size_t k = 0; k < sizeof nodes / sizeof nodes[0]; k++) {
    mbd_case c = oscillator_case("dormand_prince", nodes[k]);
    for (c.rtol = 1e-6; c.rtol > 1e-13; c.rtol /= 100) {
      double e[NUMBERS];
      c.atol = c.rtol;
      const result y = oscillate(&c);
      errors(&y, e);
      for (int i = 0; i < NUMBERS; i++) { CU_ASSERT(e[i] < 10 * c.rtol); }
    }
  }
}

/* ---- what own steps do not resolve ---- */

/* Modified Bessel function of the first kind, the mean of exp(x cos) over a period. */
static double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 3000; k++) { term *= x * x / (4.0 * k * k), sum += term; }
  return sum;
}

/* Two periods, n terms of the place. */
static void peaks(mbd_case *c, int n, mbd_term *term, double *psi) {
  mbd_error err = {0};
  mbd_sim *s;
  test_model q = model_open_text(oscillator);
  const int place = model_output(&q, "slide.distance");
  for (int i = 0; i < n; i++) { term[i].psi = i, term[i].output = place, term[i].weight = 1; }
  must(mbd_sim_create(q.m, c, q.o, n, term, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
}

/* Peaks much narrower than an own step are seen at the distance of the nodes: the closed form ln I0(p a)/p to the error of the
 * motion, for explicit steps of both kinds; largest seen 1.6e-8. */
static void test_sharp_peaks(void) {
  static const char *const integrators[] = {"runge_kutta_4", "dormand_prince"};
  static const double sharpness[] = {10, 100, 900};
  for (int k = 0; k < 2; k++) {
    mbd_term t[3] = {{0}};
    double psi[3];
    mbd_case c = oscillator_case(integrators[k], 1);
    c.duration = 4 * acos(-1.0) / w, c.step = 2e-3;
    c.rtol = c.atol = 1e-8;
    for (int i = 0; i < 3; i++) { t[i].form = "peak", t[i].sharpness = sharpness[i]; }
    peaks(&c, 3, t, psi);
    for (int i = 0; i < 3; i++) {
      const double p = sharpness[i];
      CHECK_CLOSE("peak", psi[i], log(bessel_i0(p * amplitude)) / p, 5e-8);
    }
  }
}

/* Steps of any coarseness: no square with a negative integral, no logarithm of a negative sum. */
static void test_coarse(void) {
  for (double rtol = 1; rtol > 1e-4; rtol /= 3) {
    for (double target = -1; target <= 1; target += 0.25) {
      mbd_term t[] = {{.form = "integral_square", .target = target},
                      {.form = "peak", .sharpness = 50},
                      {.form = "trough", .sharpness = 50}};
      double psi[3];
      mbd_case c = oscillator_case("dormand_prince", 1);
      c.duration = c.step = 1 + target / 3, c.rtol = c.atol = rtol;
      peaks(&c, 3, t, psi);
      CU_ASSERT(psi[0] > 0);
      CU_ASSERT(isfinite(psi[1]) && isfinite(psi[2]));
    }
  }
}

/* ---- a linkage, every form ---- */

enum { FORMS = 8 };
static const char *const forms[FORMS] = {"integral", "integral_square", "integral_abs", "mean_square", "terminal",
                                         "peak",     "peak_abs",        "trough"};
static const char *const watched[FORMS] = {
    "s2.speed",         "P2.acceleration.norm", "P2.velocity.x",     "P2.position.x",
    "P2.velocity.norm", "P2.position.y",        "P2.acceleration.x", "JB.coincident.multiplier.norm"};

typedef struct linkage {
  test_model base;
  mbd_term term[FORMS];
  mbd_case c;
  test_directions all; /* coefficients */
  int nc;
  double *dtheta;
  mbd_dparams *d;
} linkage;

static void open_linkage(linkage *q, const char *integrator, double step) {
  *q = (linkage){.base = model_open_more("problems/five_bar/five_bar.ini", 0, NULL, NULL,
                                         "\n[curve wish]\ntype = harmonic\ncoefficients = 0.1, 0.2, 9, 0.5\n"),
                 .c = case_lasting(0.4, step)};
  q->c.formulation = "matrix_r", q->c.integrator = integrator;
  for (int i = 0; i < FORMS; i++) {
    q->term[i] = (mbd_term){.psi = i,
                            .output = model_output(&q->base, watched[i]),
                            .form = forms[i],
                            .weight = 1.5,
                            .target = 0.2,
                            .smoothing = 0.1,
                            .sharpness = 4,
                            .target_curve = i % 2 ? "wish" : NULL};
  }
  q->all = directions_of_coefficients(&q->base), q->nc = q->all.n;
  q->dtheta = calloc((size_t)q->nc, sizeof *q->dtheta);
  test_directions scalars = directions_of_scalars(&q->base);
  directions_any(&scalars, q->dtheta);
  directions_free(&scalars);
  for (int i = 0; i < q->nc; i++) { /* the target as well */
    if (strncmp(q->all.name[i], "curve.wish", 10) == 0) { q->dtheta[i] = 0.3; }
  }
  q->d = direction_along(&q->base, q->dtheta);
}

static void close_linkage(linkage *q) {
  mbd_dparams_destroy(q->d), directions_free(&q->all), free(q->dtheta), model_close(&q->base);
}

/* Derivative of every form along the direction, by the discrete adjoint; bits of the gradient into g. */
static mbd_stats by_adjoint(const linkage *q, mbd_sim *s, size_t memory_limit, double *g, double *along) {
  const mbd_adjoint_options o = {.memory_limit = memory_limit};
  double psi[FORMS];
  mbd_error err = {0};
  must(mbd_sim_adjoint(s, q->base.p, &o, psi, g, NULL, NULL, &err), &err);
  for (int i = 0; i < FORMS; i++) {
    along[i] = 0;
    for (int k = 0; k < q->nc; k++) { along[i] += g[i * q->nc + k] * q->dtheta[k]; }
  }
  return *mbd_sim_stats(s);
}

/* Direct = adjoint = complex step, for what is reported; checkpoints leave no trace. */
static void check_gradients(const linkage *q) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_referee *r;
  double psi[FORMS], direct[FORMS], adjoint[FORMS], same[FORMS], exact[FORMS];
  const size_t size = FORMS * (size_t)q->nc;
  double *g = calloc(2 * size, sizeof *g), *again = g + size;
  must(mbd_sim_create(q->base.m, &q->c, q->base.o, FORMS, q->term, FORMS, 1, &s, &err), &err);
  must(mbd_sim_run(s, q->base.p, 1, &q->d, psi, direct, NULL, NULL, NULL, &err), &err);
  const mbd_stats whole = by_adjoint(q, s, 0, g, adjoint), part = by_adjoint(q, s, whole.memory / 4, again, same);
  CU_ASSERT(part.recomputed > 0);
  CU_ASSERT(memcmp(g, again, size * sizeof *g) == 0);
  must(mbd_referee_create(mbo_model_file_spec(q->base.file), &q->c, FORMS, watched, FORMS, q->term, FORMS, &r, &err),
       &err);
  must(mbd_referee_derivative(r, q->all.theta, q->nc, q->all.index, q->dtheta, same, exact, &err), &err);
  for (int i = 0; i < FORMS; i++) {
    CU_ASSERT(fabs(exact[i]) > 1e-3);
    CHECK_NEAR(watched[i], psi[i], same[i], fabs(psi[i]), 1e-11);
    CHECK_NEAR(watched[i], adjoint[i], direct[i], fabs(exact[i]), 1e-10);
    CHECK_NEAR(watched[i], direct[i], exact[i], fabs(exact[i]), 1e-10);
  }
  mbd_referee_destroy(r), mbd_sim_destroy(s), free(g);
}

static void test_gradients(void) {
  static const char *const integrators[] = {"runge_kutta_4", "dormand_prince"};
  static const double steps[] = {0.01, 0.05};
  for (int k = 0; k < 4; k++) {
    linkage q;
    open_linkage(&q, integrators[k / 2], steps[k % 2]);
    check_gradients(&q);
    close_linkage(&q);
  }
}

/* Values and derivatives of all forms. */
static void solve(const linkage *q, double step, double rtol, double *y) {
  mbd_case c = q->c;
  mbd_error err = {0};
  mbd_sim *s;
  c.step = step, c.rtol = c.atol = rtol;
  must(mbd_sim_create(q->base.m, &c, q->base.o, FORMS, q->term, FORMS, 1, &s, &err), &err);
  must(mbd_sim_run(s, q->base.p, 1, &q->d, y, y + FORMS, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
}

/* Both kinds of explicit steps have one limit, which Runge-Kutta steps approach with order four (seen: 4.0; of derivatives, where
 * peaks are sharp, 5.8), adaptive ones with their tolerance (seen: 1 and 3 times it). */
static void test_linkage(void) {
  double expected[2 * FORMS], near[2 * FORMS], coarse[2 * FORMS], fine[2 * FORMS];
  linkage q;
  open_linkage(&q, "dormand_prince", 0.01);
  solve(&q, 0.4, 1e-13, expected), solve(&q, 0.05, 1e-9, near);
  q.c.integrator = "runge_kutta_4";
  solve(&q, 4e-3, 1, coarse), solve(&q, 2e-3, 1, fine);
  for (int i = 0; i < 2 * FORMS; i += FORMS) { /* values; derivatives */
    const double error = size_of_errors(FORMS, fine + i, expected + i);
    CU_ASSERT(log2(size_of_errors(FORMS, coarse + i, expected + i) / error) > 3.7);
    CU_ASSERT(error < 5e-9);
    CU_ASSERT(size_of_errors(FORMS, near + i, expected + i) < 2e-8);
  }
  close_linkage(&q);
}

/* ---- integrals so far: at every node those of a run that ends there ---- */

enum { SO_FAR_STEPS = 13 };

typedef struct so_far {
  mbd_sim *s;
  double y[SO_FAR_STEPS + 1];
} so_far;

static int note_so_far(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                       const double *lam, const double *y) {
  so_far *q = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  q->y[k] = mbd_sim_so_far(q->s, 0);
  return 0;
}

static void test_so_far(void) {
  static const char *const integrators[] = {"newmark", "runge_kutta_4", "dormand_prince"};
  test_model q = model_open_text(oscillator);
  const int distance = model_output(&q, "slide.distance"), rate = model_output(&q, "slide.distance.rate");
  const mbd_term term[] = {{.psi = 0, .output = distance, .form = "integral_square", .weight = 3, .target = 0.2},
                           {.psi = 0, .output = rate, .form = "integral", .weight = 2},
                           {.psi = 1, .output = distance, .form = "terminal", .weight = 1},
                           {.psi = 2, .output = distance, .form = "mean_square", .weight = 1}};
  for (int i = 0; i < 3; i++) {
    so_far whole = {0};
    for (int steps = SO_FAR_STEPS; steps > 0; steps--) {
      mbd_error err = {0};
      double psi[3];
      so_far part = {0};
      mbd_case c = case_lasting(0.05 * steps, 0.05);
      c.formulation = "semi_recursive", c.integrator = integrators[i];
      must(mbd_sim_create(q.m, &c, q.o, 4, term, 3, 0, &part.s, &err), &err);
      must(mbd_sim_run(part.s, q.p, 0, NULL, psi, NULL, NULL, note_so_far, &part, &err), &err);
      CU_ASSERT_EQUAL(part.y[steps], psi[0]);
      CU_ASSERT(mbd_sim_is_integral(part.s, 0) && !mbd_sim_is_integral(part.s, 1) && !mbd_sim_is_integral(part.s, 2));
      mbd_sim_destroy(part.s);
      if (steps == SO_FAR_STEPS) { whole = part; }
      CHECK_CLOSE(integrators[i], whole.y[steps], psi[0], i < 2 ? 1e-14 : 1e-3);
    }
    CU_ASSERT_EQUAL(whole.y[0], 0);
  }
  model_close(&q);
}

/* Messages and documents name the forms of squares by this list. */
static void test_square_forms(void) {
  char listed[200] = "";
  for (int i = 0; mbd_form_name(i); i++) {
    const mbd_form_info *f = mbd_form_at(i);
    if (!f->is_square || (f->needs & MBD_NEEDS_SAMPLES)) { continue; }
    snprintf(listed + strlen(listed), sizeof listed - strlen(listed), "%s%s", *listed ? ", " : "", f->name);
  }
  CU_ASSERT_STRING_EQUAL(MBD_SQUARE_FORMS, listed);
}

TEST_MAIN(TEST(test_square_forms), TEST(test_node_rule), TEST(test_order), TEST(test_tolerance), TEST(test_sharp_peaks),
          TEST(test_coarse), TEST(test_so_far), TEST(test_gradients), TEST(test_linkage))
