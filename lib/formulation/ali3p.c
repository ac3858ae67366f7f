/* ALI3-P: index-3 augmented Lagrangian with projections (S0 §3), for schemes of the Newmark family.
 *
 *   M a* + Phi_z' lam = Q,  Phi = 0             with v* = c z + ..., a* = a z + ...       (9a)
 *   (P + s Phi_z' alpha Phi_z) zd  = P v* - Phi_z'(sigma + s alpha Phi_t)                 (10a)
 *   (P + s Phi_z' alpha Phi_z) zdd = P a* - Phi_z'(kappa + s alpha (Phid_z zd + Phid_t))  (11a)
 * with P from projection.h, and lam + kappa as the reactions if P = M + O(h). The Newton correction of (9) solves the tangent
 * with multipliers to the end on the same factors:
 *   T dz = -(r + Phi_z' lam) - Phi_z'(alpha Phi + dlam),   dlam += alpha (Phi + Phi_z dz)
 * with the exact tangent T = a M + c C + K + Phi_z' alpha Phi_z; so outer iterations converge quadratically whatever
 * the penalty, redundant rows included.
 *
 * Constraints that yield, Phi = lam/alpha (penalty.c), have the same step: Phi less that compliance times lam takes the
 * place of Phi, and one solution is the end. */
#include <string.h>

#include "formulation/ali3p.h"
#include "formulation/newton.h"
#include "la/weak.h"

enum { MULTIPLIER_ITERATIONS = 12, MOST_REACHES = 2, PATIENCE = 6, IMPATIENCE = 3 };

static const double contradiction = 1e-3; /* of the gap: what may be one */

/* ---- the step ---- */

static void predict(mbd_sim *s) {
  memcpy(s->now.lam, s->before.lam, (size_t)s->m->nphi * sizeof *s->now.lam);
}

/* From what the step has moved, kept as a sum of its own: the difference of the coordinates would lose digits that
 * a = 4/h^2 makes large, most for wheels that have turned often. */
static void rates(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  const sim_state *b = &s->before;
  scheme_rates(&s->scheme, (size_t)s->m->nz, own->newton.moved, b->zd, b->zdd, b->acc, own->vs, own->as);
}

void ali3p_evaluate_tangent(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, own->vs, own->as, 1);
  matrices_phi_z(s, &own->x, own->phi);
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  motion_jacobian(s->w, &e, matrices_tangent_at(&own->x), own->K, own->C, own->x.M);
}

/* r + Phi_z' lam and the gap of the constraints, at the same state. */
static void evaluate_residual(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  motion_residual(s->w, own->r);
  matrices_phi_mulT_add(s, &own->x, 1, 1, s->now.lam, own->r);
  for (int i = 0; i < s->m->nphi; i++) { own->gap[i] = own->phi[i] - own->compliance * s->now.lam[i]; }
}

void ali3p_sum_tangent(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  const mbd_scheme *q = &s->scheme;
  const int n = s->m->nz;
  if (!own->x.sparse) {
    for (int i = 0; i < n * n; i++) { own->T0[i] = q->a * own->x.M[i] + q->c * own->C[i] + own->K[i]; }
    return;
  }
  for (int i = 0; i < n; i++) {
    const int *col = own->x.K_at.col + i * n;
    for (int k = 0; k < own->x.K_at.count[i]; k++) {
      const int at = i * n + col[k];
      own->T0[at] = q->a * own->x.M[at] + q->c * own->C[at] + own->K[at];
    }
  }
}

static mbd_status factor_tangent(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  ali3p_sum_tangent(s);
  own->alpha_T = s->c.penalty > 0 ? s->c.penalty : matrices_penalty(s, &own->x, own->T0);
  s->stats.factorizations++;
  return matrices_factor(s, &own->x, own->T0, own->alpha_T, &own->T_lu,
                         "the tangent matrix of the time step cannot be factored", err);
}

mbd_weak *ali3p_weak(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  return own->compliance > 0 ? NULL : &own->x.weak;
}

mbd_saddle ali3p_motion_system(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  return (mbd_saddle){.n = s->m->nz,
                      .m = s->m->nphi,
                      .A = own->T0,
                      .Phi = own->x.Phi_z,
                      .A_at = &own->x.K_at,
                      .Phi_at = &own->x.Phi_at,
                      .Phi_packed = own->x.Phi_packed,
                      .lu = &own->T_lu,
                      .alpha = own->alpha_T,
                      .compliance = own->compliance,
                      .weak = ali3p_weak(s),
                      .what = "sensitivities of the time step"};
}

/* dz and dlam of the Newton correction; multipliers are iterated on the same factors.
 *
 * A part of the gap that is left may be a contradiction: where Phi is not zero yet, redundant rows are not quite dependent,
 * by the order of the correction. It is left to the next iteration. To solve for it would take multipliers as large as
 * the rows' difference is small, along a direction in which the multipliers are not determined: they would stay for good, and
 * their part of the tangent, Phi_z' times the change of that direction, would spoil every later factorization. */
static void solve_correction(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  const int n = s->m->nz, m = s->m->nphi;
  const double alpha = own->alpha_T, soft = own->compliance;
  const double enough = fmax(1e-3 * s->c.tolerance, contradiction * mbd_norm_inf(m, own->gap));
  double last = INFINITY;
  int reaches = ali3p_weak(s) ? MOST_REACHES : 0;
  memset(own->dlam, 0, (size_t)m * sizeof *own->dlam);
  for (int it = 0; it < MULTIPLIER_ITERATIONS; it++) {
    for (int i = 0; i < m; i++) { own->weights[i] = alpha * (own->gap[i] - soft * own->dlam[i]) + own->dlam[i]; }
    for (int j = 0; j < n; j++) { own->dz[j] = -own->r[j]; }
    matrices_phi_mulT_add(s, &own->x, 1, -1, own->weights, own->dz);
    mbd_factors_solve(&own->T_lu, NULL, 0, 1, own->dz);
    if (m == 0) { return; }
    for (int i = 0; i < m; i++) { own->left[i] = own->gap[i] - soft * own->dlam[i]; }
    matrices_phi_mul_add(s, &own->x, 1, 1, own->dz, own->left);
    for (int i = 0; i < m; i++) { own->dlam[i] += alpha * own->left[i]; }
    double left = mbd_norm_inf(m, own->left) * (1 - alpha * soft);
    int slow = left > 0.5 * last; /* at the level of rounding, or hardly held by the penalty */
    last = left;
    if ((left > enough && !slow) || it < EXTRA_ITERATIONS) { continue; }
    if (!slow || left <= enough || reaches-- <= 0) { return; }
    mbd_saddle system = ali3p_motion_system(s);
    for (int i = 0; i < m; i++) { own->left[i] = -own->left[i]; }
    mbd_weak_reach(&own->x.weak, &system, 1, own->left, own->dlam);
    last = INFINITY;
  }
}

/* Converged: the step is at the tolerance. Near a singular position a multiplier whose constraint has hardly any effect
 * goes on creeping; after PATIENCE iterations it is enough that the constraints hold and the motion moves no more than
 * by the root of the tolerance, far below the error of the time step. Both are measured here, and what the step's factors
 * leave of its derivatives is mbd_saddle_solve's to answer for. */
static int converged(const mbd_sim *s, int iteration) {
  const ali3p *own = ali3p_of(s);
  const double size = 1 + mbd_norm_inf(s->m->nz, s->now.z), step = mbd_norm_inf(s->m->nz, own->dz) / size;
  if (step <= s->c.tolerance) { return 1; }
  return iteration >= PATIENCE && step <= 1e-2 * sqrt(s->c.tolerance) &&
         mbd_norm_inf(s->m->nphi, own->gap) <= s->c.tolerance * size;
}

static int finite_step(const mbd_sim *s) {
  const ali3p *own = ali3p_of(s);
  return !isnan(mbd_norm_inf(s->m->nz, own->dz));
}

/* From the guess at hand. */
static mbd_status newton(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = s->m->nz, m = s->m->nphi;
  double part = 1;
  int after = 0;
  for (int it = 0; it < s->c.max_iterations + EXTRA_ITERATIONS; it++) {
    rates(s);
    ali3p_evaluate_tangent(s);
    evaluate_residual(s);
    MBD_TRY(factor_tangent(s, err));
    solve_correction(s);
    s->stats.iterations++;
    if (!finite_step(s)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    const int done = after || converged(s, it);
    part = done || it < IMPATIENCE ? 1 : newton_part(n, own->dz_last, own->dz, part);
    memcpy(own->dz_last, own->dz, (size_t)n * sizeof *own->dz);
    for (int j = 0; j < n; j++) {
      own->newton.moved[j] += part * own->dz[j];
      s->now.z[j] = s->before.z[j] + own->newton.moved[j];
    }
    for (int i = 0; i < m; i++) { s->now.lam[i] += part * own->dlam[i]; }
    if (done) {
      if (after++ >= EXTRA_ITERATIONS) {
        rates(s);
        return MBD_OK;
      }
    }
  }
  return MBD_NO_CONVERGENCE; /* newton_solve says why */
}

/* ---- where that does not converge (newton.h) ---- */

static void begin_part(mbd_sim *s) { /* rates() reads the node before */
  (void)s;
}

static const mbd_real *velocities(const mbd_sim *s) {
  const ali3p *own = ali3p_of(s);
  return own->vs;
}

static mbd_status correct(mbd_sim *s, int renew, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  rates(s);
  if (renew) {
    ali3p_evaluate_tangent(s);
  } else {
    motion_place(s->w, s->p, s->t, s->now.z);
    motion_move(s->w, own->vs, own->as, 1);
    matrices_phi_z(s, &own->x, own->phi);
  }
  evaluate_residual(s);
  if (renew) { MBD_TRY(factor_tangent(s, err)); }
  solve_correction(s);
  return MBD_OK;
}

static double size(const mbd_sim *s) {
  const ali3p *own = ali3p_of(s);
  return mbd_norm_inf(s->m->nz, own->dz);
}

static void keep(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  const size_t n = (size_t)s->m->nz * sizeof *own->dz, m = (size_t)s->m->nphi * sizeof *own->dlam;
  newton_memory *q = &own->newton;
  memcpy(q->x, own->newton.moved, n), memcpy(q->correction, own->dz, n);
  memcpy(q->mult, s->now.lam, m), memcpy(q->correction_mult, own->dlam, m);
}

static void go(mbd_sim *s, double part) {
  ali3p *own = ali3p_of(s);
  const newton_memory *q = &own->newton;
  for (int j = 0; j < s->m->nz; j++) {
    own->newton.moved[j] = q->x[j] + part * q->correction[j];
    s->now.z[j] = s->before.z[j] + own->newton.moved[j];
  }
  for (int i = 0; i < s->m->nphi; i++) { s->now.lam[i] = q->mult[i] + part * q->correction_mult[i]; }
}

/* What is in the way: judged back over the last correction. */
static void turn_back(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  rates(s);
  for (int j = 0; j < s->m->nz; j++) { own->newton.way[j] = -own->dz[j]; }
  memcpy(own->newton.rates, own->vs, (size_t)s->m->nz * sizeof *own->vs);
}

static const newton_ops equations = {.predict = predict,
                                     .begin = begin_part,
                                     .newton = newton,
                                     .velocities = velocities,
                                     .correct = correct,
                                     .size = size,
                                     .keep = keep,
                                     .go = go,
                                     .show = turn_back};

static const mbd_nonzeros *projection_at(const mbd_sim *s) {
  const ali3p *own = ali3p_of(s);
  return own->projection->full ? &own->x.K_at : &own->x.M_at;
}

mbd_saddle ali3p_projection_system(mbd_sim *s) {
  ali3p *own = ali3p_of(s);
  return (mbd_saddle){.n = s->m->nz,
                      .m = s->m->nphi,
                      .A = own->P0,
                      .Phi = own->x.Phi_z,
                      .A_at = projection_at(s),
                      .Phi_at = &own->x.Phi_at,
                      .Phi_packed = own->x.Phi_packed,
                      .lu_at = &own->P_at,
                      .lu = &own->P_lu,
                      .alpha = own->alpha_P,
                      .weak = ali3p_weak(s),
                      .at_least = EXTRA_ITERATIONS,
                      .what = "projection of velocities or accelerations"};
}

/* (P + s Phi_z' alpha Phi_z) x = P x* - Phi_z'(mult + s alpha g), with g the part of the rate that x does not make;
 * iterated: mult += s alpha (Phi_z x + g), to the end: P x + Phi_z' mult = P x*, Phi_z x = -g.
 * total: the multiplier that the returned x satisfies. */
static mbd_status project(mbd_sim *s, const mbd_real *star, const mbd_real *g, const ali3p_iterates *keep, mbd_real *x,
                          mbd_real *total, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = s->m->nz, m = s->m->nphi;
  memset(own->p_star, 0, (size_t)n * sizeof *x);
  mbd_mul_add_at(n, n, 1, 1, own->P0, projection_at(s), star, own->p_star);
  if (s->c.projection_iterations == 0) {
    const mbd_saddle q = ali3p_projection_system(s);
    for (int i = 0; i < m; i++) { own->minus_g[i] = -g[i], total[i] = 0; }
    return mbd_saddle_solve(&q, 1, own->p_star, own->minus_g, x, total, own->step, own->rest, err);
  }
  memset(own->mult, 0, (size_t)m * sizeof *own->mult);
  for (int it = 0; it < s->c.projection_iterations; it++) {
    for (int i = 0; i < m; i++) { total[i] = own->mult[i] + own->alpha_P * g[i]; }
    memcpy(x, own->p_star, (size_t)n * sizeof *x);
    matrices_phi_mulT_add(s, &own->x, 1, -1, total, x);
    mbd_factors_solve(&own->P_lu, NULL, 0, 1, x);
    matrices_phi_mul_add(s, &own->x, 1, own->alpha_P, x, total); /* mult + s alpha (Phi_z x + g) */
    memcpy(own->mult, total, (size_t)m * sizeof *total);
    memcpy(keep->x + it * n, x, (size_t)n * sizeof *x);
    memcpy(keep->mult + it * m, total, (size_t)m * sizeof *total);
  }
  return MBD_OK;
}

static void measure(mbd_sim *s, const mbd_real *rate, const mbd_real *x, double *largest) {
  ali3p *own = ali3p_of(s);
  const int m = s->m->nphi;
  memcpy(own->rest, rate, (size_t)m * sizeof *rate);
  matrices_phi_mul_add(s, &own->x, 1, 1, x, own->rest);
  double v = mbd_norm_inf(m, own->rest);
  if (v > *largest) { *largest = v; }
}

/* The end does not depend on the penalty. What iterations leave does, so theirs is a number that neither state nor design
 * changes: that of the case, or a power of ten, a thousand times below what suits corrections from the true residuals, for there
 * are none here that would remove the rounding of a large one. */
static double projection_penalty(const mbd_sim *s) {
  const ali3p *own = ali3p_of(s);
  const double suits = matrices_penalty(s, &own->x, own->P0);
  if (own->own_projections) { return pow(10, round(log10(suits)) - 3); }
  return s->c.penalty > 0 && s->c.projection_iterations > 0 ? s->c.projection_weight * s->c.penalty : suits;
}

mbd_status ali3p_factor_projection(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  own->projection->matrix(s, own->P0);
  own->alpha_P = projection_penalty(s);
  s->stats.factorizations++;
  MBD_TRY(matrices_factor(s, &own->x, own->P0, own->alpha_P, &own->P_lu,
                          "the projection matrix of the time step cannot be factored", err));
  matrices_find_factors(&own->P_lu, &own->P_at);
  return MBD_OK;
}

static mbd_status project_rates(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  const int n = s->m->nz, m = s->m->nphi;
  size_t bytes = (size_t)n * sizeof *own->vs;
  if (s->np == 0) { motion_place(s->w, s->p, s->t, s->now.z); } /* with gradients all is at this position already */
  if (m == 0) {
    memcpy(s->now.zd, own->vs, bytes);
    memcpy(s->now.zdd, own->as, bytes);
    return MBD_OK;
  }
  if (s->np == 0) { matrices_phi_z(s, &own->x, own->phi); }
  MBD_TRY(ali3p_factor_projection(s, err));
  motion_phi_t(s->w, s->eq, own->phi_t);
  MBD_TRY(project(s, own->vs, own->phi_t, &own->iter_v, s->now.zd, own->sv, err));
  memset(s->now.zdd, 0, bytes);
  motion_move(s->w, s->now.zd, s->now.zdd, 0);
  motion_phidd(s->w, s->eq, own->phidd);
  MBD_TRY(project(s, own->as, own->phidd, &own->iter_a, s->now.zdd, own->sa, err));
  double v = mbd_norm_inf(m, own->phi);
  if (v > s->stats.phi) { s->stats.phi = v; }
  measure(s, own->phi_t, s->now.zd, &s->stats.phid);
  for (int i = 0; sim_reactions_apart(s) && i < m; i++) { s->now.reaction[i] = s->now.lam[i] + own->sa[i]; }
  measure(s, own->phidd, s->now.zdd, &s->stats.phidd);
  return MBD_OK;
}

static void advance_acc(mbd_sim *s) {
  const size_t n = (size_t)s->m->nz;
  scheme_carry_acc(&s->scheme, n, s->before.zdd, s->before.acc, s->now.acc);
  scheme_close_acc(&s->scheme, n, s->now.zdd, s->now.acc);
}

mbd_status ali3p_step(mbd_sim *s, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  MBD_TRY(newton_solve(s, &own->newton, &equations, err));
  if (s->np > 0) { MBD_TRY(ali3p_sens_motion(s, err)); }
  MBD_TRY(project_rates(s, err));
  advance_acc(s);
  if (s->np > 0) { MBD_TRY(ali3p_sens_projection(s, err)); }
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_ali3p = {
    .name = "ali3p",
    .doc =
        "Index-3 augmented Lagrangian in joint coordinates with projections of velocities and accelerations (ALI3-P): "
        "the constraints hold.",
    .create = ali3p_create,
    .destroy = ali3p_destroy,
    .step = ali3p_step,
    .record_reals = ali3p_record_reals,
    .copy_record = ali3p_copy_record,
    .adjoint_step = ali3p_adjoint_step,
    .continuous_adjoint = ali3p_continuous_adjoint,
    .projects = 1,
    .matrices = ali3p_matrices,
};
