/* Linear systems A x = b of a matrix that is not there, only its products: the method of generalized minimal residuals (Saad
 * and Schultz 1986). Few products suffice where A is a multiple of the unit matrix but for a few directions. */
#ifndef MBD_GMRES_H
#define MBD_GMRES_H

#include "la/saddle.h"

typedef struct mbd_gmres {
  int n, most;         /* unknowns; products of one cycle, at most */
  mbd_product product; /* y += s A x */
  void *user;
  mbd_real *v;         /* [most + 1][n] basis */
  mbd_real *h;         /* [most + 1][most] A in that basis, by rotations upper triangular */
  mbd_real *c, *s, *g; /* [most + 1] the rotations; |b| and what they have made of it */
  mbd_real *r, *dx;    /* [n] */
} mbd_gmres;

/* x [n] := A^-1 b with a residual of about tol |b|, by one cycle; not checked. */
void mbd_gmres_cycle(const mbd_gmres *q, double tol, const mbd_real *b, mbd_real *x);

/* To rounding, by as many cycles as that takes; returns the residual, relative to b. */
double mbd_gmres_solve(const mbd_gmres *q, const mbd_real *b, mbd_real *x);

#endif
