/* The implicit step differentiated along directions. With E' the derivative of an evaluation (state_space_direct.c), in
 * which that by dxi is the matrix E_dxi,
 *   J dxi' = B zdd'(xi_', eta0') - acc0',    node' = E'(xi_', eta0') + E_dxi dxi'
 * without matrices by iteration:  a dxi' = B zdd'(xi_' + dxi', eta0' + c dxi') - acc0'. */
#include <string.h>

#include "formulation/implicit_step.h"

enum { ITERATIONS = 100 };

static const double rounding = 1e-15;

/* Of what the node before has fixed. */
static void begin(mbd_sim *s) {
  state_space *q = ss_of(s);
  implicit_step *i = q->implicit;
  const size_t size = (size_t)s->m->nz * (size_t)s->np;
  scheme_history(&s->scheme, size, s->sens.zd, s->sens.zdd, s->sens.acc, s->V0, s->A0);
  independent_read(q->kin, s->np, s->V0, i->eta0p);
  independent_read(q->kin, s->np, s->A0, i->acc0p);
  independent_read(q->kin, s->np, s->sens.z, q->xi0p);
  independent_read(q->kin, s->np, s->sens.zdd, i->accp);
  scheme_carry_acc(&s->scheme, size, s->sens.zdd, s->sens.acc, s->sens.acc);
}

static mbd_status by_matrices(mbd_sim *s, mbd_error *err) {
  state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const int n = s->m->nz, m = s->m->nphi, nf = q->kin->nf, np = s->np;
  const size_t size = (size_t)nf * (size_t)np;
  MBD_TRY(implicit_tangent(s, err));
  memcpy(q->xip, q->xi0p, size * sizeof *q->xip);
  memcpy(q->etap, i->eta0p, size * sizeof *q->etap);
  MBD_TRY(ss_evaluate_sens(s, &s->sens, err));
  independent_read(q->kin, np, s->sens.zdd, i->dxip);
  for (size_t k = 0; k < size; k++) { i->dxip[k] -= i->acc0p[k]; }
  mbd_lu_solve(nf, i->J, i->piv, np, i->dxip);
  mbd_mul_add(n, nf, np, 1, i->z, i->dxip, s->sens.z);
  mbd_mul_add(n, nf, np, 1, i->zd, i->dxip, s->sens.zd);
  mbd_mul_add(n, nf, np, 1, i->zdd, i->dxip, s->sens.zdd);
  mbd_mul_add(m, nf, np, 1, i->lam, i->dxip, s->sens.lam);
  return MBD_OK;
}

/* accp := B zdd'; returns the largest change of a column, relative to it and to acc0'. */
static double renew(mbd_sim *s) {
  const state_space *q = ss_of(s);
  mbd_real *accp = q->implicit->accp, *acc0p = q->implicit->acc0p;
  const int np = s->np;
  double most = 0;
  for (int k = 0; k < np; k++) {
    double change = 0, size = 0;
    for (int f = 0; f < q->kin->nf; f++) {
      const mbd_real v = s->sens.zdd[q->kin->free[f] * np + k];
      change = fmax(change, mbd_absre(v - accp[f * np + k]));
      size = fmax(size, fmax(mbd_absre(v), mbd_absre(acc0p[f * np + k])));
      accp[f * np + k] = v;
    }
    if (change > most * size) { most = change / size; }
  }
  return most;
}

static mbd_status by_iteration(mbd_sim *s, mbd_error *err) {
  state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const size_t size = (size_t)q->kin->nf * (size_t)s->np;
  double change = 1;
  for (int it = 0; it < ITERATIONS; it++) {
    for (size_t k = 0; k < size; k++) {
      const mbd_real dxip = (i->accp[k] - i->acc0p[k]) / s->scheme.a;
      q->xip[k] = q->xi0p[k] + dxip;
      q->etap[k] = i->eta0p[k] + s->scheme.c * dxip;
    }
    MBD_TRY(ss_evaluate_sens(s, &s->sens, err));
    const double last = change;
    change = renew(s);
    if (implicit_settled(change, change / last, rounding)) { return MBD_OK; }
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE, "the sensitivities of an implicit step do not converge");
}

mbd_status implicit_sens(mbd_sim *s, mbd_error *err) {
  begin(s);
  MBD_TRY(ss_of(s)->ops->matrix_free ? by_iteration(s, err) : by_matrices(s, err));
  scheme_close_acc(&s->scheme, (size_t)s->m->nz * (size_t)s->np, s->sens.zdd, s->sens.acc);
  return MBD_OK;
}
