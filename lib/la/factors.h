/* Factors of a square matrix, dense or sparse, that serve many solutions. */
#ifndef MBD_FACTORS_H
#define MBD_FACTORS_H

#include "la/fill.h"
#include "la/sparse.h"

typedef struct mbd_factors {
  int n;
  mbd_real *lu;         /* [n][n] the matrix, overwritten by its factors */
  int *piv;             /* [n] */
  const mbd_fill *fill; /* nonzeros of the dense matrix and of its factors, not owned; NULL: not known */
  int within;           /* 1: the present factors are zero at all other places */
  mbd_sparse *sparse;   /* holds the matrix and the factors instead of the members above; NULL: dense */
} mbd_factors;

/* MBD_SINGULAR (no text), MBD_NO_MEMORY */
mbd_status mbd_factors_make(mbd_factors *f);

/* b [n][k] := A^-1 b, or A'^-1 b */
void mbd_factors_solve(const mbd_factors *f, int transposed, int k, mbd_real *b);

#endif
