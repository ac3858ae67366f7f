/* Several backends side by side: who takes part, with which settings; who reached the best, flat valleys, by records made by hand. */
#include "study/compare.h"

#include <unistd.h>

#include "mbo/backend.h"
#include "study/lock.h"
#include "study/study_row.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_compare_XXXXXX";
static const char five_bar[] = MBOPT_SOURCE_DIR "/configs/five_bar.ini",
                  pendulum[] = MBOPT_SOURCE_DIR "/configs/pendulum.ini";
static const char *const names[] = {"Ls1", "Ls2"};

static int is_built_in(const char *backend) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    if (strcmp(info.name, backend) == 0) { return info.package == NULL; }
  }
  return 0;
}

static int all_built_in(void) {
  return is_built_in("ipopt") && is_built_in("nlopt") && is_built_in("lbfgsb");
}

/* A plan for a run file with backends by name (NULL: the default list). */
static mbd_status plan_of(const char *file, const char *backends, compare_plan **c, mbd_error *err) {
  static char text[300];
  static const char *set;
  static const char *files;
  files = file, set = text;
  snprintf(text, sizeof text, "compare.backends=%s", backends ? backends : "");
  return compare_create(1, &files, backends != NULL, &set, 0, c, err);
}

static void test_default_list(void) {
  compare_plan *c;
  mbd_error err = {0};
  const char *why;
  if (!all_built_in()) { return; }
  must(plan_of(five_bar, NULL, &c, &err), &err);
  CU_ASSERT_EQUAL(compare_study_plan(c)->n, 6);
  CU_ASSERT_PTR_NULL(compare_left_out(c, 0, &why));
  compare_destroy(c);
  must(plan_of(pendulum, NULL, &c, &err), &err); /* it has a constraint */
  CU_ASSERT_EQUAL(compare_study_plan(c)->n, 4);  /* LN_COBYLA in the place of LN_BOBYQA */
  CU_ASSERT_STRING_EQUAL(compare_left_out(c, 0, &why), "levenberg_marquardt");
  CU_ASSERT_STRING_EQUAL(compare_left_out(c, 1, &why), "lbfgsb");
  CHECK_CONTAINS(why, "takes no nonlinear constraints");
  CU_ASSERT_STRING_EQUAL(compare_left_out(c, 2, &why), "nlopt:LN_BOBYQA");
  CU_ASSERT_PTR_NULL(compare_left_out(c, 3, &why));
  compare_destroy(c);
  compare_destroy(NULL);
}

static void test_refused(void) {
  static const struct {
    const char *file, *list, *message;
  } wrong[] = {
      {five_bar, "ipopt,lbfgs", "'lbfgs' cannot be compared: backend 'lbfgs' is not known, did you mean 'lbfgsb'?"},
      {five_bar, "nlopt:LD_SLQSP", "did you mean 'LD_SLSQP'?"},
      {five_bar, "lbfgsb,", "name 2 of the list is empty"},
      {pendulum, "ipopt,nlopt:LN_COBILA or lbfgsb", "'nlopt:LN_COBILA' cannot be compared"},
      {pendulum, "lbfgsb",
       "no backend can solve this problem: lbfgsb: backend 'lbfgsb' takes no nonlinear constraints"},
      {pendulum, "lbfgsb or nlopt:LN_BOBYQA", "no backend can solve this problem: lbfgsb: backend 'lbfgsb' takes no"}};
  if (!all_built_in()) { return; }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    compare_plan *c;
    mbd_error err = {0};
    CU_ASSERT(plan_of(wrong[i].file, wrong[i].list, &c, &err) < 0 && c == NULL);
    CHECK_CONTAINS(err.text, wrong[i].message);
  }
}

/* Iterations have no limit of their own, options in a backend's own names go to that one alone. */
static void test_settings(void) {
  static const char *const set[] = {"optimizer.backend=nlopt", "optimizer.max_iterations=1",
                                    "optimizer.max_evaluations=40", "native.xtol_rel=1e-3"};
  static const struct {
    const char *name, *backend, *algorithm, *hessian;
    int options;
  } all[] = {{"nlopt:LD_SLSQP", "nlopt", "LD_SLSQP", "limited_memory", 1},
             {"ipopt", "ipopt", "", "limited_memory", 0},
             {"ipopt:gauss_newton", "ipopt", "", "gauss_newton", 0},
             {"ipopt:exact", "ipopt", "", "exact", 0}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    mbo_run_config *c;
    mbd_error err = {0};
    must(mbo_run_config_read(five_bar, 4, set, &c, &err), &err);
    must(study_set_backend(c, ".", all[i].name, &err), &err);
    const mbo_optimizer_config *o = &c->optimizer;
    CU_ASSERT_STRING_EQUAL(o->backend, all[i].backend);
    CU_ASSERT_STRING_EQUAL(o->algorithm, all[i].algorithm);
    CU_ASSERT_STRING_EQUAL(o->hessian, all[i].hessian);
    CU_ASSERT(o->max_iterations == 40 && c->native.name.n == all[i].options);
    mbo_run_config_destroy(c);
  }
}

/* ---- what came out ---- */

static study *study_on(const char *file, const char *name, const char *backends) {
  compare_plan *c;
  mbd_error err = {0};
  study *s;
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  must(plan_of(file, backends, &c, &err), &err);
  must(study_create(path, compare_study_plan(c), &s, &err), &err);
  compare_destroy(c);
  return s;
}

static study *study_of(const char *name, const char *backends) {
  return study_on(five_bar, name, backends);
}

/* Run i ended at x with the last of the objectives f [n]; below 0: one with a violation; noise: of the objective there. */
static void put_noisy_run(study *s, long i, double x, const double *f, int n, double noise) {
  mbd_error err = {0};
  json_t *list = json_array();
  for (int k = 0; k < n; k++) { json_array_append_new(list, json_pack("[f, f]", fabs(f[k]), f[k] < 0 ? 1.0 : 0.0)); }
  json_t *columns = json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:i}", "result.Ls1", x, "result.Ls2", 2.0,
                              "objective", fabs(f[n - 1]), "objective_at_start", fabs(f[0]), "violation",
                              f[n - 1] < 0 ? 1.0 : 0.0, "iterations", 3, "simulations", n, "failed_designs", 0);
  must(points_read(&s->points, i, &err), &err);
  must(runs_write(s, i, RUN_DONE,
                  json_pack("{s:s, s:o, s:s, s:f, s:o, s:f, s:f, s:f}", "status", "CONVERGED", "columns", columns,
                            "message", "fine", "tol_constraint", 1e-8, "simulations", list, "seconds", 0.5, "noise",
                            noise, "optimality", 1e-7),
                  &err),
       &err);
}

static void put_run(study *s, long i, double x, const double *f, int n) {
  put_noisy_run(s, i, x, f, n, 0);
}

/* 4e-29 is no better than 3e-25 where the objective is known to 1e-24: the fewest simulations are best. */
static void test_equal_within_noise(void) {
  mbd_error err = {0};
  comparison c;
  if (!all_built_in()) { return; }
  study *s = study_of("equals", "ipopt,nlopt:LD_SLSQP,lbfgsb");
  put_run(s, 0, 3, (const double[]){100, 50, 1, 4e-29}, 4);
  put_noisy_run(s, 1, 3, (const double[]){100, 1, 3e-25}, 3, 1e-24);
  put_run(s, 2, 3, (const double[]){100, 3e-20}, 2);
  must(comparison_create(s, 2, names, &c, &err), &err);
  CU_ASSERT_EQUAL(c.best, 1);
  comparison_free(&c);
  study_destroy(s);
}

static void test_contest(void) {
  mbd_error err = {0};
  comparison c;
  if (!all_built_in()) { return; }
  study *s = study_of("contest", "ipopt,nlopt:LD_SLSQP,lbfgsb,ipopt:exact,nlopt:LN_BOBYQA");
  CU_ASSERT(comparison_is(s));
  put_run(s, 0, 4, (const double[]){100, 50, 2.01, 2}, 4);
  put_run(s, 1, 3, (const double[]){100, -1, 2.015}, 3);
  put_run(s, 2, 1, (const double[]){100, 3}, 2);
  put_run(s, 3, 1, (const double[]){100, -1}, 2);
  must(comparison_create(s, 2, names, &c, &err), &err);
  CU_ASSERT(c.n == 5 && c.best == 0 && c.nreached == 2);
  CHECK_CLOSE("1 % of 2", c.reach, 0.02, 1e-12);
  CHECK_CLOSE("optimality", c.by[1].measure[COMPARISON_OPTIMALITY], 1e-7, 0);
  CU_ASSERT(isnan(c.by[4].measure[COMPARISON_OPTIMALITY])); /* not run */
  CU_ASSERT(c.by[0].reached == 3 && c.by[1].reached == 3 && c.by[2].reached == 0 && c.by[3].reached == 0);
  CU_ASSERT(c.spread[0] == 0.25 && c.spread[1] == 0); /* the valley shows */
  CU_ASSERT_STRING_EQUAL(c.by[1].name, "nlopt:LD_SLSQP");
  CU_ASSERT_STRING_EQUAL(c.by[1].text, "fine");
  CU_ASSERT(c.by[1].measure[COMPARISON_SIMULATIONS] == 3 && c.by[1].measure[COMPARISON_ITERATIONS] == 3 &&
            c.by[1].measure[COMPARISON_SECONDS] == 0.5);
  CU_ASSERT_STRING_EQUAL(c.by[4].status, "NOT_RUN");
  CU_ASSERT(isnan(c.by[4].measure[COMPARISON_OBJECTIVE]) && !c.by[4].x);
  comparison_free(&c);
  study_destroy(s);
}

/* The default list, the same list written out, and the names that were taken from it are one study: the same runs with the same hash. */
static void test_same_set(void) {
  static const char *const file[] = {five_bar, pendulum};
  if (!all_built_in()) { return; }
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "same_pendulum" : "same_five_bar";
    char taken[400] = "";
    mbd_error err = {0};
    study *s = study_on(file[i], name, NULL);
    const unsigned long long hash = s->hash;
    for (long k = 0; k < s->n; k++) {
      must(points_read(&s->points, k, &err), &err);
      snprintf(taken + strlen(taken), sizeof taken - strlen(taken), "%s%s", k ? "," : "",
               study_value(s, STUDY_BACKEND));
    }
    put_run(s, 0, 1, (const double[]){1}, 1); /* it has begun, so that another study would be kept in earlier-1 */
    study_destroy(s);
    CHECK_CONTAINS(taken, i ? "nlopt:LD_SLSQP,nlopt:LN_COBYLA" : "lbfgsb,nlopt:LN_BOBYQA");
    for (int k = 0; k < 2; k++) {
      s = study_on(file[i], name, k ? taken : MBO_COMPARED_BACKENDS);
      CU_ASSERT(s->hash == hash && s->earlier == NULL);
      study_destroy(s);
    }
  }
}

/* The error of one stays its own, and a design with violation is no best. */
static void test_nobody(void) {
  mbd_error err = {0};
  comparison c;
  if (!all_built_in()) { return; }
  study *s = study_of("nobody", "ipopt,lbfgsb");
  put_run(s, 0, 4, (const double[]){100, -50}, 2);
  must(points_read(&s->points, 1, &err), &err);
  must(runs_write(s, 1, RUN_FAILED,
                  json_pack("{s:s, s:s, s:{}}", "status", "FAILED", "error", "no_such_option", "columns"), &err),
       &err);
  must(comparison_create(s, 2, names, &c, &err), &err);
  CU_ASSERT(c.best == -1 && c.nreached == 0);
  CU_ASSERT_STRING_EQUAL(c.by[1].status, "FAILED");
  CU_ASSERT_STRING_EQUAL(c.by[1].text, "no_such_option");
  comparison_free(&c);
  study_destroy(s);
}

/* Another comparison in the folder is kept, but for one that somebody is at. */
static void test_replaced(void) {
  mbd_error err = {0};
  compare_plan *c;
  study *s;
  char path[120];
  int lock;
  if (!all_built_in()) { return; }
  snprintf(path, sizeof path, "%s/contest", folder);
  s = study_of("contest", "ipopt,nlopt:LD_SLSQP,lbfgsb,ipopt:exact,nlopt:LN_BOBYQA");
  CU_ASSERT_PTR_NULL(s->earlier); /* the same */
  study_destroy(s);
  must(plan_of(five_bar, "lbfgsb", &c, &err), &err);
  must(lock_take(path, 0, 1, &lock, &err), &err);
  CU_ASSERT_EQUAL(study_create(path, compare_study_plan(c), &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "whose runs another process is doing");
  close(lock);
  compare_destroy(c);
  s = study_of("contest", "lbfgsb");
  CHECK_CONTAINS(s->earlier, "/contest/earlier-1");
  runs_state state;
  must(runs_look(s, 0, &state, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_MISSING);
  study_destroy(s);
  snprintf(path, sizeof path, "%s/contest/earlier-1", folder);
  must(study_open(path, 0, NULL, &s, &err), &err); /* a study like any other */
  must(runs_look(s, 0, &state, &err), &err);
  CU_ASSERT(s->n == 5 && state == RUN_DONE);
  study_destroy(s);
}

TEST_MAIN_IN(folder, TEST(test_default_list), TEST(test_refused), TEST(test_settings), TEST(test_contest),
             TEST(test_equal_within_noise), TEST(test_same_set), TEST(test_nobody), TEST(test_replaced))
