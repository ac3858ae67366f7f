/* The evaluation differentiated along dxi, as matrices: directions xi' = 1, eta' = c through its four problems
 * (state_space_direct.c), and with them the matrix of the step's equation, J = a - B zdd'.
 * Equations: theory.md §5.1 (5.1), theory.md §5.3 (5.6), (5.7), (5.7c). */
#include <string.h>

#include "formulation/implicit_step.h"

void implicit_rows(const mbd_sim *s, int k, const mbd_real *zd, const mbd_real *zdd, const mbd_real *v0,
                   const mbd_real *a0, mbd_real *y) {
  const independent *indep = ss_of(s)->indep;
  for (int f = 0; f < indep->nf; f++) {
    const int accelerates = implicit_accelerates(s, f);
    const mbd_real *of = (accelerates ? zdd : zd) + indep->free[f] * k, *history = (accelerates ? a0 : v0) + f * k;
    for (int c = 0; c < k; c++) { y[f * k + c] = of[c] - history[c]; }
  }
}

void implicit_add_rows(const mbd_sim *s, int k, const mbd_real *mu, mbd_real *zd, mbd_real *zdd) {
  const independent *indep = ss_of(s)->indep;
  for (int f = 0; f < indep->nf; f++) {
    mbd_real *to = (implicit_accelerates(s, f) ? zdd : zd) + indep->free[f] * k;
    for (int c = 0; c < k; c++) { to[c] += mu[f * k + c]; }
  }
}

static void multiple_of_unit(int nf, mbd_real v, mbd_real *x) {
  memset(x, 0, (size_t)nf * (size_t)nf * sizeof *x);
  for (int f = 0; f < nf; f++) { x[f * nf + f] = v; }
}

/* eta' = c in the independent rates */
static void multiple_of_rates(const independent *indep, mbd_real c, mbd_real *x) {
  memset(x, 0, (size_t)indep->nrate * (size_t)indep->nf * sizeof *x);
  for (int f = 0; f < indep->nf; f++) {
    if (indep->of_rate[f] >= 0) { x[indep->of_rate[f] * indep->nf + f] = c; }
  }
}

static mbd_status rates_along(mbd_sim *s, mbd_error *err) {
  const state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const int nf = space->indep->nf;
  const size_t rows = (size_t)space->m * (size_t)nf * sizeof *i->g;
  multiple_of_unit(nf, 1, i->unit);
  multiple_of_rates(space->indep, s->scheme.c, i->by);
  independent_solve(space->indep, nf, NULL, i->unit, i->z);
  memset(i->g, 0, rows);
  ss_subtract_slopes(s, nf, i->z, NULL, NULL, i->g);
  independent_velocities(space->indep, nf, i->g, i->by, i->zd);
  memset(i->f, 0, (size_t)space->n * (size_t)nf * sizeof *i->f), memset(i->g, 0, rows);
  ss_subtract_slopes(s, nf, i->z, i->zd, i->f, i->g);
  return space->ops->solve(s, space->ops_memory, nf, i->f, i->g, i->zdd, i->lam, err);
}

static mbd_status implicit_tangent_factor(mbd_sim *s, mbd_error *err) {
  const state_space *space = ss_of(s);
  implicit_step *i = implicit_of(s);
  const int nf = space->indep->nf;
  MBD_TRY(rates_along(s, err));
  for (int f = 0; f < nf; f++) {
    const mbd_real *row = (implicit_accelerates(s, f) ? i->zdd : i->zd) + space->indep->free[f] * nf;
    for (int k = 0; k < nf; k++) { i->J[f * nf + k] = (k == f ? implicit_factor(s, f) : 0) - row[k]; }
  }
  s->stats.factorizations++;
  if (nf > 0 && mbd_lu_factor(nf, i->J, i->piv) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the tangent matrix of the time step cannot be factored");
  }
  return MBD_OK;
}

mbd_status implicit_tangent(mbd_sim *s, mbd_error *err) {
  ss_linearize(s, 0);
  return implicit_tangent_factor(s, err);
}

mbd_status implicit_newton_tangent(mbd_sim *s, mbd_error *err) {
  ss_linearize(s, 1);
  return implicit_tangent_factor(s, err);
}
