#include "la/eigen.h"

#include <stdlib.h>

#if defined(MBD_HAVE_LAPACK) && !defined(MBD_COMPLEX)

extern void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *re, double *im,
                   double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
                   size_t left_length, size_t right_length);

/* Our rows are Fortran's columns: of the transposed matrix the left eigenvectors are ours, up to conjugation. */
mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err) {
  const int lwork = 20 * n + 1, one = 1;
  int info = 0;
  double unused = 0, *work = malloc((size_t)lwork * sizeof *work);
  if (!work) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for eigenvalues"); }
  dgeev_("V", "N", &n, a, &n, re, im, v, &n, &unused, &one, work, &lwork, &info, 1, 1);
  free(work);
  if (info) { MBD_FAIL(err, MBD_NO_CONVERGENCE, "the eigenvalues of the linearized motion did not converge"); }
  for (int i = 0; i < n; i++) {
    if (im[i] >= 0) { continue; }
    for (int k = 0; k < n; k++) {
      v[i * n + k] = -v[i * n + k];
    } /* u^H A' = lam u^H: conj(u) is the eigenvector of A */
  }
  return MBD_OK;
}

#else

mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err) {
  (void)n, (void)a, (void)re, (void)im, (void)v;
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "eigenvalues need LAPACK, which this program is built without (Debian: libopenblas-dev)");
}

#endif
