/* mbopt report */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/page_engine.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/text_file.h"
#include "report/run_page.h"
#include "report/study_links.h"
#include "report/study_page.h"
#include "report/together_page.h"
#include "results/run_view.h"
#include "results/study_folder.h"

/* What pages need of a run. */
static mbd_status view_of(const run_folder *f, json_t **out, mbd_error *err) {
  return run_view_create(f, RUN_VIEW_PAGE | (run_page_draws_curves() ? RUN_VIEW_CURVES : RUN_VIEW_FIGURES), out, err);
}

static mbd_status report_run(const run_folder *f, const char *path, mbd_error *err) {
  json_t *view;
  MBD_TRY(view_of(f, &view, err));
  const mbd_status status = run_page_write(view, path, err);
  json_decref(view);
  return status;
}

/* ---- pages of single runs of a study, beside its own page ---- */

static mbd_status write_one(const study_data *d, const char *path, const char *prefix, long run, mbd_error *err) {
  run_folder *f = NULL;
  const char *name = study_links_name(path);
  char *file = mbd_sprintf_dup("%.*s%s%ld.html", (int)(name - path), path, prefix, run);
  mbd_status status = file ? study_folder_run(d, run, &f, err) : MEMORY_NONE(err, "the pages of the runs");
  if (status == MBD_OK) {
    f->study = mbd_strdup(name);
    status = f->study ? report_run(f, file, err) : MEMORY_NONE(err, "the pages of the runs");
  }
  run_folder_close(f);
  free(file);
  return status;
}

static mbd_status write_best(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  enum { BEST = 3 };
  for (int i = 0; i < d->ntop && i < BEST; i++) { MBD_TRY(write_one(d, path, prefix, d->top[i].run, err)); }
  return d->ntop > BEST ? write_one(d, path, prefix, d->worst.run, err) : MBD_OK;
}

/* All efficient points of a front: any of them may be chosen. */
static mbd_status write_efficient(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  enum { MAX = 50 };
  for (int k = 0; k < d->front.nefficient && k < MAX; k++) {
    MBD_TRY(write_one(d, path, prefix, d->front.order[k], err));
  }
  return MBD_OK;
}

static mbd_status write_own_starts(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  enum { MAX = 12 };
  const int n = d->s->nfile * d->profiles.nbackend;
  for (int i = 0, k = 0; i < n && k < MAX; i++) {
    runs_state state = RUN_MISSING;
    if (d->from_own[i] >= 0) { MBD_TRY(runs_look(d->s, d->from_own[i], &state, err)); }
    if (state != RUN_DONE) { continue; }
    MBD_TRY(write_one(d, path, prefix, d->from_own[i], err));
    k++;
  }
  return MBD_OK;
}

static mbd_status write_all(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  for (long i = 0; i < d->s->n; i++) {
    runs_state state;
    MBD_TRY(runs_look(d->s, i, &state, err));
    if (state == RUN_DONE) { MBD_TRY(write_one(d, path, prefix, i, err)); }
  }
  return MBD_OK;
}

mbd_status cli_next_run(const char *which, const char *words, const char **at, long *run, mbd_error *err) {
  char *end;
  errno = 0;
  *run = strtol(*at, &end, 10);
  if (end == *at || errno || *run < 0 || (*end && *end != ',') || (*end == ',' && !end[1])) {
    MBD_FAIL(err, MBD_BAD_INPUT, "runs '%s', expected numbers with commas between them, as 3,17%s", which, words);
  }
  *at = *end ? end + 1 : end;
  return MBD_OK;
}

static mbd_status write_list(const study_data *d, const char *path, const char *prefix, const char *which,
                             mbd_error *err) {
  const char *at = which;
  do {
    long run;
    MBD_TRY(cli_next_run(which, ", or all, or none", &at, &run, err));
    MBD_TRY(write_one(d, path, prefix, run, err));
  } while (*at);
  return MBD_OK;
}

/* Writes the pages of the runs in `which`: numbers separated by commas, "all" finished ones, "none", or NULL: the three best and the worst;
 * for a comparison the runs from the problems' own starts, at most twelve; for a front its efficient points, at most fifty. path: the study's page. */
static mbd_status write_runs(const study_data *d, const char *path, const char *which, mbd_error *err) {
  if ((!which && !d->m) || (which && strcmp(which, "none") == 0)) { return MBD_OK; }
  char *prefix = study_links_prefix(path);
  MEMORY_TRY(prefix, err, "the pages of the runs");
  const mbd_status status = which && strcmp(which, "all") == 0 ? write_all(d, path, prefix, err)
                            : which                            ? write_list(d, path, prefix, which, err)
                            : d->kind == KIND_COMPARE          ? write_own_starts(d, path, prefix, err)
                            : d->kind == KIND_PARETO           ? write_efficient(d, path, prefix, err)
                                                               : write_best(d, path, prefix, err);
  free(prefix);
  return status;
}

/* What --json prints: the data from which the page of a run is drawn; of a study those of its best run. */
static mbd_status data_of(const cli_arguments *a, int is_study, json_t **out, mbd_error *err) {
  run_folder *f = NULL;
  study_data *d = NULL;
  *out = NULL;
  mbd_status status = is_study ? study_data_open(a->file, &cli_stop, &d, err) : run_folder_open(a->file, &f, err);
  if (d) { status = study_folder_best(d, &f, err); }
  if (f) { f->m->stop = &cli_stop; }
  if (status == MBD_OK && f) { status = run_view_create(f, RUN_VIEW_PAGE | RUN_VIEW_FIGURES, out, err); }
  if (status == MBD_OK && !f) { status = MBD_FAILED(err, MBD_BAD_INPUT, "%s has no best run to tell of", a->file); }
  run_folder_close(f);
  study_data_close(d);
  return status;
}

mbd_status cli_report_study(const char *folder, const char *runs, int motions, double live, const char *path,
                            const volatile sig_atomic_t *stop, long *left, mbd_error *err) {
  study_data *d = NULL;
  run_folder *f = NULL;
  json_t *best = NULL;
  mbd_error why = {0};
  const int whole = motions && live == 0;
  MBD_TRY(study_data_open(folder, stop, &d, err));
  *left = d->left;
  if (whole && runs_damage(d->s)) { fprintf(stderr, "mbopt: warning: %s\n", runs_damage(d->s)); }
  mbd_status status = whole ? write_runs(d, path, runs, err) : MBD_OK;
  /* The best run as it is today; the page says so where it can no longer be configured. */
  if (status == MBD_OK && whole) {
    const mbd_status opened = study_folder_best(d, &f, &why);
    if (opened == MBD_NO_MEMORY || opened == MBD_INTERRUPTED) { *err = why, status = opened; }
  }
  if (status == MBD_OK && f) { status = view_of(f, &best, err); }
  run_folder_close(f);
  if (status == MBD_OK) { status = study_page_write(d, best, &why, live, path, err); }
  json_decref(best);
  study_data_close(d);
  return status;
}

mbd_status cli_report_run(const char *folder, const char *path, const volatile sig_atomic_t *stop, mbd_error *err) {
  run_folder *f = NULL;
  MBD_TRY(run_folder_open(folder, &f, err));
  f->m->stop = stop;
  const mbd_status status = report_run(f, path, err);
  run_folder_close(f);
  return status;
}

/* ---- a page that computes ---- */

/* The view of a run with the files that it was read from. */
static mbd_status view_with_files(const char *folder, json_t *files, json_t **view, mbd_error *err) {
  run_folder *f = NULL;
  text_files_keep(files);
  mbd_status status = run_folder_open(folder, &f, err);
  if (status == MBD_OK) {
    f->m->stop = &cli_stop;
    status = view_of(f, view, err);
  }
  text_files_keep(NULL);
  run_folder_close(f);
  return status;
}

/* A text without the lines of comments, which explain every key of resolved.ini, in new memory. */
static char *without_comments(const char *text) {
  char *kept = mbd_strdup(text), *to = kept;
  for (const char *line = text, *next; kept && *line; line = next) {
    next = line + strcspn(line, "\n");
    next += *next == '\n';
    if (*line == ';') { continue; }
    memcpy(to, line, (size_t)(next - line));
    to += next - line;
  }
  if (kept) { *to = '\0'; }
  return kept;
}

/* The page needs the run file, what it names, and no results. */
static void thin_out(const char *folder, json_t *files) {
  char *run = path_in(folder, "resolved.ini"), *result = path_in(folder, "result.json");
  const char *text = run ? json_string_value(json_object_get(files, run)) : NULL;
  if (text) { json_object_set_new(files, run, json_own_text(without_comments(text))); }
  if (result) { json_object_del(files, result); }
  free(run), free(result);
}

static mbd_status report_computing(const char *folder, const char *path, mbd_error *err) {
  json_t *engine, *view = NULL, *files = json_object();
  mbd_status status = page_engine(&engine, err);
  if (status == MBD_OK) { status = view_with_files(folder, files, &view, err); }
  if (status == MBD_OK) {
    thin_out(folder, files);
    json_object_set(engine, "files", files);
    json_object_set_new(engine, "run", json_own_text(path_in(folder, "resolved.ini")));
    json_object_set(view, "engine", engine);
    status = run_page_write(view, path, err);
  }
  json_decref(engine), json_decref(view), json_decref(files);
  return status;
}

/* ---- several runs in one page ---- */

static mbd_status add_run(const char *folder, json_t *runs, mbd_error *err) {
  run_folder *f = NULL;
  json_t *view = NULL;
  int is_study;
  MBD_TRY(study_data_is(folder, &is_study, err));
  if (is_study) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s is the folder of a study, which has a page of its own: mbopt report %s; a page of several runs takes "
        "folders of optimize and simulate, as mbopt simulate writes one from the study's run file with the values of "
        "a line of table.csv by --set design.NAME.start=",
        folder, folder);
  }
  mbd_status status = run_folder_open(folder, &f, err);
  if (status == MBD_OK) {
    f->m->stop = &cli_stop;
    status = run_view_create(f, RUN_VIEW_PAGE | RUN_VIEW_CURVES, &view, err);
  }
  if (status == MBD_OK) { json_array_append_new(runs, view); }
  run_folder_close(f);
  return status;
}

static mbd_status report_together(const cli_arguments *a, mbd_error *err) {
  if (!a->output || a->runs || a->json || a->live) {
    MBD_FAIL(err, MBD_BAD_INPUT, "several runs make one page: expected --output FILE%s", a->output ? " alone" : "");
  }
  if (!run_page_draws_curves()) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "a page of several runs needs dygraphs: install the package libjs-dygraphs and build mbopt anew");
  }
  json_t *runs = json_array();
  mbd_status status = MBD_OK;
  for (int i = 0; i < a->nfile && status == MBD_OK; i++) { status = add_run(a->files[i], runs, err); }
  if (status == MBD_OK) { status = together_page_write(runs, a->output, err); }
  json_decref(runs);
  return status;
}

/* ---- a study that others do ---- */

typedef struct followed {
  const cli_arguments *a;
  const char *path;
  long left;
} followed;

static mbd_status write_followed(void *user, double live, const char *path, mbd_error *err) {
  static const volatile sig_atomic_t never = 0;
  followed *f = user;
  (void)path; /* that of --output comes first */
  return cli_report_study(f->a->file, f->a->runs, f->left == 0, live, f->path, live > 0 ? &cli_stop : &never, &f->left,
                          err);
}

/* Writes the page of a study anew until none of its runs is left, or a signal comes. */
static mbd_status follow(const cli_arguments *a, const char *path, mbd_error *err) {
  static const struct timespec pause = {.tv_nsec = 200000000};
  followed f = {a, path, 1};
  cli_live live = {.folder = a->file, .write = write_followed, .user = &f, .quiet = 1};
  if (a->verbosity >= 0) { fprintf(stderr, "mbopt: live page: %s\n", path); }
  for (cli_live_look(&live); f.left && live.folder && !cli_stop; cli_live_look(&live)) { nanosleep(&pause, NULL); }
  if (live.folder) { cli_live_end(&live); }
  if (!live.folder && !cli_stop) {
    *err = live.err;
    return live.err.code;
  }
  if (f.left) { MBD_FAIL(err, MBD_INTERRUPTED, "interrupted; %ld runs are left", f.left); }
  return MBD_OK;
}

static mbd_status report(const cli_arguments *a, const char *path, json_t **data, mbd_error *err) {
  int is_study;
  long left;
  if (a->nfile > 1) { return report_together(a, err); }
  MBD_TRY(study_data_is(a->file, &is_study, err));
  if (a->json) { return data_of(a, is_study, data, err); }
  if (is_study && a->live) { return follow(a, path, err); }
  if (is_study) { return cli_report_study(a->file, a->runs, 1, 0, path, &cli_stop, &left, err); }
  if (a->runs) { MBD_FAIL(err, MBD_BAD_INPUT, "--runs is for studies; %s is the folder of one run", a->file); }
  if (a->live) { return report_computing(a->file, path, err); }
  return cli_report_run(a->file, path, &cli_stop, err);
}

int command_report(const cli_arguments *a) {
  mbd_error err = {0};
  json_t *data = NULL;
  char *path = a->output ? mbd_strdup(a->output) : path_in(a->file, "report.html");
  const mbd_status status = path ? report(a, path, &data, &err) : MEMORY_NONE(&err, "the report");
  if (status == MBD_OK && a->verbosity >= 0 && !data) { puts(path); }
  free(path);
  int code = status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
  if (data) { code = cli_print_json(data, code); }
  json_decref(data);
  return code;
}
