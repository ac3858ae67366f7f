/* A slider-crank that is driven in a motion: constraints leave nothing free, so accelerations do not show whether the reactions of a step
 * have converged on a tangent of an earlier step. */
#include "opened_run.h"

static const char model[] =
    "schema = 1\n[model]\nname = bar\ngravity = 0, 0, -9.81\njoints = named\n[scalars]\nmass = 2\n"
    "[body crank]\nmass = mass\ncom = 0.5, 0, 0\ninertia = 0.02, 0.3, 0.25\n"
    "[body rod]\nmass = mass\ncom = 1.5, 0.2, 0\ninertia = 0.02, 0.3, 0.25\n"
    "[body slider]\nmass = mass\ncom = 3, 0, 0\ninertia = 0.02, 0.3, 0.25\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, crank\n"
    "[point A]\nat = 1, 0, 0\nbodies = crank, rod\n"
    "[point B]\nat = 3, 0, 0\nbodies = rod, slider\n"
    "[point C]\nat = 3, 0, 0\nbodies = slider, ground\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, crank, rod, slider\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, slider\n"
    "[joint O]\ntype = revolute\nbodies = ground, crank\npoint = O\naxis = y\n"
    "[joint A]\ntype = revolute\nbodies = crank, rod\npoint = A\naxis = y\n"
    "[joint B]\ntype = revolute\nbodies = rod, slider\npoint = B\naxis = y\ncut = yes\n"
    "[joint C]\ntype = prismatic\nbodies = ground, slider\npoint = C\naxis = x\n"
    "[curve turn]\ntype = polynomial\ncoefficients = 0.3, 5\n"
    "[constraint motor]\ntype = driven_coordinate\ncoordinate = O.angle\nmotion = turn\n";
static const char run[] =
    "schema = 1\n[model]\nfile = MODEL\n[design mass]\n[case c]\nduration = 0.5\nstep = 5e-3\n"
    "[objective torque]\nof = motor.multiplier\nform = mean_square\n"
    "[constraint pull]\nof = B.reaction_force.norm\nform = mean_square\nupper = 1e9\n";

static void evaluate(unsigned request, double y[2]) {
  opened_run r = run_open_texts(model, run, 0, NULL);
  mbo_problem p;
  double g[1], jac[1];
  mbo_eval v = {.g = g, .jac = jac, .c = y + 1};
  mechanism_problem(r.m, &p);
  run_evaluate(&p, r.m->start, request, &v);
  y[0] = v.f;
  run_close(&r);
}

/* A run without derivatives keeps its tangent as long as that serves; one with them has that of every solution. Largest difference seen:
 * 6e-12; 2e-8 where reactions are not waited for. */
static void test_kept_tangent(void) {
  double kept[2], own[2];
  evaluate(MBO_REQUEST_VALUE, kept);
  evaluate(MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, own);
  CHECK_NEAR("torque of the motor", kept[0], own[0], own[0], 5e-11);
  CHECK_NEAR("pull in a joint", kept[1], own[1], own[1], 5e-11);
}

TEST_MAIN(TEST(test_kept_tangent))
