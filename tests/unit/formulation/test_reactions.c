/* Reactions of steps that project: a heavy bar on a hinge that is cut, so that its pull is the multiplier of the closure. What
 * the pull is at the end of a swing from rest, and its derivatives, is known from the angle's own equation; a run and both
 * of its gradients approach it with the order of the integrator. The bar's coordinates are those of its far end, so that the
 * closure is not linear in them: else the multipliers of the step have no error of order one. */
#include <complex.h>

#include "model.h"
#include "formulation/formulation.h"
#include "formulation/projection.h"

/* The bar begins at rest along x and swings down by gravity along -z. */
static const char bar[] =
    "schema = 1\n"
    "[model]\n"
    "name = bar\n"
    "gravity = 0, 0, -9.81\n"
    "joints = named\n"
    "[body bar]\n"
    "mass = 2\n"
    "com = 0.5, 0, 0\n"
    "inertia = 0.02, 0.3, 0.25\n"
    "[point O]\n"
    "at = 0, 0, 0\n"
    "bodies = ground, bar\n"
    "[point T]\n"
    "at = 1, 0, 0\n"
    "bodies = ground, bar\n"
    "[vector axis]\n"
    "along = 0, 1, 0\n"
    "bodies = ground, bar\n"
    "[joint free]\n"
    "type = floating\n"
    "bodies = ground, bar\n"
    "point = T\n"
    "[joint hinge]\n"
    "type = revolute\n"
    "bodies = ground, bar\n"
    "point = O\n"
    "axis = axis\n"
    "cut = yes\n"
    "[start]\n"
    "hold.bar.angle.y = 0\n";

/* The hinge's point once more: its equations hold twice, and each of the two carries half of the pull. */
static const char again[] =
    "[constraint again]\n"
    "type = coincident\n"
    "points = O@bar, O@ground\n";

enum { MASS, COM, INERTIA, GRAVITY, NP, NPSI = 2, NY = NPSI * (1 + NP) };
static const char *const coefficient[NP] = {"body.bar.mass", "body.bar.com.x", "body.bar.inertia.yy", "gravity.z"};
static const double at[NP] = {2, 0.5, 0.3, -9.81};
static const char *const of[NPSI] = {"hinge.coincident.multiplier.x", "hinge.coincident.multiplier.norm"};
static const double swing = 0.7;

/* ---- the answer ---- */

/* theta'' = m g l cos theta / (J + m l^2), theta below the horizontal */
static double complex turn(const double complex *c, double complex theta) {
  const double complex m = c[MASS], l = c[COM];
  return -m * c[GRAVITY] * l * ccos(theta) / (c[INERTIA] + m * l * l);
}

/* The hinge carries  m (a - g)  of the centre of mass, with theta'^2 by the energy of the fall. */
static void reverse(const double complex *c, double complex theta, double complex *y) {
  const double complex m = c[MASS], l = c[COM], g = -c[GRAVITY];
  const double complex w2 = 2 * m * g * l * csin(theta) / (c[INERTIA] + m * l * l), a = turn(c, theta);
  const double complex x = m * l * (-w2 * ccos(theta) - a * csin(theta));
  const double complex z = m * (l * (w2 * csin(theta) - a * ccos(theta)) + g);
  y[0] = -x, y[1] = csqrt(x * x + z * z); /* M zdd + Phi_z' lam = Q */
}

static double complex angle(const double complex *c, double duration) {
  enum { STEPS = 2000 };
  const double h = duration / STEPS;
  double complex q = 0, w = 0;
  for (int i = 0; i < STEPS; i++) {
    const double complex k1 = turn(c, q), k2 = turn(c, q + h / 2 * w), k3 = turn(c, q + h / 2 * w + h * h / 4 * k1),
                         k4 = turn(c, q + h * w + h * h / 2 * k2);
    q += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return q;
}

/* Values, then derivatives by complex step. */
static void answer(double *y) {
  for (int k = 0; k < NP; k++) {
    double complex c[NP], f[NPSI];
    for (int j = 0; j < NP; j++) { c[j] = at[j] + (j == k ? 1e-30 * I : 0); }
    reverse(c, angle(c, swing), f);
    for (int i = 0; i < NPSI; i++) { y[i] = creal(f[i]), y[NPSI + i * NP + k] = cimag(f[i]) / 1e-30; }
  }
}

/* ---- runs ---- */

typedef struct setup {
  test_model base;
  int coef[NP];
  mbd_dparams *d[NP];
  mbd_term term[NPSI];
} setup;

static void open_setup(setup *s, const char *more) {
  mbd_error err = {0};
  const double one = 1;
  *s = (setup){.base = model_open_parts(bar, more)};
  for (int i = 0; i < NPSI; i++) {
    s->term[i] = (mbd_term){.psi = i, .output = model_output(&s->base, of[i]), .form = "terminal", .weight = 1};
  }
  for (int k = 0; k < NP; k++) {
    s->coef[k] = 0;
    while (strcmp(mbd_model_coef_name(s->base.m, s->coef[k]), coefficient[k]) != 0) { s->coef[k]++; }
    must(mbd_dparams_create(s->base.m, &s->d[k], &err), &err);
    mbd_dparams_set(s->d[k], s->base.p, 1, &s->coef[k], &one);
  }
}

static void close_setup(setup *s) {
  for (int k = 0; k < NP; k++) { mbd_dparams_destroy(s->d[k]); }
  model_close(&s->base);
}

enum { DIRECT, DISCRETE, CONTINUOUS, METHODS };

/* Values, then derivatives. */
static void solve(const setup *s, const mbd_case *c, int method, double *y) {
  mbd_error err = {0};
  mbd_sim *sim;
  const int nc = mbd_model_ncoef(s->base.m);
  const mbd_adjoint_options o = {.continuous = method == CONTINUOUS};
  must(mbd_sim_create(s->base.m, c, s->base.o, NPSI, s->term, NPSI, NP, &sim, &err), &err);
  if (method == DIRECT) {
    must(mbd_sim_run(sim, s->base.p, NP, (mbd_dparams *const *)s->d, y, y + NPSI, NULL, NULL, NULL, &err), &err);
  } else {
    double *g = calloc((size_t)nc * NPSI, sizeof *g);
    must(mbd_sim_adjoint(sim, s->base.p, &o, y, g, NULL, NULL, &err), &err);
    for (int i = 0; i < NPSI * NP; i++) { y[NPSI + i] = g[i / NP * nc + s->coef[i % NP]]; }
    free(g);
  }
  mbd_sim_destroy(sim);
}

/* ---- the order ---- */

typedef struct order {
  double value, gradient;
} order;

static double distance(int n, const double *a, const double *b) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(a[i] - b[i]) / (1 + fabs(b[i]))); }
  return max;
}

/* Of the errors at 5 and 2.5 ms. */
static order order_of(const setup *s, const mbd_case *c, int method, const double *expected) {
  double value[2], gradient[2], y[NY];
  for (int half = 0; half < 2; half++) {
    mbd_case finer = *c;
    finer.step = half ? 2.5e-3 : 5e-3;
    solve(s, &finer, method, y);
    value[half] = distance(NPSI, y, expected), gradient[half] = distance(NY - NPSI, y + NPSI, expected + NPSI);
  }
  return (order){log2(value[0] / value[1]), log2(gradient[0] / gradient[1])};
}

static const char *const formulations[] = {"ali3p", "penalty"}, *const integrators[] = {"newmark", "generalized_alpha"};

/* Both formulations and both schemes: to the end, and after one iteration with a penalty that leaves little. Largest distance
 * from two: 0.02. */
static void check_order_two(const char *more, double part) {
  double expected[NY];
  setup s;
  open_setup(&s, more);
  answer(expected);
  for (int i = 0; i < NY; i++) { expected[i] *= part; }
  for (int k = 0; k < 8; k++) {
    mbd_case c = case_lasting(swing, 5e-3);
    c.formulation = formulations[k % 2], c.integrator = integrators[k / 2 % 2];
    if (k >= 4) { c.projection_iterations = 1, c.penalty = 1e10, c.projection_weight = 1e-4; }
    for (int method = 0; method < METHODS; method++) {
      if (method == CONTINUOUS && k % 2 == 1) { continue; } /* penalty has none */
      const order o = order_of(&s, &c, method, expected);
      CHECK_CLOSE("order of reactions", o.value, 2, 0.05);
      CHECK_CLOSE("order of their gradients", o.gradient, 2, 0.05);
    }
  }
  close_setup(&s);
}

static void test_order(void) {
  check_order_two("", 1);
}

/* The parts of both kinds of multipliers in redundant rows are of least squares. */
static void test_redundant(void) {
  check_order_two(again, 0.5);
}

/* P = M + O(h) does as P = M does; with the unit matrix reactions are of order one, as is the motion (projection.h). */
static void test_other_matrices(void) {
  double expected[NY];
  setup s;
  open_setup(&s, "");
  answer(expected);
  for (int k = 0; k < 2; k++) {
    mbd_case c = case_lasting(swing, 5e-3);
    c.projection_matrix = "tangent", c.integrator = integrators[k];
    const order o = order_of(&s, &c, CONTINUOUS, expected);
    CHECK_CLOSE("order of reactions, tangent matrix", o.value, 2, 0.05);
    CHECK_CLOSE("order of their gradients, tangent matrix", o.gradient, 2, 0.05);
    c.projection_matrix = "unit";
    CHECK_CLOSE("order of reactions, unit matrix", order_of(&s, &c, DIRECT, expected).value, 1, 0.05);
  }
  close_setup(&s);
}

/* ---- who is told ---- */

typedef struct told {
  mbd_sim *sim;
  int row, output;
  double apart;  /* of the observer's multipliers and the output, over all nodes */
  double yp[NP]; /* of the output, at the last node */
} told;

static int look(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  told *q = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd;
  q->apart = fmax(q->apart, fabs(lam[q->row] - y[q->output]));
  mbd_sim_output_sens(q->sim, q->output, q->yp);
  return 0;
}

/* Observers, outputs and objectives are told the same, and so are derivatives over time. */
static void test_observers(void) {
  mbd_error err = {0};
  mbd_case c = case_lasting(swing, 5e-3);
  double y[NY];
  setup s;
  open_setup(&s, "");
  told q = {.output = s.term[0].output};
  while (strcmp(mbd_model_phi_name(s.base.m, q.row), "hinge.coincident.x") != 0) { q.row++; }
  must(mbd_sim_create(s.base.m, &c, s.base.o, NPSI, s.term, NPSI, NP, &q.sim, &err), &err);
  must(mbd_sim_run(q.sim, s.base.p, NP, (mbd_dparams *const *)s.d, y, y + NPSI, NULL, look, &q, &err), &err);
  CU_ASSERT_EQUAL(q.apart, 0);
  for (int k = 0; k < NP; k++) { CU_ASSERT_EQUAL(q.yp[k], y[NPSI + k]); }
  mbd_sim_destroy(q.sim), close_setup(&s);
}

/* ---- redundant rows on the way ---- */

typedef struct history {
  int n, every;
  double lam[11][64]; /* at 11 times */
} history;

static int write_down(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  history *q = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)y;
  if (k % q->every == 0) { memcpy(q->lam[k / q->every], lam, (size_t)q->n * sizeof *lam); }
  return 0;
}

/* Every multiplier of the model with all constraints, some of its rows redundant, at large steps and at small ones. Largest
 * difference seen: 3.6, of those of the redundant rows k8, where others are up to 15; a contradiction of rows that the first
 * iterations of a step meet must not stay: such multipliers have been 8e5. */
static void test_undetermined(void) {
  mbd_error err = {0};
  test_model base = model_open("tests/conformance/models/constraints.ini");
  history *q = calloc(2, sizeof *q);
  for (int fine = 0; fine < 2; fine++) {
    mbd_sim *sim;
    const mbd_case c = case_lasting(0.4, fine ? 1e-3 : 1e-2);
    q[fine] = (history){.n = mbd_model_nphi(base.m), .every = fine ? 40 : 4};
    must(mbd_sim_create(base.m, &c, base.o, 0, NULL, 0, 0, &sim, &err), &err);
    must(mbd_sim_run(sim, base.p, 0, NULL, NULL, NULL, NULL, write_down, &q[fine], &err), &err);
    mbd_sim_destroy(sim);
  }
  for (int k = 0; k <= 10; k++) {
    for (int i = 0; i < q[0].n; i++) { CHECK_CLOSE(mbd_model_phi_name(base.m, i), q[0].lam[k][i], q[1].lam[k][i], 5); }
  }
  free(q), model_close(&base);
}

TEST_MAIN(TEST(test_order), TEST(test_redundant), TEST(test_other_matrices), TEST(test_observers),
          TEST(test_undetermined))
