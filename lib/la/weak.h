/* Constraints that a penalty hardly holds. Near a singular position rows of Phi come to depend on each other, and
 *   w := w - B w,   B = alpha Phi (A + alpha Phi' Phi)^-1 Phi'
 * by which the multipliers of saddle.h approach their values, does so no longer: B is the unit matrix but for a few
 * directions whose eigenvalues go to zero with the square of the distance. Krylov's subspaces have them in as many products. */
#ifndef MBD_WEAK_H
#define MBD_WEAK_H

#include "base/memory.h"
#include "la/gmres.h"

typedef struct mbd_weak {
  mbd_gmres krylov;    /* in [m] */
  mbd_real *v, *w;     /* [m] */
  mbd_real *x;         /* [n] */
  const mbd_saddle *s; /* while it is being solved */
} mbd_weak;

/* m: the largest number of rows of the systems that it is for. */
void mbd_weak_layout(mbd_weak *q, int n, int m, mbd_arena *a);

/* y [m][k] += alpha (rg - w),  B w = rg: the multipliers that take away rg = g - Phi x, for x with A x + Phi' y = f. */
void mbd_weak_reach(mbd_weak *q, const mbd_saddle *s, int k, const mbd_real *rg, mbd_real *y);

#endif
