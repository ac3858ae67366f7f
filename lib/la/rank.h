/* Rank of a matrix whose rows have few nonzeros: the elimination of mbd_rank_above on the nonzeros alone. */
#ifndef MBD_RANK_H
#define MBD_RANK_H

#include "base/memory.h"
#include "la/packed.h"

typedef struct mbd_rank_entry {
  int col;
  double val;
} mbd_rank_entry;

/* One place of a column: the row that it is in, and the place before it in the column's list. */
typedef struct mbd_rank_place {
  int row, before;
} mbd_rank_place;

/* Memory for matrices of up to m rows, n columns and `entries` nonzeros, with space for several times as many by fill. */
typedef struct mbd_rank_memory {
  int capacity, used, places;
  mbd_rank_entry *entry;          /* [capacity] the rows, each in one piece */
  mbd_rank_place *place;          /* [capacity] */
  int *begin, *length, *max_long; /* [m] of every row: its first entry, the number of its entries, its space */
  int *row_at, *col_at;           /* [m], [n] positions of rows and columns in the order of elimination */
  int *last;                      /* [n] last place of every column, -1: none */
  int *where;                     /* [n] scratch: place in a row + 1, 0: none */
  double *max;                    /* [m] largest entry of every row */
  int *in_col;                    /* [n] entries of every column */
  int *of_length, *after, *ahead; /* [n + 1], [m] lists of the rows of each length: first, next, one before; -1: none */
} mbd_rank_memory;

void mbd_rank_layout(mbd_rank_memory *memory, size_t m, size_t n, size_t entries, mbd_arena *a);

/* The results that a caller uses: the independent rows, the columns with pivots, both, or the rank alone. */
typedef enum mbd_rank_requested { MBD_RANK_BOTH, MBD_RANK_ROWS, MBD_RANK_COLUMNS, MBD_RANK_NUMBER } mbd_rank_requested;

/* As mbd_rank_above, with the same pivots, for the real parts of J [m][n]. Returns -1 if fill has taken all memory; row and col are
 * undefined then. If the wanted result does not depend on the order of pivots (the rank alone; rows if all rows that are not zero are
 * independent; columns if all have pivots), short rows are eliminated first as long as the rank is beyond doubt, which fills much less;
 * independent rows then come in the order of their numbers. */
int mbd_rank_packed(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, double smallest,
                    mbd_rank_requested requested, int *row, int *col);

/* An order of pivots with little fill for the matrix of `rank` rows and columns of J: first_row, first_col [rank]. 0: it has none whose
 * pivots are beyond doubt, or fill has taken all memory. */
int mbd_rank_order(mbd_rank_memory *memory, int m, int n, const mbd_packed *J, double smallest, int rank,
                   const int *row, const int *col, int *first_row, int *first_col);

#endif
