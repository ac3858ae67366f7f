/* configs/four_bar_path.ini against the closed form of a four-bar linkage, which is written here from the triangle of its follower
 * side, while the model file has it from the diagonal's: the path, the transmission angle, and the lengths that are found. */
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

enum { CRANK, COUPLER, FOLLOWER, BASE, ALONG, ACROSS, LENGTHS, NODES = 101 };
static const double published[LENGTHS] = {0.2, 0.5, 0.45, 0.55, 0.25, 0.2};

/* P at an angle of the crank: C is where circles about B and D meet, on the left of the way from D to B turned about. */
static void coupler_point(const double *q, double turn, double P[2]) {
  const double B[] = {q[CRANK] * cos(turn), q[CRANK] * sin(turn)};
  const double d[] = {B[0] - q[BASE], B[1]}, f2 = d[0] * d[0] + d[1] * d[1];
  const double a = (q[FOLLOWER] * q[FOLLOWER] - q[COUPLER] * q[COUPLER] + f2) / (2 * f2);
  const double h = sqrt(q[FOLLOWER] * q[FOLLOWER] / f2 - a * a);
  const double C[] = {q[BASE] + a * d[0] + h * d[1], a * d[1] - h * d[0]};
  const double e[] = {(C[0] - B[0]) / q[COUPLER], (C[1] - B[1]) / q[COUPLER]};
  P[0] = B[0] + q[ALONG] * e[0] - q[ACROSS] * e[1];
  P[1] = B[1] + q[ALONG] * e[1] + q[ACROSS] * e[0];
}

/* The cosine of the angle between coupler and follower, where the crank turned by 0 (inner) or by half a turn (outer). */
static double transmission(const double *q, int outer) {
  const double f = q[BASE] + (outer ? q[CRANK] : -q[CRANK]);
  return (q[COUPLER] * q[COUPLER] + q[FOLLOWER] * q[FOLLOWER] - f * f) / (2 * q[COUPLER] * q[FOLLOWER]);
}

static void test_path(void) {
  opened_run r = run_open("configs/four_bar_path.ini", 0, NULL);
  double sum[2] = {0}, turn = 2 * acos(-1);
  mbd_error err = {0};
  for (int k = 0; k < NODES; k++) { /* the trapezoidal rule over the nodes of the run */
    double P[2], W[2];
    coupler_point(r.m->start, turn * k / (NODES - 1), P), coupler_point(published, turn * k / (NODES - 1), W);
    const double weight = (k == 0 || k == NODES - 1 ? 0.5 : 1) / (NODES - 1);
    for (int c = 0; c < 2; c++) { sum[c] += weight * (P[c] - W[c]) * (P[c] - W[c]); }
  }
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("path along x", r.m->psi[0], sum[0], 1e-13);
  CHECK_CLOSE("path along y", r.m->psi[1], sum[1], 1e-13);
  CHECK_CLOSE("inner", r.m->psi[5], transmission(r.m->start, 0), 1e-15);
  CHECK_CLOSE("outer", r.m->psi[6], transmission(r.m->start, 1), 1e-15);
  run_close(&r);
}

/* The angle between the bars as an output, after nothing and after half a turn. */
static void test_transmission(void) {
  static const char *const end[] = {"case.turn.duration=1e-9", "case.turn.duration=0.5"}, *const step[] = {
                                                                                              "case.turn.step=1e-9",
                                                                                              "case.turn.step=0.01"};
  for (int outer = 0; outer < 2; outer++) {
    const char *const set[] = {end[outer], step[outer], "objective.path_x.of=transmission",
                               "objective.path_x.form=terminal"};
    opened_run r = run_open("configs/four_bar_path.ini", 4, set);
    mbd_error err = {0};
    must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
    CHECK_CLOSE("transmission angle", cos(r.m->psi[0] * acos(-1) / 180), transmission(r.m->start, outer), 1e-8);
    run_close(&r);
  }
}

static int solve(const opened_run *r, mbo_result *q) {
  mbo_problem p;
  mbo_settings s;
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.max_iterations = 100, s.tolerance = 1e-9, s.gauss_newton = 1;
  mechanism_problem(r->m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, q, &err);
  if (status == MBD_NOT_BUILT_IN) { return 0; }
  must(status, &err);
  CU_ASSERT_EQUAL(q->status, MBO_CONVERGED);
  return 1;
}

static void test_lengths(void) {
  const char *const loose = "constraint.transmission_inner.upper=cos(40*pi/180)";
  opened_run r = run_open("configs/four_bar_path.ini", 1, &loose);
  mbo_result q = {0};
  if (solve(&r, &q)) {
    for (int i = 0; i < LENGTHS; i++) { CHECK_CLOSE(r.m->name[i], q.x[i], published[i], 1e-6); } /* seen: 5e-8 */
    CHECK_CLOSE("nothing is left", q.f, 0, 1e-13);
  }
  mbo_result_free(&q);
  run_close(&r);
}

/* With a limit that the wanted linkage does not keep, the limit is reached, and costs. */
static void test_limit(void) {
  opened_run r = run_open("configs/four_bar_path.ini", 0, NULL);
  mbo_result q = {0};
  CU_ASSERT(transmission(published, 0) > cos(acos(-1) / 4));
  if (solve(&r, &q)) {
    CHECK_CLOSE("least transmission angle", acos(transmission(q.x, 0)) * 180 / acos(-1), 45, 1e-4);
    CU_ASSERT(q.f > 1e-7 && q.f < 1e-5);
    CHECK_CLOSE("objective", q.f, 2.676e-6, 1e-9);
  }
  mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_path), TEST(test_transmission), TEST(test_lengths), TEST(test_limit))
