/* The projections of a step of ALI3-P, S0 (10), (11) of ali3p.c. To the end they are P (x - x*) + Phi_z' mult = 0, Phi_z x = -g, with g
 * the part of the rate that x does not make. An iteration with the penalty alpha (projection_iterations),
 *   (P + alpha Phi_z' Phi_z) x = P x* - Phi_z'(mult_ + alpha g),   mult = mult_ + alpha (Phi_z x + g)
 * is the same system with constraints of the compliance 1/alpha:
 *   P (x - x*) + Phi_z' mult = 0,   Phi_z x - mult/alpha = -g - mult_/alpha
 * with a diagonal matrix alpha W in place of alpha if the case gives single constraints a penalty (ali3p_penalties.c).
 * It is solved as such: corrections from its residuals recover the digits that are lost by the condition number of P + alpha Phi_z' Phi_z. A
 * penalty that is not given by the case is small and loses few digits, so that the first solution suffices.
 * Equations: theory.md §5.1 (5.4). */
#include <string.h>

#include "formulation/ali3p.h"

static const mbd_nonzeros *projection_at(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  return step->projection.ops->full ? &step->x.K_at : &step->x.M_at;
}

mbd_saddle ali3p_projection_system(mbd_sim *s) {
  ali3p *step = ali3p_of(s);
  const int iterated = s->c.projection_iterations > 0;
  return (mbd_saddle){.n = step->n,
                      .m = step->m,
                      .A = step->projection.P0,
                      .Phi = step->x.Phi_z,
                      .A_at = projection_at(s),
                      .Phi_at = &step->x.Phi_at,
                      .Phi_packed = step->x.Phi_packed,
                      .lu = &step->projection.lu,
                      .alpha = step->projection.alpha,
                      .weight = step->projection.weight,
                      .compliance = iterated ? 1 / step->projection.alpha : 0,
                      .near_singular = iterated ? NULL : ali3p_near_singular(s),
                      .once = step->projection.by_formulation,
                      .at_least = EXTRA_ITERATIONS,
                      .what = "projection of velocities or accelerations"};
}

/* P (x - x*) + Phi_z' total = 0, Phi_z (x - x*) - total/alpha = -g - Phi_z x* - before/alpha, with 1/alpha only of iterations and
 * `before` the multipliers of the iteration before (NULL: zero). What the projection changes is a small part of x, of which fewer
 * digits are needed. */
static mbd_status project_once(mbd_sim *s, const mbd_real *star, const mbd_real *g, const mbd_real *before, mbd_real *x,
                               mbd_real *total, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const int n = step->n, m = step->m;
  mbd_saddle q = ali3p_projection_system(s);
  q.part_of = mbd_norm_inf(n, star);
  memset(step->projection.p_star, 0, (size_t)n * sizeof *step->projection.p_star);
  for (int i = 0; i < m; i++) { step->projection.minus_g[i] = -g[i], total[i] = 0; }
  for (int i = 0; before && i < m; i++) {
    step->projection.minus_g[i] -= mbd_per_weight(q.compliance, q.weight, i) * before[i];
  }
  matrices_phi_mul_add(&step->x, 1, -1, star, step->projection.minus_g);
  MBD_TRY(mbd_saddle_solve(&q, 1, step->projection.p_star, step->projection.minus_g, x, total, step->projection.step,
                           step->projection.rg, err));
  for (int j = 0; j < n; j++) { x[j] += star[j]; }
  return MBD_OK;
}

/* Projects until convergence, or by a given number of iterations, which are stored. total: the multipliers that the returned x satisfies. */
static mbd_status ali3p_project_rates(mbd_sim *s, const mbd_real *star, const mbd_real *g, const ali3p_iterates *keep,
                                      mbd_real *x, mbd_real *total, mbd_error *err) {
  const int n = ali3p_of(s)->n, m = ali3p_of(s)->m;
  if (s->c.projection_iterations == 0) { return project_once(s, star, g, NULL, x, total, err); }
  for (int it = 0; it < s->c.projection_iterations; it++) {
    const mbd_real *before = it > 0 ? keep->mult + (it - 1) * m : NULL;
    MBD_TRY(project_once(s, star, g, before, x, total, err));
    memcpy(keep->x + it * n, x, (size_t)n * sizeof *x);
    memcpy(keep->mult + it * m, total, (size_t)m * sizeof *total);
  }
  return MBD_OK;
}

void ali3p_step_terms(const mbd_sim *s, sim_step_terms *value, sim_step_terms *sens) {
  const ali3p *step = ali3p_of(s);
  *value = (sim_step_terms){.lam = s->now.lam,
                            .sigma = step->projection.sv,
                            .kappa = step->projection.sa,
                            .v = step->newton.vs,
                            .a = step->newton.as};
  *sens = (sim_step_terms){
      .lam = s->sens.lam, .sigma = step->sens.sigma, .kappa = step->sens.kappa, .v = step->sens.vs, .a = step->sens.as};
}

static void measure(mbd_sim *s, const mbd_real *rate, const mbd_real *x, double *largest) {
  ali3p *step = ali3p_of(s);
  const int m = step->m;
  memcpy(step->projection.rg, rate, (size_t)m * sizeof *rate);
  matrices_phi_mul_add(&step->x, 1, 1, x, step->projection.rg);
  double v = mbd_norm_inf(m, step->projection.rg);
  if (v > *largest) { *largest = v; }
}

/* Returns the penalty of the projections. A converged projection does not depend on it. The error that a given number of iterations leaves does, so
 * for these it is a number that neither state nor design changes: that of the case, or a power of ten, a thousand times below what suits corrections
 * from the true residuals, so that no correction is needed. */
static double projection_penalty(const mbd_sim *s) {
  const ali3p *step = ali3p_of(s);
  const ali3p_projection *projection = &step->projection;
  if (projection->by_formulation) {
    return pow(10, round(log10(matrices_penalty_iterated(&step->x, projection_at(s), projection->P0))) - 3);
  }
  if (s->c.projection_iterations == 0) { return matrices_penalty(&step->x, projection_at(s), projection->P0); }
  return s->c.penalty > 0 ? s->c.projection_weight * s->c.penalty
                          : matrices_penalty_iterated(&step->x, projection_at(s), projection->P0);
}

mbd_status ali3p_factor_projection(mbd_sim *s, int with_mass, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  if (with_mass && step->projection.ops->depends == PROJECTION_OF_INERTIA) {
    memcpy(step->projection.P0, step->x.M, matrices_size(&step->x, &step->x.M_at) * sizeof *step->projection.P0);
  } else {
    step->projection.ops->matrix(s, step->projection.P0);
  }
  step->projection.alpha = projection_penalty(s);
  ali3p_weigh(s, step->projection.alpha, s->c.projection_weight, step->projection.weight);
  s->stats.factorizations++;
  MBD_TRY(matrices_factor(s, &step->x, projection_at(s), step->projection.P0, step->projection.alpha,
                          step->projection.weight, &step->projection.lu,
                          "the projection matrix of the time step cannot be factored", err));
  return MBD_OK;
}

mbd_status ali3p_project(mbd_sim *s, mbd_error *err) {
  ali3p *step = ali3p_of(s);
  const ali3p_newton *newton = &step->newton;
  ali3p_projection *projection = &step->projection;
  const int n = step->n, m = step->m;
  size_t bytes = (size_t)n * sizeof *newton->vs;
  const int there = ali3p_needs_tangent(s); /* at this position already */
  if (!there) { step->mech->place(s); }
  if (m == 0) {
    memcpy(s->now.zd, newton->vs, bytes);
    memcpy(s->now.zdd, newton->as, bytes);
    return MBD_OK;
  }
  if (!there) { step->mech->rows(s, &step->x, newton->phi); }
  MBD_TRY(ali3p_factor_projection(s, there, err));
  step->mech->phi_t(s, projection->phi_t);
  MBD_TRY(ali3p_project_rates(s, newton->vs, projection->phi_t, &projection->iter_v, s->now.zd, projection->sv, err));
  memset(s->now.zdd, 0, bytes);
  step->mech->move(s, s->now.zd, s->now.zdd, 0);
  MBD_TRY(ali3p_check_left_out(s, err));
  step->mech->phidd(s, projection->phidd);
  MBD_TRY(ali3p_project_rates(s, newton->as, projection->phidd, &projection->iter_a, s->now.zdd, projection->sa, err));
  double v = mbd_norm_inf(m, newton->phi);
  if (v > s->stats.phi) { s->stats.phi = v; }
  measure(s, projection->phi_t, s->now.zd, &s->stats.phid);
  for (int i = 0; sim_reactions_apart(s) && i < m; i++) { s->now.reaction[i] = s->now.lam[i] + projection->sa[i]; }
  measure(s, projection->phidd, s->now.zdd, &s->stats.phidd);
  return MBD_OK;
}
