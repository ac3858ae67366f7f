/* The leg of Theo Jansen: his lengths in closed form against printed positions of the joints, and against the run file; what the optimization makes of
 * them. */
#include <complex.h>
#include <math.h>

#include "backend/run_settings.h"
#include "mechanism/true_values.h"
#include "opened_run.h"
#include "stages/stages.h"

typedef double complex point;

/* The corner at distances r and s from P and Q, on the left of the way from P to Q. */
static point corner(point P, point Q, double r, double s) {
  const double way = cabs(Q - P), along = (r * r - s * s + way * way) / (2 * way);
  return P + (Q - P) / way * (along + I * sqrt(r * r - along * along));
}

typedef struct leg {
  point P, U, W, V, X, F;
} leg;

/* The joints at an angle of the crank, in centimetres from its shaft. */
static leg jansen(double angle) {
  const point B = -38 - 7.8 * I;
  leg at = {.P = 15 * cexp(I * angle)};
  at.U = corner(B, at.P, 41.5, 50);
  at.V = corner(at.P, B, 61.9, 39.3);
  at.W = corner(B, at.U, 40.1, 55.8);
  at.X = corner(at.V, at.W, 36.7, 39.4);
  at.F = corner(at.V, at.X, 49, 65.7);
  return at;
}

static void check_joint(const char *name, point got, double x, double y) {
  CHECK_CLOSE(name, creal(got), x, 0.015);
  CHECK_CLOSE(name, cimag(got), y, 0.015);
}

/* Positions of the example of Pyslvs (github.com/KmolYuan/pyslvs-paper-public), which are printed with two decimals. */
static void test_joints(void) {
  const leg at = jansen(atan2(11.52, 9.61));
  check_joint("P", at.P, 9.61, 11.52), check_joint("U", at.U, -35.24, 33.61);
  check_joint("W", at.W, -77.75, -2.54), check_joint("V", at.V, -20.1, -42.79);
  check_joint("X", at.X, -56.05, -35.42), check_joint("F", at.F, -22.22, -91.74);
}

/* Both objectives of the run file at its start, the original, by 20000 points of the closed form. */
static void test_original(void) {
  enum { N = 20000 };
  const double pi = acos(-1), begin = 275 * pi / 180;
  double level = 0, even = 0;
  mbd_error err = {0};
  for (int k = 0; k < N; k++) {
    const double t = 0.5 * (k + 0.5) / N;
    const point F = jansen(begin + 2 * pi * t).F / 100;
    const double off = cimag(F) + 0.915, slip = creal(F) + 0.4 - 1.27 * (t - 0.25);
    level += off * off / N, even += slip * slip / N;
  }
  opened_run r = run_open("configs/jansen_leg.ini", 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("level", r.m->psi[0], level, 2e-3 * level); /* the run file takes steps of a hundredth of a turn */
  CHECK_CLOSE("even", r.m->psi[1], even, 2e-3 * even);
  CHECK_CLOSE("lift", r.m->psi[2], cimag(jansen(begin + 1.5 * pi).F) / 100 + 0.915, 1e-9);
  run_close(&r);
}

/* The optimum has a thirtieth of the mean square, and meets what the original has. */
static void test_optimum(void) {
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  stages list = {0};
  opened_run r = run_open("configs/jansen_leg.ini", 0, NULL);
  mechanism_problem(r.m, &p);
  mbo_option *options = run_settings(r.config, &p, &s);
  must(stages_solve(r.m, run_backend(r.config, &p), &p, &s, &list, &q, &err), &err);
  CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
  CHECK_CLOSE("start", q.f_start, 3.3059e-4, 1e-8);
  CHECK_CLOSE("optimum", q.f, 1.0097e-5, 2e-8);
  CHECK_CLOSE("violation", q.violation, 0, 0);
  free(options);
  stages_free(&list), mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_joints), TEST(test_original), TEST(test_optimum))
