/* Where the matrices of a time step can be different from zero, from the tree and the elements' coordinates. */
#include <stdlib.h>
#include <string.h>

#include "formulation/matrices.h"

static void find(const mbd_model *m, const mbd_nonzeros *M_at, const mbd_nonzeros *K_at, const mbd_nonzeros *Phi_at,
                 unsigned char *mark) {
  const int n = m->nz;
  memset(mark, 0, (size_t)n * (size_t)n);
  motion_mark_inertia(m, mark);
  if (M_at) { mbd_nonzeros_list(n, n, mark, M_at); }
  motion_mark_forces(m, mark);
  motion_mark_constraints(m, mark);
  mbd_nonzeros_list(n, n, mark, K_at);
  memset(mark, 0, (size_t)m->nphi * (size_t)n);
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      for (int a = 0; a < c->lift.ncol; a++) { mark[r * n + c->lift.col[a]] = 1; }
    }
  }
  mbd_nonzeros_list(m->nphi, n, mark, Phi_at);
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
