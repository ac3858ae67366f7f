/* Every backend on every small problem that it claims to handle; designs that fail; limits; the journal. */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mbo/backend.h"
#include "test.h"

/* ---- problems ---- */

typedef struct toy {
  int n, nc, calls, hessians;
  mbd_status (*f)(struct toy *t, const double *x, mbo_eval *v);
  double answer[3], fails_beyond; /* designs with x0 above this cannot be simulated */
} toy;

static mbd_status rosenbrock(toy *t, const double *x, mbo_eval *v) {
  double a = 1 - x[0], b = x[1] - x[0] * x[0];
  (void)t;
  v->f = a * a + 100 * b * b;
  v->g[0] = -2 * a - 400 * x[0] * b;
  v->g[1] = 200 * b;
  /* residuals 1 - x0 and 10 (x1 - x0^2): H = 2 J'J */
  v->H[0] = 2 * (1 + 400 * x[0] * x[0]), v->H[1] = v->H[2] = -400 * x[0], v->H[3] = 200;
  v->hess[0] = v->H[0] - 400 * b, v->hess[1] = v->hess[2] = v->H[1], v->hess[3] = v->H[3];
  return MBD_OK;
}

/* min (x0-2)^2 + (x1-1)^2, x0 + x1 <= 2, x0^2 <= x1: HS22, answer (1, 1) */
static mbd_status hs22(toy *t, const double *x, mbo_eval *v) {
  (void)t;
  v->f = (x[0] - 2) * (x[0] - 2) + (x[1] - 1) * (x[1] - 1);
  v->g[0] = 2 * (x[0] - 2), v->g[1] = 2 * (x[1] - 1);
  v->H[0] = v->H[3] = 2, v->H[1] = v->H[2] = 0;
  v->c[0] = x[0] + x[1], v->c[1] = x[1] - x[0] * x[0];
  v->jac[0] = v->jac[1] = 1, v->jac[2] = -2 * x[0], v->jac[3] = 1;
  for (int k = 0; k < 12; k++) { v->hess[k] = k < 4 ? v->H[k] : k == 8 ? -2 : 0; }
  return MBD_OK;
}

static mbd_status eval(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  toy *t = user;
  double H[4], hess[12];
  mbo_eval v = *out;
  t->calls++;
  t->hessians += (want & MBO_WANT_HESSIAN) != 0;
  if (!(want & MBO_WANT_GAUSS_NEWTON)) { v.H = H; }
  if (!(want & MBO_WANT_HESSIAN)) { v.hess = hess; }
  if (x[0] > t->fails_beyond) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "x0 = %g is too far", x[0]); }
  mbd_status status = t->f(t, x, &v);
  out->f = v.f;
  return status;
}

static mbd_status eval_small(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  MBD_TRY(eval(user, x, want, out, err));
  out->f *= 1e-9;
  out->g[0] *= 1e-9, out->g[1] *= 1e-9;
  return MBD_OK;
}

static const char *const names[] = {"x0", "x1"}, *const c_names[] = {"line", "parabola"};
static const double start[] = {-1.2, 1}, low[] = {-3, -3}, high[] = {3, 3}, one[] = {1, 1}, uneven[] = {0.1, 5};
static const double c_low[] = {-INFINITY, 0}, c_high[] = {2, INFINITY};

static mbo_problem problem(toy *t, int constrained, const double *scale) {
  t->n = 2;
  t->f = constrained ? hs22 : rosenbrock;
  t->fails_beyond = INFINITY;
  t->calls = t->hessians = 0;
  return (mbo_problem){.name = constrained ? "HS22" : "Rosenbrock",
                       .n = 2,
                       .names = names,
                       .start = start,
                       .lower = low,
                       .upper = high,
                       .scale = scale,
                       .nc = constrained ? 2 : 0,
                       .c_names = c_names,
                       .c_lower = c_low,
                       .c_upper = c_high,
                       .has_gradient = 1,
                       .has_gauss_newton = 1,
                       .has_hessian = 1,
                       .user = t,
                       .eval = eval};
}

static mbo_settings settings(const char *algorithm) {
  mbo_settings s;
  mbo_settings_init(&s);
  s.algorithm = algorithm;
  s.max_evaluations = 20000;
  s.max_iterations = 5000;
  s.tol_f = s.tol_x = 1e-12;
  return s;
}

static void solve_and_compare(const char *backend, const char *algorithm, int constrained, const double *scale,
                              double tol) {
  toy t = {0};
  mbd_error err = {0};
  mbo_result r;
  mbo_problem p = problem(&t, constrained, scale);
  mbo_settings s = settings(algorithm);
  char name[128];
  mbd_status status = mbo_solve(backend, &p, &s, &r, &err);
  if (status == MBD_UNSUPPORTED && strstr(err.text, "not built in")) { return; }
  snprintf(name, sizeof name, "%s %s on %s", backend, algorithm, p.name);
  if (status != MBD_OK) { printf("\n  %s: %s\n", name, err.text); }
  CU_ASSERT_EQUAL(status, MBD_OK);
  if (status == MBD_OK) {
    CHECK_CLOSE(name, r.x[0], 1, tol);
    CHECK_CLOSE(name, r.x[1], 1, tol);
    CU_ASSERT(r.evaluations == t.calls);
    CU_ASSERT(r.violation <= 1e-6);
  }
  mbo_result_free(&r);
}

static void test_all_solve(void) {
  static const struct {
    const char *backend, *algorithm;
    int constraints;
    double tol;
  } runs[] = {{"ipopt", "", 1, 1e-5},           {"nlopt", "LD_SLSQP", 1, 1e-5},
              {"nlopt", "slsqp", 1, 1e-5},      {"nlopt", "LD_MMA", 1, 1e-3},
              {"nlopt", "LD_CCSAQ", 1, 1e-3},   {"nlopt", "LD_LBFGS", 0, 1e-4},
              {"nlopt", "LD_VAR2", 0, 1e-4},    {"nlopt", "LD_TNEWTON_PRECOND", 0, 1e-4},
              {"nlopt", "LN_COBYLA", 1, 3e-2},  {"nlopt", "LN_BOBYQA", 0, 1e-3},
              {"nlopt", "LN_SBPLX", 0, 1e-3},   {"nlopt", "LN_NELDERMEAD", 0, 1e-3},
              {"nlopt", "GN_CRS2_LM", 0, 1e-2}, {"lbfgsb", "", 0, 1e-5}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    solve_and_compare(runs[i].backend, runs[i].algorithm, 0, one, runs[i].tol);
    if (strstr(runs[i].algorithm, "MMA") || strstr(runs[i].algorithm, "CCSAQ")) {
      continue;
    } /* slow on uneven scales */
    solve_and_compare(runs[i].backend, runs[i].algorithm, 0, uneven, 10 * runs[i].tol);
    if (runs[i].constraints) { solve_and_compare(runs[i].backend, runs[i].algorithm, 1, one, runs[i].tol); }
  }
}

/* Rosenbrock with x0 <= 0.5: the answer (0.5, 0.25), at a bound, and to the bit. With x1 >= 1.5: the minimum
 * over x0 there. */
static void test_active_bounds(void) {
  static const struct {
    const char *backend, *algorithm;
  } runs[] = {{"ipopt", ""}, {"nlopt", "LD_SLSQP"}, {"nlopt", "LD_LBFGS"}, {"nlopt", "LN_BOBYQA"}, {"lbfgsb", ""}};
  static const double lower_x1[] = {-3, 1.5}, upper_x0[] = {0.5, 3}, start_x1[] = {-1.2, 2}, tenth[] = {0.1, 0.7};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 0, tenth);
    mbo_settings s = settings(runs[i].algorithm);
    const char *name = *runs[i].algorithm ? runs[i].algorithm : runs[i].backend;
    p.upper = upper_x0;
    if (mbo_solve(runs[i].backend, &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CHECK_CLOSE(name, r.x[0], 0.5, 1e-6);
    CHECK_CLOSE(name, r.x[1], 0.25, 1e-3);
    if (strcmp(name, "lbfgsb") == 0) { CU_ASSERT(r.x[0] == 0.5); }
    mbo_result_free(&r);
    p.upper = high, p.lower = lower_x1, p.start = start_x1;
    CU_ASSERT_EQUAL(mbo_solve(runs[i].backend, &p, &s, &r, &err), MBD_OK);
    CHECK_CLOSE(name, r.x[1], 1.5, 1e-6);
    CHECK_CLOSE(name, r.x[0], -1.2210, 1e-3);
    mbo_result_free(&r);
  }
}

/* The optimum lies where nothing can be simulated: nobody may call the border an optimum, nor stay there long. The best
 * design there is (border, border^2). */
static void test_border_of_failing_designs(void) {
  static const struct {
    const char *backend, *algorithm;
    int gauss_newton, most;
    double tol;
  } runs[] = {{"ipopt", "", 0, 60, 1e-4},         {"ipopt", "", 1, 60, 1e-4},
              {"lbfgsb", "", 0, 60, 1e-4},        {"nlopt", "LD_SLSQP", 0, 60, 1e-2},
              {"nlopt", "LD_LBFGS", 0, 60, 1e-2}, {"nlopt", "LD_VAR2", 0, 60, 1e-2},
              {"nlopt", "LD_MMA", 0, 60, 1e-2},   {"nlopt", "LD_TNEWTON_PRECOND", 0, 60, 1e-2},
              {"nlopt", "LN_BOBYQA", 0, 60, 1e-2}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    for (double border = -1; border < 1; border += test_long() ? 0.5 : test_slow() ? 2 : 1) {
      char name[128];
      toy t = {0};
      mbd_error err = {0};
      mbo_result r;
      mbo_problem p = problem(&t, 0, one);
      mbo_settings s = settings(runs[i].algorithm);
      s.gauss_newton = runs[i].gauss_newton;
      s.tol_f = s.tol_x = 1e-10;
      t.fails_beyond = border;
      if (mbo_solve(runs[i].backend, &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
      snprintf(name, sizeof name, "%s %s, border %g", runs[i].backend, runs[i].algorithm, border);
      CU_ASSERT_EQUAL(r.status, MBO_STALLED);
      CHECK_CLOSE(name, r.f, (1 - border) * (1 - border), runs[i].tol);
      CHECK_CONTAINS(r.text, *runs[i].algorithm ? "" : "cannot be simulated");
      CU_ASSERT(r.failures > 0 && r.failures <= runs[i].most);
      if (r.failures > runs[i].most) { printf("\n  %s: %d failures of %d", name, r.failures, r.evaluations); }
      mbo_result_free(&r);
    }
  }
}

/* HS22 where nothing beyond a line that slants can be simulated: no box has a face along it. */
static double line;
static mbd_status hs22_below_a_line(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  if (x[0] + x[1] > line) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "x0 + x1 is too large"); }
  return eval(user, x, want, out, err);
}

/* The end of a run in a box at that border is no optimum. */
static void test_slanting_border(void) {
  for (int k = 0; k < 3 * 16; k += test_long() ? 1 : test_slow() ? 13 : 5) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 1, one);
    mbo_settings s = settings("");
    s.gauss_newton = k % 3 == 1, s.exact_hessian = k % 3 == 2;
    s.tol_f = s.tol_x = 1e-10;
    line = 0.1 * (k / 3) + 0.3;
    p.eval = hs22_below_a_line;
    if (mbo_solve("ipopt", &p, &s, &r, &err) == MBD_UNSUPPORTED) { return; }
    CU_ASSERT_EQUAL(r.status, MBO_STALLED);
    CHECK_CONTAINS(r.text, "cannot be simulated");
    CU_ASSERT(r.violation <= 1e-8 && r.f < 10 && r.failures <= 150);
    mbo_result_free(&r);
  }
}

/* AUGLAG_EQ makes penalties of equalities only; inequalities are for the local optimizer. */
static void test_auglag_with_inequalities(void) {
  static const char *const algorithms[] = {"LD_AUGLAG",    "LD_AUGLAG_EQ", "LN_AUGLAG",
                                           "LN_AUGLAG_EQ", "AUGLAG",       "AUGLAG_EQ"};
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 1, one);
    mbo_settings s = settings(algorithms[i]);
    s.tol_f = s.tol_x = 1e-10;
    s.max_evaluations = 5000;
    if (mbo_solve("nlopt", &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CHECK_CLOSE(algorithms[i], r.x[0], 1, 1e-3);
    CHECK_CLOSE(algorithms[i], r.x[1], 1, 1e-3);
    CU_ASSERT(r.status == MBO_CONVERGED || r.status == MBO_STOPPED_LIMIT);
    mbo_result_free(&r);
  }
}

/* Global search goes on after failed designs; the start of a local one among many is not the end. */
static void test_mlsl_and_auglag(void) {
  static const char *const algorithms[] = {"GD_MLSL", "GD_MLSL_LDS", "GN_MLSL", "LD_AUGLAG", "LN_AUGLAG", "AUGLAG"};
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 0, one);
    mbo_settings s = settings(algorithms[i]);
    t.fails_beyond = 1.1;
    s.max_evaluations = 1000;
    s.tol_f = s.tol_x = 1e-10;
    if (mbo_solve("nlopt", &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CHECK_CLOSE(algorithms[i], r.x[0], 1, 1e-3);
    CU_ASSERT(r.status == MBO_CONVERGED || strstr(algorithms[i], "MLSL"));
    mbo_result_free(&r);
  }
}

/* What would answer wrongly, or never, says so instead. */
static void test_refused_algorithms(void) {
  static const struct {
    const char *algorithm, *message;
    int n;
  } runs[] = {{"LN_PRAXIS", "finds false optima at bounds, and 'x0' has some", 2},
              {"LN_NEWUOA_BOUND", "may never return", 2},
              {"newuoa", "expected LN_BOBYQA", 2},
              {"LN_BOBYQA", "needs two variables", 1},
              {"GD_STOGO", "not known", 2}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_problem p = problem(&t, 0, one);
    mbo_settings s = settings(runs[i].algorithm);
    p.n = runs[i].n;
    CU_ASSERT(mbo_check("nlopt", &p, &s, &err) < 0);
    if (!strstr(err.text, "not built in")) { CHECK_CONTAINS(err.text, runs[i].message); }
  }
}

static int iterations_told;
static void tell(void *user, const mbo_iteration *it) {
  const int *most = user;
  CU_ASSERT_EQUAL(it->iteration, iterations_told);
  CU_ASSERT(it->violation == 0 && it->optimality >= 0 && it->step >= 0 && it->iteration <= *most);
  iterations_told++;
}

static void test_lbfgsb(void) {
  toy t = {0};
  mbd_error err = {0};
  mbo_result r;
  mbo_problem p = problem(&t, 0, one);
  mbo_settings s = settings("");
  int most = 7;
  s.max_iterations = most, s.iteration = tell, s.user = &most;
  if (mbo_solve("lbfgsb", &p, &s, &r, &err) == MBD_UNSUPPORTED) { return; }
  CU_ASSERT(r.status == MBO_STOPPED_LIMIT && r.iterations == 7 && iterations_told == 8);
  mbo_result_free(&r);
  s = settings("");
  s.stop_value = 1;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_OK);
  CU_ASSERT(r.status == MBO_CONVERGED && r.f <= 1 && r.f > 1e-6);
  mbo_result_free(&r);
  s = settings("");
  s.max_time = 0;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_OK);
  CU_ASSERT(r.status == MBO_STOPPED_LIMIT && r.evaluations == 0);
  mbo_result_free(&r);
  /* an objective that is small by nature is minimized as far as another */
  s = settings("");
  s.tolerance = 1e-16;
  p.eval = eval_small;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_OK);
  CHECK_CLOSE("small objective", r.x[0], 1, 1e-4);
  mbo_result_free(&r);
  static const mbo_option wrong[] = {{"factr", "1"}}, none[] = {{"m", "2.5"}}, few[] = {{"m", "3"}};
  p.eval = eval;
  s.noption = 1, s.option = wrong;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "factr is not an option of L-BFGS-B, expected m");
  s.option = none;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "expected a whole number");
  s.option = few;
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_OK);
  CHECK_CLOSE("m = 3", r.x[0], 1, 1e-5);
  mbo_result_free(&r);
  s.algorithm = "LD_LBFGS";
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_BAD_INPUT);
  p = problem(&t, 1, one);
  s = settings("");
  CU_ASSERT_EQUAL(mbo_solve("lbfgsb", &p, &s, &r, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "takes no nonlinear constraints");
}

static void test_gauss_newton_is_faster(void) {
  toy t = {0};
  mbd_error err = {0};
  mbo_result with, without;
  mbo_problem p = problem(&t, 0, one);
  mbo_settings s = settings("");
  if (mbo_solve("ipopt", &p, &s, &without, &err) == MBD_UNSUPPORTED) { return; }
  s.gauss_newton = 1;
  CU_ASSERT_EQUAL(mbo_solve("ipopt", &p, &s, &with, &err), MBD_OK);
  CU_ASSERT_EQUAL(with.status, MBO_CONVERGED);
  CU_ASSERT(with.iterations < without.iterations);
  CHECK_CLOSE("Gauss-Newton", with.x[0], 1, 1e-6);
  mbo_result_free(&with);
  mbo_result_free(&without);
}

/* Exact second derivatives of objective and constraints, the latter with their multipliers: Newton's method ends
 * quadratically. A matrix is no further design. */
static void test_exact_hessian(void) {
  for (int constrained = 0; constrained < 2; constrained++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result with, without;
    mbo_problem p = problem(&t, constrained, uneven);
    mbo_settings s = settings("");
    if (mbo_solve("ipopt", &p, &s, &without, &err) == MBD_UNSUPPORTED) { return; }
    s.exact_hessian = 1;
    t.calls = 0;
    CU_ASSERT_EQUAL(mbo_solve("ipopt", &p, &s, &with, &err), MBD_OK);
    CU_ASSERT_EQUAL(with.status, MBO_CONVERGED);
    CU_ASSERT(with.iterations <= without.iterations);
    CU_ASSERT_EQUAL(with.hessians, t.hessians);
    CU_ASSERT_EQUAL(with.evaluations, t.calls - t.hessians);
    CU_ASSERT(with.hessians >= with.iterations);
    CHECK_CLOSE("exact x0", with.x[0], 1, 1e-8);
    CHECK_CLOSE("exact x1", with.x[1], 1, 1e-8);
    mbo_result_free(&with);
    mbo_result_free(&without);
  }
}

/* What is not there is told before anything is simulated. */
static void test_exact_hessian_refused(void) {
  toy t = {0};
  mbd_error err = {0};
  mbo_problem p = problem(&t, 0, one);
  mbo_settings s = settings("");
  s.exact_hessian = 1;
  if (mbo_check("lbfgsb", &p, &s, &err) != MBD_OK && !strstr(err.text, "not built in")) {
    CHECK_CONTAINS(err.text, "backend 'lbfgsb' takes no exact second derivatives; use hessian = limited_memory");
  }
  p.has_hessian = 0;
  CU_ASSERT_EQUAL(mbo_check("ipopt", &p, &s, &err), MBD_UNSUPPORTED);
  if (!strstr(err.text, "not built in")) {
    CHECK_CONTAINS(err.text, "hessian = exact needs method = auto, direct or discrete_adjoint");
  }
}

/* Beyond x0 = 1.02 nothing can be simulated: the optimum at 1 lies close to the edge. */
static void test_failing_designs(void) {
  static const struct {
    const char *backend, *algorithm;
  } runs[] = {{"ipopt", ""},          {"nlopt", "LD_SLSQP"},  {"nlopt", "LD_MMA"}, {"nlopt", "LD_LBFGS"},
              {"nlopt", "LN_COBYLA"}, {"nlopt", "LN_BOBYQA"}, {"lbfgsb", ""}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 0, one);
    mbo_settings s = settings(runs[i].algorithm);
    t.fails_beyond = 1.02;
    s.max_evaluations = 3000;
    if (mbo_solve(runs[i].backend, &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CHECK_CLOSE(runs[i].algorithm, r.x[0], 1, strstr(runs[i].algorithm, "LN_") ? 0.1 : 0.02);
    CU_ASSERT(isfinite(r.f) && r.f < 0.01);
    CU_ASSERT(r.nfailure == r.failures);
    for (int k = 0; k < r.nfailure; k++) {
      CU_ASSERT(r.failure[k].status == MBD_NO_CONVERGENCE && r.failure[k].x[0] > 1.02);
      CHECK_CONTAINS(r.failure[k].text, "is too far");
    }
    mbo_result_free(&r);
  }
}

static void test_failing_start(void) {
  toy t = {0};
  mbd_error err = {0};
  mbo_result r;
  mbo_problem p = problem(&t, 0, one);
  mbo_settings s = settings("");
  t.fails_beyond = -2;
  if (mbo_solve("ipopt", &p, &s, &r, &err) == MBD_UNSUPPORTED) { return; }
  CU_ASSERT_EQUAL(r.status, MBO_FAILED_START);
  CHECK_CONTAINS(r.text, "is too far");
  CU_ASSERT_EQUAL(t.calls, 1);
  mbo_result_free(&r);
}

/* x1 - x0^2 >= 0 and x0 + x1 <= -1 have no common point in the box. */
static void test_infeasible(void) {
  static const double impossible[] = {-1, INFINITY};
  static const struct { const char *backend, *algorithm; } runs[] = {{"ipopt", ""}, {"nlopt", "LN_COBYLA"}};
  for (size_t i = 0; i < 2; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 1, one);
    mbo_settings s = settings(runs[i].algorithm);
    p.c_upper = impossible;
    s.max_evaluations = 2000;
    if (mbo_solve(runs[i].backend, &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CU_ASSERT(r.status == MBO_INFEASIBLE || r.status == MBO_STALLED || r.status == MBO_STOPPED_LIMIT);
    CU_ASSERT(r.status != MBO_CONVERGED && r.violation > 0.1);
    mbo_result_free(&r);
  }
}

static void test_limits_and_stop(void) {
  static const volatile sig_atomic_t stop = 1;
  static const char *const backends[] = {"ipopt", "nlopt", "lbfgsb"};
  for (int i = 0; i < 3; i++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 0, one);
    mbo_settings s = settings("");
    s.max_evaluations = 5;
    if (mbo_solve(backends[i], &p, &s, &r, &err) == MBD_UNSUPPORTED) { continue; }
    CU_ASSERT_EQUAL(r.status, MBO_STOPPED_LIMIT);
    CU_ASSERT_EQUAL(t.calls, 5);
    mbo_result_free(&r);
    s.max_evaluations = 1000;
    s.stop = &stop;
    CU_ASSERT_EQUAL(mbo_solve(backends[i], &p, &s, &r, &err), MBD_OK);
    CU_ASSERT_EQUAL(r.status, MBO_INTERRUPTED);
    mbo_result_free(&r);
  }
}

/* Only what a backend can handle; the message names both sides. */
static void test_capabilities(void) {
  toy t = {0};
  mbd_error err = {0};
  mbo_result r;
  mbo_problem p = problem(&t, 1, one);
  mbo_settings s = settings("LD_LBFGS");
  if (mbo_solve("nlopt", &p, &s, &r, &err) == MBD_UNSUPPORTED) {
    CU_ASSERT(strstr(err.text, "takes no nonlinear constraints") || strstr(err.text, "not built in"));
  } else {
    CU_FAIL("constraints given to L-BFGS");
  }
  mbo_result_free(&r);
  s = settings("");
  s.gauss_newton = 1;
  CU_ASSERT_EQUAL(mbo_solve("nlopt", &p, &s, &r, &err), MBD_UNSUPPORTED);
  if (!strstr(err.text, "not built in")) { CHECK_CONTAINS(err.text, "Gauss-Newton"); }
  mbo_result_free(&r);
}

/* ---- side by side ---- */

typedef struct job {
  const char *backend;
  pthread_t thread;
  int right, runs;
} job;

static void *work(void *user) {
  job *j = user;
  for (int k = 0; k < 20; k++) {
    toy t = {0};
    mbd_error err = {0};
    mbo_result r;
    mbo_problem p = problem(&t, 0, one);
    mbo_settings s = settings("");
    s.gauss_newton = strcmp(j->backend, "ipopt") == 0 && k % 2;
    t.fails_beyond = k % 3 ? 1.02 : INFINITY;
    if (mbo_solve(j->backend, &p, &s, &r, &err) == MBD_UNSUPPORTED) { return NULL; }
    j->runs++;
    j->right += fabs(r.x[0] - 1) < 1e-3 && r.evaluations == t.calls;
    mbo_result_free(&r);
  }
  return NULL;
}

static void test_threads(void) {
  job jobs[] = {{.backend = "ipopt"}, {.backend = "ipopt"},  {.backend = "ipopt"},
                {.backend = "nlopt"}, {.backend = "lbfgsb"}, {.backend = "lbfgsb"}};
  const size_t n = sizeof jobs / sizeof jobs[0];
  for (size_t i = 0; i < n; i++) { CU_ASSERT_EQUAL_FATAL(pthread_create(&jobs[i].thread, NULL, work, &jobs[i]), 0); }
  for (size_t i = 0; i < n; i++) {
    pthread_join(jobs[i].thread, NULL);
    CU_ASSERT_EQUAL(jobs[i].right, jobs[i].runs);
  }
}

/* ---- the journal ---- */

static mbo_result journaled(toy *t, const char *path, int resume, int most, const char *fingerprint, mbd_status *status,
                            mbd_error *err) {
  mbo_result r;
  mbo_problem p = problem(t, 1, one);
  mbo_settings s = settings("LD_SLSQP");
  s.journal = path;
  s.resume = resume;
  s.max_evaluations = most;
  s.fingerprint = fingerprint;
  *status = mbo_solve("nlopt", &p, &s, &r, err);
  return r;
}

static void test_resume(void) {
  char path[] = "/tmp/mbopt_journal_XXXXXX";
  int fd = mkstemp(path);
  toy t = {0};
  mbd_error err = {0};
  mbd_status status;
  close(fd);
  mbo_result whole = journaled(&t, path, 0, 1000, "a", &status, &err);
  if (status == MBD_UNSUPPORTED) { return; }
  int needed = t.calls;
  /* killed after four designs, in the middle of a line */
  mbo_result part = journaled(&t, path, 0, 4, "a", &status, &err);
  CU_ASSERT_EQUAL(t.calls, 4);
  FILE *f = fopen(path, "a");
  fputs("{\"evaluation\":5,\"x\":[0.1,", f);
  fclose(f);
  mbo_result rest = journaled(&t, path, 1, 1000, "a", &status, &err);
  CU_ASSERT_EQUAL(status, MBD_OK);
  CU_ASSERT_EQUAL(t.calls, needed - 4); /* nothing simulated twice */
  CU_ASSERT_EQUAL(rest.replayed, 4);
  CU_ASSERT(rest.x[0] == whole.x[0] && rest.x[1] == whole.x[1] && rest.f == whole.f); /* to the last bit */
  mbo_result again = journaled(&t, path, 1, 1000, "a", &status, &err);
  CU_ASSERT_EQUAL(t.calls, 0);
  CU_ASSERT(again.f == whole.f);
  mbo_result other = journaled(&t, path, 1, 1000, "b", &status, &err);
  CU_ASSERT_EQUAL(status, MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "another problem");
  mbo_result_free(&whole), mbo_result_free(&part), mbo_result_free(&rest), mbo_result_free(&again),
      mbo_result_free(&other);
  unlink(path);
}

/* Matrices are in the journal too, beside the designs that they belong to. */
static void test_resume_with_hessians(void) {
  char path[] = "/tmp/mbopt_journal_XXXXXX";
  int fd = mkstemp(path);
  toy t = {0};
  mbd_error err = {0};
  mbo_result first, again;
  mbo_problem p = problem(&t, 1, one);
  mbo_settings s = settings("");
  close(fd);
  s.exact_hessian = 1, s.journal = path, s.fingerprint = "a";
  mbd_status status = mbo_solve("ipopt", &p, &s, &first, &err);
  if (status == MBD_UNSUPPORTED) { return; }
  t.calls = 0, s.resume = 1;
  CU_ASSERT_EQUAL(mbo_solve("ipopt", &p, &s, &again, &err), MBD_OK);
  CU_ASSERT_EQUAL(t.calls, 0);
  CU_ASSERT_EQUAL(again.replayed, first.evaluations);
  CU_ASSERT_EQUAL(again.iterations, first.iterations);
  CU_ASSERT(again.f == first.f && again.x[0] == first.x[0]);
  mbo_result_free(&first), mbo_result_free(&again);
  unlink(path);
}

static void test_full_disk(void) {
  toy t = {0};
  mbd_error err = {0};
  mbd_status status;
  mbo_result r = journaled(&t, "/dev/full", 0, 1000, "a", &status, &err);
  if (status == MBD_UNSUPPORTED) { return; }
  CU_ASSERT_EQUAL(status, MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "/dev/full cannot be written");
  mbo_result_free(&r);
}

TEST_MAIN(TEST(test_all_solve), TEST(test_active_bounds), TEST(test_border_of_failing_designs),
          TEST(test_slanting_border), TEST(test_mlsl_and_auglag), TEST(test_auglag_with_inequalities),
          TEST(test_refused_algorithms), TEST(test_lbfgsb), TEST(test_gauss_newton_is_faster), TEST(test_exact_hessian),
          TEST(test_exact_hessian_refused), TEST(test_resume_with_hessians), TEST(test_failing_designs),
          TEST(test_failing_start), TEST(test_infeasible), TEST(test_limits_and_stop), TEST(test_capabilities),
          TEST(test_threads), TEST(test_resume), TEST(test_full_disk))
