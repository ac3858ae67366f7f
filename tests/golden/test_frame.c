/* The lightest frame of configs/frame_reaction.ini against its closed form. A blow F at the end of arms of the length L and the mass a,
 * with a bar of the mass b there, turns the frame about its hinge by F L/J, J = a L^2/3 + b L^2, so that the hinge bears
 *   R = (a L/2 + b L) F L/J - F = F a/(2 a + 6 b)
 * while the frame has hardly turned: by 0.01 rad, which changes R by less than 1e-4 of itself. */
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

static const double blow = 1000, limit = 200, sharpness = 5, arm = 2 * 7850e-4, bar = 7850e-4 * 0.8;
enum { STEPS = 200 };

/* The smooth maximum over half a sine wave of the height `top`, by the trapezoidal rule. */
static double smooth_peak(double top) {
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) {
    const double weight = k == 0 || k == STEPS ? 0.5 : 1;
    sum += weight * exp(sharpness * top * (sin(acos(-1) * k / STEPS) - 1)) / STEPS;
  }
  return top + log(sum) / sharpness;
}

static double reaction(double arm_area, double bar_area) {
  return blow * arm * arm_area / (2 * arm * arm_area + 6 * bar * bar_area);
}

static void test_reaction(void) {
  opened_run r = run_open("configs/frame_reaction.ini", 0, NULL);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("mass", r.m->psi[0], arm * r.m->start[0] + bar * r.m->start[1], 1e-12);
  CHECK_CLOSE("largest reaction", r.m->psi[1], smooth_peak(reaction(r.m->start[0], r.m->start[1])), 0.04);
  run_close(&r);
}

/* The arms are as thin as they may be, and the bar as heavy as the limit asks for:  b = a (F - 2 R)/(6 R). */
static void test_lightest(void) {
  opened_run r = run_open("configs/frame_reaction.ini", 0, NULL);
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  double top = limit;
  for (int i = 0; i < 20; i++) { top += limit - smooth_peak(top); }
  const double thinnest = 10, heavy = arm * thinnest * (blow - 2 * top) / (6 * top) / bar;
  mbo_settings_init(&s);
  s.max_iterations = 100, s.tolerance = 1e-9;
  mechanism_problem(r.m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    CHECK_CLOSE("arm_area", q.x[0], thinnest, 1e-6);
    CHECK_CLOSE("bar_area", q.x[1], heavy, 2e-3);
    CHECK_CLOSE("mass", q.f, arm * thinnest + bar * heavy, 1e-3);
  }
  mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_reaction), TEST(test_lightest))
