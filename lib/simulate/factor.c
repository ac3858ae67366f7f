/* The matrices of a time step, Phi_z and A + alpha Phi_z' Phi_z, and how they are factored. */
#include <stdlib.h>
#include <string.h>

#include "simulate/sim.h"

/* ---- dense or sparse ---- */

/* What a step with sparse matrices has beside them: Phi_z packed; of Phi_z' Phi_z the places of all pairs of columns of
 * each constraint among the values of the sparse matrix. */
struct sim_places {
  mbd_packed phi;
  int *first; /* [nconstraint] begin of its pairs */
  int *pair;  /* [ncol][ncol] of every constraint */
};

void sim_places_destroy(sim_places *q) {
  if (!q) { return; }
  free(q->phi.first), free(q->phi.col), free(q->phi.val);
  free(q->first), free(q->pair);
  free(q);
}

static mbd_status places_allocate(const mbd_sim *s, sim_places *q, mbd_error *err) {
  size_t pairs = 0, entries = 0;
  for (int i = 0; i < s->eq.n; i++) {
    const size_t ncol = (size_t)s->eq.c[i].lift.ncol;
    pairs += ncol * ncol;
  }
  for (int i = 0; i < s->m->nphi; i++) { entries += (size_t)s->Phi_at.count[i]; }
  q->phi.first = calloc((size_t)s->m->nphi + 1, sizeof *q->phi.first);
  q->phi.col = calloc(entries + 1, sizeof *q->phi.col);
  q->phi.val = calloc(entries + 1, sizeof *q->phi.val);
  q->first = calloc((size_t)s->eq.n + 1, sizeof *q->first);
  q->pair = calloc(pairs + 1, sizeof *q->pair);
  if (q->phi.first && q->phi.col && q->phi.val && q->first && q->pair) { return MBD_OK; }
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices: %zu", pairs + entries);
}

static void find_pairs(const mbd_sim *s, sim_places *q) {
  int next = 0;
  for (int i = 0; i < s->eq.n; i++) {
    const mbd_lift *l = &s->eq.c[i].lift;
    q->first[i] = next;
    for (int a = 0; a < l->ncol; a++) {
      for (int b = 0; b < l->ncol; b++) { q->pair[next++] = mbd_sparse_place(s->T_lu.sparse, l->col[a], l->col[b]); }
    }
  }
}

/* Measured on linkages (bench/linkages.c), with OpenBLAS on one thread: where a dense factorization, of 2/3 n^3
 * operations, takes 1.9 times those of a sparse one (45 coordinates) steps take the same time, at 4.9 times (75) sparse ones
 * are 1.2 times faster, at 150 times (93) 2.1 times. Below SPARSE_FROM coordinates either takes no time. */
enum { SPARSE_FROM = 40 };
static const double slower = 4;

static int sparse_pays(int n, const mbd_sparse *p) {
  return slower * mbd_sparse_flops(p) < 2.0 / 3 * n * n * n;
}

mbd_status sim_choose_solver(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz;
  const mbd_linear_solver wanted = s->c.linear_solver;
  s->T_lu = (mbd_factors){.n = n, .lu = s->T, .piv = s->piv_T};
  s->P_lu = (mbd_factors){.n = n, .lu = s->P, .piv = s->piv_P};
  s->dense_lu = s->T_lu;
  if (wanted == MBD_LINEAR_DENSE) { return MBD_OK; }
  if (wanted == MBD_LINEAR_AUTO && (n < SPARSE_FROM || !mbd_sparse_available())) { return MBD_OK; }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->T_lu.sparse, err));
  if (wanted == MBD_LINEAR_AUTO && !sparse_pays(n, s->T_lu.sparse)) {
    mbd_sparse_destroy(s->T_lu.sparse);
    s->T_lu.sparse = NULL;
    return MBD_OK;
  }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->P_lu.sparse, err));
  s->places = calloc(1, sizeof *s->places);
  if (!s->places) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices"); }
  MBD_TRY(places_allocate(s, s->places, err));
  find_pairs(s, s->places);
  s->sparse = 1;
  s->Phi_packed = &s->places->phi;
  return MBD_OK;
}

/* ---- the constraints' matrix ---- */

void sim_phi_z(mbd_sim *s, mbd_real *phi) {
  eq_phi_z_places(s->p, s->w, s->eq, s->t, phi, s->Phi_z);
  sim_pack_phi(s);
}

void sim_pack_phi(mbd_sim *s) {
  if (s->sparse) { mbd_pack(s->m->nphi, s->m->nz, s->Phi_z, &s->Phi_at, s->Phi_packed); }
}

void sim_phi_mul_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (s->sparse) {
    mbd_packed_mul_add(s->m->nphi, k, c, s->Phi_packed, x, y);
  } else {
    mbd_mul_add(s->m->nphi, s->m->nz, k, c, s->Phi_z, x, y);
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

/* Values of A at the places of the sparse matrix. */
static void put_values(const mbd_sim *s, const mbd_real *A, mbd_real *value) {
  const int n = s->m->nz;
  for (int i = 0; i < n; i++) {
    const int *col = s->T0_at.col + i * n;
    for (int q = 0; q < s->T0_at.count[i]; q++) { *value++ = A[i * n + col[q]]; }
  }
}

/* value += alpha x x' for the row x [n] of a constraint, at its pairs of columns */
static void add_square(int n, mbd_real alpha, const mbd_real *restrict x, const int *restrict pair,
                       mbd_real *restrict value) {
  for (int a = 0; a < n; a++) {
    const mbd_real v = alpha * x[a];
    for (int b = 0; b < n; b++) { value[pair[a * n + b]] += v * x[b]; }
  }
}

/* value += alpha Phi_z' Phi_z */
static void add_gram(const mbd_sim *s, mbd_real alpha, mbd_real *value) {
  const mbd_packed *phi = s->Phi_packed;
  for (int i = 0; i < s->eq.n; i++) {
    const mbd_constraint *c = &s->eq.c[i];
    for (int row = c->row; row < c->row + c->ops->nphi; row++) {
      if (phi->first[row + 1] == phi->first[row]) { continue; } /* all zero: the columns of packed rows are all there */
      add_square(c->lift.ncol, alpha, phi->val + phi->first[row], s->places->pair + s->places->first[i], value);
    }
  }
}

mbd_status sim_factor(mbd_sim *s, const mbd_real *A, double alpha, mbd_factors *f, const char *why, mbd_error *err) {
  const int n = s->m->nz;
  if (f->sparse) {
    put_values(s, A, mbd_sparse_values(f->sparse));
    add_gram(s, alpha, mbd_sparse_values(f->sparse));
  } else {
    memcpy(f->lu, A, (size_t)n * (size_t)n * sizeof *A);
    eq_add_gram(s->m, s->eq, s->Phi_z, alpha, f->lu);
  }
  if (mbd_factors_make(f) != MBD_OK) { MBD_FAIL(err, MBD_SINGULAR, "%s", why); }
  return MBD_OK;
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
