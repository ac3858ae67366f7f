/* The evaluation of a state-space formulation, differentiated along directions (S1, forward sensitivity of Matrix R): each
 * of its four problems is solved again with the same factors and the right-hand sides
 *   Phi_z z'   = -Phi_theta                                       B z'  = xi'
 *   Phi_z zd'  = -(Phid_z z' + Phid_theta)                        B zd' = eta'
 *   M zdd' + Phi_z' lam' = -(K z' + C zd' + r_theta),   Phi_z zdd' = -(Phidd_z z' + Phidd_zd zd' + Phidd_theta)
 * with K that of r + Phi_z' lam at fixed zdd, lam. Every right-hand side is one sweep along coefficients and coordinates
 * together, O(bodies), without a matrix (S2 §4.2). In natural coordinates the parts of z' and zd' are products with sparse matrices. */
#include <string.h>

#include "formulation/state_space.h"

/* Returns the columns of coordinates for direction(): none if matrices take their part. */
static const mbd_real *swept(const state_space *q, const mbd_real *block) {
  return q->in->dense ? block : NULL;
}

static void positions(mbd_sim *s, const mbd_real *xip, mbd_real *zp) {
  state_space *q = ss_of(s);
  const int m = q->m, np = s->np;
  memset(q->G, 0, (size_t)m * (size_t)np * sizeof *q->G);
  for (int k = 0; m > 0 && k < np; k++) {
    q->in->direction(s, k, NULL, NULL, q->dphi, NULL, NULL, NULL);
    sens_subtract(m, np, k, q->dphi, q->G);
  }
  independent_solve(q->indep, np, q->G, xip, zp);
}

static void rates(mbd_sim *s, const mbd_real *etap, const mbd_real *zp, mbd_real *zdp) {
  state_space *q = ss_of(s);
  const int m = q->m, np = s->np;
  memset(q->G, 0, (size_t)m * (size_t)np * sizeof *q->G);
  for (int k = 0; m > 0 && k < np; k++) {
    q->in->direction(s, k, swept(q, zp), NULL, NULL, q->dphid, NULL, NULL);
    sens_subtract(m, np, k, q->dphid, q->G);
  }
  if (!q->in->dense) { q->in->times(s, np, zp, NULL, NULL, q->G); }
  independent_solve(q->indep, np, q->G, etap, zdp);
}

static mbd_status accelerations(mbd_sim *s, const sim_sens *to, mbd_error *err) {
  state_space *q = ss_of(s);
  const int n = q->n, m = q->m, np = s->np;
  memset(q->F, 0, (size_t)n * (size_t)np * sizeof *q->F);
  memset(q->G, 0, (size_t)m * (size_t)np * sizeof *q->G);
  for (int k = 0; k < np; k++) {
    q->in->direction(s, k, swept(q, to->z), swept(q, to->zd), NULL, NULL, q->dr, q->dphidd);
    sens_subtract(n, np, k, q->dr, q->F);
    sens_subtract(m, np, k, q->dphidd, q->G);
  }
  if (!q->in->dense) { q->in->times(s, np, to->z, to->zd, q->F, q->G); }
  return q->ops->solve(s, q->own, np, q->F, q->G, to->zdd, to->lam, err);
}

mbd_status ss_evaluate_sens(mbd_sim *s, const sim_sens *to, mbd_error *err) {
  state_space *q = ss_of(s);
  q->in->move(s);
  if (!q->in->dense) { q->in->linearize(s, 0); }
  positions(s, q->xip, to->z);
  rates(s, q->etap, to->z, to->zd);
  return accelerations(s, to, err);
}
