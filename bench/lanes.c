/* What a design costs in lanes (mbd/lanes.h) beside one by itself: simulations, gradients by direct differentiation and by the discrete adjoint, of designs around
 * the start of run files; and a gradient by central differences with lanes of [gradient]. Ways take turns, and of each the least time of several repetitions counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbd/lanes.h"
#include "opened.h"

static const struct {
  const char *file, *set;
} runs[] = {{"five_bar.ini", "case.swing.duration=5"},
            {"double_lane_change.ini", "case.lane_change.duration=4"},
            {"step_descent.ini", "case.step.duration=1"},
            {"sweep_suspension.ini", "case.step.duration=1"}};
enum { RUNS = sizeof runs / sizeof *runs, REPEATS = 7, LANES_MAX = MBD_LANES_WIDTH_MAX };

typedef enum method { VALUE, DIRECT, ADJOINT, METHODS } method;

/* The designs of one case, with what simulates them. */
typedef struct task {
  opened r;
  const mechanism_case *load;
  int n, nc, npsi, count;   /* variables, coefficients, objectives; numbers of all directions */
  double *theta, *value;    /* [LANES_MAX][nc], [LANES_MAX][count] */
  int *first, *index;       /* of directions */
  unsigned char *requested; /* [nc] */
  mbd_params *p[LANES_MAX];
  mbd_dparams **d[LANES_MAX]; /* [n] */
  mbd_sim *alone;
  double *psi, *g; /* results of all designs */
} task;

static void add_design(task *q, int i) {
  const mechanism *m = q->r.m;
  const mechanism_variant *v = q->load->v;
  double *rho = calloc((size_t)q->n + 1, sizeof *rho);
  mbd_error err;
  for (int j = 0; j < q->n; j++) {
    rho[j] = fmin(m->upper[j], fmax(m->lower[j], m->start[j] * (1 + 0.02 * sin(1 + 3 * i + 7 * j))));
  }
  bench_must(mechanism_set_design(q->r.m, rho, 1, &err), &err);
  free(rho);
  const int *at = v->start, *index = v->index + at[0];
  if (i == 0) {
    q->count = at[q->n] - at[0];
    q->first = calloc((size_t)q->n + 1, sizeof *q->first), q->index = calloc((size_t)q->count + 1, sizeof *q->index);
    q->value = calloc(LANES_MAX * (size_t)q->count + 1, sizeof *q->value);
    for (int j = 0; j <= q->n; j++) { q->first[j] = at[j] - at[0]; }
    for (int k = 0; k < q->count; k++) { q->index[k] = index[k], q->requested[index[k]] = 1; }
  }
  double *theta = q->theta + i * q->nc, *value = q->value + i * q->count;
  memcpy(theta, v->theta, (size_t)q->nc * sizeof *theta);
  memcpy(value, v->value + at[0], (size_t)q->count * sizeof *value);
  bench_must(mbd_params_create(v->model, theta, &q->p[i], &err), &err);
  q->d[i] = calloc((size_t)q->n + 1, sizeof *q->d[i]);
  for (int j = 0; j < q->n; j++) {
    bench_must(mbd_dparams_create(v->model, &q->d[i][j], &err), &err);
    mbd_dparams_set(q->d[i][j], q->p[i], q->first[j + 1] - q->first[j], q->index + q->first[j], value + q->first[j]);
  }
}

static void make(const char *path, const char *set, task *q) {
  mbd_error err;
  bench_must(opened_open(path, 1, &set, &q->r, &err), &err);
  const mechanism_case *load = q->load = q->r.m->cases;
  bench_must(mechanism_set_design(q->r.m, q->r.m->start, 1, &err), &err);
  q->n = q->r.m->n, q->nc = mbd_model_ncoef(load->v->model), q->npsi = load->npsi;
  q->theta = calloc(LANES_MAX * (size_t)q->nc, sizeof *q->theta), q->requested = calloc((size_t)q->nc, 1);
  q->psi = calloc(LANES_MAX * (size_t)q->npsi, sizeof *q->psi);
  q->g = calloc(LANES_MAX * (size_t)q->npsi * (size_t)(q->n + q->nc), sizeof *q->g);
  for (int i = 0; i < LANES_MAX; i++) { add_design(q, i); }
  bench_must(
      mbd_sim_create(load->v->model, &load->c, load->outputs, load->nterm, load->term, q->npsi, q->n, &q->alone, &err),
      &err);
}

static void destroy(task *q) {
  for (int i = 0; i < LANES_MAX; i++) {
    for (int j = 0; j < q->n; j++) { mbd_dparams_destroy(q->d[i][j]); }
    mbd_params_destroy(q->p[i]), free(q->d[i]);
  }
  mbd_sim_destroy(q->alone);
  free(q->theta), free(q->value), free(q->first), free(q->index), free(q->requested), free(q->psi), free(q->g);
  opened_close(&q->r);
}

static mbd_lanes *make_lanes(const task *q, int width) {
  const mechanism_case *load = q->load;
  const int n = mbd_outputs_count(load->outputs);
  const char **name = calloc((size_t)n + 1, sizeof *name);
  mbd_lanes *l = NULL;
  mbd_error err;
  for (int i = 0; i < n; i++) { name[i] = mbd_outputs_name(load->outputs, i); }
  if (mbd_lanes_width(width) == width) {
    bench_must(mbd_lanes_create(width, mbo_model_file_spec(load->v->file), &load->c, n, name, load->nterm, load->term,
                                q->npsi, q->n, &l, &err),
               &err);
  }
  free(name);
  return l;
}

/* Seconds for each of `width` designs; l NULL: one after the other. */
static double run(task *q, mbd_lanes *l, int width, method how) {
  const mbd_lanes_directions d = {q->n, q->first, q->index, q->value};
  const mbd_adjoint_options a = {.requested = q->requested};
  mbd_error err;
  const double begun = bench_now();
  for (int i = 0; !l && i < width; i++) {
    bench_must(how == ADJOINT ? mbd_sim_adjoint(q->alone, q->p[i], &a, q->psi, q->g, NULL, NULL, &err)
                              : mbd_sim_run(q->alone, q->p[i], how == DIRECT ? q->n : 0, q->d[i], q->psi,
                                            how == DIRECT ? q->g : NULL, NULL, NULL, NULL, &err),
               &err);
  }
  if (l) {
    bench_must(how == ADJOINT ? mbd_lanes_adjoint(l, q->theta, &a, q->psi, q->g, NULL, NULL, &err)
                              : mbd_lanes_run(l, q->theta, how == DIRECT ? &d : NULL, q->psi,
                                              how == DIRECT ? q->g : NULL, NULL, NULL, NULL, &err),
               &err);
  }
  return (bench_now() - begun) / width;
}

/* Writes a row: the least times [s] of 2, 4, 8 lanes, and of one design by itself. */
static void print_row(const char *file, const char *what, const double *least) {
  printf("%-24s %-12s %9.3f", file, what, 1e3 * least[3]);
  for (int w = 0; w < 3; w++) { printf(" %9.2f", least[3] / least[w]); }
  printf("\n");
}

/* Gradients by central differences, the value at the design among them. */
static void differences(const char *path, const char *setting) {
  static const char *const lanes[] = {"gradient.lanes=2", "gradient.lanes=4", "gradient.lanes=8", "gradient.lanes=1"};
  double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  opened r[4];
  mbd_error err;
  for (int w = 0; w < 4; w++) {
    const char *const set[] = {setting, lanes[w]};
    if (w < 3 && mbd_lanes_width(2 << w) != 2 << w) { least[w] = NAN; }
    if (!isnan(least[w])) { bench_must(opened_open(path, 2, set, &r[w], &err), &err); }
  }
  for (int i = 0; i < REPEATS; i++) {
    for (int w = 0; w < 4; w++) {
      if (isnan(least[w])) { continue; }
      const double begun = bench_now();
      bench_must(mechanism_evaluate(r[w].m, r[w].m->start, "central_differences", &err), &err);
      least[w] = fmin(least[w], bench_now() - begun);
    }
  }
  print_row("", "differences", least);
  for (int w = 0; w < 4; w++) {
    if (!isnan(least[w])) { opened_close(&r[w]); }
  }
}

void bench_lanes(const char *configs) {
  static const char *const name[METHODS] = {"simulation", "direct", "adjoint"};
  printf("\ndesigns in lanes: how many times faster than one by itself [ms]\n%-24s %-12s %9s", "", "", "by itself");
  for (int width = 2; width <= LANES_MAX; width *= 2) { printf("   %d lanes", width); }
  printf("\n");
  for (int k = 0; k < RUNS; k++) {
    char path[512];
    task q = {0};
    mbd_lanes *lanes[3];
    snprintf(path, sizeof path, "%s/%s", configs, runs[k].file);
    make(path, runs[k].set, &q);
    for (int w = 0; w < 3; w++) { lanes[w] = make_lanes(&q, 2 << w); }
    for (method how = VALUE; how < (q.n > 0 ? METHODS : DIRECT); how++) {
      double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
      for (int i = 0; i < REPEATS; i++) {
        least[3] = fmin(least[3], run(&q, NULL, 2, how));
        for (int w = 0; w < 3; w++) { least[w] = lanes[w] ? fmin(least[w], run(&q, lanes[w], 2 << w, how)) : NAN; }
      }
      print_row(how == VALUE ? runs[k].file : "", name[how], least);
    }
    if (q.n > 0) { differences(path, runs[k].set); }
    for (int w = 0; w < 3; w++) { mbd_lanes_destroy(lanes[w]); }
    destroy(&q);
  }
}
