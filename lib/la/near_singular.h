/* Multipliers near a singular position, where rows of Phi become almost dependent and a penalty gives little stiffness to some
 * combinations of constraints. There the iteration of saddle.h,
 *   w := w - B w,   B = alpha Phi (A + alpha Phi' W Phi)^-1 Phi' W,
 * converges too slowly: B is close to the unit matrix except in a few directions, whose eigenvalues go to zero with the square of the
 * distance from the singular position. A Krylov subspace method finds the parts along k such directions with about k products. */
#ifndef MBD_NEAR_SINGULAR_H
#define MBD_NEAR_SINGULAR_H

#include "base/memory.h"
#include "la/gmres.h"

typedef struct mbd_near_singular {
  mbd_gmres krylov;    /* in [m] */
  mbd_real *v, *w;     /* [m] */
  mbd_real *weighted;  /* [m] */
  mbd_real *x;         /* [n] */
  const mbd_saddle *s; /* the system, while it is being solved */
} mbd_near_singular;

/* Takes memory for systems of n unknowns and up to m rows. */
void mbd_near_singular_layout(mbd_near_singular *correction, int n, int m, mbd_arena *a);

/* Adds to y [m][k] the multipliers that make the residual rg = g - Phi x zero, where x solves A x + Phi' y = f:
 *   y += alpha W (rg - w),   B w = rg. */
void mbd_near_singular_reach(mbd_near_singular *correction, const mbd_saddle *s, int k, const mbd_real *rg,
                             mbd_real *y);

#endif
