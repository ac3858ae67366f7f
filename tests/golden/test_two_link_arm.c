/* The two-link arm of configs/two_link_arm_minimum_time.ini from rest to rest in minimum time, against a solution of its own: equations
 * of motion by hand, and torques that are at their limits throughout and switch (Pontryagin), the shoulder's once and the elbow's twice.
 * Four phases, whose durations follow from the four conditions at the end. */
#include <math.h>

#include "la/dense.h"
#include "mbo/backend.h"
#include "opened_run.h"

static const double l1 = 0.5, l2 = 0.4, m1 = 3, m2 = 2, most_shoulder = 10, most_elbow = 6, turn = 2;
enum { PHASES = 4, STEPS = 200 };
static const double shoulder_sign[PHASES] = {1, 1, -1, -1}, elbow_sign[PHASES] = {-1, 1, 1, -1};

/* x: angles of shoulder and elbow, their rates. With c = l2/2,
 *   M11 a1 + M12 a2 - h (2 w1 w2 + w2^2) = tau1,   M12 a1 + M22 a2 + h w1^2 = tau2,   h = m2 l1 c sin(elbow) */
static void rates(const double x[4], double tau1, double tau2, double xd[4]) {
  const double c = l2 / 2, inner = m1 * l1 * l1 / 3, outer = m2 * l2 * l2 / 3, coupling = m2 * l1 * c;
  const double M12 = outer + coupling * cos(x[1]), M22 = outer;
  const double M11 = inner + outer + m2 * l1 * l1 + 2 * coupling * cos(x[1]), h = coupling * sin(x[1]);
  const double f1 = tau1 + h * (2 * x[2] * x[3] + x[3] * x[3]), f2 = tau2 - h * x[2] * x[2];
  const double determinant = M11 * M22 - M12 * M12;
  xd[0] = x[2], xd[1] = x[3];
  xd[2] = (M22 * f1 - M12 * f2) / determinant;
  xd[3] = (M11 * f2 - M12 * f1) / determinant;
}

/* The classical Runge-Kutta method through one phase. */
static void go(double x[4], double duration, double tau1, double tau2) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const double h = duration / STEPS;
  for (int n = 0; n < STEPS; n++) {
    double k[4] = {0, 0, 0, 0}, sum[4] = {0, 0, 0, 0}, at[4];
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) { at[j] = x[j] + h * part[i] * k[j]; }
      rates(at, tau1, tau2, k);
      for (int j = 0; j < 4; j++) { sum[j] += h * weight[i] * k[j]; }
    }
    for (int j = 0; j < 4; j++) { x[j] += sum[j]; }
  }
}

/* What is missing at the end of all phases. */
static void missed(const double duration[PHASES], double r[4]) {
  double x[4] = {0, 0, 0, 0};
  for (int p = 0; p < PHASES; p++) { go(x, duration[p], most_shoulder * shoulder_sign[p], most_elbow * elbow_sign[p]); }
  r[0] = x[0] - turn, r[1] = x[1], r[2] = x[2], r[3] = x[3];
}

/* Newton, with differences, at most 0.03 s at once. */
static double shortest(void) {
  double duration[PHASES] = {0.12, 0.22, 0.1, 0.25}, r[4], there[4], J[16];
  int pivot[4];
  for (int it = 0; it < 30; it++) {
    missed(duration, r);
    for (int k = 0; k < 4; k++) {
      const double was = duration[k], step = 1e-6;
      duration[k] = was + step;
      missed(duration, there);
      duration[k] = was;
      for (int i = 0; i < 4; i++) { J[4 * i + k] = (there[i] - r[i]) / step; }
    }
    CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(4, J, pivot), MBD_OK);
    mbd_lu_solve(4, J, pivot, 1, r);
    const double size = mbd_norm_inf(4, r), part = size > 0.03 ? 0.03 / size : 1;
    for (int k = 0; k < 4; k++) { duration[k] -= part * r[k]; }
  }
  missed(duration, r);
  for (int i = 0; i < 4; i++) { CHECK_CLOSE("end of the phases", r[i], 0, 1e-10); }
  for (int k = 0; k < 4; k++) { CU_ASSERT(duration[k] > 0); }
  return duration[0] + duration[1] + duration[2] + duration[3];
}

/* With the elbow held straight: one body of the inertia J, full torque there and back, T = 2 sqrt(J turn/torque). */
static double held_straight(void) {
  const double J = m1 * l1 * l1 / 3 + m2 * (l1 * l1 + l1 * l2 + l2 * l2 / 3);
  return 2 * sqrt(J * turn / most_shoulder);
}

/* The optimum has torques that are straight lines between 21 points: not as short as switches anywhere, but nearly. */
static void test_shortest(void) {
  opened_run r = run_open("configs/two_link_arm_minimum_time.ini", 0, NULL);
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  const double best = shortest();
  mbo_settings_init(&s);
  s.max_iterations = 300, s.tolerance = 1e-7;
  mechanism_problem(r.m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    must(mechanism_evaluate(r.m, q.x, "none", &err), &err);
    for (int i = 0; i < 4; i++) { CHECK_CLOSE("at the end", r.m->psi[1 + i], i == 0 ? turn : 0, 1e-7); }
    CU_ASSERT(q.f < 0.7 * held_straight());
    CU_ASSERT(q.f > best);
    CHECK_CLOSE("T", q.f, best, 5e-3 * best);
  }
  mbo_result_free(&q);
  run_close(&r);
}

/* 43 variables and the duration among them: direct = adjoint = complex step, at a design where nothing vanishes. */
static void test_gradients(void) {
  static const char *const method[] = {"direct", "discrete_adjoint", "complex_step"};
  enum { METHODS = 3, QUANTITIES = 5 };
  static double grad[METHODS][QUANTITIES * 64];
  opened_run r = run_open("configs/two_link_arm_minimum_time.ini", 0, NULL);
  mbd_error err = {0};
  double x[64];
  const int n = r.m->n;
  CU_ASSERT_EQUAL_FATAL(n, 43);
  for (int j = 0; j < n; j++) { x[j] = r.m->start[j] + (j == 0 ? -0.3 : sin(3 * j)); }
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, x, method[k], &err), &err);
    memcpy(grad[k], r.m->grad, sizeof *grad[k] * (size_t)(QUANTITIES * n));
  }
  CU_ASSERT_EQUAL(grad[0][0], 1);
  for (int i = 1; i < QUANTITIES; i++) {
    CU_ASSERT(fabs(grad[0][i * n]) > 0.1); /* by the duration */
    for (int j = 0; j < n; j++) {
      const double scale = fabs(grad[0][i * n]);
      CHECK_NEAR("adjoint", grad[1][i * n + j], grad[0][i * n + j], scale, 1e-11);
      CHECK_NEAR("complex step", grad[2][i * n + j], grad[0][i * n + j], scale, 1e-10);
    }
  }
  run_close(&r);
}

TEST_MAIN(TEST(test_shortest), TEST(test_gradients))
