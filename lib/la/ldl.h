/* Factors L D L' of symmetric positive definite sparse matrices with places that do not change: half of the operations of LU, on
 * panels, which are neighbouring columns of L with nearly the same rows, stored as one dense matrix each. Complex matrices are symmetric, not
 * Hermitian, and are positive definite if their real parts are. */
#ifndef MBD_LDL_H
#define MBD_LDL_H

#include "la/dense.h"

typedef struct mbd_ldl mbd_ldl;

/* first [n + 1], col: the places row by row, symmetric and with the diagonal; order [n]: the row of every pivot. Neither is kept.
 * MBD_NO_MEMORY. Owned by the caller; NULL may be destroyed. */
mbd_status mbd_ldl_create(int n, const int *first, const int *col, const int *order, mbd_ldl **out, mbd_error *err);
void mbd_ldl_destroy(mbd_ldl *q);

/* From the values at the places, of which those with j >= i are read. 1: done; 0: a pivot is not above `least` > 0 of the largest entry of
 * the diagonal, or is not a number, and there are no factors. */
int mbd_ldl_factor(mbd_ldl *q, const mbd_real *val, double least);

/* b [n][k] := A^-1 b */
void mbd_ldl_solve(const mbd_ldl *q, int k, mbd_real *b);

#endif
