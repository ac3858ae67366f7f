/* Least squares with a matrix J [nrow][ncol] that consists of blocks: rows and columns that its nonzeros connect. Every
 * block has separate memory, so that many small blocks take memory and time in proportion to their number. A block is
 * an ordinary dense matrix, or, if it is large and has few nonzeros, packed.
 *
 * Rows may be redundant. Unknowns that the rows leave free can be kept unchanged: each has an additional row with 1 in
 * its column, behind all other rows; J below includes these rows. */
#ifndef MBD_BLOCKS_H
#define MBD_BLOCKS_H

#include "base/memory.h"
#include "la/gram.h"
#include "la/rank.h"

typedef struct mbd_block {
  int nrow, ncol;
  int *row, *col; /* [nrow], [ncol] their numbers in J, increasing */
  mbd_columns in; /* of every row, where J can differ from zero, as numbers in the block */
  int entries;    /* number of these places */
  mbd_real *J;    /* [nrow][ncol]; [entries] of a packed block: at these places, row by row */
  mbd_real *N;    /* [ncol][ncol] factors of J'J, piv [ncol]; or sparse ones of a packed block, and N is NULL */
  int *piv;
  mbd_sparse *sparse;
  int ngroup, *group; /* [ngroup + 1] first rows of those with the same columns, if packed */
  mbd_gram *gram;     /* where their products are in the sparse matrix */
  int kept0, nkept;   /* the first and the number of its kept columns */
} mbd_block;

typedef struct mbd_blocks {
  int n, nrow, ncol, max; /* max: right-hand sides at once */
  mbd_block *block;       /* [n] */
  mbd_real **row;         /* [nrow] the row in the matrix of its block; rows without columns: NULL */
  int *at;                /* [ncol] number of a column in its block */
  unsigned char
      *packed; /* [nrow] 1: only the entries that can differ from zero are stored, in the order of mbd_block_rows */
  int nkept, *kept; /* [ncol] kept columns, block by block */
  int damped;       /* 1: the factors are those of J'J + damping */

  /* scratch of the largest block */
  mbd_real *b, *x, *step; /* [nrow + ncol][max], [ncol][max], [ncol][max] */
  double *rank_work;      /* one number for each entry and each row of the largest J that is not packed */
  int *rank_row, *rank_col;
  mbd_rank_memory rank_memory; /* of blocks with sparse factors */
  int *rest_row, *rest_col;    /* [nrow], [ncol] of all blocks */
  mbd_arena arena;
} mbd_blocks;

typedef struct mbd_block_rows {
  int n;
  const int *block; /* [n] the block of every row, -1 for a row without columns */
  mbd_columns in;   /* its columns */
} mbd_block_rows;

/* Makes blocks 0 .. n - 1; column j belongs to block col_block[j]. No column is kept yet. Large blocks with few nonzeros get
 * sparse factors. */
mbd_status mbd_blocks_create(int n, const mbd_block_rows *rows, int ncol, const int *col_block, int max,
                             mbd_blocks **out, mbd_error *err);
void mbd_blocks_destroy(mbd_blocks *blocks);

/* J := 0, to be filled in through blocks->row and blocks->at: entry j of row i is row[i][at[j]]; of packed rows entry number p of those that can
 * differ from zero is row[i][p]. */
void mbd_blocks_clear(mbd_blocks *blocks);

/* Rank of the first m rows, as mbd_rank, block by block. In row [m] and col [ncol] the independent rows and their pivot columns
 * come first, if they are wanted. Returns -1 if there is no memory for the fill of the elimination. */
int mbd_blocks_rank(mbd_blocks *blocks, int m, double tol, mbd_rank_requested requested, int *row, int *col);

/* J [nrow][ncol] of a block, packed or not. */
void mbd_block_unpack(const mbd_block *b, mbd_real *J);

/* Keeps these n columns, which are ordered block by block as mbd_blocks_rank leaves them. */
void mbd_blocks_keep(mbd_blocks *blocks, int n, const int *col);

/* The sign of det (before' J + E'E) of block i, E with the rows of its kept columns; 0: it is singular. It stays positive as long as J moves away from `before` without
 * becoming singular on the way, if that is short. before, J [nrow][ncol], not packed; N [ncol][ncol], piv [ncol]: scratch. *min_pivot: the smallest pivot relative to the largest. */
int mbd_blocks_sign(const mbd_blocks *blocks, int i, const mbd_real *before, const mbd_real *J, mbd_real *N, int *piv,
                    double *min_pivot);

/* Factors J'J + damping d I, where d is the largest diagonal entry of the block's J'J; I where J is zero. MBD_SINGULAR, MBD_NO_MEMORY (no text). */
mbd_status mbd_blocks_factor(mbd_blocks *blocks, double damping);

/* x [ncol][k] := least squares solution of J x = b [nrow + nkept][k], refined on the factors. b is overwritten by the remainder
 * b - J x, from which the caller decides whether redundant rows contradict each other. With damped factors, the parts
 * of x that J hardly determines become smaller. */
void mbd_blocks_solve(mbd_blocks *blocks, int k, mbd_real *b, mbd_real *x);

/* Transposed: w [nrow + nkept] := J (J'J)^-1 x, refined likewise. */
void mbd_blocks_weights(mbd_blocks *blocks, const mbd_real *x, mbd_real *w);

#endif
