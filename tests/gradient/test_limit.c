/* All formulations with all integrators go to one trajectory and one gradient as the step goes to zero, at the order of the
 * integrator (theory.md §9, 6). Objectives are taken at the end, so that no quadrature comes in between. */
#include "integrator/integrator.h"
#include "model.h"
#include "formulation/formulation.h"

enum { MAX = 6 };

static const struct {
  const char *model;
  const char *of[MAX], *by[MAX]; /* outputs; coefficients */
  double floor;                  /* error below which no order is seen; 0: that of rounding */
} problems[] = {
    {"tests/conformance/models/tree.ini",
     {"T1.position.x", "T2.velocity.z", "arm.angle.z", "shaft.rate.y"},
     {"body.ball.mass", "force.s1.stiffness", "gravity.z"},
     0},
    {"tests/conformance/models/constraints.ini",
     {"B.position.x", "B.velocity.y", "Q.acceleration.z", "energy.kinetic", "k1.multiplier", "k2.multiplier"},
     {"gravity.z", "body.p2.mass"},
     0},
    {"problems/buggy/buggy.ini",
     {"P1.position.z", "P1.velocity.z", "P1.acceleration.x", "chassis.rate.y", "rack.multiplier",
      "front_left.upper-front_left.knuckle.coincident.multiplier.norm"},
     {"body.chassis.mass", "force.front_left.spring.stiffness"},
     2e-6}, /* tyres have bends in their higher derivatives */
    {"problems/five_bar/five_bar.ini",
     {"P2.position.x", "P2.velocity.y", "P2.acceleration.x", "JB.coincident.multiplier.x",
      "JB.coincident.multiplier.y"},
     {"force.s1.free_length", "point.P1@A1.x"},
     0},
};
enum { N_PROBLEMS = sizeof problems / sizeof problems[0] };

typedef struct problem {
  test_model base;
  mbd_dparams *d[MAX];
  int nterm, np;
  mbd_term term[MAX];
} problem;

static int coefficient(const mbd_model *m, const char *name) {
  for (int i = 0; i < mbd_model_ncoef(m); i++) {
    if (strcmp(mbd_model_coef_name(m, i), name) == 0) { return i; }
  }
  printf("\n  no coefficient '%s'\n", name);
  exit(1);
}

static void open_problem(problem *q, int which) {
  mbd_error err = {0};
  *q = (problem){.base = model_open(problems[which].model)};
  for (int i = 0; i < MAX && problems[which].of[i]; i++) {
    q->term[i] =
        (mbd_term){.psi = i, .output = model_output(&q->base, problems[which].of[i]), .form = "terminal", .weight = 1};
    q->nterm++;
  }
  for (int i = 0; i < MAX && problems[which].by[i]; i++) {
    const double one = 1;
    const int coef = coefficient(q->base.m, problems[which].by[i]);
    must(mbd_dparams_create(q->base.m, &q->d[i], &err), &err);
    mbd_dparams_set(q->d[i], q->base.p, 1, &coef, &one);
    q->np++;
  }
}

static void close_problem(problem *q) {
  for (int i = 0; i < q->np; i++) { mbd_dparams_destroy(q->d[i]); }
  model_close(&q->base);
}

/* Values and gradient, one after the other; returns 0 where the combination is not available. */
static int solve(const problem *q, const char *formulation, const char *integrator, double step, double *y) {
  mbd_case c;
  mbd_sim *s;
  mbd_error err = {0};
  mbd_case_init(&c);
  c.formulation = formulation, c.integrator = integrator;
  c.duration = 0.16, c.step = step, c.tolerance = 1e-13, c.rho_inf = 0.8;
  c.rtol = c.atol = 1, c.max_step = step; /* steps that are chosen for their error are as long as the others */
  mbd_status status = mbd_sim_create(q->base.m, &c, q->base.o, q->nterm, q->term, q->nterm, q->np, &s, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  must(mbd_sim_run(s, q->base.p, q->np, (mbd_dparams *const *)q->d, y, y + q->nterm, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
  return 1;
}

static double distance(int n, const double *a, const double *b) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(a[i] - b[i]) / (1 + fabs(b[i]))); }
  return max;
}

/* Error against the fine solution at two steps; it falls with the order of the integrator. */
static int converges(const problem *q, int i, int k, const double *fine, double floor) {
  const mbd_integrator_ops *g = mbd_integrator_at(k);
  const int n = q->nterm * (1 + q->np);
  double y[MAX * (1 + MAX)], error[2];
  for (int half = 0; half < 2; half++) {
    if (!solve(q, mbd_formulation_at(i)->name, g->name, half ? 1e-3 : 2e-3, y)) { return 0; }
    error[half] = distance(n, y, fine);
  }
  const double order = log2(error[0] / error[1]);
  const int ok = order > g->order - 0.3 || error[1] < fmax(floor, 1e-9);
  CU_ASSERT(ok);
  CU_ASSERT(error[1] < 1e-2);
  if (!ok) {
    printf("\n  %s, %s: error %.2g at 2 ms, %.2g at 1 ms, order %.2f\n", mbd_formulation_at(i)->name, g->name, error[0],
           error[1], order);
  }
  return 1;
}

static void test_one_limit(void) {
  int taken[16] = {0};
  for (int which = 0; which < N_PROBLEMS; which++) {
    problem q;
    double fine[MAX * (1 + MAX)];
    open_problem(&q, which);
    CU_ASSERT(solve(&q, "matrix_r", "runge_kutta_4", 0.16 / 1280, fine));
    for (int i = 0; mbd_formulation_at(i); i++) {
      for (int k = 0; mbd_integrator_at(k); k++) { taken[i] += converges(&q, i, k, fine, problems[which].floor); }
    }
    close_problem(&q);
  }
  for (int i = 0; mbd_formulation_at(i); i++) { CU_ASSERT(taken[i] > 0); }
}

TEST_MAIN(TEST(test_one_limit))
