/* Studies as folders: plans, rows, records of runs, what counts as one, profiles of a comparison. */
#include <unistd.h>

#include "base/memory.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "mechanism/mechanism.h"
#include "study/merge.h"
#include "study/profiles.h"
#include "study/run.h"
#include "study/runs.h"
#include "study/sweep.h"
#include "test.h"

static char folder[] = "/tmp/mbopt-study-XXXXXX";
static char run_file[64];

static const char run_text[] = "schema = 1\n[model]\nfile = " MBOPT_SOURCE_DIR
                               "/problems/pendulum/pendulum.ini\n"
                               "[design damping]\nstart = 1\nlower = 0\nupper = 20\n"
                               "[case drop]\nduration = 0.1\nstep = 1e-2\n"
                               "[objective settle]\nof = ground-bar.angle\nform = integral_square\n";

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  if (!out) { exit(1); }
  fputs(text, out);
  fclose(out);
}

/* The run file with this [sweep], read. */
static mbo_run_config *config_of(const char *sweep_text) {
  mbo_run_config *c;
  mbd_error err = {0};
  char *text = mbd_sprintf_dup("%s[sweep]\n%s", run_text, sweep_text);
  snprintf(run_file, sizeof run_file, "%s/run.ini", folder);
  write_text(run_file, text);
  free(text);
  must(mbo_run_config_read(run_file, 0, NULL, &c, &err), &err);
  return c;
}

static char *rows_of(const sweep *s) {
  char *text = NULL;
  size_t size;
  mbd_error err = {0};
  FILE *out = open_memstream(&text, &size);
  const study_rows to = {.out = out};
  must(sweep_plan(s)->write_rows(sweep_plan(s)->user, &to, &err), &err);
  fclose(out);
  return text;
}

/* ---- plans ---- */

static void test_grid(void) {
  mbo_run_config *c = config_of(
      "vary.stiffness = 1, 20\nvary.damping = 1 to 3 in 3\nvary.case.drop.integrator = newmark, generalized_alpha\n");
  sweep *s;
  mbd_error err = {0};
  must(sweep_create(c, 0, NULL, &s, &err), &err);
  const study_plan *p = sweep_plan(s);
  CU_ASSERT_EQUAL(p->n, 12);
  CU_ASSERT_STRING_EQUAL(p->column[0].key, "scalars.stiffness");
  CU_ASSERT_STRING_EQUAL(p->column[1].key, "design.damping.start"); /* a design variable: its start */
  CU_ASSERT_STRING_EQUAL(p->column[2].key, "case.drop.integrator");
  char *rows = rows_of(s);
  CU_ASSERT(
      strncmp(rows,
              "1 ,1                        ,newmark          \n1 ,1                        ,generalized_alpha\n1 ,2 ",
              95) == 0);
  CHECK_CONTAINS(rows, "20,3                        ,generalized_alpha\n");
  free(rows);
  sweep_destroy(s);
  mbo_run_config_destroy(c);
}

static void test_spread(void) {
  mbo_run_config *c =
      config_of("plan = latin_hypercube\npoints = 8\nvary.stiffness = 0 to 8\nvary.damping = 1 to 10 log\n");
  sweep *s;
  mbd_error err = {0};
  int seen[8] = {0}, k = 0;
  must(sweep_create(c, 0, NULL, &s, &err), &err);
  char *rows = rows_of(s);
  for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n"), k++) { seen[(int)strtod(line, NULL)]++; }
  CU_ASSERT_EQUAL(k, 8);
  for (int i = 0; i < 8; i++) { CU_ASSERT_EQUAL(seen[i], 1); } /* one in every eighth */
  free(rows);
  sweep_destroy(s);
  mbo_run_config_destroy(c);
}

static void test_table(void) {
  char path[64];
  snprintf(path, sizeof path, "%s/table.csv", folder);
  write_text(path, "stiffness, case.drop.step\n# comment\n1, 1e-2\n\n20.5,5e-3\n");
  mbo_run_config *c = config_of("plan = csv\nfile = table.csv\n");
  sweep *s;
  mbd_error err = {0};
  must(sweep_create(c, 0, NULL, &s, &err), &err);
  char *rows = rows_of(s);
  CU_ASSERT_STRING_EQUAL(rows, "1   ,1e-2\n20.5,5e-3\n");
  free(rows);
  sweep_destroy(s);
  write_text(path, "stiffness, damping\n1, 2\n3\n");
  CU_ASSERT_EQUAL(sweep_create(c, 0, NULL, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "table.csv:3: 1 value, expected 2 as in the first line");
  write_text(path, "stiffness\n");
  CU_ASSERT_EQUAL(sweep_create(c, 0, NULL, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "[sweep] table.csv: no rows below the names");
  write_text(path, "stiffness\n\"1,2\"\n");
  CU_ASSERT_EQUAL(sweep_create(c, 0, NULL, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "[sweep] table.csv: '1,2' cannot be swept: a comma outside of parentheses");
  mbo_run_config_destroy(c);
}

static void check_refused(const char *sweep_text, const char *says) {
  mbo_run_config *c = config_of(sweep_text);
  sweep *s;
  mbd_error err = {0};
  CU_ASSERT(sweep_create(c, 0, NULL, &s, &err) != MBD_OK);
  CHECK_CONTAINS(err.text, says);
  mbo_run_config_destroy(c);
}

static void test_refused(void) {
  check_refused("", "nothing to sweep; expected vary.KEY = VALUES in [sweep]");
  check_refused("vary.stifness = 1, 2\n", "[sweep] vary.stifness: ");
  check_refused("vary.stifness = 1, 2\n", "did you mean 'stiffness'?");
  check_refused("vary.case.drop.stp = 1, 2\n", "did you mean 'step'?");
  check_refused("vary.case.drop.step = -1 to 1 in 3\n", "expected a number between");
  check_refused("vary.case.drop.integrator = newmark, runge\n", "runge");
  check_refused("vary.output.folder = a, b\n", "keys of [output] change no result");
  check_refused("vary.scalars.damping = 1, 2\n", "has no effect, because [design damping] has a start of its own");
  check_refused("vary.damping = 1, 2\nvary.design.damping.start = 3, 4\n",
                "the same as 'damping', which is swept already");
  check_refused("vary.stiffness = 1 to 2\n", "a grid needs a number of values");
  check_refused("plan = sobol\nvary.stiffness = 1 to 2\n", "needs points = N");
  check_refused("vary.native.a,b = 1, 2\n", "[sweep] vary.native.a,b: 'native.a,b' cannot be swept: a comma outside");
  check_refused("vary.stiffness = 1, (2\n", "[sweep] vary.stiffness: '(2' cannot be swept: a comma outside");
  check_refused("plan = csv\n", "needs file = TABLE.csv");
  check_refused("vary.stiffness = 1 to 2 in 100000\nvary.length = 1 to 2 in 100000\n", "more than 100000000 runs");
}

/* ---- records of runs ---- */

static study *study_of(const char *name, const char *sweep_text) {
  char path[96];
  mbo_run_config *c = config_of(sweep_text);
  sweep *w;
  study *s;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  must(sweep_create(c, 0, NULL, &w, &err), &err);
  must(study_create(path, sweep_plan(w), &s, &err), &err);
  sweep_destroy(w);
  mbo_run_config_destroy(c);
  return s;
}

static json_t *record_of(double v) {
  return json_pack("{s:s, s:{s:f}, s:f}", "status", "OK", "columns", "v", v, "seconds", 0.5);
}

static runs_state state_of(study *s, long i) {
  runs_state state;
  mbd_error err = {0};
  must(runs_look(s, i, &state, &err), &err);
  return state;
}

/* Of an earlier version of the program: runs/000/000001.json or 000001.failed.json. */
static void put_file(study *s, long i, const char *ending, const char *text) {
  unsigned long long hash = 0;
  mbd_error err = {0};
  char *runs = path_in(s->folder, "runs/000"), *path = mbd_sprintf_dup("%s/%06ld.%s", runs, i, ending);
  state_of(s, i);
  must(study_run_hash(s, &hash, &err), &err);
  char *whole = mbd_sprintf_dup("{\"hash\":\"%016llx\",%s", hash, text);
  must(make_folder(runs, &err), &err);
  write_text(path, whole);
  free(runs), free(path), free(whole);
}

static double value_of(study *s, long i) {
  runs_state state;
  json_t *o;
  mbd_error err = {0};
  must(runs_read(s, i, &state, &o, &err), &err);
  const double v = runs_number(o, "v");
  json_decref(o);
  return v;
}

static void check_counts(study *s, long done, long failed) {
  mbd_error err = {0};
  runs_count c;
  must(runs_counted(s, 0, &c, &err), &err);
  CU_ASSERT(c.done == done && c.failed == failed);
}

static void test_runs(void) {
  study *s = study_of("runs", "vary.stiffness = 1 to 3 in 3\n");
  mbd_error err = {0};
  for (int i = 0; i < 3; i++) { CU_ASSERT_EQUAL(state_of(s, i), RUN_MISSING); }
  must(runs_write(s, 1, RUN_FAILED, record_of(1), &err), &err);
  CU_ASSERT_EQUAL(state_of(s, 1), RUN_FAILED);
  must(runs_write(s, 1, RUN_DONE, record_of(2), &err), &err);
  CU_ASSERT_EQUAL(state_of(s, 1), RUN_DONE);
  check_counts(s, 1, 0); /* the success took the failure's place */
  /* a batch is one text; what is forgotten is done again */
  json_t *two[] = {record_of(3), record_of(4)};
  must(runs_write_batch(s, 1, 2, (const runs_state[]){RUN_DONE, RUN_FAILED}, two, &err), &err);
  check_counts(s, 1, 1);
  CU_ASSERT_EQUAL(value_of(s, 1), 3);
  must(runs_forget(s, 2, &err), &err);
  CU_ASSERT_EQUAL(state_of(s, 2), RUN_MISSING);
  check_counts(s, 1, 0);
  must(runs_write(s, 2, RUN_DONE, record_of(5), &err), &err);
  study_destroy(s);
  s = study_of("runs", "vary.stiffness = 1 to 3 in 3\n"); /* and read from the file it is the same */
  check_counts(s, 2, 0);
  CU_ASSERT(value_of(s, 1) == 3 && value_of(s, 2) == 5);
  CU_ASSERT_PTR_NULL(runs_damage(s));
  study_destroy(s);
}

/* A folder of an earlier version, with a file for each run, is read and continued. */
static void test_files(void) {
  static const char whole[] = "\"run\":1,\"status\":\"OK\",\"columns\":{\"v\":7}}\n", torn[] = "\"run\":1,\"status\"";
  study *s = study_of("files", "vary.stiffness = 1 to 4 in 4\n");
  mbd_error err = {0};
  put_file(s, 0, "json", whole), put_file(s, 0, "failed.json", whole); /* killed before the failure was removed */
  put_file(s, 1, "failed.json", whole), put_file(s, 2, "json", torn), put_file(s, 3, "json.tmp", whole);
  runs_close(s);
  check_counts(s, 2, 1); /* by their names */
  CU_ASSERT(state_of(s, 0) == RUN_DONE && state_of(s, 1) == RUN_FAILED && state_of(s, 2) == RUN_MISSING);
  CU_ASSERT_EQUAL(value_of(s, 0), 7);
  must(runs_write(s, 1, RUN_DONE, record_of(8), &err), &err);
  must(runs_write(s, 2, RUN_FAILED, record_of(9), &err), &err);
  must(runs_forget(s, 0, &err), &err);
  runs_close(s);
  check_counts(s, 1, 1);
  CU_ASSERT_EQUAL(value_of(s, 1), 8);
  CU_ASSERT_EQUAL(state_of(s, 3), RUN_MISSING);
  study_destroy(s);
}

/* A study that somebody removes while its runs are done is not made anew by their results. */
static void test_removed(void) {
  study *s = study_of("removed", "vary.stiffness = 1 to 3 in 3\n");
  mbd_error err = {0};
  char *json = path_in(s->folder, "study.json"), *runs = path_in(s->folder, "runs");
  must(runs_check_study(s, &err), &err);
  state_of(s, 0);
  unlink(json);
  CU_ASSERT_EQUAL(runs_write(s, 0, RUN_DONE, record_of(0), &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "removed has been removed or moved while its runs were done");
  CU_ASSERT_NOT_EQUAL(access(runs, F_OK), 0);
  free(json), free(runs);
  study_destroy(s);
}

static void test_same_study(void) {
  mbd_error err = {0};
  char path[96];
  study_destroy(study_of("same", "vary.stiffness = 7 to 9 in 3\n")); /* without a run another may take its place */
  study *s = study_of("same", "vary.stiffness = 1 to 3 in 3\n");
  const unsigned long long hash = s->hash;
  unsigned long long first = 0, second = 0;
  state_of(s, 0);
  must(study_run_hash(s, &first, &err), &err);
  state_of(s, 1);
  must(study_run_hash(s, &second, &err), &err);
  CU_ASSERT(first != second);
  must(runs_write(s, 1, RUN_DONE, record_of(1), &err), &err);
  study_destroy(s);
  /* comments and who does the runs do not matter */
  s = study_of("same", "; a comment\nvary.stiffness = 1 to 3 in 3\n[study]\njobs = 7\n[slurm]\ntasks = 3\n");
  CU_ASSERT_EQUAL(s->hash, hash);
  study_destroy(s);
  /* other values, another task, another objective do */
  snprintf(path, sizeof path, "%s/same", folder);
  static const char *const others[] = {"vary.stiffness = 1 to 4 in 3\n",
                                       "task = gradient\nvary.stiffness = 1 to 3 in 3\n",
                                       "vary.stiffness = 1 to 3 in 3\n[gradient]\nmethod = direct\n"};
  for (int i = 0; i < 3; i++) {
    mbo_run_config *c = config_of(others[i]);
    sweep *w;
    must(sweep_create(c, 0, NULL, &w, &err), &err);
    CU_ASSERT_EQUAL(study_create(path, sweep_plan(w), &s, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "holds another study");
    sweep_destroy(w);
    mbo_run_config_destroy(c);
  }
  /* opened from its folder it is the same, and needs the run file no more */
  unlink(run_file);
  must(study_open(path, 0, NULL, &s, &err), &err);
  CU_ASSERT_EQUAL(s->hash, hash);
  study_destroy(s);
  CU_ASSERT_EQUAL(study_open(folder, 0, NULL, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "is not a study");
}

/* ---- folders that were edited by hand ---- */

static char *read_text(const char *path) {
  char *text = calloc(1, 10000);
  FILE *in = fopen(path, "r");
  if (!in || !text || !fread(text, 1, 9999, in)) { exit(1); }
  fclose(in);
  return text;
}

/* The study whose file has `new` in the place of `old` is refused, and as it was before afterwards. */
static void check_edited(const char *path, const char *name, const char *old, const char *new, const char *says) {
  mbd_error err = {0};
  study *s;
  char *file = path_in(path, name), *text = read_text(file), *at = strstr(text, old);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  char *edited = mbd_sprintf_dup("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  write_text(file, edited);
  CU_ASSERT_EQUAL(study_open(path, 0, NULL, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, says);
  CU_ASSERT_EQUAL(study_open_results(path, &s, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, says);
  write_text(file, text);
  free(file), free(text), free(edited);
}

static void test_edited(void) {
  static const char not_whole[] = "study.json is not whole";
  char path[96];
  mbd_error err = {0};
  study *s = study_of("edited", "vary.stiffness = 1 to 3 in 3\n");
  snprintf(path, sizeof path, "%s/edited", folder);
  study_destroy(s);
  check_edited(path, "study.json", "\"set\": []", "\"set\": [null]", not_whole);
  check_edited(path, "study.json", "\"key\": \"scalars.stiffness\"", "\"key\": null", not_whole);
  check_edited(path, "study.json", "\"name\": \"stiffness\"", "\"name\": 7", not_whole);
  check_edited(path, "study.json", "\"role\": \"set\"", "\"role\": \"sett\"", not_whole);
  check_edited(path, "study.json", "\"runs\": 3", "\"runs\": -3", not_whole);
  check_edited(path, "study.json", "\"models\": [", "\"models\": [\"\", ", not_whole);
  check_edited(path, "study.json", "\"runs\": 3", "\"runs\": 4",
               "points.csv has 3 rows of 1 values, but the study has 4");
  check_edited(path, "points.csv", "\n2 ", "\n4 ", "points.csv has changed since this study began");
  must(study_open(path, 0, NULL, &s, &err), &err);
  study_destroy(s);
}

/* ---- how gradients are computed ---- */

/* study.json with this method in the place of the one that was measured. */
static void decide(const char *path, const char *method) {
  char *file = path_in(path, "study.json"), *text = read_text(file), *at = strstr(text, "\"method\": \"");
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  at += strlen("\"method\": \"");
  char *edited = mbd_sprintf_dup("%.*s%s%s", (int)(at - text), text, method, strchr(at, '"'));
  write_text(file, edited);
  free(file), free(text), free(edited);
}

/* The reason why a run failed. */
static void check_error(study *s, long i, const char *says) {
  runs_state state;
  json_t *o;
  mbd_error err = {0};
  must(runs_read(s, i, &state, &o, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_FAILED);
  CHECK_CONTAINS(json_text_in(o, "error"), says);
  json_decref(o);
}

/* The derivative that run 1 has recorded, and that of its values by a method. */
static double recorded(study *s) {
  volatile sig_atomic_t stop = 0;
  runs_state state;
  mbd_error err = {0};
  json_t *o;
  must(run_do(s, 1, 2, &stop, &state, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_DONE);
  must(runs_read(s, 1, &state, &o, &err), &err);
  const double d = json_number_value(json_object_get(json_object_get(o, "columns"), "d settle/d damping"));
  json_decref(o);
  return d;
}

static double by_method(study *s, const char *method) {
  mbo_run_config *c;
  mechanism *m;
  mbd_error err = {0};
  int start;
  must(study_configure(s, 1, &c, &start, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  must(mechanism_evaluate(m, m->start, method, &err), &err);
  const double d = m->grad[0];
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return d;
}

/* Every run takes the method that the study has decided when it began, to the bit; so does whoever opens the folder. */
static void test_decided(void) {
  static const char grid[] = "task = gradient\nvary.stiffness = 1 to 3 in 3\n";
  static const char *const methods[] = {"direct", "discrete_adjoint"}, *const names[] = {"decided1", "decided2"};
  double d[2];
  for (int i = 0; i < 2; i++) {
    char path[96];
    mbd_error err = {0};
    study *s = study_of(names[i], grid);
    CHECK_CONTAINS(s->decided[0], "measured: a simulation takes ");
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    study_destroy(s);
    decide(path, methods[i]);
    must(study_open(path, 0, NULL, &s, &err), &err);
    d[i] = recorded(s);
    CU_ASSERT_EQUAL(d[i], by_method(s, methods[i]));
    study_destroy(s);
    s = study_of(names[i], grid); /* the same command once more */
    CHECK_CONTAINS(s->decided[0], methods[i]);
    study_destroy(s);
  }
  CU_ASSERT(d[0] != d[1]); /* else nothing is shown here */
}

/* Nothing is measured where no gradients are taken or the run file names their method, unless runs set it back. */
static void test_not_decided(void) {
  static const char *const sweeps[] = {
      "vary.stiffness = 1 to 3 in 3\n", "task = gradient\nvary.stiffness = 1 to 3 in 3\n[gradient]\nmethod = direct\n",
      "task = gradient\nvary.gradient.method = direct, auto\n[gradient]\nmethod = none\n"};
  for (int i = 0; i < 3; i++) {
    study *s = study_of("not_decided", sweeps[i]);
    CU_ASSERT_EQUAL(s->decided[0] != NULL, i == 2);
    study_destroy(s);
  }
}

/* What was decided is not as it was written: the run says so. */
static void test_decided_edited(void) {
  char path[96];
  volatile sig_atomic_t stop = 0;
  runs_state state;
  mbd_error err = {0};
  study *s = study_of("decided3", "task = gradient\nvary.stiffness = 1 to 3 in 3\n");
  study_destroy(s);
  snprintf(path, sizeof path, "%s/decided3", folder);
  decide(path, "adjoint");
  must(study_open(path, 0, NULL, &s, &err), &err);
  must(run_do(s, 1, 2, &stop, &state, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_FAILED);
  check_error(s, 1, "decided3/study.json: what was decided about gradients is not as this program writes it");
  study_destroy(s);
}

/* ---- simulations ---- */

/* A design that cannot be assembled fails, even if no objective depends on the case. */
static void test_without_objectives(void) {
  static const char text[] = "schema = 1\n[model]\nfile = " MBOPT_SOURCE_DIR
                             "/problems/five_bar/five_bar.ini\n"
                             "[case swing]\nduration = 0.01\nstep = 0.01\n[sweep]\nvary.LA1 = 1.4, 20\n";
  char path[96];
  volatile sig_atomic_t stop = 0;
  mbd_error err = {0};
  mbo_run_config *c;
  sweep *w;
  study *s;
  snprintf(run_file, sizeof run_file, "%s/run.ini", folder);
  write_text(run_file, text);
  must(mbo_run_config_read(run_file, 0, NULL, &c, &err), &err);
  must(sweep_create(c, 0, NULL, &w, &err), &err);
  snprintf(path, sizeof path, "%s/without", folder);
  must(study_create(path, sweep_plan(w), &s, &err), &err);
  for (int i = 0; i < 2; i++) {
    runs_state state;
    must(run_do(s, i, i + 1, &stop, &state, &err), &err);
    CU_ASSERT_EQUAL(state, i == 0 ? RUN_DONE : RUN_FAILED);
  }
  check_error(s, 1, "case 'swing'");
  sweep_destroy(w), mbo_run_config_destroy(c), study_destroy(s);
}

/* ---- names of the table of runs ---- */

static void check_names(const char *sweep_text, const char *says) {
  mbo_run_config *c = config_of(sweep_text);
  sweep *w;
  study *s = NULL;
  mbd_error err = {0};
  char path[96];
  snprintf(path, sizeof path, "%s/names", folder);
  must(sweep_create(c, 0, NULL, &w, &err), &err);
  CU_ASSERT_EQUAL(study_create(path, sweep_plan(w), &s, &err), *says ? MBD_BAD_INPUT : MBD_OK);
  CHECK_CONTAINS(err.text, says);
  study_destroy(s);
  sweep_destroy(w);
  mbo_run_config_destroy(c);
}

static void test_names(void) {
  static const char of[] = "of = ground-bar.angle\nform = terminal\n";
  char text[400];
  static const char *const refused[][2] = {
      {"objective stiffness", "[objective stiffness]: the table of runs has a column 'stiffness' already"},
      {"objective objective", "[objective objective]: the table of runs has a column 'objective' of its own"},
      {"objective run", "[objective run]: the table of runs has a column 'run' of its own"},
      {"objective warnings", "[objective warnings]: the table of runs has a column 'warnings' of its own"},
      {"constraint violation", "[constraint violation]: the table of runs has a column 'violation' of its own"},
      {"constraint settle", "[constraint settle] has the name of an objective"}};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    snprintf(text, sizeof text, "vary.stiffness = 1, 2\n[%s]\n%s%s", refused[i][0], of,
             refused[i][0][0] == 'c' ? "upper = 9\n" : "");
    check_names(text, refused[i][1]);
  }
  snprintf(text, sizeof text, "vary.scalars.stiffness = 1, 2\n[objective stiffness]\n%s[objective violation]\n%s", of,
           of);
  check_names(
      text,
      ""); /* the whole key is another name; a violation is there only where there are constraints or runs optimize */
  snprintf(text, sizeof text, "task = optimize\nvary.stiffness = 1, 2\n[objective stages]\n%s", of);
  check_names(text, "[objective stages]: the table of runs has a column 'stages' of its own");
}

static void test_merge(void) {
  study *s = study_of("merge", "vary.stiffness = 1 to 3 in 3\n");
  mbd_error err = {0}, why;
  merged m;
  char line[200], *path = path_in(s->folder, "table.csv");
  for (long i = 2; i >= 0; i -= 2) {
    state_of(s, i);
    json_t *o = i ? json_pack("{s:s, s:s, s:{s:f, s:s}, s:[{s:s, s:s}, {s:s}]}", "status", "FAILED", "error",
                              "broke, \"twice\"", "columns", "v", 2.0, "w", "a b", "warnings", "case", "c", "text",
                              "too coarse", "text", "torn")
                  : record_of(0.1);
    must(runs_write(s, i, i ? RUN_FAILED : RUN_DONE, o, &err), &err);
  }
  must(merge_write(s, &m, &why, &err), &err);
  CU_ASSERT(m.done == 1 && m.failed == 1 && m.missing == 1 && m.ncolumn == 2);
  FILE *in = fopen(path, "r");
  static const char *const expected[] = {"run,status,v,w,warnings,seconds,error\n", "0,OK,0.10000000000000001,,,0.5,\n",
                                         "2,FAILED,2,a b,case 'c': too coarse; torn,,\"broke, \"\"twice\"\"\"\n"};
  for (int i = 0; i < 3; i++) {
    CU_ASSERT_PTR_NOT_NULL_FATAL(fgets(line, sizeof line, in));
    CU_ASSERT_STRING_EQUAL(line, expected[i]);
  }
  fclose(in);
  merged_free(&m);
  study_destroy(s);
  free(path);
}

/* A run far behind the first ones has a column that these lack. */
static void test_late_column(void) {
  study *s = study_of("late", "vary.stiffness = 1 to 3 in 1100\n");
  mbd_error err = {0}, why;
  merged m;
  char line[200], *path = path_in(s->folder, "table.csv");
  static const long runs[] = {0, 1, 1050};
  for (int k = 0; k < 3; k++) {
    must(runs_write(s, runs[k], RUN_DONE,
                    json_pack("{s:s, s:{s:i, s:i}}", "status", "OK", "columns", "v", k, k == 2 ? "w" : "v", 7), &err),
         &err);
  }
  must(merge_write(s, &m, &why, &err), &err);
  CU_ASSERT(m.done == 3 && m.failed == 0 && m.missing == 1097 && m.ncolumn == 2);
  FILE *in = fopen(path, "r");
  static const char *const expected[] = {"run,status,v,w,warnings,seconds,error\n", "0,OK,7,,,,\n", "1,OK,7,,,,\n",
                                         "1050,OK,2,7,,,\n"};
  for (int i = 0; i < 4; i++) {
    CU_ASSERT_PTR_NOT_NULL_FATAL(fgets(line, sizeof line, in));
    CU_ASSERT_STRING_EQUAL(line, expected[i]);
  }
  fclose(in);
  merged_free(&m);
  study_destroy(s);
  free(path);
}

/* More columns than SQLite takes: there is no database, nor that of an earlier merge beside the new table. */
static void test_many_columns(void) {
  enum { COLUMNS = 2100 };
  study *s = study_of("many", "vary.stiffness = 1 to 2 in 2\n");
  mbd_error err = {0}, why;
  merged m;
  char *path = path_in(s->folder, "study.sqlite");
  must(runs_write(s, 0, RUN_DONE, record_of(1), &err), &err);
  must(merge_write(s, &m, &why, &err), &err);
  merged_free(&m);
  if (why.code == MBD_OK) { /* built with SQLite */
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    json_t *o = record_of(2);
    for (int k = 0; k < COLUMNS; k++) {
      char name[20];
      snprintf(name, sizeof name, "c%d", k);
      json_object_set_new(json_object_get(o, "columns"), name, json_integer(k));
    }
    must(runs_write(s, 1, RUN_DONE, o, &err), &err);
    must(merge_write(s, &m, &why, &err), &err);
    CU_ASSERT_EQUAL(m.ncolumn, COLUMNS + 1);
    CU_ASSERT_EQUAL(why.code, MBD_UNSUPPORTED);
    CHECK_CONTAINS(why.text, "2101 columns are more than SQLite takes; table.csv has them all");
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    merged_free(&m);
  }
  study_destroy(s);
  free(path);
}

/* ---- profiles, by hand ---- */

static void put_run(study *s, long i, const double *f, int n) {
  mbd_error err = {0};
  json_t *list = json_array();
  for (int k = 0; k < n; k++) { json_array_append_new(list, json_pack("[f, f]", fabs(f[k]), f[k] < 0 ? 1.0 : 0.0)); }
  state_of(s, i);
  must(runs_write(
           s, i, RUN_DONE,
           json_pack("{s:s, s:{}, s:f, s:o}", "status", "OK", "columns", "tol_constraint", 1e-8, "simulations", list),
           &err),
       &err);
}

/* Values may be expressions, whose commas are no ends of values. */
static void test_expressions(void) {
  study *s = study_of("expressions", "vary.stiffness = max(1, 2), 3\nvary.damping = 4, min(5, (6))\n");
  volatile sig_atomic_t stop = 0;
  runs_state state;
  mbd_error err = {0};
  json_t *o;
  CU_ASSERT_EQUAL(s->n, 4);
  must(run_do(s, 1, 2, &stop, &state, &err), &err);
  must(runs_read(s, 1, &state, &o, &err), &err);
  CU_ASSERT_EQUAL(state, RUN_DONE);
  CU_ASSERT_STRING_EQUAL(s->points.row, "max(1, 2),min(5, (6))");
  CU_ASSERT_STRING_EQUAL(json_text_in(json_object_get(o, "columns"), "stiffness"), "max(1, 2)");
  json_decref(o);
  study_destroy(s);
}

static mbd_status compare_rows(void *user, const study_rows *to, mbd_error *err) {
  (void)user, (void)err;
  fputs("1,0,a\n1,0,b\n1,1,a\n1,1,b\n", to->out);
  return MBD_OK;
}

static void test_profiles(void) {
  static char problem[] = "problem", start[] = "start", backend[] = "backend", none[] = "";
  const study_column column[] = {
      {problem, STUDY_PROBLEM, none}, {start, STUDY_START, none}, {backend, STUDY_BACKEND, none}};
  mbd_error err = {0};
  profiles p;
  study *s;
  char path[96];
  mbo_run_config_destroy(config_of(""));
  const char *file = run_file;
  const study_plan plan = {.kind = "compare",
                           .task = "optimize",
                           .nfile = 1,
                           .file = &file,
                           .ncolumn = 3,
                           .column = column,
                           .n = 4,
                           .starts = 2,
                           .write_rows = compare_rows};
  snprintf(path, sizeof path, "%s/profiles", folder);
  must(study_create(path, &plan, &s, &err), &err);
  /* start 0: a needs 3 simulations to 1e-2 of 100 -> 0, b two; its second is infeasible (negative) in start 1 */
  put_run(s, 0, (const double[]){100, 50, 0.5, 0.001}, 4);
  put_run(s, 1, (const double[]){100, 0.9, 0}, 3);
  put_run(s, 2, (const double[]){10, 1}, 2);
  put_run(s, 3, (const double[]){10, -1, 5, 4}, 4);
  must(profiles_create(s, &p, &err), &err);
  CU_ASSERT(p.nbackend == 2 && p.ninstance == 2 && p.solved_by_none == 0);
  CU_ASSERT(p.best[0] == 0 && p.f0[0] == 100 && p.best[1] == 1 && p.f0[1] == 10);
  CU_ASSERT(profiles_cost(&p, 0, 0, 0) == 3 && profiles_cost(&p, 0, 0, 1) == 2 && profiles_cost(&p, 0, 1, 0) == 2 &&
            isinf(profiles_cost(&p, 0, 1, 1)));
  const profiles_part all = profiles_all(&p);
  CU_ASSERT(profiles_solved(&p, 0, 0, all) == 2 && profiles_solved(&p, 0, 1, all) == 1);
  double quartile[3];
  must(profiles_quartiles(profiles_costs(&p, 0, 0), all, quartile, &err), &err);
  CU_ASSERT(quartile[0] == 2.25 && quartile[1] == 2.5 && quartile[2] == 2.75);
  must(profiles_quartiles(profiles_costs(&p, 0, 1), all, quartile, &err), &err);
  CU_ASSERT(isinf(quartile[0]) && isinf(quartile[1]) && isinf(quartile[2])); /* of 2 and infinity */
  CU_ASSERT(profiles_data(&p, 0, 0, 2) == 0.5 && profiles_data(&p, 0, 0, 3) == 1 &&
            profiles_data(&p, 0, 1, 100) == 0.5);
  CU_ASSERT(profiles_performance(&p, 0, 0, 1) == 0.5 && profiles_performance(&p, 0, 0, 1.5) == 1);
  CU_ASSERT(profiles_solved(&p, 2, 0, all) == 1 && isinf(profiles_cost(&p, 2, 0, 0))); /* 0.001 is above 1e-6 of 100 */
  p.cost[0] = 15, p.cost[p.ninstance] = 11; /* (15/11) 11 is rounded to less than 15 */
  CU_ASSERT(profiles_performance(&p, 0, 0, 15.0 / 11) == 1);
  profiles_free(&p);
  study_destroy(s);
}

TEST_MAIN_IN(folder, TEST(test_grid), TEST(test_spread), TEST(test_table), TEST(test_refused), TEST(test_runs),
             TEST(test_files), TEST(test_removed), TEST(test_same_study), TEST(test_edited), TEST(test_decided),
             TEST(test_not_decided), TEST(test_decided_edited), TEST(test_without_objectives), TEST(test_names),
             TEST(test_merge), TEST(test_late_column), TEST(test_many_columns), TEST(test_expressions),
             TEST(test_profiles))
