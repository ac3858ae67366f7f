/* The noise of an objective, where it is known by hand, and runs that end at it. */
#include <math.h>
#include <unistd.h>

#include "evaluate/evaluator.h"
#include "test.h"
#include "toy.h"

static const double amplitude = 1e-9;
static int calls;

/* f = 1 + (x - 1)^2 + a cos(2 pi 2^43 x): a change of x by 2^-44 x, at x = 1, is half a period. */
static mbd_status ripple(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  (void)user, (void)err;
  calls++;
  out->f = 1 + (x[0] - 1) * (x[0] - 1) + amplitude * cos(2 * acos(-1) * fmod(ldexp(x[0], 43), 1));
  if (request & MBO_REQUEST_GRADIENT) { out->g[0] = 2 * (x[0] - 1); }
  return MBD_OK;
}

static mbd_status linear(void *user, const double *x, unsigned request, mbo_eval *out, mbd_error *err) {
  (void)user, (void)err;
  out->f = 1e3 * x[0];
  if (request & MBO_REQUEST_GRADIENT) { out->g[0] = 1e3; }
  return MBD_OK;
}

static mbo_problem problem(mbd_status (*eval)(void *, const double *, unsigned, mbo_eval *, mbd_error *)) {
  static const char *const names[] = {"x"};
  static const double start[] = {3}, low[] = {-5}, high[] = {5}, scale[] = {1};
  return (mbo_problem){.name = "ripple",
                       .n = 1,
                       .names = names,
                       .start = start,
                       .lower = low,
                       .upper = high,
                       .scale = scale,
                       .has_gradient = 1,
                       .eval = eval};
}

static evaluator *begin(const mbo_problem *p, const char *journal, int resume) {
  const evaluator_limits l = {.max_evaluations = 100, .max_time = 1e9, .tol_constraint = 1e-8};
  evaluator *e;
  mbd_error err = {0};
  must(evaluator_create(p, &l, journal, resume, "ripple", &e, &err), &err);
  evaluator_along(e, MBO_REQUEST_GRADIENT);
  return e;
}

static mbd_status at(evaluator *e, double x) {
  const mbo_eval *v;
  return evaluator_evaluate(e, &x, MBO_REQUEST_VALUE, &v, NULL);
}

/* From crest to trough: twice the amplitude. Without ripples what a product of x is rounded by, beside x itself. */
static void test_known(void) {
  const mbo_problem p = problem(ripple), q = problem(linear);
  evaluator *e = begin(&p, NULL, 0);
  CU_ASSERT_EQUAL(evaluator_noise(e), 0);
  CU_ASSERT_EQUAL(at(e, 1), MBD_OK);
  CHECK_CLOSE("ripple", evaluator_noise(e), 2 * amplitude, 1e-15);
  CU_ASSERT_EQUAL(evaluator_designs(e), 1);
  evaluator_destroy(e);
  e = begin(&q, NULL, 0);
  CU_ASSERT_EQUAL(at(e, 3), MBD_OK);
  CU_ASSERT(evaluator_noise(e) >= 3e3 * 2.2e-16 && evaluator_noise(e) <= 3e3 * 1e-15);
  evaluator_destroy(e);
}

/* Three designs within it, to which the gradient says nothing else, are the end; those that change more begin anew. */
static void test_end(void) {
  const mbo_problem p = problem(ripple);
  evaluator *e = begin(&p, NULL, 0);
  evaluator_watch(e, 3);
  CU_ASSERT_EQUAL(at(e, 1), MBD_OK);
  CU_ASSERT_EQUAL(at(e, 1 + ldexp(1, -30)), MBD_OK);
  CU_ASSERT_EQUAL(at(e, 1 - ldexp(1, -30)), MBD_OK);
  CU_ASSERT_EQUAL(at(e, 1 + 1e-3), MBD_OK);
  CU_ASSERT_EQUAL(at(e, 1 + ldexp(1, -31)), MBD_OK);
  CU_ASSERT_EQUAL(at(e, 1 - ldexp(1, -31)), MBD_OK);
  CU_ASSERT_PTR_NULL(evaluator_limit(e));
  CU_ASSERT_EQUAL(at(e, 1 - ldexp(1, -32)), MBD_OK);
  CU_ASSERT_STRING_EQUAL(evaluator_limit(e), "rounding");
  CU_ASSERT_EQUAL(at(e, 2), MBD_INTERRUPTED);
  evaluator_destroy(e);
}

static void test_left(void) {
  const mbo_problem p = problem(ripple);
  evaluator *e = begin(&p, NULL, 0);
  evaluator_watch(e, 3);
  CU_ASSERT_EQUAL(at(e, 1), MBD_OK);
  evaluator_left(e, 1 + amplitude, 3 * amplitude);
  CU_ASSERT_PTR_NULL(evaluator_limit(e));
  evaluator_left(e, 1 + 4 * amplitude, amplitude); /* there, but not at the best design */
  CU_ASSERT_PTR_NULL(evaluator_limit(e));
  evaluator_left(e, 1 + amplitude, amplitude);
  CU_ASSERT_STRING_EQUAL(evaluator_limit(e), "rounding");
  evaluator_destroy(e);
}

/* A run that goes on from its journal finds the same noise without a simulation. */
static void test_journal(void) {
  char path[] = "/tmp/mbopt-noise-XXXXXX";
  const mbo_problem p = problem(ripple);
  close(mkstemp(path));
  evaluator *e = begin(&p, path, 0);
  CU_ASSERT_EQUAL(at(e, 1), MBD_OK);
  const double noise = evaluator_noise(e);
  evaluator_destroy(e);
  calls = 0;
  e = begin(&p, path, 1);
  CU_ASSERT_EQUAL(at(e, 1), MBD_OK);
  CU_ASSERT_EQUAL(evaluator_noise(e), noise);
  CU_ASSERT_EQUAL(calls, 0);
  CU_ASSERT_EQUAL(evaluator_designs(e), 1);
  evaluator_destroy(e);
  unlink(path);
}

/* Every backend with gradients ends there, and says so or is done before. */
static void test_backends(void) {
  static const char *const backends[] = {"ipopt", "lbfgsb", "nlopt"};
  const mbo_problem p = problem(ripple);
  int measured = 0;
  for (int i = 0; i < 3; i++) {
    mbo_settings s;
    mbo_result r = {0};
    mbd_error err = {0};
    mbo_settings_init(&s);
    s.tol_f = s.tol_x = s.tolerance = 1e-16;
    if (!toy_is_built_in(backends[i])) { continue; }
    must(mbo_solve(backends[i], &p, &s, &r, &err), &err);
    CU_ASSERT_EQUAL(r.status, MBO_CONVERGED);
    CU_ASSERT(r.evaluations <= 25);
    CHECK_CLOSE(backends[i], r.x[0], 1, 1e-4);
    CU_ASSERT(isnan(r.noise) || (r.noise > 0 && r.noise <= 2.1 * amplitude));
    measured += isfinite(r.noise);
    mbo_result_free(&r);
  }
  CU_ASSERT(measured > 0 || !toy_is_built_in("ipopt"));
}

TEST_MAIN(TEST(test_known), TEST(test_end), TEST(test_left), TEST(test_journal), TEST(test_backends))
