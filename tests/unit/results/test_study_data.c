/* What is read of a study for its page: extremes among many runs, units, which optima, links to pages of runs. */
#include <unistd.h>

#include "base/memory.h"
#include "results/packed.h"
#include "results/study_data.h"
#include "study/run.h"
#include "report/study_links.h"
#include "mechanism/units.h"
#include "report/study_view.h"
#include "study/sweep.h"
#include "test.h"

static char folder[] = "/tmp/mbopt-study-data-XXXXXX";

static const char run_text[] = "schema = 1\n[model]\nfile = " MBOPT_SOURCE_DIR
                               "/problems/pendulum/pendulum.ini\n"
                               "[case drop]\nduration = 0.1\nstep = 1e-2\n"
                               "[objective settle]\nof = ground-bar.angle.rate\nform = integral_square\n"
                               "[objective last]\nof = ground-bar.angle\nform = terminal\nweight = 0\n";

static study *study_of(const char *name, const char *sweep_text) {
  char path[96], run_file[96];
  mbo_run_config *c;
  sweep *w;
  study *s;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(run_file, sizeof run_file, "%s/%s.ini", folder, name);
  FILE *out = fopen(run_file, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "%s[sweep]\n%s", run_text, sweep_text);
  fclose(out);
  must(mbo_run_config_read(run_file, 0, NULL, &c, &err), &err);
  must(sweep_create(c, 0, NULL, &w, &err), &err);
  must(study_create(path, sweep_plan(w), &s, &err), &err);
  sweep_destroy(w);
  mbo_run_config_destroy(c);
  return s;
}

static void put_run(study *s, long i, double f, double last) {
  mbd_error err = {0};
  runs_state state;
  must(runs_look(s, i, &state, &err), &err);
  must(runs_write(s, i, RUN_DONE,
                  json_pack("{s:s, s:{s:f, s:f, s:f}, s:f}", "status", "OK", "columns", "objective", f, "settle", f,
                            "last", last, "seconds", 0.5),
                  &err),
       &err);
}

static study_data *open_data(const study *s) {
  study_data *d = NULL;
  mbd_error err = {0};
  must(study_data_open(s->folder, NULL, &d, &err), &err);
  return d;
}

static int is_drawn(const study_data *d, long run) {
  int n = 0;
  for (int i = 0; i < d->nrow; i++) { n += d->run[i] == run; }
  return n;
}

/* ---- very many runs ---- */

/* Every second of them is drawn, and single odd ones with the least and the largest value of a quantity. Of the runs every one is done, or every
 * twentieth and these. */
static void test_extremes(void) {
  enum { N = KEYS_POINTS_MAX + 1, MIN = 777, LARGEST = 12345, BEST = 4321, WORST = 19999, NOT_DRAWN = 1001 };
  int done = 0, even = 0;
  char text[200];
  snprintf(text, sizeof text, "plan = latin_hypercube\npoints = %d\nvary.stiffness = 1 to 3\nvary.damping = 1 to 3\n",
           N);
  study *s = study_of("many", text);
  for (long i = 0; i < N; i++) {
    if (!test_long() && i % 20 && i != MIN && i != LARGEST && i != BEST && i != WORST && i != NOT_DRAWN) { continue; }
    done++, even += i % 2 == 0;
    put_run(s, i,
            i == BEST    ? -5
            : i == WORST ? 90
                         : (double)(i % 7),
            i == MIN       ? -1e3
            : i == LARGEST ? 1e3
                           : sin((double)i));
  }
  study_data *d = open_data(s);
  CU_ASSERT(d->done == done && d->keys.stride == 2 && d->nregular == even);
  CU_ASSERT_EQUAL(d->nrow, d->nregular + 4); /* objective and settle are one and the same */
  CU_ASSERT(is_drawn(d, MIN) == 1 && is_drawn(d, LARGEST) == 1 && is_drawn(d, BEST) == 1 && is_drawn(d, WORST) == 1);
  CU_ASSERT(is_drawn(d, 1000) == 1 && is_drawn(d, NOT_DRAWN) == 0);
  study_data_close(d);
  study_destroy(s);
}

/* Results of optimizations that violate constraints are counted, are no best ones, and are drawn as what they are, without values; so are
 * runs that failed. */
static void test_violating(void) {
  study *s = study_of("violating", "task = optimize\nvary.stiffness = 1 to 4 in 4\n[design damping]\nupper = 3\n");
  static const double violation[] = {0, 0.1, 1e-9};
  for (long i = 0; i < 3; i++) {
    mbd_error err = {0};
    runs_state state;
    must(runs_look(s, i, &state, &err), &err);
    must(runs_write(s, i, RUN_DONE,
                    json_pack("{s:s, s:f, s:{s:f, s:f}, s:f}", "status", i == 1 ? "STOPPED_LIMIT" : "CONVERGED",
                              "tol_constraint", 1e-8, "columns", "objective", 5 - (double)i, "violation", violation[i],
                              "seconds", 0.5),
                    &err),
         &err);
  }
  mbd_error err = {0};
  must(run_fail(s, 3, "no way", &err), &err);
  study_data *d = open_data(s);
  CU_ASSERT(d->done == 3 && d->violating == 1 && d->failed == 1 && d->nrow == 4);
  static const study_outcome outcome[] = {OUTCOME_DONE, OUTCOME_VIOLATES, OUTCOME_DONE, OUTCOME_FAILED};
  for (int i = 0; i < d->nrow; i++) {
    CU_ASSERT(d->run[i] == i && d->outcome[i] == outcome[i] && study_data_row(d, i)[0] == i + 1);
    CU_ASSERT_EQUAL(isnan(study_data_row(d, i)[d->keys.n]), outcome[i] != OUTCOME_DONE);
  }
  CU_ASSERT(d->ntop == 2 && d->top[0].run == 2 && d->worst.run == 0);
  study_data_close(d);
  study_destroy(s);
}

/* ---- units ---- */

static void check_power(const char *unit, int power, int seconds, const char *expected) {
  char *text = unit_power(unit, power, seconds);
  CU_ASSERT_STRING_EQUAL(text, expected);
  free(text);
}

static void test_units(void) {
  check_power("m", 1, 0, "m");
  check_power("m", 2, 0, "m^2");
  check_power("m/s^2", 2, 1, "(m/s^2)^2 s");
  check_power("N m", 1, 1, "N m s");
  check_power("m/s", 1, 1, "(m/s) s");
  check_power("m/s", 1, 0, "m/s");
  check_power("-", 2, 1, "s");
  check_power("", 2, 0, "");
  check_power("rad", 0, 1, "s");
  study *s = study_of("units",
                      "vary.damping = 1, 2\nvary.case.drop.duration = 0.1, 0.2\nvary.case.drop.integrator = newmark, "
                      "generalized_alpha\n");
  put_run(s, 0, 1, 2), put_run(s, 2, 3, 4);
  study_data *d = open_data(s);
  CU_ASSERT_STRING_EQUAL(d->key_axis[0], "damping [N m s/rad]");
  CU_ASSERT_STRING_EQUAL(d->key_axis[1], "case.drop.duration [s]");
  CU_ASSERT_STRING_EQUAL(d->key_axis[2], "case.drop.integrator");
  CU_ASSERT_STRING_EQUAL(d->quantity[0].axis, "settle [(rad/s)^2 s]");
  CU_ASSERT_STRING_EQUAL(d->quantity[2].axis, "last [rad]");
  study_data_close(d);
  study_destroy(s);
}

/* What axes of the objective of a run file say. */
static void check_objective(const char *path, const char *expected) {
  mbd_error err = {0};
  mbo_run_config *c;
  mechanism *m;
  must(mbo_run_config_read(path, 0, NULL, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  char *axis = objective_axis(m);
  CU_ASSERT_STRING_EQUAL(axis, expected);
  free(axis);
  mechanism_destroy(m), mbo_run_config_destroy(c);
}

static void test_unit_of_objective(void) {
  check_objective("configs/delta_robot.ini", "objective [N^2 m^2 s]");             /* heat of two motions */
  check_objective("configs/slider_crank_balance.ini", "objective (weighted sum)"); /* force and moment */
  check_objective("configs/suspension_two_cases.ini", "objective (largest weighted term)");
  check_objective("configs/five_bar.ini", "objective [m^2 s]");
  char *axis = objective_axis(NULL); /* of several run files */
  CU_ASSERT_STRING_EQUAL(axis, "objective");
  free(axis);
}

/* ---- data of the page ---- */

static void test_packed(void) {
  const int ints[] = {1, -1, 256};
  const double one = 1;
  json_t *o = packed_ints(3, ints),
         *v = packed_doubles(1, &one); /* bytes 01 00 00 00, ff ff ff ff, 00 01 00 00; 00 .. f0 3f */
  CU_ASSERT_STRING_EQUAL(json_string_value(o), "AQAAAP////8AAQAA");
  CU_ASSERT_STRING_EQUAL(json_string_value(v), "AAAAAAAA8D8=");
  json_decref(o), json_decref(v);
}

static void test_view(void) {
  study *s = study_of("view", "vary.damping = 1, 2, 3\n");
  char *path = mbd_sprintf_dup("%s/page.html", s->folder), *page = mbd_sprintf_dup("%s/page_run_2.html", s->folder),
       *other = mbd_sprintf_dup("%s/page_run_9.html", s->folder);
  mbd_error err = {0};
  json_t *o = NULL;
  for (long i = 0; i < 3; i++) { put_run(s, i, 5 - (double)i, 7); } /* `last` is the same in all */
  fclose(fopen(page, "w")), fclose(fopen(other, "w"));              /* there is no run 9 */
  study_data *d = open_data(s);
  study_links found;
  must(study_links_find(d, path, &found, &err), &err);
  must(study_view(d, &found, &o, &err), &err);
  study_links_free(&found);
  CU_ASSERT_EQUAL(json_array_size(json_object_get(o, "columns")), 2);
  CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "best")), 2);
  CU_ASSERT_EQUAL(json_integer_value(json_object_get(o, "first")), 1);
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(o, "shape")), "curves");
  json_t *pages = json_object_get(o, "pages"), *run = json_object_get(pages, "run");
  CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(pages, "prefix")), "page_run_");
  CU_ASSERT(json_array_size(run) == 1 && json_integer_value(json_array_get(run, 0)) == 2);
  int numbers[] = {2, 5, 17};
  const study_links links = {"page_run_", 3, numbers};
  char *file = study_links_file(&links, 17);
  CU_ASSERT_STRING_EQUAL(file, "page_run_17.html");
  CU_ASSERT(!study_links_file(&links, 16) && !study_links_file(&links, 18) && !study_links_file(NULL, 17));
  free(file), free(path), free(page), free(other);
  json_decref(o);
  study_data_close(d);
  study_destroy(s);
}

TEST_MAIN_IN(folder, TEST(test_extremes), TEST(test_violating), TEST(test_units), TEST(test_unit_of_objective),
             TEST(test_packed), TEST(test_view))
