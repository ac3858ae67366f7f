/* The engine of reports that stay small has no LAPACK, which the other one has. */
#include "la/rigid.h"

mbd_status mbd_eigen_rigid(int n, const double *a, const double *pair, int *nrigid, double *re, double *im, double *v,
                           double *w, double *residual, mbd_error *err) {
  (void)n, (void)a, (void)pair, (void)nrigid, (void)re, (void)im, (void)v, (void)w, (void)residual;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "the engine of this page has no eigenvalues");
}
