#include "report/study_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the curves of the comparison");
}

char *study_problem_name(const study *s, int i) {
  const char *slash = strrchr(s->origin[i], '/'), *name = slash ? slash + 1 : s->origin[i];
  const char *dot = strrchr(name, '.');
  return mbd_sprintf_dup("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static mbd_status create(int n, study_curves *c, mbd_error *err) {
  *c = (study_curves){0};
  c->curve = calloc((size_t)n + 1, sizeof *c->curve);
  c->run = calloc((size_t)n + 1, sizeof *c->run);
  if (c->curve && c->run) { return MBD_OK; }
  study_curves_free(c);
  return no_memory(err);
}

void study_curves_free(study_curves *c) {
  for (int i = 0; !c->room && i < c->n; i++) { free((void *)c->curve[i].x); }
  free(c->room), free(c->curve), free(c->run);
  *c = (study_curves){0};
}

/* ---- profiles ---- */

/* The places x at which the profile of one backend rises, since it solves an instance; at most MOST of them. */
enum { PROFILE_MOST = 200 };

typedef double (*profile_value)(const profiles *p, int t, int b, double x);

/* The cost for backend b of solving each instance: simulations, or their ratio to the fewest; returns how many it
 * solved. */
static int costs(const profiles *p, int t, int b, int ratio, double *x) {
  int n = 0;
  for (int i = 0; i < p->ninstance; i++) {
    const int own = profiles_simulations(p, t, b, i);
    if (own > 0) { x[n++] = ratio ? (double)own / profiles_fewest(p, t, i) : own; }
  }
  qsort(x, (size_t)n, sizeof *x, ascending);
  return n;
}

static int thin(int n, double *x) {
  const int stride = (n + PROFILE_MOST - 1) / PROFILE_MOST;
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (i % stride == 0 || i == n - 1) { x[k++] = x[i]; }
  }
  return k;
}

mbd_status study_curves_profile(const study_data *d, int t, int ratio, study_curves *c, mbd_error *err) {
  const profiles *p = &d->profiles;
  const profile_value value = ratio ? profiles_performance : profiles_data;
  const size_t room = (size_t)p->ninstance + PROFILE_MOST + 4;
  MBD_TRY(create(p->nbackend, c, err));
  double *x = c->room = malloc(2 * room * (size_t)p->nbackend * sizeof *x + 1);
  if (!x) {
    study_curves_free(c);
    return no_memory(err);
  }
  for (int b = 0; b < p->nbackend; b++) {
    double *xs = x + 2 * room * (size_t)b, *ys = xs + room;
    xs[0] = ratio ? 1 : 0; /* from here on */
    const int n = 1 + thin(costs(p, t, b, ratio, xs + 1), xs + 1);
    for (int i = 0; i < n; i++) { ys[i] = value(p, t, b, xs[i]); }
    c->curve[c->n] = (plot_curve){p->backend[b], PLOT_STEPS, n, xs, ys};
    c->run[c->n++] = -1;
  }
  return MBD_OK;
}

/* ---- convergence ---- */

static mbd_status best_so_far(const json_t *o, plot_curve *curve, mbd_error *err) {
  const int n = runs_simulations(o);
  double *x = malloc((2 * (size_t)n + 1) * sizeof *x), best = NAN;
  if (!x) { return no_memory(err); }
  double *y = x + n;
  for (int k = 0; k < n; k++) {
    best = fmin(best, runs_feasible(o, k)); /* fmin ignores NaN */
    x[k] = k + 1, y[k] = best;
  }
  *curve = (plot_curve){curve->title, PLOT_STEPS, n, x, y};
  return MBD_OK;
}

mbd_status study_curves_convergence(const study_data *d, int problem, study_curves *c, mbd_error *err) {
  const int nbackend = d->profiles.nbackend;
  mbd_status status = MBD_OK;
  MBD_TRY(create(nbackend, c, err));
  for (int b = 0; b < nbackend && status == MBD_OK; b++) {
    const long run = d->from_own[problem * nbackend + b];
    json_t *o = NULL;
    if (run >= 0) { status = study_data_run(d, run, &o, err); }
    if (!o) { continue; }
    c->curve[c->n].title = d->profiles.backend[b], c->run[c->n] = run;
    status = best_so_far(o, &c->curve[c->n], err);
    c->n += status == MBD_OK;
    json_decref(o);
  }
  if (status != MBD_OK) { study_curves_free(c); }
  return status;
}
