/* Trajectories as functions of the design: every column of a simulation has the values of that simulation; products with the Jacobian agree between direct
 * differentiation, the adjoint and the complex step, for each analysis, kind of coordinates and scheme; second products with differences of first ones. */
#include "mechanism/trajectory.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "mbo/run.h"
#include "opened_run.h"
#include "test.h"

typedef struct trial {
  const char *file;
  int load, nset;
  const char *set[4];
  double values; /* how far values at nodes may be off: of a scheme that chooses its steps, between them */
  int redundant; /* 1: columns lam are those of the step, and as outputs those of least norm */
} trial;

#define SHORT    "case.swing.duration=0.2"
#define MATRIX_R "case.swing.formulation=matrix_r"

static const trial trials[] = {
    {"configs/five_bar.ini", 0, 1, {SHORT}, 0, 0},
    {"configs/five_bar.ini", 0, 2, {SHORT, "case.swing.coordinates=natural"}, 0, 0},
    {"configs/five_bar.ini", 0, 3, {SHORT, MATRIX_R, "case.swing.integrator=runge_kutta_4"}, 0, 0},
    {"configs/five_bar.ini", 0, 3, {SHORT, MATRIX_R, "case.swing.integrator=dormand_prince"}, 1e-8, 0},
    {"configs/five_bar.ini", 0, 2, {SHORT, "case.swing.integrator=generalized_alpha"}, 0, 0},
    {"configs/frame_reaction.ini", 0, 0, {0}, 0, 0},
    {"configs/two_link_arm_minimum_time.ini", 0, 0, {0}, 0, 0}, /* its duration varies */
    {"configs/corner.ini", 0, 0, {0}, 0, 0},                    /* kinematic */
    {"configs/corner.ini", 1, 0, {0}, 0, 0},                    /* static */
    {"configs/servo.ini", 0, 1, {"case.move.duration=0.05"}, 0, 0},
    {"configs/rolling_disc.ini", 0, 1, {"case.half_turn.step=5e-2"}, 0, 0},
    {"configs/step_descent.ini", 0, 1, {"case.step.duration=0.02"}, 0, 1},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* ---- what is compared ---- */

/* The columns of a simulation but for the time, and its values. */
typedef struct simulated {
  mbo_series *s;
  int n;
  const char **name; /* [n] */
} simulated;

static simulated simulate(const trial *q, const double *x) {
  char path[512];
  mbo_run *r;
  mbd_error err = {0};
  simulated a = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, q->file);
  must(mbo_run_open(path, q->nset, q->set, &r, &err), &err);
  must(mbo_run_simulate(r, x, q->load, &a.s, &err), &err);
  mbo_run_close(r);
  a.name = calloc((size_t)mbo_series_columns(a.s), sizeof *a.name);
  for (int i = 1; i < mbo_series_columns(a.s); i++) { a.name[a.n++] = mbo_series_name(a.s, i); }
  return a;
}

static void simulated_free(simulated *a) {
  mbo_series_free(a->s);
  free(a->name);
}

static trajectory *make(const trial *q, int n, const char *const *name, int ntime, const double *time) {
  char path[512];
  trajectory *t;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, q->file);
  must(trajectory_create(path, q->nset, q->set, q->load, n, name, ntime, time, &t, &err), &err);
  return t;
}

static double *drawn(size_t n, uint64_t seed) {
  double *x = calloc(n + 1, sizeof *x);
  for (size_t i = 0; i < n; i++) { x[i] = 2 * random_unit(&seed) - 1; }
  return x;
}

/* Weights with which every column has the same size in the sum. */
static double *weights(const trajectory *t, const double *y) {
  const size_t rows = (size_t)trajectory_rows(t), n = (size_t)trajectory_columns(t);
  double *w = drawn(rows * n, 3);
  for (size_t j = 0; j < n; j++) {
    double size = 0;
    for (size_t i = 0; i < rows; i++) { size = fmax(size, fabs(y[i * n + j])); }
    for (size_t i = 0; i < rows; i++) { w[i * n + j] /= size > 1e-6 ? size : 1; }
  }
  return w;
}

/* ---- products ---- */

/* Deviations of sums from sums of numbers that have the sizes `above`; largest seen: 5e-10 of columns that are zero but for rounding, 6e-13 between the
 * methods, and 1.5e-12 of the complex step, of impacts. */
static void check_sums(const char *name, size_t n, const double *got, const double *exact, const double *above,
                       double tolerance) {
  for (size_t j = 0; j < n; j++) { CHECK_NEAR(name, got[j], exact[j], above[j], tolerance); }
}

static void check_products(const trial *q, trajectory *t, const double *y) {
  mechanism *m = trajectory_mechanism(t);
  mbd_error err = {0};
  const size_t size = (size_t)trajectory_rows(t) * (size_t)trajectory_columns(t), n = (size_t)m->n;
  double *w = weights(t, y), *dx = drawn(n, 5), *J = calloc(size * n + 1, sizeof *J);
  double *dy = calloc(3 * size + 1, sizeof *dy), *along = dy + size, *sizes = along + size;
  double *g = calloc(3 * n + 1, sizeof *g), *sum = g + n, *above = sum + n;
  for (size_t j = 0; j < n; j++) { dx[j] *= m->scale[j]; }
  must(trajectory_jacobian(t, m->start, NULL, J, &err), &err);
  must(trajectory_jvp(t, m->start, dx, NULL, dy, &err), &err);
  must(trajectory_vjp(t, m->start, w, NULL, g, &err), &err);
  double moves = 0;
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < n; j++) {
      along[i] += J[i * n + j] * dx[j], sizes[i] += fabs(J[i * n + j] * dx[j]);
      sum[j] += w[i] * J[i * n + j], above[j] += fabs(w[i] * J[i * n + j]);
    }
    moves += fabs(w[i]) * sizes[i];
  }
  CU_ASSERT_TRUE(moves > 0);
  for (size_t i = 0; i < size; i++) { /* as parts of a sum: some columns are zero but for rounding */
    dy[i] *= w[i], along[i] *= w[i], sizes[i] = fmax(fabs(w[i]) * sizes[i], moves / (double)size);
  }
  check_sums("jvp", size, dy, along, sizes, 1e-9);
  CU_ASSERT_STRING_EQUAL(gradient_method_name(m->cases[q->load].choice.method), "discrete_adjoint");
  check_sums("vjp", n, g, sum, above, 1e-10);
  must(mechanism_evaluate(m, m->start, "complex_step", &err), &err);
  check_sums("complex step", n, g, m->grad, above, 1e-11);
  free(w), free(dx), free(J), free(dy), free(g);
}

/* At nodes: the columns of the simulation. */
static void test_nodes(void) {
  for (int k = 0; k < TRIALS; k++) {
    const trial *q = &trials[k];
    mbd_error err = {0};
    simulated a = simulate(q, NULL);
    trajectory *t = make(q, a.n, a.name, 0, NULL);
    CU_ASSERT_EQUAL_FATAL(trajectory_rows(t), mbo_series_rows(a.s));
    CU_ASSERT_EQUAL_FATAL(trajectory_columns(t), a.n);
    const size_t rows = (size_t)trajectory_rows(t), n = (size_t)a.n;
    double *y = calloc(rows * n, sizeof *y);
    must(trajectory_values(t, trajectory_mechanism(t)->start, y, &err), &err);
    for (size_t j = 0; j < n; j++) {
      double size = 0, off = 0;
      if (q->redundant && strncmp(a.name[j], "lam ", 4) == 0) { continue; }
      for (size_t i = 0; i < rows; i++) {
        const double exact = mbo_series_values(a.s)[i * (n + 1) + j + 1];
        size = fmax(size, fabs(exact)), off = fmax(off, fabs(exact - y[i * n + j]));
      }
      CHECK_NEAR(a.name[j], off, 0, size > 1e-6 ? size : 1, q->values);
    }
    check_products(q, t, y);
    free(y);
    trajectory_free(t), simulated_free(&a);
  }
}

/* At times between the nodes, in any order; and where the run file has direct differentiation, which then makes both products. */
static void test_times(void) {
  static const int of[] = {0, 3, 6, 7, 9};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const trial *q = &trials[of[k]];
    mbd_error err = {0};
    simulated a = simulate(q, NULL);
    const double end = mbo_series_values(a.s)[(mbo_series_rows(a.s) - 1) * mbo_series_columns(a.s)];
    const double times[] = {0.61 * end, 0.13 * end, 0.987 * end, 0.131 * end};
    trajectory *t = make(q, a.n, a.name, 4, times);
    CU_ASSERT_EQUAL_FATAL(trajectory_rows(t), 4);
    double *y = calloc(4 * (size_t)a.n, sizeof *y);
    must(trajectory_values(t, trajectory_mechanism(t)->start, y, &err), &err);
    check_products(q, t, y);
    free(y);
    trajectory_free(t), simulated_free(&a);
  }
}

/* By hand: the bar falls from rest, so that its rate begins with its acceleration; between nodes it is the polynomial through four. */
static void test_values(void) {
  const trial q = {.file = "configs/pendulum.ini", .nset = 1, .set = {"case.drop.duration=0.1"}};
  static const char *const names[] = {"ground-bar.angle", "ground-bar.angle.rate"};
  const double times[] = {0.0125, 0.0025};
  simulated a = simulate(&q, NULL);
  trajectory *t = make(&q, 2, names, 2, times);
  mbd_error err = {0};
  double y[4];
  must(trajectory_values(t, trajectory_mechanism(t)->start, y, &err), &err);
  CU_ASSERT_STRING_EQUAL(trajectory_name(t, 1), "ground-bar.angle.rate");
  CU_ASSERT_STRING_EQUAL(trajectory_unit(t, 0), "rad");
  const double *v = mbo_series_values(a.s);
  const int columns = mbo_series_columns(a.s);
  const double h = v[columns] - v[0];
  CHECK_NEAR("step", h, 5e-3, h, 1e-12);
  for (int j = 0; j < 2; j++) {
    const int at = mbo_series_find(a.s, names[j]);
    double row[5];
    for (int i = 0; i < 5; i++) { row[i] = v[i * columns + at]; }
    /* halves of the intervals 2, 3 and 0, 1: weights of cubic interpolation */
    CHECK_NEAR(names[j], y[j], (-row[1] + 9 * row[2] + 9 * row[3] - row[4]) / 16, 1, 1e-14);
    CHECK_NEAR(names[j], y[2 + j], (5 * row[0] + 15 * row[1] - 5 * row[2] + row[3]) / 16, 1, 1e-14);
  }
  trajectory_free(t), simulated_free(&a);
}

/* The second product is the derivative of the first along d. */
static void test_second(void) {
  static const int of[] = {0, 6, 7};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const trial *q = &trials[of[k]];
    simulated a = simulate(q, NULL);
    trajectory *t = make(q, a.n, a.name, 0, NULL);
    mechanism *m = trajectory_mechanism(t);
    mbd_error err = {0};
    const size_t size = (size_t)trajectory_rows(t) * (size_t)trajectory_columns(t), n = (size_t)m->n;
    double *y = calloc(size, sizeof *y), *Hd = calloc(4 * n, sizeof *Hd), *x = Hd + n, *g = x + n, *change = g + n;
    double *d = drawn(n, 7), largest = 0;
    const double h = 1e-5;
    must(trajectory_values(t, m->start, y, &err), &err);
    double *w = weights(t, y);
    for (size_t j = 0; j < n; j++) { d[j] *= m->scale[j]; }
    must(trajectory_second(t, m->start, w, d, Hd, &err), &err);
    for (int side = -1; side <= 1; side += 2) {
      for (size_t j = 0; j < n; j++) { x[j] = m->start[j] + side * h * d[j]; }
      must(trajectory_vjp(t, x, w, NULL, g, &err), &err);
      for (size_t j = 0; j < n; j++) { change[j] += side * g[j] / (2 * h); }
    }
    for (size_t j = 0; j < n; j++) { largest = fmax(largest, fabs(Hd[j] * m->scale[j])); }
    CU_ASSERT_TRUE(largest > 0);
    for (size_t j = 0; j < n; j++) {
      CHECK_NEAR("second product", Hd[j] * m->scale[j], change[j] * m->scale[j], largest, 1e-6);
    }
    free(y), free(Hd), free(d), free(w);
    trajectory_free(t), simulated_free(&a);
  }
}

/* ---- all quantities of a run ---- */

/* Products against the gradients of each quantity by itself, by every method; with quantities that are expressions of others. */
static void test_quantities(void) {
  static const char *const files[] = {"configs/corner.ini", "configs/com_placement.ini",
                                      "configs/slider_crank_balance.ini"};
  static const char *const method[] = {"discrete_adjoint", "direct", "auto", "none"};
  for (size_t k = 0; k < 3; k++) {
    for (int i = 0; i < 4; i++) {
      char path[512], set[64];
      mbo_run *r;
      mbd_error err = {0};
      snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, files[k]);
      snprintf(set, sizeof set, "gradient.method=%s", method[i]);
      must(mbo_run_open(path, 2, (const char *const[]){set, "optimizer.hessian=limited_memory"}, &r, &err), &err);
      const size_t n = (size_t)mbo_run_variables(r);
      const size_t nq = (size_t)(mbo_run_objectives(r) + mbo_run_constraints(r));
      double *J = calloc(nq * n, sizeof *J), *psi = calloc(3 * nq, sizeof *psi), *dpsi = psi + nq, *again = dpsi + nq;
      double *w = drawn(nq, 11), *dx = drawn(n, 13), *g = calloc(n, sizeof *g);
      for (size_t j = 0; j < n; j++) { dx[j] *= mbo_run_scale(r)[j]; }
      must(mbo_run_gradients(r, NULL, "discrete_adjoint", psi, J, &err), &err);
      must(mbo_run_jvp(r, NULL, dx, again, dpsi, &err), &err);
      for (size_t p = 0; p < nq; p++) {
        double along = 0, size = 0;
        for (size_t j = 0; j < n; j++) { along += J[p * n + j] * dx[j], size += fabs(J[p * n + j] * dx[j]); }
        CHECK_NEAR(mbo_run_quantity(r, (int)p), dpsi[p], along, size, 1e-9);
        CHECK_NEAR(mbo_run_quantity(r, (int)p), again[p], psi[p], fabs(psi[p]), 1e-12);
      }
      must(mbo_run_vjp(r, NULL, w, NULL, g, &err), &err);
      for (size_t j = 0; j < n; j++) {
        double sum = 0, size = 0;
        for (size_t p = 0; p < nq; p++) { sum += w[p] * J[p * n + j], size += fabs(w[p] * J[p * n + j]); }
        CHECK_NEAR(mbo_run_variable(r, (int)j), g[j], sum, size, 1e-9);
      }
      free(J), free(psi), free(w), free(dx), free(g);
      mbo_run_close(r);
    }
  }
}

/* ---- handles and messages ---- */

static void test_handles(void) {
  char path[512];
  mbo_run *r;
  mbo_trajectory *t;
  mbd_error err = {0};
  const char *const set[] = {SHORT}, *const known[] = {"P2.position", "lam JB.coincident.x",
                                                       "lam JB.perpendicular.PxCz"};
  const double late[] = {0.1, 0.3}, one[] = {0.1};
  snprintf(path, sizeof path, "%s/configs/five_bar.ini", MBOPT_SOURCE_DIR);
  must(mbo_run_open(path, 1, set, &r, &err), &err);
  CU_ASSERT_EQUAL(mbo_run_trajectory(r, 0, 1, (const char *const[]){"P2.positoin"}, 0, NULL, &t, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "a column of case 'swing'");
  CHECK_CONTAINS(err.text, "has no quantity 'positoin'");
  CU_ASSERT_EQUAL(mbo_run_trajectory(r, 0, 0, NULL, 0, NULL, &t, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "has no columns");
  CU_ASSERT_EQUAL(mbo_run_trajectory(r, 1, 3, known, 0, NULL, &t, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "case number 1 is not there, expected 0 to 0");
  CU_ASSERT_EQUAL(mbo_run_trajectory(r, 0, 3, known, 2, late, &t, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "0.3 s lies outside of the case, which lasts from 0 to 0.2 s");
  CU_ASSERT_PTR_NULL(t);
  must(mbo_run_trajectory(r, 0, 3, known, 1, one, &t, &err), &err);
  mbo_run_close(r); /* the trajectory stays */
  CU_ASSERT_EQUAL(mbo_trajectory_rows(t), 1);
  CU_ASSERT_EQUAL_FATAL(mbo_trajectory_columns(t), 5);
  CU_ASSERT_STRING_EQUAL(mbo_trajectory_name(t, 2), "P2.position.z");
  CU_ASSERT_STRING_EQUAL(mbo_trajectory_unit(t, 3), "N");
  CU_ASSERT_PTR_NULL(mbo_trajectory_name(t, 5));
  CU_ASSERT_PTR_NULL(mbo_trajectory_unit(t, -1));
  double y[5], w[5] = {1, 0, 0, NAN, 0}, g[2];
  must(mbo_trajectory_values(t, NULL, y, &err), &err);
  CU_ASSERT_TRUE(y[0] != 0 && isfinite(y[4]));
  CU_ASSERT_EQUAL(mbo_trajectory_vjp(t, NULL, w, NULL, g, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "the weight of column 'JB.coincident.multiplier.x' at sample 0 is nan");
  const double d[] = {1, INFINITY};
  CU_ASSERT_EQUAL(mbo_trajectory_jvp(t, NULL, d, NULL, y, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "the change of 'Ls2' is inf");
  w[3] = 0;
  CU_ASSERT_EQUAL(mbo_trajectory_second(t, NULL, w, d, g, &err), MBD_BAD_INPUT);
  must(mbo_trajectory_values(t, NULL, y, &err), &err);
  CHECK_CONTAINS(mbo_trajectory_warning(t, 0), "JB.perpendicular.PxCz.multiplier");
  CU_ASSERT_PTR_NULL(mbo_trajectory_warning(t, 1));
  mbo_trajectory_free(t), mbo_trajectory_free(NULL);
}

TEST_MAIN(TEST(test_values), TEST(test_nodes), TEST(test_times), TEST(test_second), TEST(test_quantities),
          TEST(test_handles))
