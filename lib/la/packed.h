/* A sparse matrix stored by rows (compressed rows), for many products with it. */
#ifndef MBD_PACKED_H
#define MBD_PACKED_H

#include "la/dense.h"

/* Groups of consecutive rows that have the same columns, which a product then reads once for the whole group. Rows
 * without columns are in no group. */
typedef struct mbd_alike {
  int count;
  int *begin; /* [m + 1] where the rows of each group begin in `row` */
  int *row;   /* [m] */
} mbd_alike;

typedef struct mbd_packed {
  int *first;       /* [m + 1] where each row begins */
  int *col;         /* [nonzeros] */
  mbd_real *val;    /* [nonzeros] */
  mbd_alike *alike; /* NULL: not known */
} mbd_packed;       /* the caller owns the memory */

/* Finds the groups of a matrix with m rows, with the memory of p->alike. */
void mbd_packed_find_alike(int m, const mbd_packed *p);

/* c [m][k] += s a b [n][k] */
void mbd_packed_mul_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *b, mbd_real *c);

/* c [n][k] += s a' b [m][k] */
void mbd_packed_mulT_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *b, mbd_real *c);

#endif
