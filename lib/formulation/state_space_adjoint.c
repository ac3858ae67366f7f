/* The transpose of the evaluation's derivative (state_space_direct.c): the same problems in reverse order,
 *   [M Phi_z'; Phi_z 0] [mu; nu] = [by zdd; by lam]
 *                    z, zd and coefficients lose the derivative of mu . (r + Phi_z' lam) + nu . Phidd
 *   by_eta = R' (by zd),  nu = S' (by zd):     z and coefficients lose that of nu . Phid
 *   by_xi  = R' (by z),   nu = S' (by z):      the coefficients lose that of nu . Phi */
#include <string.h>

#include "formulation/state_space.h"

static mbd_status accelerations_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *q = ss_of(s);
  MBD_TRY(q->ops->solve(s, q->own, a->npsi, a->zdd, a->lam, a->mu, a->nu, err));
  adjoint_pull_motion(s, a);
  return MBD_OK;
}

/* by [nf][npsi] := R' x, and the rows' part of it into the reverse sweeps: order 0: Phi, 1: Phid. */
static void rows_back(mbd_sim *s, sim_adjoint *a, const mbd_real *x, int order, mbd_real *by) {
  const int m = s->m->nphi, np = a->npsi;
  independent_solve_T(ss_of(s)->kin, np, x, a->nu, by);
  for (int k = 0; m > 0 && k < np; k++) {
    adjoint_get(m, np, k, -1, a->nu, a->row);
    motion_pull_rows(&a->pull[k], s->eq, order == 0 ? a->row : NULL, order == 1 ? a->row : NULL, NULL);
  }
}

void ss_clear_back(const mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  adjoint_zero((size_t)s->m->nphi * (size_t)a->npsi, a->lam);
  adjoint_begin(s, a);
}

mbd_status ss_evaluate_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *q = ss_of(s);
  adjoint_read(s, a, 2, a->zdd);
  MBD_TRY(accelerations_back(s, a, err));
  adjoint_read(s, a, 1, a->zd);
  rows_back(s, a, a->zd, 1, q->by_eta);
  adjoint_read(s, a, 0, a->z);
  rows_back(s, a, a->z, 0, q->by_xi);
  adjoint_read_joints(a);
  return MBD_OK;
}

void ss_stretch_back(const mbd_sim *s, sim_adjoint *a) {
  const state_space *q = ss_of(s);
  for (int k = 0; s->c.free_duration && k < a->npsi; k++) {
    for (int f = 0; f < q->kin->nf; f++) {
      a->theta[k]->stretch -= q->by_eta[f * a->npsi + k] * s->now.zd[q->kin->free[f]];
    }
  }
}
