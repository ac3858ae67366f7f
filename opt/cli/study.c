/* mbopt compare, sweep, multistart, pareto, resume, work, merge: studies of many runs */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/live.h"
#include "files/memory.h"
#include "files/plural.h"
#include "mechanism/choices.h"
#include "mechanism/lockstep.h"
#include "files/json.h"
#include "results/study_data.h"
#include "results/study_importance.h"
#include "study/engine.h"
#include "study/lock.h"
#include "study/compare.h"
#include "study/merge.h"
#include "study/equivalent.h"
#include "study/multistart.h"
#include "study/pareto.h"
#include "study/sweep.h"

/* ---- progress ---- */

typedef struct progress {
  int quiet, on_terminal;
  double last; /* [s] time of the last line, where each line is kept */
  cli_live page;
  long left; /* runs, when the page was written last */
} progress;

static mbd_status write_live(void *user, double live, const char *path, mbd_error *err) {
  static const volatile sig_atomic_t never = 0;
  progress *p = user;
  return cli_report_study(p->page.folder, NULL, !cli_stop, live, path, &never, &p->left, err);
}

static void on_progress(void *user, const engine_progress *now) {
  static const double pause = 10;
  progress *p = user;
  const long present = now->done + now->failed;
  cli_live_look(&p->page);
  if (p->quiet || (!p->on_terminal && present < now->total && now->seconds < p->last + pause)) { return; }
  p->last = now->seconds;
  fprintf(stderr, "%s%ld of %ld run%s", p->on_terminal ? "\r" : "", present, now->total, plural(now->total));
  if (now->failed) { fprintf(stderr, ", %ld failed", now->failed); }
  if (isfinite(now->left) && present < now->total) { fprintf(stderr, ", about %.0f s left", now->left); }
  fputs(p->on_terminal ? "   " : "\n", stderr);
}

/* ---- doing runs ---- */

/* Failures in a part of the report leave it out, unless memory has run out. */
static mbd_status left_out(mbd_status status) {
  return status == MBD_NO_MEMORY ? status : MBD_OK;
}

static mbd_status tell_comparisons(study *s, json_t *o, mbd_error *err) {
  if (strcmp(s->kind, "compare") != 0 || comparison_is(s)) { return MBD_OK; }
  return left_out(cli_tell_comparisons(s, o, err));
}

static void print_value(const char *name, const json_t *v) {
  if (json_is_number(v)) { printf("  %-24s %.9g\n", name, json_number_value(v)); }
  if (json_is_string(v)) { printf("  %-24s %s\n", name, json_string_value(v)); }
}

/* Prints the settings of the best run, and the result of its optimization. */
static void print_best(const study_data *d, const json_t *columns, const char *edges) {
  const char *name;
  json_t *v;
  printf("least objective: %.9g, of run %ld\n", d->top[0].f, d->top[0].run);
  for (int k = 0; k < d->keys.n; k++) {
    print_value(d->keys.key[k].name, json_object_get(columns, d->keys.key[k].name));
  }
  json_object_foreach((json_t *)columns, name, v) {
    if (strncmp(name, "result.", strlen("result.")) == 0) { print_value(name, v); }
  }
  if (edges && *edges) {
    printf("it lies at the edge of what was varied, so a wider range may have a better one: %s\n", edges);
  }
}

/* The key with the largest index of those that are not `told` yet; told [keys] becomes 1 for it. */
static const json_t *next_key(const json_t *keys, int *told) {
  const json_t *key;
  size_t j, largest = 0;
  double max = -1;
  json_array_foreach(keys, j, key) {
    if (!told[j] && json_number_in(key, "first") > max) { max = json_number_in(key, "first"), largest = j; }
  }
  told[largest] = 1;
  return json_array_get(keys, largest);
}

/* Prints what the first quantity with indices depends on: "psi1 varies with a (61 %), b (30 %), and several together (9 %)". */
static mbd_status print_importance(const json_t *all, mbd_error *err) {
  enum { MAX = 5 };
  const json_t *one = NULL;
  size_t k;
  json_array_foreach(all, k, one) {
    if (!*json_text_in(one, "reason")) { break; }
  }
  const json_t *keys = json_object_get(one, "keys");
  const size_t n = json_array_size(keys);
  if (!one || k == json_array_size(all)) { return MBD_OK; }
  int *told = mbd_zeros(n, sizeof *told);
  MEMORY_TRY(told, err, "the importance of keys");
  double rest = 1;
  printf("%s varies with", json_text_in(one, "quantity"));
  for (size_t j = 0; j < n; j++) {
    const json_t *key = next_key(keys, told);
    const double first = json_number_in(key, "first");
    if (j < MAX) { printf("%s %s (%.3g %%)", j ? "," : "", json_text_in(key, "name"), 100 * first); }
    rest -= first;
  }
  printf("%s, and several together (%.3g %%)\n", n > MAX ? ", others less" : "", 100 * fmax(rest, 0));
  free(told);
  return MBD_OK;
}

/* Of a sweep, printed or into *o: the best run, whether it lies at an edge, and which keys matter. */
static mbd_status tell_sweep(const study_data *d, json_t *o, mbd_error *err) {
  json_t *record = NULL, *all = NULL;
  mbd_status status = MBD_OK;
  if (d->kind != KIND_SWEEP) { return MBD_OK; }
  if (d->ntop > 0) { status = study_data_run(d, d->top[0].run, &record, err); }
  if (status == MBD_OK) { status = study_importance(d, &all, err); }
  const json_t *columns = json_object_get(record, "columns");
  char *edges = status == MBD_OK && columns ? study_edges(d, columns) : NULL;
  if (status == MBD_OK && !o) {
    if (columns) { print_best(d, columns, edges); }
    status = print_importance(all, err);
  } else if (status == MBD_OK) {
    json_object_set_new(o, "best", columns ? json_integer(d->top[0].run) : json_null());
    json_object_set_new(o, "edges", json_text(edges ? edges : ""));
    json_object_set(o, "importance", all);
  }
  free(edges);
  json_decref(record), json_decref(all);
  return left_out(status);
}

/* Prints the different optima of a multistart, best first, and how many runs reached each. */
static void print_optima(const study_data *d) {
  enum { MAX = 10 };
  if (d->kind != KIND_MULTISTART) { return; } /* other kinds of studies have none */
  /* The first optima in a table, with their variables. */
  const optima *optima_found = &d->optima;
  printf("different ends: %d\n%10s %16s %8s", optima_found->n, "runs", "objective", "best run");
  for (int j = 0; j < d->nx && j < MAX; j++) { printf(" %14s", d->x[j]); }
  for (int j = 0; j < d->nvaried; j++) { printf(" %14s", d->varied[j]); }
  putchar('\n');
  for (int i = 0; i < optima_found->n && i < MAX; i++) {
    const optimum *optimum_found = &optima_found->found[i];
    printf("%10ld %16.9g %8ld", optimum_found->found, optimum_found->f, optimum_found->run);
    for (int j = 0; j < d->nx && j < MAX; j++) { printf(" %14.8g", optimum_found->x[j]); }
    for (int j = 0; j < d->nvaried; j++) { printf(" %14.8g", optimum_found->x[d->nx + j]); }
    if (optimum_found->as) {
      printf("  %s of the one of run %ld", optimum_found->as, optima_found->found[optimum_found->same].run);
    }
    putchar('\n');
  }
  if (optima_found->lacking) { fputs(optima_found->lacking, stdout); }
  if (optima_found->n > MAX) { printf("and %d more\n", optima_found->n - MAX); }
  /* Runs that a limit has stopped, and that ended at no optimum of another run; the best one is named. */
  if (optima_found->stopped) {
    printf("no ends: %ld run%s that a limit has stopped, the best at %.9g (run %ld)\n", optima_found->stopped,
           plural(optima_found->stopped), optima_found->stopped_f, optima_found->stopped_run);
  }
  if (optima_found->outside) {
    printf("outside of the limits: %ld run%s, at least by %.2g (run %ld); more optimizer.max_evaluations may help\n",
           optima_found->outside, plural(optima_found->outside), optima_found->outside_v, optima_found->outside_run);
  }
  /* The probability that one more start ends at a new optimum; it is not known after few starts. */
  if (isfinite(optima_missed(optima_found))) {
    printf("chance that one more start ends elsewhere, and perhaps better: %.2g %%\n",
           100 * optima_missed(optima_found));
  }
}

/* The front as JSON: its points by the first objective, then those that are not efficient. */
static json_t *front_json(const pareto_front *p) {
  json_t *list = json_array(), *names = json_array();
  const int last = p->front.m - 1;
  for (int k = 0; k <= last; k++) { json_array_append_new(names, json_text(p->name[k])); }
  for (int at = 0; at < p->nefficient + p->front.planned; at++) {
    const int i = at < p->nefficient ? p->order[at] : at - p->nefficient;
    const front_point *point = &p->front.point[i];
    if (at >= p->nefficient && (point->state == FRONT_EFFICIENT || point->state == FRONT_UNKNOWN)) { continue; }
    json_t *values = json_object(), *slopes = json_object();
    for (int k = 0; k <= last; k++) { json_object_set_new(values, p->name[k], json_number(pareto_value(p, i, k))); }
    for (int k = 0; k < last; k++) {
      json_object_set_new(slopes, p->name[k], json_number(pareto_slope(p, i, last, k)));
    }
    json_array_append_new(
        list, json_pack("{s:i, s:s, s:b, s:o, s:o, s:i}", "run", i, "point", front_state_name(point->state), "stopped",
                        point->stopped, "objectives", values, "slopes", slopes, "wave", point->wave));
  }
  return json_pack("{s:o, s:o, s:o}", "objectives", names, "points", list, "knee",
                   p->knee < 0 ? json_null() : json_integer(p->knee));
}

/* Prints the efficient points by their first objective, with the slopes of the front, and how many others there are. */
static void print_front(const pareto_front *p) {
  const int m = p->front.m;
  int others[FRONT_NOT_NEEDED + 1] = {0};
  printf("%8s", "run");
  for (int k = 0; k < m; k++) { printf(" %16.16s", p->name[k]); }
  for (int k = 0; k + 1 < m; k++) {
    char *slope = mbd_sprintf_dup("d %s/d %s", p->name[m - 1], p->name[k]);
    printf(" %16s", slope ? slope : "");
    free(slope);
  }
  putchar('\n');
  for (int at = 0; at < p->nefficient; at++) {
    const int i = p->order[at];
    if (at > 0 && pareto_has_gap(p, p->order[at - 1], i)) { puts("       -  gap"); }
    printf("%8d", i);
    for (int k = 0; k < m; k++) { printf(" %16.9g", pareto_value(p, i, k)); }
    for (int k = 0; k + 1 < m; k++) { printf(" %16.6g", pareto_slope(p, i, m - 1, k)); }
    printf("%s%s\n", i == p->knee ? "  knee" : "", p->front.point[i].stopped ? "  stopped by a limit, no optimum" : "");
  }
  for (int i = 0; i < p->front.planned; i++) { others[p->front.point[i].state]++; }
  for (front_state s = FRONT_DOMINATED; s <= FRONT_NOT_NEEDED; s++) {
    if (others[s]) { printf("%s: %d point%s\n", front_state_name(s), others[s], plural(others[s])); }
  }
}

/* Prints why runs failed; reasons that differ only in numbers are printed once. */
static void print_failures(const study_data *d) {
  enum { MAX = 5 };
  /* The first reasons, and the number of runs that failed for others. */
  const study_reasons *reasons = &d->failures;
  long others = reasons->more;
  for (int k = 0; k < reasons->n; k++) {
    const study_reason *reason = &reasons->v[k];
    if (k < MAX) {
      fprintf(stderr, "mbopt: %ld run%s failed, %srun %ld (%s): %s\n", reason->n, reason->n > 1 ? "s" : "",
              reason->n > 1 ? "the first of them " : "", reason->run, reason->values, reason->text);
    } else {
      others += reason->n;
    }
  }
  if (others) {
    fprintf(stderr, "mbopt: %ld more run%s failed for other reasons, which table.csv has\n", others, plural(others));
  }
}

static int tells_failures(const cli_arguments *a, const study *s, const merged *m) {
  return m->failed && !comparison_is(s) && (a->verbosity >= 0 || !m->done);
}

/* Reads the study for what is told of sweeps, multistarts and failures. *d: NULL where nothing is, or where it cannot be read, which leaves these parts
 * of the report out. */
static mbd_status open_data(const cli_arguments *a, const study *s, const merged *m, study_data **d, mbd_error *err) {
  const int is_text = !a->json && a->verbosity >= 0;
  const int tells = strcmp(s->kind, "sweep") == 0 ? a->json || is_text : strcmp(s->kind, "multistart") == 0 && is_text;
  *d = NULL;
  return tells || tells_failures(a, s, m) ? left_out(study_data_open(s->folder, &cli_stop, d, err)) : MBD_OK;
}

/* Prints the result on standard output, and finds the exit code. d: open_data. */
static mbd_status print_result(const cli_arguments *a, study *s, const merged *m, const study_data *d, int *code,
                               mbd_error *err) {
  json_t *o = NULL;
  if (a->json) {
    o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "kind", s->kind, "runs", (json_int_t)s->n, "done",
                  (json_int_t)m->done, "failed", (json_int_t)m->failed, "left", (json_int_t)m->missing, "with_warnings",
                  (json_int_t)m->warned, "folder", json_text(s->folder));
  }
  if (o && s->batch > 1) { json_object_set_new(o, "in_lanes", lockstep_counts_json(m->in_lanes)); }
  if (o && pareto_is(s)) { json_object_set_new(o, "front", front_json(&m->front)); }
  mbd_status status = comparison_is(s) ? cli_tell_comparison(a, s, o, code, err) : MBD_OK;
  if (status == MBD_OK && d && (a->json || a->verbosity >= 0)) { status = tell_sweep(d, o, err); }
  if (status == MBD_OK && (a->json || a->verbosity >= 0)) { status = tell_comparisons(s, o, err); }
  if (status == MBD_OK && a->json) {
    *code = cli_print_json(o, *code);
  } else if (status == MBD_OK && a->verbosity >= 0) {
    if (d) { print_optima(d); }
    if (pareto_is(s)) { print_front(&m->front); }
    printf("%s: %ld run%s: %ld done, %ld failed, %ld left; results in %s/table.csv\n", s->origin[0], s->n, plural(s->n),
           m->done, m->failed, m->missing, s->folder);
    if (s->batch > 1) { cli_print_lanes(stdout, m->in_lanes); }
  }
  json_decref(o);
  return status;
}

static int report_end(const cli_arguments *a, study *s, const merged *m) {
  mbd_error err = {0};
  study_data *d = NULL;
  int code = m->done ? EXIT_CONVERGED : EXIT_START;
  mbd_status status = open_data(a, s, m, &d, &err);
  if (status == MBD_OK) { status = print_result(a, s, m, d, &code, &err); }
  if (status == MBD_OK && m->missing && !cli_stop) {
    fprintf(stderr, "mbopt: 'mbopt resume %s' does the runs that are left\n", s->folder);
  }
  /* warnings and failures, which a comparison has printed already, by the names of backends */
  if (status == MBD_OK && m->warned && a->verbosity >= 0 && !comparison_is(s)) {
    fprintf(
        stderr,
        "mbopt: warning: the record%s of %ld run%s hold%s warnings; 'mbopt status %s --runs %ld' prints the first\n",
        plural(m->warned), m->warned, plural(m->warned), m->warned == 1 ? "s" : "", s->folder, m->first_warned);
  }
  if (status == MBD_OK && d && tells_failures(a, s, m)) { print_failures(d); }
  study_data_close(d);
  return status == MBD_OK ? code : cli_error(&err, cli_exit_code(status));
}

/* Writes the tables; study.sqlite is left out if the build lacks SQLite. */
static mbd_status merge(study *s, merged *m, mbd_error *err) {
  mbd_error why;
  MBD_TRY(merge_write(s, m, &why, err));
  if (why.code != MBD_OK) { fprintf(stderr, "mbopt: %s\n", why.text); }
  return MBD_OK;
}

static void warn_of_damage(const cli_arguments *a, const study *s) {
  if (a->verbosity >= 0 && runs_damage(s)) { fprintf(stderr, "mbopt: warning: %s\n", runs_damage(s)); }
}

static void warn_of_locks(const cli_arguments *a, const study *s) {
  const char *why;
  if (a->dry_run || lock_works(s->folder, &why)) { return; }
  fprintf(stderr,
          "mbopt: warning: %s is on a file system without locks (%s), so nothing keeps two commands from doing the "
          "same runs at once; see to it that this one alone does\n",
          s->folder, why);
}

/* The runs of a front follow from each other: by waves on this machine; a queue gets all of them as one job, which does so. */
static mbd_status perform(const engine_ops *engine, const engine_task *t, engine_progress *now, mbd_error *err) {
  const int by_waves = pareto_is(t->s) && !t->dry && !engine->describe;
  return by_waves ? pareto_perform(engine, t, now, err) : engine->perform(t, now, err);
}

/* Performs the runs from first to last by the engine of the study, and, if no run is missing then, merges and reports
 * them. Returns the exit code. */
static int do_runs(const cli_arguments *a, study *s, long first, long last) {
  mbd_error err = {0};
  if (a->verbosity >= 0) { warn_of_locks(a, s); }
  progress shown = {.quiet = a->verbosity < 0, .on_terminal = isatty(STDERR_FILENO)};
  shown.page = (cli_live){
      .folder = a->live && !a->dry_run ? s->folder : NULL, .write = write_live, .user = &shown, .quiet = shown.quiet};
  const engine_ops *engine = engine_find(s->config->study.engine);
  engine_progress q = {0};
  const engine_task t = {.s = s,
                         .first = first,
                         .last = last,
                         .retry_failed = a->retry_failed,
                         .dry = a->dry_run,
                         .wait = a->wait,
                         .allow_plugins = a->allow_plugins,
                         .allow_commands = a->allow_commands,
                         .command = a->command_text,
                         .out = a->verbosity < 0 || a->json ? NULL : stdout,
                         .stop = &cli_stop,
                         .program = cli_program(),
                         .progress = on_progress,
                         .user = &shown};
  /* A part looks at its own records, a point of a front at those of others. */
  mbd_status status = pareto_is(s) ? runs_open(s, 0, s->n, 0, &err) : runs_open(s, first, last, 0, &err);
  if (status == MBD_OK) { warn_of_damage(a, s); }
  if (status == MBD_OK && !a->dry_run) { status = study_open_plugins(s, &err); }
  if (status == MBD_OK && !a->dry_run) { status = study_check_commands(s, &err); }
  if (status == MBD_OK) { status = perform(engine, &t, &q, &err); }
  if (shown.on_terminal && !shown.quiet && shown.last > 0) { fputc('\n', stderr); }
  cli_live_end(&shown.page);
  if (status == MBD_INTERRUPTED) {
    fprintf(stderr, "mbopt: interrupted; %s\n", err.text);
    return EXIT_INTERRUPTED;
  }
  if (status != MBD_OK) { return cli_error(&err, cli_exit_code(status)); }
  /* The end, unless there is nothing to merge yet. */
  if (a->dry_run || q.total == 0 || first > 0 || last < s->n) { return EXIT_CONVERGED; }
  merged m = {0};
  status = runs_check_study(s, &err);
  if (status == MBD_OK) { status = merge(s, &m, &err); }
  const int code = status == MBD_OK ? report_end(a, s, &m) : cli_error(&err, cli_exit_code(status));
  merged_free(&m);
  return code;
}

/* Does all runs of a study, unless another process does them already. */
static int do_all(const cli_arguments *a, study *s) {
  mbd_error err = {0};
  if (!a->dry_run && engine_check_idle(s->folder, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  return do_runs(a, s, 0, s->n);
}

/* ---- new studies ---- */

/* Prints how gradients are computed in the runs of a single file. */
static mbd_status print_choice(const cli_run *r, const study *s, mbd_error *err) {
  if (r->a->verbosity < 0 || s->nfile > 1 || strcmp(s->task, "simulate") == 0) { return MBD_OK; }
  if (s->decided[0]) { MBD_TRY(choices_take(r->m, s->decided[0], err)); }
  cli_print_choice(stderr, r->m);
  return MBD_OK;
}

/* Creates a new study in `--output`, or in the folder of results with a suffix, does its runs, merges them and prints the result. */
static int begin_study(const cli_run *r, const study_plan *plan, const char *suffix) {
  mbd_error err = {0};
  study *s = NULL;
  char *folder = r->a->output ? mbd_strdup(r->a->output) : mbd_sprintf_dup("%s_%s", r->config->output.folder, suffix);
  study_plan until_stopped = *plan;
  until_stopped.stop = &cli_stop;
  mbd_status status = folder ? cli_make_folder(r, folder, &err) : MEMORY_NONE(&err, "the study");
  if (status == MBD_OK) { status = study_create(folder, &until_stopped, &s, &err); }
  if (status == MBD_OK && s->earlier && r->a->verbosity >= 0) {
    fprintf(stderr, "mbopt: another study in %s is kept in %s\n", folder, s->earlier);
  }
  if (status == MBD_OK) { status = print_choice(r, s, &err); }
  const int code = status == MBD_OK ? do_all(r->a, s) : cli_error(&err, cli_exit_code(status));
  study_destroy(s);
  free(folder);
  return code;
}

/* Starts of a comparison are of one assembly each: that of the run file. */
static void tell_vary(const cli_run *r) {
  for (int i = 0; i < r->a->nfile && r->a->verbosity >= 0; i++) {
    mbo_run_config *c = NULL;
    if (mbo_run_config_read(r->a->files[i], r->a->nset, r->a->set, &c, NULL) == MBD_OK && c->multistart.vary.name.n) {
      const char *key = c->multistart.vary.name.v[0];
      fprintf(stderr,
              "mbopt: warning: %s: starts of compare do not take the numbers of [multistart] vary.%s in turn: all have "
              "the run file's; --set %s=NUMBER compares with another one\n",
              c->path, key, key);
    }
    mbo_run_config_destroy(c);
  }
}

int command_compare(cli_run *r) {
  mbd_error err = {0};
  compare_plan *c;
  const char *name, *why;
  if (r->config->nobjective == 0) { return cli_no_objective(r); }
  const mbd_status status = compare_create(r->a->nfile, r->a->files, r->a->nset, r->a->set, r->a->starts, &c, &err);
  if (status != MBD_OK) { return cli_error(&err, cli_exit_code(status)); }
  for (int i = 0; r->a->verbosity >= 0 && (name = compare_left_out(c, i, &why)) != NULL; i++) {
    fprintf(stderr, "left out: %s: %s\n", name, why);
  }
  if (compare_study_plan(c)->starts > 1) { tell_vary(r); }
  const int code = begin_study(r, compare_study_plan(c), "compare");
  compare_destroy(c);
  return code;
}

int command_sweep(cli_run *r) {
  mbd_error err = {0};
  sweep *plan;
  mbd_status status = sweep_create(r->config, r->a->nset, r->a->set, &plan, &err);
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  const int code = begin_study(r, sweep_plan(plan), "sweep");
  sweep_destroy(plan);
  return code;
}

int command_multistart(cli_run *r) {
  mbd_error err = {0};
  int n = r->a->starts ? r->a->starts : r->config->multistart.starts;
  if (r->config->nobjective == 0) { return cli_no_objective(r); }
  multistart *plan;
  mbd_status status = n > 1 ? starts_check(r->m, &err) : MBD_OK;
  if (status == MBD_OK) { status = equivalents_check(r->m, &err); }
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  status = multistart_create(r->config, r->a->nset, r->a->set, n, &plan, &err);
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  const int code = begin_study(r, multistart_study_plan(plan), "multistart");
  multistart_destroy(plan);
  return code;
}

int command_pareto(cli_run *r) {
  mbd_error err = {0};
  int n;
  if (r->config->nobjective == 0) { return cli_no_objective(r); }
  if (pareto_check(r->m, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  const study_plan plan = pareto_plan(r->config, r->a->nset, r->a->set, &n);
  return begin_study(r, &plan, "pareto");
}

/* ---- existing studies ---- */

int command_resume(const cli_arguments *a) {
  mbd_error err = {0};
  study *s;
  mbd_status status = study_open(a->file, a->nset, a->set, &s, &err);
  const int code = status == MBD_OK ? do_all(a, s) : cli_error(&err, EXIT_CONFIGURATION);
  study_destroy(s);
  return code;
}

/* The part of this process among those that an MPI launcher started: "K/N" from the launcher's variables, in new memory; unchanged if
 * there is none. */
static mbd_status launched_chunk(char **chunk, mbd_error *err) {
  static const char *const variables[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                             {"PMI_RANK", "PMI_SIZE"}};
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *rank = getenv(variables[i][0]), *size = getenv(variables[i][1]);
    if (!rank || !size) { continue; }
    *chunk = mbd_sprintf_dup("%s/%s", rank, size);
    return *chunk ? MBD_OK : MEMORY_NONE(err, "a part of the study");
  }
  return MBD_OK;
}

/* "K/N": part K of N equal parts of a study, K from 0. */
static mbd_status read_chunk(const char *text, const study *s, long *first, long *last, mbd_error *err) {
  static const long max = 1000000000; /* so that products with the number of runs do not overflow */
  long k = 0, n = 0;
  int length = 0;
  if (sscanf(text, "%ld/%ld%n", &k, &n, &length) != 2 || text[length] || k < 0 || k >= n || n > max) {
    MBD_FAIL(err, MBD_BAD_INPUT, "--chunk %s, expected K/N with 0 <= K < N, and N at most %ld", text, max);
  }
  runs_part(s, k, n, first, last);
  return MBD_OK;
}

/* Finds the part that this process does with its workers: one for each process that a launcher started. */
static mbd_status find_part(const cli_arguments *a, study *s, long *first, long *last, mbd_error *err) {
  char *launched = NULL;
  if (!a->chunk) { MBD_TRY(launched_chunk(&launched, err)); }
  mbd_status status = read_chunk(a->chunk ? a->chunk : launched ? launched : "0/1", s, first, last, err);
  /* Points of a front follow from each other, so one process does all. */
  if (status == MBD_OK && pareto_is(s) && *last - *first < s->n) { *last = *first > 0 ? *first : s->n; }
  if (launched && !pareto_is(s) && s->config->study.jobs == 0) { s->config->study.jobs = 1; }
  free(launched);
  s->config->study.engine = "local";
  return status;
}

int command_work(const cli_arguments *a) {
  mbd_error err = {0};
  study *s;
  long first = 0, last = 0;
  mbd_status status = study_open(a->file, a->nset, a->set, &s, &err);
  if (status == MBD_OK) { status = find_part(a, s, &first, &last, &err); }
  const int code = status == MBD_OK ? do_runs(a, s, first, last) : cli_error(&err, EXIT_CONFIGURATION);
  study_destroy(s);
  return code;
}

int command_merge(const cli_arguments *a) {
  mbd_error err = {0};
  study *s;
  merged m = {0};
  mbd_status status = study_open(a->file, a->nset, a->set, &s, &err);
  if (status == MBD_OK) { status = merge(s, &m, &err); }
  if (status == MBD_OK) { warn_of_damage(a, s); }
  const int code = status == MBD_OK ? report_end(a, s, &m) : cli_error(&err, cli_exit_code(status));
  merged_free(&m);
  study_destroy(s);
  return code;
}
