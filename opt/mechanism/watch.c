#include "mechanism/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/along.h"
#include "mechanism/cases.h"

double watch_limit(const mechanism *m) {
  const int inexact = gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT;
  return fmax(m->config->gradient.watch_limit, inexact ? m->config->check.continuous_tolerance : 0);
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

static mbd_status watch(mechanism *m, int number, double *d, double *g, double *difference, double *size,
                        mbd_error *err) {
  int any = 0;
  along_draw(m, number, d);
  for (int i = 0; i < m->ncase; i++) {
    if (!is_watched(&m->cases[i])) { continue; }
    any = 1;
    MBD_TRY(need_column(&m->cases[i], err));
    mechanism_variant *v = m->cases[i].v;
    MBD_TRY(along_column(m, v, v->params, d, &v->column, err));
  }
  if (!any) { return MBD_OK; }
  MBD_TRY(cases_each(m, run_column, err));
  for (int i = 0; i < m->ncase; i++) {
    const mechanism_case *q = &m->cases[i];
    if (is_watched(q)) { along_compare(m, q, d, q->along + q->npsi, g, difference, size); }
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
