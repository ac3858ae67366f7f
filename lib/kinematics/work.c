/* The markers that sweeps place and move. */
#include "kinematics/work.h"

#include <string.h>

static void sweep_no_marker(mbd_work *w) {
  w->swept.n = w->swept.light = 0;
  memset(w->swept.is, 0, (size_t)w->model->nmarker * sizeof *w->swept.is);
}

void work_sweep_marker(mbd_work *w, int k) {
  if (w->swept.is[k]) { return; }
  w->swept.is[k] = 1;
  w->swept.marker[w->swept.n++] = k;
  w->swept.light |= w->model->body[w->model->marker[k].body].light;
}

void work_sweep_all_markers(mbd_work *w) {
  sweep_no_marker(w);
  for (int k = 0; k < w->model->nmarker; k++) { work_sweep_marker(w, k); }
}

void work_sweep_lift(mbd_work *w, const mbd_lift *l) {
  for (int i = 0; i < l->narg; i++) {
    const mbd_arg *arg = &l->arg[i];
    if (arg->kind == MBD_ARG_ROTATION) {
      w->swept.light |= w->model->body[arg->b].light || (arg->a >= 0 && w->model->body[arg->a].light);
    }
    if (arg->kind != MBD_ARG_POINT && arg->kind != MBD_ARG_VECTOR) { continue; }
    work_sweep_marker(w, arg->b);
    if (arg->a >= 0) { work_sweep_marker(w, arg->a); }
  }
}

void work_sweep_element_markers(mbd_work *w) {
  const mbd_model *m = w->model;
  sweep_no_marker(w);
  for (int i = 0; i < m->nforce; i++) { work_sweep_lift(w, &m->force[i].lift); }
  for (int i = 0; i < m->nconstraint; i++) { work_sweep_lift(w, &m->constraint[i].lift); }
}
