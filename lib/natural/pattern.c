/* Finds the nonzeros of Phi_q: the rows of an element have the three columns of every point and vector in its arguments, and the columns of
 * its coordinates.
 * Equations: theory.md §4.1 (4.7), differentiated. */
#include <stdlib.h>

#include "base/memory.h"
#include "natural/build.h"

enum { MAX = CONSTRAINT_ARG_MAX * NATURAL_TERMS };

/* Lists the first variables of the points and vectors in an argument (three columns each), or its coordinate (one column); -1: constant.
 * Returns their number. */
static int starts_of(const natural *n, const mbd_arg *x, int start[NATURAL_TERMS]) {
  if (x->kind == MBD_ARG_COORDINATE) {
    start[0] = x->b;
    return 1;
  }
  const int count = natural_terms(n, NULL, x, start, NULL);
  for (int k = 0; k < count; k++) { start[k] = n->basic[start[k]].q; }
  return count;
}

/* Lists the first variables of all arguments of an element, increasing, each once. */
static int starts_of_element(const natural *n, const natural_element *e, int list[MAX]) {
  int count = 0, kept = 0, start[NATURAL_TERMS];
  for (int a = 0; a < e->ops->narg; a++) {
    const int terms = starts_of(n, &e->arg[a], start);
    for (int k = 0; k < terms; k++) {
      if (start[k] >= 0) { list[count++] = start[k]; }
    }
  }
  mbd_sort_numbers(count, list);
  for (int i = 0; i < count; i++) {
    if (i == 0 || list[i] != list[i - 1]) { list[kept++] = list[i]; }
  }
  return kept;
}

static int width_at(const natural *n, int start) {
  return start < n->nq - n->nadded ? 3 : 1;
}

static int columns_of(const natural *n, int count, const int *list) {
  int columns = 0;
  for (int i = 0; i < count; i++) { columns += width_at(n, list[i]); }
  return columns;
}

/* Fills the rows of an element, from row e->row on. */
static void fill_rows(natural *n, const natural_element *e, int count, const int *list) {
  const int columns = columns_of(n, count, list);
  for (int r = 0; r < e->ops->nphi; r++) {
    int at = n->first[e->row + r];
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < width_at(n, list[i]); k++) { n->col[at++] = list[i] + k; }
    }
    n->first[e->row + r + 1] = n->first[e->row + r] + columns;
  }
}

static void fill_slots(natural *n, const natural_element *e, int count, const int *list) {
  int start[NATURAL_TERMS];
  for (int a = 0; a < e->ops->narg; a++) {
    const int terms = starts_of(n, &e->arg[a], start);
    for (int k = 0; k < terms; k++) {
      int before = 0;
      while (before < count && list[before] != start[k]) { before++; }
      n->slot[e->slot + NATURAL_TERMS * a + k] = start[k] < 0 ? -1 : columns_of(n, before, list);
    }
  }
}

/* Counts the entries of all rows, takes the memory, then fills in the columns and the places of each argument's terms. */
mbd_status pattern_find(natural *n, mbd_error *err) {
  int list[MAX], entries = 0, slots = 0;
  for (int i = 0; i < n->nelement; i++) {
    natural_element *e = &n->element[i];
    entries += e->ops->nphi * columns_of(n, starts_of_element(n, e, list), list);
    e->slot = slots;
    slots += NATURAL_TERMS * e->ops->narg;
  }
  n->first = calloc((size_t)n->nphi + 1, sizeof *n->first);
  n->col = calloc((size_t)entries + 1, sizeof *n->col);
  n->slot = calloc((size_t)slots + 1, sizeof *n->slot);
  if (!n->first || !n->col || !n->slot) { NATURAL_NO_MEMORY(err); }
  for (int i = 0; i < n->nelement; i++) {
    const natural_element *e = &n->element[i];
    const int count = starts_of_element(n, e, list);
    fill_rows(n, e, count, list);
    fill_slots(n, e, count, list);
  }
  return MBD_OK;
}
