/* The nonzeros of matrices on q, and the sums of these matrices. Equations: theory.md §4.1 (4.8), (4.12). */
#include "natural/system.h"

#include <stdlib.h>
#include <string.h>

#include "natural/build.h"

static const double penalty = 1e5; /* factor of (largest entry of A)/(largest entry of Phi_q)^2 */

/* ---- sets of variables ---- */

/* Marks the variables of an argument. */
static void mark_argument(const natural *n, const mbd_arg *arg, unsigned char *mark) {
  const int bodies[2] = {arg->b, arg->a};
  int basic[NATURAL_TERMS];
  if (arg->kind == MBD_ARG_COORDINATE) {
    mark[arg->b] = 1;
    return;
  }
  if (arg->kind == MBD_ARG_ROTATION) {
    for (int i = 0; i < 8; i++) {
      if (bodies[i / 4] < 0) { continue; }
      const int q = n->basic[natural_basis(n, n->rigid_of[bodies[i / 4]], i % 4)].q;
      if (q >= 0) { memset(mark + q, 1, 3); }
    }
    return;
  }
  const int count = natural_terms(n, NULL, arg, basic, NULL);
  for (int k = 0; k < count; k++) {
    if (n->basic[basic[k]].q >= 0) { memset(mark + n->basic[basic[k]].q, 1, 3); }
  }
}

/* Lists the variables of set i, increasing; col NULL: only counts them. */
static int list_set(const natural *n, int i, unsigned char *mark, int *col) {
  int count = 0;
  memset(mark, 0, (size_t)n->nq);
  /* The sets in their order: a row of Phi_q; the basis of a rigid body, of which the ground has no variables; the
   * arguments of a force. */
  if (i < n->nphi) {
    for (int p = n->first[i]; p < n->first[i + 1]; p++) { mark[n->col[p]] = 1; }
  } else if (i < n->nphi + n->nrigid) {
    for (int k = 0; k < 4 && i > n->nphi; k++) {
      const int q = n->basic[natural_basis(n, i - n->nphi, k)].q;
      if (q >= 0) { memset(mark + q, 1, 3); }
    }
  } else {
    const mbd_lift *l = &n->m->force[i - n->nphi - n->nrigid].lift;
    for (int a = 0; a < l->narg; a++) {
      const mbd_arg arg = natural_arg_of(n, &l->arg[a]);
      mark_argument(n, &arg, mark);
    }
  }
  /* The marked variables, ascending. */
  for (int j = 0; j < n->nq; j++) {
    if (mark[j] && col) { col[count] = j; }
    count += mark[j];
  }
  return count;
}

static int sets_of(const natural *n) {
  return n->nphi + n->nrigid + n->m->nforce;
}

/* Lists the variables of each set, and counts the pairs of each; sets of forces determine the size of scratch. */
static mbd_status list_sets(natural_system *s, mbd_error *err) {
  const natural *n = s->n;
  const int sets = sets_of(n);
  unsigned char *mark = calloc((size_t)n->nq + 1, 1);
  s->set.first = calloc((size_t)sets + 1, sizeof *s->set.first);
  s->pair_from = calloc((size_t)sets + 1, sizeof *s->pair_from);
  for (int i = 0; mark && s->set.first && s->pair_from && i < sets; i++) {
    const int count = list_set(n, i, mark, NULL);
    s->set.first[i + 1] = s->set.first[i] + count;
    s->pair_from[i + 1] = s->pair_from[i] + count * count;
    if (i >= n->nphi + n->nrigid && count > s->widest) { s->widest = count; }
  }
  if (mark && s->set.first && s->pair_from) {
    s->set.col = calloc((size_t)s->set.first[sets] + 1, sizeof *s->set.col);
    s->pair = calloc((size_t)s->pair_from[sets] + 1, sizeof *s->pair);
  }
  for (int i = 0; s->set.col && i < sets; i++) { list_set(n, i, mark, s->set.col + s->set.first[i]); }
  free(mark);
  if (!s->set.col || !s->pair) { NATURAL_NO_MEMORY(err); }
  return MBD_OK;
}

/* ---- places ---- */

/* Makes every entry a place, for dense factors. */
static mbd_status fill_places(natural_system *s, mbd_error *err) {
  const int n = s->n->nq;
  s->at.first = calloc((size_t)n + 1, sizeof *s->at.first);
  s->at.col = calloc((size_t)n * (size_t)n + 1, sizeof *s->at.col);
  if (!s->at.first || !s->at.col) { NATURAL_NO_MEMORY(err); }
  for (int i = 0; i < n; i++) {
    s->at.first[i + 1] = (i + 1) * n;
    for (int j = 0; j < n; j++) { s->at.col[i * n + j] = j; }
  }
  return MBD_OK;
}

static int place_of(const natural_system *s, int i, int j) {
  return s->sparse ? mbd_sparse_place(s->sparse, i, j) : i * s->n->nq + j;
}

static void find_pairs(natural_system *s) {
  for (int i = 0; i < sets_of(s->n); i++) {
    const int *col = s->set.col + s->set.first[i], count = s->set.first[i + 1] - s->set.first[i];
    int *pair = s->pair + s->pair_from[i];
    for (int a = 0; a < count; a++) {
      for (int b = 0; b < count; b++) { *pair++ = place_of(s, col[a], col[b]); }
    }
  }
}

static mbd_status create(natural_system *s, int dense, mbd_error *err) {
  MBD_TRY(list_sets(s, err));
  if (!dense && mbd_sparse_available()) {
    MBD_TRY(natural_sparse_create(s, &s->sparse, err));
    s->at = mbd_sparse_places(s->sparse);
  } else {
    MBD_TRY(fill_places(s, err));
  }
  s->count = s->at.first[s->n->nq];
  find_pairs(s);
  const size_t scratch = (size_t)model_arg_max(s->n->m) * 3 * (size_t)s->widest;
  s->X = calloc(5 * scratch + 1, sizeof *s->X);
  if (!s->X) { NATURAL_NO_MEMORY(err); }
  s->U = s->X + scratch, s->Y = s->U + scratch, s->G = s->Y + scratch, s->D = s->G + scratch;
  return MBD_OK;
}

mbd_status natural_system_create(const natural *n, natural_system **out, mbd_error *err) {
  return natural_system_create_as(n, 0, out, err);
}

mbd_status natural_system_create_as(const natural *n, int dense, natural_system **out, mbd_error *err) {
  natural_system *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) { NATURAL_NO_MEMORY(err); }
  s->n = n;
  const mbd_status status = create(s, dense, err);
  if (status != MBD_OK) { natural_system_destroy(s); }
  *out = status == MBD_OK ? s : NULL;
  return status;
}

void natural_system_destroy(natural_system *s) {
  if (!s) { return; }
  if (!s->sparse) { free(s->at.first), free(s->at.col); }
  mbd_sparse_destroy(s->sparse);
  free(s->set.first), free(s->set.col), free(s->pair_from), free(s->pair), free(s->X);
  free(s);
}

/* ---- sums ---- */

void natural_mark_mass(const natural_system *s, unsigned char *mark) {
  const natural *n = s->n;
  for (int j = 0; j < n->nq; j++) { mark[place_of(s, j, j)] = 1; }
  for (int r = 1; r < n->nrigid; r++) {
    for (int i = 0; i < 16; i++) {
      const int to = n->basic[natural_basis(n, r, i / 4)].q, from = n->basic[natural_basis(n, r, i % 4)].q;
      for (int k = 0; k < 3 && to >= 0 && from >= 0; k++) { mark[place_of(s, to + k, from + k)] = 1; }
    }
  }
}

void natural_add_mass(const natural_system *s, const natural_params *v, mbd_real c, mbd_real *A) {
  const natural *n = s->n;
  for (int r = 1; r < n->nrigid; r++) {
    for (int i = 0; i < 16; i++) {
      const int to = n->basic[natural_basis(n, r, i / 4)].q, from = n->basic[natural_basis(n, r, i % 4)].q;
      for (int k = 0; k < 3 && to >= 0 && from >= 0; k++) { A[place_of(s, to + k, from + k)] += c * v->mass[r][i]; }
    }
  }
  for (int i = 0; i < n->m->nrotor; i++) {
    int q;
    const mbd_real J = natural_rotor(v, i, &q);
    A[place_of(s, q, q)] += c * J;
  }
}

void natural_pack(const natural_system *s, const mbd_real *A, mbd_packed *out) {
  int count = 0;
  for (int i = 0; i < s->n->nq; i++) {
    out->first[i] = count;
    for (int p = s->at.first[i]; p < s->at.first[i + 1]; p++) {
      if (mbd_any(A[p] != 0)) { out->col[count] = s->at.col[p], out->val[count++] = A[p]; }
    }
  }
  out->first[s->n->nq] = count;
}

void natural_add_squares(const natural_system *s, mbd_real alpha, const double *weight, const mbd_real *Phi_q,
                         mbd_real *A) {
  const natural *n = s->n;
  for (int r = 0; r < n->nphi; r++) {
    const int count = n->first[r + 1] - n->first[r], *pair = s->pair + s->pair_from[r];
    const mbd_real *row = Phi_q + n->first[r], penalty_of_row = weight ? alpha * weight[r] : alpha;
    for (int i = 0; i < count; i++) {
      const mbd_real x = penalty_of_row * row[i];
      for (int k = 0; k < count; k++) { A[pair[i * count + k]] += x * row[k]; }
    }
  }
}

double natural_penalty(int count, const mbd_real *A, int entries, const mbd_real *Phi_q) {
  const double size = mbd_norm_inf(entries, Phi_q), max = mbd_norm_inf(count, A);
  return penalty * (max > 0 ? max : 1) / (size > 0 ? size * size : 1);
}

/* ---- factors ---- */

mbd_status natural_sparse_create(const natural_system *s, mbd_sparse **out, mbd_error *err) {
  return mbd_sparse_create_gram(sets_of(s->n), s->n->nq, &s->set, out, err);
}

mbd_status natural_factors_create(const natural_system *s, mbd_factors *f, mbd_error *err) {
  const size_t n = (size_t)s->n->nq;
  *f = (mbd_factors){.n = s->n->nq};
  if (s->sparse) { return natural_sparse_create(s, &f->sparse, err); }
  f->lu = calloc(n * n + 1, sizeof *f->lu);
  f->piv = calloc(n + 1, sizeof *f->piv);
  if (!f->lu || !f->piv) { NATURAL_NO_MEMORY(err); }
  return MBD_OK;
}

void natural_factors_destroy(mbd_factors *f) {
  mbd_sparse_destroy(f->sparse);
  free(f->lu), free(f->piv);
}

mbd_status natural_factor(const natural_system *s, const mbd_real *A, mbd_factors *f) {
  memcpy(f->sparse ? mbd_sparse_values(f->sparse) : f->lu, A, (size_t)s->count * sizeof *A);
  return mbd_factors_make(f);
}

/* y += c A x */
void natural_saddle_product(void *user, int k, mbd_real c, const mbd_real *x, mbd_real *y) {
  const natural_saddle *saddle = user;
  (saddle->transposed ? mbd_packed_mulT_add : mbd_packed_mul_add)(saddle->s->n->nq, k, c, saddle->A, x, y);
}
