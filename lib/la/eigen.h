/* Eigenvalues of a general matrix, by LAPACK. */
#ifndef MBD_EIGEN_H
#define MBD_EIGEN_H

#include "mbd/status.h"

/* a [n][n] overwritten; eigenvalues re, im [n], pairs with im > 0 first; v [n][n]: row i is the eigenvector of eigenvalue
 * i, of a pair i, i+1 its real part and its imaginary part. MBD_NOT_BUILT_IN: built without LAPACK. Allocates. */
mbd_status mbd_eigen(int n, double *a, double *re, double *im, double *v, mbd_error *err);

#endif
