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
static const mbd_real *swept(const state_space *space, const mbd_real *block) {
  return space->in->dense ? block : NULL;
}

static void positions(mbd_sim *s, const mbd_real *xip, mbd_real *zp) {
  state_space *space = ss_of(s);
  const int m = space->m, np = s->np;
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; m > 0 && k < np; k++) {
    space->in->direction(s, k, NULL, NULL, space->sens.dphi, NULL, NULL, NULL);
    sens_subtract(m, np, k, space->sens.dphi, space->sens.G);
  }
  independent_solve(space->indep, np, space->sens.G, xip, zp);
}

static void rates(mbd_sim *s, const mbd_real *etap, const mbd_real *zp, mbd_real *zdp) {
  state_space *space = ss_of(s);
  const int m = space->m, np = s->np;
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; m > 0 && k < np; k++) {
    space->in->direction(s, k, swept(space, zp), NULL, NULL, space->sens.dphid, NULL, NULL);
    sens_subtract(m, np, k, space->sens.dphid, space->sens.G);
  }
  if (!space->in->dense) { space->in->times(s, np, zp, NULL, NULL, space->sens.G); }
  independent_solve(space->indep, np, space->sens.G, etap, zdp);
}

static mbd_status accelerations(mbd_sim *s, const sim_sens *to, mbd_error *err) {
  state_space *space = ss_of(s);
  const int n = space->n, m = space->m, np = s->np;
  memset(space->sens.F, 0, (size_t)n * (size_t)np * sizeof *space->sens.F);
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; k < np; k++) {
    space->in->direction(s, k, swept(space, to->z), swept(space, to->zd), NULL, NULL, space->sens.dr,
                         space->sens.dphidd);
    sens_subtract(n, np, k, space->sens.dr, space->sens.F);
    sens_subtract(m, np, k, space->sens.dphidd, space->sens.G);
  }
  if (!space->in->dense) { space->in->times(s, np, to->z, to->zd, space->sens.F, space->sens.G); }
  return space->ops->solve(s, space->ops_memory, np, space->sens.F, space->sens.G, to->zdd, to->lam, err);
}

mbd_status ss_evaluate_sens(mbd_sim *s, const sim_sens *to, mbd_error *err) {
  state_space *space = ss_of(s);
  space->in->move(s);
  if (!space->in->dense) { space->in->linearize(s, 0); }
  positions(s, space->sens.xi, to->z);
  rates(s, space->sens.eta, to->z, to->zd);
  return accelerations(s, to, err);
}
