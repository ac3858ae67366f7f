/* mbopt status */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "cli/cli.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/plural.h"
#include "study/engine.h"
#include "study/lock.h"
#include "study/runs.h"

typedef struct state {
  study *s;
  runs_count c;
  int running;     /* -1: not known */
  int silent;      /* 1: the queue, which may have jobs, does not answer */
  char queue[400]; /* description of the jobs by the engine; "": none */
  double left;     /* [s]; NaN: not known */
} state;

/* Finds the state, with the rate since the runs were last started if they are being done now. The queue is asked first, since its tasks
 * also lock their runs; their locks are found even if the queue does not answer. */
static mbd_status look(study *s, state *shown, mbd_error *err) {
  double since;
  *shown = (state){.s = s, .left = NAN};
  for (int i = 0; engine_at(i) && !shown->running; i++) {
    const engine_ops *e = engine_at(i);
    if (e->describe) {
      MBD_TRY(e->describe(s->folder, &shown->running, shown->queue, sizeof shown->queue, &since, err));
    }
  }
  /* Locks of runs, where no queue has jobs. */
  shown->silent = shown->running < 0;
  if (shown->running <= 0) { shown->running = lock_is_taken(s->folder, &since); }
  if (shown->running == 0 && shown->silent) { shown->running = -1; }
  MBD_TRY(runs_counted(s, shown->running == 1 ? since : 0, &shown->c, err));
  /* The time that is left, at the rate so far. */
  const long left = s->n - shown->c.done - shown->c.failed;
  if (shown->running == 1 && shown->c.recent > 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - since;
    shown->left = seconds * (double)left / (double)shown->c.recent;
  }
  return MBD_OK;
}

static int print_json(const state *shown) {
  const study *s = shown->s;
  json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:o, s:o, s:s*}", "kind", s->kind, "task", s->task,
                        "run_file", s->origin[0], "lanes", s->batch, "runs", (json_int_t)s->n, "done",
                        (json_int_t)shown->c.done, "failed", (json_int_t)shown->c.failed, "left",
                        (json_int_t)(s->n - shown->c.done - shown->c.failed), "running",
                        shown->running < 0 ? json_null() : json_boolean(shown->running), "seconds_left",
                        json_number(shown->left), "damage", runs_damage(s));
  const int code = cli_print_json(o, EXIT_CONVERGED);
  json_decref(o);
  return code;
}

static void print_text(const state *shown) {
  const study *s = shown->s;
  const long left = s->n - shown->c.done - shown->c.failed;
  printf("%s: %s of %s, each run: %s", s->folder, s->kind, s->origin[0], s->task);
  if (s->batch > 1) { printf(", in %d lanes", s->batch); }
  putchar('\n');
  printf("%ld run%s: %ld done, %ld failed, %ld left; %s\n", s->n, plural(s->n), shown->c.done, shown->c.failed, left,
         shown->running > 0   ? "being done now"
         : shown->silent      ? "whether somebody is doing them cannot be told, for the queue does not answer"
         : shown->running < 0 ? "whether somebody is doing them cannot be told, for the folder knows no locks"
                              : "nobody is doing them");
  if (*shown->queue) { printf("%s\n", shown->queue); }
  if (isfinite(shown->left)) { printf("about %.0f s left\n", shown->left); }
  if (left && shown->running <= 0 && !shown->silent) {
    printf("'mbopt resume %s' does the runs that are left\n", s->folder);
  }
  if (shown->c.failed) { printf("'mbopt resume %s --retry-failed' tries those again that failed\n", s->folder); }
}

/* ---- single runs ---- */

/* Prints the run file of a run, or its record. */
static mbd_status print_run(const cli_arguments *a, study *s, long run, mbd_error *err) {
  mbo_run_config *c = NULL;
  runs_state found;
  json_t *o = NULL;
  int start;
  if (run >= s->n) { MBD_FAIL(err, MBD_BAD_INPUT, "%s has no run %ld: expected 0 to %ld", s->folder, run, s->n - 1); }
  if (a->print_config) {
    MBD_TRY(study_configure(s, run, &c, &start, err));
    printf("; run %ld of %s%s\n", run, s->folder, start ? ", but for its start, which [multistart] draws" : "");
    const mbd_status status = mbo_run_config_write(c, stdout);
    mbo_run_config_destroy(c);
    return status == MBD_OK ? MBD_OK : MEMORY_NONE(err, "a run of %s", s->folder);
  }
  MBD_TRY(runs_read(s, run, &found, &o, err));
  if (!o) { MBD_FAIL(err, MBD_BAD_INPUT, "run %ld of %s is not done yet", run, s->folder); }
  const int code = cli_print_json(o, EXIT_CONVERGED);
  json_decref(o);
  return code == EXIT_CONVERGED ? MBD_OK : MEMORY_NONE(err, "a run of %s", s->folder);
}

static int print_runs(const cli_arguments *a) {
  mbd_error err = {0};
  study *s;
  long run;
  mbd_status status = study_open_results(a->file, &s, &err);
  const char *at = a->runs;
  do {
    if (status == MBD_OK) { status = cli_next_run(a->runs, "", &at, &run, &err); }
    if (status == MBD_OK) { status = print_run(a, s, run, &err); }
  } while (status == MBD_OK && *at);
  study_destroy(s);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, EXIT_CONFIGURATION);
}

int command_status(const cli_arguments *a) {
  mbd_error err = {0};
  study *s;
  state q;
  if (a->runs) { return print_runs(a); }
  mbd_status status = study_read(a->file, &s, &err);
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  status = look(s, &q, &err);
  int code = status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
  if (status == MBD_OK && a->json) { code = print_json(&q); }
  if (status == MBD_OK && !a->json) { print_text(&q); }
  if (status == MBD_OK && runs_damage(s)) { fprintf(stderr, "mbopt: warning: %s\n", runs_damage(s)); }
  study_destroy(s);
  return code;
}
