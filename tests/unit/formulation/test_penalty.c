/* The penalty formulation: its equations hold after a step, constraints are violated in inverse proportion to the penalty, and motion
 * and gradient tend to those of ALI3-P in the same proportion. */
#include "model.h"
#include "formulation/ali3p.h"

static const char *const models[] = {"problems/five_bar/five_bar_found.ini", "tests/conformance/models/cuts.ini",
                                     "tests/conformance/models/constraints.ini"};
enum { N_MODELS = sizeof models / sizeof models[0] };

typedef struct setup {
  test_model base;
  mbd_term term;
} setup;

static void open_setup(setup *s, const char *model) {
  s->base = model_open(model);
  s->term = (mbd_term){.output = model_output(&s->base, "energy.kinetic"), .form = "integral_square", .weight = 1};
}

static mbd_case case_of(const char *formulation, double penalty) {
  mbd_case c;
  mbd_case_init(&c);
  c.duration = 0.1, c.step = 5e-3, c.formulation = formulation, c.penalty = penalty;
  return c;
}

/* A run with its adjoint; psi, and the gradient by all coefficients, to be freed. */
static mbd_sim *simulate(const setup *s, const mbd_case *c, double *psi, double **gradient) {
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_sim *sim;
  *gradient = calloc((size_t)mbd_model_ncoef(s->base.m) + 1, sizeof **gradient);
  must(mbd_sim_create(s->base.m, c, s->base.o, 1, &s->term, 1, 0, &sim, &err), &err);
  must(mbd_sim_adjoint(sim, s->base.p, &all, psi, *gradient, NULL, NULL, &err), &err);
  must(mbd_sim_run(sim, s->base.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  return sim;
}

/* lam = alpha Phi at the last node, which S3 (14) asks for; relative to the largest. */
static void test_reactions(void) {
  for (int k = 0; k < N_MODELS; k++) {
    setup s;
    double psi, *gradient, max = 0;
    open_setup(&s, models[k]);
    const mbd_case c = case_of("penalty", 1e6);
    mbd_sim *sim = simulate(&s, &c, &psi, &gradient);
    for (int i = 0; i < s.base.m->nphi; i++) { max = fmax(max, fabs(sim->now.lam[i])); }
    CU_ASSERT(max > 1);
    for (int i = 0; i < s.base.m->nphi; i++) {
      CHECK_NEAR(models[k], 1e6 * ali3p_of(sim)->newton.phi[i], sim->now.lam[i], max, 1e-9);
    }
    free(gradient);
    mbd_sim_destroy(sim);
    model_close(&s.base);
  }
}

/* Ten times the penalty: a tenth of the violation, of the distance from ALI3-P's value, and of that from its gradient. */
static void test_limit(void) {
  static const double penalty[] = {1e7, 1e8};
  for (int k = 0; k < N_MODELS; k++) {
    setup s;
    double expected, psi, *exact, *gradient, phi[2], value[2], slope[2], size = 0;
    open_setup(&s, models[k]);
    const int nc = mbd_model_ncoef(s.base.m);
    const mbd_case held = case_of("ali3p", 0);
    mbd_sim_destroy(simulate(&s, &held, &expected, &exact));
    for (int j = 0; j < nc; j++) { size = fmax(size, fabs(exact[j])); }
    for (int i = 0; i < 2; i++) {
      const mbd_case c = case_of("penalty", penalty[i]);
      mbd_sim *sim = simulate(&s, &c, &psi, &gradient);
      phi[i] = sim->stats.phi, value[i] = fabs(psi - expected), slope[i] = 0;
      for (int j = 0; j < nc; j++) { slope[i] = fmax(slope[i], fabs(gradient[j] - exact[j])); }
      CHECK_CLOSE("rates of the constraints", sim->stats.phid, 0, 1e-6);
      free(gradient);
      mbd_sim_destroy(sim);
    }
    CHECK_CLOSE("violation", phi[0] / phi[1], 10, 0.1);
    CHECK_CLOSE("objective", value[0] / value[1], 10, 0.1);
    CHECK_CLOSE("gradient", slope[0] / slope[1], 10, 0.1);
    CU_ASSERT(slope[1] < 1e-3 * size);
    free(exact);
    model_close(&s.base);
  }
}

/* ---- energy ---- */

typedef struct drift {
  double first, max; /* [J] */
} drift;

static int watch_energy(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                        const double *lam, const double *y) {
  drift *d = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { d->first = y[1]; }
  d->max = fmax(d->max, fabs(y[1] - d->first));
  return 0;
}

/* Largest change of the total energy in five seconds. */
static double energy_drift(setup *s, const char *formulation, double step) {
  mbd_case c = case_of(formulation, 0);
  mbd_error err = {0};
  mbd_sim *sim;
  drift d = {0, 0};
  double psi;
  c.duration = 5, c.step = step;
  must(mbd_sim_create(s->base.m, &c, s->base.o, 1, &s->term, 1, 0, &sim, &err), &err);
  must(mbd_sim_run(sim, s->base.p, 0, NULL, &psi, NULL, NULL, watch_energy, &d, &err), &err);
  mbd_sim_destroy(sim);
  return d.max;
}

/* At the steps of S3, 1, 10 and 20 ms, of order two and as large as ALI3-P's. At 1 ms the four-bars, whose singular positions
 * make more of a violation, drift twice as far; they have 5 ms in its place. */
static void test_energy(void) {
  static const struct {
    const char *model;
    double step[3], tol;
  } runs[] = {{"problems/five_bar/five_bar_found.ini", {1e-3, 1e-2, 2e-2}, 1e-3},
              {"problems/n_four_bar/n_four_bar.ini", {5e-3, 1e-2, 2e-2}, 1e-2}};
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    setup s;
    mbd_error err = {0};
    int first, count;
    double soft[3];
    open_setup(&s, runs[k].model);
    must(mbd_outputs_add(s.base.o, "energy.total", &first, &count, &err), &err);
    CU_ASSERT_EQUAL_FATAL(first, 1);
    for (int i = 0; i < 3; i++) {
      const double held = energy_drift(&s, "ali3p", runs[k].step[i]);
      soft[i] = energy_drift(&s, "penalty", runs[k].step[i]);
      CHECK_NEAR(runs[k].model, soft[i], held, held, runs[k].tol);
    }
    const double order = log(soft[1] / soft[0]) / log(runs[k].step[1] / runs[k].step[0]);
    CHECK_CLOSE("order of the drift", order, 2, 0.02);
    model_close(&s.base);
  }
}

/* Left out, the penalty is that of the table, whatever the design; a tree has no use for it. */
static void test_default(void) {
  setup s;
  double psi, same, *gradient;
  open_setup(&s, models[0]);
  const mbd_case left_out = case_of("penalty", 0), given = case_of("penalty", mbd_formulation_find("penalty")->penalty);
  mbd_sim *sim = simulate(&s, &left_out, &psi, &gradient);
  CU_ASSERT_EQUAL(ali3p_of(sim)->tangent.alpha, given.penalty);
  free(gradient), mbd_sim_destroy(sim);
  mbd_sim_destroy(simulate(&s, &given, &same, &gradient));
  CU_ASSERT_EQUAL(psi, same);
  free(gradient), model_close(&s.base);

  open_setup(&s, "problems/pendulum/pendulum.ini");
  const mbd_case held = case_of("ali3p", 0);
  mbd_sim_destroy(simulate(&s, &left_out, &psi, &gradient)), free(gradient);
  mbd_sim_destroy(simulate(&s, &held, &same, &gradient)), free(gradient);
  CU_ASSERT(psi > 0);
  CU_ASSERT_EQUAL(psi, same);
  model_close(&s.base);
}

/* ---- penalties of single constraints ---- */

/* Two bodies of mass 2 kg that fall freely but for the constraint of their centres. */
static const char held[] =
    "schema = 1\n[model]\nname = held\ngravity = 1, 2, -10\njoints = named\n"
    "[body b]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body c]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point B]\nat = 0, 0, 0\nbodies = ground, b\n[point C]\nat = 0, 0, 0\nbodies = ground, c\n"
    "[joint jb]\ntype = floating\nbodies = ground, b\npoint = B\n[joint jc]\ntype = floating\nbodies = ground, c\n"
    "point = C\n[constraint left]\ntype = coincident\npoints = B@ground, B@b\n[constraint right]\ntype = "
    "coincident\npoints = C@ground, C@c\n";

typedef struct penalties {
  int n;
  const char *name[4];
  double value[4], expected[6]; /* of the rows left.x, .y, .z, right.x, .y, .z */
} penalties;

static const penalties given[] = {
    {0, {0}, {0}, {1e4, 1e4, 1e4, 1e4, 1e4, 1e4}},
    {1, {"coincident"}, {5e3}, {5e3, 5e3, 5e3, 5e3, 5e3, 5e3}},
    {2, {"right", "coincident"}, {3e3, 5e3}, {5e3, 5e3, 5e3, 3e3, 3e3, 3e3}},
    {4, {"left.z", "left", "*t", "coincident"}, {2e3, 4e3, 6e3, 8e3}, {4e3, 4e3, 2e3, 6e3, 6e3, 6e3}},
    {2, {"*ft", "*"}, {7e3, 6e3}, {6e3, 6e3, 6e3, 6e3, 6e3, 6e3}},
    {1, {"right.y"}, {1e3}, {1e4, 1e4, 1e4, 1e4, 1e3, 1e4}}};
enum { GIVEN = sizeof given / sizeof given[0], UNIT_NORMS = 2 }; /* rows of the Euler parameters, which come first */

/* From rest where Phi = 0, the first step of h has a* = 4/h^2 z, so that the weight W in the direction of a row, its penalty alpha and its
 * violation z have 4m/h^2 z + alpha z = W; and in the end alpha z = W. */
static void test_rows_by_hand(void) {
  static const double weight[3] = {2, 4, -20}, mass = 2, h = 0.1;
  test_model q = model_open_text(held);
  mbd_error err = {0};
  for (int k = 0; k < 4 * GIVEN; k++) {
    const penalties *now = &given[k / 4];
    const int last = k % 2;
    mbd_case c = case_of("penalty", 1e4);
    mbd_sim *sim;
    double psi;
    c.step = h, c.duration = last ? 30 : h;
    c.linear_solver = k / 2 % 2 && mbd_sparse_available() ? MBD_LINEAR_SPARSE : MBD_LINEAR_DENSE;
    c.penalty_name = now->name, c.penalty_value = now->value, c.npenalty = now->n;
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &sim, &err), &err);
    must(mbd_sim_run(sim, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    for (int i = 0; i < 6; i++) {
      const double alpha = now->expected[i], z = weight[i % 3] / (alpha + (last ? 0 : 4 * mass / (h * h)));
      CHECK_NEAR("violation", fabs(ali3p_of(sim)->newton.phi[UNIT_NORMS + i]), fabs(z), fabs(z), last ? 1e-8 : 1e-12);
      CHECK_NEAR("multiplier", fabs(sim->now.lam[UNIT_NORMS + i]), fabs(alpha * z), fabs(alpha * z),
                 last ? 1e-8 : 1e-12);
    }
    mbd_sim_destroy(sim);
  }
  model_close(&q);
}

/* That step with one and with two iterations of the projections, whose penalties are s alpha: with sigma_ of the iteration before,
 * (m + s alpha) zd = m v* - sigma_, v* = 2/h z, sigma = sigma_ + s alpha zd; and likewise kappa with a*. */
static void test_projections_by_hand(void) {
  static const char *const name[] = {"left.x", "right"};
  static const double value[] = {3e3, 500}, expected[6] = {3e3, 1e4, 1e4, 500, 500, 500};
  static const double weight[3] = {2, 4, -20}, mass = 2, h = 0.1, s = 1e-3;
  test_model q = model_open_text(held);
  for (int iterations = 1; iterations <= 2; iterations++) {
    mbd_error err = {0};
    mbd_sim *sim;
    double psi;
    mbd_case c = case_of("penalty", 1e4);
    c.step = c.duration = h, c.projection_iterations = iterations, c.projection_weight = s;
    c.penalty_name = name, c.penalty_value = value, c.npenalty = 2;
    must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &sim, &err), &err);
    must(mbd_sim_run(sim, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
    for (int i = 0; i < 6; i++) {
      const double alpha = expected[i], z = fabs(weight[i % 3]) / (alpha + 4 * mass / (h * h)), v = 2 / h * z;
      double sigma = 0;
      for (int it = 0; it < iterations; it++) { sigma += s * alpha * (mass * v - sigma) / (mass + s * alpha); }
      CHECK_NEAR("sigma", fabs(ali3p_of(sim)->projection.sv[UNIT_NORMS + i]), sigma, sigma, 1e-12);
      CHECK_NEAR("kappa", fabs(ali3p_of(sim)->projection.sa[UNIT_NORMS + i]), sigma * 2 / h, sigma * 2 / h, 1e-12);
    }
    mbd_sim_destroy(sim);
  }
  model_close(&q);
}

/* ALI3-P, in both kinds of coordinates: motion and gradient do not depend on the penalties. */
static void test_converged(void) {
  static const char *const name[][2] = {{"JB.coincident.x", "perpendicular"}, {"dot_design", "A1*"}};
  static const double value[] = {3e4, 1e8};
  setup s;
  open_setup(&s, "problems/five_bar/five_bar.ini");
  const int nc = mbd_model_ncoef(s.base.m);
  for (int k = 0; k < 2; k++) {
    double psi, same, *exact, *gradient, size = 0;
    mbd_case c = case_of("ali3p", 0);
    c.coordinates = k ? MBD_COORDINATES_NATURAL : MBD_COORDINATES_JOINT, c.tolerance = 1e-13;
    mbd_sim_destroy(simulate(&s, &c, &psi, &exact));
    c.penalty_name = name[k], c.penalty_value = value, c.npenalty = 2;
    mbd_sim_destroy(simulate(&s, &c, &same, &gradient));
    CHECK_NEAR("objective", same, psi, psi, 1e-11);
    for (int j = 0; j < nc; j++) { size = fmax(size, fabs(exact[j])); }
    for (int j = 0; j < nc; j++) { CHECK_NEAR("gradient", gradient[j], exact[j], size, 1e-10); }
    free(exact), free(gradient);
  }
  model_close(&s.base);
}

/* A pendulum whose pivot has two equal constraints: they share what changes of the reaction as their penalties, 10 to 1. Steps begin from a guess
 * of the multipliers and from Phi_z of earlier steps. At the start both have half of the reaction, which is m g J/(J + m a^2) = m g/3. */
static void test_redundant(void) {
  static const char pendulum[] =
      "schema = 1\n[model]\nname = pendulum\ngravity = 0, 0, -10\njoints = named\n[body b]\nmass = 2\ncom = 1, 0, 0\n"
      "inertia = 1, 1, 1\n[point B]\nat = 0, 0, 0\nbodies = ground, b\n[joint jb]\ntype = floating\nbodies = ground, "
      "b\npoint = B\n[constraint left]\ntype = coincident\npoints = B@ground, B@b\n[constraint right]\ntype = "
      "coincident\npoints = B@ground, B@b\n";
  static const char *const name[] = {"left"};
  static const double value[] = {1e7}, start[3] = {0, 0, -10.0 / 3};
  test_model q = model_open_text(pendulum);
  mbd_error err = {0};
  mbd_sim *sim;
  double psi;
  mbd_case c = case_of("ali3p", 1e6);
  c.duration = 1, c.step = 2e-3, c.penalty_name = name, c.penalty_value = value, c.npenalty = 1;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &sim, &err), &err);
  must(mbd_sim_run(sim, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
  const mbd_real *left = sim->now.lam + 1, *right = left + 3;
  CU_ASSERT(fabs(left[0]) > 10);
  for (int i = 0; i < 3; i++) { CHECK_CLOSE("share", left[i] - start[i], 10 * (right[i] - start[i]), 1e-6); }
  mbd_sim_destroy(sim), model_close(&q);
}

/* Names and values that are refused. */
static void test_refused(void) {
  static const struct {
    const char *formulation, *analysis, *name, *text;
    double value;
  } bad[] = {
      {"ali3p", "motion", "coincidnt",
       "no equation of one, expected one of these or of their types (coincident, unit_norm), did you mean "
       "'coincident'?",
       1},
      {"ali3p", "motion", "left.w", "penalty.left.w: no constraint of the model", 1},
      {"ali3p", "motion", "*x", "penalty.*x: no constraint of the model", 1},
      {"penalty", "motion", "left", "penalty.left = 0, expected a number between 1e-20 and 1e+20", 0},
      {"penalty", "motion", "left", "penalty.left = nan", NAN},
      {"matrix_r", "motion", "left", "penalty.left: formulation 'matrix_r' has no penalties, expected ali3p or penalty",
       1},
      {"ali3p", "static", "left", "penalty.left: analysis 'static' has no penalties, expected analysis = motion", 1}};
  test_model q = model_open_text(held);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mbd_error err = {0};
    mbd_sim *sim;
    mbd_case c = case_of(bad[i].formulation, 0);
    c.analysis = bad[i].analysis, c.penalty_name = &bad[i].name, c.penalty_value = &bad[i].value, c.npenalty = 1;
    CU_ASSERT_EQUAL(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &sim, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, bad[i].text);
    CU_ASSERT_PTR_NULL(sim);
  }
  /* One number for all constraints, and the iterations and weight that go with it, where nothing is projected. */
  for (int i = 0; i < 4; i++) {
    mbd_case c = case_of(i < 3 ? "matrix_r" : "ali3p", 0);
    c.projection_iterations = i == 1, c.projection_weight = i == 2 ? 0.5 : 1, c.penalty = i == 0 || i == 3 ? 1e6 : 0;
    c.analysis = i < 3 ? "motion" : "static";
    static const char *const text[] = {
        "penalty = 1e+06: formulation 'matrix_r' has no penalty, expected ali3p or penalty",
        "projection_iterations = 1: formulation 'matrix_r' has no projection_iterations, expected ali3p or penalty",
        "projection_weight = 0.5: formulation 'matrix_r' has no projection_weight, expected ali3p or penalty",
        "penalty = 1e+06: analysis 'static' has no penalty, expected analysis = motion"};
    check_refused(&q, &c, text[i]);
  }
  model_close(&q);
}

/* The continuous adjoint is that of constraints that hold. */
static void test_no_continuous_adjoint(void) {
  const mbd_adjoint_options continuous = {.continuous = 1};
  const mbd_case c = case_of("penalty", 0);
  setup s;
  mbd_error err = {0};
  mbd_sim *sim;
  double psi;
  open_setup(&s, models[0]);
  must(mbd_sim_create(s.base.m, &c, s.base.o, 1, &s.term, 1, 0, &sim, &err), &err);
  CU_ASSERT_EQUAL(mbd_sim_adjoint(sim, s.base.p, &continuous, &psi, NULL, NULL, NULL, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "formulation 'penalty' has no continuous adjoint");
  mbd_sim_destroy(sim), model_close(&s.base);
}

TEST_MAIN(TEST(test_reactions), TEST(test_limit), TEST(test_energy), TEST(test_default),
          TEST(test_no_continuous_adjoint), TEST(test_rows_by_hand), TEST(test_projections_by_hand),
          TEST(test_converged), TEST(test_redundant), TEST(test_refused))
