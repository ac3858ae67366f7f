/* The matrices of a time step, Phi_z and A + alpha Phi_z' Phi_z, and how they are factored. */
#include <stdlib.h>
#include <string.h>

#include "la/gram.h"
#include "formulation/matrices.h"

/* ---- dense or sparse ---- */

/* What a step with sparse matrices has beside them: Phi_z packed; where Phi_z' Phi_z is among their values, a group for
 * each constraint. */
struct sim_places {
  mbd_packed phi;
  mbd_gram *gram;
};

void sim_places_destroy(sim_places *q) {
  if (!q) { return; }
  free(q->phi.first), free(q->phi.col), free(q->phi.val);
  mbd_gram_destroy(q->gram);
  free(q);
}

static mbd_status places_allocate(const mbd_sim *s, sim_places *q, mbd_error *err) {
  size_t entries = 0;
  for (int i = 0; i < s->m->nphi; i++) { entries += (size_t)s->Phi_at.count[i]; }
  q->phi.first = calloc((size_t)s->m->nphi + 1, sizeof *q->phi.first);
  q->phi.col = calloc(entries + 1, sizeof *q->phi.col);
  q->phi.val = calloc(entries + 1, sizeof *q->phi.val);
  if (q->phi.first && q->phi.col && q->phi.val) { return MBD_OK; }
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices: %zu", entries);
}

static mbd_status group_rows(const mbd_sim *s, sim_places *q, mbd_error *err) {
  mbd_gram_group *group = calloc((size_t)s->m->nconstraint + 1, sizeof *group);
  if (!group) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of %d constraints", s->m->nconstraint); }
  for (int i = 0; i < s->m->nconstraint; i++) {
    group[i] = (mbd_gram_group){.n = s->m->constraint[i].lift.ncol, .col = s->m->constraint[i].lift.col};
  }
  const mbd_status status = mbd_gram_create(s->T_lu.sparse, s->m->nconstraint, group, &q->gram, err);
  free(group);
  return status;
}

/* Measured on linkages (bench/linkages.c), with OpenBLAS on one thread: where a dense factorization, of 2/3 n^3
 * operations, takes 1.9 times those of a sparse one (45 coordinates) steps take 1.1 times less, at 4.9 times (75)
 * 1.6 times, at 150 times (93) 2.4 times; of a single chain, whose matrix is full, 1.2 to 1.8 times slower. Below SPARSE_FROM
 * coordinates either takes no time. */
enum { SPARSE_FROM = 40 };
static const double slower = 4;

static int sparse_pays(int n, double flops) {
  return slower * flops < 2.0 / 3 * n * n * n;
}

/* Operations that sparse factors take at the least: those without fill. l_k nonzeros below the diagonal of column k, e of them
 * in all, cost sum_k 2 l_k^2 >= 2 e^2/n. */
static double least_flops(int n, const mbd_nonzeros *at) {
  double below = 0;
  for (int i = 0; i < n; i++) { below += (at->count[i] - 1) / 2.0; }
  return 2 * below * below / n;
}

static int is_dense_for_sure(const mbd_sim *s) {
  const int n = s->m->nz;
  return n < SPARSE_FROM || !mbd_sparse_available() || !sparse_pays(n, least_flops(n, &s->T0_at));
}

mbd_status sim_choose_solver(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz;
  const mbd_linear_solver wanted = s->c.linear_solver;
  s->T_lu = (mbd_factors){.n = n, .lu = s->T, .piv = s->piv_T};
  s->P_lu = (mbd_factors){.n = n, .lu = s->P, .piv = s->piv_P};
  if (wanted == MBD_LINEAR_DENSE) { return MBD_OK; }
  if (wanted == MBD_LINEAR_AUTO && is_dense_for_sure(s)) { return MBD_OK; }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->T_lu.sparse, err));
  if (wanted == MBD_LINEAR_AUTO && !sparse_pays(n, mbd_sparse_flops(s->T_lu.sparse))) {
    mbd_sparse_destroy(s->T_lu.sparse);
    s->T_lu.sparse = NULL;
    return MBD_OK;
  }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->P_lu.sparse, err));
  s->places = calloc(1, sizeof *s->places);
  if (!s->places) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices"); }
  MBD_TRY(places_allocate(s, s->places, err));
  MBD_TRY(group_rows(s, s->places, err));
  s->sparse = 1;
  s->Phi_packed = &s->places->phi;
  return MBD_OK;
}

/* ---- the constraints' matrix ---- */

void sim_phi_z(mbd_sim *s, mbd_real *phi) {
  if (s->sparse) {
    motion_phi_packed(s->w, s->eq, phi, s->Phi_packed);
  } else {
    motion_phi(s->w, s->eq, phi, s->Phi_z);
  }
}

void sim_pack_phi(mbd_sim *s) {
  if (s->sparse) { mbd_pack(s->m->nphi, s->m->nz, s->Phi_z, &s->Phi_at, s->Phi_packed); }
}

void sim_phi_mul_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (s->sparse) {
    mbd_packed_mul_add(s->m->nphi, k, c, s->Phi_packed, x, y);
  } else {
    mbd_mul_add_at(s->m->nphi, s->m->nz, k, c, s->Phi_z, k > 1 ? &s->Phi_at : NULL, x, y);
  }
}

void sim_phi_mulT_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *y, mbd_real *x) {
  if (s->sparse) {
    mbd_packed_mulT_add(s->m->nphi, k, c, s->Phi_packed, y, x);
  } else {
    mbd_mulT_add(s->m->nphi, s->m->nz, k, c, s->Phi_z, y, x);
  }
}

/* ---- factors ---- */

/* value += alpha Phi_z' Phi_z; rows that are all zero are not packed, of the others all columns are there. */
static void add_gram(const mbd_sim *s, mbd_real alpha, mbd_real *value) {
  const mbd_packed *phi = s->Phi_packed;
  for (int i = 0; i < s->m->nconstraint; i++) {
    const mbd_constraint *c = &s->m->constraint[i];
    const int first = phi->first[c->row], entries = phi->first[c->row + c->ops->nphi] - first;
    if (entries > 0) { mbd_gram_add(s->places->gram, i, alpha, entries / c->lift.ncol, phi->val + first, value); }
  }
}

mbd_status sim_factor(mbd_sim *s, const mbd_real *A, double alpha, mbd_factors *f, const char *why, mbd_error *err) {
  const int n = s->m->nz;
  if (f->sparse) {
    mbd_sparse_set(f->sparse, A);
    add_gram(s, alpha, mbd_sparse_values(f->sparse));
  } else {
    memcpy(f->lu, A, (size_t)n * (size_t)n * sizeof *A);
    motion_add_gram(s->m, s->Phi_z, alpha, f->lu);
  }
  if (mbd_factors_make(f) != MBD_OK) { MBD_FAIL(err, MBD_SINGULAR, "%s", why); }
  return MBD_OK;
}

void sim_find_factors(const mbd_sim *s, const mbd_factors *f, const mbd_nonzeros *at) {
  if (!f->sparse) { mbd_nonzeros_find(s->m->nz, s->m->nz, f->lu, at); }
}

void sim_clear(const mbd_sim *s, const mbd_nonzeros *at, mbd_real *A) {
  const int n = s->m->nz;
  if (!s->sparse) {
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    return;
  }
  for (int i = 0; i < n; i++) {
    for (int q = 0; q < at->count[i]; q++) { A[i * n + at->col[i * n + q]] = 0; }
  }
}

double sim_penalty(const mbd_sim *s, const mbd_real *A) {
  const int n = s->m->nz, m = s->m->nphi;
  return s->sparse ? mbd_saddle_penalty_packed(n, m, A, s->Phi_packed) : mbd_saddle_penalty(n, m, A, s->Phi_z);
}
