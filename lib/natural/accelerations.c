/* Accelerations in natural coordinates: M qdd + Phi_q' lam = Q, Phidd = 0. M is singular for added coordinates and for vectors of a body
 * without inertia across them, and rows of Phi_q may be redundant, so that la/saddle.h solves the system with the
 * factors of M + alpha Phi_q' Phi_q.
 * Equations: theory.md §4.1 (4.11). */
#include <stdlib.h>
#include <string.h>

#include "la/near_singular.h"
#include "natural/build.h"
#include "natural/system.h"

typedef struct solver {
  const natural_params *v;
  natural_system *system;
  mbd_real *Phi_q, *M, *sum, *f, *g, *dx, *rg;
  mbd_factors factors;
  mbd_near_singular near_singular;
  mbd_arena arena;
} solver;

static void layout(solver *s, mbd_arena *a) {
  const natural *n = s->v->n;
  const size_t nq = (size_t)n->nq, nphi = (size_t)n->nphi;
  s->Phi_q = mbd_arena_real(a, (size_t)n->first[n->nphi] + 1);
  MBD_ARENA_REALS(a, (size_t)s->system->count + 1, &s->M, &s->sum);
  MBD_ARENA_REALS(a, nq + 1, &s->f, &s->dx);
  MBD_ARENA_REALS(a, nphi + 1, &s->g, &s->rg);
  mbd_near_singular_layout(&s->near_singular, n->nq, n->nphi, a);
}

static mbd_status factor(solver *s, double *alpha, mbd_error *err) {
  natural_add_mass(s->system, s->v, 1, s->M);
  memcpy(s->sum, s->M, (size_t)s->system->count * sizeof *s->sum);
  *alpha = natural_penalty(s->system->count, s->M, s->v->n->first[s->v->n->nphi], s->Phi_q);
  natural_add_squares(s->system, *alpha, NULL, s->Phi_q, s->sum);
  const mbd_status status = natural_factor(s->system, s->sum, &s->factors);
  if (status != MBD_OK) { MBD_FAIL(err, status, "accelerations in natural coordinates are not determined"); }
  return MBD_OK;
}

static mbd_status solve(solver *s, mbd_real t, const mbd_real *q, const mbd_real *qd, mbd_real *qdd, mbd_real *lam,
                        mbd_error *err) {
  const natural *n = s->v->n;
  double alpha;
  /* Phi_q, and the factors of M + alpha Phi_q' Phi_q. */
  natural_phi(s->v, t, q, s->g, s->Phi_q);
  MBD_TRY(factor(s, &alpha, err));
  /* The right-hand sides of (4.11): Q, and the part of -Phidd that does not depend on qdd. */
  natural_weight_add(s->v, s->f);
  natural_forces_add(s->v, t, q, qd, s->f);
  natural_phidd(s->v, t, q, qd, s->dx, s->g); /* Phidd at qdd = 0 */
  for (int i = 0; i < n->nphi; i++) { s->g[i] = -s->g[i], lam[i] = 0; }
  /* qdd and lam, corrected from the true residuals. */
  const mbd_packed Phi = {n->first, n->col, s->Phi_q, NULL}, M = natural_packed(s->system, s->M);
  natural_saddle product = {s->system, &M, 0};
  const mbd_saddle saddle = {.n = n->nq,
                             .m = n->nphi,
                             .product = natural_saddle_product,
                             .user = &product,
                             .Phi_packed = &Phi,
                             .lu = &s->factors,
                             .alpha = alpha,
                             .near_singular = &s->near_singular,
                             .what = "accelerations in natural coordinates"};
  return mbd_saddle_solve(&saddle, 1, s->f, s->g, qdd, lam, s->dx, s->rg, err);
}

mbd_status natural_accelerations(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                                 mbd_real *qdd, mbd_real *lam, mbd_error *err) {
  solver s = {.v = v};
  MBD_TRY(natural_system_create(v->n, &s.system, err));
  while (mbd_arena_pass(&s.arena)) { layout(&s, &s.arena); }
  mbd_status status = mbd_arena_check(&s.arena, "accelerations in natural coordinates", err);
  if (status == MBD_OK) { status = natural_factors_create(s.system, &s.factors, err); }
  if (status == MBD_OK) { status = solve(&s, t, q, qd, qdd, lam, err); }
  natural_factors_destroy(&s.factors);
  natural_system_destroy(s.system);
  free(s.arena.base);
  return status;
}
