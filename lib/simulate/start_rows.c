#include "simulate/start_rows.h"

#include <stdlib.h>

/* Sets of coordinates: every one points to another of its set, the last to itself. */
static int set_of(int *up, int j) {
  while (up[j] != j) { j = up[j] = up[up[j]]; }
  return j;
}

static void join_columns(const mbd_constraint *list, int n, int *up) {
  for (int i = 0; i < n; i++) {
    const mbd_lift *l = &list[i].lift;
    for (int c = 1; c < l->ncol; c++) { up[set_of(up, l->col[c])] = set_of(up, l->col[0]); }
  }
}

/* Sets are numbered in the order of their first coordinates; block [nz]. Returns their number. */
static int number_sets(int nz, int *up, int *number, int *block) {
  int n = 0;
  for (int j = 0; j < nz; j++) { number[j] = -1; }
  for (int j = 0; j < nz; j++) {
    const int set = set_of(up, j);
    if (number[set] < 0) { number[set] = n++; }
    block[j] = number[set];
  }
  return n;
}

static void number_rows(const mbd_constraint *list, int n, const int *col_block, int *row_block) {
  for (int i = 0; i < n; i++) {
    const mbd_lift *l = &list[i].lift;
    for (int r = 0; r < list[i].ops->nphi; r++) { row_block[list[i].row + r] = l->ncol ? col_block[l->col[0]] : -1; }
  }
}

mbd_status start_rows_create(const mbd_model *m, int most, mbd_blocks **out, mbd_error *err) {
  const int nrow = m->nphi + m->nhold_row, nz = m->nz;
  int *up = calloc(3 * (size_t)nz + (size_t)nrow + 1, sizeof *up);
  *out = NULL;
  if (!up) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the equations of the start"); }
  int *number = up + nz, *col_block = number + nz, *row_block = col_block + nz;
  for (int j = 0; j < nz; j++) { up[j] = j; }
  join_columns(m->constraint, m->nconstraint, up);
  join_columns(m->hold, m->nhold, up);
  const int n = number_sets(nz, up, number, col_block);
  number_rows(m->constraint, m->nconstraint, col_block, row_block);
  number_rows(m->hold, m->nhold, col_block, row_block + m->nphi);
  mbd_status status = mbd_blocks_create(n, nrow, row_block, nz, col_block, most, out, err);
  free(up);
  return status;
}
