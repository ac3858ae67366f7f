/* A square sparse matrix that is factored often and solved often, always with nonzeros in the same places.
 *
 * KLU of SuiteSparse: the order of elimination (AMD of the pattern, pivots on the diagonal) and the memory of the factors
 * come from the pattern alone, once, so that a factorization is arithmetic only: the same matrix gives the same bits
 * whatever has been factored before. A matrix for which the diagonal is not good enough gets pivots of its own, in new
 * memory. */
#ifndef MBD_SPARSE_H
#define MBD_SPARSE_H

#include "la/dense.h"

typedef struct mbd_sparse mbd_sparse;

int mbd_sparse_available(void); /* 0: built without KLU */

/* at: the places, row by row in increasing columns, the diagonal among them; not kept.
 * MBD_NOT_BUILT_IN, with the package to install, in a build without KLU. */
mbd_status mbd_sparse_create(int n, const mbd_nonzeros *at, mbd_sparse **out, mbd_error *err);

/* The columns in which the rows of a matrix can differ from zero: those of row i are col[first[i]], ..., col[first[i + 1] - 1]. */
typedef struct mbd_columns {
  int *first, *col;
} mbd_columns;

/* The same with the places of J'J and its diagonal, for J [m][n]. */
mbd_status mbd_sparse_create_gram(int m, int n, const mbd_columns *J, mbd_sparse **out, mbd_error *err);

void mbd_sparse_destroy(mbd_sparse *s); /* NULL allowed */

/* The values, row by row in the order of the places: to be set before a factorization, which leaves them as they are. */
int mbd_sparse_count(const mbd_sparse *s);
mbd_real *mbd_sparse_values(mbd_sparse *s);
int mbd_sparse_place(const mbd_sparse *s, int i, int j); /* of entry i, j among them; -1: always zero */
mbd_columns mbd_sparse_places(const mbd_sparse *s);      /* all of them, row by row; the matrix owns the lists */
int mbd_sparse_place_after(const mbd_sparse *s, int place, int i,
                           int j);                     /* the same, found at once where it follows `place` of the row */
void mbd_sparse_set(mbd_sparse *s, const mbd_real *A); /* from A [n][n], at its nonzeros */

/* Multiplications and additions of a factorization. */
double mbd_sparse_flops(const mbd_sparse *s);

/* MBD_SINGULAR (no text) for a pivot below 1e-15 of the largest value, or not finite; MBD_NO_MEMORY. */
mbd_status mbd_sparse_factor(mbd_sparse *s);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_sparse_solve(mbd_sparse *s, int transposed, int k, mbd_real *b);

#endif
