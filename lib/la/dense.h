/* Dense linear algebra of system size, row-major, over mbd_real. No allocation.
 *
 * Plain loops that run along rows: they factor as fast as a tuned library up to orders of about sixty; larger systems of
 * the product build go to LAPACK, where it is there. Several right-hand sides are one array [n][nrhs] and are solved
 * together. */
#ifndef MBD_DENSE_H
#define MBD_DENSE_H

#include <stddef.h>

#include "base/real.h"
#include "mbd/status.h"

/* LU with threshold pivoting: the diagonal, unless it is far below the largest of its column (by magnitude of the real
 * part). a [n][n] overwritten, piv [n]; both only for the solver.
 * MBD_SINGULAR (no text) for a pivot below 1e-15 of the largest entry of the diagonal or of a pivot before it, or not finite. */
mbd_status mbd_lu_factor(int n, mbd_real *a, int *piv);

/* A diagonal entry is pivot unless it is this much smaller than the largest of its column: exchanges fill up branches.
 * The matrices here are near positive definite ones, for which the diagonal is as good as any. */
#define MBD_DIAGONAL_FROM 0.1

/* Parts of mbd_lu_factor, for the same elimination at known places (fill.h): is the order one that a library factors; is a pivot none at
 * the level of rounding beside `most`, the largest entry of the diagonal or pivot so far; rows `from` to 0, after those behind them. */
int mbd_lu_by_library(int n);
double mbd_largest_of_diagonal(int n, const mbd_real *a);
int mbd_is_pivot(double pivot, double most);
mbd_status mbd_lu_factor_rest(int n, int from, double most, mbd_real *a, int *piv);

/* b [n][nrhs] := A^-1 b */
void mbd_lu_solve(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b);

/* c [m][n] += s a [m][k] b [k][n] */
void mbd_mul_add(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_real *b, mbd_real *c);

/* c [k][n] += s a' b,  a [m][k], b [m][n] */
void mbd_mulT_add(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_real *b, mbd_real *c);

/* Where a matrix [m][n] is not zero: for every row the number of such columns, and the columns. Caller's memory. */
typedef struct mbd_nonzeros {
  int *count;       /* [m] */
  int *col;         /* the first count[i] of row i are from first[i] on */
  const int *first; /* [m]; NULL: i n */
} mbd_nonzeros;

/* The columns of row i of a matrix with n columns. */
static inline int *mbd_nonzeros_row(const mbd_nonzeros *z, int i, int n) {
  return z->col + (z->first ? (size_t)z->first[i] : (size_t)i * (size_t)n);
}

void mbd_nonzeros_find(int m, int n, const mbd_real *a, const mbd_nonzeros *z);
void mbd_nonzeros_list(int m, int n, const unsigned char *mark, const mbd_nonzeros *z); /* where marks [m][n] are set */

/* Products as above with a matrix whose nonzeros are known (NULL: they are not): it pays from two or three right-hand sides on. */
void mbd_mul_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                    mbd_real *c);
void mbd_mulT_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                     mbd_real *c);
/* b [n][nrhs] := A'^-1 b on the same factors */
void mbd_lu_solve_T(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b);

/* Rank of a [m][n] (overwritten), behind which there is room for m numbers more, by elimination with complete pivoting: pivots
 * below tol * (the largest entry) count as zero. row [m], col [n]: the independent rows and their pivot columns come first. */
int mbd_rank(int m, int n, double *a, double tol, int *row, int *col);
/* The same with pivots that count as zero up to `smallest`. */
int mbd_rank_above(int m, int n, double *a, double smallest, int *row, int *col);

static inline mbd_real mbd_dot(int n, const mbd_real *x, const mbd_real *y) {
  mbd_real sum = 0;
  for (int i = 0; i < n; i++) { sum += x[i] * y[i]; }
  return sum;
}

/* y += s x */
static inline void mbd_axpy(int n, mbd_real s, const mbd_real *x, mbd_real *y) {
  for (int i = 0; i < n; i++) { y[i] += s * x[i]; }
}

/* Largest magnitude among n numbers' real parts; NaN if one is not finite. */
double mbd_norm_inf(int n, const mbd_real *x);

#endif
