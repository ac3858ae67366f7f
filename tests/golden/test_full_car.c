/* The passenger car of problems/full_car: its axles move as those of problems/kc_axle do on their rig; a steady turn carries the weight, and its roll moment; gradients; the
 * optimum that its README states. */
#include "opened_run.h"

enum { FRONT_TOE, REAR_TOE, FRONT_CAMBER, REAR_CAMBER };

/* Toe and camber over the travel, of the car on its wheels and of the axles alone. */
static void test_axles(void) {
  static const char *const as_there[] = {"case.bump.step=0.05", "case.road.duration=0.01", "case.step.duration=0.01",
                                         "case.brake.duration=0.01"};
  static const char *const name[] = {"front_toe", "rear_toe", "front_camber", "rear_camber"};
  mbd_error err = {0};
  opened_run car = run_open("configs/full_car.ini", 4, as_there), axles = run_open("configs/kc_axle.ini", 0, NULL);
  double car_psi[30], axles_psi[30];
  CU_ASSERT_FATAL(car.m->nobjective <= 30 && axles.m->nobjective <= 30);
  must(mechanism_evaluate(axles.m, axles.m->start, "none", &err), &err);
  memcpy(axles_psi, axles.m->psi, (size_t)axles.m->nobjective * sizeof *axles_psi);
  must(mechanism_evaluate(car.m, car.m->start, "none", &err), &err);
  memcpy(car_psi, car.m->psi, (size_t)car.m->nobjective * sizeof *car_psi);
  for (int k = 0; k < 4; k++) {
    int found = 0;
    for (int i = 0; i < axles.m->nobjective; i++) {
      if (strcmp(mechanism_quantity(axles.m, i), name[k]) != 0) { continue; }
      CHECK_CLOSE(name[k], car_psi[k], axles_psi[i], 1e-11);
      found = 1;
    }
    CU_ASSERT(found && strcmp(mechanism_quantity(car.m, k), name[k]) == 0 && car_psi[k] > 1e-4);
  }
  run_close(&car), run_close(&axles);
}

/* Of a turn to the left with 5 m/s^2: sums of the loads, and of their moments about the middle, which are those of the centrifugal force, m a h, and of the weight in the roll, m g h
 * roll, about the road; the centre of mass of all bodies is 0.506 m high then. */
static void test_turn(void) {
  mbd_error err = {0};
  const double mass = 1290 + 2 * (4 + 30 + 15) + 2 * (30 + 15) + 3 + 4 * 1.5, half_track = 0.76, h = 0.506;
  opened_run r = run_open_rooted(
      "schema = 1\n[model]\nfile = %s/problems/full_car/full_car.ini\n[design v]\n[case turn]\nanalysis = "
      "steady\nduration = 1\nstep = 1\nsteady.speed = v\nsteady.lateral_acceleration = harder\nsteady.find = rack_at, "
      "throttle\ndrive.front.rack.distance = turned\n[objective fl]\nof = fl.tyre.load\nform = terminal\n[objective "
      "fr]\nof = fr.tyre.load\nform = terminal\n[objective rl]\nof = rl.tyre.load\nform = terminal\n[objective rr]\nof "
      "= "
      "rr.tyre.load\nform = terminal\n[objective roll]\nof = chassis.roll\nform = terminal\n[objective lateral]\nof = "
      "lateral\nform = terminal\n");
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double *y = r.m->psi;
  CHECK_NEAR("weight", y[0] + y[1] + y[2] + y[3], mass * 9.81, mass * 9.81, 1e-10);
  const double moment = (y[1] + y[3] - y[0] - y[2]) * half_track, expected = mass * h * (y[5] + 9.81 * y[4]);
  printf("(moment of the loads %.5g of %.5g N m) ", moment, expected);
  CHECK_NEAR("moment", moment, expected, expected, 0.02);
  CU_ASSERT(y[4] > 0.04 && y[5] > 4.9);
  run_close(&r);
}

/* Every case, short. */
static void test_gradients(void) {
  static const char *const brief[] = {"case.bump.step=0.5",      "case.lateral.step=1", "case.road.duration=0.25",
                                      "case.road.step=0.025",    "case.turns.step=1",   "case.step.duration=0.3",
                                      "case.brake.duration=0.3", "case.step.step=0.05", "case.brake.step=0.05"};
  run_check_gradients("configs/full_car.ini", sizeof brief / sizeof *brief, brief);
}

/* Variables between their bounds have no slope, those at a bound one that points there. */
static void test_optimum(void) {
  static const double x[] = {254.913512, 340,        256.882202, 160, 4610.18525, 8527.92648,
                             27646.4815, 17333.3178, 1277.80356, 700, 1357.90049, 100};
  mbd_error err = {0};
  if (!test_long()) { return; }
  opened_run r = run_open("configs/full_car.ini", 0, NULL);
  double value = 0, slope[12] = {0};
  must(mechanism_evaluate(r.m, x, "auto", &err), &err);
  CU_ASSERT_EQUAL_FATAL(r.m->n, 12);
  for (int i = 0; i < r.m->nobjective; i++) {
    const double weight = r.m->config->objective[i].weight;
    value += weight * r.m->psi[i];
    for (int j = 0; j < 12; j++) { slope[j] += weight * r.m->grad[12 * i + j]; }
  }
  CHECK_CLOSE("objective", value, 9.15020, 1e-4);
  for (int j = 0; j < 12; j++) {
    const double lower = r.m->config->design[j].lower, upper = r.m->config->design[j].upper;
    const double free = slope[j] * (upper - lower);
    if (x[j] == lower || x[j] == upper) {
      CU_ASSERT(x[j] == lower ? free > 0 : free < 0);
    } else {
      CHECK_CLOSE(r.m->name[j], free, 0, 1e-3);
    }
  }
  run_close(&r);
}

TEST_MAIN(TEST(test_axles), TEST(test_turn), TEST(test_gradients), TEST(test_optimum))
