/* Controllers and filters built of bodies, as models had them before there were states, against states: they agree as the masses of these bodies go to zero.
 *   ghost shaft  a rotor that friction and a torque of the error turn, J theta'' = c (e - theta'), so that its angle is the integral of the error for J = 0
 *   sensor mass  a mass between a spring, whose other end is where the measured quantity is, and a damper, m x'' = k (u - x) - c x': for m = 0 a lag of c/k
 * A PI controller of the speed of a shaft takes its integral from the first, and the angle that it pulls back, filtered, from the second. */
#include "values.h"

static const char shaft[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nwish = 2\nT = 0.2\nc = 1\n"
    "[body rotor]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 0.5\n[point O]\nat = 0, 0, 0\nbodies = ground, rotor\n"
    "[vector k]\nalong = 0, 0, 1\nbodies = ground, rotor\n"
    "[joint turn]\ntype = revolute\nbodies = ground, rotor\npoint = O\naxis = k\n"
    "[quantity error]\nvalue = wish - turn.angle.rate\n"
    "[force motor]\ntype = expression\ncoordinate = turn.angle\n"
    "value = 6*error + 16*integral - 30*filtered - 0.3*sin(2*time)\n";

static test_model with_states(void) {
  return model_open_parts(shaft,
                          "[state integral]\nrate = error\n[part lag]\nuse = lag\nquantity.input = turn.angle\n"
                          "scalar.T = T\n[quantity filtered]\nvalue = lag.output\n"
                          "[start]\nhold.turn.angle = 0\n");
}

/* With the inertia m of the ghost shaft and the mass m of the sensor; c = 1. Both start with the rates that they would have without. */
static test_model with_bodies(double m) {
  char bodies[2000];
  snprintf(
      bodies, sizeof bodies,
      "[body ghost]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, %.17g\n[point G]\nat = 1, 0, 0\nbodies = ground, ghost\n"
      "[vector kg]\nalong = 0, 0, 1\nbodies = ground, ghost\n"
      "[joint ghost]\ntype = revolute\nbodies = ground, ghost\npoint = G\naxis = kg\n"
      "[force follow]\ntype = expression\ncoordinate = ghost.angle\nvalue = c*(error - ghost.angle.rate)\n"
      "[body sensor]\nmass = %.17g\ncom = 0, 1, 0\ninertia = 1, 1, 1\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, sensor\n"
      "[joint sensor]\ntype = prismatic\nbodies = ground, sensor\naxis = x\n"
      "[force spring]\ntype = expression\ncoordinate = sensor.distance\n"
      "value = c/T*(c*turn.angle - sensor.distance) - c*sensor.distance.rate\n"
      "[quantity integral]\nvalue = ghost.angle\n[quantity filtered]\nvalue = sensor.distance\n"
      "[start]\nhold.turn.angle = 0\nhold.ghost.angle = 0\nrate.ghost.angle = wish\nhold.sensor.distance = 0\n",
      m, m);
  return model_open_parts(shaft, bodies);
}

/* The differences are of order one in the mass; without their parts of order one and two no more than a 200th of the smallest is left. */
static void test_masses(void) {
  static const char *const name[] = {"turn.angle.rate", "integral", "filtered"};
  const mbd_case c = case_lasting(0.5, 1e-3);
  test_model states = with_states();
  for (int i = 0; i < 3; i++) {
    const double expected = value_after(&states, &c, name[i], 500);
    double difference[3];
    for (int k = 0; k < 3; k++) {
      test_model bodies = with_bodies(4e-3 / (1 << k));
      difference[k] = value_after(&bodies, &c, name[i], 500) - expected;
      model_close(&bodies);
    }
    const double rest = (8 * difference[2] - 6 * difference[1] + difference[0]) / 3;
    printf("\n  %s: %.3g %.3g %.3g, without orders one and two %.3g ", name[i], difference[0], difference[1],
           difference[2], rest);
    CHECK_CLOSE(name[i], log2(difference[1] / difference[2]), 1, 0.05);
    CHECK_CLOSE(name[i], rest, 0, 0.005 * fabs(difference[2]));
  }
  model_close(&states);
}

TEST_MAIN(TEST(test_masses))
