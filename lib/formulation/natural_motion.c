/* The motion of a step in natural coordinates, (5.2) on q, by Newton's iteration: M a* + Phi_q' lam = Q, Phi = 0, with the exact tangent
 *   T = a M + c C + K,   K = d(Phi_q' lam - Q)/dq,  C = -dQ/dqd                                                 (4.12)
 * and the correction T dq + Phi_q' dlam = -(M a* - Q + Phi_q' lam), Phi_q dq = -Phi. A tangent serves as long as corrections on it contract
 * well, as in joint coordinates (ali3p_motion.c).
 * Equations: theory.md §5.1 (5.4a), theory.md §4.1 (4.12). */
#include <float.h>
#include <string.h>

#include "formulation/natural_ali3p.h"
#include "formulation/newton.h"

enum { PATIENCE = 6, IMPATIENCE = 3, ROUNDED = 3 };

static const double left_over = 0.01;          /* of a*, relative to the tolerance */
static const double unknown = 0.5;             /* contraction that is supposed before one is measured */
static const double poor = 0.02;               /* contraction on an older tangent, from which on a new one is better */
static const double lost = 0.5;                /* from which on the guess is better than where it has led */
static const double rounding_of_forces = 1e-9; /* relative to multipliers */

mbd_saddle natural_system_of(mbd_sim *s, natural_solver *solver, mbd_real *A, mbd_real *Phi, const mbd_factors *lu,
                             double alpha, const char *what) {
  natural_ali3p *own = natural_ali3p_of(s);
  solver->A = A == own->M ? own->M_packed : natural_packed(own->system, A);
  solver->Phi = (mbd_packed){own->n->first, own->n->col, Phi, NULL};
  solver->product = (natural_saddle){own->system, &solver->A, 0};
  return (mbd_saddle){.n = own->n->nq,
                      .m = own->n->nphi,
                      .product = natural_saddle_product,
                      .user = &solver->product,
                      .Phi_packed = &solver->Phi,
                      .lu = lu,
                      .alpha = alpha,
                      .weak = &own->weak,
                      .at_least = EXTRA_ITERATIONS,
                      .what = what};
}

/* ---- the guess: as newton_guess.c, of q ---- */

static mbd_real constant_acceleration(const mbd_sim *s, int j) {
  const natural_node *b = &natural_ali3p_of(s)->before;
  return s->h * b->qd[j] + s->h * s->h / 2 * b->qdd[j];
}

static mbd_real go_on(mbd_real w, mbd_real last, mbd_real before) {
  return w * (last + w * (last - before));
}

static void predict(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_trend *t = &own->trend;
  for (int j = 0; j < own->n->nq; j++) {
    own->moved[j] = constant_acceleration(s, j) + go_on(t->trust, t->moved[j], t->moved_before[j]);
    own->now.q[j] = own->before.q[j] + own->moved[j];
  }
  for (int i = 0; i < own->n->nphi; i++) {
    own->now.lam[i] = own->before.lam[i] + go_on(t->trust, t->lam[i], t->lam_before[i]);
  }
}

static void remember(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_trend *t = &own->trend;
  double along = 0, size = 0;
  for (int j = 0; j < own->n->nq; j++) {
    const mbd_real moved = own->moved[j] - constant_acceleration(s, j);
    along += mbd_re(moved) * mbd_re(t->moved[j]), size += mbd_re(t->moved[j]) * mbd_re(t->moved[j]);
    t->moved_before[j] = t->moved[j], t->moved[j] = moved;
  }
  for (int i = 0; i < own->n->nphi; i++) {
    t->lam_before[i] = t->lam[i], t->lam[i] = own->now.lam[i] - own->before.lam[i];
  }
  t->trust = along > 0 && size > 0 ? fmin(1, along / size) : 0;
}

void natural_motion_begin(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const size_t n = (size_t)own->n->nq, m = (size_t)own->n->nphi;
  natural_trend *t = &own->trend;
  memset(t->moved, 0, n * sizeof *t->moved), memset(t->moved_before, 0, n * sizeof *t->moved);
  memset(t->lam, 0, m * sizeof *t->lam), memset(t->lam_before, 0, m * sizeof *t->lam);
  t->trust = 0;
  own->has_tangent = 0;
}

/* ---- equations and tangent ---- */

/* Computes v*, a* from the increment of the step, which is kept as a sum: the difference of the coordinates would lose digits. */
static void rates(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_node *b = &own->before;
  scheme_rates(&s->scheme, (size_t)own->n->nq, own->moved, b->qd, b->qdd, b->acc, own->vs, own->as);
}

/* r = M a* - Q + Phi_q' lam, Phi, and Phi_q of the iterate, which is not yet that of the factors. */
static void evaluate(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural *n = own->n;
  const mbd_packed Phi = {n->first, n->col, own->Phi_here, NULL};
  memset(own->r, 0, (size_t)n->nq * sizeof *own->r);
  natural_weight_add(own->v, own->r);
  natural_forces_add(own->v, s->t, own->now.q, own->vs, own->r);
  for (int j = 0; j < n->nq; j++) { own->r[j] = -own->r[j]; }
  natural_mass_mul_add(own->v, own->as, own->r);
  natural_phi(own->v, s->t, own->now.q, own->phi, own->Phi_here);
  mbd_packed_mulT_add(n->nphi, 1, 1, &Phi, own->now.lam, own->r);
}

/* Sums the tangent at the iterate that has been evaluated. */
static void sum_tangent(mbd_sim *s) {
  const natural_ali3p *own = natural_ali3p_of(s);
  for (int i = 0; i < own->system->count; i++) { own->T[i] = s->scheme.a * own->M[i]; }
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->vs, own->now.lam, 1, s->scheme.c, own->T);
}

/* Sums the same from its parts K, C. */
static void sum_pieces(mbd_sim *s) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const size_t places = (size_t)own->system->count;
  memset(own->K, 0, places * sizeof *own->K), memset(own->C, 0, places * sizeof *own->C);
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->vs, own->now.lam, 1, 0, own->K);
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->vs, NULL, 0, 1, own->C);
  for (size_t i = 0; i < places; i++) { own->T[i] = s->scheme.a * own->M[i] + s->scheme.c * own->C[i] + own->K[i]; }
}

/* Factors of the tangent, with the Phi_q of the iterate. */
static mbd_status factor(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  mbd_real *const Phi_T = own->Phi_here;
  own->Phi_here = own->Phi_T, own->Phi_T = Phi_T;
  const size_t places = (size_t)own->system->count;
  own->alpha_T = s->c.penalty > 0 ? s->c.penalty : natural_penalty(own->system, own->T, own->Phi_T);
  memcpy(own->sum, own->T, places * sizeof *own->sum);
  natural_add_squares(own->system, own->alpha_T, own->Phi_T, own->sum);
  s->stats.factorizations++;
  const mbd_status status = natural_factor(own->system, own->sum, &own->T_lu);
  if (status != MBD_OK) { MBD_FAIL(err, status, "the tangent matrix of the time step cannot be factored"); }
  return MBD_OK;
}

mbd_status natural_factor_motion(mbd_sim *s, mbd_error *err) {
  evaluate(s);
  sum_pieces(s);
  return factor(s, err);
}

/* ---- corrections ---- */

/* Corrects the iterate by its own tangent, and iterates the multipliers until they converge. */
static mbd_status correct_to_end(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, m = own->n->nphi;
  natural_solver memory;
  const mbd_saddle system = natural_system_of(s, &memory, own->T, own->Phi_T, &own->T_lu, own->alpha_T, "a time step");
  for (int j = 0; j < n; j++) { own->f[j] = -own->r[j]; }
  for (int i = 0; i < m; i++) { own->g[i] = -own->phi[i], own->dlam[i] = 0; }
  return mbd_saddle_solve(&system, 1, own->f, own->g, own->dq, own->dlam, own->step, own->rest, err);
}

/* dq on the current factors: T dq + Phi' (alpha (gap + Phi dq) + dlam) = -r; left := gap + Phi dq. */
static void solve_pass(mbd_sim *s, mbd_real *left) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, m = own->n->nphi;
  const mbd_packed Phi = {own->n->first, own->n->col, own->Phi_T, NULL};
  for (int i = 0; i < m; i++) { own->rest[i] = own->alpha_T * own->g[i] + own->dlam[i]; }
  for (int j = 0; j < n; j++) { own->dq[j] = -own->r[j]; }
  mbd_packed_mulT_add(m, 1, -1, &Phi, own->rest, own->dq);
  mbd_factors_solve(&own->T_lu, 0, 1, own->dq);
  memcpy(left, own->g, (size_t)m * sizeof *left);
  mbd_packed_mul_add(m, 1, 1, &Phi, own->dq, left);
}

/* Corrects the iterate by an older tangent and its Phi_q, whose error is larger than the remainder of two passes. Redundant rows contradict each
 * other in the gap by the change of their dependence since then. This part of the gap is the same after both passes. It does not affect the motion,
 * and is kept out of the multipliers, where it would add up. A gap that is rounding is none: the penalty would make accelerations of it. */
static void correct_on_older(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int m = own->n->nphi;
  const double gap = mbd_norm_inf(m, own->phi), extent = 1 + mbd_norm_inf(own->n->nq, own->now.q);
  const int holds = gap <= s->c.tolerance && gap <= 4 * DBL_EPSILON * extent;
  for (int i = 0; i < m; i++) { own->g[i] = holds ? 0 : own->phi[i], own->dlam[i] = 0; }
  solve_pass(s, own->left[0]);
  for (int i = 0; i < m; i++) { own->dlam[i] = own->alpha_T * own->left[0][i]; }
  solve_pass(s, own->left[1]);
  for (int i = 0; i < m; i++) { own->dlam[i] -= own->alpha_T * own->left[1][i]; }
}

/* Computes the correction of the iterate, with its own tangent or on the current one. The residual is that of the iterate in any case. */
static mbd_status correct(mbd_sim *s, int renew, mbd_error *err) {
  rates(s);
  evaluate(s);
  if (!renew) {
    correct_on_older(s);
    return MBD_OK;
  }
  sum_tangent(s);
  MBD_TRY(factor(s, err));
  return correct_to_end(s, err);
}

/* Takes a part of the current correction. */
static void take(mbd_sim *s, double part) {
  natural_ali3p *own = natural_ali3p_of(s);
  memcpy(own->dq_last, own->dq, (size_t)own->n->nq * sizeof *own->dq);
  for (int j = 0; j < own->n->nq; j++) {
    own->moved[j] += part * own->dq[j];
    own->now.q[j] = own->before.q[j] + own->moved[j];
  }
  for (int i = 0; i < own->n->nphi; i++) { own->now.lam[i] += part * own->dlam[i]; }
}

/* ---- the iteration ---- */

/* Corrections of one step. */
typedef struct approach {
  double size, step, last; /* 1 + |q|; lengths relative to it, of this correction and the one before; INFINITY: none */
  double acceleration;     /* what this one adds to a*, relative to 1 + |a*| */
  double unbalanced,
      before;            /* forces that this one and the one before begin with, relative to 1 + |lam|; INFINITY: none */
  int renewed, tangents; /* by a tangent of its own; how many of the step so far */
  int rounded;           /* corrections that were of rounding alone */
} approach;

/* Returns the factor by which a correction on an older tangent is shorter than the one before; `unknown` for the first correction. */
static double contraction(const approach *q) {
  return isinf(q->last) ? unknown : q->last > 0 ? q->step / q->last : 0;
}

static int is_rounding(const approach *q) {
  return !q->renewed && q->step <= 1e-14 && contraction(q) > poor;
}

static void measure(const mbd_sim *s, int renewed, approach *q) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq;
  const double length = mbd_norm_inf(n, own->dq);
  q->renewed = renewed, q->tangents += renewed;
  q->size = 1 + mbd_norm_inf(n, own->now.q);
  q->last = q->step, q->step = length / q->size;
  q->acceleration = mbd_re(s->scheme.a) * length / (1 + mbd_norm_inf(n, own->as));
  q->before = q->unbalanced;
  q->unbalanced = mbd_norm_inf(n, own->r) / (1 + mbd_norm_inf(own->n->nphi, own->now.lam));
  q->rounded += is_rounding(q);
}

/* Returns 1 if the multipliers have converged; checked if constraints and drives leave no degree of freedom, since accelerations do not show it then. */
static int forces_converged(const mbd_sim *s, const approach *q) {
  const double rate = isinf(q->before) ? unknown : q->before > 0 ? q->unbalanced / q->before : 0;
  if (s->rank < s->m->nz) { return 1; }
  return rate * q->unbalanced <= s->c.tolerance || (rate > poor && q->unbalanced <= rounding_of_forces);
}

/* Of a*, which has 4/h^2 times what q has, as little is left as what full Newton leaves: after a correction with a tangent of its own its
 * square, after another one the contraction of it. */
static int leaves_nothing(const mbd_sim *s, const approach *q) {
  const double limit = left_over * s->c.tolerance;
  if (q->renewed) { return q->acceleration <= sqrt(limit); }
  return (contraction(q) * q->acceleration <= limit || q->rounded >= ROUNDED) && forces_converged(s, q);
}

/* As of joint coordinates (ali3p_motion.c): the correction is at the tolerance and leaves nothing; or, near a singular position, the
 * constraints hold and the motion moves far less than the error of the step. */
static int converged(const mbd_sim *s, const approach *q) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const double tolerance = s->c.tolerance;
  if (q->step <= tolerance && leaves_nothing(s, q)) { return 1; }
  return q->tangents > PATIENCE && q->renewed && q->step <= 1e-2 * sqrt(tolerance) &&
         mbd_norm_inf(own->n->nphi, own->phi) <= tolerance * q->size;
}

/* Does the next correction take the tangent of its iterate? After the second such tangent the iteration is full Newton. */
static int wants_tangent(const mbd_sim *s, const approach *q) {
  if (EXTRA_ITERATIONS > 0 || q->tangents > 1) { return 1; }
  if (q->renewed || isinf(q->last)) { return 0; }
  if (is_rounding(q)) { return q->rounded >= ROUNDED && q->step > s->c.tolerance; }
  if (!(contraction(q) <= poor)) { return 1; }
  return q->step <= s->c.tolerance && !forces_converged(s, q);
}

static mbd_status not_converged(const mbd_sim *s, mbd_error *err) {
  const natural_ali3p *own = natural_ali3p_of(s);
  int most = 0;
  for (int j = 1; j < own->n->nq; j++) {
    if (mbd_absre(own->dq[j]) > mbd_absre(own->dq[most])) { most = j; }
  }
  MBD_FAIL(
      err, MBD_NO_CONVERGENCE,
      "Newton's iteration of a time step in natural coordinates did not converge in %d iterations, nor by damped ones; "
      "its "
      "last correction moves '%s' by %.3g: a smaller step, or coordinates = joint, which has further ways to converge",
      s->c.max_iterations, natural_name(own->n, most), mbd_absre(own->dq[most]));
}

static double size(const mbd_sim *s) {
  const natural_ali3p *own = natural_ali3p_of(s);
  return mbd_norm_inf(own->n->nq, own->dq);
}

static void keep(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const size_t n = (size_t)own->n->nq * sizeof *own->dq, m = (size_t)own->n->nphi * sizeof *own->dlam;
  memcpy(own->kept, own->moved, n), memcpy(own->kept_dq, own->dq, n);
  memcpy(own->kept_lam, own->now.lam, m), memcpy(own->kept_dlam, own->dlam, m);
}

static void go(mbd_sim *s, double part) {
  natural_ali3p *own = natural_ali3p_of(s);
  for (int j = 0; j < own->n->nq; j++) {
    own->moved[j] = own->kept[j] + part * own->kept_dq[j];
    own->now.q[j] = own->before.q[j] + own->moved[j];
  }
  for (int i = 0; i < own->n->nphi; i++) { own->now.lam[i] = own->kept_lam[i] + part * own->kept_dlam[i]; }
}

/* Newton's iteration. It returns to the guess if the iteration with the tangent of an earlier step does not contract. */
static mbd_status newton(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, limit = s->c.max_iterations + EXTRA_ITERATIONS;
  approach q = {.step = INFINITY, .last = INFINITY, .unbalanced = INFINITY, .before = INFINITY};
  double part = 1;
  int after = 0, renew = !own->has_tangent || EXTRA_ITERATIONS > 0;
  own->has_tangent = 0;
  keep(s);
  while (q.tangents + renew <= limit) {
    if (renew && q.tangents == 0 && contraction(&q) > lost) { go(s, 0); }
    MBD_TRY(correct(s, renew, err));
    s->stats.iterations++;
    measure(s, renew, &q);
    if (isnan(q.step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    const int done = after || converged(s, &q);
    part = done || q.tangents <= IMPATIENCE ? 1 : newton_part(n, own->dq_last, own->dq, part);
    take(s, part);
    if (done && after++ >= EXTRA_ITERATIONS) {
      rates(s);
      own->has_tangent = 1;
      return MBD_OK;
    }
    renew = wants_tangent(s, &q);
  }
  return MBD_NO_CONVERGENCE; /* natural_solve_motion says where */
}

/* ---- where that does not converge (newton.h) ---- */

static const newton_ops damped = {.newton = newton, .correct = correct, .size = size, .keep = keep, .go = go};

/* An adjoint may recompute steps from the state of a node. So that results are the same, such steps begin with tangents of their own. */
mbd_status natural_solve_motion(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  if (s->kept) { own->has_tangent = 0; }
  predict(s);
  mbd_status status = newton(s, err);
  if (status > 0) {
    own->trend.trust = 0;
    predict(s);
    status = newton_damped(s, &damped, err);
  }
  if (status == MBD_NO_CONVERGENCE) { return not_converged(s, err); }
  if (status != MBD_OK) { return status; }
  remember(s);
  if (s->np == 0) { return MBD_OK; }
  own->has_tangent = 1;
  return natural_factor_motion(s, err); /* derivatives are on the tangent at the solution */
}
