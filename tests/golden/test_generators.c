/* Linkages of problems/generators against closed forms: Freudenstein's four-bar linkage and a spatial one (RSSR) for a logarithm, and a published four-bar linkage
 * for nine positions of a body; and what the optimizations make of them. */
#include <complex.h>
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

enum { SAMPLES = 25, POSES = 9, CIRCLE = 20000 };
static const double pi = 3.14159265358979323846;

/* The output that is asked for at input i, as in log.csv [rad]. */
static double wanted(int i) {
  return pi / 3 * log2(1 + i / (SAMPLES - 1.0));
}

/* The objective from the start, by IPOPT as the run file says, and the design; NaN: it is not built in. */
static double solved_at(const opened_run *r, double *x) {
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.max_evaluations = r->config->optimizer.max_evaluations, s.gauss_newton = 1,
  s.stop_value = r->config->optimizer.stop_value;
  mechanism_problem(r->m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, &q, &err);
  const double f = status == MBD_OK ? q.f : NAN;
  CU_ASSERT(status == MBD_OK || status == MBD_NOT_BUILT_IN);
  if (status == MBD_OK) { memcpy(x, q.x, (size_t)p.n * sizeof *x); }
  mbo_result_free(&q);
  return f;
}

static double solved(const opened_run *r) {
  double x[32];
  return solved_at(r, x);
}

static double objective_at(const opened_run *r, const double *x) {
  mbd_error err = {0};
  must(mechanism_evaluate(r->m, x, "none", &err), &err);
  double sum = 0;
  for (int i = 0; i < r->config->nmeasurement; i++) { sum += r->m->psi[r->config->nobjective - 1 - i]; }
  return sum;
}

/* C - D of a four-bar linkage with A in the origin and the base on the real axis; C is on the left of the way from B to D. */
static double complex to_C(double crank, double coupler, double follower, double base, double angle) {
  const double complex B = crank * cexp(I * angle), way = base - B;
  const double r = cabs(way), a = (coupler * coupler - follower * follower + r * r) / (2 * r);
  return B + way / r * (a + I * sqrt(coupler * coupler - a * a)) - base;
}

/* The sum of squared errors of a design: crank, coupler, follower, turned, zero. */
static double sum_of_errors(const double *x) {
  double sum = 0;
  for (int i = 0; i < SAMPLES; i++) {
    const double angle = pi / 3 * i / (SAMPLES - 1);
    const double complex C = to_C(x[0], x[1], x[2], 1, angle - x[3]) * cexp(I * (x[3] - x[4] - wanted(i)));
    sum += carg(C) * carg(C);
  }
  return sum;
}

static void test_four_bar(void) {
  opened_run r = run_open("configs/function_log.ini", 0, NULL);
  const double sum = sum_of_errors(r.m->start);
  CHECK_CLOSE("Freudenstein", objective_at(&r, r.m->start), sum, 1e-6 * sum);
  CHECK_CLOSE("three points", sum, 3.84986e-6, 1e-10);
  const double f = solved(&r);
  CU_ASSERT(isnan(f) || f < 2.3e-6);
  run_close(&r);
}

/* Lengths of a catalogue, both angles free. */
static void test_catalogue(void) {
  opened_run r = run_open("configs/function_catalogue.ini", 0, NULL);
  double x[5];
  const double f = solved_at(&r, x);
  for (int i = 0; i < 3 && !isnan(f); i++) {
    const mbo_numbers *values = &r.config->design[i].values;
    int known = 0;
    for (int k = 0; k < values->n; k++) { known |= x[i] == values->v[k]; }
    CU_ASSERT(known);
  }
  if (!isnan(f)) { CHECK_CLOSE("closed form", f, sum_of_errors(x), 1e-6 * f); }
  CU_ASSERT(isnan(f) || f < 3e-5);
  run_close(&r);
}

/* Another design than that of the file, for which nothing vanishes. The angle of the follower is a root of p cos + q sin = r. */
static void test_rssr(void) {
  opened_run run = run_open("configs/function_rssr.ini", 1, (const char *const[]){"scalars.twist=1.2"});
  const double x[] = {0.52, 1.11, 0.47, 0.13, -0.21, -1.1, 0.01}; /* crank, coupler, follower, lifts, turned, miss */
  double sum = 0, begin = 0;
  CU_ASSERT_EQUAL_FATAL(run.m->n, 7);
  for (int i = 0; i < SAMPLES; i++) {
    const double angle = pi / 3 * i / (SAMPLES - 1) - x[5];
    const double D[] = {1 - x[0] * cos(angle), -x[4] * sin(1.2) - x[0] * sin(angle), x[4] * cos(1.2) - x[3]};
    const double p = 2 * x[2] * D[0], q = 2 * x[2] * (D[1] * cos(1.2) + D[2] * sin(1.2));
    const double left = x[1] * x[1] - x[2] * x[2] - D[0] * D[0] - D[1] * D[1] - D[2] * D[2];
    const double output = atan2(q, p) + acos(left / hypot(p, q));
    if (i == 0) { begin = output; }
    sum += pow(output - begin + x[6] - wanted(i), 2);
  }
  CHECK_CLOSE("RSSR", objective_at(&run, x), sum, 1e-9 * sum);
  run_close(&run);
  run = run_open("configs/function_rssr.ini", 0, NULL);
  CHECK_CLOSE("three points", objective_at(&run, run.m->start), 2.74525e-7, 1e-11);
  const double f = solved(&run);
  CU_ASSERT(isnan(f) || f < 1e-9);
  run_close(&run);
}

/* The published linkage at the angles of the crank where it is nearest to each pose, a radian as bad as 10 units of length. */
static void test_motion(void) {
  static const double pose[POSES][3] = {
      {18.8, 12.1, -51.56620156}, {13.3, 18.1, 0},           {6.3, 19.8, 40.10704566}, {-0.4, 17.1, 85.94366927},
      {-2.7, 10.3, 160.42818264}, {-1.1, 6.0, 228.21970712}, {0.2, 1.7, 245.40844097}, {3.4, -2.2, 251.13801893},
      {7.8, -4.9, 239.67886302}};
  opened_run r = run_open("configs/motion_poses.ini", 0, NULL);
  double x[32], sum = 0, before = 0;
  CU_ASSERT_EQUAL_FATAL(r.m->n, 11 + POSES - 1);
  memcpy(x, r.m->start, (size_t)r.m->n * sizeof *x);
  const double tilt = x[0], base = x[1], crank = x[2], coupler = x[3], follower = x[4], turned = x[9];
  for (int i = 0; i < POSES; i++) {
    double least = INFINITY, best = 0;
    for (int k = 0; k < CIRCLE; k++) {
      const double angle = 4 + 4.6 * k / CIRCLE; /* between the dead points */
      const double complex C = to_C(crank, coupler, follower, base, angle) + base, B = crank * cexp(I * angle),
                           bar = (C - B) / coupler;
      const double complex P = x[5] + I * x[6] + cexp(I * turned) * (B + (x[7] + I * x[8]) * bar);
      const double off = carg(bar * cexp(I * (turned + tilt - pose[i][2] * pi / 180)));
      const double far = cabs(P - pose[i][0] - I * pose[i][1]), f = far * far + 100 * off * off;
      if (f < least) { least = f, best = angle; }
    }
    if (i == 0) { x[10] = best; }
    if (i > 0) { x[10 + i] = best - before; }
    before = best, sum += least;
  }
  CHECK_CLOSE("by mbopt", objective_at(&r, x), sum, 1e-4 * sum);
  CHECK_CLOSE("Hsieh", sum, 0.216311, 1e-5);
  const double f = solved(&r);
  CU_ASSERT(isnan(f) || f < 0.14);
  run_close(&r);
}

TEST_MAIN(TEST(test_four_bar), TEST(test_catalogue), TEST(test_rssr), TEST(test_motion))
