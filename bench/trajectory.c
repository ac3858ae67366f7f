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

typedef enum way { VALUES, GRADIENT, ALL, ONE, ALONG, SECOND, WAYS } way;

/* The columns of a simulation but for the time. */
static int columns_of(const char *path, int nset, const char *const *set, const char ***names, mbo_series **s) {
  mbo_run *r;
  mbd_error err = {0};
  int n = 0;
  bench_must(mbo_run_open(path, nset, set, &r, &err), &err);
  bench_must(mbo_run_simulate(r, NULL, 0, s, &err), &err);
  mbo_run_close(r);
  *names = calloc((size_t)mbo_series_columns(*s), sizeof **names);
  for (int i = 1; i < mbo_series_columns(*s); i++) { (*names)[n++] = mbo_series_name(*s, i); }
  return n;
}

static double once(way k, opened *r, trajectory *all, trajectory *one, double *y, const double *w, double *g) {
  const double *x = r->m->start;
  mbd_error err = {0};
  double took;
  if (k <= GRADIENT) {
    bench_must(opened_evaluate(r, k, &took, &err), &err);
    return took;
  }
  const double begun = bench_now();
  switch (k) {
    case ALL: bench_must(trajectory_vjp(all, x, w, NULL, g, &err), &err); break;
    case ONE: bench_must(trajectory_vjp(one, x, w, NULL, g, &err), &err); break;
    case ALONG: bench_must(trajectory_jvp(all, x, r->m->scale, NULL, y, &err), &err); break;
    default: bench_must(trajectory_second(all, x, w, r->m->scale, g, &err), &err);
  }
  return bench_now() - begun;
}

static void measure(const char *configs, int i) {
  char path[1024];
  const char **names;
  opened r;
  trajectory *all, *one;
  mbo_series *s;
  mbd_error err = {0};
  double time[WAYS], spent = 0;
  snprintf(path, sizeof path, "%s/%s", configs, runs[i].file);
  const int n = columns_of(path, runs[i].nset, runs[i].set, &names, &s);
  bench_must(opened_open(path, runs[i].nset, runs[i].set, &r, &err), &err);
  bench_must(trajectory_create(path, runs[i].nset, runs[i].set, 0, n, names, 0, NULL, &all, &err), &err);
  bench_must(trajectory_create(path, runs[i].nset, runs[i].set, 0, 1, names, 0, NULL, &one, &err), &err);
  const size_t size = (size_t)trajectory_rows(all) * (size_t)n;
  double *y = calloc(size, sizeof *y), *w = calloc(size, sizeof *w), *g = calloc((size_t)r.m->n + 1, sizeof *g);
  for (size_t k = 0; k < size; k++) { w[k] = 1; }
  for (way k = 0; k < WAYS; k++) { time[k] = INFINITY; }
  for (int round = 0; round < 3 || (round < 20 && spent < 6); round++) {
    for (way k = 0; k < WAYS; k++) {
      const double took = once(k, &r, all, one, y, w, g);
      time[k] = fmin(time[k], took), spent += took;
    }
  }
  printf("%-30s %8d %8d %9.2f %9.2f %9.2f %9.2f %9.2f\n", runs[i].file, trajectory_rows(all), n,
         time[GRADIENT] / time[VALUES], time[ONE] / time[GRADIENT], time[ALL] / time[GRADIENT],
         time[ALONG] / time[VALUES], time[SECOND] / time[GRADIENT]);
  free(y), free(w), free(g), free(names);
  mbo_series_free(s);
  trajectory_free(all), trajectory_free(one);
  opened_close(&r);
}

void bench_trajectory(const char *configs) {
  printf(
      "\nproducts with the Jacobian of a trajectory: simulations, and gradients by adjoint\n"
      "%-30s %8s %8s %9s %9s %9s %9s %9s\n",
      "", "nodes", "columns", "g/sim", "one/g", "all/g", "jvp/sim", "second/g");
  for (int i = 0; i < RUNS; i++) { measure(configs, i); }
}
