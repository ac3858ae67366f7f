/* Direct differentiation of ALI3-P (S0 §4): every equation of the step differentiated at the converged state, on
 * its own factors. */
#include <string.h>

#include "formulation/ali3p.h"

static void put_column(int n, int np, int k, mbd_real scale, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] += scale * column[i]; }
}

/* S0 (14) for the increment dz' = z' - z_' of the step, because a = 4/h^2 times the difference of z' and z_' would lose
 * the digits that they share; with v_, a_ the parts of v*', a*' that the node before has fixed:
 *   T0 dz' + Phi_z' lam' = -(C v_ + M a_ + K z_' + r_theta),   Phi_z dz' - lam'/alpha = -Phi_theta - Phi_z z_'
 * with 1/alpha only of compliant constraints; on the factors of that tangent. */
mbd_status ali3p_sens_motion(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = own->n, m = own->m, np = s->np;
  const size_t size = (size_t)n * (size_t)np, rows = (size_t)m * (size_t)np;
  const mbd_scheme *scheme = &s->scheme;
  mbd_saddle system = ali3p_motion_system(s);
  system.predict = 1;
  system.at_least = EXTRA_ITERATIONS;
  /* v_, a_: contributions of the previous node, and the part of a stretched step, theory.md §7.4 (7.8). */
  scheme_history(scheme, size, s->sens.zd, s->sens.zdd, s->sens.acc, own->sens.v_history, own->sens.a_history);
  sim_stretch_history(s, n, &s->before, own->newton.vs, own->newton.as, own->sens.v_history, own->sens.a_history);
  scheme_carry_acc(scheme, size, s->sens.zdd, s->sens.acc, s->sens.acc);
  /* Right-hand sides of theory.md §7.1 (7.1): the parts of v_, a_ and z_' for all directions at once, */
  memset(own->sens.rhs, 0, size * sizeof *own->sens.rhs);
  memset(own->sens.row_rhs, 0, (rows + 1) * sizeof *own->sens.row_rhs);
  mbd_mul_add_at(n, n, np, -1, own->tangent.C, &own->x.K_at, own->sens.v_history, own->sens.rhs);
  mbd_mul_add_at(n, n, np, -1, own->x.M, &own->x.M_at, own->sens.a_history, own->sens.rhs);
  mbd_mul_add_at(n, n, np, -1, own->tangent.K, &own->x.K_at, s->sens.z, own->sens.rhs);
  matrices_phi_mul_add(&own->x, np, -1, s->sens.z, own->sens.row_rhs);
  /* and those of the coefficients, one direction after the other. */
  for (int k = 0; k < np; k++) {
    own->in->motion_direction(s, k, own->sens.dr, own->sens.dphi);
    put_column(n, np, k, -1, own->sens.dr, own->sens.rhs);
    put_column(m, np, k, -1, own->sens.dphi, own->sens.row_rhs);
  }
  MBD_TRY(mbd_saddle_solve(&system, np, own->sens.rhs, own->sens.row_rhs, own->sens.dz, s->sens.lam, own->sens.step,
                           own->sens.rg, err));
  /* z' = z_' + dz', v*' = v_ + c dz', a*' = a_ + a dz'. */
  for (size_t i = 0; i < size; i++) {
    const mbd_real dz = own->sens.dz[i];
    s->sens.z[i] += dz;
    own->sens.vs[i] = scheme->c * dz + own->sens.v_history[i];
    own->sens.as[i] = scheme->a * dz + own->sens.a_history[i];
  }
  return MBD_OK;
}

/* Returns 1 if no projection depends explicitly on direction k, which changes forces only. */
static int projects_alike(const mbd_sim *s, int k) {
  return mbd_none(s->stretch[k] != 0) && motion_of_forces_alone(s->m, s->d[k]);
}

/* Computes the right-hand side of the derivative of one projection, without the rates' part (S0 (15), (17)):
 *   B = P x*' - Kp z' - rho_theta
 * with Kp, rho_theta the derivatives of P (x - x*) + Phi_z' total at fixed x - x* and total. */
static void projection_side(mbd_sim *s, const mbd_real *x, const mbd_real *star, const mbd_real *starp,
                            const mbd_real *total, mbd_real *B) {
  ali3p *own = ali3p_of(s);
  const int n = own->n, np = s->np;
  /* P (x - x*) + Phi_z' total is the residual of inertia and reactions at rest, with the accelerations x - x*. */
  for (int j = 0; j < n; j++) { own->sens.change[j] = x[j] - star[j]; }
  own->in->move(s, NULL, own->sens.change, 0);
  memset(B, 0, (size_t)n * (size_t)np * sizeof *B);
  mbd_mul_add_at(n, n, np, 1, own->projection.P0, &own->x.M_at, starp, B);
  own->in->rest_times(s, total, s->sens.z, B); /* -Kp z' */
  /* -rho_theta, for directions that change inertia or geometry. */
  for (int k = 0; k < np; k++) {
    if (projects_alike(s, k)) { continue; }
    own->in->rest_direction(s, k, total, own->sens.dr);
    put_column(n, np, k, -1, own->sens.dr, B);
  }
}

/* Computes the change of the constraints' rates at (zd, zdd) that z' and the coefficients make: Phid' less Phi_z zd' into Gd, Phidd'
 * less Phi_z zdd' and the part of zd' into Gdd; NULL: not wanted. */
static void rate_changes(mbd_sim *s, const mbd_real *zd, const mbd_real *zdd, mbd_real *Gd, mbd_real *Gdd) {
  ali3p *own = ali3p_of(s);
  const int m = own->m, np = s->np;
  const size_t bytes = (size_t)m * (size_t)np * sizeof(mbd_real);
  own->in->move(s, zd, zdd, 0);
  if (Gd) { memset(Gd, 0, bytes); }
  if (Gdd) { memset(Gdd, 0, bytes); }
  /* The part of z'. */
  own->in->linearize_rates(s, Gdd != NULL);
  own->in->rates_times(s, s->sens.z, NULL, Gd, Gdd);
  /* The part of the coefficients, for directions that change geometry. */
  for (int k = 0; k < np; k++) {
    if (projects_alike(s, k)) { continue; }
    own->in->rates_direction(s, k, own->sens.dphid, Gdd ? own->sens.dphidd : NULL);
    if (Gd) { put_column(m, np, k, 1, own->sens.dphid, Gd); }
    if (Gdd) { put_column(m, np, k, 1, own->sens.dphidd, Gdd); }
  }
}

/* P x' + Phi_z' mult' = B, Phi_z x' = -G, with G the change of the rate that is not Phi_z x'. An iteration, from mult' of the one
 * before in own->sens.mult: Phi_z x' - mult'/alpha = -G - mult_'/alpha */
static mbd_status solve(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_real *xp, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  mbd_saddle system = ali3p_projection_system(s);
  system.predict = 1;
  const size_t rows = (size_t)own->m * (size_t)s->np;
  for (size_t i = 0; i < rows; i++) { own->sens.minus_rate[i] = -G[i]; }
  for (size_t i = 0; system.compliance > 0 && i < rows; i++) {
    own->sens.minus_rate[i] -= system.compliance * own->sens.mult[i];
  }
  memset(own->sens.mult, 0, rows * sizeof *own->sens.mult);
  return mbd_saddle_solve(&system, s->np, B, own->sens.minus_rate, xp, own->sens.mult, own->sens.step, own->sens.rg,
                          err);
}

/* Solves for zd' with B and G of the last iterate. The iterates before it violate the constraints differently, so B and G of each
 * are computed at that iterate. */
static mbd_status velocity_sens(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = own->n, m = own->m, iterations = s->c.projection_iterations;
  memset(own->sens.mult, 0, (size_t)m * (size_t)s->np * sizeof *own->sens.mult);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zd = own->projection.iter_v.x + it * n;
    projection_side(s, zd, own->newton.vs, own->sens.vs, own->projection.iter_v.mult + it * m, own->sens.it_rhs);
    rate_changes(s, zd, s->now.zdd, own->sens.it_rate, NULL);
    MBD_TRY(solve(s, own->sens.it_rhs, own->sens.it_rate, s->sens.zd, err));
  }
  return solve(s, B, G, s->sens.zd, err);
}

/* Solves for zdd', after zd'; G still without the part of zd'. Leaves kappa' as mult'. */
static mbd_status acceleration_sens(mbd_sim *s, const mbd_real *B, mbd_real *G, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = own->n, m = own->m, np = s->np, iterations = s->c.projection_iterations;
  own->in->rates_times(s, NULL, s->sens.zd, NULL, G);
  memset(own->sens.mult, 0, (size_t)m * (size_t)np * sizeof *own->sens.mult);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zdd = own->projection.iter_a.x + it * n;
    projection_side(s, zdd, own->newton.as, own->sens.as, own->projection.iter_a.mult + it * m, own->sens.it_rhs);
    rate_changes(s, s->now.zd, zdd, NULL, own->sens.it_rate);
    own->in->rates_times(s, NULL, s->sens.zd, NULL, own->sens.it_rate);
    MBD_TRY(solve(s, own->sens.it_rhs, own->sens.it_rate, s->sens.zdd, err));
  }
  return solve(s, B, G, s->sens.zdd, err);
}

/* lam' + kappa' */
static void add_reactions(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  const size_t rows = (size_t)own->m * (size_t)s->np;
  for (size_t i = 0; sim_reactions_apart(s) && i < rows; i++) {
    s->sens.reaction[i] = s->sens.lam[i] + own->sens.mult[i];
  }
}

/* Sensitivities of zd, zdd and of the reactions. */
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const size_t size = (size_t)own->n * (size_t)s->np;
  if (own->m == 0) {
    memcpy(s->sens.zd, own->sens.vs, size * sizeof *own->sens.vs);
    memcpy(s->sens.zdd, own->sens.as, size * sizeof *own->sens.as);
  } else {
    projection_side(s, s->now.zd, own->newton.vs, own->sens.vs, own->projection.sv, own->sens.v_rhs);
    projection_side(s, s->now.zdd, own->newton.as, own->sens.as, own->projection.sa, own->sens.a_rhs);
    rate_changes(s, s->now.zd, s->now.zdd, own->sens.v_rate, own->sens.a_rate);
    MBD_TRY(velocity_sens(s, own->sens.v_rhs, own->sens.v_rate, err));
    MBD_TRY(acceleration_sens(s, own->sens.a_rhs, own->sens.a_rate, err));
    add_reactions(s);
  }
  scheme_close_acc(&s->scheme, size, s->sens.zdd, s->sens.acc);
  return MBD_OK;
}
