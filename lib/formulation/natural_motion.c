/* The motion of a step in natural coordinates, (5.2) on q, by Newton's iteration: M a* + Phi_q' lam = Q, Phi = 0, with the exact tangent
 *   T = a M + c C + K,   K = d(Phi_q' lam - Q)/dq,  C = -dQ/dqd                                                 (4.12)
 * and the correction T dq + Phi_q' dlam = -(M a* - Q + Phi_q' lam), Phi_q dq = -Phi. */
#include <string.h>

#include "formulation/natural_ali3p.h"
#include "formulation/newton.h"

enum { PATIENCE = 6, IMPATIENCE = 3 };

static const double left_over = 0.01; /* of a*, relative to the tolerance */

mbd_saddle natural_system_of(mbd_sim *s, natural_solver *q, mbd_real *A, const mbd_factors *lu, double alpha,
                             const char *what) {
  natural_ali3p *own = natural_ali3p_of(s);
  q->A = natural_packed(own->system, A);
  q->Phi = (mbd_packed){own->n->first, own->n->col, own->Phi_q};
  q->product = (natural_saddle){own->system, &q->A, 0};
  return (mbd_saddle){.n = own->n->nq,
                      .m = own->n->nphi,
                      .product = natural_saddle_product,
                      .user = &q->product,
                      .Phi_packed = &q->Phi,
                      .lu = lu,
                      .alpha = alpha,
                      .weak = &own->weak,
                      .at_least = EXTRA_ITERATIONS,
                      .what = what};
}

/* The motion goes on with the accelerations of the node before. */
static void predict(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_node *b = &own->before;
  const double h = s->h;
  for (int j = 0; j < own->n->nq; j++) {
    own->moved[j] = h * b->qd[j] + h * h / 2 * b->qdd[j];
    own->now.q[j] = b->q[j] + own->moved[j];
  }
  memcpy(own->now.lam, b->lam, (size_t)own->n->nphi * sizeof *b->lam);
}

/* From what the step has moved, kept as a sum of its own: the difference of the coordinates would lose digits. */
static void rates(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_node *b = &own->before;
  scheme_rates(&s->scheme, (size_t)own->n->nq, own->moved, b->qd, b->qdd, b->acc, own->vs, own->as);
}

/* r = M a* - Q + Phi_q' lam, Phi, and Phi_q of the iterate, which is not yet that of the factors. */
static void evaluate(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural *n = own->n;
  const mbd_packed Phi = {n->first, n->col, own->Phi_here};
  memset(own->r, 0, (size_t)n->nq * sizeof *own->r);
  natural_weight_add(own->v, own->r);
  natural_forces_add(own->v, s->t, own->now.q, own->vs, own->r);
  for (int j = 0; j < n->nq; j++) { own->r[j] = -own->r[j]; }
  natural_mass_mul_add(own->v, own->as, own->r);
  natural_phi(own->v, s->t, own->now.q, own->phi, own->Phi_here);
  mbd_packed_mulT_add(n->nphi, 1, 1, &Phi, own->now.lam, own->r);
}

/* The tangent at the iterate that has been evaluated, and its factors. */
static mbd_status factor(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  mbd_real *const Phi_q = own->Phi_here;
  own->Phi_here = own->Phi_q, own->Phi_q = Phi_q;
  const size_t places = (size_t)own->system->count;
  for (size_t i = 0; i < places; i++) { own->T[i] = s->scheme.a * own->M[i]; }
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->vs, own->now.lam, 1, s->scheme.c, own->T);
  own->alpha_T = s->c.penalty > 0 ? s->c.penalty : natural_penalty(own->system, own->T, own->Phi_q);
  memcpy(own->sum, own->T, places * sizeof *own->sum);
  natural_add_squares(own->system, own->alpha_T, own->Phi_q, own->sum);
  s->stats.factorizations++;
  const mbd_status status = natural_factor(own->system, own->sum, &own->T_lu);
  if (status != MBD_OK) { MBD_FAIL(err, status, "the tangent matrix of the time step cannot be factored"); }
  return MBD_OK;
}

mbd_status natural_factor_motion(mbd_sim *s, mbd_error *err) {
  evaluate(s);
  return factor(s, err);
}

/* The correction of the iterate, with its own tangent or on the factors and the Phi_q at hand. */
static mbd_status correct(mbd_sim *s, int renew, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, m = own->n->nphi;
  natural_solver memory;
  rates(s);
  evaluate(s);
  if (renew) { MBD_TRY(factor(s, err)); }
  const mbd_saddle system = natural_system_of(s, &memory, own->T, &own->T_lu, own->alpha_T, "a time step");
  for (int j = 0; j < n; j++) { own->f[j] = -own->r[j]; }
  for (int i = 0; i < m; i++) { own->g[i] = -own->phi[i], own->dlam[i] = 0; }
  return mbd_saddle_solve(&system, 1, own->f, own->g, own->dq, own->dlam, own->step, own->rest, err);
}

/* Takes a part of the correction at hand. */
static void take(mbd_sim *s, double part) {
  natural_ali3p *own = natural_ali3p_of(s);
  memcpy(own->dq_last, own->dq, (size_t)own->n->nq * sizeof *own->dq);
  for (int j = 0; j < own->n->nq; j++) {
    own->moved[j] += part * own->dq[j];
    own->now.q[j] = own->before.q[j] + own->moved[j];
  }
  for (int i = 0; i < own->n->nphi; i++) { own->now.lam[i] += part * own->dlam[i]; }
}

/* As of joint coordinates (ali3p_motion.c): the correction is at the tolerance, and its square is nothing of a*, which has 4/h^2 times
 * what q has; or, near a singular position, the constraints hold and the motion moves far less than the error of the step. */
static int converged(const mbd_sim *s, int iterations) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq;
  const double size = 1 + mbd_norm_inf(n, own->now.q), length = mbd_norm_inf(n, own->dq), tolerance = s->c.tolerance;
  const double acceleration = mbd_re(s->scheme.a) * length / (1 + mbd_norm_inf(n, own->as));
  if (length <= tolerance * size && acceleration <= sqrt(left_over * tolerance)) { return 1; }
  return iterations > PATIENCE && length <= 1e-2 * sqrt(tolerance) * size &&
         mbd_norm_inf(own->n->nphi, own->phi) <= tolerance * size;
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

/* The usual iteration, from the guess at hand. */
static mbd_status newton(mbd_sim *s, mbd_error *err) {
  const natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq;
  double part = 1;
  int after = 0;
  for (int it = 1; it <= s->c.max_iterations + EXTRA_ITERATIONS; it++) {
    MBD_TRY(correct(s, 1, err));
    s->stats.iterations++;
    if (isnan(mbd_norm_inf(n, own->dq))) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    const int done = after || converged(s, it);
    part = done || it <= IMPATIENCE ? 1 : newton_part(n, own->dq_last, own->dq, part);
    take(s, part);
    if (done && after++ >= EXTRA_ITERATIONS) {
      rates(s);
      return MBD_OK;
    }
  }
  return MBD_NO_CONVERGENCE; /* natural_solve_motion says where */
}

/* ---- where that does not converge (newton.h) ---- */

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

static const newton_ops damped = {.newton = newton, .correct = correct, .size = size, .keep = keep, .go = go};

mbd_status natural_solve_motion(mbd_sim *s, mbd_error *err) {
  predict(s);
  mbd_status status = newton(s, err);
  if (status > 0) {
    predict(s);
    status = newton_damped(s, &damped, err);
  }
  if (status == MBD_NO_CONVERGENCE) { return not_converged(s, err); }
  if (status != MBD_OK || s->np == 0) { return status; }
  return natural_factor_motion(s, err); /* derivatives are on the tangent at the solution */
}
