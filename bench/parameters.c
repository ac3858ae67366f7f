/* What a gradient costs as the number of its variables grows: control points of drives, by direct differentiation and by both
 * adjoints, as (simulation + gradient)/simulation; and straight lines through these costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opened.h"

enum { COUNTS = 5, EXTRA = 4 };

static const int counts[COUNTS] = {32, 100, 200, 500, 1000};

/* A run file whose model has curves with `points` control points each. */
typedef struct drive {
  const char *name, *file;
  int ncurve; /* all of them design variables */
} drive;

static const drive drives[] = {
    {"five-bar", "five_bar_driven.ini", 1},
    {"bicycle", "bicycle_double_turn.ini", 2},
};

/* With p variables and some constraints more; 0: there is no such file, or it does not fit, and why is printed. */
static int open_drive(const char *configs, const drive *q, int p, int extra, double memory_limit, const char *method,
                      opened *r) {
  char path[1024], points[64], limit[64], way[64], extras[3 * EXTRA][64];
  const char *set[3 + 3 * EXTRA] = {points, limit, way};
  int n = 3;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", configs, q->file);
  snprintf(points, sizeof points, "scalars.points=%d", p / q->ncurve);
  snprintf(limit, sizeof limit, "gradient.memory_limit=%g", memory_limit);
  snprintf(way, sizeof way, "gradient.method=%s", method);
  for (int i = 0; i < extra; i++) {
    snprintf(extras[3 * i], sizeof extras[0], "constraint.extra%d.of=energy.kinetic", i);
    snprintf(extras[3 * i + 1], sizeof extras[0], "constraint.extra%d.form=integral", i);
    snprintf(extras[3 * i + 2], sizeof extras[0], "constraint.extra%d.lower=0", i);
    for (int k = 0; k < 3; k++) { set[n++] = extras[3 * i + k]; }
  }
  if (opened_open(path, n, set, r, &err) == MBD_OK) { return 1; }
  printf("\nleft out: %s: %s\n", q->name, err.text);
  return 0;
}

/* Ways to evaluate a design: without gradient, and with it by each method. */
enum { WAYS = 4 };
static const char *const ways[WAYS] = {"none", "direct", "discrete_adjoint", "continuous_adjoint"};

/* The least times of evaluations by ways that take turns, so that a busy machine slows all of them; three rounds, or as many
 * as three seconds take. NaN: the method is not available, or not asked for. Each way has a mechanism of its own, because
 * memory for one method is in the way of another. */
static int evaluation_times(const char *configs, const drive *q, int p, int extra, double limit, unsigned asked,
                            double time[WAYS], int *quantities) {
  opened r[WAYS];
  double all = 0;
  for (int i = 0; i < WAYS; i++) {
    if (!open_drive(configs, q, p, extra, limit, ways[i], &r[i])) { return 0; }
    time[i] = asked & 1U << i ? INFINITY : NAN;
  }
  for (int round = 0; round < 3 || (round < 20 && all < 3); round++) {
    for (int i = 0; i < WAYS; i++) {
      mbd_error err = {0};
      if (isnan(time[i])) { continue; }
      double took;
      const mbd_status status = opened_evaluate(&r[i], i, &took, &err);
      if (status != MBD_UNSUPPORTED) { bench_must(status, &err); }
      time[i] = status == MBD_OK ? fmin(time[i], took) : NAN;
      all += took;
    }
  }
  if (quantities) { *quantities = 1 + r[0].m->nconstraint; }
  for (int i = 0; i < WAYS; i++) { opened_close(&r[i]); }
  return 1;
}

static int measure(const char *configs, const drive *q, double ratio[WAYS][COUNTS]) {
  for (int k = 0; k < COUNTS; k++) {
    double time[WAYS];
    if (!evaluation_times(configs, q, counts[k], 0, 0, ~0U, time, NULL)) { return 0; }
    for (int i = 0; i < WAYS; i++) { ratio[i][k] = time[i] / time[0]; }
  }
  return 1;
}

/* (simulation + adjoint)/simulation with some constraints more, or a limit of memory [MiB]. */
static double adjoint_ratio(const char *configs, const drive *q, int extra, double memory_limit, int *quantities) {
  double time[WAYS];
  if (!evaluation_times(configs, q, counts[1], extra, memory_limit, 1U | 1U << 2, time, quantities)) { return NAN; }
  return time[2] / time[0];
}

/* Straight line through the costs of direct differentiation, each counted relative to its size. */
static void fit_direct(const double ratio[COUNTS], double *a, double *b) {
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (int k = 0; k < COUNTS; k++) {
    const double x = counts[k], y = ratio[k] - 1, w = 1 / (y * y);
    s += w, sx += w * x, sxx += w * x * x, sy += w * y, sxy += w * x * y;
  }
  *b = (s * sxy - sx * sy) / (s * sxx - sx * sx);
  *a = (sy - *b * sx) / s;
}

static void print_constants(const char *configs, const drive *q, const double direct[COUNTS]) {
  double a, b;
  int few = 1, many = few + EXTRA;
  fit_direct(direct, &a, &b);
  const double one = adjoint_ratio(configs, q, 0, 0, &few), more = adjoint_ratio(configs, q, EXTRA, 0, &many);
  const double tight = adjoint_ratio(configs, q, 0, 0.01, &few), slope = (more - one) / (many - few);
  printf("\n%s: direct %.2f + %.4f p, adjoint %.2f + %.2f q (%.2f more with steps done again)\n", q->name, a, b,
         one - 1 - slope * few, slope, tight - one);
}

void bench_parameters(const char *configs) {
  for (size_t d = 0; d < sizeof drives / sizeof drives[0]; d++) {
    double ratio[WAYS][COUNTS];
    if (!measure(configs, &drives[d], ratio)) { continue; }
    printf("\n| %-22s |", drives[d].name);
    for (int k = 0; k < COUNTS; k++) { printf(" p = %4d |", counts[k]); }
    printf("\n|------------------------|");
    for (int k = 0; k < COUNTS; k++) { printf("---------:|"); }
    for (int i = 1; i < WAYS; i++) {
      printf("\n| %-22s |", gradient_method_text(gradient_method_find(ways[i])));
      for (int k = 0; k < COUNTS; k++) { isnan(ratio[i][k]) ? printf("       - |") : printf(" %8.2f |", ratio[i][k]); }
    }
    putchar('\n');
    print_constants(configs, &drives[d], ratio[1]);
  }
}
