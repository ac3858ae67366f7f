/* Where the matrices of a time step can be different from zero, from the tree and the elements' coordinates. */
#include <stdlib.h>
#include <string.h>

#include "formulation/matrices.h"

/* Coordinates of one joint, and of joints on the way to the ground, act on each other. */
static void mark_tree(const mbd_model *m, unsigned char *mark) {
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

static void list(int m, int n, const unsigned char *mark, const mbd_nonzeros *z) {
  for (int i = 0; i < m; i++) {
    z->count[i] = 0;
    for (int j = 0; j < n; j++) {
      if (mark[i * n + j]) { z->col[i * n + z->count[i]++] = j; }
    }
  }
}

static void find(const mbd_model *m, const mbd_nonzeros *M_at, const mbd_nonzeros *K_at, const mbd_nonzeros *Phi_at,
                 unsigned char *mark) {
  const int n = m->nz;
  memset(mark, 0, (size_t)n * (size_t)n);
  mark_tree(m, mark);
  if (M_at) { list(n, n, mark, M_at); }
  for (int i = 0; i < m->nforce; i++) { mark_element(n, &m->force[i].lift, mark); }
  for (int i = 0; i < m->nconstraint; i++) { mark_element(n, &m->constraint[i].lift, mark); }
  list(n, n, mark, K_at);
  memset(mark, 0, (size_t)m->nphi * (size_t)n);
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      for (int a = 0; a < c->lift.ncol; a++) { mark[r * n + c->lift.col[a]] = 1; }
    }
  }
  list(m->nphi, n, mark, Phi_at);
}

mbd_status nonzeros_find(const mbd_model *m, const mbd_nonzeros *M_at, const mbd_nonzeros *K_at,
                         const mbd_nonzeros *Phi_at, mbd_error *err) {
  const size_t n = (size_t)m->nz, rows = (size_t)m->nphi;
  unsigned char *mark = malloc((n > rows ? n : rows) * n + 1);
  if (!mark) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  find(m, M_at, K_at, Phi_at, mark);
  free(mark);
  return MBD_OK;
}
