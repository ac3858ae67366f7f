/* Exact second derivatives of a problem as optimizers see it: against differences of its gradient, for sums and worst
 * cases over load cases, with constraints, with expressions that are not linear in the variables. */
#include "mechanism/hessian.h"
#include "opened_run.h"

enum { MAX = 4, MAX_SET = 8 };

static const struct {
  const char *run, *set[MAX_SET];
} problems[] = {
    {"configs/pendulum.ini", {"case.drop.duration=0.5", "design.length.lower=0.5", "design.mass.lower=1"}},
    {"configs/five_bar.ini", {"case.swing.duration=0.5", "design.x1.lower=-2", "design.y2.lower=-3"}},
    {"configs/suspension_two_cases.ini",
     {"case.step.duration=0.1", "case.step.step=4e-3", "case.lane_change.duration=0.2",
      "case.lane_change.scalar.steer_out=0.03", "objective.roll.weight=1e3"}},
    {"configs/suspension_two_cases.ini",
     {"case.step.duration=0.1", "case.step.step=4e-3", "case.lane_change.duration=0.2",
      "case.lane_change.scalar.steer_out=0.03", "objective.roll.weight=1e3", "objectives.combine=worst"}},
    /* a weight of zero is a term of the maximum all the same */
    {"configs/suspension_two_cases.ini",
     {"case.step.duration=0.1", "case.step.step=4e-3", "case.lane_change.duration=0.2", "objective.roll.weight=0",
      "objectives.combine=worst"}},
};
enum { N_PROBLEMS = sizeof problems / sizeof problems[0] };

typedef struct opened {
  opened_run base;
  mbo_problem p;
  mbo_eval v;
  double g[MAX], c[2], jac[2 * MAX], hess[3 * MAX * MAX];
} opened;

static void open_run(opened *q, int i, const char *more) {
  const char *set[MAX_SET + 1];
  int nset = 0;
  for (; nset < MAX_SET && problems[i].set[nset]; nset++) { set[nset] = problems[i].set[nset]; }
  if (more) { set[nset++] = more; }
  q->base = run_open(problems[i].run, nset, set);
  mechanism_problem(q->base.m, &q->p);
  CU_ASSERT_FATAL(q->p.n <= MAX && q->p.nc <= 2);
  q->v = (mbo_eval){.g = q->g, .c = q->c, .jac = q->jac, .hess = q->hess};
}

/* Gradient of f (k = 0) or of constraint k - 1, component i */
static double slope(const opened *q, int k, int i) {
  return k == 0 ? q->g[i] : q->jac[(k - 1) * q->p.n + i];
}

static double compare(int number) {
  opened q = {0};
  open_run(&q, number, NULL);
  const int n = q.p.n, nh = 1 + q.p.nc;
  const double h = 1e-5, *scale = q.p.scale;
  double expected[3 * MAX * MAX] = {0}, worst = 0;
  CU_ASSERT(q.p.has_hessian);
  for (int j = 0; j < n; j++) {
    for (int side = 1; side >= -1; side -= 2) {
      double x[MAX];
      memcpy(x, q.p.start, (size_t)n * sizeof *x);
      x[j] += side * h * scale[j];
      run_evaluate(&q.p, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &q.v);
      for (int k = 0; k < nh; k++) {
        for (int i = 0; i < n; i++) { expected[(k * n + i) * n + j] += side * slope(&q, k, i) * scale[i] / (2 * h); }
      }
    }
  }
  run_evaluate(&q.p, q.p.start, MBO_REQUEST_HESSIAN, &q.v);
  for (int k = 0; k < nh; k++) {
    double size = 0;
    for (int a = 0; a < n * n; a++) { size = fmax(size, fabs(expected[k * n * n + a])); }
    CU_ASSERT(size > 0);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        const int at = (k * n + i) * n + j;
        char name[80];
        snprintf(name, sizeof name, "%s %d: H%d[%d][%d]", problems[number].run, number, k, i, j);
        CHECK_NEAR(name, q.hess[at] * scale[i] * scale[j], expected[at], size, 1e-6);
        CU_ASSERT_EQUAL(q.hess[at], q.hess[(k * n + j) * n + i]);
        worst = fmax(worst, fabs(q.hess[at] * scale[i] * scale[j] - expected[at]) / size);
      }
    }
  }
  run_close(&q.base);
  return worst;
}

static void test_differences(void) {
  double worst = 0;
  for (int i = 0; i < N_PROBLEMS; i++) { worst = fmax(worst, compare(i)); }
  printf("(%.2g) ", worst);
}

/* As computed: the two parts of every matrix are symmetric by themselves. */
static void test_symmetry(void) {
  double worst = 0;
  for (int number = 0; number < N_PROBLEMS; number++) {
    opened q = {0};
    mbd_error err = {0};
    open_run(&q, number, NULL);
    CU_ASSERT_EQUAL(hessian_evaluate(q.base.m, q.base.m->start, NULL, &err), MBD_OK);
    const int n = q.base.m->n, nq = q.base.m->nobjective + q.base.m->nconstraint;
    for (int k = 0; k < nq; k++) {
      const double *H = q.base.m->hess + k * n * n;
      double size = 0;
      for (int a = 0; a < n * n; a++) {
        size = fmax(size, fabs(H[a]) * q.base.m->scale[a / n] * q.base.m->scale[a % n]);
      }
      for (int a = 0; a < n * n; a++) {
        const double s = q.base.m->scale[a / n] * q.base.m->scale[a % n], other = H[a % n * n + a / n];
        CHECK_NEAR(mechanism_quantity(q.base.m, k), H[a] * s, other * s, size, 1e-10);
        worst = fmax(worst, fabs(H[a] - other) * s / size);
      }
    }
    run_close(&q.base);
  }
  printf("(%.2g) ", worst);
}

/* Products with a direction: those of the matrices; of the matrix after its product, too, which needs more room. */
static void test_products(void) {
  static const double w[] = {1, -0.7, 0.4, 2};
  double worst = 0;
  for (int number = 0; number < N_PROBLEMS; number++) {
    opened q = {0};
    mbd_error err = {0};
    double Hw[3 * MAX], along[MAX];
    open_run(&q, number, NULL);
    const int n = q.p.n;
    for (int i = 0; i < n; i++) { along[i] = w[i] * q.p.scale[i]; }
    must(mechanism_hessian_product(q.base.m, q.p.start, along, Hw, &err), &err);
    run_evaluate(&q.p, q.p.start, MBO_REQUEST_HESSIAN, &q.v);
    for (int k = 0; k < 1 + q.p.nc; k++) {
      double expected[MAX] = {0}, size = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) { expected[i] += q.hess[(k * n + i) * n + j] * along[j]; }
        size = fmax(size, fabs(expected[i]) * q.p.scale[i]);
      }
      CU_ASSERT(size > 0);
      for (int i = 0; i < n; i++) {
        CHECK_NEAR("product", Hw[k * n + i] * q.p.scale[i], expected[i] * q.p.scale[i], size, 1e-10);
        worst = fmax(worst, fabs(Hw[k * n + i] - expected[i]) * q.p.scale[i] / size);
      }
    }
    run_close(&q.base);
  }
  printf("(%.2g) ", worst);
}

/* Values and gradient are those of the method in use whether a matrix is asked for with them or not; the matrix does not
 * depend on the number of threads. */
static void test_same_numbers(void) {
  opened q = {0};
  double g[MAX], hess[MAX * MAX];
  open_run(&q, 3, NULL);
  q.base.m->threads = 1;
  run_evaluate(&q.p, q.p.start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &q.v);
  const double f = q.v.f;
  memcpy(g, q.g, sizeof g);
  run_evaluate(&q.p, q.p.start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_HESSIAN, &q.v);
  CU_ASSERT(q.v.f == f && memcmp(g, q.g, sizeof g) == 0);
  memcpy(hess, q.hess, sizeof hess);
  q.base.m->threads = 2;
  run_evaluate(&q.p, q.p.start, MBO_REQUEST_HESSIAN, &q.v);
  CU_ASSERT(memcmp(hess, q.hess, sizeof hess) == 0);
  run_close(&q.base);
}

static void test_not_available(void) {
  static const char *const methods[] = {"none", "central_differences", "continuous_adjoint", "complex_step"};
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    char set[80];
    opened q = {0};
    snprintf(set, sizeof set, "gradient.method=%s", methods[i]);
    open_run(&q, 1, "optimizer.hessian=limited_memory");
    CU_ASSERT(q.p.has_hessian);
    run_close(&q.base);
    q = (opened){0};
    open_run(&q, 0, set);
    CU_ASSERT(!q.p.has_hessian);
    run_close(&q.base);
  }
}

/* Second derivatives come first of all, before a sharpness that the run file leaves out has been chosen, and of a study, which simulates cases without quantities,
 * too. */
static void test_first(void) {
  static const char *const set[] = {"case.drop.duration=0.2",     "constraint.tip_speed.form=peak",
                                    "case.idle.duration=0.1",     "case.idle.step=1e-2",
                                    "objective.settle.case=drop", "constraint.tip_speed.case=drop"};
  static const double along[] = {1, -0.5};
  opened_run r = run_open("configs/pendulum.ini", sizeof set / sizeof *set, set);
  double first[MAX];
  mbd_error err = {0};
  r.m->every_case = 1;
  must(hessian_evaluate(r.m, r.m->start, along, &err), &err);
  memcpy(first, r.m->hess, sizeof first);
  must(mechanism_evaluate(r.m, r.m->start, "discrete_adjoint", &err), &err);
  must(hessian_evaluate(r.m, r.m->start, along, &err), &err);
  for (int i = 0; i < MAX; i++) { CHECK_CLOSE("the same again", first[i], r.m->hess[i], 0); }
  CU_ASSERT(first[0] != 0 && first[2] != 0);
  run_close(&r);
}

/* A stop is heard between two columns. */
static void test_stop(void) {
  opened q = {0};
  mbd_error err = {0};
  volatile sig_atomic_t stop = 1;
  open_run(&q, 0, NULL);
  q.base.m->stop = &stop;
  CU_ASSERT_EQUAL(hessian_evaluate(q.base.m, q.base.m->start, NULL, &err), MBD_INTERRUPTED);
  run_close(&q.base);
}

TEST_MAIN(TEST(test_differences), TEST(test_symmetry), TEST(test_products), TEST(test_same_numbers),
          TEST(test_not_available), TEST(test_first), TEST(test_stop))
