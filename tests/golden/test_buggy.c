/* The buggy in both of its manoeuvres: sizes, constraints, static equilibrium, energy balance, both reference points,
 * gradients, orders in the step. problems/buggy/README.md has the tables of which this is the cheap part. */
#include "mbd/referee.h"
#include "model.h"

/* Runs that still pass over the step and the first lane change, for sanitizers, which make a step five times slower; and unless
 * all is asked for. */
static int shortened(void) {
  return test_slow() || !test_long();
}

enum { NP = 5, NZ = 36, MAX_SCALARS = 8, MAX_OUTPUTS = 20 };
static const char *const design[NP] = {"k_f", "c_f", "k_r", "c_r", "m_c"};

typedef struct scalars {
  int n;
  const char *name[MAX_SCALARS], *value[MAX_SCALARS];
} scalars;

typedef struct manoeuvre {
  const char *name, *objective;
  double duration, step;
  mbd_start start;
  scalars set;
} manoeuvre;

static const manoeuvre step_descent = {
    .name = "step descent",
    .objective = "P1.acceleration.z",
    .duration = 4.5,
    .step = 1e-3,
    .start = MBD_START_GIVEN,
    .set = {1, {"drop"}, {"0.01"}},
};
static const manoeuvre lane_change = {
    .name = "double lane change",
    .objective = "chassis.roll_rate",
    .duration = 12,
    .step = 1e-2,
    .start = MBD_START_EQUILIBRIUM,
    .set = {4, {"v", "w", "steer_out", "steer_back"}, {"10", "36.7", "0.0065", "0.0117"}},
};

/* ---- a manoeuvre made ready ---- */

typedef struct car {
  test_model base;
  mbd_sim *sim;
  mbd_case c;
  mbd_term term;
  mbd_dparams *d[NP];
  double rho[NP], *theta;
  const int *first, *index; /* directions of the design in the coefficients, by columns */
  const double *value;
  int ny;
  const char *output[MAX_OUTPUTS];
} car;

static void set_design(car *q, const double *rho) {
  mbd_error err = {0};
  must(mbo_model_file_eval(q->base.file, rho, q->theta, &q->first, &q->index, &q->value, &err), &err);
  must(mbd_params_set(q->base.p, q->theta, &err), &err);
  for (int k = 0; k < NP; k++) {
    int a = q->first[k];
    mbd_dparams_set(q->d[k], q->base.p, q->first[k + 1] - a, q->index + a, q->value + a);
  }
}

static void open_model(car *q, const scalars *set) {
  mbd_error err = {0};
  q->base = model_open_with("problems/buggy/buggy.ini", set->n, set->name, set->value);
  for (int k = 0; k < NP; k++) {
    for (int i = 0; i < mbo_model_file_nscalar(q->base.file); i++) {
      double value;
      if (strcmp(mbo_model_file_scalar(q->base.file, i, &value), design[k]) == 0) { q->rho[k] = value; }
    }
  }
  q->theta = calloc((size_t)mbd_model_ncoef(q->base.m), sizeof *q->theta);
  for (int k = 0; k < NP; k++) { must(mbd_dparams_create(q->base.m, &q->d[k], &err), &err); }
  must(mbo_model_file_vary(q->base.file, NP, design, &err), &err);
  set_design(q, q->rho);
}

/* The objective is the integral of its output squared; `more` names further outputs, for observers. */
static void open_car(car *q, const manoeuvre *a, int nmore, const char *const *more) {
  *q = (car){.c = case_lasting(a->duration, a->step)};
  open_model(q, &a->set);
  q->term = (mbd_term){.output = model_output(&q->base, a->objective), .form = "integral_square", .weight = 1};
  for (int i = 0; i < nmore; i++) { model_output(&q->base, more[i]); }
  q->ny = mbd_outputs_count(q->base.o);
  for (int i = 0; i < q->ny; i++) { q->output[i] = mbd_outputs_name(q->base.o, i); }
  q->c.start = a->start;
}

static void ready(car *q) {
  mbd_error err = {0};
  mbd_sim_destroy(q->sim);
  must(mbd_sim_create(q->base.m, &q->c, q->base.o, 1, &q->term, 1, NP, &q->sim, &err), &err);
}

static void close_car(car *q) {
  mbd_sim_destroy(q->sim);
  for (int k = 0; k < NP; k++) { mbd_dparams_destroy(q->d[k]); }
  model_close(&q->base);
  free(q->theta);
}

/* ---- sizes ---- */

static void test_counts(void) {
  mbd_error err = {0};
  car q;
  int rank, nfree;
  const int *row, *free_z;
  open_car(&q, &step_descent, 0, NULL);
  ready(&q);
  must(mbd_sim_start(q.sim, q.base.p, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_rank(q.sim, &rank, &row, &nfree, &free_z);
  CU_ASSERT_EQUAL(mbd_model_nbody(q.base.m), 18);
  CU_ASSERT_EQUAL(mbd_model_nz(q.base.m), NZ);
  CU_ASSERT_EQUAL(mbd_model_nphi(q.base.m), 26);
  CU_ASSERT_EQUAL(rank, 22);
  CU_ASSERT_EQUAL(mbd_model_nz(q.base.m) - rank, 14);
  CU_ASSERT_EQUAL(nfree, 0); /* [start] says where every freedom starts */
  close_car(&q);
}

/* ---- constraints ---- */

static void constraints_hold(const manoeuvre *a, double duration, double step) {
  mbd_error err = {0};
  car q;
  double psi;
  open_car(&q, a, 0, NULL);
  q.c.duration = duration;
  q.c.step = step;
  ready(&q);
  must(mbd_sim_run(q.sim, q.base.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
  const mbd_stats *s = mbd_sim_stats(q.sim);
  printf("\n  %s, step %g s: %.2g m, %.2g m/s, %.2g m/s^2; %.2f Newton iterations per step, %.1f s", a->name, step,
         s->phi, s->phid, s->phidd, (double)s->iterations / s->steps, s->seconds);
  CHECK_CLOSE("position", s->phi, 0, 1e-12);
  CHECK_CLOSE("velocity", s->phid, 0, 1e-13);
  CHECK_CLOSE("acceleration", s->phidd, 0, 1e-12);
  close_car(&q);
}

static void test_constraints(void) {
  constraints_hold(&step_descent, shortened() ? 0.3 : 4.5, 1e-3);
  constraints_hold(&step_descent, shortened() ? 2.2 : 4.5, 1e-2);
  constraints_hold(&lane_change, shortened() ? 0.3 : 12, 1e-3);
  constraints_hold(&lane_change, shortened() ? 3 : 12, 1e-2);
}

/* ---- static equilibrium ---- */

static void test_equilibrium(void) {
  static const char *const names[] = {"front_left.tyre.load", "front_right.tyre.load", "rear_left.tyre.load",
                                      "rear_right.tyre.load", "P1.position.z",         "energy.kinetic"};
  static const scalars at_rest = {3, {"v", "w", "drop"}, {"0", "0", "0"}};
  manoeuvre stand = lane_change;
  mbd_error err = {0};
  car q;
  double y[6], zd[NZ], zdd[NZ];
  int nterm = (int)(sizeof names / sizeof names[0]);
  stand.set = at_rest;
  stand.duration = stand.step = 1e-3;
  open_car(&q, &stand, nterm, names);
  mbd_term t[6];
  for (int i = 0; i < nterm; i++) { t[i] = (mbd_term){.psi = i, .output = i + 1, .form = "terminal", .weight = 1}; }
  must(mbd_sim_create(q.base.m, &q.c, q.base.o, nterm, t, nterm, 0, &q.sim, &err), &err);
  must(mbd_sim_run(q.sim, q.base.p, 0, NULL, y, NULL, NULL, NULL, NULL, &err), &err);
  const double mass = 387 + 3 + 2 * (4 + 3 + 6 + 12 + 1) + 2 * (12 + 14 + 3);
  CHECK_NEAR("sum of the tyre loads", y[0] + y[1] + y[2] + y[3], mass * 9.81, mass * 9.81, 1e-9);
  CHECK_NEAR("left and right, front", y[0], y[1], y[0], 1e-9);
  CHECK_NEAR("left and right, rear", y[2], y[3], y[2], 1e-9);
  CHECK_CLOSE("height of P1", y[4], 0.376, 1e-3); /* 24 mm below the design position */
  printf("\n  loads %.1f and %.1f N on a wheel, P1 %.2f mm below its design position", y[0], y[2], 1e3 * (0.4 - y[4]));
  must(mbd_sim_start(q.sim, q.base.p, NULL, zd, zdd, NULL, &err), &err);
  for (int j = 0; j < NZ; j++) {
    CHECK_CLOSE(mbd_model_z_name(q.base.m, j), zd[j], 0, 1e-12);
    CHECK_CLOSE(mbd_model_z_name(q.base.m, j), zdd[j], 0, 1e-10);
  }
  close_car(&q);
}

/* Springs without stiffness carry nobody. */
static void test_no_equilibrium(void) {
  static const scalars limp = {2, {"k_f", "k_r"}, {"0", "0"}};
  manoeuvre stand = lane_change;
  mbd_error err = {0};
  car q;
  stand.set = limp;
  open_car(&q, &stand, 0, NULL);
  ready(&q);
  mbd_status status = mbd_sim_start(q.sim, q.base.p, NULL, NULL, NULL, NULL, &err);
  CU_ASSERT(status > 0); /* a design that cannot be evaluated: an optimizer backs off */
  CHECK_CONTAINS(err.text, "static equilibrium");
  CHECK_CONTAINS(err.text, "'settle'");
  printf("\n  status %d: %s", status, err.text);
  close_car(&q);
}

/* ---- energy ---- */

static const char *const energy_names[] = {"energy.total",
                                           "front_left.tyre.power",
                                           "front_right.tyre.power",
                                           "rear_left.tyre.power",
                                           "rear_right.tyre.power",
                                           "front_left.spring.speed",
                                           "front_right.spring.speed",
                                           "rear_left.spring.speed",
                                           "rear_right.spring.speed",
                                           "rack.multiplier",
                                           "chassis-rack.distance.rate"};
enum { N_ENERGY = sizeof energy_names / sizeof energy_names[0] };

/* Work of what is not conservative, by the trapezoidal rule, and the energy that it should explain. */
typedef struct balance {
  double c[2], step, start, power, work[3], worst; /* work: dampers, tyres, steering */
  double last[3];
} balance;

static int account(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  balance *b = user;
  const double *tyre = y + 2, *speed = y + 6;
  double power[3] = {0, 0, 0};
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  for (int i = 0; i < 4; i++) {
    power[0] -= b->c[i / 2] * speed[i] * speed[i];
    power[1] += tyre[i];
  }
  power[2] = -y[10] * y[11]; /* M zdd = Q - Phi_z' lam: the steering pushes the rack with -lam */
  if (k == 0) { b->start = y[1]; }
  for (int i = 0; i < 3; i++) {
    if (k > 0) { b->work[i] += b->step / 2 * (b->last[i] + power[i]); }
    b->last[i] = power[i];
  }
  b->worst = fmax(b->worst, fabs(y[1] - b->start - b->work[0] - b->work[1] - b->work[2]));
  return 0;
}

static double imbalance(const manoeuvre *a, double duration, double step) {
  mbd_error err = {0};
  car q;
  double psi;
  open_car(&q, a, N_ENERGY, energy_names);
  q.c.duration = duration;
  q.c.step = step;
  ready(&q);
  balance b = {.c = {q.rho[1], q.rho[3]}, .step = step};
  must(mbd_sim_run(q.sim, q.base.p, 0, NULL, &psi, NULL, NULL, account, &b, &err), &err);
  printf(
      "\n  %s, step %g s: residual %.4g J; work of dampers %.5g J, tyres %.5g J, steering %.5g J; energy at the start "
      "%.6g J",
      a->name, step, b.worst, b.work[0], b.work[1], b.work[2], b.start);
  close_car(&q);
  return b.worst;
}

static void test_energy(void) {
  double e[3];
  const double T = shortened() ? 3 : 12;
  for (int k = 0; k < 3; k++) { e[k] = imbalance(&lane_change, T, 1e-2 / (1 << k)); }
  CHECK_CLOSE("order of the energy balance, lane change", log2(e[0] / e[1]), 2, 0.1);
  CHECK_CLOSE("order of the energy balance, lane change", log2(e[1] / e[2]), 2, 0.1);
  CHECK_CLOSE("energy balance, lane change", e[2], 0, 0.02);
  for (int k = 0; k < 3; k++) { e[k] = imbalance(&step_descent, shortened() ? 2.2 : 4.5, 4e-3 / (1 << k)); }
  CHECK_CLOSE("order of the energy balance, step descent", log2(e[0] / e[1]), 2, 0.05);
  CHECK_CLOSE("order of the energy balance, step descent", log2(e[1] / e[2]), 2, 0.05);
  CHECK_CLOSE("energy balance, step descent", e[2], 0, 0.05);
}

/* ---- both reference points ---- */

enum { MAX_STEPS = 4501 };

static const char *const watched[] = {
    "P1.position.x", "P1.position.y",        "P1.position.z",        "chassis.roll",
    "chassis.yaw",   "front_left.tyre.load", "rear_right.tyre.load", "front_left.tyre.lateral"};
enum { N_WATCHED = sizeof watched / sizeof watched[0] };

typedef struct record {
  int ny;
  double y[MAX_STEPS][N_WATCHED + 1];
} record;

static int write_down(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  record *r = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy(r->y[k], y, (size_t)r->ny * sizeof *y);
  return 0;
}

static void same_by_reference(const manoeuvre *a, double duration, double step, double tol, double tol_grad) {
  mbd_error err = {0};
  double psi[2], grad[2][NP], worst = 0, worst_grad = 0;
  record *r = calloc(2, sizeof *r);
  CU_ASSERT_PTR_NOT_NULL_FATAL(r);
  int n = 0, steps = 0;
  car q;
  for (int k = 0; k < 2; k++) {
    open_car(&q, a, N_WATCHED, watched);
    q.c.duration = duration, q.c.step = step;
    q.c.reference = k ? MBD_RTDYN1 : MBD_RTDYN0;
    n = r[k].ny = q.ny;
    ready(&q);
    must(mbd_sim_run(q.sim, q.base.p, NP, q.d, &psi[k], grad[k], NULL, write_down, &r[k], &err), &err);
    steps = mbd_sim_stats(q.sim)->steps;
    if (k == 0) { close_car(&q); }
  }
  for (int i = 0; i < n; i++) {
    double scale = 0, difference = 0;
    for (int k = 0; k <= steps; k++) {
      scale = fmax(scale, fabs(r[1].y[k][i]));
      difference = fmax(difference, fabs(r[0].y[k][i] - r[1].y[k][i]));
    }
    if (scale < 1e-6) { scale = 1; } /* straight on, nothing goes sideways */
    CHECK_NEAR(q.output[i], difference, 0, scale, tol);
    worst = fmax(worst, difference / scale);
  }
  CHECK_NEAR("objective", psi[0], psi[1], psi[1], tol);
  for (int k = 0; k < NP; k++) {
    CHECK_NEAR(design[k], grad[0][k], grad[1][k], fabs(grad[1][k]), tol_grad);
    worst_grad = fmax(worst_grad, fabs(grad[0][k] / grad[1][k] - 1));
  }
  printf("\n  %s, RTdyn0 and RTdyn1: trajectories %.2g, objective %.2g, gradient %.2g", a->name, worst,
         fabs(psi[0] / psi[1] - 1), worst_grad);
  close_car(&q);
  free(r);
}

static void test_reference_points(void) {
  same_by_reference(&step_descent, shortened() ? 2.2 : 4.5, shortened() ? 2e-3 : 1e-3, 1e-10, 1e-9);
  same_by_reference(&lane_change, shortened() ? 3 : 12, 1e-2, 1e-10, 1e-9);
}

/* ---- gradients ---- */

static void exact(const manoeuvre *a, mbd_start start, double duration, double step) {
  mbd_error err = {0};
  double psi, grad[NP], psi_c, grad_c, worst = 0;
  mbd_referee *r;
  car q;
  open_car(&q, a, 0, NULL);
  q.c.duration = duration, q.c.step = step, q.c.start = start;
  ready(&q);
  must(mbd_sim_run(q.sim, q.base.p, NP, q.d, &psi, grad, NULL, NULL, NULL, &err), &err);
  must(mbd_referee_create(mbo_model_file_spec(q.base.file), &q.c, q.ny, q.output, 1, &q.term, 1, &r, &err), &err);
  for (int k = 0; k < NP; k++) {
    int f = q.first[k];
    must(mbd_referee_derivative(r, q.theta, q.first[k + 1] - f, q.index + f, q.value + f, &psi_c, &grad_c, &err), &err);
    CHECK_NEAR("objective", psi_c, psi, psi, 1e-9);
    CHECK_NEAR(design[k], grad[k], grad_c, fabs(grad_c), 1e-9);
    CU_ASSERT(fabs(grad_c * q.rho[k]) > 1e-3 * psi); /* it matters */
    worst = fmax(worst, fabs(grad[k] / grad_c - 1));
  }
  printf("\n  %s, start %s, %g s, step %g s: direct against complex step %.2g; psi %.6g, rho psi'/psi", a->name,
         start == MBD_START_GIVEN ? "given" : "from equilibrium", duration, step, worst, psi);
  for (int k = 0; k < NP; k++) { printf(" %.3g", grad[k] * q.rho[k] / psi); }
  mbd_referee_destroy(r);
  close_car(&q);
}

static void test_gradient(void) {
  exact(&step_descent, MBD_START_GIVEN, shortened() ? 2.2 : 4.5, 1e-2);
  exact(&step_descent, MBD_START_EQUILIBRIUM, shortened() ? 2.2 : 3, 1e-2);
  exact(&lane_change, MBD_START_GIVEN, shortened() ? 2 : 3, shortened() ? 2e-2 : 1e-2);
  exact(&lane_change, MBD_START_EQUILIBRIUM, shortened() ? 2 : 12, shortened() ? 2e-2 : 1e-2);
}

/* |psi(rho + eps d) - psi - eps psi' d| falls with eps^2 over four decades; at the largest eps, 5 %, terms of higher order
 * are seen. */
static void taylor(const manoeuvre *a, mbd_start start, double duration, double step) {
  static const double direction[NP] = {1, -0.7, 0.8, 0.9, -0.3}; /* in units of the nominal design */
  mbd_error err = {0};
  double psi, grad[NP], slope = 0, rest[5], rho[NP], eps = 0.05;
  car q;
  open_car(&q, a, 0, NULL);
  q.c.duration = duration, q.c.step = step, q.c.start = start;
  ready(&q);
  must(mbd_sim_run(q.sim, q.base.p, NP, q.d, &psi, grad, NULL, NULL, NULL, &err), &err);
  for (int k = 0; k < NP; k++) { slope += grad[k] * direction[k] * q.rho[k]; }
  printf("\n  %s, start %s: Taylor remainders", a->name, start == MBD_START_GIVEN ? "given" : "from equilibrium");
  for (int i = 0; i < 5; i++, eps /= 10) {
    double moved;
    for (int k = 0; k < NP; k++) { rho[k] = q.rho[k] * (1 + eps * direction[k]); }
    set_design(&q, rho);
    must(mbd_sim_run(q.sim, q.base.p, 0, NULL, &moved, NULL, NULL, NULL, NULL, &err), &err);
    rest[i] = fabs(moved - psi - eps * slope) / psi;
    printf(" %.3g", rest[i]);
    if (i > 0 && rest[i] > 1e-12) { /* not rounding */
      CHECK_CLOSE("order of the Taylor test", log10(rest[i - 1] / rest[i]), 2, i == 1 ? 0.4 : 0.1);
    }
  }
  close_car(&q);
}

static void test_taylor(void) {
  const double step = shortened() ? 5e-3 : 2e-3;
  taylor(&lane_change, MBD_START_EQUILIBRIUM, shortened() ? 2 : 12, 1e-2);
  taylor(&lane_change, MBD_START_GIVEN, shortened() ? 2 : 4.5, 1e-2);
  taylor(&step_descent, MBD_START_GIVEN, shortened() ? 2.2 : 4.5, step);
  taylor(&step_descent, MBD_START_EQUILIBRIUM, shortened() ? 2.2 : 4.5, step);
}

/* ---- orders in the step ---- */

static void orders(const manoeuvre *a, const char *what, mbd_start start, double duration, double step, double tol) {
  mbd_error err = {0};
  double v[3][NP + 1];
  car q;
  open_car(&q, a, 0, NULL);
  q.c.duration = duration, q.c.start = start;
  for (int i = 0; i < 3; i++) {
    q.c.step = step / (1 << i);
    ready(&q);
    must(mbd_sim_run(q.sim, q.base.p, NP, q.d, v[i], v[i] + 1, NULL, NULL, NULL, &err), &err);
  }
  printf("\n  %s: orders", what);
  for (int k = 0; k <= NP; k++) {
    double order = log2(fabs((v[0][k] - v[1][k]) / (v[1][k] - v[2][k])));
    CHECK_CLOSE(k ? design[k - 1] : "objective", order, 2, tol);
    printf(" %.3f", order);
  }
  close_car(&q);
}

/* Smooth motions have order 2, the settling from above only as far as the steps resolve the arrival of the tyre on the
 * road; the published step descent, where wheels leave the road, is in the README. */
static void test_order(void) {
  static const scalars gentle = {2, {"drop", "step_width"}, {"0.01", "0.5"}};
  manoeuvre slope = step_descent;
  slope.set = gentle;
  orders(&lane_change, "double lane change", MBD_START_EQUILIBRIUM, shortened() ? 3 : 12, 1e-2, 0.02);
  orders(&slope, "a step of 0.5 m length", MBD_START_EQUILIBRIUM, shortened() ? 2.4 : 3.5, 4e-3, 0.05);
}

TEST_MAIN(TEST(test_counts), TEST(test_constraints), TEST(test_equilibrium), TEST(test_no_equilibrium),
          TEST(test_energy), TEST(test_reference_points), TEST(test_gradient), TEST(test_taylor), TEST(test_order))
