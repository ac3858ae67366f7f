#include "mechanism/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/along.h"
#include "mechanism/cases.h"
#include "files/memory.h"

double watch_limit(const mechanism *m) {
  const int inexact = gradient_method_find(m->config->gradient.method) == GRADIENT_CONTINUOUS_ADJOINT;
  return fmax(m->config->gradient.watch_limit, inexact ? m->config->check.continuous_tolerance : 0);
}

/* ---- the simulation ---- */

static int is_watched(const mechanism_case *load) {
  return load->npsi > 0 && gradient_is_adjoint(load->ask.method);
}

static mbd_status need_column(mechanism_case *load, mbd_error *err) {
  if (!load->along) { load->along = calloc(2 * (size_t)load->npsi + 1, sizeof *load->along); }
  MEMORY_TRY(load->along, err, "the derivatives of case '%s'", load->config->name);
  if (load->column) { return MBD_OK; }
  return mbd_sim_create(load->v->model, &load->c, load->outputs, load->nterm, load->term, load->npsi, 1, &load->column,
                        err);
}

static mbd_status run_column(mechanism *m, mechanism_case *load, mbd_error *err) {
  if (!is_watched(load)) { return MBD_OK; }
  mbd_sim_watch(load->column, 0);
  return mbd_sim_run(load->column, load->v->params, 1, &load->v->column, load->along, load->along + load->npsi, NULL,
                     mechanism_stop_requested, m, err);
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
    const mechanism_case *load = &m->cases[i];
    if (is_watched(load)) { along_compare(m, load, d, load->along + load->npsi, g, difference, size); }
  }
  return MBD_OK;
}

mbd_status watch_gradient(void *user, int number, double *difference, double *size, mbd_error *err) {
  mechanism *m = user;
  const size_t n = (size_t)m->n, nq = (size_t)(m->nobjective + m->nconstraint);
  double *d = calloc(2 * n + 1, sizeof *d);
  memset(difference, 0, nq * sizeof *difference), memset(size, 0, nq * sizeof *size);
  MEMORY_TRY(d, err, "a direction");
  const mbd_status status = watch(m, number, d, d + n, difference, size, err);
  free(d);
  return status;
}
