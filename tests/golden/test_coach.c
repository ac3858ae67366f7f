/* The coach of problems/coach: what S3 says of it (mass, steering, speed, degrees of freedom), static axle loads by moments, energy
 * balance, gradients of both run files, what configs/coach_comfort.ini finds. */
#include "mbd/measures.h"
#include "mbo/backend.h"
#include "model.h"
#include "opened_run.h"

static const double mass = 17048, g = 9.81, speed = 50 / 3.6;

/* The lane change, or any motion from equilibrium; outputs of the model for observers, from number 0. */
typedef struct ride {
  test_model model;
  mbd_case c;
  mbd_sim *sim;
} ride;

static ride ride_open(double duration, double step, int nset, const char *const *scalar, const char *const *value,
                      int ny, const char *const *name) {
  ride r = {.model = model_open_with("problems/coach/coach.ini", nset, scalar, value),
            .c = case_lasting(duration, step)};
  mbd_error err = {0};
  for (int i = 0; i < ny; i++) { model_output(&r.model, name[i]); }
  r.c.start = MBD_START_EQUILIBRIUM;
  must(mbd_sim_create(r.model.m, &r.c, r.model.o, 0, NULL, 0, 0, &r.sim, &err), &err);
  return r;
}

static void ride_run(ride *r, mbd_observer observer, void *user) {
  mbd_error err = {0};
  must(mbd_sim_run(r->sim, r->model.p, 0, NULL, NULL, NULL, NULL, observer, user, &err), &err);
}

static void ride_close(ride *r) {
  mbd_sim_destroy(r->sim);
  model_close(&r->model);
}

/* ---- sizes ---- */

/* Sixteen degrees of freedom with the guided steering, which is a constraint here. */
static void test_counts(void) {
  mbd_error err = {0};
  int rank, nfree;
  const int *row, *free_z;
  double sum = 0;
  ride r = ride_open(2, 1e-2, 0, NULL, NULL, 0, NULL);
  must(mbd_sim_start(r.sim, r.model.p, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_rank(r.sim, &rank, &row, &nfree, &free_z);
  CU_ASSERT_EQUAL(mbd_model_nbody(r.model.m), 19);
  CU_ASSERT_EQUAL(mbd_model_nz(r.model.m), 38);
  CU_ASSERT_EQUAL(mbd_model_nphi(r.model.m), 23);
  CU_ASSERT_EQUAL(rank, 23); /* no row is redundant */
  CU_ASSERT_EQUAL(mbd_model_nz(r.model.m) - rank + 1, 16);
  CU_ASSERT_EQUAL(nfree, 0); /* [start] says where every freedom starts */
  for (int i = 1; i <= mbd_model_nbody(r.model.m); i++) { sum += mbd_params_mass(r.model.p, i); }
  CHECK_CLOSE("mass", sum, mass, 1e-9);
  ride_close(&r);
}

/* ---- at rest ---- */

static int last_outputs(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                        const double *lam, const double *y) {
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy(user, y, 16 * sizeof *y);
  return 0;
}

/* The loads carry the weight, and by moments about the lateral axis each axle its part of it. Nothing turns at rest, and no torque
 * drives: 'lack' is what it would be in proportion to. */
static void test_axle_loads(void) {
  static const char *const scalar[] = {"v", "delta", "lack"}, *const value[] = {"0", "0", "0"};
  static const char *const y_of[16] = {"front_left.tyre.load",
                                       "front_right.tyre.load",
                                       "rear_left.inner_tyre.load",
                                       "rear_left.outer_tyre.load",
                                       "rear_right.inner_tyre.load",
                                       "rear_right.outer_tyre.load",
                                       "front_left.wheel.com.x",
                                       "front_right.wheel.com.x",
                                       "rear_left.inner.position.x",
                                       "rear_left.outer.position.x",
                                       "rear_right.inner.position.x",
                                       "rear_right.outer.position.x",
                                       "mechanism.com.x",
                                       "driver.acceleration.z",
                                       "last_row.acceleration.z",
                                       "drive.force"};
  double y[16], weight = 0, moment = 0;
  ride r = ride_open(1e-3, 1e-3, 3, scalar, value, 16, y_of);
  ride_run(&r, last_outputs, y);
  for (int i = 0; i < 6; i++) { weight += y[i], moment += y[i] * y[6 + i]; }
  CHECK_NEAR("weight", weight, mass * g, mass * g, 1e-9);
  CHECK_NEAR("moment of the weight", moment, mass * g * y[12], mass * g, 1e-9);
  for (int i = 13; i < 15; i++) { CHECK_CLOSE(y_of[i], y[i], 0, 1e-8); }
  CHECK_CLOSE(y_of[15], y[15], 0,
              1e-12 * mass * g); /* beside forces of this size; 2e-8 N seen, by the order of a sum */
  printf("(front axle %.0f N, rear axle %.0f N) ", y[0] + y[1], y[2] + y[3] + y[4] + y[5]);
  ride_close(&r);
}

/* ---- the lane change ---- */

typedef struct history {
  double step, start, last, work, worst; /* energy at the start, power at the last node */
  double slow, fast, roll, y;
} history;

static int account(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  history *h = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) {
    h->start = y[0], h->slow = h->fast = y[2];
  } else {
    h->work += h->step / 2 * (h->last + y[1]);
  }
  h->last = y[1];
  h->worst = fmax(h->worst, fabs(y[0] - h->start - h->work));
  h->slow = fmin(h->slow, y[2]), h->fast = fmax(h->fast, y[2]), h->roll = fmax(h->roll, fabs(y[3])), h->y = y[4];
  return 0;
}

static history lane_change(double step) {
  static const char *const name[] = {"energy.total", "power", "centre.local_velocity.x", "front.roll",
                                     "centre.position.y"};
  history h = {.step = step};
  ride r = ride_open(2, step, 0, NULL, NULL, 5, name);
  ride_run(&r, account, &h);
  ride_close(&r);
  return h;
}

/* The energy changes by the work of tyres, dampers, drive and steering, to the order of the scheme; the speed stays. */
static void test_energy_and_speed(void) {
  history h[3];
  for (int i = 0; i < 3; i++) { h[i] = lane_change(1e-2 / (1 << i)); }
  printf("(imbalance %.3g, %.3g, %.3g J of %.3g J of work; speed %.5f to %.5f m/s; roll %.4f rad, %.4f m aside) ",
         h[0].worst, h[1].worst, h[2].worst, h[2].work, h[2].slow, h[2].fast, h[2].roll, h[2].y);
  for (int i = 0; i < 2; i++) { CHECK_CLOSE("order of the energy balance", log2(h[i].worst / h[i + 1].worst), 2, 0.1); }
  CHECK_CLOSE("slowest", h[0].slow, speed, 0.005 * speed);
  CHECK_CLOSE("fastest", h[0].fast, speed, 0.005 * speed);
  CU_ASSERT(h[2].roll > 0.005 && h[2].y > 0.1); /* it does change the lane */
}

/* ---- gradients ---- */

static void test_gradients(void) {
  static const char *const shorter[] = {"case.lane.duration=0.3"}, *const bumpy[] = {"case.lane.duration=0.2",
                                                                                     "case.uneven.duration=0.4",
                                                                                     "case.uneven.step=1e-2"};
  run_check_gradients("configs/coach_lane.ini", test_long() ? 0 : 1, shorter);
  run_check_gradients("configs/coach_comfort.ini", test_long() ? 0 : 3, bumpy);
  run_check_gradients("tests/golden/coach_transient.ini", 0, NULL);
}

/* ---- relaxation lengths ---- */

static int last_roll(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                     const double *lam, const double *y) {
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  *(double *)user = y[0];
  return 0;
}

/* Two states of each of the six tyres; as the length goes to zero, the roll goes over to that of steady slip, of order one. */
static void test_relaxation(void) {
  static const char *const scalar[] = {"relaxation"}, *const name[] = {"front.roll"};
  const char *const length[] = {"0", "0.02", "0.01"};
  double roll[3];
  for (int i = 0; i < 3; i++) {
    const char *const value[] = {length[i]};
    ride r = ride_open(0.5, 1e-2, 1, scalar, value, 1, name);
    CU_ASSERT_EQUAL(mbd_model_nstate(r.model.m), i > 0 ? 12 : 0);
    ride_run(&r, last_roll, &roll[i]);
    ride_close(&r);
  }
  printf("(roll %.6g, by 1 cm %.3g less) ", roll[0], roll[0] - roll[2]);
  CHECK_CLOSE("order", log2((roll[1] - roll[0]) / (roll[2] - roll[0])), 1, 0.05);
}

/* ---- the optimum ---- */

/* Less shaking than a given part of that at the start, within all limits. Some ten seconds: when all is asked for. */
static void test_comfort(void) {
  if (!test_long()) { return; }
  opened_run r = run_open("configs/coach_comfort.ini", 0, NULL);
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.max_iterations = 60, s.tolerance = 1e-5;
  mechanism_problem(r.m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    CHECK_CLOSE("objective", q.f, 0.55022, 1e-4);
  }
  mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_counts), TEST(test_axle_loads), TEST(test_energy_and_speed), TEST(test_gradients),
          TEST(test_relaxation), TEST(test_comfort))
