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

/* Makes both Phi_z, with this number of entries. */
static mbd_status places_allocate(matrices *system, size_t entries, mbd_error *err) {
  const size_t rows = (size_t)system->m;
  matrix_places *places = system->places = calloc(1, sizeof *places);
  if (!places) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices"); }
  system->packed = 1, system->Phi_packed = &places->phi;
  if (packed_allocate(rows, entries, &places->alike, &places->phi) &&
      packed_allocate(rows, entries, &places->other_alike, &places->other_phi)) {
    return MBD_OK;
  }
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the places of sparse matrices: %zu", entries);
}

static int same_columns(const mbd_lift *a, const mbd_lift *b) {
  return a->ncol == b->ncol && memcmp(a->col, b->col, (size_t)a->ncol * sizeof *a->col) == 0;
}

static mbd_status group_rows(const mbd_sim *s, const matrices *system, matrix_places *places, mbd_error *err) {
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
    status = mbd_gram_create(system->mass.sparse, places->ngroup, group, &places->gram, err);
    if (status == MBD_OK) { status = mbd_sparse_make_symmetric(system->mass.sparse, err); }
    if (status == MBD_OK) { status = mbd_gram_create(system->mass.sparse, places->ngroup, group, &places->half, err); }
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
static double min_flops(int n, const mbd_nonzeros *at) {
  double below = 0;
  for (int i = 0; i < n; i++) { below += (at->count[i] - 1) / 2.0; }
  return 2 * below * below / n;
}

static int is_dense_for_sure(const mbd_sim *s, const matrices *system) {
  const int n = s->m->nz;
  return n < SPARSE_FROM || !mbd_sparse_available() || !sparse_pays(n, min_flops(n, &system->K_at));
}

/* Chooses dense or sparse factors, as the case says. */
static mbd_status choose_solver(const mbd_sim *s, matrices *system, mbd_error *err) {
  const int n = s->m->nz;
  const mbd_linear_solver requested = s->c.linear_solver;
  if (requested == MBD_LINEAR_DENSE) { return MBD_OK; }
  if (requested == MBD_LINEAR_AUTO && is_dense_for_sure(s, system)) { return MBD_OK; }
  MBD_TRY(mbd_sparse_create(n, &system->K_at, &system->mass.sparse, err));
  if (requested == MBD_LINEAR_AUTO && !sparse_pays(n, mbd_sparse_flops(system->mass.sparse))) {
    mbd_sparse_destroy(system->mass.sparse);
    system->mass.sparse = NULL;
    return MBD_OK;
  }
  MBD_TRY(places_allocate(system, (size_t)mbd_nonzeros_places(system->m, &system->Phi_at), err));
  system->sparse = 1;
  return group_rows(s, system, system->places, err);
}

/* ---- memory ---- */

static void matrices_layout(matrices *system, mbd_arena *arena) {
  system->M = mbd_arena_real(arena, matrices_size(system, &system->M_at));
  mbd_near_singular_layout(&system->near_singular, system->n, system->m, arena);
}

static void dense_layout(matrices *system, mbd_arena *arena) {
  factors_layout(&system->mass, (size_t)system->n, arena);
  MBD_ARENA_REALS(arena, (size_t)system->m * (size_t)system->n + 1, &system->Phi_z, &system->other_Phi);
}

void factors_layout(mbd_factors *f, size_t n, mbd_arena *arena) {
  f->lu = mbd_arena_real(arena, n * n);
  f->piv = mbd_arena_take(arena, n * sizeof *f->piv);
}

mbd_status matrices_create(const mbd_sim *s, matrices *system, mbd_error *err) {
  system->mass.n = system->n = s->m->nz, system->m = s->m->nphi;
  MBD_TRY(nonzeros_create(s->m, &system->M_at, &system->K_at, &system->Phi_at, err));
  MBD_TRY(choose_solver(s, system, err));
  if (system->sparse) {
    MBD_TRY(nonzeros_pack(s->m->nz, &system->M_at, err));
    MBD_TRY(nonzeros_pack(s->m->nz, &system->K_at, err));
  }
  while (mbd_arena_pass(&system->arena)) { matrices_layout(system, &system->arena); }
  MBD_TRY(mbd_arena_check(&system->arena, "the matrices of a formulation", err));
  if (system->sparse) { return MBD_OK; }
  if (!mbd_lu_by_library(s->m->nz)) { MBD_TRY(mbd_fill_create(s->m->nz, &system->K_at, &system->fill, err)); }
  system->mass.fill = system->fill;
  while (mbd_arena_pass(&system->dense)) { dense_layout(system, &system->dense); }
  return mbd_arena_check(&system->dense, "the matrices of a formulation", err);
}

/* Marks the places of M, and the diagonal. */
static mbd_status list_natural_mass(const natural_system *system, mbd_nonzeros *at, mbd_error *err) {
  unsigned char *mark = calloc((size_t)system->count + 1, 1);
  if (!mark) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  natural_mark_mass(system, mark);
  const mbd_status status = nonzeros_of(system->n->nq, &system->at, mark, at, err);
  free(mark);
  return status;
}

mbd_status matrices_create_natural(const natural_system *system, matrices *forms, mbd_error *err) {
  const natural *n = system->n;
  forms->n = forms->mass.n = n->nq, forms->m = n->nphi;
  forms->natural = system, forms->sparse = system->sparse != NULL;
  MBD_TRY(nonzeros_of(n->nq, &system->at, NULL, &forms->K_at, err));
  MBD_TRY(list_natural_mass(system, &forms->M_at, err));
  MBD_TRY(places_allocate(forms, (size_t)n->first[n->nphi], err));
  mbd_packed *const phi[2] = {&forms->places->phi, &forms->places->other_phi};
  for (int i = 0; i < 2; i++) {
    memcpy(phi[i]->first, n->first, ((size_t)n->nphi + 1) * sizeof *n->first);
    memcpy(phi[i]->col, n->col, (size_t)n->first[n->nphi] * sizeof *n->col);
    phi[i]->alike = NULL;
  }
  while (mbd_arena_pass(&forms->arena)) { matrices_layout(forms, &forms->arena); }
  MBD_TRY(mbd_arena_check(&forms->arena, "the matrices of a formulation", err));
  if (forms->sparse) { return natural_sparse_create(system, &forms->mass.sparse, err); }
  while (mbd_arena_pass(&forms->dense)) { factors_layout(&forms->mass, (size_t)forms->n, &forms->dense); }
  return mbd_arena_check(&forms->dense, "the matrices of a formulation", err);
}

void matrices_destroy(matrices *system) {
  matrix_places_destroy(system->places);
  mbd_sparse_destroy(system->mass.sparse);
  mbd_fill_destroy(system->fill);
  nonzeros_destroy(&system->M_at), nonzeros_destroy(&system->K_at), nonzeros_destroy(&system->Phi_at);
  free(system->arena.base), free(system->dense.base);
}

mbd_status matrices_more_factors(const matrices *system, int symmetric, mbd_factors *f, mbd_error *err) {
  f->n = system->mass.n;
  f->fill = system->fill;
  if (!system->sparse) { return MBD_OK; }
  if (system->natural) { return natural_sparse_create(system->natural, &f->sparse, err); }
  MBD_TRY(mbd_sparse_create(f->n, &system->K_at, &f->sparse, err));
  return symmetric ? mbd_sparse_make_symmetric(f->sparse, err) : mbd_sparse_make_panels(f->sparse, err);
}

/* ---- the constraints' matrix ---- */

void matrices_leave_out(const mbd_sim *s, const mbd_packed *phi) {
  for (int i = 0; s->nleft_out > 0 && i < s->m->nvelocity_row; i++) {
    const int from = phi->first[s->velocity_row + i], to = phi->first[s->velocity_row + i + 1];
    for (int k = from; s->left_out[i] && k < to; k++) { phi->val[k] = 0; }
  }
}

void matrices_phi_z(mbd_sim *s, const matrices *system, mbd_real *phi) {
  if (system->sparse) {
    motion_phi_packed(s->w, s->eq, phi, system->Phi_packed);
    matrices_leave_out(s, system->Phi_packed);
    mbd_packed_find_alike(s->m->nphi, system->Phi_packed);
  } else {
    motion_phi(s->w, s->eq, phi, system->Phi_z);
    sim_leave_out(s, s->m->nz, system->Phi_z);
  }
}

void matrices_phi_mul_add(const matrices *system, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  if (system->packed) {
    mbd_packed_mul_add(system->m, k, c, system->Phi_packed, x, y);
  } else {
    mbd_mul_add_at(system->m, system->n, k, c, system->Phi_z, k > 1 ? &system->Phi_at : NULL, x, y);
  }
}

void matrices_phi_mulT_add(const matrices *system, int k, mbd_real c, const mbd_real *y, mbd_real *x) {
  if (system->packed) {
    mbd_packed_mulT_add(system->m, k, c, system->Phi_packed, y, x);
  } else {
    mbd_mulT_add(system->m, system->n, k, c, system->Phi_z, y, x);
  }
}

void matrices_exchange_phi(matrices *system) {
  mbd_real *Phi_z = system->Phi_z;
  system->Phi_z = system->other_Phi, system->other_Phi = Phi_z;
  if (!system->packed) { return; }
  const mbd_packed phi = system->places->phi;
  system->places->phi = system->places->other_phi, system->places->other_phi = phi;
}

/* ---- factors ---- */

/* sum += alpha Phi_z' W Phi_z; rows that are all zero are not packed, of the others all columns are there. */
static void add_gram(const mbd_sim *s, const matrices *system, mbd_real alpha, const double *weight, mbd_sparse *sum) {
  const matrix_places *places = system->places;
  if (system->natural) {
    natural_add_squares(system->natural, alpha, weight, system->Phi_packed->val, mbd_sparse_values(sum));
    return;
  }
  const mbd_packed *phi = system->Phi_packed;
  mbd_gram *gram = mbd_sparse_is_symmetric(sum) ? places->half : places->gram;
  mbd_real *value = mbd_sparse_values(sum);
  for (int i = 0; i < places->ngroup; i++) {
    const mbd_constraint *one = &s->m->constraint[places->group[i]],
                         *last = &s->m->constraint[places->group[i + 1] - 1];
    const int end = last->row + last->ops->nphi, first = phi->first[one->row], entries = phi->first[end] - first;
    for (int r = one->row; weight && r < end; r++) {
      if (phi->first[r + 1] == phi->first[r]) { continue; }
      mbd_gram_add(gram, i, alpha * weight[r], 1, phi->val + phi->first[r], value);
    }
    if (!weight && entries > 0) { mbd_gram_add(gram, i, alpha, entries / one->lift.ncol, phi->val + first, value); }
  }
}

/* lu := A + alpha Phi_z' W Phi_z for dense factors. */
static void sum_dense(const mbd_sim *s, const matrices *system, const mbd_nonzeros *at, const mbd_real *A, double alpha,
                      const double *weight, mbd_factors *f) {
  const size_t size = (size_t)system->n * (size_t)system->n * sizeof *A;
  if (system->natural) {
    memset(f->lu, 0, size);
    for (int i = 0, p = 0; i < system->n; i++) {
      for (int k = 0; k < at->count[i]; k++, p++) { f->lu[i * system->n + at->col[p]] = A[p]; }
    }
    natural_add_squares(system->natural, alpha, weight, system->Phi_packed->val, f->lu);
    return;
  }
  if (f->within) { /* by factors that have left all other places zero */
    mbd_fill_copy(f->fill, A, f->lu);
  } else {
    memcpy(f->lu, A, size);
  }
  motion_add_gram(s->m, system->Phi_z, alpha, weight, f->lu);
}

mbd_status matrices_factor(const mbd_sim *s, const matrices *system, const mbd_nonzeros *at, const mbd_real *A,
                           double alpha, const double *weight, mbd_factors *f, const char *why, mbd_error *err) {
  if (f->sparse) {
    mbd_sparse_set(f->sparse, at, A);
    add_gram(s, system, alpha, weight, f->sparse);
  } else {
    sum_dense(s, system, at, A, alpha, weight, f);
  }
  if (mbd_factors_make(f) != MBD_OK) { MBD_FAIL(err, MBD_SINGULAR, "%s", why); }
  return MBD_OK;
}

size_t matrices_size(const matrices *system, const mbd_nonzeros *at) {
  const int n = system->mass.n;
  return system->packed ? (size_t)mbd_nonzeros_places(n, at) : (size_t)n * (size_t)n;
}

/* The places of a row of M are among those of the tangent, both ascending. */
void matrices_take_mass(const matrices *system, const mbd_real *at_K) {
  for (int i = 0; i < system->n; i++) {
    int from = system->K_at.first[i];
    for (int p = system->M_at.first[i]; p < system->M_at.first[i] + system->M_at.count[i]; p++) {
      while (system->K_at.col[from] != system->M_at.col[p]) { from++; }
      system->M[p] = at_K[from];
    }
  }
}

/* Sums packed matrices. The places of a row of M are among those of the tangent, both ascending. */
static void sum_packed(const matrices *system, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                       mbd_real *T) {
  for (int i = 0; i < system->mass.n; i++) {
    int p = system->M_at.first[i];
    const int end = p + system->M_at.count[i];
    for (int at = system->K_at.first[i]; at < system->K_at.first[i] + system->K_at.count[i]; at++) {
      const int there = p < end && system->M_at.col[p] == system->K_at.col[at];
      T[at] = (there ? a * system->M[p] : 0) + c * C[at] + k * K[at];
      p += there;
    }
  }
}

void matrices_sum(const matrices *system, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                  mbd_real *T) {
  const int n = system->mass.n;
  if (system->packed) {
    sum_packed(system, a, c, C, k, K, T);
    return;
  }
  for (int i = 0; i < n * n; i++) { T[i] = a * system->M[i] + c * C[i] + k * K[i]; }
}

double matrices_penalty_iterated(const matrices *system, const mbd_nonzeros *at, const mbd_real *A) {
  if (system->natural) {
    return natural_penalty(mbd_nonzeros_places(system->n, at), A, system->Phi_packed->first[system->m],
                           system->Phi_packed->val);
  }
  return system->packed ? mbd_saddle_penalty_packed(system->n, system->m, A, at, system->Phi_packed)
                        : mbd_saddle_penalty(system->n, system->m, A, system->Phi_z);
}

/* Packed matrices on joint coordinates are those of many loops. In a chain of them the effect of a penalty on the weakest combination of
 * rows falls with the square of the length: with the penalty of dense matrices corrections of 1000 four-bars halve what is left. A hundred
 * times that penalty takes too many digits from the accelerations at the start of these. */
static const double more_of_sparse = 10;

double matrices_penalty(const matrices *system, const mbd_nonzeros *at, const mbd_real *A) {
  return (system->packed && !system->natural ? more_of_sparse : 1) * matrices_penalty_iterated(system, at, A);
}
