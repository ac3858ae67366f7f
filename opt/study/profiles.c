#include "study/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/text_list.h"
#include "files/memory.h"

const double profiles_tau[PROFILES_NTAU] = {1e-2, 1e-4, 1e-6};

/* The instance of the run whose row was read last. */
static int instance_of(const study *s) {
  const char *problem = study_value(s, STUDY_PROBLEM), *start = study_value(s, STUDY_START);
  return (problem ? atoi(problem) - 1 : 0) * s->starts + (start ? atoi(start) : 0);
}

static int backend_of(const profiles *p, const study *s) {
  return text_list_find(p->backend, p->nbackend, study_value(s, STUDY_BACKEND));
}

/* ---- the runs ---- */

typedef struct reading {
  study *s;
  profiles *p;
} reading;

/* The best objective of all backends; f_0 is that of the first feasible design. */
static mbd_status find_best(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  const int at = instance_of(r->s);
  int first = 1;
  (void)i, (void)state, (void)err;
  for (int k = 0; k < runs_simulations(o); k++) {
    const double f = runs_feasible(o, k);
    if (isnan(f)) { continue; }
    r->p->best[at] = fmin(r->p->best[at], f); /* fmin ignores NaN */
    if (first) { r->p->f0[at] = fmax(r->p->f0[at], f); }
    first = 0;
  }
  return MBD_OK;
}

static mbd_status find_solved(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  profiles *p = r->p;
  const int at = instance_of(r->s), b = backend_of(p, r->s);
  (void)i, (void)state, (void)err;
  for (int t = 0; t < PROFILES_NTAU; t++) {
    int *solved = &p->simulations[(t * p->nbackend + b) * p->ninstance + at];
    const double goal = p->best[at] + profiles_tau[t] * (p->f0[at] - p->best[at]);
    for (int k = 0; k < runs_simulations(o) && *solved == 0; k++) {
      if (runs_feasible(o, k) <= goal) { *solved = k + 1; }
    }
  }
  return MBD_OK;
}

static mbd_status find_backends(study *s, profiles *p, mbd_error *err) {
  for (long i = 0; i < s->n; i++) {
    MBD_TRY(points_read(&s->points, i, err));
    if (backend_of(p, s) >= 0) { continue; }
    if (!text_list_add(&p->backend, &p->nbackend, study_value(s, STUDY_BACKEND))) {
      return MEMORY_NONE(err, "the profiles");
    }
  }
  return MBD_OK;
}

static mbd_status create(study *s, profiles *p, mbd_error *err) {
  reading r = {s, p};
  MBD_TRY(find_backends(s, p, err));
  p->ninstance = s->nfile * (s->starts > 0 ? s->starts : 1);
  const size_t n = (size_t)p->ninstance;
  p->best = malloc(n * sizeof *p->best), p->f0 = malloc(n * sizeof *p->f0);
  p->simulations = calloc(PROFILES_NTAU * (size_t)p->nbackend * n, sizeof *p->simulations);
  p->sorted = calloc(n + 1, sizeof *p->sorted);
  MEMORY_TRY(p->best && p->f0 && p->simulations && p->sorted, err, "the profiles");
  for (size_t i = 0; i < n; i++) { p->best[i] = p->f0[i] = NAN; }
  MBD_TRY(runs_each(s, find_best, &r, err));
  for (size_t i = 0; i < n; i++) { p->solved_by_none += isnan(p->best[i]); }
  return runs_each(s, find_solved, &r, err);
}

mbd_status profiles_create(study *s, profiles *p, mbd_error *err) {
  *p = (profiles){0};
  if (strcmp(s->kind, "compare") != 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is a %s, no comparison; it has no profiles", s->folder, s->kind);
  }
  mbd_status status = create(s, p, err);
  if (status != MBD_OK) { profiles_free(p); }
  return status;
}

void profiles_free(profiles *p) {
  text_list_free(p->backend, p->nbackend);
  free(p->simulations), free(p->best), free(p->f0), free(p->sorted);
  *p = (profiles){0};
}

/* ---- the profiles ---- */

static const int *row(const profiles *p, int t, int b) {
  return p->simulations + (t * p->nbackend + b) * p->ninstance;
}

double profiles_data(const profiles *p, int t, int b, double k) {
  int solved = 0;
  for (int i = 0; i < p->ninstance; i++) { solved += row(p, t, b)[i] > 0 && row(p, t, b)[i] <= k; }
  return (double)solved / p->ninstance;
}

int profiles_simulations(const profiles *p, int t, int b, int i) {
  return row(p, t, b)[i];
}

int profiles_fewest(const profiles *p, int t, int i) {
  int min = 0;
  for (int b = 0; b < p->nbackend; b++) {
    const int k = row(p, t, b)[i];
    if (k > 0 && (min == 0 || k < min)) { min = k; }
  }
  return min;
}

double profiles_performance(const profiles *p, int t, int b, double ratio) {
  int solved = 0;
  for (int i = 0; i < p->ninstance; i++) {
    const int k = row(p, t, b)[i];
    solved += k > 0 && k <= ratio * profiles_fewest(p, t, i);
  }
  return (double)solved / p->ninstance;
}

int profiles_solved(const profiles *p, int t, int b) {
  int n = 0;
  for (int i = 0; i < p->ninstance; i++) { n += row(p, t, b)[i] > 0; }
  return n;
}

double profiles_percent(const profiles *p, int t, int b) {
  return 100.0 * profiles_solved(p, t, b) / p->ninstance;
}

static int by_size(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

double profiles_median(const profiles *p, int t, int b) {
  const int n = profiles_solved(p, t, b);
  int *k = p->sorted, m = 0;
  for (int i = 0; i < p->ninstance; i++) {
    if (row(p, t, b)[i] > 0) { k[m++] = row(p, t, b)[i]; }
  }
  qsort(k, (size_t)n, sizeof *k, by_size);
  return n ? 0.5 * (k[(n - 1) / 2] + k[n / 2]) : NAN;
}
