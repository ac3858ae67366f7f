/* The blocks of the rows of the assembly (start_rows.h): rows that share a coordinate are in one block.
 * Equations: theory.md §5.5. */
#include "simulate/start_rows.h"

#include <stdlib.h>

#include "model/coupled.h"

/* Numbers the sets in the order of their first coordinates; block [nz]. Returns their number. */
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

static size_t count_entries(const mbd_constraint *list, int n) {
  size_t entries = 0;
  for (int i = 0; i < n; i++) { entries += (size_t)list[i].ops->nphi * (size_t)list[i].lift.ncol; }
  return entries;
}

/* Lists the blocks and columns of the rows of a list, from row `row` on. Returns the row after them. */
static int number_rows(const mbd_constraint *list, int n, int row, const int *col_block, int *row_block,
                       mbd_columns *in) {
  for (int i = 0; i < n; i++) {
    const mbd_lift *l = &list[i].lift;
    for (int r = 0; r < list[i].ops->nphi; r++, row++) {
      row_block[row] = l->ncol ? col_block[l->col[0]] : -1;
      for (int k = 0; k < l->ncol; k++) { in->col[in->first[row] + k] = l->col[k]; }
      in->first[row + 1] = in->first[row] + l->ncol;
    }
  }
  return row;
}

mbd_status start_rows_create(motion_rows rows, int max, mbd_blocks **out, mbd_error *err) {
  const mbd_model *m = rows.m;
  const int nrow = rows.nrow, nz = m->nz;
  const size_t entries = count_entries(m->constraint, m->nconstraint) + count_entries(m->hold, rows.nhold);
  int *up = calloc(3 * (size_t)nz + 2 * (size_t)nrow + 1 + entries, sizeof *up);
  *out = NULL;
  if (!up) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the equations of the start"); }
  int *number = up + nz, *col_block = number + nz, *row_block = col_block + nz;
  mbd_columns in = {.first = row_block + nrow, .col = row_block + 2 * nrow + 1};
  /* Coordinates that occur in one row, of Phi or of the held quantities, are in one block. */
  coupled_begin(nz, up);
  coupled_join(m->constraint, m->nconstraint, up);
  coupled_join(m->hold, rows.nhold, up);
  const int n = number_sets(nz, up, number, col_block);
  /* The coordinates of each row, and the block that it belongs to. */
  const int held = number_rows(m->constraint, m->nconstraint, 0, col_block, row_block, &in);
  number_rows(m->hold, rows.nhold, held, col_block, row_block, &in);
  const mbd_block_rows all = {.n = nrow, .block = row_block, .in = in};
  mbd_status status = mbd_blocks_create(n, &all, nz, col_block, max, out, err);
  free(up);
  return status;
}
