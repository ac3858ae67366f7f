/* What reports are made from: tables read again, motions as curves, folders of runs with what may be wrong with them. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/motion.h"
#include "results/results.h"
#include "files/json.h"
#include "report/run_figures.h"
#include "results/run_view.h"
#include "results/run_folder.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_folder_XXXXXX";
static const char *const files[] = {"resolved.ini", "result.json", "history.csv", "journal.jsonl"};

static const char *in_folder(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  test_put(in_folder(name), text);
}

static void empty_folder(void) {
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) { unlink(in_folder(files[i])); }
}

/* ---- motions ---- */

static mechanism *five_bar(mbo_run_config **c) {
  mbd_error err = {0};
  mechanism *m = NULL;
  const char *set[] = {"case.swing.duration=0.5"};
  must(mbo_run_config_read("configs/five_bar.ini", 1, set, c, &err), &err);
  must(mechanism_create(*c, &m, &err), &err);
  return m;
}

/* The values of a column of which every node is kept. */
static const double *column(const thinned *w, const char *name) {
  int i = 1;
  while (i < w->columns.n - 1 && strcmp(w->columns.column[i].name, name) != 0) { i++; }
  CU_ASSERT_STRING_EQUAL_FATAL(w->columns.column[i].name, name);
  CU_ASSERT_EQUAL_FATAL(w->curve[i].n, w->nodes);
  return w->curve[i].y;
}

static void test_motion(void) {
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m = five_bar(&c);
  motion *w = NULL, *other = NULL;
  const double elsewhere[] = {2.4, 1.9};
  must(mechanism_evaluate(m, m->start, "direct", &err), &err);
  const double f = m->f, g = m->grad[0];
  must(motion_create(m, m->start, (motion_request){0}, &w, &err), &err);
  must(motion_create(m, elsewhere, (motion_request){0}, &other, &err), &err);
  CU_ASSERT_EQUAL(w->cases[0].n, 51);
  const double *y[3] = {column(&w->cases[0].all, "P2.position.x"), column(&w->cases[0].all, "P2.position.y"),
                        column(&w->cases[0].all, "P2.position.z")};
  CHECK_CLOSE("objective", w->psi[0], f, 1e-14);
  CU_ASSERT(fabs(other->psi[0] - f) > 1e-3);
  CHECK_CLOSE("duration", w->cases[0].t[50], 0.5, 1e-12);
  CHECK_CLOSE("P2.x at the start", y[0][0], 0.5, 1e-9);
  CHECK_CLOSE("P2.y at the start", y[1][0], -2, 1e-9);
  /* the objective is the integral of the squared distance from the target: trapezoidal rule over the motion */
  double sum = 0;
  for (int k = 0; k < 51; k++) {
    const double square = pow(y[0][k] - 0.5, 2) + pow(y[1][k] + 2, 2) + pow(y[2][k], 2);
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

/* The whole trajectory at every node, and in at most `max` stretches. */
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
  double max = -INFINITY;
  for (int i = 0; i < c->n; i++) { max = fmax(max, sign * c->y[i]); }
  return sign * max;
}

/* Every column keeps its extremes, its ends, and nodes that the trajectory has; of 51 nodes at most three in
 * each of five stretches, of outputs of ten. */
static void test_thinned(void) {
  enum { MAX = 5, NODES = 51 };
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m = five_bar(&c);
  const mechanism_case *q = &m->cases[0];
  both_ways b;
  must(thinned_create(m, q, NODES, NODES, &b.all, &err), &err);
  must(thinned_create(m, q, 2 * MAX, MAX, &b.few, &err), &err);
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
    CU_ASSERT(few->n <= (is_output ? 2 : 1) * 3 * MAX + 1);
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

/* A sink that keeps the names of figures. */
static mbd_status keep_name(void *to, json_t *spec, mbd_error *err) {
  (void)err;
  json_array_append((json_t *)to, json_object_get(spec, "name"));
  json_decref(spec);
  return MBD_OK;
}

/* The names of all figures of a run. */
static json_t *figures_of(const json_t *view) {
  mbd_error err = {0};
  run_figures w;
  json_t *names = json_array();
  must(run_figures_open(view, keep_name, names, &w, &err), &err);
  must(run_figures_all(&w, 1, &err), &err);
  run_figures_close(&w);
  return names;
}

static const char *text_at(const json_t *list, size_t i) {
  return json_string_value(json_array_get(list, i));
}

static void test_optimization(void) {
  mbd_error err = {0};
  run_folder *f;
  json_t *view;
  write_config();
  write_file("result.json",
             "{\"status\": \"CONVERGED\", \"objective\": 1, \"backend\": \"ipopt\", \"design\": {\"Ls1\": 2.4, "
             "\"Ls2\": 1.8}}");
  write_file("history.csv",
             "iteration,evaluations,objective,violation,optimality,step\n0,1,0.7,0,,\n1,3,0.1,0,1,0.5\n");
  must(run_folder_open(folder, &f, &err), &err);
  CU_ASSERT_EQUAL(f->kind, RUN_OPTIMIZE);
  CU_ASSERT_STRING_EQUAL(f->run_file, "configs/five_bar.ini");
  CHECK_CLOSE("final", f->final[1], 1.8, 0);
  must(run_view_create(f, RUN_VIEW_FIGURES, &view, &err), &err);
  json_t *names = figures_of(view), *still = json_object_get(view, "still");
  CU_ASSERT_EQUAL_FATAL(json_array_size(names), 5);
  CU_ASSERT_STRING_EQUAL(text_at(names, 0), "convergence");
  CU_ASSERT_STRING_EQUAL(text_at(names, 1), "bounds");
  CU_ASSERT_STRING_EQUAL(text_at(names, 3), "history_swing_P2.position.y_over_P2.position.x");
  CU_ASSERT_EQUAL_FATAL(json_array_size(still), 1);
  CU_ASSERT_STRING_EQUAL(json_text_in(json_array_get(still, 0), "name"), "P2.position.z");
  CHECK_CLOSE("result", json_number_in(json_array_get(json_object_get(view, "design"), 0), "result"), 2.4, 0);
  CU_ASSERT(!json_object_get(view, "first") && !json_object_get(view, "curves"));
  json_decref(names), json_decref(view);
  /* what pages need, too */
  must(run_view_create(f, RUN_VIEW_PAGE | RUN_VIEW_CURVES, &view, &err), &err);
  CU_ASSERT(json_object_get(view, "first") && json_object_get(view, "second") && json_object_get(view, "curves"));
  CU_ASSERT_EQUAL(json_array_size(json_object_get(json_object_get(view, "about"), "joints")), 5);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(view, "moving")), 0);
  json_decref(view);
  run_folder_close(f);
  empty_folder();
}

/* The start of a folder may fail, and then there is no result. */
static void test_failed(void) {
  mbd_error err = {0};
  run_folder *f;
  json_t *view;
  mbo_run_config *c;
  const char *set[] = {"scalars.LA1=50"};
  must(mbo_run_config_read("configs/five_bar.ini", 1, set, &c, &err), &err);
  must(results_write_config(folder, c, &err), &err);
  mbo_run_config_destroy(c);
  write_file("result.json",
             "{\"status\": \"FAILED_START\", \"objective\": null, \"design\": {\"Ls1\": 2.4, \"Ls2\": 1.8}}");
  must(run_folder_open(folder, &f, &err), &err);
  CU_ASSERT_PTR_NULL(f->final);
  must(run_view_create(f, RUN_VIEW_PAGE | RUN_VIEW_FIGURES, &view, &err), &err);
  CU_ASSERT_PTR_NULL(json_object_get(view, "first"));
  const json_t *why = json_object_get(view, "not_simulated");
  CU_ASSERT_EQUAL_FATAL(json_array_size(why), 1);
  CHECK_CONTAINS(text_at(why, 0), "The start cannot be simulated: ");
  json_t *names = figures_of(view);
  CU_ASSERT_EQUAL(json_array_size(names), 0);
  json_decref(names), json_decref(view);
  run_folder_close(f);
  run_folder_close(NULL);
  empty_folder();
}

TEST_MAIN_IN(folder, TEST(test_motion), TEST(test_thinned), TEST(test_refused), TEST(test_optimization),
             TEST(test_failed))
