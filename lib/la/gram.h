/* Adds alpha Phi' Phi to a sparse matrix, for a Phi whose rows form groups with nonzeros in the same columns. */
#ifndef MBD_GRAM_H
#define MBD_GRAM_H

#include "la/sparse.h"

typedef struct mbd_gram mbd_gram;

typedef struct mbd_gram_group {
  int n;
  const int *col; /* [n] */
} mbd_gram_group;

/* s: a sparse matrix that has the places of all products; other matrices may have the same places. */
mbd_status mbd_gram_create(const mbd_sparse *s, int groups, const mbd_gram_group *group, mbd_gram **out,
                           mbd_error *err);
void mbd_gram_destroy(mbd_gram *g); /* NULL allowed */

/* value += alpha (sum of x' x over the rows x [rows][n] of a group); value: of mbd_sparse_values */
void mbd_gram_add(const mbd_gram *g, int group, mbd_real alpha, int rows, const mbd_real *x, mbd_real *value);

#endif
