/* Factors of sparse matrices with symmetric places that do not change, without exchanges: L D U with units on the diagonals of L and U, and
 * L D L' of symmetric positive definite ones, which are half of the operations. They are stored in panels, which are neighbouring columns of
 * L with nearly the same rows, as one dense matrix each, and rows of U likewise. Complex matrices are symmetric, not Hermitian, and are positive definite
 * if their real parts are. */
#ifndef MBD_LDL_H
#define MBD_LDL_H

#include "la/dense.h"

typedef struct mbd_ldl mbd_ldl;

/* first [n + 1], col: the places row by row, symmetric and with the diagonal; order [n]: the row of every pivot. Neither is kept.
 * symmetric: the values are, too. MBD_NO_MEMORY. Owned by the caller; NULL may be destroyed. */
mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, int symmetric, mbd_ldl **out,
                          mbd_error *err);
void mbd_ldl_destroy(mbd_ldl *q);

/* From the values at the places, of which those with j >= i are read if they are symmetric. 1: done; 0: there are no factors. Symmetric: a
 * pivot is not above `least` > 0 of the largest entry of the diagonal, or is not a number. Else: the size of a pivot is not above `least` of the largest value, or is not a number, or a row of L D
 * has grown to more than `growth` times the largest entry of this row of the matrix. */
int mbd_ldl_factor(mbd_ldl *q, const mbd_real *val, double least, double growth);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_ldl_solve(const mbd_ldl *q, int transposed, int k, mbd_real *b);

#endif
