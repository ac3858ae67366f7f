/* Factors of sparse matrices whose nonzeros are at symmetric places that do not change, without exchanges: L D U with
 * units on the diagonals of L and U, and L D L' for symmetric positive definite matrices, which takes half of the
 * operations. A panel is a dense matrix of neighbouring columns of L with the same rows below; rows of U are stored in
 * the same way. Complex symmetric matrices are not Hermitian; they count as positive definite if their real parts
 * are. */
#ifndef MBD_LDL_H
#define MBD_LDL_H

#include "la/dense.h"

typedef struct mbd_ldl mbd_ldl;

/* first [n + 1], col: the places row by row, symmetric and with the diagonal; order [n]: the row of every pivot. Both
 * are copied. symmetric: 1 if the values are symmetric, too. The caller owns *out; mbd_ldl_destroy accepts NULL.
 * MBD_NO_MEMORY. */
mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, int symmetric, mbd_ldl **out,
                          mbd_error *err);
void mbd_ldl_destroy(mbd_ldl *ldl);

/* Factors the matrix with the values `val` at the places; of a symmetric matrix only those with j >= i are read.
 * Returns 0 if there are no factors without exchanges: for a symmetric matrix, if a pivot is not above `min` > 0
 * times the largest entry of the diagonal, or is not a number; for another one, if the size of a pivot is not above
 * `min` times the largest value, or is not a number, or an entry in a row of L D exceeds `growth` times the largest
 * entry of this row of the matrix. */
int mbd_ldl_factor(mbd_ldl *ldl, const mbd_real *val, double min, double growth);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_ldl_solve(const mbd_ldl *ldl, int transposed, int k, mbd_real *b);

#endif
