/* Quarter car with an actuator (problems/active_suspension): small motions against their characteristic equation, the response to a rough
 * road against transfer functions, the optima of the README, and gains of least quadratic cost against the solution of the algebraic Riccati equation. */
#include "base/random.h"
#include "linearized.h"
#include "mechanism/true_values.h"
#include "mbo/run.h"

static const double ms = 300, mu = 35, k = 18000, c = 1200,
                    kt = 190000; /* the masses, suspension and tyre of the model */

/* With the displacements zs, zu of car and wheel, and the actuator's transfer function S = sky s/(1 + lag s) from zs to its tension:
 *   (ms s^2 + c s + k + S) zs = (c s + k) zu,   (mu s^2 + c s + k + kt) zu = (c s + k + S) zs */
static void test_eigenvalues(void) {
  const double sky = 3000, lag = 0.02;
  static const char *const set[] = {"scalars.sky=3000"};
  double complex lam[LINEARIZED_MAX];
  const int n = linearized("configs/active_suspension.ini", 0, 1, set, lam);
  if (n == 0) { return; }
  CU_ASSERT_EQUAL(n, 5);
  for (int i = 0; i < n; i++) {
    const double complex s = lam[i], S = sky * s, one = 1 + lag * s;
    const double complex car = (ms * s * s + c * s + k) * one + S, wheel = mu * s * s + c * s + k + kt;
    const double complex other = ((c * s + k) * one + S) * (c * s + k);
    CHECK_NEAR("characteristic equation", cabs(car * wheel - other), 0, cabs(car * wheel) + cabs(other), 1e-11);
  }
  /* All five are there: their sum is the trace. */
  const double complex sum = linearized_sum(n, lam);
  CHECK_NEAR("trace", creal(sum), -c / ms - c / mu - 1 / lag, 1 / lag, 1e-11);
}

/* The steady acceleration of the car on a rough road: waves of the road, with the density of class C and the phases of the seed 2, through the
 * transfer function of the passive suspension,
 *   zs = kt (c s + k)/D zr,   D = (ms s^2 + c s + k) (mu s^2 + c s + k + kt) - (c s + k)^2,   s = 2 pi i n speed */
static double on_waves(double t) {
  const double length = 300, speed = 15, pi = acos(-1);
  uint64_t random = 2;
  double sum = 0;
  for (int wave = 4; wave <= 450; wave++) {
    const double n = wave / length, amplitude = sqrt(2 * 256e-6 * (0.1 / n) * (0.1 / n) / length);
    const double phase = 2 * pi * random_unit(&random);
    const double complex s = 2 * pi * I * n * speed, spring = c * s + k;
    const double complex D = (ms * s * s + spring) * (mu * s * s + spring + kt) - spring * spring;
    sum += creal(s * s * kt * spring / D * amplitude * cexp(s * t + I * phase));
  }
  return sum;
}

/* In the last second nothing is left of the start, and of the fading in of the road in the first second. Of 0.0029 0.0022 come from the spline
 * through the points of the road, four for the shortest wave: with four times as many points and half the step 0.0004 are left. */
static void test_response(void) {
  static const char *const set[] = {"case.country.step=1e-3", "output.outputs=seat.acceleration.z"};
  char path[512];
  mbo_run *r;
  mbo_series *motion;
  mbd_error err = {0};
  double square = 0, error = 0;
  snprintf(path, sizeof path, "%s/configs/active_suspension_passive.ini", MBOPT_SOURCE_DIR);
  must(mbo_run_open(path, 2, set, &r, &err), &err);
  must(mbo_run_simulate(r, NULL, 1, &motion, &err), &err);
  const int rows = mbo_series_rows(motion), columns = mbo_series_columns(motion);
  const int seat = mbo_series_find(motion, "seat.acceleration.z");
  const double *value = mbo_series_values(motion);
  CU_ASSERT_EQUAL_FATAL(rows, 10001);
  CU_ASSERT_FATAL(seat > 0);
  for (int i = rows - 1000; i < rows; i += 10) {
    const double expected = on_waves(value[i * columns]);
    square += expected * expected;
    error += pow(value[i * columns + seat] - expected, 2);
  }
  CU_ASSERT(square > 50);
  CHECK_CLOSE("response to the waves", sqrt(error / square), 0, 3.5e-3);
  mbo_series_free(motion);
  mbo_run_close(r);
}

/* ---- the two designs of the README ---- */

enum { MOTORWAY, COUNTRY, GRIP, STROKE, FORCE };

static void values(const char *file, const double *x, double *psi) {
  opened_run r = run_open(file, 0, NULL);
  mbd_error err = {0};
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  for (int i = 0; i < (x[2] > 0 ? 5 : 4); i++) { psi[i] = r.m->truth[i].value; }
  run_close(&r);
}

/* The best passive suspension is limited by its stroke, the active one by stroke and force; a damper between car and wheel that keeps the stroke
 * costs more than a third more acceleration. */
static void test_optima(void) {
  const double passive[] = {12334.3246541, 2268.56290677, 0}, active[] = {12000, 1112.83515825, 2314.5450342};
  double p[5], a[5]; /* strokes are true ones */
  values("configs/active_suspension_passive.ini", passive, p);
  values("configs/active_suspension.ini", active, a);
  CHECK_CLOSE("passive", p[MOTORWAY] + p[COUNTRY], 2.32206543, 1e-6);
  CHECK_CLOSE("its stroke", p[STROKE], 0.05, 5e-5);
  CHECK_CLOSE("active", a[MOTORWAY] + a[COUNTRY], 1.66252269, 1e-6);
  CHECK_CLOSE("its stroke", a[STROKE], 0.05, 5e-5);
  CHECK_CLOSE("force of the actuator", a[FORCE], 80, 1e-4);
  CU_ASSERT(p[GRIP] < 700 && a[GRIP] < 700 && p[STROKE] < 0.05 && a[STROKE] < 0.05);
  CU_ASSERT(1.35 * (a[MOTORWAY] + a[COUNTRY]) < p[MOTORWAY] + p[COUNTRY]);
}

/* ---- the linear-quadratic regulator ---- */

enum { N = 4, NN = N * N };

/* Solves A x = b [n] by elimination with pivots; x replaces b. */
static void solve(int n, double *A, double *b) {
  for (int j = 0; j < n; j++) {
    int pivot = j;
    for (int i = j + 1; i < n; i++) { pivot = fabs(A[i * n + j]) > fabs(A[pivot * n + j]) ? i : pivot; }
    for (int q = 0; q < n; q++) {
      const double swap = A[j * n + q];
      A[j * n + q] = A[pivot * n + q], A[pivot * n + q] = swap;
    }
    const double swap = b[j];
    b[j] = b[pivot], b[pivot] = swap;
    for (int i = 0; i < n; i++) {
      const double factor = i == j ? 0 : A[i * n + j] / A[j * n + j];
      for (int q = j; q < n && i != j; q++) { A[i * n + q] -= factor * A[j * n + q]; }
      b[i] -= factor * b[j];
    }
  }
  for (int j = 0; j < n; j++) { b[j] /= A[j * n + j]; }
}

/* P of the Lyapunov equation A' P + P A + Q = 0, as N^2 linear equations. */
static void lyapunov(double A[N][N], double Q[N][N], double P[N][N]) {
  double matrix[NN * NN] = {0};
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      for (int q = 0; q < N; q++) {
        matrix[(i * N + j) * NN + q * N + j] += A[q][i];
        matrix[(i * N + j) * NN + i * N + q] += A[q][j];
      }
      P[i][j] = -Q[i][j];
    }
  }
  solve(NN, matrix, P[0]);
}

/* The gains K of the force F = -K x on the car, x = (zu, zs, zu', zs'), of least cost x' Q x + (F/ms)^2, and P of the cost x0' P x0:
 *   A' P + P A + Q - P B ms^2 B' P = 0,   K = ms^2 B' P
 * by Newton's method [Kleinman 1968], which starts from the passive suspension, stable gains. */
static void riccati(double K[N], double P[N][N]) {
  const double B[N] = {0, 0, -1 / mu, 1 / ms}, start[N] = {-k, k, -c, c};
  memcpy(K, start, sizeof start);
  for (int iteration = 0; iteration < 12; iteration++) {
    const double open[N][N] = {{0, 0, 1, 0}, {0, 0, 0, 1}, {-kt / mu, 0, 0, 0}, {0, 0, 0, 0}};
    const double travel[N] = {-1, 1, 0, 0};
    double A[N][N], Q[N][N];
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        A[i][j] = open[i][j] - B[i] * K[j];
        Q[i][j] = 1000 * travel[i] * travel[j] + (i + j == 0 ? 10000 : 0) + K[i] * K[j] / (ms * ms);
      }
    }
    lyapunov(A, Q, P);
    for (int j = 0; j < N; j++) {
      K[j] = 0;
      for (int i = 0; i < N; i++) { K[j] += ms * ms * B[i] * P[i][j]; }
    }
  }
}

/* The optimizer finds these gains and this cost from four motions of 3 s, in which the slowest mode, at -3.85 1/s, decays to 1e-5. */
static void test_regulator(void) {
  static const double passive[N] = {-k, k, -c, c};
  double K[N], P[N][N], cost = 0;
  static const char *const faster[] = {"case.zu.rtol=1e-7", "case.zs.rtol=1e-7", "case.vu.rtol=1e-7",
                                       "case.vs.rtol=1e-7"};
  char path[512];
  mbo_run *r;
  mbo_result found;
  mbd_error err = {0};
  riccati(K, P);
  for (int i = 0; i < N; i++) { cost += 0.1 * 0.1 * P[i][i]; }
  snprintf(path, sizeof path, "%s/configs/active_suspension_lq.ini", MBOPT_SOURCE_DIR);
  must(mbo_run_open(path, 4, faster, &r, &err), &err);
  must(mbo_run_minimize(r, NULL, NULL, &found, &err), &err);
  CU_ASSERT_EQUAL(found.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL_FATAL(found.n, N);
  CHECK_NEAR("cost", found.f, cost, cost, 5e-7);
  CU_ASSERT(found.f_start > 1.5 * cost);
  for (int i = 0; i < N; i++) { CHECK_NEAR("gain", passive[i] + found.x[i], K[i], fabs(K[i]), 1e-6); }
  mbo_result_free(&found);
  mbo_run_close(r);
}

TEST_MAIN(TEST(test_eigenvalues), TEST(test_response), TEST(test_optima), TEST(test_regulator))
