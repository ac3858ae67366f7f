/* Rows of the histories of outputs, and the polynomials between them: of degree three for integrators of order two, of degree five for
 * the others, through the nearest rows (Lagrange).
 * Equations: theory.md §6 (6.2). */
#include <stdlib.h>

#include "objective/histories.h"

static int grow(void **list, size_t bytes) {
  void *grown = realloc(*list, bytes ? bytes : 1);
  if (grown) { *list = grown; }
  return grown != NULL;
}

mbd_status history_reserve(history *h, int rows, mbd_error *err) {
  const size_t n = (size_t)rows, row = (size_t)h->ncolumn * sizeof(mbd_real);
  if (rows <= h->capacity) { return MBD_OK; }
  if (!grow((void **)&h->t, n * sizeof *h->t) || !grow((void **)&h->q, n * sizeof *h->q) ||
      !grow((void **)&h->y, n * row) || !grow((void **)&h->yp, n * row * (size_t)h->np) ||
      !grow((void **)&h->reverse, n * (size_t)h->nbar * sizeof *h->reverse)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the histories of %d outputs at %d points", h->ncolumn, rows);
  }
  h->capacity = rows;
  return MBD_OK;
}

void history_release(history *h) {
  free(h->t), free(h->q), free(h->y), free(h->yp), free(h->reverse);
}

int history_cell(const history *h, mbd_value t) {
  int low = 0, high = h->rows - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (mbd_if(h->t[middle] <= t)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Lagrange's polynomial of row j among the rows of the point, with two derivatives: products of (t - t_i)/(t_j - t_i). */
static void weigh(const history *h, int j, history_point *p) {
  const double *t = h->t + p->first;
  mbd_real v = 1, d = 0, dd = 0;
  for (int i = 0; i < p->n; i++) {
    if (i == j) { continue; }
    const double slope = 1 / (t[j] - t[i]);
    const mbd_real factor = (p->t - t[i]) * slope;
    dd = dd * factor + 2 * d * slope;
    d = d * factor + v * slope;
    v *= factor;
  }
  p->at[j] = v, p->rate[j] = d, p->bend[j] = dd;
}

void history_point_at(const history *h, int cell, mbd_real t, history_point *p) {
  const int n = h->rows < h->stencil ? h->rows : h->stencil, max = h->rows - n;
  const int first = cell - n / 2 + 1;
  p->t = t, p->n = n;
  p->first = first < 0 ? 0 : first > max ? max : first;
  for (int j = 0; j < n; j++) { weigh(h, j, p); }
}

void history_point_of_row(const history *h, int row, history_point *p) {
  *p = (history_point){.t = h->t[row], .first = row, .n = 1, .at = {1}};
}

mbd_real history_sum(const history *h, const history_point *p, const mbd_real *weight, int column) {
  const mbd_real *y = h->y + (size_t)p->first * (size_t)h->ncolumn + column;
  mbd_real sum = 0;
  for (int j = 0; j < p->n; j++) { sum += weight[j] * y[j * h->ncolumn]; }
  return sum;
}

mbd_real history_sum_sens(const history *h, const history_point *p, const mbd_real *weight, int column, int a) {
  mbd_real sum = 0;
  for (int j = 0; j < p->n; j++) {
    const size_t at = (size_t)(p->first + j) * (size_t)h->ncolumn + (size_t)column;
    sum += weight[j] * h->yp[at * (size_t)h->np + (size_t)a];
  }
  return sum;
}
