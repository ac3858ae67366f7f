/* The evaluation differentiated along dxi, as matrices: directions xi' = 1, eta' = c through its four problems
 * (state_space_direct.c), and with them the matrix of the step's equation, J = a - B zdd'. */
#include <stdlib.h>
#include <string.h>

#include "formulation/implicit_step.h"
#include "kinematics/sweep.h"

enum { KRYLOV_MOST = 60 }; /* products of one cycle */

/* ---- memory ---- */

static void matrix_layout(implicit_step *i, size_t n, size_t m, mbd_arena *a) {
  mbd_real **matrix[] = {&i->z, &i->zd, &i->zdd, &i->J, &i->f, &i->unit, &i->by};
  for (size_t k = 0; k < sizeof matrix / sizeof matrix[0]; k++) { *matrix[k] = mbd_arena_real(a, n * n); }
  i->lam = mbd_arena_real(a, m * n + 1);
  i->g = mbd_arena_real(a, m * n + 1);
  i->piv = mbd_arena_take(a, n * sizeof *i->piv);
}

static void krylov_layout(implicit_step *i, size_t n, size_t m, mbd_arena *a) {
  const size_t most = n < KRYLOV_MOST ? n : KRYLOV_MOST;
  mbd_gmres *q = &i->krylov;
  q->most = (int)most;
  q->v = mbd_arena_real(a, (most + 1) * n);
  q->h = mbd_arena_real(a, (most + 1) * most);
  mbd_real **rotation[] = {&q->c, &q->s, &q->g};
  for (size_t k = 0; k < sizeof rotation / sizeof rotation[0]; k++) { *rotation[k] = mbd_arena_real(a, most + 1); }
  mbd_real **vector[] = {&q->r, &q->dx, &i->b, &i->x, &i->along.z, &i->along.zd, &i->along.zdd};
  for (size_t k = 0; k < sizeof vector / sizeof vector[0]; k++) { *vector[k] = mbd_arena_real(a, n); }
  i->along.lam = mbd_arena_real(a, m + 1);
}

static void layout(implicit_step *i, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi, np = (size_t)s->np_max, npsi = (size_t)s->npsi;
  mbd_real **vector[] = {&i->eta0, &i->acc0, &i->dxi, &i->correction, &i->last};
  for (size_t k = 0; k < sizeof vector / sizeof vector[0]; k++) { *vector[k] = mbd_arena_real(a, n); }
  mbd_real **block[] = {&i->eta0p, &i->acc0p, &i->dxip};
  for (size_t k = 0; k < sizeof block / sizeof block[0]; k++) { *block[k] = mbd_arena_real(a, n * np); }
  i->mu = mbd_arena_real(a, n * npsi);
  (implicit_matrix_free(s) ? krylov_layout : matrix_layout)(i, n, m, a);
}

mbd_status implicit_create(mbd_sim *s, mbd_error *err) {
  mbd_arena a = {0};
  implicit_step *i = calloc(1, sizeof *i);
  if (!i) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for implicit steps"); }
  ss_of(s)->implicit = i;
  layout(i, s, &a);
  i->arena = (mbd_arena){.base = calloc(1, a.used + 1), .cap = a.used};
  if (!i->arena.base) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for implicit steps: %zu bytes", a.used); }
  layout(i, s, &i->arena);
  if (!implicit_matrix_free(s)) { return MBD_OK; }
  MBD_TRY(params_pull_create(s->m, &i->nobody, err));
  memset(i->nobody->wanted, 0, (size_t)s->m->ncoef);
  params_pull_want(i->nobody, i->nobody->wanted);
  return MBD_OK;
}

void implicit_destroy(implicit_step *i) {
  if (!i) { return; }
  params_pull_destroy(i->nobody);
  free(i->arena.base);
  free(i);
}

/* ---- the matrices ---- */

static void multiple_of_unit(int nf, mbd_real v, mbd_real *x) {
  memset(x, 0, (size_t)nf * (size_t)nf * sizeof *x);
  for (int f = 0; f < nf; f++) { x[f * nf + f] = v; }
}

/* K, C and the constraints' rates by z, zd */
static void linearize(mbd_sim *s) {
  sweep_motion(s->p, s->w, s->now.zd, s->now.zdd, 1);
  sweep_columns(s->p, s->w);
  dyn_jacobian(s->p, s->w, s->t, DYN_INERTIA | DYN_FORCES | DYN_OPEN, s->K, s->C, NULL);
  eq_hessian(s->p, s->w, s->eq, s->t, s->now.lam, s->K);
  if (s->m->nphi > 0) { eq_rates_z(s->p, s->w, s->eq, s->t, s->Phid_z, s->Phidd_z, s->Phidd_zd); }
}

static void rates_along(mbd_sim *s) {
  const state_space *q = ss_of(s);
  const implicit_step *i = q->implicit;
  const int n = s->m->nz, m = s->m->nphi, nf = q->kin->nf;
  const size_t rows = (size_t)m * (size_t)nf * sizeof *i->g;
  multiple_of_unit(nf, 1, i->unit);
  multiple_of_unit(nf, s->scheme.c, i->by);
  independent_solve(q->kin, nf, NULL, i->unit, i->z);
  memset(i->g, 0, rows);
  mbd_mul_add_at(m, n, nf, -1, s->Phid_z, &s->Phi_at, i->z, i->g);
  independent_solve(q->kin, nf, i->g, i->by, i->zd);
  memset(i->f, 0, (size_t)n * (size_t)nf * sizeof *i->f), memset(i->g, 0, rows);
  mbd_mul_add_at(n, n, nf, -1, s->K, &s->T0_at, i->z, i->f);
  mbd_mul_add_at(n, n, nf, -1, s->C, &s->T0_at, i->zd, i->f);
  mbd_mul_add_at(m, n, nf, -1, s->Phidd_z, &s->Phi_at, i->z, i->g);
  mbd_mul_add_at(m, n, nf, -1, s->Phidd_zd, &s->Phi_at, i->zd, i->g);
  q->ops->solve(s, q->own, nf, i->f, i->g, i->zdd, i->lam);
}

mbd_status implicit_tangent(mbd_sim *s, mbd_error *err) {
  const state_space *q = ss_of(s);
  implicit_step *i = q->implicit;
  const int nf = q->kin->nf;
  linearize(s);
  rates_along(s);
  multiple_of_unit(nf, s->scheme.a, i->J);
  for (int f = 0; f < nf; f++) {
    const mbd_real *row = i->zdd + q->kin->free[f] * nf;
    for (int k = 0; k < nf; k++) { i->J[f * nf + k] -= row[k]; }
  }
  s->stats.factorizations++;
  if (nf > 0 && mbd_lu_factor(nf, i->J, i->piv) != MBD_OK) {
    MBD_FAIL(err, MBD_SINGULAR, "the tangent matrix of the time step cannot be factored");
  }
  return MBD_OK;
}
