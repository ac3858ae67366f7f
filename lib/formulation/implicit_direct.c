/* The implicit step differentiated along directions. With E' the derivative of an evaluation (state_space_direct.c),
 *   J dxi' = B zdd' - acc0'  of E'(xi_', eta0'),      node' = E'(xi_' + dxi', eta0' + c dxi')
 * Where there are matrices, linearity gives node' = E'(xi_', eta0') + E_dxi dxi'.
 * Equations: theory.md §5.3 (5.7d); the scheme is theory.md §5.1 (5.1). */
#include <string.h>

#include "formulation/implicit_step.h"

/* Contributions of the previous node, along all directions; they are written into the arguments of an evaluation as well. */
static void implicit_begin(mbd_sim *s) {
  state_space *space = ss_of(s);
  implicit_step *i = implicit_of(s);
  const int np = s->np;
  const size_t size = (size_t)ss_of(s)->n * (size_t)np;
  scheme_history(&s->scheme, size, s->sens.zd, s->sens.zdd, s->sens.acc, i->vp, i->ap);
  sim_stretch_history(s, ss_of(s)->n, &s->before, s->now.zd, s->now.zdd, i->vp, i->ap);
  independent_read(space->indep, np, i->vp, i->eta0p);
  independent_read(space->indep, np, i->ap, i->acc0p);
  independent_read(space->indep, np, s->sens.z, space->sens.xi0);
  memcpy(space->sens.xi, space->sens.xi0, size * sizeof *space->sens.xi);
  independent_read_rates(space->indep, np, i->vp, space->sens.eta);
  scheme_carry_acc(&s->scheme, size, s->sens.zdd, s->sens.acc, s->sens.acc);
}

static void by_matrices(mbd_sim *s) {
  const implicit_step *i = implicit_of(s);
  const int n = ss_of(s)->n, nf = ss_of(s)->indep->nf, np = s->np;
  mbd_lu_solve(nf, i->J, i->piv, np, i->dxip);
  mbd_mul_add(n, nf, np, 1, i->z, i->dxip, s->sens.z);
  mbd_mul_add(n, nf, np, 1, i->zd, i->dxip, s->sens.zd);
  mbd_mul_add(n, nf, np, 1, i->zdd, i->dxip, s->sens.zdd);
  mbd_mul_add(ss_of(s)->m, nf, np, 1, i->lam, i->dxip, s->sens.lam);
}

static mbd_status by_products(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const size_t size = (size_t)space->indep->nf * (size_t)s->np;
  MBD_TRY(implicit_krylov_sens(s, err));
  for (size_t k = 0; k < size; k++) { space->sens.xi[k] = space->sens.xi0[k] + i->dxip[k]; }
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f], from = f * s->np;
    for (int k = 0; rate >= 0 && k < s->np; k++) {
      space->sens.eta[rate * s->np + k] = i->eta0p[from + k] + s->scheme.c * i->dxip[from + k];
    }
  }
  return ss_evaluate_sens(s, 0, &s->sens, err);
}

mbd_status implicit_sens(mbd_sim *s, mbd_error *err) {
  const implicit_step *i = implicit_of(s);
  const int products = ss_matrix_free(s);
  if (!products) { MBD_TRY(implicit_tangent(s, err)); }
  implicit_begin(s);
  MBD_TRY(ss_evaluate_sens(s, !products, &s->sens, err));
  implicit_rows(s, s->np, s->sens.zd, s->sens.zdd, i->eta0p, i->acc0p, i->dxip);
  if (products) {
    MBD_TRY(by_products(s, err));
  } else {
    by_matrices(s);
  }
  scheme_close_acc(&s->scheme, (size_t)ss_of(s)->n * (size_t)s->np, s->sens.zdd, s->sens.acc);
  return MBD_OK;
}
