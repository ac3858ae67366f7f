/* LU factors of those rows and columns of a packed matrix that have pivots, in an order of pivots that is given: as many rows as columns.
 * The places of the factors are found once for an order, so that a factorization is arithmetic only, and no row is
 * exchanged; it returns a measure of the pivots' accuracy. */
#ifndef MBD_PIVOTS_H
#define MBD_PIVOTS_H

#include "base/memory.h"
#include "la/packed.h"

typedef struct mbd_pivots {
  int rank, capacity;
  int *row, *col;    /* [rank] row and column of every pivot, in their order */
  int *order;        /* [n] where a column stands in that order; -1: it has no pivot */
  int *first, *mid;  /* [rank + 1], [rank] where the places of row i of the factors begin, and those behind its pivot */
  int *at;           /* [capacity] columns in the order of pivots, ascending in every row */
  mbd_real *val;     /* [capacity] L, of unit diagonal, before the pivot, U behind it */
  mbd_real *inverse; /* [rank] of the pivots */
  mbd_real *y;       /* [rank][k] */
  unsigned char *mark;
} mbd_pivots;

/* Memory for matrices of m rows and n columns, for factors of `capacity` places and solutions with k right-hand sides. */
void mbd_pivots_layout(mbd_pivots *pivots, size_t m, size_t n, size_t capacity, size_t k, mbd_arena *a);

/* The order of the pivots of a matrix with the places of J, of n columns. 0: no capacity for the fill, and there is no order. */
int mbd_pivots_set(mbd_pivots *pivots, int n, const mbd_packed *J, int rank, const int *row, const int *col);

/* Factors of J. Returns the smallest ratio of a pivot to the largest entry of its row of U; 0: a pivot is zero or not finite. */
double mbd_pivots_factor(mbd_pivots *pivots, const mbd_packed *J);

/* With A the rows and columns that have pivots: x := A^-1 b of b [m][k] in the columns of x [n][k], b := A'^-1 x of x [n][k] in the rows of
 * b [m][k]; the other entries of x or b do not change. */
void mbd_pivots_solve(const mbd_pivots *pivots, int k, const mbd_real *b, mbd_real *x);
void mbd_pivots_solve_T(const mbd_pivots *pivots, int k, const mbd_real *x, mbd_real *b);

#endif
