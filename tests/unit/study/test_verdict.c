/* What a comparison says: statistics, costs of evaluations, spread over starts and verdicts, all by hand. */
#include "study/verdict.h"

#include "mbo/problem.h"
#include "study/compare.h"
#include "study/problem_class.h"
#include "study/statistics.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_verdict_XXXXXX";
static const char five_bar[] = MBOPT_SOURCE_DIR "/configs/five_bar.ini";

/* ---- statistics ---- */

static void test_quantiles(void) {
  double v[] = {4, 1, 3, 2}, far[] = {INFINITY, 2, INFINITY, 1}, one[] = {7};
  CU_ASSERT_EQUAL(statistics_quantile(v, 4, 0.25), 1.75); /* at the place 3 * 0.25 = 0.75 of 1, 2, 3, 4 */
  CU_ASSERT_EQUAL(statistics_quantile(v, 4, 0.5), 2.5);
  CU_ASSERT_EQUAL(statistics_quantile(v, 4, 0.75), 3.25);
  CU_ASSERT_EQUAL(statistics_quantile(v, 4, 1), 4);
  CU_ASSERT_EQUAL(statistics_quantile(far, 4, 0.25), 1.75);
  CU_ASSERT(isinf(statistics_quantile(far, 4, 0.5)) && isinf(statistics_quantile(far, 4, 0.75)));
  CU_ASSERT(isinf(statistics_quantile(far, 4, 1)));
  CU_ASSERT_EQUAL(statistics_quantile(one, 1, 0.75), 7);
  CU_ASSERT(isnan(statistics_quantile(one, 0, 0.5)));
}

/* With z^2 = 3.841459: 0 of 6 gives z^2/(6 + z^2); 5 of 6 gives (5 + z^2/2 +- z sqrt(5/6 + z^2/4))/(6 + z^2). */
static void test_wilson(void) {
  double low, high;
  statistics_wilson(0, 6, &low, &high);
  CU_ASSERT_EQUAL(low, 0);
  CHECK_CLOSE("0 of 6", high, 3.841458820694124 / 9.841458820694124, 1e-14);
  statistics_wilson(5, 6, &low, &high);
  CHECK_CLOSE("5 of 6, low", low, 0.43649718, 1e-8);
  CHECK_CLOSE("5 of 6, high", high, 0.96994663, 1e-8);
  statistics_wilson(6, 6, &low, &high);
  CHECK_CLOSE("6 of 6, low", low, 6 / 9.841458820694124, 1e-14);
  CU_ASSERT_EQUAL(high, 1);
}

/* 6 of 6: 2/64. 14 of 18: 2 (3060 + 816 + 153 + 18 + 1)/2^18. 4 of 6: 2 (15 + 6 + 1)/64. */
static void test_sign_test(void) {
  CHECK_CLOSE("6 of 6", statistics_sign_test(6, 6), 2.0 / 64, 1e-13);
  CHECK_CLOSE("0 of 6", statistics_sign_test(0, 6), 2.0 / 64, 1e-13);
  CHECK_CLOSE("14 of 18", statistics_sign_test(14, 18), 8096.0 / 262144, 1e-13);
  CHECK_CLOSE("4 of 6", statistics_sign_test(4, 6), 44.0 / 64, 1e-13);
  CU_ASSERT_EQUAL(statistics_sign_test(5, 10), 1);
  CU_ASSERT_EQUAL(statistics_sign_test(0, 0), 1);
  CU_ASSERT_EQUAL(statistics_pairs_needed(4, 4, 0.05), 6);    /* 5 of 5 is 2/32 */
  CU_ASSERT_EQUAL(statistics_pairs_needed(14, 18, 0.05), 18); /* enough already */
  CU_ASSERT_EQUAL(statistics_pairs_needed(4, 6, 0.05), 37);   /* 25 of 37; found with exact fractions */
  CU_ASSERT_EQUAL(statistics_pairs_needed(5, 10, 0.05), 0);
}

/* ---- classes ---- */

static void test_classes(void) {
  static const double none[] = {-INFINITY, -INFINITY}, upper[] = {INFINITY, 1}, free_above[] = {INFINITY, INFINITY};
  static const unsigned char linear[] = {1, 0};
  static const int catalogue[] = {0, 3};
  const struct {
    mbo_problem p;
    const char *class;
  } all[] = {
      {{.n = 2, .lower = none, .upper = free_above, .has_gauss_newton = 1, .has_gradient = 1}, "squares, no bounds"},
      {{.n = 2, .lower = none, .upper = upper, .has_gradient = 1}, "other objective, bounds"},
      {{.n = 2, .lower = none, .upper = upper, .nc = 1, .c_linear = linear, .has_gradient = 1},
       "other objective, linear constraints"},
      {{.n = 2, .lower = none, .upper = upper, .nc = 2, .c_linear = linear, .nvalues = catalogue},
       "other objective, nonlinear constraints, catalogue values, no gradient"},
      {{.n = 2, .lower = none, .upper = upper, .nc = 1, .has_gauss_newton = 1, .has_gradient = 1},
       "squares, nonlinear constraints"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char *text = problem_class_text(&all[i].p);
    CU_ASSERT_STRING_EQUAL(text, all[i].class);
    free(text);
  }
}

static void test_scales(void) {
  static const struct {
    const char *problem, *text;
  } all[] = {{"{\"scaling\": \"given\", \"scales\": {}}", ""},
             {"{}", ""},
             {"{\"scaling\": \"given\", \"scales\": {\"k_f\": 20000, \"c_f\": 0.5}}",
              "scaling = given; scale is left out of the run file and taken as: k_f 20000, c_f 0.5"},
             {"{\"scaling\": \"curvature\", \"scales\": {}}", "scaling = curvature"},
             {"{\"scaling\": \"curvature\", \"scales\": {\"k_f\": 3}}", "scaling = curvature, from the scales: k_f 3"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    json_t *problem = json_loads(all[i].problem, 0, NULL);
    char *text = problem_class_scales(problem);
    CU_ASSERT_STRING_EQUAL(text, all[i].text);
    free(text), json_decref(problem);
  }
}

/* ---- studies by hand: problems x starts x backends ---- */

typedef struct sizes {
  int problems, starts, backends;
} sizes;

static mbd_status write_rows(void *user, const study_rows *to, mbd_error *err) {
  const sizes *n = user;
  (void)err;
  for (int i = 0; i < n->problems * n->starts * n->backends; i++) {
    fprintf(to->out, "%d,%02d,%c\n", i / n->backends / n->starts + 1, i / n->backends % n->starts, 'a' + i % n->backends);
  }
  return MBD_OK;
}

static study *study_of(const char *name, sizes n) {
  static char problem[] = "problem", start[] = "start", backend[] = "backend", none[] = "";
  static const study_column column[] = {
      {problem, STUDY_PROBLEM, none}, {start, STUDY_START, none}, {backend, STUDY_BACKEND, none}};
  const char *const files[] = {five_bar, five_bar};
  const study_plan plan = {.kind = "compare",
                           .task = "optimize",
                           .nfile = n.problems,
                           .file = files,
                           .ncolumn = 3,
                           .column = column,
                           .n = (long)n.problems * n.starts * n.backends,
                           .starts = n.starts,
                           .write_rows = write_rows,
                           .user = &n};
  mbd_error err = {0};
  study *s;
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  must(study_create(path, &plan, &s, &err), &err);
  return s;
}

static void put(study *s, long i, json_t *o) {
  mbd_error err = {0};
  must(points_read(&s->points, i, &err), &err);
  must(runs_write(s, i, RUN_DONE, o, &err), &err);
}

/* A run of `n` designs whose objective is 100, and `end` at the last one; it has no evaluations, so that designs count 1. */
static void put_run(study *s, long i, int n, double end, const char *class) {
  json_t *list = json_array();
  for (int k = 0; k < n; k++) { json_array_append_new(list, json_pack("[f, f]", k == n - 1 ? end : 100.0, 0.0)); }
  put(s, i,
      json_pack("{s:s, s:{s:f, s:f}, s:f, s:o, s:f, s:{s:s, s:s, s:{s:f}}}", "status", "CONVERGED", "columns",
                "objective", end, "violation", 0.0, "tol_constraint", 1e-8, "simulations", list, "seconds", 0.5,
                "problem", "class", class, "scaling", "given", "scales", "Ls1", 2.5));
}

/* ---- costs ---- */

/* Run 0 has the evaluations gradient 400, value 100, gradient 200; run 1 value 120, matrix 600, failed; both simulate the result in 100
 * and 200 microseconds. Of 100, 120, 100, 200 the median is 110, of 400, 200 it is 300, of the matrix 600. */
static void test_costs(void) {
  mbd_error err = {0};
  costs c;
  study *s = study_of("costs", (sizes){1, 1, 2});
  put(s, 0,
      json_pack("{s:s, s:{}, s:f, s:[[f,f],[f,f]], s:[[i,i,i],[i,i,i],[i,i,i],[i,i,n]], s:f}", "status", "CONVERGED",
                "columns", "tol_constraint", 1e-8, "simulations", 3.0, 0.0, 2.0, 0.0, "evaluations", 1, COST_GRADIENT,
                400, 1, COST_VALUE, 100, 2, COST_GRADIENT, 200, 2, COST_VALUE, "simulation_seconds", 100e-6));
  put(s, 1,
      json_pack("{s:s, s:{}, s:f, s:[[f,f],[f,f],[n,n]], s:[[i,i,i],[i,i,i],[i,i,n]], s:f}", "status", "CONVERGED",
                "columns", "tol_constraint", 1e-8, "simulations", 3.0, 0.0, 1.0, 0.0, "evaluations", 1, COST_VALUE, 120,
                2, COST_GAUSS_NEWTON, 600, 3, COST_VALUE, "simulation_seconds", 200e-6));
  must(costs_create(s, &c, &err), &err);
  const problem_costs *p = &c.of[0];
  CU_ASSERT(c.known && c.nproblem == 1);
  CU_ASSERT(p->n[COST_VALUE] == 4 && p->n[COST_GRADIENT] == 2 && p->n[COST_GAUSS_NEWTON] == 1 &&
            p->n[COST_HESSIAN] == 0);
  CHECK_CLOSE("a simulation", p->seconds[COST_VALUE], 110e-6, 1e-18);
  CHECK_CLOSE("a gradient", p->cost[COST_GRADIENT], 300.0 / 110, 1e-12);
  CHECK_CLOSE("a matrix", p->cost[COST_GAUSS_NEWTON], 600.0 / 110, 1e-12);
  CU_ASSERT(p->cost[COST_VALUE] == 1 && p->cost[COST_HESSIAN] == 1);
  char *text = costs_text(p);
  CHECK_CONTAINS(text, "2.73 with its gradient (of 2), 5.45 with the Gauss-Newton matrix (of 1)");
  free(text);
  /* Run 0: design 1 after its gradient, design 2 after the value and its gradient; the last one comes after the designs. */
  runs_state state;
  json_t *o;
  must(runs_read(s, 0, &state, &o, &err), &err);
  double *upto = costs_of_designs(costs_here(&c, s), o);
  CHECK_CLOSE("design 1", upto[0], 300.0 / 110, 1e-12);
  CHECK_CLOSE("design 2", upto[1], 600.0 / 110 + 1, 1e-12);
  CHECK_CLOSE("run 0", costs_of_run(costs_here(&c, s), o), 600.0 / 110 + 2, 1e-12);
  free(upto), json_decref(o);
  /* Run 1: the failed design counts 1. */
  must(runs_read(s, 1, &state, &o, &err), &err);
  upto = costs_of_designs(costs_here(&c, s), o);
  CHECK_CLOSE("design 3", upto[2], 1 + 600.0 / 110 + 1, 1e-12);
  CHECK_CLOSE("run 1", costs_of_run(costs_here(&c, s), o), upto[2], 1e-12);
  costs_put(&c, s, o);
  CHECK_CLOSE("column", runs_number(o, "equivalent"), upto[2], 1e-12);
  free(upto), json_decref(o);
  costs_free(&c);
  study_destroy(s);
  CU_ASSERT(costs_kind(MBO_REQUEST_VALUE) == COST_VALUE && costs_kind(3) == COST_GRADIENT &&
            costs_kind(7) == COST_GAUSS_NEWTON && costs_kind(MBO_REQUEST_HESSIAN) == COST_HESSIAN);
}

/* ---- verdicts ---- */

static void verdicts_of(study *s, profiles *p, verdicts *v) {
  mbd_error err = {0};
  must(profiles_create(s, p, &err), &err);
  must(verdicts_create(p, v, &err), &err);
}

/* a needs 3 simulations from each of 6 starts, b 5, c 9 and nothing from the last: a wins against b and c, 6 of 6 pairs. */
static void test_winner(void) {
  profiles p;
  verdicts v;
  study *s = study_of("winner", (sizes){1, 6, 3});
  for (int start = 0; start < 6; start++) {
    put_run(s, 3 * start, 3, 0, "squares, bounds");
    put_run(s, 3 * start + 1, 5, 0, "squares, bounds");
    put_run(s, 3 * start + 2, 9, start == 5 ? 50 : 0, "squares, bounds");
  }
  verdicts_of(s, &p, &v);
  CU_ASSERT(v.n == 1 && v.of[0].wins && v.of[0].nrow == 3 && v.of[0].rival == 1 && v.of[0].ahead == 6);
  CHECK_CLOSE("p", v.of[0].p, 2.0 / 64, 1e-13);
  CHECK_CONTAINS(v.of[0].text,
                 "squares, bounds (1 problem, 6 runs of each optimizer): a solves 6 of 6 with the fewest "
                 "equivalent simulations (median 3, next b 5); hardest to tell from it is b, of which it "
                 "is ahead in 6 of 6 pairs (sign test p = 0.031)");
  /* c: 9, 9, 9, 9, 9, infinity */
  const verdict_row *c = &v.of[0].row[2];
  CU_ASSERT(c->backend == 2 && c->solved == 5 && c->quartile[0] == 9 && c->quartile[1] == 9 && c->quartile[2] == 9);
  CHECK_CLOSE("share", c->low, 0.43649718, 1e-8);
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
}

/* a and b are ahead of each other in 4 and 2 of 6 pairs: p = 44/64, and 37 pairs would be needed. b does not solve the first start. Over
 * both problems there are 12 pairs, a ahead in 4 + 6 of them: 2 (66 + 12 + 1)/2^12. */
static void test_classes_apart(void) {
  static const int of_a[] = {3, 3, 3, 3, 7, 7};
  profiles p;
  verdicts v;
  study *s = study_of("classes", (sizes){2, 6, 2});
  for (int start = 0; start < 6; start++) {
    put_run(s, 2 * start, of_a[start], 0, "squares, bounds");
    put_run(s, 2 * start + 1, 5, start == 0 ? 50 : 0, "squares, bounds");
    put_run(s, 12 + 2 * start, 4, 0, "other objective, bounds");
    put_run(s, 12 + 2 * start + 1, 8, 0, "other objective, bounds");
  }
  verdicts_of(s, &p, &v);
  CU_ASSERT_EQUAL_FATAL(v.n, 3);
  CU_ASSERT(!v.of[0].wins && v.of[0].ahead == 4 && v.of[0].decided == 6 && v.of[0].starts_needed == 37);
  CHECK_CLOSE("4 of 6", v.of[0].p, 44.0 / 64, 1e-13);
  CHECK_CONTAINS(
      v.of[0].text,
      "no winner: a and b cannot be told apart with 6 starts (a is ahead in 4 of 6 pairs, sign test p = 0.69); "
      "about 37 starts would be needed; a solves 6 of 6 (median 3), b solves 5 of 6 (median 5)");
  CU_ASSERT(v.of[1].wins && v.of[1].ahead == 6);
  CU_ASSERT(v.of[2].class == NULL && v.of[2].n == 12 && v.of[2].nproblem == 2 && v.of[2].ahead == 10 && v.of[2].wins);
  CHECK_CLOSE("10 of 12", v.of[2].p, 2 * 79.0 / 4096, 1e-13);
  CHECK_CONTAINS(v.of[2].text, "over all (2 problems, 12 runs of each optimizer): a solves 12 of 12");
  char *scales = problem_class_scales(p.problem[0]);
  CU_ASSERT_STRING_EQUAL(scales, "scaling = given; scale is left out of the run file and taken as: Ls1 2.5");
  free(scales);
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
}

/* The same numbers in every pair; a run that is left; the faster one solves less. */
static void test_no_winner(void) {
  profiles p;
  verdicts v;
  study *s = study_of("alike", (sizes){1, 3, 2});
  for (int i = 0; i < 5; i++) { put_run(s, i, 4, 0, "squares, bounds"); }
  verdicts_of(s, &p, &v);
  CU_ASSERT(v.of[0].n == 2 && v.of[0].decided == 0 && v.of[0].p == 1);
  CHECK_CONTAINS(v.of[0].text,
                 "2 runs of each optimizer): no winner: a and b cannot be told apart with 2 starts, as they need the "
                 "same in every pair");
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
  s = study_of("reliable", (sizes){1, 10, 2});
  for (int start = 0; start < 10; start++) {
    put_run(s, 2 * start, 3, start < 4 ? 50 : 0, "squares, bounds");
    put_run(s, 2 * start + 1, 30, 0, "squares, bounds");
  }
  verdicts_of(s, &p, &v);
  CU_ASSERT(!v.of[0].wins && v.of[0].ahead == 6 && v.of[0].decided == 10);
  CHECK_CONTAINS(v.of[0].text, "a solves 6 of 10 (median 3), b solves 10 of 10 (median 30)");
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
  /* The first solves 7 of 16, nobody the others: its median is infinite, and it is ahead in all pairs that have a difference. */
  s = study_of("few", (sizes){1, 16, 2});
  for (int start = 0; start < 16; start++) {
    put_run(s, 2 * start, start < 7 ? 3 : 0, 0, "squares, bounds");
    put_run(s, 2 * start + 1, start < 7 ? 30 : 0, 50, "squares, bounds");
  }
  verdicts_of(s, &p, &v);
  CU_ASSERT(p.solved_by_none == 9 && v.of[0].wins && v.of[0].decided == 7);
  CHECK_CONTAINS(v.of[0].text,
                 "a solves 7 of 16 with the fewest equivalent simulations; hardest to tell from it is b, of "
                 "which it is ahead in 7 of 7 pairs (sign test p = 0.016)");
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
  s = study_of("nothing", (sizes){1, 1, 2});
  verdicts_of(s, &p, &v);
  CHECK_CONTAINS(v.of[0].text, "over all (1 problem, 0 runs of each optimizer): no verdict: runs are left");
  verdicts_free(&v), profiles_free(&p);
  study_destroy(s);
}

TEST_MAIN_IN(folder, TEST(test_quantiles), TEST(test_wilson), TEST(test_sign_test), TEST(test_classes),
             TEST(test_scales), TEST(test_costs), TEST(test_winner), TEST(test_classes_apart), TEST(test_no_winner))
