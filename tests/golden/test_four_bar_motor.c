/* configs/four_bar_motor.ini against closed forms: the torque of the motor, the balance of forces, and the kinematic case against the motion
 * that the same drive makes. */
#include <complex.h>

#include "la/dense.h"
#include "opened_run.h"

static const char config[] = "configs/four_bar_motor.ini";

/* The model's scalars. */
static const double speed = 50, crank = 0.05, coupler = 0.15, follower = 0.08, base = 0.14, crank_mass = 0.5,
                    crank_com = 0.02, coupler_mass = 0.9, coupler_inertia = 2.4e-3, follower_mass = 0.6,
                    follower_com = 0.04, follower_inertia = 5e-4;
static const double complex coupler_com = 0.07 + 0.02 * I;
enum { CRANK_X, CRANK_Y, FOLLOWER_X, FOLLOWER_Y, FOLLOWER_ARM, VARIABLES, TORQUE = 0, FORCE, MOMENT };

static const double turn = 6.283185307179586476925;

/* ---- the motor's torque ---- */

/* Turns of coupler and follower where the crank has turned by t: C is where circles about B and D meet, above D B. */
static void directions(double t, double complex *of_coupler, double complex *of_follower) {
  const double complex B = crank * cexp(I * t), d = B - base;
  const double f2 = creal(d * conj(d)), a = (follower * follower - coupler * coupler + f2) / (2 * f2),
               h = sqrt(follower * follower / f2 - a * a);
  const double complex C = base + (a - I * h) * d;
  *of_coupler = (C - B) / coupler, *of_follower = (C - base) / follower;
}

/* Kinetic energy of coupler, follower and its counterweight, of the static moment S at the arm's length. The crank's is constant.
 * Rates from those of the loop: crank e' + coupler u' = follower v'. */
static double energy(double t, double S, double arm) {
  double complex u, v;
  directions(t, &u, &v);
  const double complex e = cexp(I * t);
  /* i speed crank e + i w coupler u = i x follower v: the parts across v and across u */
  const double w = -speed * crank * creal(e * conj(v) * I) / (coupler * creal(u * conj(v) * I));
  const double x = speed * crank * creal(e * conj(u) * I) / (follower * creal(v * conj(u) * I));
  const double complex of_com = I * speed * crank * e + I * w * coupler_com * u;
  const double about_D = follower_inertia + follower_mass * follower_com * follower_com + S * arm;
  return (coupler_mass * creal(of_com * conj(of_com)) + coupler_inertia * w * w + about_D * x * x) / 2;
}

/* dE/dt / speed, by central differences extrapolated twice: errors of the sixth power of the step */
static double torque(double t, double S, double arm) {
  double d[3];
  for (int i = 0; i < 3; i++) {
    const double h = 0.02 / (1 << i);
    d[i] = (energy(t + h, S, arm) - energy(t - h, S, arm)) / (2 * h);
  }
  for (int i = 0; i < 2; i++) { d[i] = (4 * d[i + 1] - d[i]) / 3; }
  return (16 * d[1] - d[0]) / 15;
}

/* The first objective as another output and form, at the end of a part of the turn in so many steps. */
static double first_objective(const char *of, const char *form, double part, int steps, const char *analysis) {
  char set[6][80];
  const char *list[6];
  mbd_error err = {0};
  snprintf(set[0], sizeof set[0], "objective.torque.of=%s", of);
  snprintf(set[1], sizeof set[1], "objective.torque.form=%s", form);
  snprintf(set[2], sizeof set[2], "objective.torque.weight=1");
  snprintf(set[3], sizeof set[3], "case.turn.duration=2*pi/speed*%.17g", part);
  snprintf(set[4], sizeof set[4], "case.turn.step=2*pi/speed*%.17g", part / steps);
  snprintf(set[5], sizeof set[5], "case.turn.analysis=%s", analysis);
  for (int i = 0; i < 6; i++) { list[i] = set[i]; }
  opened_run r = run_open(config, 6, list);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double value = r.m->psi[TORQUE];
  run_close(&r);
  return value;
}

static const char motor[] = "drive.motor.angle.drive_force", power[] = "drive.motor.angle.power";

static void test_torque(void) {
  for (int i = 1; i <= 6; i++) {
    const double part = 0.15 * i, exact = torque(turn * part, 0.01, 0.04);
    CHECK_CLOSE("torque", first_objective(motor, "terminal", part, 7, "kinematic"), exact, 1e-9);
    CHECK_CLOSE("power", first_objective(power, "terminal", part, 7, "kinematic"), speed * exact, 1e-8);
  }
}

/* Without gravity and friction, energy comes back with every turn. */
static void test_work(void) {
  const double work = first_objective(power, "integral", 1, 800, "kinematic"),
               moved = first_objective(power, "integral_abs", 1, 800, "kinematic");
  CU_ASSERT(moved > 1);
  CHECK_CLOSE("work of a turn", work, 0, 1e-10 * moved);
}

/* A motion under the same drive has the same torque in the limit of small steps: errors fall with the square of the step. */
static void test_motion(void) {
  enum { N = 5 };
  const double exact = first_objective(motor, "terminal", 0.7, 100, "kinematic");
  double error[N], order = 0;
  for (int i = 0; i < N; i++) {
    error[i] = fabs(first_objective(motor, "terminal", 0.7, 70 << i, "motion") - exact);
    if (i > 0) { order = log2(error[i - 1] / error[i]); }
  }
  printf("(errors %.2g to %.2g N m, order %.3f) ", error[0], error[N - 1], order);
  CHECK_CLOSE("order", order, 2, 0.01);
  CU_ASSERT(error[N - 1] < 1e-5);
}

/* ---- the balance of forces ---- */

/* [Berkof and Lowen 1969] With the loop crank e + coupler u = base + follower v the moment of all masses is a constant and two vectors
 * that turn with crank and follower; both are to vanish. x [VARIABLES]: static moments of the counterweights. */
static void full_balance(double *x) {
  const double complex of_crank = coupler_mass * crank * (coupler_com / coupler - 1) - crank_mass * crank_com;
  const double complex of_follower = -coupler_mass * follower * coupler_com / coupler - follower_mass * follower_com;
  x[CRANK_X] = creal(of_crank), x[CRANK_Y] = cimag(of_crank);
  x[FOLLOWER_X] = creal(of_follower), x[FOLLOWER_Y] = cimag(of_follower);
}

static const char *const force_alone[] = {"objective.torque.weight=0", "objective.moment.weight=0"};

static void test_no_force(void) {
  opened_run r = run_open(config, 2, force_alone);
  double x[VARIABLES];
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(r.m->design.n, VARIABLES);
  memcpy(x, r.m->start, sizeof x);
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  const double before = sqrt(r.m->psi[FORCE]);
  full_balance(x);
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  CU_ASSERT(before > 50);
  CHECK_CLOSE("shaking force", sqrt(r.m->psi[FORCE]), 0, 1e-13 * before);
  run_close(&r);
}

/* The force is linear in the static moments, so the Gauss-Newton matrix of its mean square is exact, and one step from the start arrives
 * where there is none. */
static void test_least_force(void) {
  enum { N = FOLLOWER_ARM };
  opened_run r = run_open(config, 2, force_alone);
  mbo_problem p;
  double g[VARIABLES], H[VARIABLES * VARIABLES], A[N * N], dx[N], x[VARIABLES], mass[1], by_mass[VARIABLES];
  int piv[N];
  mbo_eval v = {.g = g, .H = H, .c = mass, .jac = by_mass};
  mechanism_problem(r.m, &p);
  run_evaluate(&p, r.m->start, MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT | MBO_REQUEST_GAUSS_NEWTON, &v);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) { A[i * N + k] = H[i * VARIABLES + k]; }
    dx[i] = -g[i];
  }
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(N, A, piv), MBD_OK);
  mbd_lu_solve(N, A, piv, 1, dx);
  full_balance(x);
  for (int i = 0; i < N; i++) { CHECK_CLOSE(p.names[i], r.m->start[i] + dx[i], x[i], 1e-12); }
  CHECK_CLOSE("arm", g[FOLLOWER_ARM], 0, 1e-10); /* of no importance to the force */
  run_close(&r);
}

TEST_MAIN(TEST(test_torque), TEST(test_work), TEST(test_motion), TEST(test_no_force), TEST(test_least_force))
