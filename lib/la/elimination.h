/* Factors A = L D U of a sparse matrix with pivots on the diagonal, in a given order: all places and what is added to what
 * are known from the nonzeros alone, so that a factorization is arithmetic on runs of neighbouring numbers.
 *
 * Nonzeros count as symmetric: row k of U beyond the diagonal and column k of L below it have the same places S_k. */
#ifndef MBD_ELIMINATION_H
#define MBD_ELIMINATION_H

#include "la/dense.h"

typedef struct mbd_elimination mbd_elimination;

/* at: nonzeros of the matrix [n][n], the diagonal among them; order [n]: row and column of each pivot. Neither is kept. */
mbd_status mbd_elimination_create(int n, const mbd_nonzeros *at, const int *order, mbd_elimination **out,
                                  mbd_error *err);
void mbd_elimination_destroy(mbd_elimination *e); /* NULL allowed */

double mbd_elimination_flops(const mbd_elimination *e); /* multiplications and additions of a factorization */

/* The matrix: its values, to be set before a factorization, which leaves them as they are. Zero where nothing is set. The
 * number of pivot k is the place of its diagonal entry; entries beyond the diagonal, in the order of pivots, stand before
 * those below it, by which `mirror` differs. */
mbd_real *mbd_elimination_values(mbd_elimination *e);
int mbd_elimination_count(const mbd_elimination *e);
int mbd_elimination_place(const mbd_elimination *e, int i, int j); /* of entry i, j; -1: always zero */
int mbd_elimination_mirror(const mbd_elimination *e); /* place of j, i less that of i, j, the pivot i before j */

/* 0 if a pivot is not above `least`, or entries of a row of U are not below `growth` times the largest that the matrix has in
 * the row and column from this pivot on, or something is not a number; 1: factors can be used. */
int mbd_elimination_factor(mbd_elimination *e, double least, double growth);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_elimination_solve(mbd_elimination *e, int transposed, int k, mbd_real *b);

#endif
