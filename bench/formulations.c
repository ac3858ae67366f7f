/* What the formulations cost on the same problems: a simulation, and with it the gradient by each method, as ratios to
 * ALI3-P's simulation; all in turn in one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "opened.h"

enum { WAYS = 4, ROUNDS = 5 };

static const char *const ways[WAYS] = {"none", "direct", "discrete_adjoint", "continuous_adjoint"};

static const struct {
  const char *name, *file, *load_case;
  int methods; /* of the first ones below; those of open loops come last */
} problems[] = {
    {"five-bar", "five_bar_gradient.ini", "swing", 5},
    {"buggy, step descent", "step_descent.ini", "step", 5},
    {"buggy, lane change", "double_lane_change.ini", "lane_change", 5},
    {"bicycle", "bicycle_double_turn.ini", "turn", 8},
};

static const struct {
  const char *formulation, *integrator;
} methods[] = {
    {"ali3p", "newmark"},           {"penalty", "newmark"},
    {"matrix_r", "newmark"},        {"matrix_r", "runge_kutta_4"},
    {"matrix_r", "dormand_prince"}, {"semi_recursive", "newmark"},
    {"fully_recursive", "newmark"}, {"fully_recursive", "runge_kutta_4"},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0], METHODS = sizeof methods / sizeof methods[0] };

static void open_run(const char *configs, int p, int q, int way, opened *r) {
  char path[1024], text[3][128];
  const char *const set[] = {text[0], text[1], text[2], "optimizer.hessian=limited_memory"};
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", configs, problems[p].file);
  snprintf(text[0], sizeof text[0], "case.%s.formulation=%s", problems[p].load_case, methods[q].formulation);
  snprintf(text[1], sizeof text[1], "case.%s.integrator=%s", problems[p].load_case, methods[q].integrator);
  snprintf(text[2], sizeof text[2], "gradient.method=%s", ways[way]);
  bench_must(opened_open(path, 4, set, r, &err), &err);
}

/* Time of one evaluation; NaN: not available, or the run fails (explicit steps too long for stiff tyres). */
static double evaluation(opened *r, int way) {
  mbd_error err = {0};
  double took;
  return opened_evaluate(r, way, &took, &err) == MBD_OK ? took : NAN;
}

static void problem(const char *configs, int p) {
  static opened run[METHODS][WAYS];
  const int n = problems[p].methods;
  double time[METHODS][WAYS];
  for (int q = 0; q < n; q++) {
    for (int i = 0; i < WAYS; i++) {
      open_run(configs, p, q, i, &run[q][i]);
      time[q][i] = INFINITY;
    }
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int q = 0; q < n; q++) {
      for (int i = 0; i < WAYS; i++) {
        const double took = evaluation(&run[q][i], i);
        time[q][i] = isnan(took) ? NAN : fmin(time[q][i], took);
      }
    }
  }
  for (int q = 0; q < n; q++) {
    printf("| %-19s | %-15s | %-14s |", problems[p].name, methods[q].formulation, methods[q].integrator);
    for (int i = 0; i < WAYS; i++) {
      isnan(time[q][i]) ? printf("    - |") : printf(" %5.2f |", time[q][i] / time[0][0]);
    }
    putchar('\n');
  }
  for (int q = 0; q < n; q++) {
    for (int i = 0; i < WAYS; i++) { opened_close(&run[q][i]); }
  }
}

void bench_formulations(const char *configs) {
  printf(
      "\n| problem             | formulation     | integrator     | simulation | + direct | + discrete adjoint | "
      "+ continuous adjoint |\n|---|---|---|---:|---:|---:|---:|\n");
  for (int p = 0; p < PROBLEMS; p++) { problem(configs, p); }
}
