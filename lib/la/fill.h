/* LU factors of dense matrices whose nonzeros are at known places, such as those of a mechanism with branches. Elimination from the
 * last row to the first, with pivots on the diagonal, fills few other places; these are found once. */
#ifndef MBD_FILL_H
#define MBD_FILL_H

#include "la/dense.h"

typedef struct mbd_fill mbd_fill;

/* at: the nonzeros of the matrices [n][n]; their transposes and the diagonal are added. The caller owns *out. mbd_fill_destroy accepts
 * NULL. */
mbd_status mbd_fill_create(int n, const mbd_nonzeros *at, mbd_fill **out, mbd_error *err);
void mbd_fill_destroy(mbd_fill *f);

/* The number of places with the fill; copies between these places of a matrix [n][n] and a list of so many numbers; copies from one
 * matrix [n][n] to another at these places alone. */
int mbd_fill_count(const mbd_fill *f);
void mbd_fill_pack(const mbd_fill *f, const mbd_real *a, mbd_real *list);
void mbd_fill_unpack(const mbd_fill *f, const mbd_real *list, mbd_real *a);
void mbd_fill_copy(const mbd_fill *f, const mbd_real *from, mbd_real *to);

/* mbd_lu_factor of a matrix with these nonzeros. *within = 1: no rows were exchanged, so that the factors have no other nonzeros than
 * those of the fill, and the functions below accept them; 0: only mbd_lu_solve and mbd_lu_solve_T accept them. */
mbd_status mbd_fill_factor(const mbd_fill *f, mbd_real *a, int *piv, int *within);

/* b [n][k] := A^-1 b, and A'^-1 b */
void mbd_fill_solve(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b);
void mbd_fill_solve_T(const mbd_fill *f, const mbd_real *lu, int k, mbd_real *b);

#endif
