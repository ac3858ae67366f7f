/* Products with the matrix of the implicit step; each product differentiates an evaluation along one direction,
 *   J x = a x - B zdd'(xi' = x, eta' = c x),      J' x = a x - by_xi - c by_eta  of  by zdd = B' x
 * in O(bodies) operations where the evaluation takes O(bodies). Where the step resolves the motion, J is nearly a, and
 * a few products suffice.
 * Equations: theory.md §5.1 (5.1) for the coordinates of theory.md §5.3 (5.6). */
#include <string.h>

#include "formulation/implicit_step.h"

static const double roughly = 1e-4; /* relative residual of a Newton correction, and contraction of its error */
static const double exact = 1e-9;   /* sensitivities with a larger relative residual are refused */

/* The coefficients are constant along this direction: only the coordinates change. */
static void times(void *user, int k, mbd_real scale, const mbd_real *x, mbd_real *y) {
  mbd_sim *s = user;
  state_space *space = ss_of(s);
  implicit_step *i = implicit_of(s);
  const int np = s->np;
  mbd_dparams *none = NULL, *const *d = s->d;
  (void)k;
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    space->sens.xi[f] = x[f];
    if (rate >= 0) { space->sens.eta[rate] = s->scheme.c * x[f]; }
  }
  s->np = 1, s->d = &none;
  const mbd_status status = ss_evaluate_sens(s, 0, &i->along, i->err);
  s->np = np, s->d = d;
  if (status != MBD_OK) { i->failed = status; }
  for (int f = 0; f < space->indep->nf; f++) {
    const mbd_real *of = implicit_accelerates(s, f) ? i->along.zdd : i->along.zd;
    y[f] += scale * (implicit_factor(s, f) * x[f] - of[space->indep->free[f]]);
  }
}

static void times_transposed(void *user, int k, mbd_real scale, const mbd_real *x, mbd_real *y) {
  mbd_sim *s = user;
  sim_adjoint *a = s->adjoint;
  state_space *space = ss_of(s);
  implicit_step *i = implicit_of(s);
  const int npsi = a->npsi;
  params_reverse **theta = a->theta;
  (void)k;
  a->npsi = 1, a->theta = &i->nobody;
  ss_clear_back(s, a);
  implicit_add_rows(s, 1, x, a->zd, a->zdd);
  const mbd_status status = ss_evaluate_back(s, a, i->err);
  a->npsi = npsi, a->theta = theta;
  if (status != MBD_OK) { i->failed = status; }
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    const mbd_real by_eta = rate >= 0 ? space->back.by_eta[rate] : 0;
    y[f] += scale * (implicit_factor(s, f) * x[f] - space->back.by_xi[f] - s->scheme.c * by_eta);
  }
}

static const mbd_gmres *implicit_krylov_prepare(mbd_sim *s, mbd_product product, mbd_error *err) {
  implicit_step *i = implicit_of(s);
  i->krylov.n = ss_of(s)->indep->nf, i->krylov.product = product, i->krylov.user = s;
  i->failed = MBD_OK, i->err = err;
  return &i->krylov;
}

mbd_status implicit_krylov_step(mbd_sim *s, mbd_real *x, mbd_error *err) {
  implicit_step *i = implicit_of(s);
  const mbd_gmres *gmres = implicit_krylov_prepare(s, times, err);
  memcpy(i->b, x, (size_t)gmres->n * sizeof *x);
  mbd_gmres_cycle(gmres, roughly, i->b, x);
  return i->failed;
}

/* x [nf][k] := A^-1 x, column by column */
static mbd_status columns(mbd_sim *s, mbd_product product, int k, mbd_real *x, const char *what, mbd_error *err) {
  implicit_step *i = implicit_of(s);
  const mbd_gmres *gmres = implicit_krylov_prepare(s, product, err);
  for (int c = 0; c < k; c++) {
    for (int f = 0; f < gmres->n; f++) { i->b[f] = x[f * k + c]; }
    const double left = mbd_gmres_solve(gmres, i->b, i->x);
    MBD_TRY(i->failed);
    if (!(left <= exact)) {
      MBD_FAIL(err, MBD_NO_CONVERGENCE,
               "%s of an implicit step are found by iteration, which stops at a residual of %.3g: a smaller step, "
               "integrator = runge_kutta_4, or formulation = matrix_r or ali3p",
               what, left);
    }
    for (int f = 0; f < gmres->n; f++) { x[f * k + c] = i->x[f]; }
  }
  return MBD_OK;
}

mbd_status implicit_krylov_sens(mbd_sim *s, mbd_error *err) {
  return columns(s, times, s->np, implicit_of(s)->dxip, "sensitivities", err);
}

mbd_status implicit_krylov_back(mbd_sim *s, const sim_adjoint *a, mbd_error *err) {
  return columns(s, times_transposed, a->npsi, implicit_of(s)->mu, "adjoint variables", err);
}
