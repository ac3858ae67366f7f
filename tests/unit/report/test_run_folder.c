/* What reports are made from: tables read again, motions as curves, folders of runs with what may be wrong with them. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/motion.h"
#include "report/results.h"
#include "report/run_figures.h"
#include "report/run_folder.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_folder_XXXXXX";
static const char *const files[] = {"resolved.ini", "result.json", "history.csv", "journal.jsonl"};

static const char *in_folder(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  FILE *out = fopen(in_folder(name), "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fputs(text, out);
  fclose(out);
}

static void empty_folder(void) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) { unlink(in_folder(files[i])); }
}

/* ---- motions ---- */

/* Peaks of one node survive, two in one stretch too; times go on; the ends are there. */
static void test_curve(void) {
  enum { N = 10001, MOST = 100 };
  double *t = calloc(2 * N, sizeof *t), *y = t + N, tt[3 * MOST + 1], yy[3 * MOST + 1];
  for (int k = 0; k < N; k++) { t[k] = k * 1e-3, y[k] = sin(t[k]); }
  y[7005] = 7, y[7010] = -9;
  const motion_case c = {.n = N, .noutput = 1, .t = t, .y = y};
  const int n = motion_curve(&c, 0, MOST, tt, yy);
  double low = 0, high = 0;
  CU_ASSERT(n > MOST && n <= motion_most(MOST));
  for (int k = 0; k < n; k++) {
    low = fmin(low, yy[k]), high = fmax(high, yy[k]);
    CU_ASSERT(k == 0 || tt[k] > tt[k - 1]);
  }
  CHECK_CLOSE("peak", high, 7, 0);
  CHECK_CLOSE("trough", low, -9, 0);
  CHECK_CLOSE("first", tt[0], 0, 0);
  CHECK_CLOSE("last", tt[n - 1], t[N - 1], 0);
  CHECK_CLOSE("range", motion_range(&c, 0), 16, 0);
  const motion_case few = {.n = 5, .noutput = 1, .t = t, .y = y};
  CU_ASSERT_EQUAL(motion_curve(&few, 0, MOST, tt, yy), 5);
  free(t);
}

static mechanism *five_bar(mbo_run_config **c) {
  mbd_error err = {0};
  mechanism *m = NULL;
  const char *set[] = {"case.swing.duration=0.5"};
  must(mbo_run_config_read("configs/five_bar.ini", 1, set, c, &err), &err);
  must(mechanism_create(*c, &m, &err), &err);
  return m;
}

static void test_motion(void) {
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m = five_bar(&c);
  motion *w = NULL, *other = NULL;
  const double elsewhere[] = {2.4, 1.9};
  must(mechanism_evaluate(m, m->start, "direct", &err), &err);
  const double f = m->f, g = m->grad[0];
  must(motion_create(m, m->start, 0, &w, &err), &err);
  must(motion_create(m, elsewhere, 0, &other, &err), &err);
  CU_ASSERT_EQUAL(w->cases[0].n, 51);
  CU_ASSERT_EQUAL(w->cases[0].noutput, 3);
  CHECK_CLOSE("objective", w->psi[0], f, 1e-14);
  CU_ASSERT(fabs(other->psi[0] - f) > 1e-3);
  CHECK_CLOSE("duration", w->cases[0].t[50], 0.5, 1e-12);
  CHECK_CLOSE("P2.x at the start", w->cases[0].y[0], 0.5, 1e-9);
  CHECK_CLOSE("P2.y at the start", w->cases[0].y[1], -2, 1e-9);
  /* the objective is the integral of the squared distance from the target: trapezoidal rule over the motion */
  double sum = 0;
  for (int k = 0; k < 51; k++) {
    const double *y = w->cases[0].y + 3 * k, square = pow(y[0] - 0.5, 2) + pow(y[1] + 2, 2) + pow(y[2], 2);
    sum += (k == 0 || k == 50 ? 0.5 : 1) * 0.01 * square;
  }
  CHECK_NEAR("integral", sum, f, f, 1e-2);
  must(mechanism_evaluate(m, m->start, "direct", &err), &err);
  CU_ASSERT_EQUAL(m->f, f);
  CU_ASSERT_EQUAL(m->grad[0], g);
  motion_destroy(w), motion_destroy(other), motion_destroy(NULL);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

/* ---- curves of a page ---- */

/* The whole trajectory at every node, and in at most `most` stretches. */
typedef struct both_ways {
  thinned all, few;
} both_ways;

static int watch(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y) {
  both_ways *b = user;
  (void)k;
  thinned_add(&b->all, t, z, zd, zdd, lam, y);
  thinned_add(&b->few, t, z, zd, zdd, lam, y);
  return 0;
}

static double extreme(const thinned_curve *c, double sign) {
  double most = -INFINITY;
  for (int i = 0; i < c->n; i++) { most = fmax(most, sign * c->y[i]); }
  return sign * most;
}

/* Every column keeps its extremes, its ends, and nodes that the trajectory has; of 51 nodes at most three in
 * each of five stretches, of outputs of ten. */
static void test_thinned(void) {
  enum { MOST = 5, NODES = 51 };
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m = five_bar(&c);
  const mechanism_case *q = &m->cases[0];
  both_ways b;
  must(thinned_create(m, q, NODES, NODES, &b.all, &err), &err);
  must(thinned_create(m, q, 2 * MOST, MOST, &b.few, &err), &err);
  must(mechanism_set_design(m, m->start, 0, &err), &err);
  must(mbd_sim_run(q->sim, q->v->params, 0, NULL, q->psi, NULL, NULL, watch, &b, &err), &err);
  thinned_end(&b.all), thinned_end(&b.few);
  CU_ASSERT_EQUAL(b.all.curve[1].stretch, 1);
  CU_ASSERT_EQUAL(b.few.curve[1].stretch, 11);
  CU_ASSERT_EQUAL(b.few.nodes, NODES);
  CU_ASSERT(b.all.columns.n > 15); /* four coordinates with rates and accelerations, outputs, multipliers */
  for (int i = 1; i < b.all.columns.n; i++) {
    const thinned_curve *all = &b.all.curve[i], *few = &b.few.curve[i];
    CU_ASSERT_EQUAL(all->n, NODES);
    const int is_output = b.all.columns.column[i].kind == SERIES_OUTPUT;
    CU_ASSERT_EQUAL(few->stretch, is_output ? 6 : 11);
    CU_ASSERT(few->n <= (is_output ? 2 : 1) * 3 * MOST + 1);
    CHECK_CLOSE("least", extreme(few, -1), extreme(all, -1), 0);
    CHECK_CLOSE("largest", extreme(few, 1), extreme(all, 1), 0);
    CHECK_CLOSE("first", few->y[0], all->y[0], 0);
    CHECK_CLOSE("last", few->y[few->n - 1], all->y[NODES - 1], 0);
    for (int k = 0; k < few->n; k++) {
      const int node = few->node[k];
      CHECK_CLOSE("time", few->t[k], all->t[node], 0);
      CU_ASSERT(k == 0 || few->t[k] > few->t[k - 1]);
      CHECK_CLOSE("node", few->y[k], all->y[node], 0);
    }
  }
  thinned_free(&b.all), thinned_free(&b.few);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

/* ---- figures as files ---- */

static void file_name(const char *name, int number, const char *expected) {
  char *got = figure_file_name(strdup(name), number);
  CU_ASSERT_STRING_EQUAL(got, expected);
  free(got);
}

static void test_file_names(void) {
  char name[400] = "", cut[200] = "";
  memset(name, 'x', 399), memset(cut, 'x', 180);
  name[399] = '\0';
  file_name("psi1_../a b/\xc3\xbc.csv", 1, "psi1_.._a_b___.csv");
  file_name("a-b_C.9", 2, "a-b_C.9_2");
  file_name(name, 1, cut);
  CU_ASSERT_PTR_NULL(figure_file_name(NULL, 2));
}

/* ---- folders ---- */

static void refused(mbd_status status, const char *part) {
  mbd_error err = {0};
  run_folder *f = NULL;
  CU_ASSERT_EQUAL(run_folder_open(folder, &f, &err), status);
  CHECK_CONTAINS(err.text, part);
  CU_ASSERT_PTR_NULL(f);
}

static void write_config(void) {
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m = five_bar(&c);
  must(results_write_config(folder, c, &err), &err);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
}

static void test_refused(void) {
  mbd_error err = {0};
  run_folder *f = NULL;
  CU_ASSERT_EQUAL(run_folder_open("/nowhere", &f, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "/nowhere is no folder; expected one that optimize, simulate, compare or a study wrote");
  refused(MBD_BAD_INPUT, "looked for study.json, and for resolved.ini with result.json");
  write_config();
  write_file("journal.jsonl", "");
  refused(MBD_BAD_INPUT, "found a journal: the same run with --resume goes on");
  write_file("result.json", "{\"status\":\n 3,}");
  refused(MBD_BAD_INPUT, "result.json:2: ");
  write_file("result.json", "{\"x\": 3}");
  refused(MBD_BAD_INPUT, "neither 'status'");
  write_file("result.json", "{\"status\": \"CONVERGED\", \"objective\": 1, \"design\": {\"Ls1\": 2}}");
  refused(MBD_BAD_INPUT, "result.json has no number for 'Ls2'");
  empty_folder();
}

static void test_optimization(void) {
  mbd_error err = {0};
  run_folder *f;
  run_figures v;
  write_config();
  write_file("result.json",
             "{\"status\": \"CONVERGED\", \"objective\": 1, \"backend\": \"ipopt\", \"design\": {\"Ls1\": 2.4, "
             "\"Ls2\": 1.8}}");
  write_file("history.csv",
             "iteration,evaluations,objective,violation,optimality,step\n0,1,0.7,0,,\n1,3,0.1,0,1,0.5\n");
  must(run_folder_open(folder, &f, &err), &err);
  CU_ASSERT_EQUAL(f->kind, RUN_OPTIMIZE);
  CU_ASSERT_STRING_EQUAL(f->run_file, "configs/five_bar.ini");
  CU_ASSERT_STRING_EQUAL(run_folder_text(f, "backend"), "ipopt");
  CU_ASSERT_STRING_EQUAL(run_folder_text(f, "nothing"), "");
  CU_ASSERT(isnan(run_folder_number(f, "nothing")));
  CHECK_CLOSE("final", f->final[1], 1.8, 0);
  CU_ASSERT_EQUAL(f->history.nrow, 2);
  must(run_figures_create(f, 0, &v, &err), &err);
  CU_ASSERT_EQUAL(v.list.n, 4); /* P2.position.z does not move */
  CU_ASSERT_STRING_EQUAL(v.list.item[0].name, "convergence");
  CU_ASSERT_STRING_EQUAL(v.list.item[1].name, "bounds");
  CU_ASSERT_STRING_EQUAL(v.list.item[3].name, "history_swing_P2.position.y");
  CU_ASSERT(run_output_moves(&v, 0, 0) && !run_output_moves(&v, 0, 2));
  run_figures_free(&v);
  run_folder_close(f);
  empty_folder();
}

/* The start of a folder may fail, and then there is no result. */
static void test_failed(void) {
  mbd_error err = {0};
  run_folder *f;
  run_figures v;
  mbo_run_config *c;
  const char *set[] = {"scalars.LA1=50"};
  must(mbo_run_config_read("configs/five_bar.ini", 1, set, &c, &err), &err);
  must(results_write_config(folder, c, &err), &err);
  mbo_run_config_destroy(c);
  write_file("result.json",
             "{\"status\": \"FAILED_START\", \"objective\": null, \"design\": {\"Ls1\": 2.4, \"Ls2\": 1.8}}");
  must(run_folder_open(folder, &f, &err), &err);
  CU_ASSERT_PTR_NULL(f->final);
  must(run_figures_create(f, 0, &v, &err), &err);
  CU_ASSERT_PTR_NULL(v.before);
  CU_ASSERT(v.before_error.code > 0);
  CU_ASSERT_EQUAL(v.after_error.code, MBD_OK);
  CU_ASSERT_EQUAL(v.list.n, 0);
  run_figures_free(&v);
  run_folder_close(f);
  run_folder_close(NULL);
  empty_folder();
}

TEST_MAIN_IN(folder, TEST(test_curve), TEST(test_motion), TEST(test_thinned), TEST(test_file_names), TEST(test_refused),
             TEST(test_optimization), TEST(test_failed))
