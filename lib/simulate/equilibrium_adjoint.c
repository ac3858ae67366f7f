/* The adjoint of static equilibrium, the transpose of equilibrium_sens: with [K' J'; J 0] [mu; nu] = [by z; by y] it
 * subtracts the derivative of mu . (r + J' y) + nu . rows from the derivatives by the coefficients.
 * Equations: theory.md §5.7 (5.13), transposed. */
#include <string.h>

#include "model/state.h"
#include "simulate/equilibrium.h"
#include "state/adjoint.h"

void equilibrium_states_back(const mbd_model *m, sim_adjoint *a) {
  const size_t first = (size_t)model_first_state(m) * (size_t)a->npsi, end = (size_t)m->nz * (size_t)a->npsi;
  for (size_t i = first; i < end; i++) { a->z[i] += a->zd[i], a->zd[i] = 0; }
}

mbd_status equilibrium_solve_back(mbd_sim *s, sim_adjoint *a, const mbd_real *by_lam, mbd_error *err) {
  const motion_rows rows = equilibrium_rows(s);
  const int n = s->m->nz, np = a->npsi, all = equilibrium_all_rows(s);
  mbd_saddle q = s->start->equilibrium->system;
  /* [K' J'; J 0] [mu; nu] = [by z; by lam], with zero for the rows that are no constraints. */
  q.transposed = 1;
  memset(a->g, 0, (size_t)all * (size_t)np * sizeof *a->g);
  if (by_lam) { memcpy(a->g, by_lam, (size_t)s->velocity_row * (size_t)np * sizeof *a->g); }
  MBD_TRY(adjoint_solve(a, &q, a->z, a->g, err));
  /* One reverse sweep for each objective: -mu . (r + J' y) - nu . rows, by the coefficients. */
  motion_linearize(s->w, rows, s->start->equilibrium->y, &a->linear);
  adjoint_begin(s, a);
  for (int k = 0; k < np; k++) {
    adjoint_get(n, np, k, -1, a->mu, a->column);
    adjoint_get(all, np, k, 1, a->nu, a->row);
    if (all > rows.nrow) { start_free_back(s, a->row + rows.nrow, a->theta[k]); }
    for (int i = 0; i < all; i++) { a->row[i] = -a->row[i]; }
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
    motion_reverse_rows(&a->reverse[k], rows, a->row, NULL, NULL);
  }
  adjoint_read_joints(a);
  return MBD_OK;
}
