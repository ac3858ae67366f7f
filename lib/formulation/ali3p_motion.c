/* The motion of a step of ALI3-P, S0 (9) of ali3p.c, by Newton's iteration. */
#include <string.h>

#include "formulation/ali3p.h"
#include "la/weak.h"

enum { MULTIPLIER_ITERATIONS = 12, MOST_REACHES = 2, PATIENCE = 6, IMPATIENCE = 3 };

static const double contradiction = 1e-3; /* of the gap: what may be one */

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

mbd_status ali3p_solve_motion(mbd_sim *s, mbd_error *err) {
  return newton_solve(s, &ali3p_of(s)->newton, &equations, err);
}
