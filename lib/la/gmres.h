/* Linear systems A x = b of a matrix that is known by its products alone: the method of generalized minimal residuals (Saad and
 * Schultz 1986). Few products suffice if A is a multiple of the unit matrix in all but a few directions. */
#ifndef MBD_GMRES_H
#define MBD_GMRES_H

#include "la/saddle.h"

typedef struct mbd_gmres {
  int n, max;          /* number of unknowns; largest number of products in one cycle */
  mbd_product product; /* y += s A x */
  void *user;
  mbd_real *v; /* [most + 1][n] basis */
  mbd_real *h; /* [most + 1][most] A in that basis, made upper triangular by rotations */
  mbd_real *c, *s,
      *g; /* [most + 1] cosines and sines of the rotations; the right-hand side, |b| in that basis, after them */
  mbd_real *r, *dx; /* [n] */
} mbd_gmres;

/* x [n] := A^-1 b with a residual of about tol |b|, by one cycle; not checked. */
void mbd_gmres_cycle(const mbd_gmres *gmres, mbd_value tol, const mbd_real *b, mbd_real *x);

/* The same by cycles until the residual is at the level of rounding; returns the residual, relative to b. */
double mbd_gmres_solve(const mbd_gmres *gmres, const mbd_real *b, mbd_real *x);

#endif
