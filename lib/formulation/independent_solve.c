/* The kinematic problems [Phi_z; B] x = [b; xi] on the factors of a choice of independent coordinates, and their transpose (independent.h).
 * Equations: theory.md §5.3 (5.6). */
#include <string.h>

#include "formulation/independent.h"
#include "la/dense.h"

void independent_solve(independent *indep, int k, const mbd_real *b, const mbd_real *xi, mbd_real *x) {
  if (indep->ops) {
    indep->ops->solve(indep, k, b, xi, x);
    return;
  }
  const int nz = indep->m->nz;
  /* x_i = xi in the independent coordinates. */
  for (int j = 0; j < nz; j++) {
    const int f = indep->index[j];
    for (int c = 0; c < k; c++) { x[j * k + c] = f >= 0 && xi ? xi[f * k + c] : 0; }
  }
  /* J_dd x_d = b - J_di x_i in the dependent ones, block by block, theory.md §5.3 (5.6). */
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *p = &indep->block[i];
    for (int r = 0; r < p->rank; r++) {
      const mbd_real *row = independent_used_row(p, r);
      for (int c = 0; c < k; c++) { indep->t[r * k + c] = b ? b[p->row[p->use[r]] * k + c] : 0; }
      for (int j = p->rank; xi && j < p->ncol; j++) {
        const mbd_real v = row[p->order[j]], *y = x + p->col[p->order[j]] * k;
        for (int c = 0; c < k; c++) { indep->t[r * k + c] -= v * y[c]; }
      }
    }
    mbd_lu_solve(p->rank, p->lu, p->piv, k, indep->t);
    for (int r = 0; r < p->rank; r++) { memcpy(x + p->col[p->order[r]] * k, indep->t + r * k, (size_t)k * sizeof *x); }
  }
}

/* Solves the transposed problem block by block:  t = J_dd^-T x_d,  b = t,  xi = x_i - J_di' t */
void independent_solve_T(independent *indep, int k, const mbd_real *x, mbd_real *b, mbd_real *xi) {
  if (indep->ops) {
    indep->ops->solve_T(indep, k, x, b, xi);
    return;
  }
  if (b) { memset(b, 0, (size_t)indep->m->nphi * (size_t)k * sizeof *b); }
  independent_read(indep, k, x, xi);
  for (int i = 0; i < indep->nblock; i++) {
    const independent_block *p = &indep->block[i];
    for (int r = 0; r < p->rank; r++) { memcpy(indep->t + r * k, x + p->col[p->order[r]] * k, (size_t)k * sizeof *x); }
    /* t of this block, which goes to b and, by the columns of the independent coordinates, to xi */
    mbd_lu_solve_T(p->rank, p->lu, p->piv, k, indep->t);
    for (int r = 0; r < p->rank; r++) {
      const mbd_real *row = independent_used_row(p, r), *t = indep->t + r * k;
      if (b) { memcpy(b + p->row[p->use[r]] * k, t, (size_t)k * sizeof *b); }
      for (int j = p->rank; j < p->ncol; j++) {
        mbd_real *y = xi + indep->index[p->col[p->order[j]]] * k;
        for (int c = 0; c < k; c++) { y[c] -= row[p->order[j]] * t[c]; }
      }
    }
  }
}

void independent_read(const independent *indep, int k, const mbd_real *x, mbd_real *xi) {
  for (int f = 0; f < indep->nf; f++) { memcpy(xi + f * k, x + indep->free[f] * k, (size_t)k * sizeof *x); }
}

void independent_add(const independent *indep, int k, const mbd_real *xi, mbd_real *x) {
  for (int f = 0; f < indep->nf; f++) {
    for (int c = 0; c < k; c++) { x[indep->free[f] * k + c] += xi[f * k + c]; }
  }
}
