/* Dense linear algebra with matrices of the order of the system, row-major, over mbd_real. No function allocates memory.
 *
 * Plain loops along rows factor as fast as a tuned library up to orders of about sixty. The build with real numbers
 * factors larger systems by LAPACK, if it was built with it. Several right-hand sides are one array [n][nrhs] and are
 * solved together. */
#ifndef MBD_DENSE_H
#define MBD_DENSE_H

#include <stddef.h>

#include "base/real.h"
#include "mbd/status.h"

/* LU factors with threshold pivoting: the pivot is the diagonal entry, unless it is far below the largest entry of its column (by
 * magnitude of the real part). a [n][n] is overwritten; only the functions below read a and piv [n].
 * MBD_SINGULAR (no text) for a pivot below 1e-15 of the largest entry of the diagonal or of a pivot before it, or not finite. */
mbd_status mbd_lu_factor(int n, mbd_real *a, int *piv);

/* A diagonal entry is the pivot if it is at least this part of the largest entry of its column. Exchanges of rows are avoided because
 * they fill places between branches. The matrices here are close to positive definite ones, for which the diagonal needs no exchange. */
#define MBD_DIAGONAL_FROM 0.1

/* Of entries that differ relatively by no more than this, the first one is the pivot: the left and the right side of a vehicle have equal entries
 * but for rounding, which grows along a motion and must not decide which coordinates are independent, or which equations are redundant. */
#define MBD_EQUAL_PIVOTS 1e-6

/* Parts of mbd_lu_factor, for the same elimination at known places (fill.h). The first one returns 1 if LAPACK factors
 * a matrix of this order; the second one, if a pivot exceeds the rounding of `max`, the largest diagonal entry or
 * pivot so far; the third one eliminates rows `from` to 0 after the rows behind them have been eliminated. */
int mbd_lu_by_library(int n);
double mbd_largest_of_diagonal(int n, const mbd_real *a);
int mbd_is_pivot(double pivot, double max);
mbd_status mbd_lu_factor_rest(int n, int from, double max, mbd_real *a, int *piv);

/* b [n][nrhs] := A^-1 b */
void mbd_lu_solve(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b);

/* c [m][n] += s a [m][k] b [k][n] */
void mbd_mul_add(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_real *b, mbd_real *c);

/* c [k][n] += s a' b,  a [m][k], b [m][n] */
void mbd_mulT_add(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_real *b, mbd_real *c);

/* The nonzeros of a matrix [m][n]: for every row their number and their columns. The caller owns the memory. */
typedef struct mbd_nonzeros {
  int *count;       /* [m] */
  int *col;         /* row i has count[i] of them, from first[i] on */
  const int *first; /* [m]; NULL: i n */
  const int *
      mirror; /* NULL: matrices are [m][n]; else they are packed: they have a number for each of these places alone, row by row, */
              /* and this is the place of the transposed entry, for each of the symmetric places of a square matrix */
} mbd_nonzeros;

/* The columns of row i of a matrix with n columns. */
static inline int *mbd_nonzeros_row(const mbd_nonzeros *z, int i, int n) {
  return z->col + (z->first ? (size_t)z->first[i] : (size_t)i * (size_t)n);
}

/* Number of all places of m rows. */
int mbd_nonzeros_places(int m, const mbd_nonzeros *z);

/* Sets the nonzeros z of a square matrix a of order n to zero; z NULL: all entries. */
void mbd_nonzeros_clear(int n, const mbd_nonzeros *z, mbd_real *a);

/* The place of entry i, j, which is one of the places, in a packed matrix; the second function returns it without a
 * search if it follows `place` in its row. */
int mbd_nonzeros_place(const mbd_nonzeros *z, int i, int j);
static inline int mbd_nonzeros_place_after(const mbd_nonzeros *z, int place, int i, int j) {
  const int next = place + 1;
  const int there = next > z->first[i] && next < z->first[i] + z->count[i] && z->col[next] == j;
  return there ? next : mbd_nonzeros_place(z, i, j);
}

/* The index of entry i, j in a matrix of n columns, packed or not (z may be NULL). */
static inline size_t mbd_entry(const mbd_nonzeros *z, int n, int i, int j) {
  return z && z->mirror ? (size_t)mbd_nonzeros_place(z, i, j) : (size_t)i * (size_t)n + (size_t)j;
}

/* Row i of a matrix a of n columns. *packed: 1, its entries at the places follow each other; 0, they are at their
 * columns. */
static inline const mbd_real *mbd_nonzeros_values(const mbd_nonzeros *z, int i, int n, const mbd_real *a, int *packed) {
  *packed = z->mirror != NULL;
  return a + (*packed ? (size_t)z->first[i] : (size_t)i * (size_t)n);
}

void mbd_nonzeros_find(int m, int n, const mbd_real *a, const mbd_nonzeros *z);
void mbd_nonzeros_list(int m, int n, const unsigned char *mark, const mbd_nonzeros *z); /* where marks [m][n] are set */

/* The same products with a matrix whose nonzeros are known (NULL: not known). They are faster from two or three right-hand sides on. */
void mbd_mul_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                    mbd_real *c);
void mbd_mulT_add_at(int m, int k, int n, mbd_real s, const mbd_real *a, const mbd_nonzeros *z, const mbd_real *b,
                     mbd_real *c);
/* b [n][nrhs] := A'^-1 b on the same factors */
void mbd_lu_solve_T(int n, const mbd_real *lu, const int *piv, int nrhs, mbd_real *b);

/* Rank of a [m][n] (overwritten) by elimination with complete pivoting; pivots below tol * (the largest entry) count as zero. The
 * array has room for m numbers behind the matrix. In row [m] and col [n] the independent rows and their pivot columns come first. */
int mbd_rank(int m, int n, double *a, double tol, int *row, int *col);
/* The same; pivots up to `smallest` count as zero. */
int mbd_rank_above(int m, int n, double *a, double smallest, int *row, int *col);

/* x := x less its part in the span of the orthonormal rows Q [count][n], taken away twice (twice is enough, Kahan). part [count] += the
 * coefficients of that part; NULL: not wanted. Returns the square of the length that is left. */
mbd_real mbd_orthogonalize(int n, int count, const mbd_real *Q, mbd_real *x, mbd_real *part);

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

/* The same for each design. */
#if MBD_DESIGNS > 1
mbd_value mbd_norm_of_each(int n, const mbd_real *x);
#else
#define mbd_norm_of_each mbd_norm_inf
#endif

#endif
