/* Independent rates where velocity constraints A zd = b stand beside Phi_z zd = b (independent.h). With x = S b + R xi of the positions,
 *   x = S b + R u,    (A R) u = b_A - A S b,    u_w = w
 * pivots of A R choose the rates u_f that follow, and those that remain are independent. In reverse
 *   y = (A R)_f'^-1 (R' x)_f = b_A,    b = S'(x - A' y),    w = (R'(x - A' y))_w
 * Rows of A that depend on Phi_z or on each other have no pivot: of these b is not read, and y is zero.
 * Equations: theory.md §5.3 (5.6a). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formulation/independent.h"
#include "la/dense.h"

static const double rank_tolerance = 1e-9; /* of the largest entry of A */
static const double worse = 3;             /* choose anew when the rates that follow have grown by this */

/* ---- memory ---- */

static void independent_velocity_layout(independent_velocity *v, size_t kmax, mbd_arena *a) {
  const size_t n = (size_t)v->n, m = (size_t)v->nrow, nf = (size_t)v->max_free + 1;
  v->use = mbd_arena_take(a, m * sizeof *v->use);
  v->piv = mbd_arena_take(a, m * sizeof *v->piv);
  v->order = mbd_arena_take(a, nf * sizeof *v->order);
  v->rate = mbd_arena_take(a, nf * sizeof *v->rate);
  v->of_rate = mbd_arena_take(a, nf * sizeof *v->of_rate);
  v->work = mbd_arena_take(a, m * (nf + 1) * sizeof *v->work);
  MBD_ARENA_REALS(a, n * m, &v->At);
  MBD_ARENA_REALS(a, nf * m, &v->ARt);
  MBD_ARENA_REALS(a, m * m, &v->lu);
  MBD_ARENA_REALS(a, n * kmax, &v->x);
  MBD_ARENA_REALS(a, nf * kmax, &v->u);
  MBD_ARENA_REALS(a, m * kmax, &v->y);
}

mbd_status independent_velocity_create(independent *indep, int n, int max_free, int first_row, int nrow, int kmax,
                                       mbd_error *err) {
  independent_velocity *v = calloc(1, sizeof *v);
  indep->velocity = v;
  if (!v) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for independent rates"); }
  v->n = n, v->max_free = max_free, v->first_row = first_row, v->nrow = nrow;
  while (mbd_arena_pass(&v->arena)) { independent_velocity_layout(v, (size_t)kmax, &v->arena); }
  return mbd_arena_check(&v->arena, "independent rates", err);
}

void independent_velocity_destroy(independent_velocity *v) {
  if (!v) { return; }
  free(v->arena.base);
  free(v);
}

/* ---- the choice ---- */

/* Lists the independent rates: the places in `order` from `rank` on. */
static void number_rates(independent *indep) {
  independent_velocity *v = indep->velocity;
  indep->nrate = indep->nf - v->rank;
  indep->rate = v->rate, indep->of_rate = v->of_rate;
  for (int f = 0; f < indep->nf; f++) { v->of_rate[f] = -1; }
  for (int i = 0; i < indep->nrate; i++) {
    const int f = v->order[v->rank + i];
    v->rate[i] = indep->free[f], v->of_rate[f] = i;
  }
}

/* A R at the factors of the positions, and its factors in the rates that follow. */
mbd_status independent_velocity_factor(independent *indep, mbd_error *err) {
  independent_velocity *v = indep->velocity;
  const int r = v->rank;
  independent_solve_T(indep, v->nrow, v->At, NULL, v->ARt);
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < r; j++) { v->lu[i * r + j] = v->ARt[v->order[j] * v->nrow + v->use[i]]; }
  }
  if (mbd_lu_factor(r, v->lu, v->piv) == MBD_OK) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "the velocity constraints lose their rank, where independent rates do not determine the motion: formulation "
           "= ali3p");
}

/* The largest rate that follows from a unit rate, at the current factors. */
static double velocity_spread(const independent *indep) {
  const independent_velocity *v = indep->velocity;
  double max = 1;
  for (int j = v->rank; j < indep->nf; j++) {
    for (int i = 0; i < v->rank; i++) { v->y[i] = v->ARt[v->order[j] * v->nrow + v->use[i]]; }
    mbd_lu_solve(v->rank, v->lu, v->piv, 1, v->y);
    max = fmax(max, mbd_norm_inf(v->rank, v->y));
  }
  return max;
}

mbd_status independent_velocity_choose(independent *indep, int begins, mbd_error *err) {
  independent_velocity *v = indep->velocity;
  const int before = v->rank, nf = indep->nf;
  independent_solve_T(indep, v->nrow, v->At, NULL, v->ARt);
  for (int i = 0; i < v->nrow; i++) {
    for (int f = 0; f < nf; f++) { v->work[i * nf + f] = mbd_first(v->ARt[f * v->nrow + i]); }
  }
  const double smallest = rank_tolerance * mbd_norm_inf(v->n * v->nrow, v->At);
  v->rank = mbd_rank_above(v->nrow, nf, v->work, smallest, v->use, v->order);
  if (!begins && v->rank != before) {
    v->rank = before;
    MBD_FAIL(err, MBD_SINGULAR,
             "the velocity constraints change their rank from %d to another, which independent rates cannot pass: "
             "formulation = ali3p",
             before);
  }
  mbd_sort_numbers(nf - v->rank, v->order + v->rank);
  number_rates(indep);
  MBD_TRY(independent_velocity_factor(indep, err));
  v->spread = velocity_spread(indep);
  return MBD_OK;
}

int independent_velocity_poor(const independent *indep) {
  return velocity_spread(indep) > worse * indep->velocity->spread;
}

size_t independent_velocity_reals(const independent *indep) {
  const independent_velocity *v = indep->velocity;
  return v ? 2 + (size_t)v->nrow + (size_t)v->max_free : 0;
}

void independent_velocity_save(const independent *indep, mbd_real *x) {
  const independent_velocity *v = indep->velocity;
  *x++ = v->rank, *x++ = v->spread;
  for (int i = 0; i < v->nrow; i++) { *x++ = v->use[i]; }
  for (int f = 0; f < v->max_free; f++) { *x++ = f < indep->nf ? v->order[f] : 0; }
}

void independent_velocity_restore(independent *indep, const mbd_real *x) {
  independent_velocity *v = indep->velocity;
  v->rank = (int)mbd_same(*x++), v->spread = mbd_same(*x++);
  for (int i = 0; i < v->nrow; i++) { v->use[i] = (int)mbd_same(*x++); }
  for (int f = 0; f < indep->nf; f++) { v->order[f] = (int)mbd_same(*x++); }
  number_rates(indep);
}

/* ---- the problems ---- */

void independent_velocities(independent *indep, int k, const mbd_real *b, const mbd_real *w, mbd_real *x) {
  const independent_velocity *v = indep->velocity;
  if (!v) {
    independent_solve(indep, k, b, w, x);
    return;
  }
  /* y = b_A - A S b - (A R)_w w in the rows in use, then the rates that follow. */
  independent_solve(indep, k, b, NULL, x);
  memset(v->u, 0, (size_t)indep->nf * (size_t)k * sizeof *v->u);
  for (int i = 0; w && i < indep->nrate; i++) {
    memcpy(v->u + v->order[v->rank + i] * k, w + i * k, (size_t)k * sizeof *w);
  }
  for (int i = 0; i < v->rank; i++) {
    const int row = v->use[i];
    mbd_real *y = v->y + i * k;
    for (int c = 0; c < k; c++) { y[c] = b ? b[(v->first_row + row) * k + c] : 0; }
    for (int j = 0; b && j < v->n; j++) {
      const mbd_real A = v->At[j * v->nrow + row];
      for (int c = 0; c < k; c++) { y[c] -= A * x[j * k + c]; }
    }
    for (int f = 0; w && f < indep->nf; f++) {
      const mbd_real AR = v->ARt[f * v->nrow + row];
      for (int c = 0; c < k; c++) { y[c] -= AR * v->u[f * k + c]; }
    }
  }
  mbd_lu_solve(v->rank, v->lu, v->piv, k, v->y);
  for (int i = 0; i < v->rank; i++) { memcpy(v->u + v->order[i] * k, v->y + i * k, (size_t)k * sizeof *x); }
  independent_solve(indep, k, b, v->u, x);
}

void independent_velocities_T(independent *indep, int k, const mbd_real *x, mbd_real *b, mbd_real *w) {
  const independent_velocity *v = indep->velocity;
  if (!v) {
    independent_solve_T(indep, k, x, b, w);
    return;
  }
  /* y of the rows in use, from R' x in the rates that follow. */
  independent_solve_T(indep, k, x, NULL, v->u);
  for (int i = 0; i < v->rank; i++) { memcpy(v->y + i * k, v->u + v->order[i] * k, (size_t)k * sizeof *x); }
  mbd_lu_solve_T(v->rank, v->lu, v->piv, k, v->y);
  /* S' and R' of x - A' y. */
  memcpy(v->x, x, (size_t)v->n * (size_t)k * sizeof *x);
  for (int j = 0; j < v->n; j++) {
    for (int i = 0; i < v->rank; i++) {
      const mbd_real A = v->At[j * v->nrow + v->use[i]];
      for (int c = 0; c < k; c++) { v->x[j * k + c] -= A * v->y[i * k + c]; }
    }
  }
  independent_solve_T(indep, k, v->x, b, v->u);
  for (int i = 0; b && i < v->rank; i++) {
    memcpy(b + (v->first_row + v->use[i]) * k, v->y + i * k, (size_t)k * sizeof *b);
  }
  for (int i = 0; i < indep->nrate; i++) { memcpy(w + i * k, v->u + v->order[v->rank + i] * k, (size_t)k * sizeof *w); }
}

void independent_read_rates(const independent *indep, int k, const mbd_real *x, mbd_real *w) {
  for (int i = 0; i < indep->nrate; i++) { memcpy(w + i * k, x + indep->rate[i] * k, (size_t)k * sizeof *x); }
}

void independent_add_rates(const independent *indep, int k, const mbd_real *w, mbd_real *x) {
  for (int i = 0; i < indep->nrate; i++) {
    for (int c = 0; c < k; c++) { x[indep->rate[i] * k + c] += w[i * k + c]; }
  }
}
