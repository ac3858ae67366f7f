/* What products with the Jacobian of a trajectory cost beside the gradient of the run file's objective by the same adjoint: of every column at every node, of
 * one column, along a direction, and second ones; by ways that take turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbo/run.h"
#include "mechanism/trajectory.h"
#include "opened.h"

static const struct {
  const char *file, *set[2];
  int nset;
} runs[] = {{"five_bar.ini", {"gradient.method=discrete_adjoint", "optimizer.hessian=limited_memory"}, 2},
            {"step_descent.ini", {"gradient.method=discrete_adjoint", "optimizer.hessian=limited_memory"}, 2},
            {"two_link_arm_minimum_time.ini", {"gradient.method=discrete_adjoint"}, 1},
            {"servo.ini", {"gradient.method=discrete_adjoint", "optimizer.hessian=limited_memory"}, 2}};
enum { RUNS = sizeof runs / sizeof *runs };

/* Columns: the first one; all that read no multipliers; one multiplier; all. */
typedef enum columns { FIRST, PLAIN, MULTIPLIER, ALL, SETS } columns;
typedef enum way { VALUES, GRADIENT, VJP, ALONG = VJP + SETS, SECOND, WAYS } way;

typedef struct task {
  opened r;
  mbo_series *s;
  trajectory *of[SETS];
  double *y, *w, *g; /* numbers of the largest trajectory; [variables] */
} task;

static int belongs(columns k, int i, const char *name) {
  const int is_multiplier = strncmp(name, "lam ", 4) == 0;
  return k == FIRST ? i == 1 : k == ALL || is_multiplier == (k == MULTIPLIER);
}

static void make(const char *path, int nset, const char *const *set, task *q) {
  mbo_run *r;
  mbd_error err = {0};
  bench_must(opened_open(path, nset, set, &q->r, &err), &err);
  bench_must(mbo_run_open(path, nset, set, &r, &err), &err);
  bench_must(mbo_run_simulate(r, NULL, 0, &q->s, &err), &err);
  mbo_run_close(r);
  const int ncolumn = mbo_series_columns(q->s);
  const char **name = calloc((size_t)ncolumn, sizeof *name);
  for (columns k = 0; k < SETS; k++) {
    int n = 0;
    for (int i = 1; i < ncolumn; i++) {
      if (belongs(k, i, mbo_series_name(q->s, i)) && !(k == MULTIPLIER && n)) { name[n++] = mbo_series_name(q->s, i); }
    }
    if (n > 0) { bench_must(trajectory_create(path, nset, set, 0, n, name, 0, NULL, &q->of[k], &err), &err); }
  }
  const size_t size = (size_t)trajectory_rows(q->of[ALL]) * (size_t)ncolumn;
  q->y = calloc(size, sizeof *q->y), q->w = calloc(size, sizeof *q->w);
  q->g = calloc((size_t)q->r.m->n + 1, sizeof *q->g);
  for (size_t i = 0; i < size; i++) { q->w[i] = 1; }
  free(name);
}

/* NaN: there are no such columns. */
static double once(way k, task *q) {
  const double *x = q->r.m->start;
  trajectory *of = k >= VJP && k < ALONG ? q->of[k - VJP] : q->of[ALL];
  mbd_error err = {0};
  double took;
  if (k <= GRADIENT) {
    bench_must(opened_evaluate(&q->r, k, &took, &err), &err);
    return took;
  }
  const double begun = bench_now();
  if (!of) { return NAN; }
  bench_must(k == ALONG    ? trajectory_jvp(of, x, q->r.m->scale, NULL, q->y, &err)
             : k == SECOND ? trajectory_second(of, x, q->w, q->r.m->scale, q->g, &err)
                           : trajectory_vjp(of, x, q->w, NULL, q->g, &err),
             &err);
  return bench_now() - begun;
}

static void measure(const char *configs, int i) {
  char path[1024];
  task q = {0};
  double time[WAYS], spent = 0;
  snprintf(path, sizeof path, "%s/%s", configs, runs[i].file);
  make(path, runs[i].nset, runs[i].set, &q);
  for (way k = 0; k < WAYS; k++) { time[k] = INFINITY; }
  for (int round = 0; round < 3 || (round < 20 && spent < 8); round++) {
    for (way k = 0; k < WAYS; k++) {
      const double took = once(k, &q);
      time[k] = isnan(took) ? NAN : fmin(time[k], took), spent += isnan(took) ? 0 : took;
    }
  }
  printf("| %s | %d | %d | %.2f |", runs[i].file, trajectory_rows(q.of[ALL]), trajectory_columns(q.of[ALL]),
         time[GRADIENT] / time[VALUES]);
  for (columns k = 0; k < SETS; k++) { printf(" %.2f |", time[VJP + k] / time[GRADIENT]); }
  printf(" %.2f | %.2f |\n", time[ALONG] / time[VALUES], time[SECOND] / time[VJP + ALL]);
  for (columns k = 0; k < SETS; k++) { trajectory_free(q.of[k]); }
  mbo_series_free(q.s);
  free(q.y), free(q.w), free(q.g);
  opened_close(&q.r);
}

void bench_trajectory(const char *configs) {
  printf(
      "\n| run file | nodes | columns | gradient / simulation | vjp / gradient: one column | without multipliers | one "
      "multiplier "
      "| all | jvp / simulation | second / vjp |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 0; i < RUNS; i++) { measure(configs, i); }
}
