/* Eigenvalues of a general matrix, by LAPACK. */
#ifndef MBD_EIGEN_H
#define MBD_EIGEN_H

#include "mbd/status.h"

/* Eigenvalues re, im [n] of a [n][n], which is overwritten; of each pair the one with im > 0 comes first. Row i of v [n][n] is the
 * eigenvector of eigenvalue i; of a pair i, i+1 the two rows are its real part and its imaginary part. MBD_NOT_BUILT_IN: built
 * without LAPACK. Allocates. */
mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err);

/* The largest row of |A x - lam x|, relative to that row of |A| + |lam| and to the largest component of x: lam = re + i im, A = a [n][n],
 * x = v + i w [n]; w NULL: real. */
double mbd_eigen_residual(int n, const double *a, double re, double im, const double *v, const double *w);

#endif
