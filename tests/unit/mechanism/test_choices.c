/* How gradients are computed where the run file leaves it open: measured once, then kept, by the run, its journal and whoever goes on with
 * it. No test depends on what is measured. */
#include "formulation/formulation.h"
#include "mechanism/choices.h"

#include <math.h>

#include "mechanism/gradient_costs.h"
#include "opened_run.h"
#include "toy.h"

enum { N = 6 };
static char folder[] = "/tmp/mbopt-choices-XXXXXX";

static const char run_file[] = "configs/five_bar_driven.ini";
static const char *const sets[] = {"scalars.points=6", "case.hold.duration=0.1", "case.hold.step=1e-3",
                                   "design.motor.start=3", "optimizer.hessian=limited_memory"};
enum { N_SETS = sizeof sets / sizeof sets[0] };

static opened_run open_with(const char *set) {
  const char *all[N_SETS + 1];
  memcpy(all, sets, sizeof sets);
  all[N_SETS] = set;
  return run_open(run_file, N_SETS + (set != NULL), all);
}

static void decide(mechanism *m, const char *method) {
  char text[200];
  mbd_error err = {0};
  snprintf(text, sizeof text,
           "[{\"case\":\"hold\",\"method\":\"%s\",\"reason\":\"%s, decided earlier\",\"simulation_seconds\":2,"
           "\"direct\":0.5,\"discrete_adjoint\":0.75}]",
           method, method);
  must(choices_take(m, text, &err), &err);
}

static void gradient(mechanism *m, const char *method, double g[2 * N]) {
  mbd_error err = {0};
  must(mechanism_evaluate(m, m->start, method, &err), &err);
  memcpy(g, m->grad, 2 * N * sizeof *g);
}

/* ---- measuring ---- */

/* Costs are numbers, the cheaper one is taken, the reason says both; and all of it is told once more from the text. */
static void test_measured(void) {
  opened_run q = open_with(NULL), other = open_with(NULL);
  double g[2 * N], again[2 * N];
  mbd_error err = {0};
  CU_ASSERT(choices_are_open(q.m));
  CU_ASSERT(!choices_are_made(q.m));
  gradient(q.m, "auto", g);
  const gradient_choice *c = &q.m->cases[0].choice;
  CU_ASSERT(choices_are_made(q.m));
  CU_ASSERT(c->costs.seconds > 0 && isfinite(c->costs.direct) && isfinite(c->costs.adjoint));
  gradient_task t;
  gradient_choice chosen;
  gradient_task_of(q.m, &q.m->cases[0], &t);
  gradient_choose(&t, &c->costs, &chosen);
  CU_ASSERT_EQUAL(c->method, chosen.method);
  CHECK_CONTAINS(c->text, "(6 variables, 2 objectives; measured: a simulation takes ");
  char *text = choices_text(q.m), *copy;
  must(choices_take(other.m, text, &err), &err);
  gradient(other.m, "auto", again);
  CU_ASSERT(memcmp(g, again, sizeof g) == 0);
  copy = choices_text(other.m);
  CU_ASSERT_STRING_EQUAL(copy, text);
  free(text), free(copy);
  run_close(&q), run_close(&other);
}

/* Of 60 variables 32 are carried and the others follow by a straight line. Runs of few steps are measured whole. */
static void test_many_and_short(void) {
  static const char *const few_steps[] = {"scalars.points=60", "case.hold.step=1e-2", "case.hold.duration=0.1"};
  for (int i = 0; i < 2; i++) {
    opened_run q = run_open(run_file, 3 - 2 * i, few_steps);
    gradient_costs k;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(q.m->n, 60);
    must(mechanism_set_design(q.m, q.m->start, 0, &err), &err);
    must(gradient_costs_measure(q.m, &q.m->cases[0], &k, &err), &err);
    CU_ASSERT(k.direct > 0 && isfinite(k.direct) && k.adjoint > 0 &&
              isfinite(k.adjoint)); /* times, on a busy machine */
    CU_ASSERT_EQUAL(k.repeated, 0);
    run_close(&q);
  }
}

/* Steps that a limit has done again are counted as they will be, and cost a part of a simulation. */
static void test_memory_limit(void) {
  opened_run q = open_with("gradient.memory_limit=0.01");
  gradient_costs k;
  mbd_error err = {0};
  must(mechanism_set_design(q.m, q.m->start, 0, &err), &err);
  must(gradient_costs_measure(q.m, &q.m->cases[0], &k, &err), &err);
  CU_ASSERT(k.repeated > 20 && k.adjoint > 0);
  must(mechanism_evaluate(q.m, q.m->start, "discrete_adjoint", &err), &err);
  CU_ASSERT_EQUAL(q.m->cases[0].repeated, k.repeated);
  run_close(&q);
}

/* Costs of a start that cannot be simulated: variables are counted, and the simulation itself says what is wrong. */
static void test_unmeasured(void) {
  opened_run q = run_open(run_file, 4,
                          (const char *[]){"scalars.points=6", "case.hold.step=0.1", "design.motor.start=200",
                                           "case.hold.max_iterations=1"});
  mbd_error err = {0};
  CU_ASSERT(mechanism_evaluate(q.m, q.m->start, "auto", &err) > 0);
  CHECK_CONTAINS(q.m->cases[0].choice.text, "(6 variables, 2 objectives; costs could not be measured: ");
  CU_ASSERT_EQUAL(q.m->cases[0].choice.method, GRADIENT_DISCRETE_ADJOINT);
  run_close(&q);
}

static mbd_status no_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  (void)s, (void)a;
  MBD_FAIL(err, MBD_NO_CONVERGENCE, "adjoint variables do not converge");
}

/* The motion has been simulated, but the adjoint of its steps fails: direct differentiation takes over. */
static void test_adjoint_fails(void) {
  opened_run q = run_open("configs/frame_reaction.ini", 0, NULL);
  mbd_error err = {0};
  mbd_formulation_ops ops = *q.m->cases[0].sim->ops;
  ops.adjoint_step = no_adjoint_step;
  q.m->cases[0].sim->ops = &ops;
  CU_ASSERT_EQUAL(mechanism_evaluate(q.m, q.m->start, "discrete_adjoint", &err), MBD_NO_CONVERGENCE);
  must(choices_take(q.m, "[{\"case\":\"blow\",\"method\":\"discrete_adjoint\",\"reason\":\"as decided\"}]", &err),
       &err);
  must(mechanism_evaluate(q.m, q.m->start, "auto", &err), &err);
  CU_ASSERT_EQUAL(q.m->cases[0].choice.method, GRADIENT_DIRECT);
  CHECK_CONTAINS(q.m->cases[0].choice.text, "direct differentiation (no adjoint: ");
  CHECK_NEAR("by bar_area", q.m->grad[3], -29.71558226, 30, 1e-8);
  run_close(&q);
}

static void test_stopped(void) {
  opened_run q = open_with(NULL);
  const volatile sig_atomic_t now = 1;
  mbd_error err = {0};
  q.m->stop = &now;
  CU_ASSERT_EQUAL(mechanism_evaluate(q.m, q.m->start, "auto", &err), MBD_INTERRUPTED);
  CU_ASSERT(choices_are_open(q.m));
  run_close(&q);
}

/* ---- taking over ---- */

static void test_taken(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint"};
  double g[2][2 * N], expected[2 * N];
  for (int i = 0; i < 2; i++) {
    opened_run q = open_with(NULL);
    decide(q.m, methods[i]);
    CU_ASSERT(choices_are_made(q.m));
    gradient(q.m, "auto", g[i]);
    gradient(q.m, methods[i], expected);
    CU_ASSERT(memcmp(g[i], expected, sizeof expected) == 0);
    CU_ASSERT_EQUAL(q.m->cases[0].choice.costs.adjoint, 0.75);
    run_close(&q);
  }
  CU_ASSERT(memcmp(g[0], g[1], sizeof expected) != 0); /* else nothing is shown here */
}

/* What the run file says counts more: a method, the Gauss-Newton matrix, memory_limit. */
static void test_not_taken(void) {
  static const struct {
    const char *set, *text;
  } runs[] = {{"gradient.method=continuous_adjoint", "continuous adjoint, as the run file says"},
              {"optimizer.hessian=gauss_newton", "direct differentiation, for the Gauss-Newton matrix"},
              {"gradient.memory_limit=0.001", "discrete adjoint (6 variables, 2 objectives: direct differentiation"}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    opened_run q = open_with(runs[i].set);
    decide(q.m, "direct");
    CHECK_CONTAINS(q.m->cases[0].choice.text, runs[i].text);
    run_close(&q);
  }
}

static void test_broken_text(void) {
  static const struct {
    const char *text, *says;
  } broken[] = {{"{}", "what was decided about gradients is no list"},
                {"[", "what was decided about gradients is no list"},
                {"[1]", "is not as this program writes it; expected for each case its name, its method"},
                {"[{\"case\":\"hold\",\"method\":\"auto\",\"reason\":\"\"}]", "(direct or discrete_adjoint)"},
                {"[{\"case\":\"hold\",\"method\":\"direct\"}]", "and the reason"}};
  opened_run q = open_with(NULL);
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    mbd_error err = {0};
    CU_ASSERT_EQUAL(choices_take(q.m, broken[i].text, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, broken[i].says);
  }
  CU_ASSERT(choices_are_open(q.m));
  run_close(&q);
}

/* ---- journals ---- */

/* A run of at most n designs; method: decided before, NULL: not. older: the journal of a program that keeps nothing of it. */
static void solve(const char *method, int n, int resume, int older, double x[N], char reason[400]) {
  opened_run q = open_with(NULL);
  mbo_problem p;
  mbo_settings s;
  mbo_result r = {0};
  mbd_error err = {0};
  char journal[64];
  snprintf(journal, sizeof journal, "%s/journal.jsonl", folder);
  if (method) { decide(q.m, method); }
  mechanism_problem(q.m, &p);
  if (older) { p.decided = NULL, p.recall = NULL; }
  mbo_settings_init(&s);
  s.max_evaluations = n, s.journal = journal, s.resume = resume, s.fingerprint = "print";
  must(mbo_solve("lbfgsb", &p, &s, &r, &err), &err);
  CU_ASSERT_EQUAL(r.replayed > 0, resume);
  memcpy(x, r.x, N * sizeof *x);
  snprintf(reason, 400, "%s", q.m->cases[0].choice.text);
  mbo_result_free(&r);
  run_close(&q);
}

/* A run that is resumed computes as it began, whatever would be measured now: the same bits as without interruption. */
static void test_resumed(void) {
  static const char *const methods[] = {"direct", "discrete_adjoint"};
  double whole[2][N], x[N];
  char reason[400];
  if (!toy_is_built_in("lbfgsb")) { return; }
  for (int i = 0; i < 2; i++) {
    solve(methods[i], 9, 0, 0, whole[i], reason);
    solve(methods[i], 3, 0, 0, x, reason);
    CU_ASSERT(memcmp(x, whole[i], sizeof x) != 0);
    solve(NULL, 9, 1, 0, x, reason);
    CU_ASSERT(memcmp(x, whole[i], sizeof x) == 0);
    CHECK_CONTAINS(reason, ", decided earlier");
    CU_ASSERT(strncmp(reason, methods[i], strlen(methods[i])) == 0);
  }
  CU_ASSERT(memcmp(whole[0], whole[1], sizeof x) != 0);
  solve("direct", 3, 0, 1, x, reason); /* of an earlier version: it goes on, and decides */
  solve(NULL, 9, 1, 0, x, reason);
  CHECK_CONTAINS(reason, "measured: a simulation takes ");
  for (int j = 0; j < N; j++) { CHECK_NEAR("resumed", x[j], whole[0][j], fabs(whole[0][j]), 1e-6); }
}

TEST_MAIN_IN(folder, TEST(test_measured), TEST(test_many_and_short), TEST(test_memory_limit), TEST(test_unmeasured),
             TEST(test_adjoint_fails), TEST(test_stopped), TEST(test_taken), TEST(test_not_taken),
             TEST(test_broken_text), TEST(test_resumed))
