/* Sums over the columns of a panel, a dense matrix of columns that are `ld` numbers apart. Their loops have a file of their own so that
 * each of them has all registers. */
#ifndef MBD_PANEL_H
#define MBD_PANEL_H

#include "base/real.h"

/* y [n] -= sum of f_c times column c of L, for `wide` columns */
void panel_subtract(int n, int wide, const mbd_real *L, int ld, const mbd_real *f, mbd_real *y);

/* dot_c = column c of L [n] times x, for `wide` columns, at most PANEL_BLOCK */
enum { PANEL_BLOCK = 4 };
void panel_dots(int n, int wide, const mbd_real *L, int ld, const mbd_real *x, mbd_real *dot);

/* y_at -= f L [n]; L [n] . y_at */
void panel_subtract_at(int n, mbd_real f, const mbd_real *L, const int *at, mbd_real *y);
mbd_real panel_dot_at(int n, const mbd_real *L, const int *at, const mbd_real *y);

#endif
