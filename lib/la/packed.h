/* A sparse matrix stored by rows (compressed rows), for many products with it. */
#ifndef MBD_PACKED_H
#define MBD_PACKED_H

#include "la/dense.h"

typedef struct mbd_packed {
  int *first;    /* [m + 1] where each row begins */
  int *col;      /* [nonzeros] */
  mbd_real *val; /* [nonzeros] */
} mbd_packed;    /* caller's memory */

/* c [m][k] += s a b [n][k] */
void mbd_packed_mul_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *b, mbd_real *c);

/* c [n][k] += s a' b [m][k] */
void mbd_packed_mulT_add(int m, int k, mbd_real s, const mbd_packed *p, const mbd_real *b, mbd_real *c);

#endif
