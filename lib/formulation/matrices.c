/* Memory, places and sums of the matrices of a formulation (matrices.h).
 * Equations: theory.md §3 (3.1) for Phi_z' lam, theory.md §5.1 (5.3) for sums with Phi_z' alpha Phi_z. */
#include "formulation/matrices.h"

#include <stdlib.h>
#include <string.h>

#include "la/gram.h"

/* ---- dense or sparse ---- */

/* The sparse matrices of a step have Phi_z packed and, where Phi_z' Phi_z is among their entries, a group of places for constraints that
 * follow each other with the same columns, such as those of a joint. */
struct matrix_places {
  mbd_packed phi, other_phi;
  mbd_alike alike, other_alike;
  int ngroup, *group;    /* [ngroup + 1] first constraint of each group */
  mbd_gram *gram, *half; /* of all places, and of those of a symmetric matrix */
};

static void matrix_places_destroy(matrix_places *places) {
  if (!places) { return; }
  free(places->phi.first), free(places->phi.col), free(places->phi.val);
  free(places->other_phi.first), free(places->other_phi.col), free(places->other_phi.val);
  free(places->alike.begin), free(places->other_alike.begin);
  mbd_gram_destroy(places->gram), mbd_gram_destroy(places->half);
  free(places->group);
  free(places);
}

static int packed_allocate(size_t rows, size_t entries, mbd_alike *alike, mbd_packed *packed) {
  alike->begin = calloc(2 * rows + 1, sizeof *alike->begin);
  if (!alike->begin) { return 0; }
  alike->row = alike->begin + rows + 1;
  packed->alike = alike;
  packed->first = calloc(rows + 1, sizeof *packed->first);
  packed->col = calloc(entries + 1, sizeof *packed->col);
  packed->val = calloc(entries + 1, sizeof *packed->val);
  return packed->first && packed->col && packed->val;
}

static mbd_status places_allocate(const mbd_sim *s, const matrices *q, matrix_places *places, mbd_error *err) {
  const size_t rows = (size_t)s->m->nphi;
  size_t entries = 0;
  for (size_t i = 0; i < rows; i++) { entries += (size_t)q->Phi_at.count[i]; }
  if (packed_allocate(rows, entries, &places->alike, &places->phi) &&
      packed_allocate(rows, entries, &places->other_alike, &places->other_phi)) {
    return MBD_OK;
  }
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices: %zu", entries);
}

static int same_columns(const mbd_lift *a, const mbd_lift *b) {
  return a->ncol == b->ncol && memcmp(a->col, b->col, (size_t)a->ncol * sizeof *a->col) == 0;
}

static mbd_status group_rows(const mbd_sim *s, const matrices *q, matrix_places *places, mbd_error *err) {
  const int n = s->m->nconstraint;
  mbd_gram_group *group = calloc((size_t)n + 1, sizeof *group);
  places->group = calloc((size_t)n + 1, sizeof *places->group);
  mbd_status status = group && places->group ? MBD_OK : MBD_NO_MEMORY;
  for (int i = 0; i < n && status == MBD_OK; i++) {
    const mbd_lift *lift = &s->m->constraint[i].lift;
    if (i > 0 && same_columns(lift, &s->m->constraint[i - 1].lift)) { continue; }
    group[places->ngroup] = (mbd_gram_group){.n = lift->ncol, .col = lift->col};
    places->group[places->ngroup++] = i;
  }
  if (status == MBD_OK) {
    places->group[places->ngroup] = n;
    status = mbd_gram_create(q->mass.sparse, places->ngroup, group, &places->gram, err);
    if (status == MBD_OK) { status = mbd_sparse_make_symmetric(q->mass.sparse, err); }
    if (status == MBD_OK) { status = mbd_gram_create(q->mass.sparse, places->ngroup, group, &places->half, err); }
    free(group);
    return status;
  }
  free(group);
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of %d constraints", n);
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

static int is_dense_for_sure(const mbd_sim *s, const matrices *q) {
  const int n = s->m->nz;
  return n < SPARSE_FROM || !mbd_sparse_available() || !sparse_pays(n, least_flops(n, &q->K_at));
}

/* Chooses dense or sparse factors, as the case says. */
static mbd_status choose_solver(const mbd_sim *s, matrices *q, mbd_error *err) {
  const int n = s->m->nz;
  const mbd_linear_solver wanted = s->c.linear_solver;
  if (wanted == MBD_LINEAR_DENSE) { return MBD_OK; }
  if (wanted == MBD_LINEAR_AUTO && is_dense_for_sure(s, q)) { return MBD_OK; }
  MBD_TRY(mbd_sparse_create(n, &q->K_at, &q->mass.sparse, err));
  if (wanted == MBD_LINEAR_AUTO && !sparse_pays(n, mbd_sparse_flops(q->mass.sparse))) {
    mbd_sparse_destroy(q->mass.sparse);
    q->mass.sparse = NULL;
    return MBD_OK;
  }
  q->places = calloc(1, sizeof *q->places);
  if (!q->places) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices"); }
  MBD_TRY(places_allocate(s, q, q->places, err));
  MBD_TRY(group_rows(s, q, q->places, err));
  q->sparse = 1;
  q->Phi_packed = &q->places->phi;
  return MBD_OK;
}

/* ---- memory ---- */

static void layout(matrices *q, const mbd_model *model, mbd_arena *arena) {
  const size_t n = (size_t)model->nz, m = (size_t)model->nphi;
  q->M = mbd_arena_real(arena, matrices_size(q, &q->M_at));
  mbd_weak_layout(&q->weak, (int)n, (int)m, arena);
}

static void dense_layout(matrices *q, const mbd_model *model, mbd_arena *arena) {
  const size_t n = (size_t)model->nz, m = (size_t)model->nphi;
  factors_layout(&q->mass, n, arena);
  MBD_ARENA_REALS(arena, m * n + 1, &q->Phi_z, &q->other_Phi);
}

void factors_layout(mbd_factors *f, size_t n, mbd_arena *arena) {
  f->lu = mbd_arena_real(arena, n * n);
  f->piv = mbd_arena_take(arena, n * sizeof *f->piv);
}

mbd_status matrices_create(const mbd_sim *s, matrices *q, mbd_error *err) {
  q->mass.n = s->m->nz;
  MBD_TRY(nonzeros_create(s->m, &q->M_at, &q->K_at, &q->Phi_at, err));
  MBD_TRY(choose_solver(s, q, err));
  if (q->sparse) {
    MBD_TRY(nonzeros_pack(s->m->nz, &q->M_at, err));
    MBD_TRY(nonzeros_pack(s->m->nz, &q->K_at, err));
  }
  while (mbd_arena_pass(&q->arena)) { layout(q, s->m, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "the matrices of a formulation", err));
  if (q->sparse) { return MBD_OK; }
  if (!mbd_lu_by_library(s->m->nz)) { MBD_TRY(mbd_fill_create(s->m->nz, &q->K_at, &q->fill, err)); }
  q->mass.fill = q->fill;
  while (mbd_arena_pass(&q->dense)) { dense_layout(q, s->m, &q->dense); }
  return mbd_arena_check(&q->dense, "the matrices of a formulation", err);
}

void matrices_destroy(matrices *q) {
  matrix_places_destroy(q->places);
  mbd_sparse_destroy(q->mass.sparse);
  mbd_fill_destroy(q->fill);
  nonzeros_destroy(&q->M_at), nonzeros_destroy(&q->K_at), nonzeros_destroy(&q->Phi_at);
  free(q->arena.base), free(q->dense.base);
}

mbd_status matrices_more_factors(const matrices *q, int symmetric, mbd_factors *f, mbd_error *err) {
  f->n = q->mass.n;
  f->fill = q->fill;
  if (!q->sparse) { return MBD_OK; }
  MBD_TRY(mbd_sparse_create(f->n, &q->K_at, &f->sparse, err));
  return symmetric ? mbd_sparse_make_symmetric(f->sparse, err) : mbd_sparse_make_panels(f->sparse, err);
}

/* ---- the constraints' matrix ---- */

void matrices_phi_z(mbd_sim *s, const matrices *q, mbd_real *phi) {
  if (q->sparse) {
    motion_phi_packed(s->w, s->eq, phi, q->Phi_packed);
    mbd_packed_find_alike(s->m->nphi, q->Phi_packed);
  } else {
    motion_phi(s->w, s->eq, phi, q->Phi_z);
  }
}

void matrices_phi_mul_add(const mbd_sim *s, const matrices *q, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (q->sparse) {
    mbd_packed_mul_add(s->m->nphi, k, c, q->Phi_packed, x, y);
  } else {
    mbd_mul_add_at(s->m->nphi, s->m->nz, k, c, q->Phi_z, k > 1 ? &q->Phi_at : NULL, x, y);
  }
}

void matrices_phi_mulT_add(const mbd_sim *s, const matrices *q, int k, mbd_real c, const mbd_real *y, mbd_real *x) {
  if (q->sparse) {
    mbd_packed_mulT_add(s->m->nphi, k, c, q->Phi_packed, y, x);
  } else {
    mbd_mulT_add(s->m->nphi, s->m->nz, k, c, q->Phi_z, y, x);
  }
}

void matrices_exchange_phi(matrices *q) {
  mbd_real *Phi_z = q->Phi_z;
  q->Phi_z = q->other_Phi, q->other_Phi = Phi_z;
  if (!q->sparse) { return; }
  const mbd_packed phi = q->places->phi;
  q->places->phi = q->places->other_phi, q->places->other_phi = phi;
}

/* ---- factors ---- */

/* sum += alpha Phi_z' Phi_z; rows that are all zero are not packed, of the others all columns are there. */
static void add_gram(const mbd_sim *s, const matrices *q, mbd_real alpha, mbd_sparse *sum) {
  const matrix_places *places = q->places;
  const mbd_packed *phi = q->Phi_packed;
  mbd_gram *gram = mbd_sparse_is_symmetric(sum) ? places->half : places->gram;
  mbd_real *value = mbd_sparse_values(sum);
  for (int i = 0; i < places->ngroup; i++) {
    const mbd_constraint *one = &s->m->constraint[places->group[i]],
                         *last = &s->m->constraint[places->group[i + 1] - 1];
    const int first = phi->first[one->row], entries = phi->first[last->row + last->ops->nphi] - first;
    if (entries > 0) { mbd_gram_add(gram, i, alpha, entries / one->lift.ncol, phi->val + first, value); }
  }
}

mbd_status matrices_factor(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A, double alpha,
                           mbd_factors *f, const char *why, mbd_error *err) {
  const int n = s->m->nz;
  if (f->sparse) {
    mbd_sparse_set(f->sparse, at, A);
    add_gram(s, q, alpha, f->sparse);
  } else {
    if (f->within) { /* by factors that have left all other places zero */
      mbd_fill_copy(f->fill, A, f->lu);
    } else {
      memcpy(f->lu, A, (size_t)n * (size_t)n * sizeof *A);
    }
    motion_add_gram(s->m, q->Phi_z, alpha, f->lu);
  }
  if (mbd_factors_make(f) != MBD_OK) { MBD_FAIL(err, MBD_SINGULAR, "%s", why); }
  return MBD_OK;
}

size_t matrices_size(const matrices *q, const mbd_nonzeros *at) {
  const int n = q->mass.n;
  return q->sparse ? (size_t)mbd_nonzeros_places(n, at) : (size_t)n * (size_t)n;
}

/* Sums packed matrices. The places of a row of M are among those of the tangent, both ascending. */
static void sum_packed(const matrices *q, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                       mbd_real *T) {
  for (int i = 0; i < q->mass.n; i++) {
    int p = q->M_at.first[i];
    const int end = p + q->M_at.count[i];
    for (int at = q->K_at.first[i]; at < q->K_at.first[i] + q->K_at.count[i]; at++) {
      const int there = p < end && q->M_at.col[p] == q->K_at.col[at];
      T[at] = (there ? a * q->M[p] : 0) + c * C[at] + k * K[at];
      p += there;
    }
  }
}

void matrices_sum(const matrices *q, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                  mbd_real *T) {
  const int n = q->mass.n;
  if (q->sparse) {
    sum_packed(q, a, c, C, k, K, T);
    return;
  }
  for (int i = 0; i < n * n; i++) { T[i] = a * q->M[i] + c * C[i] + k * K[i]; }
}

double matrices_penalty_iterated(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A) {
  const int n = s->m->nz, m = s->m->nphi;
  return q->sparse ? mbd_saddle_penalty_packed(n, m, A, at, q->Phi_packed) : mbd_saddle_penalty(n, m, A, q->Phi_z);
}

/* Sparse matrices are those of many loops. In a chain of them the effect of a penalty on the weakest combination of rows falls
 * with the square of the length: with the penalty of dense matrices corrections of 1000 four-bars halve what is left. A hundred times
 * that penalty takes too many digits from the accelerations at the start of these. */
static const double more_of_sparse = 10;

double matrices_penalty(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A) {
  return (q->sparse ? more_of_sparse : 1) * matrices_penalty_iterated(s, q, at, A);
}
