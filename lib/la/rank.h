/* Rank of a matrix whose rows have few nonzeros: the elimination of mbd_rank_above on these alone. */
#ifndef MBD_RANK_H
#define MBD_RANK_H

#include "base/memory.h"
#include "la/packed.h"
#include "la/sparse.h"

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
} mbd_rank_memory;

void mbd_rank_layout(mbd_rank_memory *q, size_t m, size_t n, size_t entries, mbd_arena *a);

/* As mbd_rank_above, with the same pivots, for real parts of J [m][n], which is zero outside of the places `in`. -1: fill has taken
 * all memory, and row and col are undefined. */
int mbd_rank_sparse(mbd_rank_memory *q, int m, int n, const mbd_real *J, const mbd_columns *in, double smallest,
                    int *row, int *col);
int mbd_rank_packed(mbd_rank_memory *q, int m, int n, const mbd_packed *J, double smallest, int *row, int *col);

#endif
