/* Motions of beams: a cantilever that is released against the numbers of an independent program, the spin-up of Kane, Ryan and Banerjee
 * (problems/spin_up) against a chain of rigid segments. */
#include "opened_run.h"

/* ---- a cantilever with a mass at its tip, released straight ---- */

static const char model[] =
    "schema = 1\n[model]\ngravity = 0, -9.81, 0\njoints = named\n[scalars]\nheight = 0.02\n"
    "[beam arm]\nfrom = A\nto = B\nup = up\nsection = rectangle\nheight = height\nwidth = 0.02\n"
    "E = 1e9\ndensity = 1000\nshapes = 3, 0, 0\npoints = 7\nrotary_inertia = no\n"
    "[body weight]\nmass = 0.1\ncom = 1, 0, 0\ninertia = 0, 0, 0\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
    "[point B]\nat = 1, 0, 0\nbodies = arm.tip, weight\n"
    "[vector up]\nalong = 0, 1, 0\nbodies = arm\n"
    "[joint clamp]\ntype = weld\nbodies = ground, arm\npoint = A\n"
    "[joint end]\ntype = weld\nbodies = arm.tip, weight\npoint = B\n";
static const char run[] =
    "schema = 1\n[model]\nfile = MODEL\n[design height]\nlower = 0.01\nupper = 0.05\n"
    "[case released]\nduration = 0.5\nstep = 1e-3\n"
    "[objective deflection]\nof = B.position.y\nform = integral_square\n";

/* The integral of the square of the tip's deflection and its derivative by the height, Newmark's scheme, trapezoidal sum: complex steps of the
 * other program agree to 1e-15. */
static void test_released(void) {
  static const char *const method[] = {"direct", "discrete_adjoint"};
  for (int k = 0; k < 2; k++) {
    mbd_error err = {0};
    opened_run r = run_open_texts(model, run, 0, NULL);
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    CHECK_CLOSE("integral", r.m->psi[0], 0.0025100310898135136, 1e-14);
    CHECK_CLOSE("by the height", r.m->grad[0], -0.7503139625245027, 1e-10);
    run_close(&r);
  }
}

/* ---- spin-up ---- */

static double deflection(const char *at, const char *stiffening) {
  mbd_error err = {0};
  const char *const set[] = {"objective.lag.form=value_at", at, stiffening};
  opened_run r = run_open("configs/spin_up.ini", 3, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double found = r.m->psi[0];
  run_close(&r);
  return found;
}

/* Chains of 10, 20 and 40 rigid segments, extrapolated. */
static void test_spin_up(void) {
  CHECK_CLOSE("at 5 s", deflection("objective.lag.at=5", "output.columns=tip.position.y"), -0.4684363944114329, 2e-3);
  CHECK_CLOSE("at 6.76 s", deflection("objective.lag.at=6.76", "output.columns=tip.position.y"), -0.5737532557921922,
              4e-3);
  CHECK_CLOSE("at 10 s", deflection("objective.lag.at=10", "output.columns=tip.position.y"), -0.3626776400062616, 2e-3);
}

TEST_MAIN(TEST(test_released), TEST(test_spin_up))
