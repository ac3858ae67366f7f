/* The growth of sensitivities along a run, theory.md §7.6, by direct differentiation and by the adjoint: of a pendulum that stands upright,
 * where the derivative by the angle of the start is cosh(sqrt(g/L) t), and of a short run, which is quiet. */
#include "model.h"

static const char upright[] =
    "schema = 1\n[model]\nname = upright\n[scalars]\nat_first = 3.141592653589793\n[body bar]\nmass = 2\ncom = 0, 0, "
    "-1\n"
    "inertia = 0, 0, 0\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[vector y]\nalong = 0, 1, 0\nbodies = ground, "
    "bar\n"
    "[joint pin]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis = y\n[start]\nhold.pin.angle = at_first\n";
static const double pi = 3.141592653589793, rate = 3.132091952673165; /* [rad], sqrt(9.81) [1/s] */

static void check_growth(const mbd_sim *s, double expected, double considerable) {
  double time;
  CHECK_NEAR("growth", mbd_sim_growth(s, &time), expected, expected, 1e-3);
  const mbd_warning *w = warning_of(s, "growth");
  CU_ASSERT_EQUAL(w != NULL, expected > 1e8);
  CU_ASSERT_EQUAL(isfinite(time), expected > 1e3);
  if (!w) { return; }
  CHECK_CONTAINS(w->text, "s on sensitivities grow, to ");
  CU_ASSERT_EQUAL(w->time, time);
  CHECK_NEAR("time", time, considerable, 1, 0.12);
}

/* Of z' = cosh relative to 1 + z and for a change of the angle by itself; of psi' = cosh relative to the angle at the end. The adjoint pass looks
 * at 1/64 of the nodes, and at what acts from there on: the derivative by the angle comes with the start. */
static void check_upright(double duration) {
  const double large = cosh(rate * duration), one = 1;
  test_model q = model_open_text(upright);
  const mbd_case c = case_lasting(duration, 5e-3);
  const mbd_term term = {.output = model_output(&q, "pin.angle"), .form = "terminal", .weight = 1};
  test_directions v = directions_of_scalars(&q);
  const int nc = mbd_model_ncoef(q.m);
  unsigned char *requested = calloc((size_t)nc + 1, 1);
  double *gtheta = calloc((size_t)nc + 1, sizeof *gtheta), psi, grad;
  mbd_error err = {0};
  mbd_dparams *d;
  mbd_sim *s;
  CU_ASSERT_FATAL(v.n == 1 && v.start[1] == 1 && v.value[0] == one);
  requested[v.index[0]] = 1;
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, 1, v.index, v.value);
  must(mbd_sim_create(q.m, &c, q.o, 1, &term, 1, 1, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 1, &d, &psi, &grad, NULL, NULL, NULL, &err), &err);
  CHECK_NEAR("derivative", grad, large, large, 1e-3);
  check_growth(s, large * pi / (1 + pi), acosh(1e3 * (1 + pi) / pi) / rate);
  const mbd_adjoint_options options = {.requested = requested};
  must(mbd_sim_adjoint(s, q.p, &options, &psi, gtheta, NULL, NULL, &err), &err);
  check_growth(s, large, 0);
  free(requested), free(gtheta);
  mbd_dparams_destroy(d), mbd_sim_destroy(s), directions_free(&v), model_close(&q);
}

static void test_growth(void) {
  check_upright(6.5);
  check_upright(1);
}

TEST_MAIN(TEST(test_growth))
