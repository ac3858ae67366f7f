/* Finds the places where the matrices of a time step can differ from zero, from the tree and the coordinates of the elements.
 * Equations: theory.md §5.1 (5.3). */
#include <stdlib.h>
#include <string.h>

#include "formulation/matrices.h"

/* Memory for lists with count[i] columns in row i, which the caller frees by nonzeros_destroy. */
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
  free((void *)at->first);
  *at = (mbd_nonzeros){0};
}

/* Where marks [n][n] are set; count [n]: scratch. */
static mbd_status list_marks(int n, const unsigned char *mark, int *count, mbd_nonzeros *at, mbd_error *err) {
  memset(count, 0, (size_t)n * sizeof *count);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { count[i] += mark[(size_t)i * (size_t)n + (size_t)j]; }
  }
  MBD_TRY(allocate(n, count, at, err));
  mbd_nonzeros_list(n, n, mark, at);
  return MBD_OK;
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

/* Rows of Phi_z; count [nphi]: scratch. */
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
      qsort(col, (size_t)c->lift.ncol, sizeof *col, ascending);
    }
  }
  return MBD_OK;
}

static mbd_status find(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at,
                       unsigned char *mark, int *count, mbd_error *err) {
  const int n = m->nz;
  motion_mark_inertia(m, mark);
  if (M_at) { MBD_TRY(list_marks(n, mark, count, M_at, err)); }
  motion_mark_forces(m, mark);
  motion_mark_constraints(m, mark);
  MBD_TRY(list_marks(n, mark, count, K_at, err));
  return list_rows(m, count, Phi_at, err);
}

mbd_status nonzeros_create(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at,
                           mbd_error *err) {
  const size_t n = (size_t)m->nz, rows = (size_t)m->nphi;
  unsigned char *mark = calloc(n * n + 1, 1);
  int *count = calloc((n > rows ? n : rows) + 1, sizeof *count);
  if (!mark || !count) {
    free(mark), free(count);
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the nonzeros of a simulation");
  }
  const mbd_status status = find(m, M_at, K_at, Phi_at, mark, count, err);
  free(mark), free(count);
  return status;
}
