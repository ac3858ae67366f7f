/* The tilting three-wheeler: its steering against the planar four-bar linkages that it is without rake, upright, and against tie rods that are parallel to the
 * beam, which do not feel the lean; turns in which it leans by itself until the resultant meets the middle of its track; gradients, and the optima that
 * problems/three_wheeler/README.md states. */
#include "opened_run.h"

static const double degree = 3.14159265358979323846 / 180;

/* ---- steering ---- */

/* The angle of the knuckle at that of the handlebar: the distance of the end of the lever R(angle) (lx, ly) from that of the arm, (0, half) + R(knuckle) (ax, ay), is the length of
 * the rod. With d from the kingpin to the lever's end,
 *   cos(knuckle) d.a + sin(knuckle) (d_y a_x - d_x a_y) = (d^2 + a^2 - length^2)/2 */
static double knuckle_of(double angle) {
  const double half = 0.21, lx = -0.06, ly = 0, ax = -0.06, ay = -0.0085;
  const double d[2] = {lx * cos(angle) - ly * sin(angle), lx * sin(angle) + ly * cos(angle) - half};
  const double length2 = (ax - lx) * (ax - lx) + (half + ay - ly) * (half + ay - ly);
  const double A = d[0] * ax + d[1] * ay, B = d[1] * ax - d[0] * ay;
  const double C = (d[0] * d[0] + d[1] * d[1] + ax * ax + ay * ay - length2) / 2;
  return atan2(B, A) - acos(C / hypot(A, B));
}

/* Without rake the axes of handlebar and wheels are vertical. Toe is positive where the front of a wheel turns inwards. */
static void test_planar_linkage(void) {
  static const char *const of[] = {"front.left.wheel.toe", "front.right.wheel.toe"};
  static const double lock[] = {0.1, 0.35, 0.6, -0.5};
  for (int i = 0; i < 4; i++) {
    double toe[2];
    char text[1000];
    snprintf(text, sizeof text,
             "schema = 1\n[model]\nfile = %s/problems/three_wheeler/rig.ini\n[scalars]\nlock = %g\nfront.rake = "
             "0\nfront.offset = 0\n[design v]\nscalar = front.arm_x\n[case c]\nanalysis = kinematic\nduration = "
             "1\nstep = 0.1\n"
             "drive.lean.angle = 0\ndrive.front.beam.angle = 0\ndrive.front.handlebar.angle = swing\n"
             "drive.front.left.fork.distance = 0\ndrive.front.right.fork.distance = 0\n"
             "drive.front.left.spin.angle = 0\ndrive.front.right.spin.angle = 0\n",
             MBOPT_SOURCE_DIR, lock[i]);
    run_to_end(text, 2, of, 0, NULL, toe);
    CHECK_CLOSE("left wheel [deg]", toe[0], -knuckle_of(lock[i]) / degree, 1e-11);
    CHECK_CLOSE("right wheel [deg]", toe[1], -knuckle_of(-lock[i]) / degree, 1e-11);
    CU_ASSERT(fabs(toe[0] + toe[1]) > 0.01);
  }
}

enum { TOE = 4, LEAN_STEER = 5 };

/* Tie rods that are seen from behind parallel to the beam and as long as its half move with it as it leans: neither toe nor steer, whatever the places of
 * their ends along the car. Shorter ones change the toe, oblique ones the steer. */
static void test_parallel_rods(void) {
  const double lever[] = {-0.045, 0.03}, arm_x = -0.05, same_height = 0.335 + (lever[0] - arm_x) * tan(0.35);
  mbd_error err = {0};
  opened_run r = run_open("configs/three_wheeler_steering.ini", 0, NULL);
  for (int i = 0; i < 3; i++) {
    const double x[] = {lever[0], lever[1], arm_x, lever[1] - 0.002 * (i == 1), same_height + 0.002 * (i == 2)};
    must(mechanism_evaluate(r.m, x, "none", &err), &err);
    const double toe = r.m->psi[TOE], steer = r.m->psi[LEAN_STEER];
    CU_ASSERT(i == 0 ? toe < 1e-20 && steer < 1e-20 : (i == 1 ? toe : steer) > 1e-2);
  }
  run_close(&r);
}

/* ---- turns ---- */

#define TURN                                                                                                  \
  "schema = 1\n[model]\nfile = %s/problems/three_wheeler/three_wheeler.ini\n[scalars]\nv = 20\n[case turn]\n" \
  "steady.speed = v\nsteady.lateral_acceleration = hardest\nsteady.find = steer_torque, throttle\n"

/* Loads carry the weight; the resultant and the lean agree but for the width of none and gyroscopic moments, to either side; and the turn lasts. */
static void test_leaning(void) {
  mbd_error err = {0};
  opened_run r = run_open_rooted(
      TURN
      "start = steady\nduration = 0.3\nstep = 5e-3\n[design hardest]\nstart = 5\n[objective lean]\nof = "
      "lean\nform = terminal\n[objective resultant]\nof = resultant\nform = terminal\n[objective in_track]\nof = "
      "in_track\nform = terminal\n[objective torque]\nof = torque\nform = terminal\n[objective left]\nof = "
      "front.left.tyre.load\nform = terminal\n[objective right]\nof = front.right.tyre.load\nform = "
      "terminal\n[objective rear]\nof = tyre.load\nform = terminal\n[objective range]\nof = lean\nform = "
      "range\nsharpness = 1e9\n");
  const double weight = 9.81 * (215 + 30 + 10 + 5 + 4 + 2 * (3 + 3 + 3 + 7));
  double torque[2];
  for (int side = 0; side < 2; side++) {
    const double hardest = side ? -5 : 5;
    must(mechanism_evaluate(r.m, &hardest, "none", &err), &err);
    const double *y = r.m->psi;
    printf("(lean %.4g of %.4g deg, range %.2g) ", y[0], y[1], y[7]);
    CHECK_NEAR("weight", y[4] + y[5] + y[6], weight, weight, 3e-8);
    CHECK_CLOSE("lean [deg]", y[0], y[1], 0.3);
    CHECK_CLOSE("resultant in the track", y[2], 0, 1e-3);
    CHECK_CLOSE("it lasts [deg]", y[7], 0, 2e-6);
    CU_ASSERT(fabs(y[1]) > 26);
    torque[side] = y[3];
  }
  CHECK_CLOSE("torque to the right [N m]", torque[1], -torque[0], 1e-8);
  CU_ASSERT(torque[0] > 0.1);
  run_close(&r);
}

/* ---- gradients and optima ---- */

static void test_gradients(void) {
  static const char *const coarse[] = {"case.lean0.step=0.5", "case.lean1.step=0.5", "case.lean2.step=0.5",
                                       "case.lean3.step=0.5", "case.sway.step=0.5"};
  opened_run r = run_open_rooted(
      TURN
      "analysis = steady\nduration = 1\nstep = 1\n[design rake]\nscalar = front.rake\n[design offset]\nscalar = "
      "front.offset\n[design com_x]\n[design lever_y]\nscalar = front.lever_y\nscale = 0.1\n[objective torque]\nof = "
      "torque\nform = integral_square\n[objective lean]\nof = lean\nform = terminal\n[objective steer]\nof = "
      "steer\nform = terminal\n");
  run_check_gradients("configs/three_wheeler_steering.ini", 5, coarse);
  run_check_gradients_of(&r);
}

/* Of the steering one variable is at its bound, all others have no slope; in turns two are at bounds, and the third is where the wobble has its limit. */
static void test_optima(void) {
  static const double x[] = {-0.04, 0.0428692346, -0.0422331186, 0.0424356873, 0.336230549};
  static const double y[] = {0.273866387, 0, -0.73};
  mbd_error err = {0};
  opened_run r = run_open("configs/three_wheeler_steering.ini", 0, NULL);
  double value = 0;
  must(mechanism_evaluate(r.m, x, "auto", &err), &err);
  for (int i = 0; i < 7; i++) { value += r.m->psi[i] * (i == 6 ? 0.1 : 1); }
  CHECK_CLOSE("steering", value, 1.15437, 1e-5);
  for (int j = 0; j < 5; j++) {
    double slope = 0;
    for (int i = 0; i < 7; i++) { slope += r.m->grad[5 * i + j] * (i == 6 ? 0.1 : 1); }
    if (j == 0) {
      CU_ASSERT(slope < -0.1);
    } else {
      CHECK_CLOSE(r.m->name[j], slope, 0, 0.02);
    }
  }
  run_close(&r);
  r = run_open("configs/three_wheeler_turns.ini", 0, NULL);
  if (run_evaluate_modes(&r, y, "auto")) {
    const double *g = r.m->grad, *wobble = g + 3 * 4;
    CHECK_CLOSE("torques", r.m->psi[0] + r.m->psi[1] + r.m->psi[2], 0.153339, 1e-5);
    CHECK_CLOSE("wobble", r.m->psi[4], 0.15, 1e-8);
    const double price = (g[0] + g[3] + g[6]) / wobble[0];
    CU_ASSERT(price > 0.1 && g[1] + g[4] + g[7] - price * wobble[1] > 0 && g[2] + g[5] + g[8] - price * wobble[2] < 0);
  }
  run_close(&r);
}

TEST_MAIN(TEST(test_planar_linkage), TEST(test_parallel_rods), TEST(test_leaning), TEST(test_gradients),
          TEST(test_optima))
