/* Several objectives as one: value, gradient and Gauss-Newton matrix of their sum and of their smooth maximum, over two
 * load cases with scalars and curves of their own. */
#include "opened_run.h"

enum { N = 4, STEPS = 8 };

typedef struct opened {
  opened_run base;
  mbo_problem p;
  mbo_eval v;
  double g[N], H[N * N];
} opened;

static void open_run(opened *q, const char *more, const char *even_more) {
  const char *set[STEPS] = {"case.step.duration=0.4",
                            "case.step.step=4e-3",
                            "case.lane_change.duration=0.8",
                            "case.lane_change.scalar.steer_out=0.03",
                            "objective.roll.weight=1e3",
                            more,
                            even_more};
  int nset = 5 + (more != NULL) + (even_more != NULL);
  q->base = run_open("configs/suspension_two_cases.ini", nset, set);
  mechanism_problem(q->base.m, &q->p);
  q->v = (mbo_eval){.g = q->g, .H = q->H};
}

static double evaluate(opened *q, const double *x, unsigned request) {
  run_evaluate(&q->p, x, request, &q->v);
  return q->v.f;
}

/* Gradient against central differences of f: what optimizers get, not the objectives one by one. */
static void gradient(const char *combine) {
  opened q = {0};
  open_run(&q, combine, NULL);
  double x[N], g[N], size = 0;
  evaluate(&q, q.p.start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON);
  memcpy(g, q.g, sizeof g);
  for (int i = 0; i < N; i++) { size = fmax(size, fabs(g[i]) * q.p.scale[i]); }
  CU_ASSERT(size > 0);
  for (int i = 0; i < N; i++) {
    const double h = 1e-5 * q.p.scale[i];
    memcpy(x, q.p.start, sizeof x);
    x[i] += h;
    const double plus = evaluate(&q, x, MBO_REQUEST_VALUE);
    x[i] -= 2 * h;
    const double minus = evaluate(&q, x, MBO_REQUEST_VALUE);
    CHECK_NEAR(q.p.names[i], g[i] * q.p.scale[i], (plus - minus) / 2e-5, size, 1e-7);
  }
  run_close(&q.base);
}

static void test_sum(void) {
  gradient("objectives.combine=sum");
}
static void test_worst(void) {
  gradient("objectives.combine=worst");
}

/* f of the worst case lies between the largest term and ln(2)/sharpness above it. */
static void test_worst_value(void) {
  opened q = {0};
  open_run(&q, "objectives.combine=worst", "objectives.sharpness=20");
  const double f = evaluate(&q, q.p.start, MBO_REQUEST_VALUE);
  const double a = q.base.m->psi[0] * q.base.config->objective[0].weight,
               b = q.base.m->psi[1] * q.base.config->objective[1].weight;
  CU_ASSERT(a > 0 && b > 0);
  CU_ASSERT(f > fmax(a, b));
  CU_ASSERT(f <= fmax(a, b) + log(2) / 20);
  CHECK_NEAR("log-sum-exp", f, log(exp(20 * a) + exp(20 * b)) / 20, 1, 1e-13);
  run_close(&q.base);
}

/* The Gauss-Newton matrix of the worst case is that of the sum with the shares of the terms, and the curvature of the
 * maximum: along any direction no less than sharpness times the variance of the slopes. */
static void test_worst_gauss_newton(void) {
  opened q = {0};
  open_run(&q, "objectives.combine=worst", NULL);
  evaluate(&q, q.p.start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON);
  const double w[2] = {q.base.config->objective[0].weight, q.base.config->objective[1].weight};
  const double e0 = exp(50 * w[0] * q.base.m->psi[0] - 50 * q.v.f), e1 = exp(50 * w[1] * q.base.m->psi[1] - 50 * q.v.f);
  CHECK_NEAR("shares", e0 + e1, 1, 1, 1e-12);
  for (int i = 0; i < N; i++) {
    const double s = q.p.scale[i], d = (w[0] * q.base.m->grad[i] - w[1] * q.base.m->grad[N + i]) * s;
    const double curvature = 50 * e0 * e1 * d * d; /* p pi_0 pi_1 (g_0 - g_1)^2 */
    CU_ASSERT(q.H[i * N + i] * s * s >= curvature);
    for (int j = 0; j < N; j++) {
      CHECK_NEAR("symmetric", q.H[i * N + j], q.H[j * N + i], fabs(q.H[i * N + i]), 1e-12);
    }
  }
  run_close(&q.base);
}

/* A curve of the case's own is the one that is driven on; the other case keeps its road. */
static void test_other_road(void) {
  opened a = {0}, b = {0};
  open_run(&a, NULL, NULL);
  open_run(&b, "case.step.curve.road=waves", NULL);
  evaluate(&a, a.p.start, MBO_REQUEST_VALUE);
  evaluate(&b, b.p.start, MBO_REQUEST_VALUE);
  CU_ASSERT(fabs(a.base.m->psi[0] - b.base.m->psi[0]) > 1e-3 * a.base.m->psi[0]);
  CU_ASSERT_EQUAL(a.base.m->psi[1], b.base.m->psi[1]);
  run_close(&a.base);
  run_close(&b.base);
}

TEST_MAIN(TEST(test_sum), TEST(test_worst), TEST(test_worst_value), TEST(test_worst_gauss_newton),
          TEST(test_other_road))
