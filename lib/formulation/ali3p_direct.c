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
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const int n = step->n, m = step->m, np = s->np;
  const size_t size = (size_t)n * (size_t)np, rows = (size_t)m * (size_t)np;
  const mbd_scheme *scheme = &s->scheme;
  mbd_saddle system = ali3p_motion_system(s);
  system.predict = 1;
  system.at_least = EXTRA_ITERATIONS;
  /* v_, a_: contributions of the previous node, and the part of a stretched step, theory.md §7.4 (7.8). */
  scheme_history(scheme, size, s->sens.zd, s->sens.zdd, s->sens.acc, sens->v_history, sens->a_history);
  sim_stretch_history(s, n, &s->before, step->newton.vs, step->newton.as, sens->v_history, sens->a_history);
  scheme_carry_acc(scheme, size, s->sens.zdd, s->sens.acc, s->sens.acc);
  /* Right-hand sides of theory.md §7.1 (7.1): the parts of v_, a_ and z_' for all directions at once, */
  memset(sens->rhs, 0, size * sizeof *sens->rhs);
  memset(sens->row_rhs, 0, (rows + 1) * sizeof *sens->row_rhs);
  mbd_mul_add_at(n, n, np, -1, step->tangent.C, &step->x.K_at, sens->v_history, sens->rhs);
  mbd_mul_add_at(n, n, np, -1, step->x.M, &step->x.M_at, sens->a_history, sens->rhs);
  mbd_mul_add_at(n, n, np, -1, step->tangent.K, &step->x.K_at, s->sens.z, sens->rhs);
  matrices_phi_mul_add(&step->x, np, -1, s->sens.z, sens->row_rhs);
  /* and those of the coefficients, one direction after the other. */
  for (int k = 0; k < np; k++) {
    step->mech->direction(s, k, NULL, NULL, sens->dr, sens->dphi, NULL, NULL);
    put_column(n, np, k, -1, sens->dr, sens->rhs);
    put_column(m, np, k, -1, sens->dphi, sens->row_rhs);
  }
  ali3p_velocity_sens(s, sens->v_history, sens->row_rhs);
  MBD_TRY(mbd_saddle_solve(&system, np, sens->rhs, sens->row_rhs, sens->dz, s->sens.lam, sens->step, sens->rg, err));
  /* z' = z_' + dz', v*' = v_ + c dz', a*' = a_ + a dz'. */
  for (size_t i = 0; i < size; i++) {
    const mbd_real dz = sens->dz[i];
    s->sens.z[i] += dz;
    sens->vs[i] = scheme->c * dz + sens->v_history[i];
    sens->as[i] = scheme->a * dz + sens->a_history[i];
  }
  return MBD_OK;
}

/* Returns 1 if no projection depends explicitly on direction k, which changes forces only. */
static int projects_alike(const mbd_sim *s, int k) {
  return mbd_none(s->stretch[k] != 0) && motion_of_forces_alone(s->m, s->d[k]);
}

/* Returns 1 if the derivatives of projections are computed by products with directions, which costs less for few directions, and 0 if by
 * matrices. Iterated projections take matrices, since their iterates have different motions. */
static int by_products(const mbd_sim *s) {
  return ali3p_by_products(s, s->np);
}

static const rate_slopes *rates_of(const mbd_sim *s) {
  return by_products(s) ? NULL : &ali3p_of(s)->rates;
}

/* Computes the right-hand side of the derivative of one projection, without the rates' part (S0 (15), (17)):
 *   B = P x*' - Kp z' - rho_theta
 * with Kp, rho_theta the derivatives of P (x - x*) + Phi_z' total at fixed x - x* and total. */
static void projection_side(mbd_sim *s, const mbd_real *x, const mbd_real *star, const mbd_real *starp,
                            const mbd_real *total, mbd_real *B) {
  ali3p *step = ali3p_of(s);
  const int n = step->n, np = s->np;
  /* P (x - x*) + Phi_z' total is the residual of inertia and reactions at rest, with the accelerations x - x*. */
  for (int j = 0; j < n; j++) { step->sens.change[j] = x[j] - star[j]; }
  step->mech->move(s, NULL, step->sens.change, 0);
  memset(B, 0, (size_t)n * (size_t)np * sizeof *B);
  mbd_mul_add_at(n, n, np, 1, step->projection.P0, &step->x.M_at, starp, B);
  step->mech->rest_times(s, step->projection.ops, total, &step->x, by_products(s) ? NULL : step->sens.Kp, s->sens.z,
                         B); /* -Kp z' */
  /* -rho_theta, for directions that change inertia or geometry. */
  for (int k = 0; k < np; k++) {
    if (projects_alike(s, k)) { continue; }
    step->mech->rest_direction(s, step->projection.ops, k, total, step->sens.dr);
    put_column(n, np, k, -1, step->sens.dr, B);
  }
}

/* Computes the change of the constraints' rates at (zd, zdd) that z' and the coefficients make: Phid' less Phi_z zd' into Gd, Phidd'
 * less Phi_z zdd' and the part of zd' into Gdd; NULL: not wanted. */
static void rate_changes(mbd_sim *s, const mbd_real *zd, const mbd_real *zdd, mbd_real *Gd, mbd_real *Gdd) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const int m = step->m, np = s->np;
  const size_t bytes = (size_t)m * (size_t)np * sizeof(mbd_real);
  step->mech->move(s, zd, zdd, 0);
  if (Gd) { memset(Gd, 0, bytes); }
  if (Gdd) { memset(Gdd, 0, bytes); }
  /* The part of z'. */
  step->mech->linearize_rates(s, rates_of(s), Gdd != NULL);
  step->mech->rates_times(s, rates_of(s), np, 1, s->sens.z, NULL, Gd, Gdd);
  /* The part of the coefficients, for directions that change geometry. */
  for (int k = 0; k < np; k++) {
    if (projects_alike(s, k)) { continue; }
    step->mech->direction(s, k, NULL, NULL, NULL, NULL, sens->dphid, Gdd ? sens->dphidd : NULL);
    if (Gd) { put_column(m, np, k, 1, sens->dphid, Gd); }
    if (Gdd) { put_column(m, np, k, 1, sens->dphidd, Gdd); }
  }
}

/* P x' + Phi_z' mult' = B, Phi_z x' = -G, with G the change of the rate that is not Phi_z x'. An iteration, from mult' of the one
 * before in mult: Phi_z x' - mult'/alpha = -G - mult_'/alpha */
static mbd_status ali3p_sens_solve(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_real *xp, mbd_real *mult,
                                   mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  mbd_saddle system = ali3p_projection_system(s);
  system.predict = 1;
  const size_t rows = (size_t)step->m * (size_t)s->np;
  for (size_t i = 0; i < rows; i++) { sens->minus_rate[i] = -G[i]; }
  for (int i = 0; system.compliance > 0 && i < step->m; i++) {
    const double compliance = mbd_per_weight(system.compliance, system.weight, i);
    for (int k = i * s->np; k < (i + 1) * s->np; k++) { sens->minus_rate[k] -= compliance * mult[k]; }
  }
  memset(mult, 0, rows * sizeof *mult);
  return mbd_saddle_solve(&system, s->np, B, sens->minus_rate, xp, mult, sens->step, sens->rg, err);
}

/* Solves for zd' with B and G of the last iterate. The iterates before it violate the constraints differently, so B and G of each
 * are computed at that iterate. */
static mbd_status velocity_sens(mbd_sim *s, const mbd_real *B, const mbd_real *G, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const int n = step->n, m = step->m, iterations = s->c.projection_iterations;
  memset(sens->sigma, 0, (size_t)m * (size_t)s->np * sizeof *sens->sigma);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zd = step->projection.iter_v.x + it * n;
    projection_side(s, zd, step->newton.vs, sens->vs, step->projection.iter_v.mult + it * m, sens->it_rhs);
    rate_changes(s, zd, s->now.zdd, sens->it_rate, NULL);
    MBD_TRY(ali3p_sens_solve(s, sens->it_rhs, sens->it_rate, s->sens.zd, sens->sigma, err));
  }
  return ali3p_sens_solve(s, B, G, s->sens.zd, sens->sigma, err);
}

/* Solves for zdd', after zd'; G still without the part of zd'. Leaves kappa' as mult'. */
static mbd_status acceleration_sens(mbd_sim *s, const mbd_real *B, mbd_real *G, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const int n = step->n, m = step->m, np = s->np, iterations = s->c.projection_iterations;
  step->mech->rates_times(s, rates_of(s), np, 1, NULL, s->sens.zd, NULL, G);
  memset(sens->kappa, 0, (size_t)m * (size_t)np * sizeof *sens->kappa);
  for (int it = 0; it < iterations - 1; it++) {
    const mbd_real *zdd = step->projection.iter_a.x + it * n;
    projection_side(s, zdd, step->newton.as, sens->as, step->projection.iter_a.mult + it * m, sens->it_rhs);
    rate_changes(s, s->now.zd, zdd, NULL, sens->it_rate);
    step->mech->rates_times(s, rates_of(s), np, 1, NULL, s->sens.zd, NULL, sens->it_rate);
    MBD_TRY(ali3p_sens_solve(s, sens->it_rhs, sens->it_rate, s->sens.zdd, sens->kappa, err));
  }
  return ali3p_sens_solve(s, B, G, s->sens.zdd, sens->kappa, err);
}

/* lam' + kappa' */
static void add_reactions(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const size_t rows = (size_t)step->m * (size_t)s->np;
  for (size_t i = 0; sim_reactions_apart(s) && i < rows; i++) {
    s->sens.reaction[i] = s->sens.lam[i] + step->sens.kappa[i];
  }
}

/* Sensitivities of zd, zdd and of the reactions. */
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_sens *sens = &step->sens;
  const size_t size = (size_t)step->n * (size_t)s->np;
  if (step->m == 0) {
    memcpy(s->sens.zd, sens->vs, size * sizeof *sens->vs);
    memcpy(s->sens.zdd, sens->as, size * sizeof *sens->as);
  } else {
    projection_side(s, s->now.zd, step->newton.vs, sens->vs, step->projection.sv, sens->v_rhs);
    projection_side(s, s->now.zdd, step->newton.as, sens->as, step->projection.sa, sens->a_rhs);
    rate_changes(s, s->now.zd, s->now.zdd, sens->v_rate, sens->a_rate);
    MBD_TRY(velocity_sens(s, sens->v_rhs, sens->v_rate, err));
    MBD_TRY(acceleration_sens(s, sens->a_rhs, sens->a_rate, err));
    add_reactions(s);
  }
  scheme_close_acc(&s->scheme, size, s->sens.zdd, s->sens.acc);
  return MBD_OK;
}
