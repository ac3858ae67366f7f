/* LU factors of dense matrices that differ from zero at known places alone, as those of a mechanism with branches: the elimination from
 * the last row to the first, on the diagonal, fills few more, which are found once. */
#ifndef MBD_FILL_H
#define MBD_FILL_H

#include "la/dense.h"

typedef struct mbd_fill mbd_fill;

/* at: the places of the matrices [n][n], taken with their transposes and the diagonal. Owned by the caller; NULL may be destroyed. */
mbd_status mbd_fill_create(int n, const mbd_nonzeros *at, mbd_fill **out, mbd_error *err);
void mbd_fill_destroy(mbd_fill *f);

/* Number of places with the fill; a [n][n] there, from and to a list of that many numbers; to := from, matrices [n][n], there alone. */
int mbd_fill_count(const mbd_fill *f);
void mbd_fill_pack(const mbd_fill *f, const mbd_real *a, mbd_real *list);
void mbd_fill_unpack(const mbd_fill *f, const mbd_real *list, mbd_real *a);
void mbd_fill_copy(const mbd_fill *f, const mbd_real *from, mbd_real *to);

/* mbd_lu_factor of a matrix with these places. *within: 1: no rows have been exchanged, so the factors are at the places of the fill, and
 * serve the functions below; 0: they serve mbd_lu_solve alone. */
mbd_status mbd_fill_factor(const mbd_fill *f, mbd_real *a, int *piv, int *within);

/* b [n][k] := A^-1 b, and A'^-1 b */
void mbd_fill_solve(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b);
void mbd_fill_solve_T(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b);

#endif
