/* The evaluation of a state-space formulation, differentiated along directions (S1, forward sensitivity of Matrix R): each
 * of its four problems is solved again with the same factors and the right-hand sides
 *   Phi_z z'   = -Phi_theta                                       B z'  = xi'
 *   Phi_z zd'  = -(Phid_z z' + Phid_theta)                        B zd' = eta'
 *   M zdd' + Phi_z' lam' = -(K z' + C zd' + r_theta),   Phi_z zdd' = -(Phidd_z z' + Phidd_zd zd' + Phidd_theta)
 * with K that of r + Phi_z' lam at fixed zdd, lam. Every right-hand side is one sweep along coefficients and coordinates
 * together, O(bodies), without a matrix (S2 §4.2). Where K, C and the derivatives of the rates are at hand, as in an implicit step, or in natural
 * coordinates, where they are sparse, the parts of z' and zd' are products with them. */
#include <string.h>

#include "formulation/state_space.h"
#include "formulation/tangent.h"

void ss_linearize(mbd_sim *s, int newton) {
  state_space *space = ss_of(s);
  const ss_slopes *slopes = &space->slopes;
  const size_t bytes = space->mech->slopes_size(s) * sizeof *slopes->K;
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  if (newton && s->tangent->evaluate) {
    memset(slopes->K, 0, bytes), memset(slopes->C, 0, bytes);
    s->tangent->evaluate(s, &(tangent_motion){s->now.z, s->now.zd, s->now.zdd, s->now.lam}, slopes->K, slopes->C);
  } else {
    space->mech->tangent(s, s->now.lam, NULL, slopes->K, slopes->C, NULL);
  }
  space->mech->linearize_rates(s, &slopes->rates, 1);
}

void ss_subtract_slopes(mbd_sim *s, int k, const mbd_real *z, const mbd_real *zd, mbd_real *f, mbd_real *g) {
  const mechanics *mech = ss_of(s)->mech;
  const ss_slopes *slopes = &ss_of(s)->slopes;
  if (!zd) {
    mech->rates_times(s, &slopes->rates, k, -1, z, NULL, g, NULL);
    return;
  }
  mech->slopes_times(s, slopes->K, &slopes->K_at, k, z, f);
  mech->slopes_times(s, slopes->C, &slopes->K_at, k, zd, f);
  mech->rates_times(s, &slopes->rates, k, -1, z, zd, NULL, g);
}

/* Returns the columns of coordinates for direction(): none if products with matrices take their part. */
static const mbd_real *swept(int linearized, const mbd_real *block) {
  return linearized ? NULL : block;
}

/* Returns 1 if constraints do not depend explicitly on direction k, which changes forces only. */
static int constrained_alike(const mbd_sim *s, int k) {
  return mbd_none(s->stretch[k] != 0) && motion_of_forces_alone(s->m, s->d[k]);
}

static void positions(mbd_sim *s, const mbd_real *xip, mbd_real *zp) {
  state_space *space = ss_of(s);
  const int m = space->m, np = s->np;
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; m > 0 && k < np; k++) {
    if (constrained_alike(s, k)) { continue; }
    space->mech->direction(s, k, NULL, NULL, NULL, space->sens.dphi, NULL, NULL);
    sens_subtract(m, np, k, space->sens.dphi, space->sens.G);
  }
  independent_solve(space->indep, np, space->sens.G, xip, zp);
}

static void ss_rates(mbd_sim *s, int linearized, const mbd_real *etap, const mbd_real *zp, mbd_real *zdp) {
  state_space *space = ss_of(s);
  const int m = space->m, np = s->np;
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; m > 0 && k < np; k++) {
    if (linearized && constrained_alike(s, k)) { continue; }
    space->mech->direction(s, k, swept(linearized, zp), NULL, NULL, NULL, space->sens.dphid, NULL);
    sens_subtract(m, np, k, space->sens.dphid, space->sens.G);
  }
  if (linearized) { ss_subtract_slopes(s, np, zp, NULL, NULL, space->sens.G); }
  independent_velocities(space->indep, np, space->sens.G, etap, zdp);
}

static mbd_status accelerations(mbd_sim *s, int linearized, const sim_sens *to, mbd_error *err) {
  state_space *space = ss_of(s);
  const int n = space->n, m = space->m, np = s->np;
  memset(space->sens.F, 0, (size_t)n * (size_t)np * sizeof *space->sens.F);
  memset(space->sens.G, 0, (size_t)m * (size_t)np * sizeof *space->sens.G);
  for (int k = 0; k < np; k++) {
    const int rows = m > 0 && !(linearized && constrained_alike(s, k));
    space->mech->direction(s, k, swept(linearized, to->z), swept(linearized, to->zd), space->sens.dr, NULL, NULL,
                           rows ? space->sens.dphidd : NULL);
    sens_subtract(n, np, k, space->sens.dr, space->sens.F);
    if (rows) { sens_subtract(m, np, k, space->sens.dphidd, space->sens.G); }
  }
  if (linearized) { ss_subtract_slopes(s, np, to->z, to->zd, space->sens.F, space->sens.G); }
  return space->ops->solve(s, space->ops_memory, np, space->sens.F, space->sens.G, to->zdd, to->lam, err);
}

mbd_status ss_evaluate_sens(mbd_sim *s, int linearized, const sim_sens *to, mbd_error *err) {
  state_space *space = ss_of(s);
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  if (space->mech->by_matrices && !linearized) { ss_linearize(s, 0), linearized = 1; }
  positions(s, space->sens.xi, to->z);
  ss_rates(s, linearized, space->sens.eta, to->z, to->zd);
  return accelerations(s, linearized, to, err);
}
