/* The cams of problems/cam: gradients against the complex step, the lift of the start by hand, and the smallest base circle under a flat face. */
#include <math.h>

#include "backend/run_settings.h"
#include "opened_run.h"
#include "stages/stages.h"

static const double pi = 3.14159265358979323846;

static void test_gradients(void) {
  CU_ASSERT_EQUAL(run_check_gradients("configs/cam.ini", 1, (const char *const[]){"case.turn.step=0.1/45"}), 16);
}

/* y'' h^2 at the knot k of the rise: the second difference of control points 0, 0, then H/2 (1 - cos(k pi/8)), then H, H, which is
 * H/2 4 sin^2(pi/16) cos(k pi/8) within the cosine. */
static double second_difference(double H, int k) {
  const double first = H / 2 * (1 - cos(pi / 8));
  if (k <= 0 || k >= 8) { return k == 0 ? first : k == 8 ? -first : 0; }
  return H / 2 * 4 * pow(sin(pi / 16), 2) * cos(k * pi / 8);
}

/* The mean square of y'', which is linear between the knots, in rise and fall; and the spring, which has 60 N at the bottom. */
static void test_start(void) {
  const double H = 0.05, h = pi / 12;
  mbd_error err = {0};
  opened_run r = run_open("configs/cam.ini", 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("size", r.m->psi[0], 2, 1e-14);
  double sum = 0;
  for (int k = -1; k <= 8; k++) {
    const double a = second_difference(H, k), b = second_difference(H, k + 1);
    sum += 2 * (a * a + a * b + b * b) / 3 / pow(h * h * 0.06, 2) * h;
  }
  CHECK_CLOSE("accelerations", r.m->psi[1], sum / (2 * pi), 3e-4);
  run_close(&r);
}

/* R = base + s + s'' >= base - h of s = h/2 (1 - cos 2a); the trough that the optimizer sees is tightened until the true one holds, within 1e-4 of the lift. */
static void test_flat(void) {
  const double lift = 0.02, least = 0.003;
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  stages list = {0};
  opened_run r = run_open("configs/cam_flat.ini", 0, NULL);
  mechanism_problem(r.m, &p);
  mbo_option *options = run_settings(r.config, &p, &s);
  must(stages_solve(r.m, run_backend(r.config, &p), &p, &s, &list, &q, &err), &err);
  CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
  CU_ASSERT(q.f >= least + lift);
  CHECK_CLOSE("base circle", q.f, least + lift, 2e-5);
  free(options);
  stages_free(&list), mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_gradients), TEST(test_start), TEST(test_flat))
