/* Finds the places where the matrices of a time step can differ from zero, from the tree and the coordinates of the elements.
 * Equations: theory.md §5.1 (5.3). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formulation/matrices.h"

/* Takes memory for lists with count[i] columns in row i, which the caller frees by nonzeros_destroy. */
static mbd_status allocate(int rows, const int *count, mbd_nonzeros *at, mbd_error *err) {
  size_t entries = 0;
  for (int i = 0; i < rows; i++) { entries += (size_t)count[i]; }
  int *first = calloc(2 * (size_t)rows + entries + 1, sizeof *first);
  if (!first) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation: %zu", entries); }
  *at = (mbd_nonzeros){.count = first + rows, .col = first + 2 * (size_t)rows, .first = first};
  memcpy(at->count, count, (size_t)rows * sizeof *count);
  for (int i = 1; i < rows; i++) { first[i] = first[i - 1] + count[i - 1]; }
  return MBD_OK;
}

void nonzeros_destroy(mbd_nonzeros *at) {
  free((void *)at->first), free((void *)at->mirror);
  *at = (mbd_nonzeros){0};
}

mbd_status nonzeros_pack(int n, mbd_nonzeros *at, mbd_error *err) {
  int *mirror = calloc((size_t)mbd_nonzeros_places(n, at) + 1, sizeof *mirror);
  if (!mirror) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  for (int i = 0; i < n; i++) {
    for (int q = at->first[i]; q < at->first[i] + at->count[i]; q++) {
      mirror[q] = mbd_nonzeros_place(at, at->col[q], i);
    }
  }
  at->mirror = mirror;
  return MBD_OK;
}

mbd_status nonzeros_of(int n, const mbd_columns *places, const unsigned char *mark, mbd_nonzeros *at, mbd_error *err) {
  int *count = calloc((size_t)n + 1, sizeof *count);
  if (!count) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  for (int i = 0; i < n; i++) {
    for (int p = places->first[i]; p < places->first[i + 1]; p++) { count[i] += !mark || mark[p]; }
  }
  const mbd_status status = allocate(n, count, at, err);
  free(count);
  MBD_TRY(status);
  int *col = at->col;
  for (int p = 0; p < places->first[n]; p++) {
    if (!mark || mark[p]) { *col++ = places->col[p]; }
  }
  return nonzeros_pack(n, at, err);
}

/* ---- M: a coordinate and those between it and the ground ---- */

static mbd_status list_inertia(const mbd_model *m, int *count, mbd_nonzeros *at, mbd_error *err) {
  const int n = m->nz;
  for (int j = 0; j < n; j++) {
    count[j]++;
    for (int k = m->z_above[j]; k >= 0; k = m->z_above[k]) { count[j]++, count[k]++; }
  }
  MBD_TRY(allocate(n, count, at, err));
  memset(count, 0, (size_t)n * sizeof *count);
  for (int j = 0; j < n; j++) { /* numbers grow from the ground outwards, so every row is filled in their order */
    int above = 0;
    for (int k = m->z_above[j]; k >= 0; k = m->z_above[k]) { above++; }
    count[j] = above + 1;
    mbd_nonzeros_row(at, j, n)[above] = j;
    for (int k = m->z_above[j]; k >= 0; k = m->z_above[k]) {
      mbd_nonzeros_row(at, j, n)[--above] = k;
      mbd_nonzeros_row(at, k, n)[count[k]++] = j;
    }
  }
  return MBD_OK;
}

/* ---- K: those, and all pairs of coordinates of an element ---- */

/* Elements by number, forces first. */
static const mbd_lift *lift_of(const mbd_model *m, int e) {
  return e < m->nforce ? &m->force[e].lift : &m->constraint[e - m->nforce].lift;
}

/* first [nz + 1], list: the elements of every coordinate. NULL: no memory; the caller frees first, which has the list behind it. */
static int *list_elements(const mbd_model *m, int **list) {
  const int n = m->nz, elements = m->nforce + m->nconstraint;
  size_t entries = 0;
  for (int e = 0; e < elements; e++) { entries += (size_t)lift_of(m, e)->ncol; }
  int *first = calloc((size_t)n + 2 + entries, sizeof *first);
  if (!first) { return NULL; }
  *list = first + n + 2;
  for (int e = 0; e < elements; e++) {
    for (int k = 0; k < lift_of(m, e)->ncol; k++) { first[lift_of(m, e)->col[k] + 2]++; }
  }
  for (int j = 0; j < n; j++) { first[j + 2] += first[j + 1]; }
  for (int e = 0; e < elements; e++) {
    for (int k = 0; k < lift_of(m, e)->ncol; k++) { (*list)[first[lift_of(m, e)->col[k] + 1]++] = e; }
  }
  return first;
}

/* The matrices and lists whose places make those of a row of K. Scratch: seen [nz]; before row i no entry of it is i + 1. */
typedef struct row_sources {
  const mbd_model *m;
  const mbd_nonzeros *M_at;
  const int *first, *element;
  int *seen;
} row_sources;

/* Lists the columns of row i, in any order; col NULL: only their number. */
static int list_row(const row_sources *sources, int i, int *col) {
  const int *inertia = mbd_nonzeros_row(sources->M_at, i, sources->m->nz);
  int count = 0;
  for (int k = 0; k < sources->M_at->count[i]; k++) {
    sources->seen[inertia[k]] = i + 1;
    if (col) { col[count] = inertia[k]; }
    count++;
  }
  for (int e = sources->first[i]; e < sources->first[i + 1]; e++) {
    const mbd_lift *l = lift_of(sources->m, sources->element[e]);
    for (int k = 0; k < l->ncol; k++) {
      if (sources->seen[l->col[k]] == i + 1) { continue; }
      sources->seen[l->col[k]] = i + 1;
      if (col) { col[count] = l->col[k]; }
      count++;
    }
  }
  return count;
}

static mbd_status list_tangent(const mbd_model *m, const mbd_nonzeros *M_at, int *count, mbd_nonzeros *at,
                               mbd_error *err) {
  const int n = m->nz;
  int *list, *first = list_elements(m, &list), *seen = calloc((size_t)n + 1, sizeof *seen);
  const row_sources q = {.m = m, .M_at = M_at, .first = first, .element = list, .seen = seen};
  mbd_status status = MBD_NO_MEMORY;
  if (first && seen) {
    for (int i = 0; i < n; i++) { count[i] = list_row(&q, i, NULL); }
    memset(seen, 0, (size_t)n * sizeof *seen);
    status = allocate(n, count, at, err);
  }
  for (int i = 0; i < n && status == MBD_OK; i++) {
    list_row(&q, i, mbd_nonzeros_row(at, i, n));
    mbd_sort_numbers(count[i], mbd_nonzeros_row(at, i, n));
  }
  const int there = first && seen;
  free(first), free(seen);
  if (!there) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  return status;
}

/* ---- rows of Phi_z ---- */

/* Lists the columns of the rows of Phi_z; count [nphi]: scratch. */
static mbd_status list_rows(const mbd_model *m, int *count, mbd_nonzeros *at, mbd_error *err) {
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = 0; r < c->ops->nphi; r++) { count[c->row + r] = c->lift.ncol; }
  }
  MBD_TRY(allocate(m->nphi, count, at, err));
  for (int i = 0; i < m->nconstraint; i++) {
    const mbd_constraint *c = &m->constraint[i];
    for (int r = c->row; r < c->row + c->ops->nphi; r++) {
      int *col = mbd_nonzeros_row(at, r, m->nz);
      memcpy(col, c->lift.col, (size_t)c->lift.ncol * sizeof *col);
      mbd_sort_numbers(c->lift.ncol, col);
    }
  }
  return MBD_OK;
}

static mbd_status find(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at, int *count,
                       mbd_error *err) {
  MBD_TRY(list_inertia(m, count, M_at, err));
  MBD_TRY(list_tangent(m, M_at, count, K_at, err));
  return list_rows(m, count, Phi_at, err);
}

mbd_status nonzeros_create(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at,
                           mbd_error *err) {
  const size_t n = (size_t)m->nz, rows = (size_t)m->nphi;
  int *count = calloc((n > rows ? n : rows) + 1, sizeof *count);
  mbd_nonzeros unused = {0};
  if (!count) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation"); }
  const mbd_status status = find(m, M_at ? M_at : &unused, K_at, Phi_at, count, err);
  nonzeros_destroy(&unused);
  free(count);
  return status;
}
