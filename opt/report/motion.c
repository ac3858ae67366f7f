#include "report/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct recorder {
  const mechanism *m;
  motion_case *c;
  int room, full; /* number of nodes for which there is memory; full: 1, no memory for more */
} recorder;

static int make_room(recorder *r) {
  motion_case *c = r->c;
  const int room = r->room ? 2 * r->room : 256;
  double *t = realloc(c->t, (size_t)room * sizeof *t);
  if (t) { c->t = t; }
  double *y = t ? realloc(c->y, (size_t)room * (size_t)(c->noutput + 1) * sizeof *y) : NULL;
  if (y) { c->y = y, r->room = room; }
  return y != NULL;
}

static int record(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                  const double *y) {
  recorder *r = user;
  motion_case *c = r->c;
  (void)k;
  if (r->m->stop && *r->m->stop) { return 1; }
  if (c->all.curve) { thinned_add(&c->all, t, z, zd, zdd, lam, y); }
  if (c->n == r->room && !make_room(r)) { return r->full = 1; }
  c->t[c->n] = t;
  if (c->noutput) { memcpy(c->y + (size_t)c->n * (size_t)c->noutput, y, (size_t)c->noutput * sizeof *y); }
  c->n++;
  return 0;
}

/* Stretches of a run in the curves of a page: as many as a figure has points across; fewer for columns that are not
 * outputs if these are so many that the page would have many megabytes. */
enum { MOST_STRETCHES = 700 };
static int stretches_of_others(const mechanism *m, const mechanism_case *q) {
  enum { LEAST = 100, BUDGET = 40000 }; /* least number of stretches of a column; sum over all columns and cases */
  const int columns = 3 * mbd_model_nz(q->v->model) + mbd_model_nphi(q->v->model) + 1;
  const int most = BUDGET / (columns * m->ncase);
  return most < LEAST ? LEAST : most < MOST_STRETCHES ? most : MOST_STRETCHES;
}

static mbd_status run_case(mechanism *m, mechanism_case *q, int curves, motion_case *c, mbd_error *err) {
  c->noutput = mbd_outputs_count(q->outputs);
  if (curves) { MBD_TRY(thinned_create(m, q, MOST_STRETCHES, stretches_of_others(m, q), &c->all, err)); }
  recorder r = {m, c, 0, 0};
  mbd_status status = mbd_sim_run(q->sim, q->v->params, 0, NULL, q->psi, NULL, NULL, record, &r, err);
  if (curves) { thinned_end(&c->all); }
  if (r.full) { MBD_FAIL(err, MBD_NO_MEMORY, "case %s: no memory for its motion", q->config->name); }
  if (status != MBD_OK) { return mechanism_name_case(status, q, err); }
  for (int k = 0; k < q->npsi; k++) { m->psi[q->quantity[k]] = q->psi[k]; }
  return MBD_OK;
}

/* Sets the design, runs every case and evaluates the quantities. */
mbd_status motion_create(mechanism *m, const double *rho, int curves, motion **out, mbd_error *err) {
  MBD_TRY(mechanism_set_design(m, rho, 0, err));
  const size_t nq = (size_t)(m->nobjective + m->nconstraint);
  motion *w = calloc(1, sizeof *w);
  if (w) {
    w->ncase = m->ncase;
    w->cases = calloc((size_t)m->ncase + 1, sizeof *w->cases);
    w->psi = calloc(nq + 1, sizeof *w->psi);
  }
  mbd_status status = w && w->cases && w->psi ? MBD_OK : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for motions");
  for (int i = 0; i < m->ncase && status == MBD_OK; i++) {
    status = run_case(m, &m->cases[i], curves, &w->cases[i], err);
  }
  if (status == MBD_OK) { status = values_evaluate(m, m->psi, err); }
  if (status != MBD_OK) {
    motion_destroy(w);
    return status;
  }
  memcpy(w->psi, m->psi, nq * sizeof *w->psi);
  *out = w;
  return MBD_OK;
}

void motion_destroy(motion *w) {
  if (!w) { return; }
  for (int i = 0; w->cases && i < w->ncase; i++) {
    free(w->cases[i].t), free(w->cases[i].y);
    thinned_free(&w->cases[i].all);
  }
  free(w->cases), free(w->psi), free(w);
}

/* ---- curves ---- */

static double value(const motion_case *c, int output, int k) {
  return c->y[(size_t)k * (size_t)c->noutput + (size_t)output];
}

static int put(const motion_case *c, int output, int k, int n, double *t, double *y) {
  t[n] = c->t[k], y[n] = value(c, output, k);
  return n + 1;
}

int motion_curve(const motion_case *c, int output, int most, double *t, double *y) {
  const int stretch = (c->n + most - 1) / most;
  int n = 0;
  for (int first = 0; first < c->n; first += stretch) {
    const int end = first + stretch < c->n ? first + stretch : c->n;
    int low = first, high = first;
    for (int k = first; k < end; k++) {
      if (value(c, output, k) < value(c, output, low)) { low = k; }
      if (value(c, output, k) > value(c, output, high)) { high = k; }
    }
    const int one = low < high ? low : high, two = low < high ? high : low;
    n = put(c, output, first, n, t, y);
    if (one > first) { n = put(c, output, one, n, t, y); }
    if (two > one) { n = put(c, output, two, n, t, y); }
  }
  return c->n && t[n - 1] < c->t[c->n - 1] ? put(c, output, c->n - 1, n, t, y) : n;
}

double motion_range(const motion_case *c, int output) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < c->n; k++) { low = fmin(low, value(c, output, k)), high = fmax(high, value(c, output, k)); }
  return c->n ? high - low : 0;
}
