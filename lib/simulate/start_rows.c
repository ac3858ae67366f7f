#include "simulate/start_rows.h"

#include <stdlib.h>

#include "model/coupled.h"

/* Sets are numbered in the order of their first coordinates; block [nz]. Returns their number. */
static int number_sets(int nz, int *up, int *number, int *block) {
  int n = 0;
  for (int j = 0; j < nz; j++) { number[j] = -1; }
  for (int j = 0; j < nz; j++) {
    const int set = coupled_set(up, j);
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

mbd_status start_rows_create(motion_rows rows, int most, mbd_blocks **out, mbd_error *err) {
  const mbd_model *m = rows.m;
  const int nrow = rows.nrow, nz = m->nz;
  int *up = calloc(3 * (size_t)nz + (size_t)nrow + 1, sizeof *up);
  *out = NULL;
  if (!up) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the equations of the start"); }
  int *number = up + nz, *col_block = number + nz, *row_block = col_block + nz;
  coupled_begin(nz, up);
  coupled_join(m->constraint, m->nconstraint, up);
  coupled_join(m->hold, rows.nhold, up);
  const int n = number_sets(nz, up, number, col_block);
  number_rows(m->constraint, m->nconstraint, col_block, row_block);
  number_rows(m->hold, rows.nhold, col_block, row_block + m->nphi);
  mbd_status status = mbd_blocks_create(n, nrow, row_block, nz, col_block, most, out, err);
  free(up);
  return status;
}
