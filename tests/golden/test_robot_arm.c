/* The arm of configs/robot_arm.ini: torques that hold it still against the published explicit model of the PUMA 560 (Armstrong, Khatib and
 * Burdick 1986); less than half of the effort of a quintic; gradients by every method. */
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

static const char config[] = "configs/robot_arm.ini";
enum { JOINTS = 6 };

/* ---- gravity ---- */

static const double g = 9.81;

/* Constants of the published model from masses, centres and distances of the links, and as they are printed there. */
static void gravity_constants(double k[6]) {
  const double m2 = 17.4, m3 = 4.8, m4 = 0.82, m5 = 0.34, m6 = 0.09, a2 = 0.4318, a3 = -0.0203, d4 = 0.4331;
  static const double printed[6] = {0, -37.2, -8.44, 1.02, 0.249, -0.0282};
  k[0] = 0;
  k[1] = -g * ((m3 + m4 + m5 + m6) * a2 + m2 * 0.068);
  k[2] = g * (-m3 * 0.07 - (m4 + m5 + m6) * d4 + m4 * 0.019);
  k[3] = g * m2 * 0.006;
  k[4] = -g * (m4 + m5 + m6) * a3;
  k[5] = -g * m6 * 0.032;
  for (int i = 1; i < 6; i++) { CHECK_CLOSE("printed constant", k[i], printed[i], 5e-3 * fabs(printed[i])); }
}

/* Torques that hold the arm at the angles q. */
static void gravity_torques(const double q[JOINTS], double torque[JOINTS]) {
  double k[6];
  gravity_constants(k);
  const double sine23 = sin(q[1] + q[2]), cosine23 = cos(q[1] + q[2]), cosine4 = cos(q[3]), sine4 = sin(q[3]),
               cosine5 = cos(q[4]), sine5 = sin(q[4]);
  torque[0] = torque[5] = 0;
  torque[2] = k[2] * sine23 + k[4] * cosine23 + k[5] * (sine23 * cosine5 + cosine23 * cosine4 * sine5);
  torque[1] = k[1] * cos(q[1]) + k[3] * sin(q[1]) + torque[2];
  torque[3] = -k[5] * sine23 * sine4 * sine5;
  torque[4] = k[5] * (cosine23 * sine5 + sine23 * cosine4 * cosine5);
}

/* The drives of all joints by a text for each. */
static void set_drives(char text[JOINTS][80], const char **set, const char *format, const double *q) {
  for (int i = 0; i < JOINTS; i++) {
    char value[40];
    snprintf(value, sizeof value, "quintic_%d", i + 1);
    if (q) { snprintf(value, sizeof value, "%.17g", q[i]); }
    snprintf(text[i], sizeof text[i], format, i + 1, value);
    set[i] = text[i];
  }
}

static void test_gravity(void) {
  static const double q[2][JOINTS] = {{0.3, -0.7, 0.9, 0.5, -0.8, 0.2}, {-1, 0.4, 1.7, -1.2, 0.6, 2}};
  for (int pose = 0; pose < 2; pose++) {
    double torque[JOINTS];
    gravity_torques(q[pose], torque);
    for (int i = 0; i < JOINTS; i++) {
      char drive[JOINTS][80], of[80];
      const char *set[JOINTS + 4] = {"scalars.load=0", "scalars.edge=0", "objective.effort.form=terminal", of};
      snprintf(of, sizeof of, "objective.effort.of=drive.joint_%d.angle.drive_force", i + 1);
      set_drives(drive, set + 4, "case.move.drive.joint_%d.angle=%s", q[pose]);
      opened_run r = run_open(config, JOINTS + 4, set);
      mbd_error err = {0};
      must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
      CHECK_CLOSE("torque that holds the arm", r.m->psi[0], torque[i], 1e-12); /* of up to 45 N m */
      run_close(&r);
    }
  }
}

/* ---- the motion ---- */

enum { QUANTITIES = 2 + JOINTS, COARSE = 2 };
static const char *const coarse[COARSE] = {"scalars.points=12", "case.move.step=T/50"};

static double effort_of_quintic(void) {
  char drive[JOINTS][80];
  const char *set[COARSE + JOINTS] = {coarse[0], coarse[1]};
  mbd_error err = {0};
  set_drives(drive, set + COARSE, "case.move.drive.joint_%d.angle=%s", NULL);
  opened_run r = run_open(config, COARSE + JOINTS, set);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double effort = r.m->psi[0];
  run_close(&r);
  return effort;
}

static void check_limits(const mechanism *m, const double *x) {
  static const double torque[JOINTS] = {97.6, 186.4, 89.4, 24.2, 20.1, 21.3};
  for (int i = 0; i < JOINTS; i++) { CU_ASSERT(m->psi[1 + i] <= 0.95 * torque[i] * (1 + 1e-6)); }
  CU_ASSERT(m->psi[1 + JOINTS] >= 0.34 * (1 - 1e-6)); /* from the waist's axis, in m */
  for (int j = 0; j < m->n; j++) { CU_ASSERT(x[j] >= m->lower[j] && x[j] <= m->upper[j]); }
}

static void test_motion(void) {
  opened_run r = run_open(config, COARSE, coarse);
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbo_settings_init(&s);
  s.algorithm = "slsqp", s.max_iterations = 300, s.tol_f = 1e-9;
  mechanism_problem(r.m, &p);
  const mbd_status status = mbo_solve("nlopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    must(mechanism_evaluate(r.m, q.x, "none", &err), &err);
    CU_ASSERT(r.m->psi[0] < 0.5 * effort_of_quintic());
    check_limits(r.m, q.x);
  }
  mbo_result_free(&q);
  run_close(&r);
}

/* Every control point that varies, at a design where nothing vanishes. */
static void test_gradients(void) {
  static const char *const method[] = {"direct", "discrete_adjoint", "complex_step"};
  enum { METHODS = 3, VARIABLES = 36 };
  static double grad[METHODS][QUANTITIES * VARIABLES];
  opened_run r = run_open(config, COARSE, coarse);
  mbd_error err = {0};
  double x[VARIABLES];
  CU_ASSERT_EQUAL_FATAL(r.m->n, VARIABLES);
  for (int j = 0; j < VARIABLES; j++) { x[j] = r.m->start[j] + 0.2 * sin(3 * j); }
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, x, method[k], &err), &err);
    memcpy(grad[k], r.m->grad, sizeof grad[k]);
  }
  for (int i = 0; i < QUANTITIES; i++) {
    double scale = 0;
    for (int j = 0; j < VARIABLES; j++) { scale = fmax(scale, fabs(grad[2][i * VARIABLES + j])); }
    CU_ASSERT(scale > 1e-3);
    for (int j = 0; j < VARIABLES; j++) {
      CHECK_NEAR("direct", grad[0][i * VARIABLES + j], grad[2][i * VARIABLES + j], scale, 1e-11);
      CHECK_NEAR("adjoint", grad[1][i * VARIABLES + j], grad[2][i * VARIABLES + j], scale, 1e-11);
    }
  }
  run_close(&r);
}

TEST_MAIN(TEST(test_gravity), TEST(test_motion), TEST(test_gradients))
