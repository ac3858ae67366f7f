/* The transpose of the implicit step's derivative (implicit_direct.c). From derivatives by the node,
 *   J' mu = E_dxi' (by node)
 * and with B' mu added to those by zdd, one reverse evaluation gives all that is left:
 *   xi_: by_xi,   eta0: by_eta,   acc0: -mu,     and the coefficients.
 * Without matrices mu is the sum of   mu_0 = (by_xi + c by_eta)/a of the node,   mu_k+1 likewise of mu_k alone as
 * derivative by B zdd;   as all is linear, so are by_xi, by_eta and the coefficients' the sums of what each has left. */
#include <string.h>

#include "formulation/implicit_step.h"
#include "kinematics/sweep.h"

enum { ITERATIONS = 100 };

static const double rounding = 1e-15;

/* mu, all of it added to a->zdd: with a->f, a->vs, a->as all that is known of z, zd, zdd, the reverse sweeps' part too. */
static void solve_by_matrices(mbd_sim *s, sim_adjoint *a) {
  const state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const int n = s->m->nz, m = s->m->nphi, nf = q->kin->nf, np = a->npsi;
  const size_t bytes = (size_t)n * (size_t)np * sizeof *a->z;
  memcpy(a->f, a->z, bytes), memcpy(a->vs, a->zd, bytes), memcpy(a->as, a->zdd, bytes);
  adjoint_read(s, a, 0, a->f), adjoint_read(s, a, 1, a->vs), adjoint_read(s, a, 2, a->as);
  adjoint_zero((size_t)nf * (size_t)np, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->z, a->f, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->zd, a->vs, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->zdd, a->as, i->mu);
  mbd_mulT_add(m, nf, np, 1, i->lam, a->lam, i->mu);
  mbd_lu_solve_T(nf, i->J, i->piv, NULL, np, i->mu);
  independent_add(q->kin, np, i->mu, a->zdd);
}

/* by_xi0, by_eta0, sum += those of the evaluation just turned around, with mu of the next; returns the largest mu of a
 * column, relative to their sum. */
static double add_up(mbd_sim *s, const sim_adjoint *a) {
  const state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const int np = a->npsi;
  double most = 0;
  for (int k = 0; k < np; k++) {
    double change = 0, size = 0;
    for (int f = 0; f < q->kin->nf; f++) {
      const int at = f * np + k;
      q->by_xi0[at] += q->by_xi[at];
      q->by_eta0[at] += q->by_eta[at];
      i->mu[at] = (q->by_xi[at] + s->scheme.c * q->by_eta[at]) / s->scheme.a;
      i->sum[at] += i->mu[at];
      change = fmax(change, mbd_absre(i->mu[at]));
      size = fmax(size, mbd_absre(i->sum[at]));
    }
    if (change > most * size) { most = change / size; }
  }
  return most;
}

static void clear(mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  adjoint_zero((size_t)s->m->nphi * (size_t)a->npsi, a->lam);
  for (int k = 0; k < a->npsi; k++) { pull_clear(s->m, &a->pull[k]); }
}

static mbd_status by_iteration(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  double change = 1;
  adjoint_zero(size, q->by_xi0), adjoint_zero(size, q->by_eta0), adjoint_zero(size, i->sum);
  for (int it = 0; it < ITERATIONS; it++) {
    MBD_TRY(ss_evaluate_back(s, a, err));
    const double last = change;
    change = add_up(s, a);
    if (implicit_settled(change, change / last, rounding)) {
      memcpy(q->by_xi, q->by_xi0, size * sizeof *q->by_xi);
      memcpy(q->by_eta, q->by_eta0, size * sizeof *q->by_eta);
      memcpy(i->mu, i->sum, size * sizeof *i->mu);
      return MBD_OK;
    }
    clear(s, a);
    independent_add(q->kin, a->npsi, i->mu, a->zdd);
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE, "the adjoint of an implicit step does not converge");
}

/* acc has a part of zdd. */
static void close_acc_back(const mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  for (size_t k = 0; s->scheme.has_acc && k < size; k++) { a->zdd[k] += s->scheme.acc_zdd * a->acc[k]; }
}

/* To the node before: its independent coordinates, and what carries acc. */
static void history_back(mbd_sim *s, sim_adjoint *a) {
  const state_space *q = ss_of(s);
  const mbd_scheme *c = &s->scheme;
  const mbd_real *mu = q->implicit->mu;
  const int np = a->npsi;
  const size_t size = (size_t)s->m->nz * (size_t)np;
  clear(s, a);
  independent_add(q->kin, np, q->by_xi, a->z);
  for (size_t k = 0; c->has_acc && k < size; k++) {
    a->zdd[k] = c->acc_zdd_before * a->acc[k];
    a->acc[k] *= c->acc_acc;
  }
  for (int f = 0; f < q->kin->nf; f++) {
    for (int k = 0; k < np; k++) {
      const int from = f * np + k, to = q->kin->free[f] * np + k;
      a->zd[to] = c->v_zd * q->by_eta[from] - c->a_zd * mu[from];
      a->zdd[to] += c->v_zdd * q->by_eta[from] - c->a_zdd * mu[from];
      if (c->has_acc) { a->acc[to] += c->v_acc * q->by_eta[from] - c->a_acc * mu[from]; }
    }
  }
}

mbd_status implicit_step_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *q = ss_of(s);
  const ss_point node = {mbd_re(s->t), s->now.z, s->now.zd, s->now.zdd, s->now.lam};
  independent_restore(q->kin, q->choice);
  MBD_TRY(ss_return(s, &node, err));
  if (!q->ops->matrix_free) { MBD_TRY(implicit_tangent(s, err)); }
  adjoint_outputs(s, a);
  close_acc_back(s, a);
  if (q->ops->matrix_free) {
    MBD_TRY(by_iteration(s, a, err));
  } else {
    solve_by_matrices(s, a);
    MBD_TRY(ss_evaluate_back(s, a, err));
  }
  history_back(s, a);
  return MBD_OK;
}
