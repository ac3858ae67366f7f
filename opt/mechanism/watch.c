#include "mechanism/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/random.h"
#include "mechanism/cases.h"

double watch_limit(const mechanism *m) {
  const int inexact = gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT;
  return fmax(m->config->gradient.watch_limit, inexact ? m->config->check.continuous_tolerance : 0);
}

/* ---- the direction ---- */

static void draw(const mechanism *m, int number, double *d) {
  uint64_t state = (uint64_t)number;
  for (int j = 0; j < m->n; j++) { d[j] = (2 * random_unit(&state) - 1) * m->scale[j]; }
}

/* Computes the direction (dtheta/drho) d of the coefficients at the current design. */
static mbd_status set_column(const mechanism *m, mechanism_variant *v, const double *d, mbd_error *err) {
  const int nc = mbd_model_ncoef(v->model);
  double *dtheta = calloc((size_t)nc + 1, sizeof *dtheta);
  int *index = malloc(((size_t)nc + 1) * sizeof *index), n = 0;
  mbd_status status = dtheta && index ? MBD_OK : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a direction");
  if (status == MBD_OK && !v->column) { status = mbd_dparams_create(v->model, &v->column, err); }
  if (status == MBD_OK) {
    for (int j = 0; j < m->n; j++) {
      for (int i = v->start[j]; i < v->start[j + 1]; i++) { dtheta[v->index[i]] += v->value[i] * d[j]; }
    }
    for (int i = 0; i < nc; i++) {
      if (dtheta[i] != 0) { dtheta[n] = dtheta[i], index[n++] = i; }
    }
    mbd_dparams_set(v->column, v->params, n, index, dtheta);
  }
  free(dtheta), free(index);
  return status;
}

/* ---- the simulation ---- */

static int is_watched(const mechanism_case *q) {
  return q->npsi > 0 && gradient_is_adjoint(q->ask.method);
}

static mbd_status need_column(mechanism_case *q, mbd_error *err) {
  if (!q->along) { q->along = calloc(2 * (size_t)q->npsi + 1, sizeof *q->along); }
  if (!q->along) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the derivatives of case '%s'", q->config->name); }
  if (q->column) { return MBD_OK; }
  return mbd_sim_create(q->v->model, &q->c, q->outputs, q->nterm, q->term, q->npsi, 1, &q->column, err);
}

static int stop_asked(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  const mechanism *m = user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

static mbd_status run_column(mechanism *m, mechanism_case *q, mbd_error *err) {
  if (!is_watched(q)) { return MBD_OK; }
  mbd_sim_watch(q->column, 0);
  return mbd_sim_run(q->column, q->v->params, 1, &q->v->column, q->along, q->along + q->npsi, NULL, stop_asked, m, err);
}

/* ---- the comparison ---- */

static void compare(const mechanism *m, const double *g, const double *d, double along, double *difference,
                    double *size) {
  double sum = 0;
  *size = 0;
  for (int j = 0; j < m->n; j++) { sum += g[j] * d[j], *size += fabs(g[j] * d[j]); }
  *difference = fabs(sum - along);
}

static void compare_case(const mechanism *m, const mechanism_case *q, const double *d, double *g, double *difference,
                         double *size) {
  const double *along = q->along + q->npsi;
  if (q->ask.of_sum) {
    const int row = q->quantity[0];
    double sum = 0;
    memset(g, 0, (size_t)m->n * sizeof *g);
    case_add_sum(m, q, g);
    for (int k = 0; k < q->nobjective; k++) { sum += m->config->objective[q->quantity[k]].weight * along[k]; }
    compare(m, g, d, sum, &difference[row], &size[row]);
  }
  for (int k = q->ask.of_sum ? q->nobjective : 0; k < q->npsi; k++) {
    const int row = q->quantity[k];
    case_row(m, q, k, g);
    compare(m, g, d, along[k], &difference[row], &size[row]);
  }
}

static mbd_status watch(mechanism *m, int number, double *d, double *g, double *difference, double *size,
                        mbd_error *err) {
  int any = 0;
  draw(m, number, d);
  for (int i = 0; i < m->ncase; i++) {
    if (!is_watched(&m->cases[i])) { continue; }
    any = 1;
    MBD_TRY(need_column(&m->cases[i], err));
    MBD_TRY(set_column(m, m->cases[i].v, d, err));
  }
  if (!any) { return MBD_OK; }
  MBD_TRY(cases_each(m, run_column, err));
  for (int i = 0; i < m->ncase; i++) {
    if (is_watched(&m->cases[i])) { compare_case(m, &m->cases[i], d, g, difference, size); }
  }
  return MBD_OK;
}

mbd_status watch_gradient(void *user, int number, double *difference, double *size, mbd_error *err) {
  mechanism *m = user;
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint);
  double *d = calloc(2 * n + 1, sizeof *d);
  memset(difference, 0, nq * sizeof *difference), memset(size, 0, nq * sizeof *size);
  if (!d) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a direction"); }
  const mbd_status status = watch(m, number, d, d + n, difference, size, err);
  free(d);
  return status;
}
