/* The matrices of a time step, A + alpha Phi_z' Phi_z, and how they are factored. */
#include <stdlib.h>
#include <string.h>

#include "simulate/sim.h"

/* ---- dense or sparse ---- */

/* Every entry of A by its place among the values of the sparse matrix; likewise those of Phi_z' Phi_z, for all pairs of
 * columns of each constraint. */
struct sim_gram {
  int *first; /* [nconstraint] begin of its pairs */
  int *place; /* [ncol][ncol] of every constraint */
};

void sim_gram_destroy(sim_gram *g) {
  if (!g) { return; }
  free(g->first), free(g->place);
  free(g);
}

static mbd_status gram_create(const mbd_sim *s, sim_gram **out, mbd_error *err) {
  size_t pairs = 0;
  sim_gram *g = *out = calloc(1, sizeof *g);
  for (int i = 0; i < s->eq.n; i++) { pairs += (size_t)s->eq.c[i].lift.ncol * (size_t)s->eq.c[i].lift.ncol; }
  if (g) {
    g->first = calloc((size_t)s->eq.n + 1, sizeof *g->first);
    g->place = calloc(pairs + 1, sizeof *g->place);
  }
  if (!g || !g->first || !g->place) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices"); }
  int next = 0;
  for (int i = 0; i < s->eq.n; i++) {
    const mbd_lift *l = &s->eq.c[i].lift;
    g->first[i] = next;
    for (int a = 0; a < l->ncol; a++) {
      for (int b = 0; b < l->ncol; b++) { g->place[next++] = mbd_sparse_place(s->T_lu.sparse, l->col[a], l->col[b]); }
    }
  }
  return MBD_OK;
}

/* Measured on linkages (bench/linkages.c) and chains, with OpenBLAS on one thread and KLU: a sparse factorization takes
 * FLOP_RATIO times as long per operation as a dense one, which takes n^3/3 of them; what else a step does with the
 * matrices is shorter by lists of nonzeros from SPARSE_FROM coordinates on. */
enum { SPARSE_FROM = 40 };
static const double flop_ratio = 8;

static int sparse_pays(int n, const mbd_sparse *p) {
  return n >= SPARSE_FROM && flop_ratio * mbd_sparse_flops(p) < 2.0 / 3 * n * n * n;
}

mbd_status sim_choose_solver(mbd_sim *s, mbd_error *err) {
  const int n = s->m->nz;
  s->T_lu = (mbd_factors){.n = n, .lu = s->T, .piv = s->piv_T};
  s->P_lu = (mbd_factors){.n = n, .lu = s->P, .piv = s->piv_P};
  s->dense_lu = s->T_lu;
  const mbd_linear_solver wanted = s->c.linear_solver;
  if (wanted == MBD_LINEAR_DENSE || (wanted == MBD_LINEAR_AUTO && (n < SPARSE_FROM || !mbd_sparse_available()))) {
    return MBD_OK;
  }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->T_lu.sparse, err));
  if (wanted == MBD_LINEAR_AUTO && !sparse_pays(n, s->T_lu.sparse)) {
    mbd_sparse_destroy(s->T_lu.sparse);
    s->T_lu.sparse = NULL;
    return MBD_OK;
  }
  MBD_TRY(mbd_sparse_create(n, &s->T0_at, &s->P_lu.sparse, err));
  s->sparse = 1;
  s->Phi_in = &s->Phi_at;
  return gram_create(s, &s->gram, err);
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

/* value += alpha Phi_z' Phi_z */
static void add_gram(const mbd_sim *s, double alpha, mbd_real *value) {
  const int n = s->m->nz;
  for (int i = 0; i < s->eq.n; i++) {
    const mbd_lift *l = &s->eq.c[i].lift;
    for (int r = 0; r < s->eq.c[i].ops->nphi; r++) {
      const mbd_real *row = s->Phi_z + (s->eq.c[i].row + r) * n;
      const int *place = s->gram->place + s->gram->first[i];
      for (int a = 0; a < l->ncol; a++, place += l->ncol) {
        const mbd_real v = alpha * row[l->col[a]];
        if (v == 0) { continue; }
        for (int b = 0; b < l->ncol; b++) { value[place[b]] += v * row[l->col[b]]; }
      }
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

double sim_penalty(const mbd_sim *s, const mbd_real *A) {
  return mbd_saddle_penalty_at(s->m->nz, s->m->nphi, A, s->Phi_z, s->Phi_in);
}
