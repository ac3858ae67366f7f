#include "study/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json.h"
#include "files/memory.h"
#include "files/text_list.h"
#include "study/statistics.h"

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
  profiles *p = r->p;
  const int at = instance_of(r->s), here = backend_of(p, r->s) * p->ninstance + at;
  json_t *problem = json_object_get(o, "problem");
  int first = 1;
  (void)i, (void)err;
  for (int k = 0; k < runs_simulations(o); k++) {
    const double f = runs_feasible(o, k);
    if (isnan(f)) { continue; }
    p->best[at] = fmin(p->best[at], f); /* fmin ignores NaN */
    if (first) { p->f0[at] = fmax(p->f0[at], f); }
    first = 0;
  }
  /* The result of the run, and what it took. */
  const double f = state == RUN_DONE ? runs_result(o) : NAN;
  p->reached[here] = isnan(f) ? (double)INFINITY : f;
  p->total[here] = costs_of_run(costs_here(&p->costs, r->s), o);
  p->seconds[here] = json_number_of(json_object_get(o, "seconds"));
  if (problem && !p->problem[at / p->starts]) { p->problem[at / p->starts] = json_incref(problem); }
  return MBD_OK;
}

static mbd_status find_solved(void *user, long i, runs_state state, const json_t *o, mbd_error *err) {
  const reading *r = user;
  profiles *p = r->p;
  const int at = instance_of(r->s), b = backend_of(p, r->s), n = runs_simulations(o);
  (void)i, (void)state;
  double *cost = costs_of_designs(costs_here(&p->costs, r->s), o);
  MEMORY_TRY(cost, err, "the profiles");
  for (int t = 0; t < PROFILES_NTAU; t++) {
    double *solved = &p->cost[(t * p->nbackend + b) * p->ninstance + at];
    const double goal = p->best[at] + profiles_tau[t] * (p->f0[at] - p->best[at]);
    for (int k = 0; k < n && isinf(*solved); k++) {
      if (runs_feasible(o, k) <= goal) { *solved = cost[k]; }
    }
  }
  free(cost);
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

/* Which backends take part on which problem, and which instances have runs that are left. */
static mbd_status find_left(study *s, profiles *p, mbd_error *err) {
  for (long i = 0; i < s->n; i++) {
    MBD_TRY(points_read(&s->points, i, err));
    const int at = instance_of(s), b = backend_of(p, s);
    p->takes[b * p->nproblem + at / p->starts] = 1;
    if (isnan(profiles_row(p, p->total, b)[at])) { p->incomplete[at] = 1; }
  }
  return MBD_OK;
}

static mbd_status create(study *s, profiles *p, mbd_error *err) {
  reading r = {s, p};
  MBD_TRY(find_backends(s, p, err));
  MBD_TRY(costs_create(s, &p->costs, err));
  p->nproblem = s->nfile, p->starts = s->starts > 0 ? s->starts : 1;
  p->ninstance = p->nproblem * p->starts;
  const size_t n = (size_t)p->ninstance, all = (size_t)p->nbackend * n;
  p->best = mbd_zeros(n, sizeof *p->best), p->f0 = mbd_zeros(n, sizeof *p->f0);
  p->incomplete = mbd_zeros(n, 1), p->takes = mbd_zeros((size_t)p->nbackend * (size_t)p->nproblem, 1);
  p->cost = mbd_zeros(PROFILES_NTAU * all, sizeof *p->cost), p->reached = mbd_zeros(all, sizeof *p->reached);
  p->total = mbd_zeros(all, sizeof *p->total), p->seconds = mbd_zeros(all, sizeof *p->seconds);
  p->problem = mbd_zeros((size_t)p->nproblem, sizeof *p->problem);
  MBD_TRY(MEMORY_WHOLE(err, "the profiles"));
  for (size_t i = 0; i < n; i++) { p->best[i] = p->f0[i] = NAN; }
  for (size_t i = 0; i < all; i++) { p->reached[i] = p->total[i] = p->seconds[i] = NAN; }
  for (size_t i = 0; i < PROFILES_NTAU * all; i++) { p->cost[i] = INFINITY; }
  MBD_TRY(runs_each(s, find_best, &r, err));
  for (size_t i = 0; i < n; i++) { p->solved_by_none += isnan(p->best[i]); }
  MBD_TRY(runs_each(s, find_solved, &r, err));
  return find_left(s, p, err);
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
  for (int i = 0; p->problem && i < p->nproblem; i++) { json_decref(p->problem[i]); }
  text_list_free(p->backend, p->nbackend);
  costs_free(&p->costs);
  free(p->cost), free(p->reached), free(p->total), free(p->seconds), free(p->takes);
  free(p->best), free(p->f0), free(p->incomplete), free(p->problem);
  *p = (profiles){0};
}

/* ---- the profiles ---- */

profiles_part profiles_all(const profiles *p) {
  return (profiles_part){.n = p->ninstance};
}

profiles_part profiles_of_problem(const profiles *p, int problem) {
  return (profiles_part){.n = p->starts, .first = problem * p->starts};
}

static int instance_at(profiles_part part, int k) {
  return part.instance ? part.instance[k] : part.first + k;
}

double profiles_data(const profiles *p, int t, int b, double cost) {
  int solved = 0;
  for (int i = 0; i < p->ninstance; i++) { solved += profiles_cost(p, t, b, i) <= cost; }
  return (double)solved / p->ninstance;
}

double profiles_cost(const profiles *p, int t, int b, int i) {
  return profiles_costs(p, t, b)[i];
}

double profiles_fewest(const profiles *p, int t, int i) {
  double min = INFINITY;
  for (int b = 0; b < p->nbackend; b++) { min = fmin(min, profiles_cost(p, t, b, i)); }
  return min;
}

double profiles_performance(const profiles *p, int t, int b, double ratio) {
  int solved = 0;
  for (int i = 0; i < p->ninstance; i++) {
    const double k = profiles_cost(p, t, b, i);
    solved += isfinite(k) &&
              k / profiles_fewest(p, t, i) <= ratio; /* as figures divide: at this ratio, not a rounding beyond it */
  }
  return (double)solved / p->ninstance;
}

int profiles_solved(const profiles *p, int t, int b, profiles_part part) {
  int n = 0;
  for (int k = 0; k < part.n; k++) { n += isfinite(profiles_cost(p, t, b, instance_at(part, k))) != 0; }
  return n;
}

mbd_status profiles_quartiles(const double *v, profiles_part part, double quartile[3], mbd_error *err) {
  double *sorted = mbd_zeros((size_t)part.n, sizeof *sorted);
  int n = 0;
  MEMORY_TRY(sorted, err, "the quartiles");
  for (int k = 0; k < part.n; k++) {
    if (!isnan(v[instance_at(part, k)])) { sorted[n++] = v[instance_at(part, k)]; }
  }
  for (int k = 0; k < 3; k++) { quartile[k] = statistics_quantile(sorted, n, 0.25 * (k + 1)); }
  free(sorted);
  return MBD_OK;
}

mbd_status profiles_spread_of(const profiles *p, int b, profiles_part part, profiles_spread *out, mbd_error *err) {
  out->solved = profiles_solved(p, PROFILES_MIDDLE, b, part);
  statistics_wilson(out->solved, part.n, &out->low, &out->high);
  MBD_TRY(profiles_quartiles(profiles_costs(p, PROFILES_MIDDLE, b), part, out->needed, err));
  return profiles_quartiles(profiles_row(p, p->reached, b), part, out->reached, err);
}
