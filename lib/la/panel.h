/* Sums over the columns of a panel, a dense matrix of columns that are `ld` numbers apart. The loops are functions in a
 * separate file so that the compiler can use all registers for each of them. */
#ifndef MBD_PANEL_H
#define MBD_PANEL_H

#include "base/real.h"

/* y [n] -= sum of f_c times column c of L, for `wide` columns */
void panel_subtract(int n, int wide, const mbd_real *L, int ld, const mbd_real *f, mbd_real *y);

/* dot_c = column c of L [n] times x, for `wide` columns, at most PANEL_BLOCK */
enum { PANEL_BLOCK = 4 };
void panel_dots(int n, int wide, const mbd_real *L, int ld, const mbd_real *x, mbd_real *dot);

/* y[at[i]] -= f L[i], and the sum of L[i] y[at[i]], for i < n */
void panel_subtract_at(int n, mbd_real f, const mbd_real *L, const int *at, mbd_real *y);
mbd_real panel_dot_at(int n, const mbd_real *L, const int *at, const mbd_real *y);

#endif
