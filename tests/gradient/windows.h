/* Windows, moments and numbers of forms that suit a motion: from a run that shows the outputs at its nodes. */
#ifndef MBOPT_TESTS_WINDOWS_H
#define MBOPT_TESTS_WINDOWS_H

#include "model.h"
#include "output/output.h"

typedef struct pilot {
  int n, nodes;  /* outputs; nodes of the run */
  int ncrossing; /* the first of the outputs, of which one may cross a value: terms of a step jump from node to node */
  double end;    /* [s] */
  double *y;     /* [nodes][n] */
} pilot;

static int pilot_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  pilot *p = user;
  (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy(p->y + k * p->n, y, (size_t)p->n * sizeof *y);
  p->end = t;
  return 0;
}

/* What the case does without objectives; 0: it is not taken. */
static inline int pilot_run(const test_model *q, const mbd_case *c, pilot *p) {
  mbd_error err = {0};
  mbd_sim *s;
  *p = (pilot){.n = mbd_outputs_count(q->o)};
  while (p->ncrossing < p->n && !output_reads_step(&q->o->item[p->ncrossing])) { p->ncrossing++; }
  const mbd_status status = mbd_sim_create(q->m, c, q->o, 0, NULL, 0, 0, &s, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  p->nodes = mbd_sim_steps(s) + 1;
  p->y = calloc((size_t)p->nodes * (size_t)p->n + 1, sizeof *p->y);
  must(mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, pilot_node, p, &err), &err);
  mbd_sim_destroy(s);
  return 1;
}

static inline double pilot_y(const pilot *p, int which, int node) {
  return p->y[node * p->n + which];
}

static inline double pilot_size(const pilot *p, int which, double from) {
  double max = 0;
  for (int k = 0; k < p->nodes; k++) { max = fmax(max, fabs(pilot_y(p, which, k) - from)); }
  return max;
}

/* Rounding alone, which crosses nothing twice in the same way. */
static inline int pilot_rests(const pilot *p, int which) {
  return pilot_size(p, which, pilot_y(p, which, 0)) < 1e-6;
}

/* How fast an output moves after the first third of the run, relative to its size. */
static inline double pilot_rate(const pilot *p, int which) {
  const int k = (p->nodes - 1) / 3;
  if (pilot_rests(p, which)) { return 0; }
  return fabs(pilot_y(p, which, k + 1) - pilot_y(p, which, k)) / pilot_size(p, which, 0);
}

/* The output that moves fastest there, but for the given one, crosses a value; none: there is none. */
static inline mbd_moment pilot_crossing(const pilot *p, int other) {
  const int k = (p->nodes - 1) / 3;
  int best = -1;
  for (int o = 0; o < p->ncrossing; o++) {
    if (o != other && (best < 0 || pilot_rate(p, o) > pilot_rate(p, best))) { best = o; }
  }
  if (best < 0 || !(pilot_rate(p, best) > 0.02)) { return (mbd_moment){.kind = MBD_MOMENT_NONE}; }
  return (mbd_moment){
      .kind = MBD_MOMENT_CROSSES, .output = best, .value = 0.6 * pilot_y(p, best, k) + 0.4 * pilot_y(p, best, k + 1)};
}

/* A series off the output's way, whose times are no nodes. It belongs to nobody, and all terms may have it. */
static inline const mbd_samples *pilot_samples(const pilot *p) {
  static double time[3], value[3] = {0.3, -0.2, 0.4};
  static mbd_samples series = {.n = 3, .time = time, .value = value, .sigma = 0.7};
  for (int i = 0; i < 3; i++) { time[i] = (0.11 + 0.37 * i) * p->end; }
  return &series;
}

/* The numbers that the term's form needs; and, in turn, a window: none, two times, a crossing and a time. */
static inline void pilot_set(const pilot *p, int turn, mbd_term *t) {
  const int is_range = strcmp(t->form, "range") == 0;
  if (pilot_rests(p, t->output) && (is_range || mbd_form_find(t->form)->needs)) { t->form = "terminal"; }
  const mbd_form_info *f = mbd_form_find(t->form);
  const double last = pilot_y(p, t->output, p->nodes - 1), way = pilot_size(p, t->output, last);
  const mbd_moment crossing = pilot_crossing(p, t->output);
  if (f->needs & MBD_NEEDS_AT) {
    t->at = turn % 2 && crossing.kind ? crossing : (mbd_moment){.kind = MBD_MOMENT_TIME, .value = 0.53 * p->end};
  }
  if (f->needs & MBD_NEEDS_LEVEL) { t->level = 0.3, t->width = way > 0 ? 0.1 * way : 1; }
  if (f->needs & MBD_NEEDS_TOLERANCE) { t->target = last, t->target_curve = NULL, t->tolerance = 0.4 * way; }
  if (f->needs & MBD_NEEDS_SAMPLES) { t->samples = pilot_samples(p); }
  if (is_range && way > 0) { t->sharpness = 3 / way; } /* blunter ones have two means that cancel */
  const int window = turn % 3, from = f->takes & MBD_TAKES_FROM;
  const int settles = (f->needs & MBD_NEEDS_TOLERANCE) != 0; /* to its last value, and not before the window */
  if (window == 1 && from) {
    t->from = (mbd_moment){.kind = MBD_MOMENT_TIME, .value = (settles ? 0.01 : 0.13) * p->end};
  }
  if (window == 2 && from && !settles) { t->from = crossing; }
  if (window > 0 && (f->takes & MBD_TAKES_UNTIL) && !settles) {
    t->until = (mbd_moment){.kind = MBD_MOMENT_TIME, .value = 0.87 * p->end};
  }
}

#endif
