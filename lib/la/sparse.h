/* A square sparse matrix that is factored and solved many times, always with its nonzeros in the same places.
 *
 * KLU of SuiteSparse finds the order of elimination (AMD of the pattern, pivots on the diagonal) and takes the memory of the factors
 * once, from the pattern. A factorization then is arithmetic only, and the same matrix gives the same bits whatever was factored
 * before. A matrix whose diagonal pivots are too small is factored with exchanges, in new memory. */
#ifndef MBD_SPARSE_H
#define MBD_SPARSE_H

#include "la/dense.h"

typedef struct mbd_sparse mbd_sparse;

int mbd_sparse_available(void); /* 0: built without KLU */

/* at: the places, row by row in increasing columns, with the diagonal; not needed after the call.
 * MBD_NOT_BUILT_IN, with the package to install, in a build without KLU. */
mbd_status mbd_sparse_create(int n, const mbd_nonzeros *at, mbd_sparse **out, mbd_error *err);

/* The columns in which the rows of a matrix can differ from zero: those of row i are col[first[i]], ..., col[first[i + 1] - 1]. */
typedef struct mbd_columns {
  int *first, *col;
} mbd_columns;

/* The same with the places of J'J and the diagonal, for J [m][n]. */
mbd_status mbd_sparse_create_gram(int m, int n, const mbd_columns *J, mbd_sparse **out, mbd_error *err);

/* Declares all later matrices symmetric: values with j < i are not read, and positive definite matrices get factors L D
 * L' (ldl.h) in place of L U. */
mbd_status mbd_sparse_make_symmetric(mbd_sparse *s, mbd_error *err);
/* Matrices that need no exchanges get factors by panels (ldl.h) after this call, which take fewer instructions than
 * those of KLU. The places must be symmetric. */
mbd_status mbd_sparse_make_panels(mbd_sparse *s, mbd_error *err);
int mbd_sparse_is_symmetric(const mbd_sparse *s);

void mbd_sparse_destroy(mbd_sparse *s); /* NULL allowed */

/* The values, row by row in the order of the places. The caller sets them before a factorization, which does not change them. */
int mbd_sparse_count(const mbd_sparse *s);
mbd_real *mbd_sparse_values(mbd_sparse *s);
int mbd_sparse_place(const mbd_sparse *s, int i, int j); /* of entry i, j among them; -1: always zero */
mbd_columns mbd_sparse_places(const mbd_sparse *s);      /* all of them, row by row; the matrix owns the lists */
int mbd_sparse_place_after(const mbd_sparse *s, int place, int i,
                           int j); /* the same, found without a search if it follows `place` in the row */
/* Sets the values from A [n][n], or from a packed A, all of whose places `at` are places of s; a list `at` that has
 * been passed must not change. */
void mbd_sparse_set(mbd_sparse *s, const mbd_nonzeros *at, const mbd_real *A);

/* Number of multiplications and additions of a factorization. */
double mbd_sparse_flops(const mbd_sparse *s);

/* MBD_SINGULAR (no text) for a pivot below 1e-15 of the largest value, or not finite; MBD_NO_MEMORY. */
mbd_status mbd_sparse_factor(mbd_sparse *s);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_sparse_solve(mbd_sparse *s, int transposed, int k, mbd_real *b);

#endif
