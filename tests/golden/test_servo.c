/* Servo (problems/servo): parameters that a fit finds against those by which problems/servo/record.py made the record, small motions against
 * their characteristic equation, and the design of the README. */
#include "linearized.h"
#include "mbo/fit.h"
#include "ran.h"

enum { N = 5, SAMPLES = 600 };
static const double truth[N] = {210, 0.8, 2e-5, 8e-3, 0.1}; /* stiffness, damping, viscous, coulomb, arm_inertia */

static mbo_run *opened(const char *file) {
  char path[512];
  mbo_run *r = NULL;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  must(mbo_run_open(path, 0, NULL, &r, &err), &err);
  return r;
}

/* The true parameters leave the noise alone: the mean square of n normal residuals deviates from 1 by sqrt(2/n). So does the arm's gyroscope. */
static void test_truth(void) {
  mbo_run *r = opened("configs/servo_fit.ini");
  mbd_error err = {0};
  double psi[3];
  CU_ASSERT_EQUAL_FATAL(mbo_run_objectives(r), 3);
  must(mbo_run_values(r, truth, NULL, psi, &err), &err);
  for (int i = 0; i < 3; i++) { CHECK_CLOSE("mean square residual", psi[i] / SAMPLES, 1, 3 * sqrt(2.0 / SAMPLES)); }
  must(mbo_run_values(r, NULL, NULL, psi, &err), &err);
  CU_ASSERT(psi[0] + psi[1] > 20 * SAMPLES);
  mbo_run_close(r);
}

/* A fit from the guesses of the model file: the truth is in all intervals of 95 %, which are narrow. */
static void test_fit(void) {
  static const double relative[N] = {0.003, 0.01, 0.2, 0.04, 0.003}; /* largest deviations */
  mbo_run *r = opened("configs/servo_fit.ini");
  mbo_result found;
  mbo_fit *f;
  mbd_error err = {0};
  must(mbo_run_minimize(r, NULL, NULL, &found, &err), &err);
  must(mbo_run_fit(r, found.x, &f, &err), &err);
  const double *lower = mbo_fit_array(f, "lower"), *upper = mbo_fit_array(f, "upper");
  const double *deviation = mbo_fit_array(f, "deviation");
  for (int i = 0; i < N; i++) {
    CU_ASSERT(lower[i] < truth[i] && truth[i] < upper[i]);
    CU_ASSERT(deviation[i] > 0 && deviation[i] < relative[i] * truth[i]);
  }
  CU_ASSERT(mbo_fit_number(f, "step_error") < 0.3);
  CU_ASSERT_EQUAL(mbo_fit_number(f, "alike"), 0);
  CHECK_CLOSE("prediction of the gyroscope", mbo_fit_measurement_number(f, 2, "mean_square"), 1,
              3 * sqrt(2.0 / SAMPLES));
  mbo_fit_free(f);
  mbo_result_free(&found);
  mbo_run_close(r);
}

/* The record is what the script makes of its seed. */
static void test_record(void) {
  if (!test_long()) { return; }
  static const char script[] = MBOPT_SOURCE_DIR "/problems/servo/record.py";
  static const char record[] = MBOPT_SOURCE_DIR "/problems/servo/record.csv";
  const char *const argv[] = {"python3", script, NULL}, *const compare[] = {"cmp", "-", record, NULL};
  command_result made = ran(argv, NULL), same;
  CU_ASSERT_EQUAL(made.code, 0);
  same = ran(compare, made.out);
  CU_ASSERT_EQUAL(same.code, 0);
  command_result_destroy(&made), command_result_destroy(&same);
}

/* At rest, with m = motor/ratio, shaft S = k + c s, friction f, voltage V = -(k_speed + k_integral/s) (k_angle + s) m:
 *   ratio (J s^2 + f s) m + S/ratio (m - a) = kt i,   Ja s^2 a = S (m - a),   (L s + R) i = V - kt ratio s m */
static void test_eigenvalues(void) {
  const double R = 0.8, L = 2e-3, kt = 0.05, J = 2e-5, ratio = 50, k = 209.502, c = 0.798204, Ja = 0.0998175;
  const double f = 1.82397e-5 + 8.22504e-3, k_angle = 8, k_speed = 6, k_integral = 40;
  double complex lam[LINEARIZED_MAX];
  const int n = linearized("configs/servo.ini", 0, 0, NULL, lam);
  if (n == 0) { return; }
  CU_ASSERT_EQUAL(n, 6);
  for (int i = 0; i < n; i++) {
    const double complex s = lam[i], S = k + c * s, arm = Ja * s * s + S;
    const double complex a = ((ratio * (J * s * s + f * s) + S / ratio) * arm - S * S / ratio) * (L * s + R) * s;
    const double complex b = kt * ((k_speed * s + k_integral) * (k_angle + s) + kt * ratio * s * s) * arm;
    const double size = cabs((ratio * (J * s * s + f * s) + S / ratio) * arm * (L * s + R) * s) + cabs(b);
    CHECK_NEAR("characteristic equation", cabs(a + b), 0, size, 1e-11);
  }
  CHECK_NEAR("trace", creal(linearized_sum(n, lam)), -f / J - c / (ratio * ratio * J) - c / Ja - R / L, R / L, 1e-11);
}

/* The design of the README. */
static void test_design(void) {
  static const double x[] = {36.6779412, 21.071009, 17.3208137, 1000};
  mbo_run *r = opened("configs/servo.ini");
  mbd_error err = {0};
  double psi[5], start[5], exact[5];
  must(mbo_run_values(r, x, NULL, psi, &err), &err);
  must(mbo_run_true_values(r, x, NULL, exact, NULL, &err), &err);
  must(mbo_run_values(r, NULL, NULL, start, &err), &err);
  CHECK_CLOSE("objective", psi[0] + 1e-4 * psi[1] + 3 * psi[2], 0.0124981218, 1e-8);
  CHECK_CLOSE("noise", psi[2], 1e-6 * x[2] * x[2], 1e-18);
  CHECK_CLOSE("overshoot", exact[4], 1.0097118, 1e-7);
  CHECK_CLOSE("current", exact[3], 6.97371, 1e-5);
  CU_ASSERT(start[0] > 4 * psi[0]);
  mbo_run_close(r);
}

TEST_MAIN(TEST(test_truth), TEST(test_fit), TEST(test_record), TEST(test_eigenvalues), TEST(test_design))
