#include "mechanism/directional.h"

#include <stdlib.h>

#include "files/memory.h"
#include "mechanism/along.h"
#include "mechanism/cases.h"

static int is_along(const mechanism_case *load, int of_adjoints) {
  return load->npsi > 0 && (!of_adjoints || gradient_is_adjoint(load->ask.method));
}

static mbd_status need_column(mechanism_case *load, mbd_error *err) {
  if (!load->along) { load->along = calloc(2 * (size_t)load->npsi + 1, sizeof *load->along); }
  MEMORY_TRY(load->along, err, "the derivatives of case '%s'", load->config->name);
  if (load->column) { return MBD_OK; }
  return mbd_sim_create(load->v->model, &load->c, load->outputs, load->nterm, load->term, load->npsi, 1, &load->column,
                        err);
}

static mbd_status run_column(mechanism *m, mechanism_case *load, mbd_error *err) {
  mbd_sim_watch(load->column, 0);
  return mbd_sim_run(load->column, load->v->params, 1, &load->v->column, load->along, load->along + load->npsi, NULL,
                     mechanism_stop_requested, m, err);
}

static mbd_status run_of_adjoint(mechanism *m, mechanism_case *load, mbd_error *err) {
  return is_along(load, 1) ? run_column(m, load, err) : MBD_OK;
}

static mbd_status run_of_any(mechanism *m, mechanism_case *load, mbd_error *err) {
  return is_along(load, 0) ? run_column(m, load, err) : MBD_OK;
}

mbd_status cases_simulate_along(mechanism *m, const double *d, int of_adjoints, mbd_error *err) {
  for (int i = 0; i < m->nload; i++) {
    if (!is_along(&m->cases[i], of_adjoints)) { continue; }
    MBD_TRY(need_column(&m->cases[i], err));
    mechanism_variant *v = m->cases[i].v;
    MBD_TRY(along_column(m, v, v->params, d, &v->column, err));
  }
  return cases_each(m, of_adjoints ? run_of_adjoint : run_of_any, err);
}
