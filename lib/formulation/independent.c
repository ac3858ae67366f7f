/* The choice of independent coordinates, and the kinematic problems that it defines (independent.h).
 * Equations: theory.md §5.3 (5.6). */
#include "formulation/independent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "model/loop.h"
#include "model/coupled.h"
#include "model/state.h"

enum { PLACE_ITERATIONS = 30 };

static const double rank_tolerance = 1e-9;
static const double nearly_singular = 1e-5; /* smallest pivot, to that at the start */
static const double worse = 3;              /* choose anew when R has grown by this */
static const double hopeless = 100;         /* named coordinates are valid until it has grown by this */
static const double open_row = 1e-6;        /* Phi of a row that is not in use, which counts as violated */
static const double nearly_there = 1e-7;    /* a Newton correction after which the next would be rounding */

/* ---- blocks, once for a model ---- */

/* Numbers the blocks by their first constraint; first [nz]: block of a set, -1: none. */
static void number_blocks(independent *indep, int *up, int *first) {
  const mbd_model *m = indep->m;
  for (int j = 0; j < m->nz; j++) { first[j] = -1; }
  indep->nblock = 0;
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_lift *l = &m->constraint[i].lift;
    if (l->ncol == 0) { /* nothing moves it */
      indep->block_of[i] = -1;
      continue;
    }
    int *b = &first[coupled_set(up, l->col[0])];
    if (*b < 0) { *b = indep->nblock++; }
    indep->block_of[i] = *b;
  }
}

static void count_blocks(independent *indep, int *up, const int *first) {
  const mbd_model *m = indep->m;
  for (int j = 0; j < m->nz; j++) {
    const int b = first[coupled_set(up, j)];
    if (b >= 0) { indep->block[b].ncol++; }
  }
  for (int i = 0; i < m->nconstraint; i++) {
    if (indep->block_of[i] >= 0) { indep->block[indep->block_of[i]].nrow += m->constraint[i].ops->nphi; }
  }
}

static void fill_blocks(independent *indep, int *up, const int *first) {
  const mbd_model *m = indep->m;
  for (int b = 0; b < indep->nblock; b++) { indep->block[b].ncol = indep->block[b].nrow = 0; }
  for (int j = 0; j < m->nz; j++) {
    const int b = first[coupled_set(up, j)];
    if (b < 0) { continue; }
    indep->place[j] = indep->block[b].ncol;
    indep->block[b].col[indep->block[b].ncol++] = j;
  }
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *constraint = &m->constraint[i];
    if (indep->block_of[i] < 0) { continue; }
    independent_block *b = &indep->block[indep->block_of[i]];
    for (int r = constraint->row; r < constraint->row + constraint->ops->nphi; r++) {
      const int velocity = constraint->ops->velocity; /* its row of J stays zero */
      indep->row[r] = velocity ? indep->A + (r - m->nphi + m->nvelocity_row) * m->nz : b->J + b->nrow * b->ncol;
      b->row[b->nrow++] = r;
    }
  }
}

static void note_coupling(independent *indep) {
  const mbd_model *m = indep->m;
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_lift *l = &m->constraint[i].lift;
    for (int c = 1; c < l->ncol; c++) {
      if (m->z_body[l->col[c]] != m->z_body[l->col[0]] && !indep->coupling) { indep->coupling = m->constraint[i].name; }
    }
  }
  indep->coupled = indep->coupling != NULL;
}

static void block_layout(independent_block *b, int kmax, mbd_arena *a, size_t *largest) {
  const size_t m = (size_t)b->nrow, n = (size_t)b->ncol, min = m < n ? m : n;
  b->row = mbd_arena_take(a, m * sizeof *b->row);
  b->col = mbd_arena_take(a, n * sizeof *b->col);
  b->use = mbd_arena_take(a, m * sizeof *b->use);
  b->order = mbd_arena_take(a, n * sizeof *b->order);
  b->piv = mbd_arena_take(a, min * sizeof *b->piv);
  b->J = mbd_arena_real(a, m * n);
  b->lu = mbd_arena_real(a, min * min);
  b->work = mbd_arena_take(a, m * (n + 1) * sizeof *b->work);
  b->J_before = mbd_arena_real(a, m * n);
  b->v = mbd_arena_take(a, MBD_DESIGNS * n * sizeof *b->v);
  b->spare_row = mbd_arena_take(a, m * sizeof *b->spare_row);
  b->spare_col = mbd_arena_take(a, n * sizeof *b->spare_col);
  if (min * (size_t)kmax > *largest) { *largest = min * (size_t)kmax; }
}

static void independent_layout(independent *indep, int kmax, mbd_arena *a) {
  const size_t nz = (size_t)indep->m->nz;
  size_t largest = 1;
  indep->free = mbd_arena_take(a, nz * sizeof *indep->free);
  indep->index = mbd_arena_take(a, nz * sizeof *indep->index);
  indep->each = mbd_arena_take(a, nz * sizeof *indep->each);
  for (int b = 0; b < indep->nblock; b++) { block_layout(&indep->block[b], kmax, a, &largest); }
  indep->t = mbd_arena_real(a, largest);
  indep->phi = mbd_arena_real(a, (size_t)indep->m->nphi + 1);
  indep->A = mbd_arena_real(a, (size_t)indep->m->nvelocity_row * nz + 1);
}

/* Without constraints all coordinates are independent. */
static void number_free(independent *indep) {
  const mbd_model *m = indep->m;
  indep->nf = 0;
  for (int j = 0; j < m->nz; j++) { indep->index[j] = 0; }
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *b = &indep->block[i];
    for (int k = 0; k < b->rank; k++) { indep->index[b->col[b->order[k]]] = -1; }
  }
  for (int j = 0; j < m->nz; j++) {
    if (indep->index[j] < 0) { continue; }
    indep->index[j] = indep->nf;
    indep->free[indep->nf++] = j;
  }
  independent_each_rate(indep);
}

/* ---- the names of the case ---- */

static int find_coordinate(const mbd_model *m, const char *name, char *hint, int size) {
  mbd_nearest near = {.requested = name};
  const int known = model_find_coordinate(m, name);
  if (known >= 0) { return known; }
  for (int j = 0; j < m->nz; j++) { mbd_nearest_offer(&near, m->z_name[j]); }
  mbd_nearest_text(&near, hint, size);
  return -1;
}

static mbd_status read_names(independent *indep, const mbd_case *c, mbd_error *err) {
  for (int i = 0; i < c->nindependent; i++) {
    char hint[MBD_HINT];
    const int j = find_coordinate(indep->m, c->independent[i], hint, sizeof hint);
    if (j < 0) {
      MBD_FAIL(err, MBD_BAD_INPUT,
               "independent = %s: not a coordinate of the model%s (another quantity is one if [coordinate NAME] and a "
               "constraint make it one)",
               c->independent[i], hint);
    }
    indep->named[j] = 1;
  }
  for (int i = 0; i < indep->nblock; i++) {
    independent_block *b = &indep->block[i];
    for (int k = 0; k < b->ncol; k++) { b->nnamed += indep->named[b->col[k]]; }
  }
  return MBD_OK;
}

mbd_status independent_create(const mbd_model *m, const mbd_case *c, int kmax, independent **out, mbd_error *err) {
  const size_t nz = (size_t)m->nz, nc = (size_t)m->nconstraint;
  independent *indep = calloc(1, sizeof *indep);
  int *up = calloc(2 * nz + 1, sizeof *up), *first = up ? up + nz : NULL;
  *out = indep;
  if (indep) {
    indep->m = m;
    indep->block_of = calloc(nc + 1, sizeof *indep->block_of);
    indep->place = calloc(nz + 1, sizeof *indep->place);
    indep->row = calloc((size_t)m->nphi + 1, sizeof *indep->row);
    indep->named = calloc(nz + 1, sizeof *indep->named);
    indep->block = calloc(nc + 1, sizeof *indep->block);
  }
  if (!indep || !up || !indep->block_of || !indep->place || !indep->row || !indep->named || !indep->block) {
    goto no_memory;
  }
  /* Coordinates that one constraint couples form a block with its rows. First the blocks are numbered and counted. */
  coupled_begin(m->nz, up);
  coupled_join(m->constraint, m->nconstraint, up);
  number_blocks(indep, up, first);
  count_blocks(indep, up, first);
  /* Then memory is taken for the sizes counted, and the rows and columns of each block are listed. */
  while (mbd_arena_pass(&indep->arena)) { independent_layout(indep, kmax, &indep->arena); }
  if (!indep->arena.base) { goto no_memory; }
  fill_blocks(indep, up, first);
  note_coupling(indep);
  number_free(indep);
  free(up);
  return read_names(indep, c, err);
no_memory:
  free(up);
  independent_destroy(indep);
  *out = NULL;
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the independent coordinates");
}

void independent_destroy(independent *indep) {
  if (!indep) { return; }
  independent_velocity_destroy(indep->velocity);
  if (indep->ops) {
    indep->ops->destroy(indep);
    return;
  }
  free(indep->block_of), free(indep->place), free(indep->row), free(indep->named), free(indep->block);
  free(indep->arena.base);
  free(indep);
}

/* ---- Phi_z ---- */

/* A' of velocity constraints, which have rows of their own. */
static void take_velocity_rows(const independent *indep) {
  const mbd_model *m = indep->m;
  const independent_velocity *v = indep->velocity;
  for (int i = m->nconstraint - m->nvelocity; v && i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      for (int k = 0; k < c->lift.ncol; k++) {
        const int z = c->lift.col[k];
        v->At[z * v->nrow + r - v->first_row] = indep->row[r][indep->place[z]];
      }
    }
  }
}

/* Evaluates J of all blocks, which is zero elsewhere, and Phi unless phi is NULL. */
static void independent_evaluate(independent *indep, mbd_sim *s, mbd_real *phi) {
  motion_phi_scattered(s->w, s->eq, phi, indep->row, indep->place, NULL);
  take_velocity_rows(indep);
}

static double smallest_pivot(const independent_block *b) {
  double min = INFINITY;
  for (int i = 0; i < b->rank; i++) { min = fmin(min, mbd_min(b->lu[i * b->rank + i])); }
  return min;
}

/* Factors the dependent part of Phi_z. It counts as singular well before its rank falls, because accelerations have the rounding of Phi
 * times the square of the amplification by R. */
static mbd_status factor_block(independent_block *b, const mbd_sim *s, mbd_error *err) {
  const int r = b->rank;
  if (r == 0) { return MBD_OK; }
  for (int i = 0; i < r; i++) {
    for (int j = 0; j < r; j++) { b->lu[i * r + j] = independent_used_row(b, i)[b->order[j]]; }
  }
  if (mbd_lu_factor(r, b->lu, b->piv) == MBD_OK && smallest_pivot(b) >= nearly_singular * b->min) { return MBD_OK; }
  /* The message names the loop, and the named coordinates if the case names some. */
  const char *about = s->m->phi_name[b->row[0]];
  char loop[256];
  model_loop_text(s->m, model_row_constraint(s->m, b->row[0]), loop, sizeof loop);
  if (b->nnamed > 0) {
    MBD_FAIL(err, MBD_SINGULAR,
             "independent = ...: those named do not determine the other coordinates about '%s' any more: independent = "
             "auto",
             about);
  }
  MBD_FAIL(
      err, MBD_SINGULAR,
      "the constraints about '%s'%s%s lose their rank: the mechanism is at a singular position, a dead point, which "
      "independent coordinates cannot pass (formulation = ali3p can, unless the mechanism locks there)",
      about, loop[0] ? " of the loop " : "", loop);
}

static mbd_status independent_factor_blocks(independent *indep, const mbd_sim *s, mbd_error *err) {
  for (int b = 0; b < indep->nblock; b++) { MBD_TRY(factor_block(&indep->block[b], s, err)); }
  return MBD_OK;
}

static mbd_status factor_positions(independent *indep, mbd_sim *s, mbd_error *err) {
  if (indep->ops) { return indep->ops->factor(indep, s, err); }
  independent_evaluate(indep, s, NULL);
  return independent_factor_blocks(indep, s, err);
}

mbd_status independent_factor(independent *indep, mbd_sim *s, mbd_error *err) {
  MBD_TRY(factor_positions(indep, s, err));
  return indep->velocity ? independent_velocity_factor(indep, err) : MBD_OK;
}

/* ---- the choice ---- */

/* Returns the largest entry of R in the rows of the dependent coordinates. */
static double spread(independent *indep, const independent_block *b) {
  const int r = b->rank;
  double max = 1;
  for (int j = r; j < b->ncol; j++) {
    for (int i = 0; i < r; i++) { indep->t[i] = independent_used_row(b, i)[b->order[j]]; }
    mbd_lu_solve(r, b->lu, b->piv, 1, indep->t);
    max = fmax(max, mbd_norm_inf(r, indep->t));
  }
  return max;
}

/* Finds the pivots of J, in all columns or in those of coordinates that are not named. */
static void find_pivots(const independent *indep, independent_block *b, int all) {
  for (int i = 0; i < b->nrow; i++) {
    for (int j = 0; j < b->ncol; j++) {
      b->work[i * b->ncol + j] = all || !indep->named[b->col[j]] ? mbd_first(b->J[i * b->ncol + j]) : 0;
    }
  }
  b->rank = mbd_rank(b->nrow, b->ncol, b->work, rank_tolerance, b->use, b->order);
}

/* Writes the names of the independent coordinates of the block, "a, b, c". */
static const char *list_independent(const mbd_model *m, const independent_block *b, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int j = b->rank; j < b->ncol && used < size; j++) {
    const int n = snprintf(text + used, size - used, "%s%s", j > b->rank ? ", " : "", m->z_name[b->col[b->order[j]]]);
    if (n > 0) { used += (size_t)n; }
  }
  return text;
}

/* Makes the named coordinates of the block its independent ones, if pivots in the other columns suffice. Called after the choice among all
 * columns. */
static mbd_status choose_named(const independent *indep, independent_block *b, mbd_error *err) {
  const int rank = b->rank, freedoms = b->ncol - rank;
  char would_do[512];
  list_independent(indep->m, b, would_do, sizeof would_do);
  if (b->nnamed != freedoms) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "independent = ...: the coordinates about '%s' have %d degrees of freedom, of which %d are named; for "
             "example: %s",
             indep->m->phi_name[b->row[0]], freedoms, b->nnamed, would_do);
  }
  find_pivots(indep, b, 0);
  if (b->rank == rank) { return MBD_OK; }
  b->rank = 0;
  MBD_FAIL(err, MBD_SINGULAR,
           "independent = ...: those named do not determine the other coordinates about '%s'; at this position would "
           "do: %s",
           indep->m->phi_name[b->row[0]], would_do);
}

static mbd_status choose_block(independent *indep, independent_block *b, const mbd_sim *s, mbd_error *err) {
  const int before = b->rank;
  find_pivots(indep, b, 1);
  if (before > 0 && b->rank != before) {
    b->rank = before;
    MBD_FAIL(err, MBD_SINGULAR,
             "the constraints about '%s' change their rank from %d: the mechanism is at a singular position, which "
             "independent coordinates cannot pass (formulation = ali3p can)",
             s->m->phi_name[b->row[0]], before);
  }
  if (b->nnamed > 0) { MBD_TRY(choose_named(indep, b, err)); }
  MBD_TRY(factor_block(b, s, err));
  b->spread = spread(indep, b);
  return MBD_OK;
}

static mbd_status keep_named(const independent *indep, const independent_block *b, double now, mbd_error *err) {
  if (now <= hopeless * b->spread) { return MBD_OK; }
  MBD_FAIL(err, MBD_SINGULAR,
           "independent = ...: those named hardly determine the other coordinates about '%s' any more, which move %.3g "
           "times as much as at the start: independent = auto",
           indep->m->phi_name[b->row[0]], now / b->spread);
}

/* ---- singular positions on the way ---- */

static void keep_for_crossing(independent *indep, const mbd_sim *s) {
  for (int b = 0; b < indep->nblock; b++) { crossing_keep(&indep->block[b]); }
  indep->kept = mbd_same(s->t);
}

/* Checks whether a step has passed a singular position. The adjoint recomputes steps from stored nodes, which do not hold J; those steps were checked
 * in the forward run. */
static mbd_status check_crossing(independent *indep, const mbd_sim *s, double h, mbd_error *err) {
  const double start = mbd_same(s->t) - h;
  if (h == 0 || fabs(indep->kept - start) > 1e-6 * h) { return MBD_OK; }
  for (int b = 0; b < indep->nblock; b++) {
    char names[512];
    const double part = crossing_singular(&indep->block[b], indep->t);
    if (part == 0) { continue; }
    MBD_FAIL(
        err, MBD_SINGULAR,
        "the step has passed a singular position at about t = %.6g s, where the constraints lose their rank at %s: "
        "independent coordinates do not determine the motion there, however small the step (formulation = ali3p "
        "does)",
        start + part * h, crossing_names(indep->m, &indep->block[b], indep->t, names, sizeof names));
  }
  return MBD_OK;
}

static mbd_status choose_positions(independent *indep, mbd_sim *s, mbd_error *err) {
  if (indep->ops) { return indep->ops->choose(indep, s, err); }
  independent_evaluate(indep, s, NULL);
  for (int b = 0; b < indep->nblock; b++) {
    indep->block[b].rank = 0, indep->block[b].min = 0;
    MBD_TRY(choose_block(indep, &indep->block[b], s, err));
    indep->block[b].min = smallest_pivot(&indep->block[b]);
    crossing_begin(&indep->block[b]);
  }
  keep_for_crossing(indep, s);
  number_free(indep);
  return MBD_OK;
}

mbd_status independent_choose(independent *indep, mbd_sim *s, mbd_error *err) {
  MBD_TRY(choose_positions(indep, s, err));
  return indep->velocity ? independent_velocity_choose(indep, 1, err) : MBD_OK;
}

static mbd_status keep_or_choose_positions(independent *indep, mbd_sim *s, double h, mbd_error *err) {
  if (indep->ops) { return indep->ops->keep_or_choose(indep, s, h, err); }
  int changed = 0;
  MBD_TRY(check_crossing(indep, s, h, err));
  keep_for_crossing(indep, s);
  for (int i = 0; i < indep->nblock; i++) {
    independent_block *b = &indep->block[i];
    const double now = spread(indep, b);
    if (b->nnamed > 0) { MBD_TRY(keep_named(indep, b, now, err)); }
    if (b->nnamed > 0 || now <= worse * b->spread) { continue; }
    MBD_TRY(choose_block(indep, b, s, err));
    changed = 1;
  }
  if (changed) {
    s->stats.choices++;
    number_free(indep);
  }
  return MBD_OK;
}

mbd_status independent_keep_or_choose(independent *indep, mbd_sim *s, double h, mbd_error *err) {
  const long before = s->stats.choices;
  MBD_TRY(keep_or_choose_positions(indep, s, h, err));
  if (!indep->velocity) { return MBD_OK; }
  if (s->stats.choices == before && !independent_velocity_poor(indep)) { return MBD_OK; }
  s->stats.choices += s->stats.choices == before;
  return independent_velocity_choose(indep, 0, err);
}

static size_t position_reals(const independent *indep) {
  if (indep->ops) { return indep->ops->reals(indep); }
  size_t n = 0;
  for (int i = 0; i < indep->nblock; i++) { n += (size_t)indep->block[i].nrow + (size_t)indep->block[i].ncol + 1; }
  return n;
}

size_t independent_reals(const independent *indep) {
  return position_reals(indep) + independent_velocity_reals(indep);
}

void independent_save(const independent *indep, mbd_real *x) {
  if (indep->velocity) { independent_velocity_save(indep, x + position_reals(indep)); }
  if (indep->ops) {
    indep->ops->save(indep, x);
    return;
  }
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *b = &indep->block[i];
    *x++ = b->spread;
    for (int k = 0; k < b->nrow; k++) { *x++ = b->use[k]; }
    for (int k = 0; k < b->ncol; k++) { *x++ = b->order[k]; }
  }
}

static void restore_positions(independent *indep, const mbd_real *x) {
  if (indep->ops) {
    indep->ops->restore(indep, x);
    return;
  }
  for (int i = 0; i < indep->nblock; i++) {
    independent_block *b = &indep->block[i];
    b->spread = mbd_same(*x++);
    for (int k = 0; k < b->nrow; k++) { b->use[k] = (int)mbd_same(*x++); }
    for (int k = 0; k < b->ncol; k++) { b->order[k] = (int)mbd_same(*x++); }
  }
  number_free(indep);
}

void independent_restore(independent *indep, const mbd_real *x) {
  restore_positions(indep, x);
  if (indep->velocity) { independent_velocity_restore(indep, x + position_reals(indep)); }
}

/* ---- the problems ---- */

/* z of the dependent coordinates -= J_dd^-1 Phi; returns the largest correction. */
static double independent_correct(independent *indep, const mbd_real *phi, mbd_real *z) {
  double max = 0;
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *b = &indep->block[i];
    for (int r = 0; r < b->rank; r++) { indep->t[r] = phi[b->row[b->use[r]]]; }
    mbd_lu_solve(b->rank, b->lu, b->piv, 1, indep->t);
    for (int r = 0; r < b->rank; r++) { z[b->col[b->order[r]]] -= indep->t[r]; }
    const double step = mbd_norm_inf(b->rank, indep->t);
    if (!(step <= max)) { max = step; }
  }
  return max;
}

/* Checks the rows that are not used. Rows that were redundant where the coordinates were chosen are satisfied with the others, unless the choice was
 * made at a singular position, such as a start with all bars in one line. */
static mbd_status check_unused(const independent *indep, const mbd_sim *s, double size, mbd_error *err) {
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *b = &indep->block[i];
    for (int r = b->rank; r < b->nrow; r++) {
      const int row = b->row[b->use[r]];
      if (mbd_largest(indep->phi[row]) <= open_row * size) { continue; }
      MBD_FAIL(err, MBD_SINGULAR,
               "the constraint '%s', redundant where the independent coordinates were chosen, is violated by %.3g: the "
               "mechanism was at a singular position, which independent coordinates cannot pass (formulation = ali3p "
               "can)",
               s->m->phi_name[row], mbd_largest(indep->phi[row]));
    }
  }
  return MBD_OK;
}

static mbd_status place_positions(independent *indep, mbd_sim *s, mbd_real *z, mbd_error *err) {
  if (indep->ops) { return indep->ops->place(indep, s, z, err); }
  int after = 0;
  for (int it = 0; it < PLACE_ITERATIONS; it++) {
    motion_place(s->w, s->p, s->t, z);
    independent_evaluate(indep, s, indep->phi);
    MBD_TRY(independent_factor_blocks(indep, s, err));
    const double size = 1 + model_extent(s->m, s->m->nz, z);
    if (indep->nblock == 0 || after > EXTRA_ITERATIONS) { return check_unused(indep, s, size, err); }
    const double step = independent_correct(indep, indep->phi, z);
    if (isnan(step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    if (after || step <= nearly_there * size) { after++; }
  }
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "the constraints cannot be closed from the independent coordinates: a smaller step, or formulation = ali3p");
}

mbd_status independent_place(independent *indep, mbd_sim *s, mbd_real *z, mbd_error *err) {
  MBD_TRY(place_positions(indep, s, z, err));
  return indep->velocity ? independent_velocity_factor(indep, err) : MBD_OK;
}
