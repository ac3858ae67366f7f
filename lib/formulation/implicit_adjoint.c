/* The transpose of the implicit step's derivative (implicit_direct.c). From derivatives by the node,
 *   J' mu = E_dxi' (by node)
 * and with B' mu added to those by zdd, one reverse evaluation gives the remaining derivatives:
 *   xi_: by_xi,   eta0: by_eta,   acc0: -mu,     and the coefficients.
 * Without matrices there are two reverse evaluations: that of the node alone gives E_dxi' (by node) = by_xi + c by_eta, the other one is
 * that of B' mu.
 * Equations: theory.md §5.3 (5.7d); the scheme is theory.md §5.1 (5.1). */
#include <string.h>

#include "formulation/implicit_step.h"
#include "objective/objectives.h"

/* Solves for mu and adds B' mu to a->zdd. all_z, all_zd, all_zdd: derivatives by z, zd, zdd, with the part of the reverse sweeps. */
static void solve_by_matrices(mbd_sim *s, sim_adjoint *a) {
  const state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const int n = space->n, m = space->m, nf = space->indep->nf, np = a->npsi;
  const size_t bytes = (size_t)n * (size_t)np * sizeof *a->z;
  memcpy(i->all_z, a->z, bytes), memcpy(i->all_zd, a->zd, bytes), memcpy(i->all_zdd, a->zdd, bytes);
  space->mech->read(s, a, 0, i->all_z), space->mech->read(s, a, 1, i->all_zd), space->mech->read(s, a, 2, i->all_zdd);
  adjoint_zero((size_t)nf * (size_t)np, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->z, i->all_z, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->zd, i->all_zd, i->mu);
  mbd_mulT_add(n, nf, np, 1, i->zdd, i->all_zdd, i->mu);
  mbd_mulT_add(m, nf, np, 1, i->lam, a->lam, i->mu);
  mbd_lu_solve_T(nf, i->J, i->piv, np, i->mu);
  implicit_add_rows(s, np, i->mu, a->zd, a->zdd);
}

/* by_xi0, by_eta0 += by_xi, by_eta of the last evaluation's adjoint. */
static void add_up(state_space *space, int np) {
  for (int k = 0; k < space->indep->nf * np; k++) {
    space->back.by_xi0[k] += space->back.by_xi[k];
    space->back.by_eta0[k] += space->back.by_eta[k];
  }
}

/* mu [nf][k] += c by_eta, at the coordinates of the independent rates */
static void implicit_add_eta(const mbd_sim *s, int np, mbd_real *mu) {
  const state_space *space = ss_of(s);
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    for (int k = 0; rate >= 0 && k < np; k++) { mu[f * np + k] += s->scheme.c * space->back.by_eta[rate * np + k]; }
  }
}

static mbd_status back_by_products(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const int np = a->npsi, all = space->indep->nf * np;
  const size_t size = (size_t)space->n * (size_t)np;
  adjoint_zero(size, space->back.by_xi0), adjoint_zero(size, space->back.by_eta0);
  MBD_TRY(ss_evaluate_back(s, a, err));
  add_up(space, np);
  memcpy(i->mu, space->back.by_xi, (size_t)all * sizeof *i->mu);
  implicit_add_eta(s, np, i->mu);
  MBD_TRY(implicit_krylov_back(s, a, err));
  ss_clear_back(s, a);
  implicit_add_rows(s, np, i->mu, a->zd, a->zdd);
  MBD_TRY(ss_evaluate_back(s, a, err));
  add_up(space, np);
  memcpy(space->back.by_xi, space->back.by_xi0, size * sizeof *space->back.by_xi);
  memcpy(space->back.by_eta, space->back.by_eta0, size * sizeof *space->back.by_eta);
  return MBD_OK;
}

static mbd_status back_by_matrices(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  solve_by_matrices(s, a);
  return ss_evaluate_back(s, a, err);
}

/* Computes the derivatives by the previous node: by its independent coordinates, and by acc. */
static void implicit_history_back(mbd_sim *s, sim_adjoint *a) {
  const state_space *space = ss_of(s);
  const mbd_scheme *c = &s->scheme;
  const mbd_real *mu = implicit_of(s)->mu;
  const int np = a->npsi;
  const size_t size = (size_t)space->n * (size_t)np;
  ss_clear_back(s, a);
  /* xi = B z_ + dxi. */
  independent_add(space->indep, np, space->back.by_xi, a->z);
  /* acc of the node is a combination of acc_, zdd_ and zdd. */
  for (size_t k = 0; c->has_acc && k < size; k++) {
    a->zdd[k] = c->acc_zdd_before * a->acc[k];
    a->acc[k] *= c->acc_acc;
  }
  /* eta0 and acc0 are the scheme (5.1) at dxi = 0: combinations of zd_, zdd_ and acc_. Coordinates whose rates follow have v0 with -mu alone. */
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    for (int k = 0; k < np; k++) {
      const int to = space->indep->free[f] * np + k;
      const mbd_real lambda = mu[f * np + k], by_v = rate >= 0 ? space->back.by_eta[rate * np + k] : -lambda,
                     by_a = rate >= 0 ? -lambda : 0;
      a->zd[to] = c->v_zd * by_v + c->a_zd * by_a;
      a->zdd[to] += c->v_zdd * by_v + c->a_zdd * by_a;
      if (c->has_acc) { a->acc[to] += c->v_acc * by_v + c->a_acc * by_a; }
    }
  }
}

/* Applies the transpose of a stretched step, whose equation gives s^2 B zdd, or s B zd (adjoint_stretch_rates). */
static void implicit_stretch_back(const mbd_sim *s, sim_adjoint *a) {
  const independent *indep = ss_of(s)->indep;
  const mbd_real *mu = implicit_of(s)->mu;
  ss_stretch_back(s, a);
  for (int k = 0; s->c.free_duration && k < a->npsi; k++) {
    for (int f = 0; f < indep->nf; f++) {
      const int at = indep->free[f];
      const mbd_real rate = implicit_accelerates(s, f) ? 2 * s->now.zdd[at] : s->now.zd[at];
      a->theta[k]->stretch += mu[f * a->npsi + k] * rate;
    }
  }
}

mbd_status implicit_step_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  independent_restore(space->indep, space->choice);
  MBD_TRY(ss_sweep(s, err));
  if (!ss_matrix_free(s)) { MBD_TRY(implicit_tangent(s, err)); }
  adjoint_stretch_rates(s, a);
  MBD_TRY(space->mech->outputs_back(s, a, err));
  adjoint_close_acc(s, a);
  MBD_TRY((ss_matrix_free(s) ? back_by_products : back_by_matrices)(s, a, err));
  implicit_stretch_back(s, a);
  implicit_history_back(s, a);
  return MBD_OK;
}
