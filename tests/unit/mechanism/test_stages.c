/* Constraints that are met by true values: stages of an optimization, their journal, and a sharpness that follows from the range. A tractor's steering whose
 * tie rod is loaded most at an end of the motion, where its force is known: the wheels' torques by the lever of the rod. */
#include <unistd.h>

#include "backend/run_settings.h"
#include "stages/stages.h"
#include "mechanism/true_values.h"
#include "opened_run.h"

static const char run_file[] = "tests/unit/mechanism/steer/force.ini";
static const char *const blunt[] = {"constraint.rod_force.sharpness=0.005"};

typedef struct solved {
  mbo_result r;
  stages list;
  int simulated, replayed; /* reports of designs */
  double force, when;      /* true value of the last quantity, the constraint, at the result, and its time */
  double sharpness;        /* of the same after the run, */
  double worst_sharpness;  /* and of the worst case of the objectives */
  double f, f_true;        /* the objective at the result, by the run file, and its true value */
} solved;

static void on_simulation(void *user, const mbo_simulation *s) {
  solved *q = user;
  q->simulated++, q->replayed += s->replayed;
  CU_ASSERT_EQUAL(s->number, q->simulated);
}

static solved solve_file(const char *file, int nset, const char *const *set, const char *journal, int resume) {
  solved q = {.simulated = 0};
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  opened_run r = run_open(file, nset, set);
  mechanism_problem(r.m, &p);
  mbo_option *options = run_settings(r.config, &p, &s);
  s.journal = journal, s.resume = resume, s.fingerprint = "steer", s.simulated = on_simulation, s.user = &q;
  must(stages_solve(r.m, run_backend(r.config, &p), &p, &s, &q.list, &q.r, &err), &err);
  const int last = r.m->nobjective + r.m->nconstraint - 1;
  q.sharpness = r.m->sharpness[last], q.worst_sharpness = r.m->worst_sharpness;
  must(mechanism_evaluate(r.m, q.r.x, "none", &err), &err);
  q.force = r.m->truth[last].value, q.when = r.m->truth[last].time;
  q.f = r.m->f, q.f_true = r.m->f_true;
  free(options);
  run_close(&r);
  return q;
}

static solved solve(int nset, const char *const *set, const char *journal, int resume) {
  return solve_file(run_file, nset, set, journal, resume);
}

static void solved_free(solved *q) {
  mbo_result_free(&q->r), stages_free(&q->list);
}

/* The smooth optimum has 8002 N; the second stage meets the limit of 7000 N and uses it. The error is that of a search with the largest force itself as
 * constraint, at the start of the motion, where it is largest. */
static void test_limit(void) {
  static const char *const at_start[] = {"constraint.rod_force.form=value_at", "constraint.rod_force.at=0",
                                         "constraint.rod_force.lower=-7000", "constraint.rod_force.upper=7000"};
  solved q = solve(1, blunt, NULL, 0), exact = solve(4, at_start, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL(exact.r.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL(q.r.stages, 2);
  CU_ASSERT_EQUAL_FATAL(q.list.n, 2);
  CHECK_CLOSE("the smooth optimum", q.list.stage[0].truth[1], 8002, 1);
  CHECK_CLOSE("its smooth value", q.list.stage[0].smooth[1], 7000, 1e-3);
  CU_ASSERT(q.force <= 7000 && q.force > 7000 - 4e-4 * 7000);
  CHECK_CLOSE("when", q.when, 0, 1e-15);
  CHECK_CLOSE("the constraint of the result", q.r.c[0], q.force, 1e-9);
  CHECK_CLOSE("violation", q.r.violation, 0, 1e-15);
  CHECK_NEAR("objective", q.r.f, exact.r.f, exact.r.f, 2e-3);
  /* designs of both stages; the file's sharpness comes back */
  CU_ASSERT_EQUAL(q.list.stage[0].designs + q.list.stage[1].designs, q.r.evaluations);
  CU_ASSERT(q.list.stage[1].designs <= q.list.stage[0].designs);
  CHECK_CLOSE("sharper", q.list.stage[1].sharpness[1], 0.02, 1e-15);
  CHECK_CLOSE("as in the file", q.sharpness, 0.005, 1e-15);
  CU_ASSERT_EQUAL(exact.r.stages, 0);
  solved_free(&q), solved_free(&exact);
}

/* A limit that is not reached takes one stage, and one that no design meets is never called met. */
static void test_other_limits(void) {
  static const char *const far[] = {"constraint.rod_force.sharpness=0.005", "constraint.rod_force.upper=1e5"},
                           *const hopeless[] = {"constraint.rod_force.sharpness=0.005",
                                                "constraint.rod_force.upper=1000"},
                           *const few[] = {"constraint.rod_force.sharpness=0.005", "optimizer.max_evaluations=17"};
  solved q = solve(2, far, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL(q.r.stages, 1);
  solved_free(&q);
  q = solve(2, hopeless, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_INFEASIBLE);
  CU_ASSERT_EQUAL(q.r.stages, 1); /* as the true value is larger, sharper ones would not help */
  CHECK_CONTAINS(q.r.text, "the true value of 'rod_force', ");
  CHECK_CONTAINS(q.r.text, "violates its limit 1000");
  CU_ASSERT(q.r.violation > 1000);
  solved_free(&q);
  q = solve(2, few, NULL, 0); /* the limit is one of all stages */
  CU_ASSERT_EQUAL(q.r.status, MBO_STOPPED_LIMIT);
  CU_ASSERT_EQUAL(q.r.evaluations, 17);
  CU_ASSERT_EQUAL(q.r.stages, 2);
  CHECK_CONTAINS(q.r.text, "limit max_evaluations = 17");
  solved_free(&q);
}

/* ---- objectives ---- */

static const char line_file[] = "tests/unit/mechanism/steer/line.ini";

/* A smooth peak becomes sharper until its true value improves no longer: each stage ends at the optimum that line.ini derives, closer to 1/3. */
static void test_objective(void) {
  const double u = 2.1491257999070617; /* root of u (1 - exp(-u)) = 3 (1 - exp(-u) (1 + u)) */
  solved q = solve_file(line_file, 0, NULL, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL(q.r.stages, 4);
  CU_ASSERT_EQUAL_FATAL(q.list.n, 4);
  for (int i = 0; i < 4; i++) {
    const stage *k = &q.list.stage[i];
    const double p = 15 * pow(4, i);
    CHECK_CLOSE("sharpness", k->sharpness[0], p, 1e-12);
    CHECK_CLOSE("true value of a stage", k->f_true, 1 / 3.0 + u / (3 * p), 1e-6);
    CU_ASSERT(k->f < 1 / 3.0 && k->f_true > 1 / 3.0);
  }
  /* the result is that of the last stage, with the objective of the run file */
  CHECK_CLOSE("true value", q.f_true, q.list.stage[3].f_true, 1e-12);
  CHECK_CLOSE("objective", q.r.f, q.f, 0);
  CHECK_CLOSE("as in the file", q.sharpness, 15, 0);
  CU_ASSERT_EQUAL(q.simulated, q.r.evaluations);
  solved_free(&q);
}

/* With x and 1 - 2 x as two objectives the smooth maximum is least at x = 1/3 + ln 2/(3 p), where it is above the true one by ln(3/2)/p. This is less than a thousandth of
 * the sizes of both objectives, 2/3, from p = 800 on. */
static void test_worst(void) {
  solved q = solve_file("tests/unit/mechanism/steer/worst.ini", 0, NULL, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT_EQUAL_FATAL(q.list.n, 3);
  for (int i = 0; i < 3; i++) {
    const double p = 50 * pow(4, i);
    CHECK_CLOSE("sharpness", q.list.stage[i].worst_sharpness, p, 1e-12);
    CHECK_CLOSE("true value of a stage", q.list.stage[i].f_true, 1 / 3.0 + log(2) / (3 * p), 1e-8);
    CHECK_CLOSE("its smooth value", q.list.stage[i].f - q.list.stage[i].f_true, log(1.5) / p, 1e-8);
  }
  CHECK_CLOSE("as in the file", q.worst_sharpness, 50, 0);
  solved_free(&q);
}

/* Of a quantile the width becomes less, and the true one with it. */
static void test_quantile(void) {
  solved q = solve_file("tests/unit/mechanism/steer/quantile.ini", 0, NULL, NULL, 0);
  CU_ASSERT_FATAL(q.list.n >= 2);
  CHECK_CLOSE("1/width", q.list.stage[1].sharpness[0], 200, 1e-12);
  CU_ASSERT(q.list.stage[1].f_true < q.list.stage[0].f_true);
  solved_free(&q);
}

/* Where a limit ends the run before a sharper stage has found anything better, the result is that of the stage before. */
static void test_best(void) {
  static const char *const few[] = {"optimizer.max_evaluations=10"};
  solved q = solve_file(line_file, 1, few, NULL, 0);
  CU_ASSERT_EQUAL_FATAL(q.list.n, 2);
  CU_ASSERT_EQUAL(q.list.stage[1].status, MBO_STOPPED_LIMIT);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CHECK_CLOSE("of the first stage", q.f_true, q.list.stage[0].f_true, 0);
  CHECK_CLOSE("objective", q.r.f, q.f, 0);
  solved_free(&q);
}

/* ---- the journal ---- */

static void cut(const char *path, const char *text, size_t length) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_FATAL(out != NULL);
  CU_ASSERT_EQUAL(fwrite(text, 1, length, out), length);
  fclose(out);
}

/* A run whose journal ends anywhere, in the first stage, in the second or between them, ends as the undisturbed run, and simulates no design twice. */
static void test_resume(void) {
  enum { CUTS = 5 };
  char path[] = "/tmp/mbopt_stages_XXXXXX";
  static char text[1 << 20];
  close(mkstemp(path));
  solved whole = solve(1, blunt, path, 0);
  FILE *in = fopen(path, "r");
  const size_t length = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  CU_ASSERT(strstr(text, "\"stage\":\"2 ") != NULL);
  for (int i = 0; i <= CUTS; i++) {
    cut(path, text, length * (size_t)i / CUTS);
    solved q = solve(1, blunt, path, 1);
    CU_ASSERT_EQUAL(q.r.status, whole.r.status);
    CU_ASSERT_EQUAL(q.list.n, whole.list.n);
    CU_ASSERT_EQUAL(q.simulated, whole.simulated);
    CU_ASSERT_EQUAL(q.r.evaluations + q.r.replayed, whole.r.evaluations);
    CU_ASSERT_EQUAL(q.r.replayed, q.replayed);
    CU_ASSERT(memcmp(q.r.x, whole.r.x, 2 * sizeof *q.r.x) == 0);
    CU_ASSERT(q.r.f == whole.r.f && q.force == whole.force);
    if (i == CUTS) { CU_ASSERT_EQUAL(q.r.evaluations, 0); }
    solved_free(&q);
  }
  unlink(path);
  solved_free(&whole);
}

/* ---- a sharpness that is left out ---- */

/* It is 50 divided by the range at the start of the file, in two digits, whatever design comes first. */
static void test_left_out(void) {
  mbd_error err = {0};
  double psi[2];
  for (int k = 0; k < 2; k++) {
    opened_run r = run_open(run_file, 0, NULL);
    const double other[2] = {-0.3, 0.6};
    must(mechanism_values(r.m, k ? other : r.m->start, psi, &err), &err);
    const double chosen = r.m->sharpness[1];
    must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
    CHECK_NEAR("50/range", chosen, 50 / r.m->truth[1].range, chosen, 0.05);
    CHECK_CLOSE("it stays", r.m->sharpness[1], chosen, 0);
    CHECK_CLOSE("two digits", chosen * 1e4, round(chosen * 1e4), 1e-9);
    run_close(&r);
  }
  solved q = solve(0, NULL, NULL, 0);
  CU_ASSERT_EQUAL(q.r.status, MBO_CONVERGED);
  CU_ASSERT(q.force <= 7000 && q.force > 6990 && q.r.stages >= 2 && q.r.stages <= 3);
  solved_free(&q);
}

/* An output that does not change at the start has no range. */
static void test_no_range(void) {
  static const char *const set[] = {"constraint.rod_force.of=KL.position.z"};
  mbd_error err = {0};
  double psi[2];
  opened_run r = run_open(run_file, 1, set);
  CU_ASSERT_EQUAL(mechanism_values(r.m, r.m->start, psi, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "force.ini: [constraint rod_force] form = peak_abs has no sharpness");
  CHECK_CONTAINS(err.text, "does not change there; expected sharpness = NUMBER");
  run_close(&r);
}

/* No iterations: the start alone is looked at, although its true force violates the limit. */
static void test_no_iterations(void) {
  static const char *const set[] = {"optimizer.max_iterations=0", "constraint.rod_force.sharpness=0.005",
                                    "constraint.rod_force.upper=1000"};
  solved q = solve(3, set, NULL, 0);
  CU_ASSERT(q.force > 1000 && q.r.violation == q.force - 1000);
  CU_ASSERT_EQUAL(q.r.stages, 1);
  CU_ASSERT_EQUAL(q.simulated, 1);
  solved_free(&q);
}

TEST_MAIN(TEST(test_limit), TEST(test_other_limits), TEST(test_objective), TEST(test_worst), TEST(test_quantile),
          TEST(test_best), TEST(test_resume), TEST(test_left_out), TEST(test_no_range), TEST(test_no_iterations))
