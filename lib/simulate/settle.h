/* Static equilibrium as the start. */
#ifndef MBD_SETTLE_H
#define MBD_SETTLE_H

#include "la/weak.h"
#include "simulate/start.h"

/* Rows: Phi, the held quantities that stay, the coordinates that keep their guess; at most nphi + held rows + nz. */
struct sim_settle {
  mbd_real *J, *F;            /* [nrow][nz], [nrow][np]: the rows, and the sides of their derivatives */
  mbd_real *y;                /* [nrow] multipliers */
  mbd_real *r, *rest;         /* [nz] r + J' y; rates of a mechanism at rest: zero */
  mbd_real *K, *C, *M;        /* [nz][nz] derivatives of r + J' y */
  mbd_real *K_damped, *lu;    /* [nz][nz] K + sigma M; its factors with the penalty */
  int *piv;                   /* [nz] */
  mbd_factors factors;        /* in lu */
  mbd_weak weak;              /* for rows that the penalty hardly holds */
  mbd_real *b;                /* [nz][np] sides of the derivatives */
  mbd_real *dz, *dy;          /* corrections, or derivatives: [nz], [nrow][np] */
  mbd_real *step, *left;      /* of the solver: [nz][np], [nrow][np] */
  mbd_real *assembled;        /* [nz] where the search begins */
  double *check_work;         /* [nrow + 4 nz][nz], to judge the equilibrium */
  int *check_row, *check_col; /* [nrow], [nz] */
};

/* s->start->settle for the runs of s, from the arena of s->start. */
void settle_layout(mbd_sim *s, mbd_arena *a);

/* Static equilibrium from the assembled position on, and the derivative of its position in s->sens.z. */
mbd_status settle_state(mbd_sim *s, mbd_error *err);
mbd_status settle_sens(mbd_sim *s, mbd_error *err);

/* After the last iteration, with J and K there: a warning if the equilibrium is unstable, or far from the assembled position. */
void settle_check(mbd_sim *s, int nrow);

/* Phi and the held quantities that stay at equilibrium; the system K, J at the state of the start. */
motion_rows settle_rows(const mbd_sim *s);
mbd_status settle_system(mbd_sim *s, mbd_saddle *q, mbd_error *err);

#endif
