/* Accelerations in natural coordinates: M qdd + Phi_q' lam = Q, Phidd = 0. M is singular where vectors of a body have no inertia across
 * them and for added coordinates, rows of Phi_q may be redundant: la/saddle.h, on the factors of M + alpha Phi_q' Phi_q. */
#include <stdlib.h>
#include <string.h>

#include "la/weak.h"
#include "natural/build.h"

static const double penalty = 1e5; /* of the largest entry of M by that of Phi_q, squared */

typedef struct solver {
  const natural_params *v;
  mbd_real *Phi_q, *f, *g, *dx, *rg, *x;
  int *first, *col; /* rows of Phi_q, then one for each rigid body with all variables of its mass matrix */
  mbd_factors factors;
  mbd_weak weak;
  mbd_arena arena;
} solver;

static size_t entries_of(const natural *n) {
  return (size_t)n->first[n->nphi] + 12 * (size_t)n->nrigid;
}

static void layout(solver *s, mbd_arena *a) {
  const natural *n = s->v->n;
  const size_t nq = (size_t)n->nq, nphi = (size_t)n->nphi;
  s->Phi_q = mbd_arena_real(a, (size_t)n->first[n->nphi] + 1);
  MBD_ARENA_REALS(a, nq + 1, &s->f, &s->dx, &s->x);
  MBD_ARENA_REALS(a, nphi + 1, &s->g, &s->rg);
  s->first = mbd_arena_take(a, (nphi + (size_t)n->nrigid + 1) * sizeof *s->first);
  s->col = mbd_arena_take(a, (entries_of(n) + 1) * sizeof *s->col);
  mbd_weak_layout(&s->weak, n->nq, n->nphi, a);
  if (mbd_sparse_available()) { return; }
  s->factors.lu = mbd_arena_real(a, nq * nq + 1);
  s->factors.piv = mbd_arena_take(a, (nq + 1) * sizeof *s->factors.piv);
}

/* ---- the matrix ---- */

static void list_columns(solver *s) {
  const natural *n = s->v->n;
  int row = n->nphi, at = n->first[n->nphi];
  memcpy(s->first, n->first, ((size_t)n->nphi + 1) * sizeof *s->first);
  memcpy(s->col, n->col, (size_t)at * sizeof *s->col);
  for (int r = 1; r < n->nrigid; r++) {
    for (int k = 0; k < 4; k++) {
      const int q = n->basic[natural_basis(n, r, k)].q;
      for (int i = 0; i < 3 && q >= 0; i++) { s->col[at++] = q + i; }
    }
    s->first[++row] = at;
  }
}

static void add_entry(const solver *s, int i, int j, mbd_real value) {
  const mbd_factors *f = &s->factors;
  if (f->sparse) {
    mbd_sparse_values(f->sparse)[mbd_sparse_place(f->sparse, i, j)] += value;
  } else {
    f->lu[(size_t)i * (size_t)f->n + (size_t)j] += value;
  }
}

/* alpha Phi_q' Phi_q */
static void add_squares(const solver *s, double alpha) {
  const natural *n = s->v->n;
  for (int r = 0; r < n->nphi; r++) {
    for (int p = n->first[r]; p < n->first[r + 1]; p++) {
      for (int k = n->first[r]; k < n->first[r + 1]; k++) {
        add_entry(s, n->col[p], n->col[k], alpha * s->Phi_q[p] * s->Phi_q[k]);
      }
    }
  }
}

/* M; returns its largest entry. */
static double add_masses(const solver *s) {
  const natural *n = s->v->n;
  double most = 0;
  for (int r = 1; r < n->nrigid; r++) {
    for (int i = 0; i < 16; i++) {
      const int to = n->basic[natural_basis(n, r, i / 4)].q, from = n->basic[natural_basis(n, r, i % 4)].q;
      if (to < 0 || from < 0) { continue; }
      for (int k = 0; k < 3; k++) { add_entry(s, to + k, from + k, s->v->mass[r][i]); }
      most = fmax(most, mbd_absre(s->v->mass[r][i]));
    }
  }
  for (int i = 0; i < n->m->nrotor; i++) {
    int q;
    const mbd_real J = natural_rotor(s->v, i, &q);
    add_entry(s, q, q, J);
    most = fmax(most, mbd_absre(J));
  }
  return most > 0 ? most : 1;
}

static mbd_status factor(solver *s, double *alpha, mbd_error *err) {
  const natural *n = s->v->n;
  const double size = mbd_norm_inf(n->first[n->nphi], s->Phi_q);
  s->factors.n = n->nq;
  if (mbd_sparse_available()) {
    list_columns(s);
    const mbd_columns all = {s->first, s->col};
    MBD_TRY(mbd_sparse_create_gram(n->nphi + n->nrigid - 1, n->nq, &all, &s->factors.sparse, err));
    memset(mbd_sparse_values(s->factors.sparse), 0, (size_t)mbd_sparse_count(s->factors.sparse) * sizeof(mbd_real));
  }
  *alpha = penalty * add_masses(s) / (size > 0 ? size * size : 1);
  add_squares(s, *alpha);
  if (mbd_factors_make(&s->factors) == MBD_OK) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR, "accelerations in natural coordinates are not determined");
}

/* ---- the solution ---- */

/* y += c M x */
static void mass_product(void *user, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  const solver *s = user;
  const int n = s->v->n->nq;
  (void)k; /* one */
  for (int i = 0; i < n; i++) { s->x[i] = c * x[i]; }
  natural_mass_mul_add(s->v, s->x, y);
}

static mbd_status solve(solver *s, mbd_real t, const mbd_real *q, const mbd_real *qd, mbd_real *qdd, mbd_real *lam,
                        mbd_error *err) {
  const natural *n = s->v->n;
  double alpha;
  natural_phi(s->v, t, q, s->g, s->Phi_q);
  MBD_TRY(factor(s, &alpha, err));
  natural_weight_add(s->v, s->f);
  natural_forces_add(s->v, t, q, qd, s->f);
  natural_phidd(s->v, t, q, qd, s->dx, s->g); /* at no accelerations */
  for (int i = 0; i < n->nphi; i++) { s->g[i] = -s->g[i], lam[i] = 0; }
  const mbd_packed Phi = {n->first, n->col, s->Phi_q};
  const mbd_saddle saddle = {.n = n->nq,
                             .m = n->nphi,
                             .product = mass_product,
                             .user = s,
                             .Phi_packed = &Phi,
                             .lu = &s->factors,
                             .alpha = alpha,
                             .weak = &s->weak,
                             .what = "accelerations in natural coordinates"};
  return mbd_saddle_solve(&saddle, 1, s->f, s->g, qdd, lam, s->dx, s->rg, err);
}

mbd_status natural_accelerations(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                                 mbd_real *qdd, mbd_real *lam, mbd_error *err) {
  solver s = {.v = v};
  while (mbd_arena_pass(&s.arena)) { layout(&s, &s.arena); }
  mbd_status status = mbd_arena_check(&s.arena, "accelerations in natural coordinates", err);
  if (status == MBD_OK) { status = solve(&s, t, q, qd, qdd, lam, err); }
  mbd_sparse_destroy(s.factors.sparse);
  free(s.arena.base);
  return status;
}
