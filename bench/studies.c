/* What the study layer costs, and what a second worker gives: wall time, so for a machine that does nothing else. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "evaluate/seconds.h"
#include "bench.h"
#include "study/engine.h"
#include "study/merge.h"
#include "study/runs.h"
#include "study/sweep.h"

enum { ROUNDS = 3 };

static volatile sig_atomic_t never;

static void remove_folder(const char *folder) {
  char command[1100];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) { fprintf(stderr, "%s cannot be removed\n", folder); }
}

/* A study of a run file's [sweep] in a new folder; the sweep's assignments stay with the caller. */
static study *make_study(const char *path, const char *folder, int nset, const char *const *set) {
  mbd_error err = {0};
  mbo_run_config *c;
  sweep *w;
  study *s;
  remove_folder(folder);
  bench_must(mbo_run_config_read(path, nset, set, &c, &err), &err);
  bench_must(sweep_create(c, nset, set, &w, &err), &err);
  bench_must(study_create(folder, sweep_plan(w), &s, &err), &err);
  sweep_destroy(w);
  mbo_run_config_destroy(c);
  return s;
}

/* Seconds on the clock with so many workers. */
static double do_runs(study *s, int jobs) {
  mbd_error err = {0};
  engine_progress p;
  const engine_task t = {.s = s, .last = s->n, .stop = &never};
  const double begun = seconds_now();
  s->config->study.jobs = jobs;
  bench_must(engine_find("local")->perform(&t, &p, &err), &err);
  return seconds_now() - begun;
}

static mbd_status add_seconds(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  (void)i, (void)state, (void)err;
  *(double *)user += json_number_value(json_object_get(o, "seconds"));
  return MBD_OK;
}

/* Of the descents of configs/sweep_suspension.ini, one and two workers in turn. */
static void scaling(const char *configs, const char *folder) {
  static const char *const set[] = {"sweep.vary.k_f=15000 to 40000 in 6 log", "sweep.vary.c_f=50 to 3000 in 10 log"};
  char path[1024];
  double min[2] = {INFINITY, INFINITY}, overhead = INFINITY;
  long n = 0;
  snprintf(path, sizeof path, "%s/sweep_suspension.ini", configs);
  for (int i = 0; i < 2 * ROUNDS; i++) {
    mbd_error err = {0};
    double own = 0;
    study *s = make_study(path, folder, 2, set);
    const double seconds = do_runs(s, i % 2 + 1);
    bench_must(runs_each(s, add_seconds, &own, &err), &err);
    min[i % 2] = fmin(min[i % 2], seconds);
    if (i % 2 == 0) { overhead = fmin(overhead, seconds / own - 1); }
    n = s->n;
    study_destroy(s);
  }
  printf(
      "\n| study | runs | s, 1 worker | runs/s with 2 workers / with 1 | (time with 1 - runs' own)/runs' own |\n"
      "|---|---:|---:|---:|---:|\n| buggy, step descent | %ld | %.1f | %.2f | %.1f %% |\n",
      n, min[0], min[0] / min[1], 100 * overhead);
}

/* Most memory that this process, or any of its workers so far, has had [MiB]. */
static double memory_mib(int who) {
  struct rusage use;
  return getrusage(who, &use) == 0 ? (double)use.ru_maxrss / 1024 : NAN;
}

static double seconds_since(double begun) {
  return seconds_now() - begun;
}

/* What a study of s->n runs costs that are recorded: counting them, going on with it, its tables. */
static void finished(study *s, double time_of_runs) {
  mbd_error err = {0}, why;
  runs_count c;
  merged m;
  runs_close(s);
  double begun = seconds_now();
  bench_must(runs_counted(s, 0, &c, &err), &err);
  const double status = seconds_since(begun), resume = do_runs(s, 0);
  begun = seconds_now();
  bench_must(merge_write(s, &m, &why, &err), &err);
  printf("| %ld | %.1f | %.2f | %.1f | %.1f | %.1f | %.1f |\n", c.done, time_of_runs, status, resume,
         seconds_since(begun), memory_mib(RUSAGE_SELF), memory_mib(RUSAGE_CHILDREN));
  fflush(stdout);
  merged_free(&m);
  study_destroy(s);
}

/* Tiny runs, of which only their number counts. */
static study *tiny(const char *configs, const char *folder, const char *values, const char *others) {
  const char *const set[] = {"case.drop.duration=0.02", "case.drop.step=0.01", values, others};
  char path[1024];
  snprintf(path, sizeof path, "%s/pendulum.ini", configs);
  return make_study(path, folder, 4, set);
}

/* As many records without simulations. */
static double write_records(study *s) {
  mbd_error err = {0};
  const double begun = seconds_now();
  for (long i = 0; i < s->n; i++) {
    bench_must(points_read(&s->points, i, &err), &err);
    const double k = strtod(s->points.value[0], NULL), c = strtod(s->points.value[1], NULL);
    bench_must(runs_write(s, i, RUN_DONE,
                          json_pack("{s:s, s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:f, s:f}", "status", "OK", "columns",
                                    "stiffness", k, "damping", c, "objective", 1 / k, "settle", 1 / k, "tip_speed",
                                    1 / c, "violation", 0.0, "tol_constraint", 1e-8, "seconds", 1e-4),
                          &err),
               &err);
  }
  return seconds_since(begun);
}

void bench_studies(const char *configs) {
  char folder[] = "/tmp/mbopt-bench-XXXXXX";
  if (!mkdtemp(folder)) { return; }
  scaling(configs, folder);
  printf(
      "\n| tiny runs | s | status [s] | resume [s] | merge [s] | memory [MiB] | of a worker "
      "[MiB] "
      "|\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n");
  study *s = tiny(configs, folder, "sweep.vary.stiffness=1 to 20 in 40", "sweep.vary.damping=0.1 to 2 in 25");
  finished(s, do_runs(s, 0));
  s = tiny(configs, folder, "sweep.vary.stiffness=1 to 20 in 400", "sweep.vary.damping=0.1 to 2 in 250");
  finished(s, do_runs(s, 0));
  s = tiny(configs, folder, "sweep.vary.stiffness=1 to 20 in 1000", "sweep.vary.damping=0.1 to 2 in 1000");
  finished(s, write_records(s));
  remove_folder(folder);
}
