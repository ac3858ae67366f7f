/* Independent coordinates among natural ones (natural_matrix_r.h): those that complete pivoting of Phi_q leaves over, with sparse factors of
 * the rows and columns of its pivots.
 * During a run one after another is exchanged as soon as R has an entry above max_R: what turns, a vector of a wheel, would else come to
 * where it does not determine the others.
 * Equations: theory.md §5.3 (5.6), (5.7a). */
#include <stdlib.h>
#include <string.h>

#include "formulation/natural_matrix_r.h"
#include "la/dense.h"
#include "model/state.h"

enum { PLACE_ITERATIONS = 30 };

static const double rank_tolerance = 1e-9; /* of the largest entry of Phi_q */
static const double nearly_there = 1e-9; /* a correction on factors of its own after which the next would be rounding */
static const double rounding = 1e-16;  /* what corrections on older factors are to leave, by their contraction so far */
static const double slow = 0.1;        /* contraction above which the factors are renewed */
static const double max_R = 1.1;       /* entry of R from which on another coordinate is the better independent one */
static const double poor_pivot = 1e-3; /* of its row: another order of pivots is looked for */
static const double no_pivot = 1e-9;   /* of its row: the position is singular */
static const size_t max_entries = (size_t)1 << 27;

static natural_independent *of(independent *indep) {
  return (natural_independent *)indep;
}

/* ---- memory ---- */

static void natural_independent_layout(natural_independent *indep, mbd_arena *a) {
  const natural *n = indep->of->n;
  const size_t nq = (size_t)n->nq + 1, m = (size_t)n->nphi + 1, nf = (size_t)indep->max_free + 1,
               k = (size_t)indep->kmax;
  indep->base.free = mbd_arena_take(a, nq * sizeof *indep->base.free);
  indep->base.index = mbd_arena_take(a, nq * sizeof *indep->base.index);
  indep->base.each = mbd_arena_take(a, nq * sizeof *indep->base.each);
  for (int i = 0; i < 3; i++) {
    indep->row[i] = mbd_arena_take(a, m * sizeof *indep->row[i]);
    indep->col[i] = mbd_arena_take(a, nq * sizeof *indep->col[i]);
  }
  indep->phi = mbd_arena_real(a, m);
  indep->Phi_q = mbd_arena_real(a, (size_t)n->first[n->nphi] + 1);
  MBD_ARENA_REALS(a, nq * nf, &indep->R, &indep->R_next);
  indep->who = mbd_arena_take(a, nf * sizeof *indep->who);
  indep->unit = mbd_arena_real(a, nf * nf);
  indep->x = mbd_arena_real(a, nq * k);
  indep->b = mbd_arena_real(a, m * k);
}

static void natural_independent_destroy(independent *base) {
  natural_independent *indep = of(base);
  free(indep->rank_arena.base);
  free(indep->arena.base);
  free(indep);
}

static mbd_packed rows_of(const natural_independent *indep) {
  return (mbd_packed){indep->of->n->first, indep->of->n->col, indep->Phi_q, NULL};
}

/* ---- systems ---- */

/* x_i = xi, A x_d = b - Phi_i xi in the rows that have pivots. */
static void natural_independent_solve(independent *base, int k, const mbd_real *b, const mbd_real *xi, mbd_real *x) {
  natural_independent *indep = of(base);
  const mbd_packed J = rows_of(indep);
  const int n = indep->of->n->nq, m = indep->of->n->nphi;
  const size_t rows = (size_t)m * (size_t)k * sizeof *indep->b;
  memset(x, 0, (size_t)n * (size_t)k * sizeof *x);
  if (xi) { independent_add(base, k, xi, x); }
  if (b) {
    memcpy(indep->b, b, rows);
  } else {
    memset(indep->b, 0, rows);
  }
  if (xi) { mbd_packed_mul_add(m, k, -1, &J, x, indep->b); }
  mbd_pivots_solve(&indep->lu, k, indep->b, x);
}

/* b = A'^-1 x_d, xi = x_i - Phi_i' b */
static void solve_T(independent *base, int k, const mbd_real *x, mbd_real *b, mbd_real *xi) {
  natural_independent *indep = of(base);
  const mbd_packed J = rows_of(indep);
  const int n = indep->of->n->nq, m = indep->of->n->nphi;
  mbd_real *const y = b ? b : indep->b;
  memset(y, 0, (size_t)m * (size_t)k * sizeof *y);
  mbd_pivots_solve_T(&indep->lu, k, x, y);
  memcpy(indep->x, x, (size_t)n * (size_t)k * sizeof *x);
  mbd_packed_mulT_add(m, k, -1, &J, y, indep->x);
  independent_read(base, k, indep->x, xi);
}

const mbd_real *natural_independent_R(natural_independent *indep) {
  const int nf = indep->base.nf;
  if (indep->R_there) { return indep->R; }
  memset(indep->unit, 0, (size_t)nf * (size_t)nf * sizeof *indep->unit);
  for (int f = 0; f < nf; f++) { indep->unit[f * nf + f] = 1; }
  if (nf > 0) { natural_independent_solve(&indep->base, nf, NULL, indep->unit, indep->R); }
  indep->R_there = 1;
  return indep->R;
}

/* ---- factors ---- */

static mbd_status natural_independent_singular(mbd_error *err) {
  MBD_FAIL(err, MBD_SINGULAR,
           "the constraints in natural coordinates lose their rank: the mechanism is at a singular position, a dead "
           "point, which independent coordinates cannot pass (formulation = ali3p can, unless the mechanism locks "
           "there)");
}

/* Takes the pivots row, col [rank], in an order with little fill if there is one, and else in theirs. 0: no room; the pivots are those that
 * they were. */
static int take_pivots(natural_independent *indep, int rank, const int *row, const int *col) {
  const natural *n = indep->of->n;
  const mbd_packed J = rows_of(indep);
  const double smallest = rank_tolerance * mbd_norm_inf(n->first[n->nphi], indep->Phi_q);
  const int before = indep->lu.rank;
  memcpy(indep->row[1], indep->lu.row, (size_t)before * sizeof *row),
      memcpy(indep->col[1], indep->lu.col, (size_t)before * sizeof *col);
  const int found =
      mbd_rank_order(&indep->rank, n->nphi, n->nq, &J, smallest, rank, row, col, indep->row[2], indep->col[2]);
  if (mbd_pivots_set(&indep->lu, n->nq, &J, rank, found ? indep->row[2] : row, found ? indep->col[2] : col)) {
    return 1;
  }
  mbd_pivots_set(&indep->lu, n->nq, &J, before, indep->row[1], indep->col[1]);
  return 0;
}

/* Factors Phi_q. If pivots have become poor since they were chosen, they are chosen in another order. */
static mbd_status factor_here(natural_independent *indep, mbd_sim *s, mbd_error *err) {
  const mbd_packed J = rows_of(indep);
  indep->R_there = 0;
  s->stats.factorizations++;
  double min = mbd_pivots_factor(&indep->lu, &J);
  if (min < poor_pivot) {
    memcpy(indep->row[0], indep->lu.row, (size_t)indep->lu.rank * sizeof *indep->row[0]);
    memcpy(indep->col[0], indep->lu.col, (size_t)indep->lu.rank * sizeof *indep->col[0]);
    take_pivots(indep, indep->lu.rank, indep->row[0], indep->col[0]);
    min = mbd_pivots_factor(&indep->lu, &J);
  }
  return min > no_pivot ? MBD_OK : natural_independent_singular(err);
}

/* Evaluates Phi and Phi_q, in which the rows A of velocity constraints become zero, and A itself. */
static void evaluate_rows(natural_independent *indep, mbd_sim *s, const mbd_real *z) {
  const natural *n = indep->of->n;
  independent_velocity *v = indep->base.velocity;
  natural_phi(indep->of->v, s->t, z, indep->phi, indep->Phi_q);
  if (v) { memset(v->At, 0, (size_t)v->n * (size_t)v->nrow * sizeof *v->At); }
  for (int r = s->velocity_row; r < n->nphi; r++) {
    for (int k = n->first[r]; k < n->first[r + 1]; k++) {
      if (v) { v->At[n->col[k] * v->nrow + r - v->first_row] = indep->Phi_q[k]; }
      indep->Phi_q[k] = 0;
    }
  }
}

static mbd_status factor_at(natural_independent *indep, mbd_sim *s, const mbd_real *z, mbd_error *err) {
  evaluate_rows(indep, s, z);
  return factor_here(indep, s, err);
}

static mbd_status natural_independent_factor(independent *base, mbd_sim *s, mbd_error *err) {
  return factor_at(of(base), s, s->now.z, err);
}

/* Newton's correction of the dependent coordinates, x = S Phi; its size relative to 1 + |z|. */
static double natural_independent_correct(natural_independent *indep, mbd_real *z) {
  const int n = indep->of->n->nq;
  memset(indep->x, 0, (size_t)n * sizeof *indep->x);
  mbd_pivots_solve(&indep->lu, 1, indep->phi, indep->x);
  for (int j = 0; j < n; j++) { z[j] -= indep->x[j]; }
  return mbd_norm_inf(n, indep->x) / (1 + model_extent(indep->of->n->m, n, z));
}

/* Places the position by corrections on the factors of the guess, as long as they contract well; then factors at the position that is found. No
 * factors of an earlier position are used: a step that is recomputed from its node gives the same bits. */
static mbd_status natural_independent_place(independent *base, mbd_sim *s, mbd_real *z, mbd_error *err) {
  natural_independent *indep = of(base);
  double last = INFINITY;
  int after = 0, renew = 1;
  for (int it = 0; it < PLACE_ITERATIONS; it++) {
    if (renew) {
      MBD_TRY(factor_at(indep, s, z, err));
    } else {
      natural_phi(indep->of->v, s->t, z, indep->phi, NULL);
    }
    if (indep->of->n->nphi == 0) { return MBD_OK; }
    const double step = natural_independent_correct(indep, z), rate = renew ? step : step / last;
    if (isnan(step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    if (after || step <= rounding || (renew ? step <= nearly_there : rate < 1 && step * rate <= rounding)) { after++; }
    if (after > EXTRA_ITERATIONS) { return factor_at(indep, s, z, err); }
    /* The referee's imaginary parts follow one correction behind the real ones. */
    renew = EXTRA_ITERATIONS > 0 || (!renew && rate > slow);
    last = step;
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the constraints cannot be closed from the independent natural coordinates: a smaller step, or formulation "
           "= ali3p");
}

/* ---- the choice ---- */

static void set_free(natural_independent *indep) {
  int *index = indep->base.index;
  indep->base.nf = 0;
  for (int j = 0; j < indep->of->n->nq; j++) {
    if (index[j] < 0) { continue; }
    index[j] = indep->base.nf;
    indep->base.free[indep->base.nf++] = j;
  }
  independent_each_rate(&indep->base);
}

/* Takes memory for the elimination and the factors, which grows at the start of a run only. */
static mbd_status natural_independent_reserve(natural_independent *indep, size_t entries, mbd_error *err) {
  const size_t m = (size_t)indep->of->n->nphi + 1, n = (size_t)indep->of->n->nq + 1;
  if (entries > max_entries) { MBD_FAIL(err, MBD_NO_MEMORY, "independent natural coordinates fill too much memory"); }
  free(indep->rank_arena.base);
  indep->rank_arena = (mbd_arena){0};
  indep->lu = (mbd_pivots){0};
  while (mbd_arena_pass(&indep->rank_arena)) {
    mbd_rank_layout(&indep->rank, m, n, entries, &indep->rank_arena);
    mbd_pivots_layout(&indep->lu, m, n, 4 * entries, (size_t)indep->kmax, &indep->rank_arena);
  }
  indep->rank_entries = entries;
  return mbd_arena_check(&indep->rank_arena, "independent natural coordinates", err);
}

/* Pivots into row[0], col[0]. -1: there is no room. */
static int natural_independent_find_rank(natural_independent *indep) {
  const natural *n = indep->of->n;
  const mbd_packed J = rows_of(indep);
  const double smallest = rank_tolerance * mbd_norm_inf(n->first[n->nphi], indep->Phi_q);
  return mbd_rank_packed(&indep->rank, n->nphi, n->nq, &J, smallest, MBD_RANK_BOTH, indep->row[0], indep->col[0]);
}

/* Makes the coordinates without a pivot independent. */
static void free_the_others(natural_independent *indep) {
  for (int j = 0; j < indep->of->n->nq; j++) { indep->base.index[j] = indep->lu.order[j] < 0 ? 0 : -1; }
  set_free(indep);
}

/* Returns the largest entry of R [nq][nf], in row *d and column *f: of equal ones, as left and right of a vehicle, the first, so that rounding
 * does not decide which coordinates are independent. 0: no coordinate is free. */
static double largest(const natural_independent *indep, const mbd_real *R, int *d, int *f) {
  const int n = indep->of->n->nq * indep->base.nf;
  double max = 0;
  int first = 0;
  if (n == 0) { return 0; }
  for (int i = 0; i < n; i++) { max = fmax(max, mbd_largest(R[i])); }
  while (first < n && mbd_largest(R[first]) < max * (1 - MBD_EQUAL_PIVOTS)) { first++; }
  *d = first / indep->base.nf, *f = first % indep->base.nf;
  return max;
}

/* Computes R for the case that coordinate d, instead of that of column f, is independent: x = R w, and x_d takes the place of w_f. */
static void natural_independent_exchange(const natural_independent *indep, int d, int f, mbd_real *R) {
  const int nf = indep->base.nf;
  mbd_real *const row = indep->unit;
  memcpy(row, R + d * nf, (size_t)nf * sizeof *row);
  const mbd_real inverse = 1 / row[f];
  for (int i = 0; i < indep->of->n->nq; i++) {
    mbd_real *at = R + i * nf;
    const mbd_real v = at[f] * inverse;
    for (int c = 0; c < nf; c++) { at[c] -= v * row[c]; }
    at[f] = v;
  }
}

static int place_of(int count, const int *list, int j) {
  int p = 0;
  while (p < count && list[p] != j) { p++; }
  return p;
}

/* Exchanges independent coordinates for dependent ones until R has no entry above max_R: each makes the determinant of the dependent
 * columns larger by that factor. Pivots into row[0], col[0]; returns the number of exchanges. */
static int exchange_all(natural_independent *indep) {
  const int nf = indep->base.nf;
  const mbd_real *R = natural_independent_R(indep);
  int d = 0, f = 0, count = 0;
  if (largest(indep, R, &d, &f) <= max_R) { return 0; }
  memcpy(indep->R_next, R, (size_t)indep->of->n->nq * (size_t)nf * sizeof *R);
  memcpy(indep->row[0], indep->lu.row, (size_t)indep->lu.rank * sizeof *indep->row[0]);
  memcpy(indep->col[0], indep->lu.col, (size_t)indep->lu.rank * sizeof *indep->col[0]);
  memcpy(indep->who, indep->base.free, (size_t)nf * sizeof *indep->who);
  for (; count < indep->of->n->nq && largest(indep, indep->R_next, &d, &f) > max_R; count++) {
    indep->col[0][place_of(indep->lu.rank, indep->col[0], d)] = indep->who[f];
    indep->who[f] = d;
    natural_independent_exchange(indep, d, f, indep->R_next);
  }
  return count;
}

/* Improves the choice by exchanges. The present choice stays if memory does not suffice for another one. */
static mbd_status improve(natural_independent *indep, mbd_sim *s, mbd_error *err) {
  if (exchange_all(indep) == 0) { return MBD_OK; }
  if (take_pivots(indep, indep->lu.rank, indep->row[0], indep->col[0])) {
    free_the_others(indep);
    s->stats.choices++;
  }
  return factor_here(indep, s, err);
}

static mbd_status natural_independent_choose(independent *base, mbd_sim *s, mbd_error *err) {
  natural_independent *indep = of(base);
  int rank = -1;
  evaluate_rows(indep, s, s->now.z);
  if (indep->rank_entries == 0) {
    MBD_TRY(natural_independent_reserve(indep, 2 * (size_t)indep->of->n->first[indep->of->n->nphi] + 1, err));
  }
  while ((rank = natural_independent_find_rank(indep)) < 0 || !take_pivots(indep, rank, indep->row[0], indep->col[0])) {
    MBD_TRY(natural_independent_reserve(indep, 4 * indep->rank_entries, err));
  }
  if (indep->of->n->nq - rank > indep->max_free) { return natural_independent_singular(err); }
  free_the_others(indep);
  MBD_TRY(factor_here(indep, s, err));
  const long choices = s->stats.choices;
  MBD_TRY(improve(indep, s, err));
  s->stats.choices = choices; /* the first is not counted */
  return MBD_OK;
}

static mbd_status keep_or_choose(independent *base, mbd_sim *s, double h, mbd_error *err) {
  (void)h;
  return improve(of(base), s, err);
}

static size_t reals(const independent *base) {
  const natural *n = ((const natural_independent *)base)->of->n;
  return 1 + 2 * (size_t)n->nphi;
}

static void save(const independent *base, mbd_real *x) {
  const natural_independent *indep = (const natural_independent *)base;
  *x++ = indep->lu.rank;
  for (int i = 0; i < indep->of->n->nphi; i++) {
    *x++ = i < indep->lu.rank ? indep->lu.row[i] : 0;
    *x++ = i < indep->lu.rank ? indep->lu.col[i] : 0;
  }
}

static void natural_independent_restore(independent *base, const mbd_real *x) {
  natural_independent *indep = of(base);
  const mbd_packed J = rows_of(indep);
  const int rank = (int)mbd_same(*x++);
  int same = rank == indep->lu.rank;
  for (int i = 0; i < rank; i++) {
    indep->row[0][i] = (int)mbd_same(*x++), indep->col[0][i] = (int)mbd_same(*x++);
    same = same && indep->row[0][i] == indep->lu.row[i] && indep->col[0][i] == indep->lu.col[i];
  }
  if (same) { return; }
  mbd_pivots_set(&indep->lu, indep->of->n->nq, &J, rank, indep->row[0], indep->col[0]); /* it had room before */
  indep->R_there = 0;
  free_the_others(indep);
}

static const independent_ops ops = {.destroy = natural_independent_destroy,
                                    .choose = natural_independent_choose,
                                    .keep_or_choose = keep_or_choose,
                                    .place = natural_independent_place,
                                    .factor = natural_independent_factor,
                                    .solve = natural_independent_solve,
                                    .solve_T = solve_T,
                                    .reals = reals,
                                    .save = save,
                                    .restore = natural_independent_restore};

mbd_status natural_independent_create(const natural_run *model, int max_free, int kmax, independent **out,
                                      mbd_error *err) {
  natural_independent *indep = calloc(1, sizeof *indep);
  if (!indep) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for independent coordinates"); }
  *out = &indep->base;
  indep->base.ops = &ops;
  indep->of = model, indep->max_free = max_free, indep->kmax = kmax > 1 ? kmax : 1;
  while (mbd_arena_pass(&indep->arena)) { natural_independent_layout(indep, &indep->arena); }
  return mbd_arena_check(&indep->arena, "independent coordinates", err);
}
