/* The counterweights of configs/slider_crank_balance.ini against closed forms.
 *
 * Crank and rod are turned by theta = Omega t and psi, sin(psi) = -lambda sin(theta), lambda = r/l. To the force, m a summed over
 * bodies, a rod is two point masses, m (1 - b/l) that turns with the crank pin B and m b/l that moves with the slider C (b from B
 * to its centre of mass), and the slider's acceleration is -Omega^2 r cos(theta), primary, plus a secondary part of even harmonics. */
#include "opened_run.h"

#include <math.h>

static const double r = 0.05, l = 0.18, crank_com = 0.02, rod_com = 0.06, crank_mass = 1, rod_mass = 0.8,
                    slider_mass = 2, rod_inertia = 3e-3, omega = 60, crank_arm = 0.06, rod_arm = 0.09;
enum { ANGLES = 400, FORCE_X = 0, FORCE_Z, MOMENT, PARTS };

/* ---- force and moment on the frame, written out from the kinematics ---- */

/* y -= m times the acceleration of a point q along the rod from B, and of its moment about O. */
static void add_rod_mass(double theta, double m, double q, double y[PARTS]) {
  const double s = sin(theta), c = cos(theta), lambda = r / l, sin_psi = -lambda * s,
               cos_psi = sqrt(1 - sin_psi * sin_psi);
  const double rate = -lambda * omega * c / cos_psi;
  const double second = (lambda * omega * omega * s + sin_psi * rate * rate) / cos_psi;
  const double x = r * c + q * cos_psi, z = r * s + q * sin_psi;
  const double ax = -omega * omega * r * c - q * (cos_psi * rate * rate + sin_psi * second);
  const double az = -omega * omega * r * s - q * (sin_psi * rate * rate - cos_psi * second);
  y[FORCE_X] -= m * ax, y[FORCE_Z] -= m * az, y[MOMENT] -= m * (z * ax - x * az);
}

/* The inertia of the rod about its centre of mass; a turn from x to z is one about -y. */
static void add_rod_inertia(double theta, double y[PARTS]) {
  const double lambda = r / l, sin_psi = -lambda * sin(theta), cos_psi = sqrt(1 - sin_psi * sin_psi);
  const double rate = -lambda * omega * cos(theta) / cos_psi;
  y[MOMENT] += rod_inertia * (lambda * omega * omega * sin(theta) + sin_psi * rate * rate) / cos_psi;
}

static void add_crank_mass(double theta, double m, double q, double y[PARTS]) {
  y[FORCE_X] += m * q * omega * omega * cos(theta), y[FORCE_Z] += m * q * omega * omega * sin(theta);
}

/* Without counterweights, and of 1 kg on the crank, on the rod. */
static void parts_at(double theta, double y[3][PARTS]) {
  memset(y, 0, 3 * sizeof y[0]);
  add_crank_mass(theta, crank_mass, crank_com, y[0]);
  add_rod_mass(theta, rod_mass, rod_com, y[0]);
  add_rod_mass(theta, slider_mass, l, y[0]);
  add_rod_inertia(theta, y[0]);
  add_crank_mass(theta, 1, -crank_arm, y[1]);
  add_rod_mass(theta, 1, -rod_arm, y[2]);
}

/* G[i][k] = mean over a turn of y_i . y_k, moments with a weight: sums over equal angles, which are exact for harmonics. */
static void mean_products(double weight, double G[3][3]) {
  memset(G, 0, 9 * sizeof G[0][0]);
  for (int a = 0; a < ANGLES; a++) {
    double y[3][PARTS];
    parts_at(2 * acos(-1) * a / ANGLES, y);
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        G[i][k] +=
            (y[i][FORCE_X] * y[k][FORCE_X] + y[i][FORCE_Z] * y[k][FORCE_Z] + weight * y[i][MOMENT] * y[k][MOMENT]) /
            ANGLES;
      }
    }
  }
}

static double objective_of(double G[3][3], const double x[2]) {
  const double all[] = {1, x[0], x[1]};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { sum += all[i] * G[i][k] * all[k]; }
  }
  return sum;
}

/* ---- the problem ---- */

typedef struct balance {
  opened_run run;
  mbo_problem p;
  mbo_eval v;
  double g[2], H[4];
} balance;

static void open_balance(balance *q, const char *set) {
  q->run = run_open("configs/slider_crank_balance.ini", set ? 1 : 0, &set);
  mechanism_problem(q->run.m, &q->p);
  q->v = (mbo_eval){.g = q->g, .H = q->H};
  CU_ASSERT_EQUAL_FATAL(q->p.n, 2);
  CU_ASSERT_STRING_EQUAL(q->p.names[0], "crank_weight");
}

/* Value and gradient at x are those of the closed form, which has its least value there. */
static void check_least(const char *set, const double x[2], double expected, int both) {
  const double start[] = {1, 0.5};
  balance q = {0};
  open_balance(&q, set);
  run_evaluate(&q.p, start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &q.v);
  const double f = q.v.f, steep = fabs(q.g[0]) * x[0];
  run_evaluate(&q.p, x, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT, &q.v);
  CHECK_CLOSE("least mean square", q.v.f, expected, 1e-9 * f);
  CHECK_CLOSE("by crank_weight", q.g[0] * x[0], 0, 1e-9 * steep);
  if (both) { CHECK_CLOSE("by rod_weight", q.g[1] * x[1], 0, 1e-9 * steep); }
  run_close(&q.run);
}

/* A weight on the crank alone turns against all that turns and against half of what goes to and fro: the sum of squares of
 * Omega^2 (m_rec r + k) cos(theta) and Omega^2 k sin(theta), k what is left of the turning masses, is least for k = -m_rec r/2. */
static void test_crank_alone(void) {
  const double turning = rod_mass * (1 - rod_com / l), to_and_fro = slider_mass + rod_mass * rod_com / l;
  const double x[] = {(crank_mass * crank_com + r * (turning + to_and_fro / 2)) / crank_arm, 0};
  double secondary = 0;
  for (int a = 0; a < ANGLES; a++) {
    double y[PARTS] = {0};
    const double theta = 2 * acos(-1) * a / ANGLES;
    add_rod_mass(theta, 1, l, y);
    secondary += pow(y[FORCE_X] - omega * omega * r * cos(theta), 2) / ANGLES;
  }
  const double lambda = r / l, A2 = lambda + pow(lambda, 3) / 4 + 15 * pow(lambda, 5) / 128;
  CHECK_CLOSE("second harmonic", sqrt(2 * secondary) / (omega * omega * r), A2, 1e-3 * A2);
  check_least("objective.moment.weight=0", x,
              pow(to_and_fro * omega * omega * r / 2, 2) + to_and_fro * to_and_fro * secondary, 0);
}

/* A weight on the rod brings the centre of mass of rod, slider and weight to B, one on the crank brings all to O: no force. */
static void test_no_force(void) {
  const double on_rod = (rod_mass * rod_com + slider_mass * l) / rod_arm;
  const double x[] = {(crank_mass * crank_com + r * (rod_mass + slider_mass + on_rod)) / crank_arm, on_rod};
  check_least("objective.moment.weight=0", x, 0, 1);
}

/* Force and moment: least squares of what is linear in both weights. */
static void test_both(void) {
  double G[3][3];
  mean_products(100, G);
  const double det = G[1][1] * G[2][2] - G[1][2] * G[1][2];
  const double x[] = {(G[1][2] * G[0][2] - G[2][2] * G[0][1]) / det, (G[1][2] * G[0][1] - G[1][1] * G[0][2]) / det};
  check_least(NULL, x, objective_of(G, x), 1);

  /* one step of Newton's from the start arrives there: the Gauss-Newton matrix is exact */
  const double start[] = {1, 0.5};
  balance q = {0};
  open_balance(&q, NULL);
  run_evaluate(&q.p, start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &q.v);
  const double *H = q.H, determinant = H[0] * H[3] - H[1] * H[2];
  CHECK_CLOSE("crank_weight", start[0] - (H[3] * q.g[0] - H[1] * q.g[1]) / determinant, x[0], 1e-9);
  CHECK_CLOSE("rod_weight", start[1] - (H[0] * q.g[1] - H[2] * q.g[0]) / determinant, x[1], 1e-9);
  printf("(crank_weight %.6f, rod_weight %.6f, objective %.4f) ", x[0], x[1], objective_of(G, x));
  run_close(&q.run);
}

TEST_MAIN(TEST(test_crank_alone), TEST(test_no_force), TEST(test_both))
