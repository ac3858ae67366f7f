/* The transpose of the evaluation's derivative (state_space_direct.c): the same problems in reverse order,
 *   [M Phi_z'; Phi_z 0] [mu; nu] = [by zdd; by lam]
 *                    subtract the derivative of mu . (r + Phi_z' lam) + nu . Phidd by z, zd and the coefficients
 *   by_eta = R' (by zd),  nu = S' (by zd):     subtract that of nu . Phid by z and the coefficients
 *   by_xi  = R' (by z),   nu = S' (by z):      subtract that of nu . Phi by the coefficients
 * Equations: theory.md §7.2 for the order of the transposes, theory.md §5.3 (5.6), (5.7) for the problems. */
#include <string.h>

#include "formulation/state_space.h"

static mbd_status accelerations_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(space->ops->solve(s, space->ops_memory, a->npsi, a->zdd, a->lam, a->mu, a->nu, err));
  space->mech->linearize(s, a, s->now.lam, NULL);
  space->mech->residual_back(s, a, a->mu, s->now.lam);
  space->mech->rows_back(s, a, (const double[3]){0, 0, 1});
  return MBD_OK;
}

/* by [nf][npsi] := R' x; adds the contribution of the rows (order 0: Phi, 1: Phid) to the reverse sweeps. */
static void ss_rows_back(mbd_sim *s, sim_adjoint *a, const mbd_real *x, int order, mbd_real *by) {
  const state_space *space = ss_of(s);
  (order == 0 ? independent_solve_T : independent_velocities_T)(space->indep, a->npsi, x, a->nu, by);
  if (space->m > 0) { space->mech->rows_back(s, a, (const double[3]){order == 0, order == 1, 0}); }
}

void ss_clear_back(const mbd_sim *s, sim_adjoint *a) {
  const state_space *space = ss_of(s);
  const size_t size = (size_t)space->n * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  adjoint_zero((size_t)space->m * (size_t)a->npsi, a->lam);
  space->mech->begin_back(s, a);
}

mbd_status ss_evaluate_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  space->mech->read(s, a, 2, a->zdd);
  MBD_TRY(accelerations_back(s, a, err));
  space->mech->read(s, a, 1, a->zd);
  ss_rows_back(s, a, a->zd, 1, space->back.by_eta);
  space->mech->read(s, a, 0, a->z);
  ss_rows_back(s, a, a->z, 0, space->back.by_xi);
  space->mech->end_back(a);
  return MBD_OK;
}

void ss_stretch_back(const mbd_sim *s, sim_adjoint *a) {
  const state_space *space = ss_of(s);
  for (int k = 0; s->c.free_duration && k < a->npsi; k++) {
    for (int f = 0; f < space->indep->nrate; f++) {
      a->theta[k]->stretch -= space->back.by_eta[f * a->npsi + k] * s->now.zd[space->indep->rate[f]];
    }
  }
}
