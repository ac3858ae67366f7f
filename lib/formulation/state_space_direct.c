/* The evaluation of a state-space formulation, differentiated along directions (S1, forward sensitivity of Matrix R): each
 * of its four problems once more, with the same factors and right-hand sides
 *   Phi_z z'   = -Phi_theta                                       B z'  = xi'
 *   Phi_z zd'  = -(Phid_z z' + Phid_theta)                        B zd' = eta'
 *   M zdd' + Phi_z' lam' = -(K z' + C zd' + r_theta),   Phi_z zdd' = -(Phidd_z z' + Phidd_zd zd' + Phidd_theta)
 * with K that of r + Phi_z' lam at fixed zdd, lam. */
#include <string.h>

#include "formulation/state_space.h"
#include "kinematics/sweep.h"

mbd_status ss_evaluate_sens(mbd_sim *s, const sim_sens *to, mbd_error *err) {
  state_space *q = ss_of(s);
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const size_t rows = (size_t)m * (size_t)np;
  (void)err;
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  sweep_columns(s->p, s->w);
  dyn_jacobian(s->p, s->w, s->t, DYN_INERTIA | DYN_FORCES | DYN_OPEN, s->K, s->C, s->M);
  eq_hessian(s->p, s->w, s->eq, s->t, s->now.lam, s->K);
  memset(q->F, 0, (size_t)n * (size_t)np * sizeof *q->F);
  for (int k = 0; k < np; k++) {
    const mbd_variation *v = sim_vary(s, k);
    dyn_direction(s->p, s->d[k], s->w, v, s->t, DYN_INERTIA | DYN_FORCES, s->dr);
    eq_reaction_direction(s->p, s->d[k], s->w, v, s->eq, s->t, s->now.lam, s->dr);
    sens_subtract(n, np, k, s->dr, q->F);
  }
  memset(q->b, 0, rows * sizeof *q->b), memset(q->G, 0, rows * sizeof *q->G);
  memset(s->E, 0, rows * sizeof *q->G);
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 0);
  sweep_columns(s->p, s->w);
  for (int k = 0; k < np; k++) {
    eq_direction(s->p, s->d[k], s->w, sim_vary(s, k), s->eq, s->t, s->dphi, s->dphid, s->dphidd);
    sens_subtract(m, np, k, s->dphi, q->b);
    sens_subtract(m, np, k, s->dphid, s->E);
    sens_subtract(m, np, k, s->dphidd, q->G);
  }
  eq_rates_z(s->p, s->w, s->eq, s->t, s->Phid_z, s->Phidd_z, s->Phidd_zd);
  independent_solve(q->kin, np, q->b, q->xip, to->z);
  mbd_mul_add(m, n, np, -1, s->Phid_z, to->z, s->E);
  independent_solve(q->kin, np, s->E, q->etap, to->zd);
  mbd_mul_add(n, n, np, -1, s->K, to->z, q->F);
  mbd_mul_add(n, n, np, -1, s->C, to->zd, q->F);
  mbd_mul_add(m, n, np, -1, s->Phidd_z, to->z, q->G);
  mbd_mul_add(m, n, np, -1, s->Phidd_zd, to->zd, q->G);
  q->ops->solve(s, q->own, np, q->F, q->G, to->zdd, to->lam);
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  sweep_columns(s->p, s->w);
  return MBD_OK;
}
