/* Every backend on every small problem that it claims to handle; designs that fail; limits; the journal. */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/optimality.h"
#include "backend/scaling.h"
#include "evaluate/feasibility.h"
#include "toy.h"

/* ---- problems ---- */

typedef struct toy {
  int constrained, calls, hessians;
  double fails_beyond; /* designs with x0 above this cannot be simulated */
} toy;

static mbd_status eval(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  toy *t = user;
  t->calls++;
  t->hessians += (request & MBO_REQUEST_HESSIAN) != 0;
  if (x[0] > t->fails_beyond) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "x0 = %g is too far", x[0]); }
  toy_evaluate(t->constrained, 1, x, request, out);
  return MBD_OK;
}

static mbd_status eval_small(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  MBD_TRY(eval(user, x, request, out, err));
  out->f *= 1e-9;
  out->g[0] *= 1e-9, out->g[1] *= 1e-9;
  return MBD_OK;
}

static const double one[] = {1, 1}, uneven[] = {0.1, 5};

static mbo_settings settings(const char *algorithm) {
  mbo_settings s;
  mbo_settings_init(&s);
  s.algorithm = algorithm;
  s.max_evaluations = 20000;
  s.max_iterations = 5000;
  s.tol_f = s.tol_x = 1e-12;
  return s;
}

/* One problem and one backend's attempts at it. */
typedef struct trial {
  toy t;
  mbo_problem p;
  mbo_settings s;
  mbo_result r;
  mbd_error err;
} trial;

static void begin(trial *q, const char *algorithm, int constrained, const double *scale) {
  *q = (trial){.t = {.constrained = constrained, .fails_beyond = INFINITY}, .s = settings(algorithm)};
  q->p = toy_problem(constrained, scale, &q->t, eval);
}

/* An optimizer of one's own, which asks IPOPT what to ask. */
static mbd_status relayed(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  const mbo_problem *p = mbo_ask_problem(user);
  const mbo_eval *v;
  MBD_TRY(mbo_ask_evaluate(user, x, request, &v, err));
  out->f = v->f;
  memcpy(out->c, v->c, (size_t)p->nc * sizeof *v->c);
  if (request & MBO_REQUEST_GRADIENT) {
    memcpy(out->g, v->g, (size_t)p->n * sizeof *v->g);
    memcpy(out->jac, v->jac, (size_t)(p->nc * p->n) * sizeof *v->jac);
  }
  if (request & MBO_REQUEST_GAUSS_NEWTON) { memcpy(out->H, v->H, (size_t)(p->n * p->n) * sizeof *v->H); }
  return MBD_OK;
}

static mbd_status relay(void *of_optimizer, mbo_ask *a, mbd_error *err) {
  mbo_problem p = *mbo_ask_problem(a);
  mbo_settings s = *mbo_ask_settings(a);
  mbo_result r = {0};
  (void)of_optimizer;
  p.eval = relayed, p.user = a;
  s.optimizer = NULL, s.iteration = NULL, s.simulated = NULL, s.begin = NULL, s.journal = NULL;
  const mbd_status status = mbo_solve("ipopt", &p, &s, &r, err);
  if (status == MBD_OK) { mbo_ask_end(a, r.status, r.text); }
  mbo_result_free(&r);
  return status;
}

static mbd_status attempt(trial *q, const char *backend) {
  mbo_result_free(&q->r);
  if (strcmp(backend, "command") == 0) {
    q->s.optimizer = relay;
    if (!toy_is_built_in("ipopt")) { return MBD_NOT_BUILT_IN; }
  }
  if (strcmp(backend, "levenberg_marquardt") == 0) { q->s.gauss_newton = 1; }
  return mbo_solve(backend, &q->p, &q->s, &q->r, &q->err);
}

/* 0: the backend is not built in, and there is nothing to be seen. */
static int solve(trial *q, const char *backend) {
  const mbd_status status = attempt(q, backend);
  if (status == MBD_NOT_BUILT_IN) { return 0; }
  if (status != MBD_OK) { printf("\n  %s %s on %s: %s\n", backend, q->s.algorithm, q->p.name, q->err.text); }
  CU_ASSERT_EQUAL(status, MBD_OK);
  return status == MBD_OK;
}

static void end(trial *q) {
  mbo_result_free(&q->r);
}

/* What is expected of every backend, and of the algorithms of those that have several. */
static const struct entry {
  const char *backend, *algorithm;
  double tol;      /* of the answer */
  int constraints; /* takes them */
  int bounds;      /* reaches bounds that are active */
  double border;   /* tolerance of the objective at the border of designs that cannot be simulated; 0: not tried */
  double beside;   /* of the answer beside such designs; 0: not tried */
  int gradient_free;
} expected[] = {
    {"ipopt", "", 1e-5, 1, 1, 1e-4, 0.02, 0},
    {"lbfgsb", "", 1e-5, 0, 1, 1e-4, 0.02, 0},
    {"nlopt", "LD_SLSQP", 1e-5, 1, 1, 1e-2, 0.02, 0},
    {"nlopt", "slsqp", 1e-5, 1, 0, 0, 0, 0},
    {"nlopt", "LD_MMA", 1e-3, 1, 0, 1e-2, 0.02, 0},
    {"nlopt", "LD_CCSAQ", 1e-3, 1, 0, 0, 0, 0},
    {"nlopt", "LD_LBFGS", 1e-4, 0, 1, 1e-2, 0.02, 0},
    {"nlopt", "LD_VAR2", 1e-4, 0, 0, 1e-2, 0, 0},
    {"nlopt", "LN_BOBYQA", 1e-3, 0, 1, 1e-2, 0.1, 1},
    {"nlopt", "LD_TNEWTON_PRECOND", 1e-4, 0, 0, 1e-2, 0, 0},
    {"nlopt", "LN_COBYLA", 3e-2, 1, 0, 0, 0.1, 1},
    {"nlopt", "LN_SBPLX", 1e-3, 0, 0, 0, 0, 1},
    {"nlopt", "GN_CRS2_LM", 1e-2, 0, 0, 0, 0, 1},
    {"nlopt", "LN_NELDERMEAD", 1e-3, 0, 0, 0, 0, 1},
    {"levenberg_marquardt", "", 1e-5, 0, 1, 1e-4, 0.02, 0},
    {"command", "", 1e-5, 1, 1, 0, 0, 0},
};
enum { N_EXPECTED = sizeof expected / sizeof expected[0] };

static void test_all_are_expected(void) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    int k = 0;
    while (k < N_EXPECTED && strcmp(expected[k].backend, info.name) != 0) { k++; }
    if (k == N_EXPECTED) { printf("\n  %s has no entry here\n", info.name); }
    CU_ASSERT(k < N_EXPECTED);
  }
}

static void solve_and_compare(const struct entry *e, int constrained, const double *scale, double tol) {
  trial q;
  begin(&q, e->algorithm, constrained, scale);
  if (solve(&q, e->backend)) {
    char name[128];
    snprintf(name, sizeof name, "%s %s on %s", e->backend, e->algorithm, q.p.name);
    CHECK_CLOSE(name, q.r.x[0], 1, tol);
    CHECK_CLOSE(name, q.r.x[1], 1, tol);
    CU_ASSERT(q.r.evaluations + q.r.probes == q.t.calls);
    CU_ASSERT(q.r.violation <= 1e-6);
  }
  end(&q);
}

static void test_all_solve(void) {
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    solve_and_compare(e, 0, one, e->tol);
    if (strstr(e->algorithm, "MMA") || strstr(e->algorithm, "CCSAQ")) { continue; } /* slow on uneven scales */
    solve_and_compare(e, 0, uneven, 10 * e->tol);
    if (e->constraints) { solve_and_compare(e, 1, one, e->tol); }
  }
}

/* Rosenbrock with x0 <= 0.5: the answer (0.5, 0.25), at a bound, and to the bit. With x1 >= 1.5: the minimum
 * over x0 there. */
static void test_active_bounds(void) {
  static const double lower_x1[] = {-3, 1.5}, upper_x0[] = {0.5, 3}, start_x1[] = {-1.2, 2}, tenth[] = {0.1, 0.7};
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    trial q;
    const char *name = *e->algorithm ? e->algorithm : e->backend;
    begin(&q, e->algorithm, 0, tenth);
    q.p.upper = upper_x0;
    if (!e->bounds || !solve(&q, e->backend)) { continue; }
    CHECK_CLOSE(name, q.r.x[0], 0.5, 1e-6);
    CHECK_CLOSE(name, q.r.x[1], 0.25, 1e-3);
    if (strcmp(name, "lbfgsb") == 0) { CU_ASSERT(q.r.x[0] == 0.5); }
    q.p = toy_problem(0, tenth, &q.t, eval);
    q.p.lower = lower_x1, q.p.start = start_x1;
    solve(&q, e->backend);
    CHECK_CLOSE(name, q.r.x[1], 1.5, 1e-6);
    CHECK_CLOSE(name, q.r.x[0], -1.2210, 1e-3);
    end(&q);
  }
}

static void stay_at_border(const struct entry *e, int gauss_newton, double border) {
  enum { MAX = 60 };
  char name[128];
  trial q;
  begin(&q, e->algorithm, 0, one);
  q.s.gauss_newton = gauss_newton;
  q.s.tol_f = q.s.tol_x = 1e-10;
  q.t.fails_beyond = border;
  if (solve(&q, e->backend)) {
    snprintf(name, sizeof name, "%s %s, border %g", e->backend, e->algorithm, border);
    CU_ASSERT_EQUAL(q.r.status, MBO_STALLED);
    CHECK_CLOSE(name, q.r.f, (1 - border) * (1 - border), e->border);
    CHECK_CONTAINS(q.r.text, *e->algorithm ? "" : "cannot be simulated");
    CU_ASSERT(q.r.failures > 0 && q.r.failures <= MAX);
    if (q.r.failures > MAX) { printf("\n  %s: %d failures of %d", name, q.r.failures, q.r.evaluations); }
  }
  end(&q);
}

/* The optimum lies where nothing can be simulated: nobody may call the border an optimum, nor stay there long. The best
 * design there is (border, border^2). */
static void test_border_of_failing_designs(void) {
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    for (double border = -1; e->border > 0 && border < 1; border += test_long() ? 0.5 : test_slow() ? 2 : 1) {
      stay_at_border(e, 0, border);
      if (strcmp(e->backend, "ipopt") == 0) { stay_at_border(e, 1, border); }
    }
  }
}

/* HS22 where nothing beyond a line that slants can be simulated: no box has a face along it. */
static double line;
static mbd_status hs22_below_a_line(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  if (x[0] + x[1] > line) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "x0 + x1 is too large"); }
  return eval(user, x, request, out, err);
}

/* The end of a run in a box at that border is no optimum. */
static void test_slanting_border(void) {
  for (int k = 0; k < 3 * 16; k += test_long() ? 1 : 13) {
    trial q;
    begin(&q, "", 1, one);
    q.s.gauss_newton = k % 3 == 1, q.s.exact_hessian = k % 3 == 2;
    q.s.tol_f = q.s.tol_x = 1e-10;
    line = 0.1 * (k / 3) + 0.3;
    q.p.eval = hs22_below_a_line;
    if (!solve(&q, "ipopt")) { return; }
    CU_ASSERT_EQUAL(q.r.status, MBO_STALLED);
    CHECK_CONTAINS(q.r.text, "cannot be simulated");
    CU_ASSERT(q.r.violation <= 1e-8 && q.r.f < 10 && q.r.failures <= 150);
    end(&q);
  }
}

/* A family of NLopt that works through a local optimizer: near the answer in this many designs. */
static void near_answer(const char *algorithm, int constrained, double fails_beyond, int max) {
  trial q;
  begin(&q, algorithm, constrained, one);
  q.t.fails_beyond = fails_beyond;
  q.s.tol_f = q.s.tol_x = 1e-10;
  q.s.max_evaluations = max;
  if (solve(&q, "nlopt")) {
    CHECK_CLOSE(algorithm, q.r.x[0], 1, 1e-3);
    CHECK_CLOSE(algorithm, q.r.x[1], 1, constrained ? 1e-3 : 3e-3);
    CU_ASSERT(q.r.status == MBO_CONVERGED || (q.r.status == MBO_STOPPED_LIMIT && constrained) ||
              strstr(algorithm, "MLSL"));
  }
  end(&q);
}

/* AUGLAG_EQ makes penalties of equalities only; inequalities are for the local optimizer. */
static void test_auglag_with_inequalities(void) {
  static const char *const algorithms[] = {"LD_AUGLAG",    "LD_AUGLAG_EQ", "LN_AUGLAG",
                                           "LN_AUGLAG_EQ", "AUGLAG",       "AUGLAG_EQ"};
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    near_answer(algorithms[i], 1, INFINITY, 5000);
  }
}

/* Global search goes on after failed designs; the start of a local one among many is not the end. */
static void test_mlsl_and_auglag(void) {
  static const char *const algorithms[] = {"GD_MLSL", "GD_MLSL_LDS", "GN_MLSL", "LD_AUGLAG", "LN_AUGLAG", "AUGLAG"};
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) { near_answer(algorithms[i], 0, 1.1, 1000); }
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
    trial q;
    begin(&q, runs[i].algorithm, 0, one);
    q.p.n = runs[i].n;
    CU_ASSERT(mbo_check("nlopt", &q.p, &q.s, &q.err) < 0);
    if (toy_is_built_in("nlopt")) { CHECK_CONTAINS(q.err.text, runs[i].message); }
  }
}

static int iterations_told;
static void tell(void *user, const mbo_iteration *it) {
  const int *max = user;
  CU_ASSERT_EQUAL(it->iteration, iterations_told);
  CU_ASSERT(it->violation == 0 && it->optimality >= 0 && it->step >= 0 && it->iteration <= *max);
  iterations_told++;
}

static void check_option(trial *q, const char *name, const char *value, const char *message) {
  q->s.noption = 1, q->s.option = &(mbo_option){name, value};
  CU_ASSERT_EQUAL(attempt(q, "lbfgsb"), MBD_BAD_INPUT);
  CHECK_CONTAINS(q->err.text, message);
}

static void test_lbfgsb(void) {
  trial q;
  int max = 7;
  begin(&q, "", 0, one);
  q.s.max_iterations = max, q.s.iteration = tell, q.s.user = &max;
  if (!solve(&q, "lbfgsb")) { return; }
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.iterations == 7 && iterations_told == 8);
  q.s = settings("");
  q.s.stop_value = 1;
  solve(&q, "lbfgsb");
  CU_ASSERT(q.r.status == MBO_CONVERGED && q.r.f <= 1 && q.r.f > 1e-6);
  q.s = settings("");
  q.s.max_time = 0;
  solve(&q, "lbfgsb");
  CU_ASSERT(q.r.status == MBO_STOPPED_LIMIT && q.r.evaluations == 0);
  /* an objective that is small by nature is minimized as far as another */
  q.s = settings("");
  q.s.tolerance = 1e-16;
  q.p.eval = eval_small;
  solve(&q, "lbfgsb");
  CHECK_CLOSE("small objective", q.r.x[0], 1, 1e-4);
  q.s.tolerance = 1e-8; /* relative to 2.42e-8, the objective at the start: as it is, it would end far away */
  solve(&q, "lbfgsb");
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CHECK_CLOSE("relative tolerance", q.r.x[0], 1, 1e-4);
  q.p.eval = eval;
  check_option(&q, "factr", "1", "factr is not an option of L-BFGS-B, expected m");
  check_option(&q, "m", "2.5", "expected a whole number");
  q.s.option = &(mbo_option){"m", "3"};
  solve(&q, "lbfgsb");
  CHECK_CLOSE("m = 3", q.r.x[0], 1, 1e-5);
  q.s.algorithm = "LD_LBFGS";
  CU_ASSERT_EQUAL(attempt(&q, "lbfgsb"), MBD_BAD_INPUT);
  end(&q);
  begin(&q, "", 1, one);
  CU_ASSERT_EQUAL(attempt(&q, "lbfgsb"), MBD_UNSUPPORTED);
  CHECK_CONTAINS(q.err.text, "takes no nonlinear constraints");
}

static void test_gauss_newton_is_faster(void) {
  trial with, without;
  begin(&with, "", 0, one), begin(&without, "", 0, one);
  with.s.gauss_newton = 1;
  if (!solve(&without, "ipopt") || !solve(&with, "ipopt")) { return; }
  CU_ASSERT_EQUAL(with.r.status, MBO_CONVERGED);
  CU_ASSERT(with.r.iterations < without.r.iterations);
  CHECK_CLOSE("Gauss-Newton", with.r.x[0], 1, 1e-6);
  end(&with), end(&without);
}

/* Exact second derivatives of objective and constraints, the latter with their multipliers: Newton's method ends
 * quadratically. A matrix is no further design. */
static void test_exact_hessian(void) {
  for (int constrained = 0; constrained < 2; constrained++) {
    trial with, without;
    begin(&with, "", constrained, uneven), begin(&without, "", constrained, uneven);
    with.s.exact_hessian = 1;
    if (!solve(&without, "ipopt") || !solve(&with, "ipopt")) { return; }
    CU_ASSERT_EQUAL(with.r.status, MBO_CONVERGED);
    CU_ASSERT(with.r.iterations <= without.r.iterations);
    CU_ASSERT_EQUAL(with.r.hessians, with.t.hessians);
    CU_ASSERT_EQUAL(with.r.evaluations, with.t.calls - with.t.hessians);
    CU_ASSERT(with.r.hessians >= with.r.iterations);
    CHECK_CLOSE("exact x0", with.r.x[0], 1, 1e-8);
    CHECK_CLOSE("exact x1", with.r.x[1], 1, 1e-8);
    end(&with), end(&without);
  }
}

/* What is not there is told before anything is simulated. */
static void test_exact_hessian_refused(void) {
  trial q;
  begin(&q, "", 0, one);
  q.s.exact_hessian = 1;
  if (mbo_check("lbfgsb", &q.p, &q.s, &q.err) != MBD_NOT_BUILT_IN) {
    CHECK_CONTAINS(q.err.text, "backend 'lbfgsb' takes no exact second derivatives; use hessian = limited_memory");
  }
  q.p.has_hessian = 0;
  if (mbo_check("ipopt", &q.p, &q.s, &q.err) != MBD_NOT_BUILT_IN) {
    CHECK_CONTAINS(q.err.text, "hessian = exact needs method = auto, direct or discrete_adjoint");
  }
}

/* Beyond x0 = 1.02 nothing can be simulated: the optimum at 1 lies close to the edge. */
static void test_failing_designs(void) {
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    trial q;
    begin(&q, e->algorithm, 0, one);
    q.t.fails_beyond = 1.02;
    q.s.max_evaluations = 3000;
    if (e->beside == 0 || !solve(&q, e->backend)) { continue; }
    CHECK_CLOSE(e->algorithm, q.r.x[0], 1, e->beside);
    CU_ASSERT(isfinite(q.r.f) && q.r.f < 0.01);
    CU_ASSERT(q.r.nfailure == q.r.failures);
    for (int k = 0; k < q.r.nfailure; k++) {
      CU_ASSERT(q.r.failure[k].status == MBD_NO_CONVERGENCE && q.r.failure[k].x[0] > 1.02);
      CHECK_CONTAINS(q.r.failure[k].text, "is too far");
    }
    end(&q);
  }
}

static void test_failing_start(void) {
  trial q;
  begin(&q, "", 0, one);
  q.t.fails_beyond = -2;
  if (!solve(&q, "ipopt")) { return; }
  CU_ASSERT_EQUAL(q.r.status, MBO_FAILED_START);
  CHECK_CONTAINS(q.r.text, "is too far");
  CU_ASSERT_EQUAL(q.t.calls, 1);
  end(&q);
}

/* x1 - x0^2 >= 0 and x0 + x1 <= -1 have no common point in the box. */
static void test_infeasible(void) {
  static const double impossible[] = {-1, INFINITY};
  static const struct { const char *backend, *algorithm; } runs[] = {{"ipopt", ""}, {"nlopt", "LN_COBYLA"}};
  for (size_t i = 0; i < 2; i++) {
    trial q;
    begin(&q, runs[i].algorithm, 1, one);
    q.p.c_upper = impossible;
    q.s.max_evaluations = 2000;
    if (!solve(&q, runs[i].backend)) { continue; }
    CU_ASSERT(q.r.status == MBO_INFEASIBLE || q.r.status == MBO_STALLED || q.r.status == MBO_STOPPED_LIMIT);
    CU_ASSERT(q.r.status != MBO_CONVERGED && q.r.violation > 0.1);
    end(&q);
  }
}

/* x0 + x1 <= -7 between -3 and 3: the least violation is 1, in a corner. Nobody goes on for long, and the result says what is violated. */
static void test_infeasible_is_told(void) {
  static const double impossible[] = {-7, INFINITY}, none[] = {-INFINITY, -INFINITY};
  static const struct {
    const char *backend, *algorithm;
    int gauss_newton, exact, max;
  } runs[] = {{"ipopt", "", 0, 0, 60},
              {"ipopt", "", 1, 0, 60},
              {"ipopt", "", 0, 1, 60},
              {"nlopt", "LD_SLSQP", 0, 0, 60},
              {"nlopt", "LD_MMA", 0, 0, 60}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    trial q;
    begin(&q, runs[i].algorithm, 1, one);
    q.p.c_upper = impossible, q.p.c_lower = none;
    q.s.gauss_newton = runs[i].gauss_newton, q.s.exact_hessian = runs[i].exact;
    if (!solve(&q, runs[i].backend)) { continue; }
    CU_ASSERT_EQUAL(q.r.status, MBO_INFEASIBLE);
    CHECK_CLOSE(runs[i].backend, q.r.violation, 1, 1e-2);
    CHECK_CONTAINS(q.r.text, "; line = -");
    CHECK_CONTAINS(q.r.text, " is above -7 by 1");
    if (q.r.evaluations > runs[i].max) { printf("\n  %s: %d designs", runs[i].backend, q.r.evaluations); }
    CU_ASSERT(q.r.evaluations <= runs[i].max);
    end(&q);
  }
}

/* By hand: at (-3, 1), where x0 + x1 = -2 and x1 - x0^2 = -8, with x0 + x1 <= -4, v = (2, -8) and J' v = (-46, -6), of which each variable
 * may take its scale; from (-3, -3) none can go lower. */
static void test_feasibility(void) {
  static const double upper[] = {-4, INFINITY}, none[] = {-INFINITY, -INFINITY}, at[] = {-3, 1}, corner[] = {-3, -3};
  static const double c[] = {-2, -8}, at_corner[] = {-6, -12}, jac[] = {1, 1, 6, 1}, seven[] = {-7, INFINITY};
  char text[200];
  mbo_problem p = toy_problem(1, one, NULL, eval);
  p.c_upper = upper;
  CHECK_CLOSE("left", feasibility_left(&p, at, c, jac), (46 + 6) / 68.0, 1e-15);
  feasibility_words(&p, c, 1e-8, text, sizeof text);
  CU_ASSERT_STRING_EQUAL(text, "parabola = -8 is below 0 by 8, line = -2 is above -4 by 2");
  feasibility_words(&p, c, 2, text, sizeof text);
  CU_ASSERT_STRING_EQUAL(text, "parabola = -8 is below 0 by 8");
  feasibility_words(&p, c, 9, text, sizeof text);
  CU_ASSERT_STRING_EQUAL(text, "");
  p.c_upper = seven, p.c_lower = none;
  CU_ASSERT_EQUAL(feasibility_left(&p, corner, at_corner, jac), 0);
  CHECK_CLOSE("left", feasibility_left(&p, at, c, jac), 1 / 5.0,
              1e-15); /* v = 5: x0 is at its bound, x1 may move by 1 */
}

/* SLSQP where the gradient is large beside the unit matrix that it begins with: the minimum of a x0 + b x1 on a box is its corner. Its own
 * solver for a step, given such gradients as they are, calls the start converged. */
static double slope[2];
static mbd_status steep(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  (void)user, (void)request, (void)err;
  out->f = slope[0] * x[0] + slope[1] * x[1];
  memcpy(out->g, slope, sizeof slope);
  return MBD_OK;
}

static void test_slsqp_with_a_steep_objective(void) {
  static const double lower[] = {0.25, 1 / 3.0}, steepest[][2] = {{15, 2.3e6}, {203, 5.9e5}, {2783, 5.9e7}};
  for (size_t i = 0; i < sizeof steepest / sizeof steepest[0]; i++) {
    trial q;
    begin(&q, "LD_SLSQP", 0, one);
    q.p.start = one, q.p.lower = lower, q.p.eval = steep;
    memcpy(slope, steepest[i], sizeof slope);
    if (!solve(&q, "nlopt")) { return; }
    CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
    CHECK_CLOSE("x0", q.r.x[0], 0.25, 1e-9);
    CHECK_CLOSE("x1", q.r.x[1], 1 / 3.0, 1e-9);
    end(&q);
  }
}

static void test_limits_and_stop(void) {
  static const volatile sig_atomic_t stop = 1;
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    trial q;
    begin(&q, "", 0, one);
    q.s.max_evaluations = 5;
    if (!solve(&q, info.name)) { continue; }
    CU_ASSERT_EQUAL(q.r.status, MBO_STOPPED_LIMIT);
    CU_ASSERT_EQUAL(q.t.calls, 5);
    q.s.max_evaluations = 1000;
    q.s.stop = &stop;
    solve(&q, info.name);
    CU_ASSERT_EQUAL(q.r.status, MBO_INTERRUPTED);
    end(&q);
  }
}

/* Only what a backend can handle; the message names both sides. */
static void test_capabilities(void) {
  trial q;
  if (!toy_is_built_in("nlopt")) { return; }
  begin(&q, "LD_LBFGS", 1, one);
  CU_ASSERT_EQUAL(attempt(&q, "nlopt"), MBD_UNSUPPORTED);
  CHECK_CONTAINS(q.err.text, "takes no nonlinear constraints");
  q.s = settings("");
  q.s.gauss_newton = 1;
  CU_ASSERT_EQUAL(attempt(&q, "nlopt"), MBD_UNSUPPORTED);
  CHECK_CONTAINS(q.err.text, "Gauss-Newton");
  end(&q);
}

/* ---- side by side ---- */

enum { EACH = 2, MAX_JOBS = 16 };

typedef struct job {
  mbo_backend_info backend;
  pthread_t thread;
  int right, runs;
} job;

static double tolerance_of(const char *backend) {
  const struct entry *e = expected;
  while (strcmp(e->backend, backend) != 0) { e++; }
  return e->tol;
}

/* With and without Gauss-Newton, each with and without a border: six runs, with MBOPT_LONG twenty. */
static void *work(void *user) {
  job *j = user;
  const int runs = test_long() ? 20 : 6;
  for (int k = 0; k < runs; k++) {
    trial q;
    begin(&q, "", 0, one);
    q.s.gauss_newton = (j->backend.caps & MBO_CAP_GAUSS_NEWTON) && k % 2;
    q.t.fails_beyond = k % 3 ? 1.02 : INFINITY;
    if (attempt(&q, j->backend.name) == MBD_NOT_BUILT_IN) { return NULL; }
    j->runs++;
    j->right += fabs(q.r.x[0] - 1) < 100 * tolerance_of(j->backend.name) && q.r.evaluations <= 100 &&
                q.r.evaluations + q.r.probes == q.t.calls;
    end(&q);
  }
  return NULL;
}

static void test_threads(void) {
  job jobs[MAX_JOBS] = {0};
  int n = 0;
  for (mbo_backend_info info; n + EACH <= MAX_JOBS && mbo_backend_at(n / EACH, &info); n += EACH) {
    for (job *j = jobs + n; j < jobs + n + EACH; j++) {
      j->backend = info;
      CU_ASSERT_EQUAL_FATAL(pthread_create(&j->thread, NULL, work, j), 0);
    }
  }
  for (int i = 0; i < n; i++) {
    pthread_join(jobs[i].thread, NULL);
    CU_ASSERT_EQUAL(jobs[i].right, jobs[i].runs);
  }
}

/* ---- the journal ---- */

static const char *new_journal(void) {
  static char path[32];
  strcpy(path, "/tmp/mbopt_journal_XXXXXX");
  close(mkstemp(path));
  return path;
}

static void keep_journal(trial *q, const char *algorithm, const char *path) {
  begin(q, algorithm, 1, one);
  q->s.journal = path, q->s.fingerprint = "a";
}

/* Anew, or going on from the journal. */
static mbd_status attempt_again(trial *q, const char *backend, int resume) {
  q->t.calls = 0, q->s.resume = resume;
  return attempt(q, backend);
}

static void test_resume(void) {
  const char *path = new_journal();
  trial whole, q;
  keep_journal(&whole, "LD_SLSQP", path), keep_journal(&q, "LD_SLSQP", path);
  if (!solve(&whole, "nlopt")) { return; }
  /* killed after four designs, in the middle of a line */
  q.s.max_evaluations = 4;
  solve(&q, "nlopt");
  CU_ASSERT_EQUAL(q.t.calls, 4);
  FILE *f = fopen(path, "a");
  fputs("{\"evaluation\":5,\"x\":[0.1,", f);
  fclose(f);
  q.s.max_evaluations = 1000;
  CU_ASSERT_EQUAL(attempt_again(&q, "nlopt", 1), MBD_OK);
  CU_ASSERT_EQUAL(q.t.calls, whole.t.calls - 4); /* nothing simulated twice */
  CU_ASSERT_EQUAL(q.r.replayed, 4);
  CU_ASSERT(q.r.x[0] == whole.r.x[0] && q.r.x[1] == whole.r.x[1] && q.r.f == whole.r.f); /* to the last bit */
  CU_ASSERT_EQUAL(attempt_again(&q, "nlopt", 1), MBD_OK);
  CU_ASSERT_EQUAL(q.t.calls, 0);
  CU_ASSERT(q.r.f == whole.r.f);
  q.s.fingerprint = "b";
  CU_ASSERT_EQUAL(attempt_again(&q, "nlopt", 1), MBD_BAD_INPUT);
  CHECK_CONTAINS(q.err.text, "another problem");
  end(&whole), end(&q);
  unlink(path);
}

/* Matrices are in the journal too, beside the designs that they belong to. */
static void test_resume_with_hessians(void) {
  const char *path = new_journal();
  trial first, q;
  keep_journal(&first, "", path), keep_journal(&q, "", path);
  first.s.exact_hessian = q.s.exact_hessian = 1;
  if (!solve(&first, "ipopt")) { return; }
  CU_ASSERT_EQUAL(attempt_again(&q, "ipopt", 1), MBD_OK);
  CU_ASSERT_EQUAL(q.t.calls, 0);
  CU_ASSERT_EQUAL(q.r.replayed, first.r.evaluations);
  CU_ASSERT_EQUAL(q.r.iterations, first.r.iterations);
  CU_ASSERT(q.r.f == first.r.f && q.r.x[0] == first.r.x[0]);
  end(&first), end(&q);
  unlink(path);
}

/* ---- catalogue values ---- */

static const double three[] = {0.2, 0.72, 1.3}, five[] = {-1, 0.1, 0.5, 1.44, 2.5},
                    six[] = {-1, -0.5, 0.2, 0.72, 1.2, 2};

/* Rosenbrock's function with values of catalogues; n = 0: any value. */
static int solve_catalogue(trial *q, const struct entry *e, double fails_beyond, int n0, const double *v0, int n1,
                           const double *v1) {
  const int n[] = {n0, n1};
  const double *const values[] = {v0, v1};
  begin(q, e->algorithm, 0, one);
  q->t.fails_beyond = fails_beyond;
  q->p.nvalues = n, q->p.values = values;
  return solve(q, e->backend);
}

/* Rounded to (0.72, 1.44), f = 85, which a step of x0 makes 6.3, and a step of both makes the best of all fifteen:
 * f(0.72, 0.5) = 0.28^2 + 100 (0.5 - 0.5184)^2. With x1 free the best is f(1.2, 1.44) = 0.2^2. */
static void test_catalogues(void) {
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    trial q;
    if (solve_catalogue(&q, e, INFINITY, 3, three, 5, five)) {
      CU_ASSERT(q.r.x[0] == 0.72 && q.r.x[1] == 0.5);
      CU_ASSERT_DOUBLE_EQUAL(q.r.f, 0.112256, 1e-12);
      CU_ASSERT(q.r.x_continuous && fabs(q.r.x_continuous[0] - 1) < 100 * e->tol && q.r.f_continuous < 0.01);
      CU_ASSERT(q.r.neighbours >= 8);
    }
    end(&q);
  }
  for (const struct entry *e = expected; e < expected + 3; e++) {
    trial q;
    if (solve_catalogue(&q, e, INFINITY, 6, six, 0, NULL)) {
      CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
      CU_ASSERT_EQUAL(q.r.x[0], 1.2);
      CU_ASSERT_DOUBLE_EQUAL(q.r.x[1], 1.44, 1e-6);
      CU_ASSERT_DOUBLE_EQUAL(q.r.f, 0.04, 1e-9);
    }
    end(&q);
  }
}

/* Where the rounded design cannot be simulated, one beside it is taken; where none can, that is said. */
static void test_catalogues_and_failures(void) {
  const struct entry *slsqp = &expected[2];
  trial q;
  if (!solve_catalogue(&q, slsqp, 1.1, 6, six, 0, NULL)) { return; }
  CU_ASSERT_EQUAL(q.r.x[0], 0.72);
  CU_ASSERT_DOUBLE_EQUAL(q.r.f, 0.0784, 1e-9);
  end(&q);
  CU_ASSERT_FATAL(solve_catalogue(&q, slsqp, 1.1, 2, six + 4, 0, NULL));
  CU_ASSERT_EQUAL(q.r.status, MBO_INFEASIBLE);
  CHECK_CONTAINS(q.r.text, "no design with values of the catalogues can be simulated");
  CU_ASSERT_PTR_NULL(q.r.x_continuous);
  CU_ASSERT_DOUBLE_EQUAL(q.r.x[0], 1, 0.1); /* that of the optimization */
  end(&q);
  begin(&q, "LD_SLSQP", 0, one);
  q.s.max_evaluations = 10;
  const int n[] = {6, 0};
  const double *const values[] = {six, NULL};
  q.p.nvalues = n, q.p.values = values;
  CU_ASSERT_FATAL(solve(&q, "nlopt"));
  CU_ASSERT_EQUAL(q.r.status, MBO_STOPPED_LIMIT);
  CU_ASSERT_EQUAL(q.t.calls, 10);
  CHECK_CONTAINS(q.r.text, "the search among catalogue values is not done");
  end(&q);
}

static void test_full_disk(void) {
  trial q;
  keep_journal(&q, "LD_SLSQP", "/dev/full");
  if (!toy_is_built_in("nlopt")) { return; }
  CU_ASSERT_EQUAL(attempt(&q, "nlopt"), MBD_IO_ERROR);
  CHECK_CONTAINS(q.err.text, "/dev/full cannot be written");
  end(&q);
}

/* ---- conditions of an optimum ---- */

static double optimality_at(const mbo_problem *p, double x0, double x1) {
  double g[2], c[2] = {0}, jac[4] = {0}, left = -1;
  const double x[] = {x0, x1};
  mbo_eval v = {.g = g, .c = c, .jac = jac};
  mbd_error err = {0};
  toy_evaluate(p->nc > 0, 1, x, MBO_REQUEST_GRADIENT, &v);
  must(optimality(p, x, g, c, jac, 1e-8, &left, NULL, &err), &err);
  return left;
}

/* By hand. HS22 in (0, 0): g = (-4, -2), and the line, 2 away, takes lambda from (lambda - 4)^2 + (lambda - 2)^2 + (2 lambda)^2, so 1, which
 * leaves r = (-3, -1) and 2 * 1. The parabola is at its bound, but its multiplier would have the wrong sign. In (1, 1) both multipliers are
 * 2/3. With the line as an equation, in (0, 2), lambda = 4/3, that of the parabola -2/3, r = (-8/3, 8/3). */
static void test_optimality(void) {
  static const double uneven_scale[] = {0.5, 4}, c_low[] = {2, 0}, upper[] = {0.5, 3};
  mbo_problem p = toy_problem(1, one, NULL, NULL);
  CHECK_CLOSE("corner", optimality_at(&p, 1, 1), 0, 1e-14);
  CHECK_CLOSE("beside the constraints", optimality_at(&p, 0, 0), 3, 1e-13);
  CU_ASSERT(isnan(optimality_at(&p, 1, 1.1)));
  p.c_lower = c_low;
  CHECK_CLOSE("equation", optimality_at(&p, 0, 2), 8. / 3, 1e-13);
  /* bounds: g = (-1, 0) in (0.5, 0.25), whose first variable can go by its scale, by 0.2 of it, not at all */
  p = toy_problem(0, one, NULL, NULL);
  CHECK_CLOSE("free", optimality_at(&p, 0.5, 0.25), 1, 1e-14);
  p.scale = uneven_scale;
  CHECK_CLOSE("by its scale", optimality_at(&p, 0.5, 0.25), 0.5, 1e-14);
  p.upper = (const double[]){0.6, 3};
  CHECK_CLOSE("to its bound", optimality_at(&p, 0.5, 0.25), 0.1, 1e-14);
  p.upper = upper;
  CHECK_CLOSE("at its bound", optimality_at(&p, 0.5, 0.25), 0, 0);
}

/* Squares fall to zero at most: at (-1.2, 1), f = 24.2, the gradient alone would leave 215.6, for a step of x0 by its scale. */
static void test_optimality_of_squares(void) {
  trial q;
  begin(&q, "", 0, one);
  q.s.max_evaluations = 1;
  CU_ASSERT_FATAL(solve(&q, "levenberg_marquardt"));
  CHECK_CLOSE("what is left", q.r.optimality, 24.2, 1e-12);
  end(&q);
  begin(&q, "", 0, one);
  q.s.max_evaluations = 1;
  q.p.has_gauss_newton = 0;
  if (solve(&q, "ipopt")) { CHECK_CLOSE("of no squares", q.r.optimality, 215.6, 1e-12); }
  end(&q);
}

/* Every backend that uses gradients says how much is left, and nothing is left in the answer. */
static void test_optimality_of_results(void) {
  for (const struct entry *e = expected; e < expected + N_EXPECTED; e++) {
    trial q;
    begin(&q, e->algorithm, e->constraints, one);
    if (solve(&q, e->backend)) {
      CU_ASSERT(e->gradient_free ? isnan(q.r.optimality) : q.r.optimality <= 1e-5);
      if (!e->gradient_free && !(q.r.optimality <= 1e-5)) {
        printf("\n  %s %s: %g", e->backend, e->algorithm, q.r.optimality);
      }
    }
    end(&q);
  }
}

/* At the optimum (1, 1) of HS22 the multiplier of the line's upper limit is 2/3, that of the parabola's lower one -2/3; and IPOPT, which begins there with
 * them, has nothing left to do. */
static void test_multipliers(void) {
  trial q, again;
  begin(&q, "", 1, one);
  if (!solve(&q, "ipopt")) { return; }
  CU_ASSERT_PTR_NOT_NULL_FATAL(q.r.multipliers);
  CHECK_CLOSE("line", fabs(q.r.multipliers[0]), 2. / 3, 1e-6);
  CHECK_CLOSE("parabola", fabs(q.r.multipliers[1]), 2. / 3, 1e-6);
  for (int k = 0; k < 2; k++) { CU_ASSERT_EQUAL(q.r.multipliers[k] > 0, isfinite(q.p.c_upper[k])); }
  begin(&again, "", 1, one);
  again.p.start = q.r.x, again.s.multipliers = q.r.multipliers;
  again.s.tolerance = 1e-4;
  CU_ASSERT_FATAL(solve(&again, "ipopt"));
  CU_ASSERT_EQUAL(again.r.status, MBO_CONVERGED);
  CU_ASSERT(again.r.evaluations <= 2);
  if (again.r.evaluations > 2) { printf("\n  %d designs", again.r.evaluations); }
  end(&again);
  end(&q);
}

/* Who is asked counts, changes the limit of the line at the start, and is content with the design of a number, whichever lies lower. */
typedef struct asked {
  int count, content;
  double *limit, f;
} asked;

static int is_enough(void *user, const double *x, const mbo_eval *v) {
  asked *a = user;
  CU_ASSERT(isfinite(x[0]) && v->hess[0] == 2);
  if (a->count == 0) { *a->limit = 1.5; }
  a->f = v->f;
  return ++a->count == a->content;
}

static void test_enough(void) {
  static const double inside[] = {0.3, 0.5};
  double upper[] = {2, INFINITY};
  for (int content = 1; content < 100; content += 2) {
    trial q;
    asked a = {.content = content, .limit = upper};
    begin(&q, "", 1, one);
    q.p.c_upper = upper, q.p.start = inside, q.s.exact_hessian = 1, q.s.is_enough = is_enough, q.s.user = &a;
    if (!solve(&q, "ipopt")) { return; }
    CU_ASSERT_EQUAL(q.r.status, q.r.violation > q.s.tol_constraint ? MBO_INFEASIBLE : MBO_CONVERGED);
    const int whole = a.count < content; /* IPOPT's own end, at the line */
    if (content == 1) { CU_ASSERT(q.r.evaluations == 1 && q.r.x[0] == q.p.start[0]); }
    if (!whole) { CU_ASSERT_EQUAL(q.r.f, a.f); }
    if (!whole && q.r.status == MBO_CONVERGED) { CHECK_CONTAINS(q.r.text, "The design is as good as was asked for"); }
    if (whole) { CHECK_CLOSE("line", q.r.c[0], 1.5, 1e-6); }
    end(&q);
    if (whole) { return; }
  }
  CU_FAIL("IPOPT's own end");
}

/* From here MMA goes to designs outside of the constraints, and ends by short steps, with (-0.359, 0.429) as its best design. */
static void test_mma_begins_again(void) {
  static const double far[] = {-1.5391284611723983, -1.7775551112264185};
  trial q;
  begin(&q, "LD_MMA", 1, one);
  q.p.start = far;
  if (solve(&q, "nlopt")) {
    CU_ASSERT(q.r.status == MBO_CONVERGED && q.r.restarts > 0 && q.r.optimality < 1e-8);
    CHECK_CLOSE("MMA", q.r.x[0], 1, 1e-6);
    CHECK_CLOSE("MMA", q.r.x[1], 1, 1e-6);
  }
  end(&q);
}

/* With a gradient of the wrong sign designs do not get better than the start, however short the steps: that is no optimum. */
static mbd_status eval_uphill(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  MBD_TRY(eval(user, x, request, out, err));
  out->g[0] = -out->g[0], out->g[1] = -out->g[1];
  return MBD_OK;
}

static void test_false_ends(void) {
  static const char *const by[][2] = {{"ipopt", ""}, {"lbfgsb", ""}, {"nlopt", "LD_MMA"}, {"nlopt", "LD_CCSAQ"}};
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    trial q;
    begin(&q, by[k][1], 0, one);
    q.p.eval = eval_uphill;
    if (solve(&q, by[k][0])) {
      CU_ASSERT_EQUAL(q.r.status, MBO_STALLED);
      CU_ASSERT(q.r.optimality == q.r.f &&
                q.r.f == q.r.f_start); /* g = (-215.6, -88), but f = 24.2 is a sum of squares */
      CHECK_CONTAINS(q.r.text,
                     "this is no optimum, as its conditions (Karush, Kuhn, Tucker) still leave a decrease of 24");
    }
    end(&q);
  }
}

/* Where the last bit of x0 is set, the objective is larger by 1000, as that of a mechanism whose way to close rounding decides. What the last
 * bits can change is more than all designs differ by, which is no optimum. */
static mbd_status eval_with_jump(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  unsigned long long bits;
  const mbd_status status = eval(user, x, request, out, err);
  memcpy(&bits, x, sizeof bits);
  if (bits & 1) { out->f += 1000; }
  return status;
}

static void test_jump(void) {
  trial q;
  begin(&q, "", 0, one);
  q.p.eval = eval_with_jump;
  if (solve(&q, "levenberg_marquardt")) {
    CU_ASSERT_EQUAL(q.r.status, MBO_STALLED);
    CHECK_CONTAINS(q.r.text,
                   "The objective jumps beside the best design: the last bits of the variables change it by 1.0e+03");
  }
  end(&q);
}

/* ---- scales by curvature ---- */

/* s^2 H = (4, 16, 0, 1e12) becomes equal with the factors 1/2, 1/4, -, 1e-6 over their geometric mean 0.005, of which the last is bounded. */
static void test_scaling(void) {
  static const double answer[] = {200, 150, 7, 1e-3};
  double scale[] = {2, 3, 7, 1}, H[16] = {0};
  H[0] = 1, H[5] = 16. / 9, H[15] = 1e12;
  scaling_by_curvature(4, H, scale);
  for (int i = 0; i < 4; i++) { CHECK_CLOSE("scale", scale[i], answer[i], 1e-12 * answer[i]); }
}

/* By hand: half of 3 - (-1); given; one bound open; no distance. */
static void test_scaling_by_bounds(void) {
  static const double lower[] = {-1, -1, -INFINITY, 2}, upper[] = {3, 3, 3, 2}, answer[] = {2, 7, 7, 7};
  static const unsigned char open[] = {1, 0, 1, 1};
  static const double scale[] = {7, 7, 7, 7};
  mbo_problem p = {.n = 4, .lower = lower, .upper = upper, .scale = scale};
  for (int i = 0; i < 4; i++) { CU_ASSERT(scaling_by_bounds(&p, i) == 7); }
  p.scale_is_open = open;
  for (int i = 0; i < 4; i++) { CU_ASSERT(scaling_by_bounds(&p, i) == answer[i]); }
}

/* Where scales are open, the path depends on the bounds, not on the scales: to the bit. */
static void test_open_scales(void) {
  static const double odd[] = {0.1, 10}, half[] = {3, 3};
  static const unsigned char open[] = {1, 1};
  for (const struct entry *e = expected; e < expected + 2; e++) {
    trial q[2];
    for (int i = 0; i < 2; i++) {
      begin(&q[i], e->algorithm, 0, i ? odd : half);
      q[i].s.max_evaluations = 9;
      if (i) { q[i].p.scale_is_open = open; }
      if (solve(&q[i], e->backend)) { CU_ASSERT(q[i].r.evaluations == 9 && q[i].r.f < q[i].r.f_start); }
    }
    CU_ASSERT(q[0].r.f == q[1].r.f);
    end(&q[0]), end(&q[1]);
  }
}

/* Scales of the same geometric mean are the same problem then, so that the path is the same; but for rounding, which grows. */
static void test_scaling_by_curvature(void) {
  static const double odd[] = {0.1, 10};
  static const char *const by[][2] = {{"lbfgsb", ""}, {"nlopt", "LD_SLSQP"}, {"levenberg_marquardt", ""}};
  for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
    trial q[2];
    for (int i = 0; i < 2; i++) {
      begin(&q[i], by[k][1], 0, i ? odd : one);
      q[i].s.scale_by_curvature = 1, q[i].s.max_evaluations = 6;
      if (solve(&q[i], by[k][0])) { CU_ASSERT(q[i].r.evaluations == 6 && q[i].r.f < q[i].r.f_start); }
    }
    CHECK_CLOSE(by[k][0], q[1].r.f, q[0].r.f, 1e-9);
    end(&q[0]), end(&q[1]);
  }
  trial q;
  begin(&q, "", 0, one);
  q.s.scale_by_curvature = 1, q.p.has_gauss_newton = 0;
  CU_ASSERT_EQUAL(mbo_check("lbfgsb", &q.p, &q.s, &q.err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(q.err.text, "scaling = curvature needs the Gauss-Newton matrix");
}

TEST_MAIN(TEST(test_all_are_expected), TEST(test_all_solve), TEST(test_active_bounds),
          TEST(test_border_of_failing_designs), TEST(test_slanting_border), TEST(test_mlsl_and_auglag),
          TEST(test_auglag_with_inequalities), TEST(test_refused_algorithms), TEST(test_lbfgsb),
          TEST(test_gauss_newton_is_faster), TEST(test_exact_hessian), TEST(test_exact_hessian_refused),
          TEST(test_resume_with_hessians), TEST(test_failing_designs), TEST(test_failing_start), TEST(test_infeasible),
          TEST(test_infeasible_is_told), TEST(test_feasibility), TEST(test_slsqp_with_a_steep_objective),
          TEST(test_limits_and_stop), TEST(test_capabilities), TEST(test_threads), TEST(test_resume),
          TEST(test_catalogues), TEST(test_catalogues_and_failures), TEST(test_full_disk), TEST(test_optimality),
          TEST(test_optimality_of_results), TEST(test_multipliers), TEST(test_enough), TEST(test_optimality_of_squares),
          TEST(test_mma_begins_again), TEST(test_false_ends), TEST(test_jump), TEST(test_scaling),
          TEST(test_scaling_by_bounds), TEST(test_open_scales), TEST(test_scaling_by_curvature))
