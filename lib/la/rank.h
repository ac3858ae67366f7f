/* Rank of a matrix whose rows have few nonzeros: the elimination of mbd_rank_above on these alone. */
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

/* Memory for matrices of up to m rows, n columns and `entries` nonzeros, with room for the fill of several times as many. */
typedef struct mbd_rank_memory {
  int room, used, places;
  mbd_rank_entry *entry;           /* [room] the rows, each in one piece */
  mbd_rank_place *place;           /* [room] */
  int *begin, *length, *most_long; /* [m] of every row: where it begins, its entries, how many it has space for */
  int *row_at, *col_at;            /* [m], [n] where rows and columns stand in the order of elimination */
  int *last;                       /* [n] last place of every column, -1: none */
  int *where;                      /* [n] scratch: place in a row + 1, 0: none */
  double *most;                    /* [m] largest entry of every row */
  int *in_col;                     /* [n] entries of every column */
  int *of_length, *after, *ahead; /* [n + 1], [m] lists of the rows of each length: first, next, one before; -1: none */
} mbd_rank_memory;

void mbd_rank_layout(mbd_rank_memory *q, size_t m, size_t n, size_t entries, mbd_arena *a);

/* What a caller reads of the order: which rows are independent, which columns have pivots, both, or only how many there are. */
typedef enum mbd_rank_wanted { MBD_RANK_BOTH, MBD_RANK_ROWS, MBD_RANK_COLUMNS, MBD_RANK_NUMBER } mbd_rank_wanted;

/* As mbd_rank_above, with the same pivots, for real parts of J [m][n]. -1: fill has taken
 * all memory, and row and col are undefined. Where only one of row and col is wanted and leaves no choice, as where all columns have
 * pivots, or where none is, short rows come first as long as the rank is beyond doubt: much less fill; independent rows come in the
 * order of their numbers then. */
int mbd_rank_packed(mbd_rank_memory *q, int m, int n, const mbd_packed *J, double smallest, mbd_rank_wanted wanted,
                    int *row, int *col);

#endif
