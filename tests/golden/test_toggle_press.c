/* The toggle press against its closed form: the way of the ram over the angle of the crank; and with bars and ram almost without mass against the equation of one
 * coordinate, J angle'' = slope (idle - angle') + F z'(angle), by a Runge-Kutta method here. */
#include <math.h>

#include "opened_run.h"

enum { DROP, AGAIN, TURN, WAY, STEPS = 20000 };
static const double pi = 3.14159265358979323846;
static const double bar = 0.25, away = 0.4, eccentric = 0.04, knee = 0.01;

/* Height of the ram over the place where it is drawn. K is on the circles about N, by the rod, and about T. */
static double height(double angle) {
  const double rod = away - eccentric - knee, long_bar = hypot(knee, bar);
  const double x = away - eccentric * cos(angle), z = bar - eccentric * sin(angle);
  const double way_x = -x, way_z = 2 * bar - z, far = hypot(way_x, way_z);
  const double a = (rod * rod - long_bar * long_bar + far * far) / (2 * far), h = sqrt(rod * rod - a * a);
  const double K_x = x + (a * way_x - h * way_z) / far, K_z = z + (a * way_z + h * way_x) / far;
  return K_z - sqrt(long_bar * long_bar - K_x * K_x);
}

static double slope_of_height(double angle) {
  const double h = 1e-5;
  return (8 * (height(angle + h) - height(angle - h)) - height(angle + 2 * h) + height(angle - 2 * h)) / (12 * h);
}

static double acceleration(double angle, double rate) {
  const double slope = slope_of_height(angle), v = slope * rate, in = fmax(0, 1 - height(angle) / 0.003);
  return (20 * (10 - rate) + slope * 30000 * in * in * (1 - v / hypot(v, 0.002)) / 2) / 5;
}

/* The angle after a time, from pi and 9.8 rad/s. */
static double angle_after(double time) {
  const double h = time / STEPS;
  double q = pi, v = 9.8;
  for (int i = 0; i < STEPS; i++) {
    const double a1 = acceleration(q, v), v2 = v + h / 2 * a1, a2 = acceleration(q + h / 2 * v, v2),
                 v3 = v + h / 2 * a2, a3 = acceleration(q + h / 2 * v2, v3), v4 = v + h * a3,
                 a4 = acceleration(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4), v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return q;
}

static void test_press(void) {
  static const double periods[] = {0.2, 0.36, 0.66};
  static const char *const set[] = {"scalars.bars=1e-7", "scalars.ram=1e-7", "case.stroke.step=1e-4",
                                    "constraint.way.form=terminal"};
  mbd_error err = {0};
  opened_run r = run_open("configs/toggle_press.ini", 4, set);
  for (int k = 0; k < 3; k++) {
    double x[5];
    CU_ASSERT_EQUAL_FATAL(r.m->n, 5);
    memcpy(x, r.m->start, sizeof x);
    x[2] = periods[k];
    must(mechanism_evaluate(r.m, x, "none", &err), &err);
    const double *psi = r.m->psi + r.config->nobjective;
    CHECK_CLOSE("way of the ram", psi[WAY], height(psi[TURN]), 1e-12);
    CHECK_CLOSE("angle", psi[TURN], angle_after(periods[k]), 1e-7);
  }
  run_close(&r);
}

TEST_MAIN(TEST(test_press))
