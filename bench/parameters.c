/* What a gradient costs as the number of its variables grows: control points of drives, by direct differentiation and by both
 * adjoints, as (simulation + gradient)/simulation; and the constants of the choice between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "evaluate/mechanism.h"

enum { MOST_SET = 12, COUNTS = 5, EXTRA = 4 };

static const int counts[COUNTS] = {32, 100, 200, 500, 1000};

/* A run file whose model has curves with `points` control points each. */
typedef struct drive {
  const char *name, *file;
  int ncurve;
  const char *set[6]; /* the curves as design variables, and what else the run file leaves open */
} drive;

static const drive drives[] = {
    {"five-bar", "five_bar_driven.ini", 1, {NULL}},
    {"bicycle", "bicycle_double_turn.ini", 2, {"design.steer.curve=steering", "design.pedals.curve=traction", NULL}},
};

typedef struct opened {
  mbo_run_config *config;
  mechanism *m;
} opened;

/* With p variables and some objectives more; 0: there is no such file, or it does not fit, and why is printed. */
static int open_drive(const char *configs, const drive *q, int p, int extra, double memory_limit, opened *r) {
  char path[1024], points[64], limit[64], objective[2 * EXTRA][64];
  const char *set[MOST_SET + 2 * EXTRA] = {points, limit};
  int n = 2;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", configs, q->file);
  snprintf(points, sizeof points, "scalars.points=%d", p / q->ncurve);
  snprintf(limit, sizeof limit, "gradient.memory_limit=%g", memory_limit);
  for (int i = 0; q->set[i]; i++) { set[n++] = q->set[i]; }
  for (int i = 0; i < extra; i++) {
    snprintf(objective[2 * i], sizeof objective[0], "objective.extra%d.of=energy.kinetic", i);
    snprintf(objective[2 * i + 1], sizeof objective[0], "objective.extra%d.form=integral", i);
    set[n++] = objective[2 * i], set[n++] = objective[2 * i + 1];
  }
  *r = (opened){0};
  mbd_status status = mbo_run_config_read(path, n, set, &r->config, &err);
  if (status == MBD_OK) { status = mechanism_create(r->config, &r->m, &err); }
  if (status == MBD_OK) {
    r->m->threads = 1;
    return 1;
  }
  printf("\nleft out: %s: %s\n", q->name, err.text);
  mbo_run_config_destroy(r->config);
  return 0;
}

static void close_drive(opened *r) {
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
}

/* The least time of an evaluation, of three or as many as two seconds take; NaN: the method is not available. */
static double evaluation_time(mechanism *m, const char *method) {
  double least = INFINITY, all = 0;
  mbd_error err = {0};
  for (int i = 0; i < 3 || (i < 15 && all < 2); i++) {
    const double begun = bench_now();
    mbd_status status = mechanism_evaluate(m, m->start, method, 0, &err);
    if (status == MBD_UNSUPPORTED) { return NAN; }
    bench_must(status, &err);
    const double time = bench_now() - begun;
    least = fmin(least, time), all += time;
  }
  return least;
}

static const char *const methods[] = {"direct", "discrete_adjoint", "continuous_adjoint"};

static int measure(const char *configs, const drive *q, double ratio[3][COUNTS]) {
  for (int k = 0; k < COUNTS; k++) {
    opened r;
    if (!open_drive(configs, q, counts[k], 0, 0, &r)) { return 0; }
    const double simulation = evaluation_time(r.m, "none");
    for (int i = 0; i < 3; i++) { ratio[i][k] = evaluation_time(r.m, methods[i]) / simulation; }
    close_drive(&r);
  }
  return 1;
}

/* (simulation + adjoint)/simulation with some objectives more, or a limit of memory [MiB]. */
static double adjoint_ratio(const char *configs, const drive *q, int extra, double memory_limit, int *quantities) {
  opened r;
  if (!open_drive(configs, q, counts[1], extra, memory_limit, &r)) { return NAN; }
  const double simulation = evaluation_time(r.m, "none"), with = evaluation_time(r.m, "discrete_adjoint");
  *quantities = r.m->nobjective + r.m->nconstraint;
  close_drive(&r);
  return with / simulation;
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
    double ratio[3][COUNTS];
    if (!measure(configs, &drives[d], ratio)) { continue; }
    printf("\n| %-22s |", drives[d].name);
    for (int k = 0; k < COUNTS; k++) { printf(" p = %4d |", counts[k]); }
    printf("\n|------------------------|");
    for (int k = 0; k < COUNTS; k++) { printf("---------:|"); }
    for (int i = 0; i < 3; i++) {
      printf("\n| %-22s |", gradient_method_text(gradient_method_find(methods[i])));
      for (int k = 0; k < COUNTS; k++) { isnan(ratio[i][k]) ? printf("       - |") : printf(" %8.2f |", ratio[i][k]); }
    }
    putchar('\n');
    print_constants(configs, &drives[d], ratio[0]);
  }
}
