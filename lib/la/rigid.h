/* Eigenvalues of a general matrix A without the directions that it does not see: its null vectors, and vectors that it takes to these, and so on. */
#ifndef MBD_RIGID_H
#define MBD_RIGID_H

#include "mbd/status.h"

/* pair [2][n]: two vectors q that A turns into each other, A q_0 = a q_1, A q_1 = b q_0, a b < 0, if it does: the shifts in the plane of a frame that turns. They
 * come first among the rigid motions, with the eigenvalues +-i sqrt(-a b). NULL: there are none.
 *
 * Eigenvalues re, im [n] of a [n][n] with right vectors v and left vectors w [n][n] in rows, of a pair the real part and the imaginary part, the
 * one with im > 0 first: A v = lam v, w'A = lam w', w'v = 1 without conjugation, and w_i'v_j = 0.
 *
 * The first *nrigid are zero, or those of the pair: their rows of v are a basis of the subspace D with A D = D J, J nilpotent, which is found by vectors and their
 * residuals and not by the sizes of eigenvalues, since rounding moves those of a Jordan block far from zero; their rows of w are zero. The others are the
 * eigenvalues of A on the quotient space. residual [n]: of each v, relative as in mbd_eigen_residual, of the first ones that of A D - D J.
 *
 * Where eigenvectors are linearly dependent, as of a double eigenvalue in a Jordan block, w is not finite.
 * MBD_NOT_BUILT_IN: built without LAPACK. Allocates. Cost: O(n^3). */
mbd_status mbd_eigen_rigid(int n, const double *a, const double *pair, int *nrigid, double *re, double *im, double *v,
                           double *w, double *residual, mbd_error *err);

#endif
