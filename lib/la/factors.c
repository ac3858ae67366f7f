#include "la/factors.h"

mbd_status mbd_factors_make(mbd_factors *f) {
  if (f->sparse) { return mbd_sparse_factor(f->sparse); }
  return f->fill ? mbd_fill_factor(f->fill, f->lu, f->piv, &f->within) : mbd_lu_factor(f->n, f->lu, f->piv);
}

void mbd_factors_solve(const mbd_factors *f, int transposed, int k, mbd_real *b) {
  if (f->sparse) {
    mbd_sparse_solve(f->sparse, transposed, k, b);
  } else if (f->within) {
    (transposed ? mbd_fill_solve_T : mbd_fill_solve)(f->fill, f->lu, k, b);
  } else {
    (transposed ? mbd_lu_solve_T : mbd_lu_solve)(f->n, f->lu, f->piv, k, b);
  }
}
