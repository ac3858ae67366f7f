/* What the formulations cost on the same problems: a simulation, and with it the gradient by each method, as ratios to
 * ALI3-P's simulation; all in turn in one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mechanism/mechanism.h"

enum { WAYS = 4, ROUNDS = 5 };

static const char *const ways[WAYS] = {"none", "direct", "discrete_adjoint", "continuous_adjoint"};

static const struct {
  const char *name, *file, *load_case;
} problems[] = {
    {"five-bar", "five_bar_gradient.ini", "swing"},
    {"buggy, step descent", "step_descent.ini", "step"},
    {"buggy, lane change", "double_lane_change.ini", "lane_change"},
};

static const struct {
  const char *formulation, *integrator;
} methods[] = {
    {"ali3p", "newmark"},          {"penalty", "newmark"},         {"matrix_r", "newmark"},
    {"matrix_r", "runge_kutta_4"}, {"matrix_r", "dormand_prince"},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0], METHODS = sizeof methods / sizeof methods[0] };

typedef struct opened {
  mbo_run_config *config;
  mechanism *m;
  mbo_problem problem;
  mbo_eval result;
} opened;

static void open_run(const char *configs, int p, int q, int way, opened *r) {
  char path[1024], text[3][128];
  const char *const set[] = {text[0], text[1], text[2], "optimizer.hessian=limited_memory"};
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", configs, problems[p].file);
  snprintf(text[0], sizeof text[0], "case.%s.formulation=%s", problems[p].load_case, methods[q].formulation);
  snprintf(text[1], sizeof text[1], "case.%s.integrator=%s", problems[p].load_case, methods[q].integrator);
  snprintf(text[2], sizeof text[2], "gradient.method=%s", ways[way]);
  *r = (opened){0};
  bench_must(mbo_run_config_read(path, 4, set, &r->config, &err), &err);
  bench_must(mechanism_create(r->config, &r->m, &err), &err);
  const size_t n = (size_t)r->m->n, m = (size_t)r->m->nconstraint;
  r->m->threads = 1;
  mechanism_problem(r->m, &r->problem);
  r->result = (mbo_eval){
      .g = calloc(n + 1, sizeof(double)), .c = calloc(m + 1, sizeof(double)), .jac = calloc(n * m + 1, sizeof(double))};
}

static void close_run(opened *r) {
  free(r->result.g), free(r->result.c), free(r->result.jac);
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
}

/* Time of one evaluation; NaN: not available, or the run fails (explicit steps too long for stiff tyres). */
static double evaluation(opened *r, int way) {
  mbd_error err = {0};
  const double begun = bench_now();
  const mbd_status status =
      r->problem.eval(r->m, r->m->start, way ? MBO_WANT_VALUE | MBO_WANT_GRADIENT : MBO_WANT_VALUE, &r->result, &err);
  return status == MBD_OK ? bench_now() - begun : NAN;
}

static void problem(const char *configs, int p) {
  static opened run[METHODS][WAYS];
  double time[METHODS][WAYS];
  for (int q = 0; q < METHODS; q++) {
    for (int i = 0; i < WAYS; i++) {
      open_run(configs, p, q, i, &run[q][i]);
      time[q][i] = INFINITY;
    }
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int q = 0; q < METHODS; q++) {
      for (int i = 0; i < WAYS; i++) {
        const double took = evaluation(&run[q][i], i);
        time[q][i] = isnan(took) ? NAN : fmin(time[q][i], took);
      }
    }
  }
  for (int q = 0; q < METHODS; q++) {
    printf("| %-19s | %-8s | %-14s |", problems[p].name, methods[q].formulation, methods[q].integrator);
    for (int i = 0; i < WAYS; i++) {
      isnan(time[q][i]) ? printf("    - |") : printf(" %5.2f |", time[q][i] / time[0][0]);
    }
    putchar('\n');
  }
  for (int q = 0; q < METHODS; q++) {
    for (int i = 0; i < WAYS; i++) { close_run(&run[q][i]); }
  }
}

void bench_formulations(const char *configs) {
  printf(
      "\n| problem             | formulation | integrator | simulation | + direct | + discrete adjoint | + continuous "
      "adjoint |\n|---|---|---|---:|---:|---:|---:|\n");
  for (int p = 0; p < PROBLEMS; p++) { problem(configs, p); }
}
