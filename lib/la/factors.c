#include "la/factors.h"

mbd_status mbd_factors_make(mbd_factors *f) {
  return f->sparse ? mbd_sparse_factor(f->sparse) : mbd_lu_factor(f->n, f->lu, f->piv);
}

void mbd_factors_solve(const mbd_factors *f, const mbd_nonzeros *at, int transposed, int k, mbd_real *b) {
  if (f->sparse) {
    mbd_sparse_solve(f->sparse, transposed, k, b);
  } else {
    (transposed ? mbd_lu_solve_T : mbd_lu_solve_at)(f->n, f->lu, f->piv, at, k, b);
  }
}
