/* ALI3-P: index-3 augmented Lagrangian with projections (S0 §3), for schemes of the Newmark family.
 *
 *   M a* + Phi_z' lam = Q,  Phi = 0             with v* = c z + ..., a* = a z + ...       (9a)
 *   (P + s Phi_z' alpha Phi_z) zd  = P v* - Phi_z'(sigma + s alpha Phi_t)                 (10a)
 *   (P + s Phi_z' alpha Phi_z) zdd = P a* - Phi_z'(kappa + s alpha (Phid_z zd + Phid_t))  (11a)
 * with P from projection.h, and lam + kappa as the reactions if P = M + O(h). The Newton correction of (9) solves the tangent
 * and iterates the multipliers on the same factors until they converge:
 *   T dz = -(r + Phi_z' lam) - Phi_z'(alpha Phi + dlam),   dlam += alpha (Phi + Phi_z dz)
 * with the exact tangent T = a M + c C + K + Phi_z' alpha Phi_z; so outer iterations converge quadratically whatever
 * the penalty, redundant rows included.
 *
 * Compliant constraints, Phi = lam/alpha (penalty.c), have the same step: Phi less that compliance times lam takes the
 * place of Phi, and one solution suffices. */
#include "formulation/ali3p.h"

static void advance_acc(mbd_sim *s) {
  const size_t n = (size_t)ali3p_of(s)->n;
  scheme_carry_acc(&s->scheme, n, s->before.zdd, s->before.acc, s->now.acc);
  scheme_close_acc(&s->scheme, n, s->now.zdd, s->now.acc);
}

mbd_status ali3p_step(mbd_sim *s, mbd_error *err) {
  MBD_TRY(ali3p_solve_motion(s, err));
  if (s->np > 0) { MBD_TRY(ali3p_sens_motion(s, err)); }
  MBD_TRY(ali3p_project(s, err));
  advance_acc(s);
  if (s->np > 0) { MBD_TRY(ali3p_sens_projection(s, err)); }
  ali3p_of(s)->mech->move(s, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}
