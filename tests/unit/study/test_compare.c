/* Several backends side by side: the list, equal budgets, errors of one, who reached the best, flat valleys. */
#include "study/compare.h"

#include "test.h"

typedef struct toy {
  int calls, fails_after; /* calls that succeed, then none */
  volatile sig_atomic_t *stop;
  int stop_after;
} toy;

/* A valley along x0 + x1 = 1, with value 2: every backend ends elsewhere in it. */
static mbd_status valley(void *user, const double *x, unsigned want, mbo_eval *out, mbd_error *err) {
  toy *t = user;
  double a = x[0] + x[1] - 1;
  (void)want;
  if (++t->calls > t->fails_after) { MBD_FAIL(err, MBD_SINGULAR, "call %d", t->calls); }
  if (t->stop && t->calls >= t->stop_after) { *t->stop = 1; }
  out->f = 2 + a * a + 0.1 * a * a * a * a;
  out->g[0] = out->g[1] = 2 * a + 0.4 * a * a * a;
  return MBD_OK;
}

static const char *const names[] = {"x0", "x1"};
static const double start[] = {3, 2}, low[] = {-9, -9}, high[] = {9, 9}, scale[] = {1, 3};

static mbo_problem problem(toy *t) {
  *t = (toy){.fails_after = 1000000};
  return (mbo_problem){.name = "valley",
                       .n = 2,
                       .names = names,
                       .start = start,
                       .lower = low,
                       .upper = high,
                       .scale = scale,
                       .has_gradient = 1,
                       .user = t,
                       .eval = valley};
}

static int is_built_in(const char *backend) {
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    if (strcmp(info.name, backend) == 0) { return info.package == NULL; }
  }
  return 0;
}

static void run_all(comparison *c) {
  for (int i = 0; i < c->n; i++) {
    mbd_error err = {0};
    if (c->entry[i].state == COMPARE_WAITING) { must(compare_run(c, i, &err), &err); }
  }
  compare_judge(c);
}

static void test_default_list(void) {
  toy t;
  mbo_problem p = problem(&t);
  mbo_settings s;
  mbd_error err = {0};
  comparison *c;
  mbo_settings_init(&s);
  if (compare_create(&p, &s, "ipopt", NULL, &c, &err) != MBD_OK) {
    CHECK_CONTAINS(err.text, "not built in");
    return;
  }
  CU_ASSERT_EQUAL(c->n, 5);
  CU_ASSERT(c->entry[1].gauss_newton && c->entry[1].state == COMPARE_LEFT_OUT); /* these are no squares */
  CU_ASSERT_EQUAL(t.calls, 0);
  run_all(c);
  int simulated = 0, done = 0;
  for (int i = 0; i < c->n; i++) {
    const compare_entry *e = &c->entry[i];
    if (e->state == COMPARE_LEFT_OUT) { continue; }
    done++;
    simulated += e->n;
    CU_ASSERT(e->state == COMPARE_DONE && e->n == e->r.evaluations && e->reached > 0 && e->reached <= e->n);
    CU_ASSERT(e->simulation[0].f == e->r.f_start && e->simulation[e->n - 1].number == e->n);
    CHECK_CLOSE(e->name, e->r.f, 2, 1e-6);
  }
  CU_ASSERT_EQUAL(simulated, t.calls);
  CU_ASSERT_EQUAL(c->nreached, done);
  CHECK_CLOSE("1 % of 2", c->reach, 0.02, 1e-6);
  CU_ASSERT(done < 3 || c->spread[0] > 0.01); /* the valley shows */
  compare_destroy(c);
}

static void test_budget_and_failures(void) {
  toy t;
  mbo_problem p = problem(&t);
  mbo_settings s;
  mbd_error err = {0};
  comparison *c;
  mbo_settings_init(&s);
  s.max_evaluations = 4, s.max_iterations = 1; /* the second does not count */
  if (!is_built_in("lbfgsb") || !is_built_in("nlopt")) { return; }
  CU_ASSERT_EQUAL(compare_create(&p, &s, "", " lbfgsb , nlopt:LN_BOBYQA", &c, &err), MBD_OK);
  t.fails_after = 3;
  run_all(c);
  CU_ASSERT(c->entry[0].n == 4 || c->entry[0].r.status == MBO_CONVERGED);
  CU_ASSERT(c->entry[1].n == 1 && c->entry[1].r.status == MBO_FAILED_START);
  CU_ASSERT(c->entry[1].simulation[0].status == MBD_SINGULAR && isnan(c->entry[1].simulation[0].f));
  CU_ASSERT(c->best == 0 && c->nreached == 1 && c->entry[1].reached == 0);
  CU_ASSERT_STRING_EQUAL(c->entry[0].name, "lbfgsb");
  compare_destroy(c);
}

/* The error of one stays its own: NLopt refuses a native option when it begins. */
static void test_error_of_one(void) {
  toy t;
  mbo_problem p = problem(&t);
  mbo_settings s;
  mbd_error err = {0};
  comparison *c;
  static const mbo_option wrong[] = {{"no_such_option", "x"}};
  mbo_settings_init(&s);
  s.noption = 1, s.option = wrong;
  if (!is_built_in("lbfgsb") || !is_built_in("nlopt")) { return; }
  CU_ASSERT_EQUAL(compare_create(&p, &s, "nlopt", "nlopt:LD_SLSQP,lbfgsb", &c, &err), MBD_OK);
  run_all(c);
  CU_ASSERT_EQUAL(c->entry[0].state, COMPARE_ERROR);
  CU_ASSERT_STRING_EQUAL(compare_status(&c->entry[0]), "ERROR");
  CHECK_CONTAINS(c->entry[0].text, "no_such_option");
  CU_ASSERT_STRING_EQUAL(compare_status(&c->entry[1]), "CONVERGED"); /* it was not given the option */
  compare_destroy(c);
}

static void test_refused(void) {
  static const struct {
    const char *list, *message;
  } wrong[] = {{"lbfgs", "'lbfgs' cannot be compared: backend 'lbfgs' is not known, did you mean 'lbfgsb'?"},
               {"", "an empty name"},
               {"lbfgsb,", "an empty name"},
               {"nlopt:LD_SLQSP", "nlopt:LD_SLQSP"},
               {"ipopt:gauss_newton", "ipopt:gauss_newton"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    toy t;
    mbo_problem p = problem(&t);
    mbo_settings s;
    mbd_error err = {0};
    comparison *c;
    mbo_settings_init(&s);
    CU_ASSERT(compare_create(&p, &s, "", wrong[i].list, &c, &err) < 0 && c == NULL);
    CHECK_CONTAINS(err.text, wrong[i].message);
    CU_ASSERT_EQUAL(t.calls, 0);
  }
}

static void test_interrupted(void) {
  toy t;
  volatile sig_atomic_t stop = 0;
  mbo_problem p = problem(&t);
  mbo_settings s;
  mbd_error err = {0};
  comparison *c;
  mbo_settings_init(&s);
  s.stop = &stop;
  if (!is_built_in("lbfgsb")) { return; }
  CU_ASSERT_EQUAL(compare_create(&p, &s, "", "lbfgsb,lbfgsb", &c, &err), MBD_OK);
  t.stop = &stop, t.stop_after = 2;
  must(compare_run(c, 0, &err), &err);
  compare_judge(c);
  CU_ASSERT(c->entry[0].r.status == MBO_INTERRUPTED && c->entry[0].n == 2 && c->best == 0);
  CU_ASSERT_STRING_EQUAL(compare_status(&c->entry[1]), "NOT_RUN");
  compare_destroy(c);
}

TEST_MAIN(TEST(test_default_list), TEST(test_budget_and_failures), TEST(test_error_of_one), TEST(test_refused),
          TEST(test_interrupted))
