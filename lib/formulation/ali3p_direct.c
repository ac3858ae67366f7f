/* Direct differentiation of ALI3-P (S0 §4): every equation of the step differentiated at the converged state, on
 * its own factors. */
#include <string.h>

#include "formulation/ali3p.h"

static void put_column(int n, int np, int k, mbd_real scale, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] += scale * column[i]; }
}

/* S0 (14) for the increment dz' = z' - z_' of the step, because a = 4/h^2 times the difference of z' and z_' would lose
 * the digits that they share; with V0, A0 the parts of v*', a*' that the node before has fixed:
 *   T0 dz' + Phi_z' lam' = -(C V0 + M A0 + K z_' + r_theta),   Phi_z dz' - lam'/alpha = -Phi_theta - Phi_z z_'
 * with 1/alpha only of constraints that yield; at the converged state but on the factors of the last iterate, a tolerance
 * away: the corrections of the solver close that gap, one at least. */
mbd_status ali3p_sens_motion(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const size_t size = (size_t)n * (size_t)np, rows = (size_t)m * (size_t)np;
  const mbd_scheme *q = &s->scheme;
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  mbd_saddle system = ali3p_motion_system(s);
  system.lu_at = &s->T_at;
  system.at_least = 1 + EXTRA_ITERATIONS;
  ali3p_evaluate_tangent(s);
  ali3p_sum_tangent(s);
  sim_find_factors(s, &s->T_lu, &s->T_at);
  scheme_history(q, size, s->sens.zd, s->sens.zdd, s->sens.acc, s->V0, s->A0);
  scheme_carry_acc(q, size, s->sens.zdd, s->sens.acc, s->sens.acc);
  memset(s->B, 0, size * sizeof *s->B);
  memset(s->Phi_th, 0, (rows + 1) * sizeof *s->Phi_th);
  mbd_mul_add_at(n, n, np, -1, s->C, &s->T0_at, s->V0, s->B);
  mbd_mul_add_at(n, n, np, -1, s->M, &s->M_at, s->A0, s->B);
  mbd_mul_add_at(n, n, np, -1, s->K, &s->T0_at, s->sens.z, s->B);
  sim_phi_mul_add(s, np, -1, s->sens.z, s->Phi_th);
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, s->dr, s->dphi, NULL, NULL);
    put_column(n, np, k, -1, s->dr, s->B);
    put_column(m, np, k, -1, s->dphi, s->Phi_th);
  }
  MBD_TRY(mbd_saddle_solve(&system, np, s->B, s->Phi_th, s->asp, s->sens.lam, s->vsp, s->E, err));
  for (size_t i = 0; i < size; i++) {
    const mbd_real dz = s->asp[i];
    s->sens.z[i] += dz;
    s->vsp[i] = q->c * dz + s->V0[i];
    s->asp[i] = q->a * dz + s->A0[i];
  }
  return MBD_OK;
}

/* Right-hand side of the derivative of one projection, without the rates' part (S0 (15), (17)):
 *   B = P x*' - Kp z' - rho_theta
 * with Kp, rho_theta the derivatives of P (x - x*) + Phi_z' total at fixed x - x* and total. */
static void projection_side(mbd_sim *s, const mbd_real *x, const mbd_real *star, const mbd_real *starp,
                            const mbd_real *total, mbd_real *B) {
  const int n = s->m->nz, np = s->np;
  const motion_terms e = projection_terms(s->projection, s->eq, total);
  for (int j = 0; j < n; j++) { s->dz[j] = x[j] - star[j]; }
  motion_move(s->w, NULL, s->dz, 0);
  motion_jacobian(s->w, &e, sim_tangent_at(s), s->Kp, NULL, NULL);
  memset(B, 0, (size_t)n * (size_t)np * sizeof *B);
  mbd_mul_add_at(n, n, np, 1, s->P0, &s->M_at, starp, B);
  mbd_mul_add_at(n, n, np, -1, s->Kp, &s->T0_at, s->sens.z, B);
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, s->dr, NULL, NULL, NULL);
    put_column(n, np, k, -1, s->dr, B);
  }
}

/* Change of the constraints' rates at (zd, zdd) that z' and the coefficients make: Phid' less Phi_z zd' into Gd, Phidd'
 * less Phi_z zdd' and the part of zd' into Gdd; NULL: not wanted. */
static void rate_changes(mbd_sim *s, const mbd_real *zd, const mbd_real *zdd, mbd_real *Gd, mbd_real *Gdd) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const size_t bytes = (size_t)m * (size_t)np * sizeof(mbd_real);
  const motion_terms e = {.rows = s->eq};
  motion_move(s->w, zd, zdd, 0);
  motion_rates_z(s->w, s->eq, s->Phid_z, Gdd ? s->Phidd_z : NULL, Gdd ? s->Phidd_zd : NULL);
  if (Gd) {
    memset(Gd, 0, bytes);
    mbd_mul_add_at(m, n, np, 1, s->Phid_z, &s->Phi_at, s->sens.z, Gd);
  }
  if (Gdd) {
    memset(Gdd, 0, bytes);
    mbd_mul_add_at(m, n, np, 1, s->Phidd_z, &s->Phi_at, s->sens.z, Gdd);
  }
  for (int k = 0; k < np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, NULL, NULL, s->dphid, Gdd ? s->dphidd : NULL);
    if (Gd) { put_column(m, np, k, 1, s->dphid, Gd); }
    if (Gdd) { put_column(m, np, k, 1, s->dphidd, Gdd); }
  }
}

/* To the end: P x' + Phi_z' mult' = B, Phi_z x' = -G, with G the change of the rate that is not Phi_z x'. */
static mbd_status solve_to_end(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_real *xp, mbd_error *err) {
  const mbd_saddle q = ali3p_projection_system(s);
  const size_t rows = (size_t)s->m->nphi * (size_t)s->np;
  for (size_t i = 0; i < rows; i++) { s->Gm[i] = -G[i]; }
  memset(s->E, 0, rows * sizeof *s->E);
  return mbd_saddle_solve(&q, s->np, B, s->Gm, xp, s->E, s->V0, s->Em, err);
}

/* One iteration, with mult' in E:  A x' = B - Phi_z'(mult' + s alpha G),   mult' += s alpha (Phi_z x' + G) */
static void iterate(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_real *xp) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np;
  const size_t rows = (size_t)m * (size_t)np;
  for (size_t i = 0; i < rows; i++) { s->E[i] += s->alpha_P * G[i]; }
  memcpy(xp, B, (size_t)n * (size_t)np * sizeof *xp);
  sim_phi_mulT_add(s, np, -1, s->E, xp);
  mbd_factors_solve(&s->P_lu, NULL, 0, np, xp);
  sim_phi_mul_add(s, np, s->alpha_P, xp, s->E);
}

/* zd' from B and G of the last iterate. Those before violate the constraints in their own ways: B and G of each, into V0
 * and Gm, are taken where it was. */
static mbd_status velocity_sens(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, iterations = s->c.projection_iterations;
  if (iterations == 0) { return solve_to_end(s, B, G, s->sens.zd, err); }
  memset(s->E, 0, (size_t)m * (size_t)s->np * sizeof *s->E);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zd = s->iter_v.x + it * n;
    projection_side(s, zd, s->vs, s->vsp, s->iter_v.mult + it * m, s->V0);
    rate_changes(s, zd, s->now.zdd, s->Gm, NULL);
    iterate(s, s->V0, s->Gm, s->sens.zd);
  }
  iterate(s, B, G, s->sens.zd);
  return MBD_OK;
}

/* The same for zdd', after zd'; G still without the part of zd'. Leaves kappa' in E. */
static mbd_status acceleration_sens(mbd_sim *s, const mbd_real *B, mbd_real *G, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi, np = s->np, iterations = s->c.projection_iterations;
  mbd_mul_add_at(m, n, np, 1, s->Phidd_zd, &s->Phi_at, s->sens.zd, G);
  if (iterations == 0) { return solve_to_end(s, B, G, s->sens.zdd, err); }
  memset(s->E, 0, (size_t)m * (size_t)np * sizeof *s->E);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zdd = s->iter_a.x + it * n;
    projection_side(s, zdd, s->as, s->asp, s->iter_a.mult + it * m, s->V0);
    rate_changes(s, s->now.zd, zdd, NULL, s->Gm);
    mbd_mul_add_at(m, n, np, 1, s->Phidd_zd, &s->Phi_at, s->sens.zd, s->Gm);
    iterate(s, s->V0, s->Gm, s->sens.zdd);
  }
  iterate(s, B, G, s->sens.zdd);
  return MBD_OK;
}

/* lam' + kappa' */
static void add_reactions(mbd_sim *s) {
  const size_t rows = (size_t)s->m->nphi * (size_t)s->np;
  for (size_t i = 0; sim_reactions_apart(s) && i < rows; i++) { s->sens.reaction[i] = s->sens.lam[i] + s->E[i]; }
}

/* Sensitivities of zd, zdd and of the reactions. A0, of no use any more in this step, holds the second right-hand side. */
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err) {
  const size_t size = (size_t)s->m->nz * (size_t)s->np;
  if (s->m->nphi == 0) {
    memcpy(s->sens.zd, s->vsp, size * sizeof *s->vsp);
    memcpy(s->sens.zdd, s->asp, size * sizeof *s->asp);
  } else {
    projection_side(s, s->now.zd, s->vs, s->vsp, s->sv, s->B);
    projection_side(s, s->now.zdd, s->as, s->asp, s->sa, s->A0);
    rate_changes(s, s->now.zd, s->now.zdd, s->Phi_th, s->G);
    MBD_TRY(velocity_sens(s, s->B, s->Phi_th, err));
    MBD_TRY(acceleration_sens(s, s->A0, s->G, err));
    add_reactions(s);
  }
  scheme_close_acc(&s->scheme, size, s->sens.zdd, s->sens.acc);
  return MBD_OK;
}
