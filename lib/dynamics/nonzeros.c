/* Finds the places where the derivatives of the residual can differ from zero. Equations: theory.md §3 (3.3). */
#include "dynamics/motion.h"

void motion_mark_inertia(const mbd_model *m, unsigned char *mark) {
  const int n = m->nz;
  for (int j = 0; j < n; j++) {
    mark[j * n + j] = 1;
    for (int k = m->z_above[j]; k >= 0; k = m->z_above[k]) { mark[j * n + k] = mark[k * n + j] = 1; }
  }
}

static void mark_element(int n, const mbd_lift *l, unsigned char *mark) {
  for (int a = 0; a < l->ncol; a++) {
    for (int b = 0; b < l->ncol; b++) { mark[l->col[a] * n + l->col[b]] = 1; }
  }
}

void motion_mark_forces(const mbd_model *m, unsigned char *mark) {
  for (int i = 0; i < m->nforce; i++) { mark_element(m->nz, &m->force[i].lift, mark); }
}

void motion_mark_constraints(const mbd_model *m, unsigned char *mark) {
  for (int i = 0; i < m->nconstraint; i++) { mark_element(m->nz, &m->constraint[i].lift, mark); }
}
