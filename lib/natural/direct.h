/* Changes of the natural model along a direction of coefficients, q, qd, qdd and time.
 * Equations: theory.md §4.1 (4.6) to (4.11), differentiated. */
#ifndef MBD_NATURAL_DIRECT_H
#define MBD_NATURAL_DIRECT_H

#include "natural/natural.h"

/* dv := the changes of all numbers of v along d (values_direct.c). natural_params_alloc makes dv, whose member p is not used. */
void natural_params_direct(const natural_params *v, const mbd_dparams *d, natural_params *dv);

typedef struct natural_along {
  const mbd_dparams *d; /* direction of the coefficients; NULL: held; */
  const natural_params *dv;
  mbd_real dt;                     /* change of the time; 0: held */
  const mbd_real *dq, *dqd, *dqdd; /* [nq]; NULL: held */
  const unsigned char *moves; /* from natural_find_moves; NULL: not known. Where q is held, nothing else changes. */
} natural_along;

/* Marks in moves [natural_moves] the equations, forces and masses that the direction of the coefficients changes at fixed q, qd, qdd;
 * timed: those that change with the time, too. */
int natural_moves(const natural *n);
void natural_find_moves(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int timed,
                        unsigned char *moves);

/* Changes of Phi, Phid = Phi_q qd + Phi_t, Phidd [nphi] at q, qd, qdd; NULL: not wanted. */
void natural_rows_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *qdd, const natural_along *to, mbd_real *dphi, mbd_real *dphid,
                            mbd_real *dphidd);
/* dr [nq] += the change of the reactions Phi_q' lam at fixed lam. */
void natural_reactions_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                                 const natural_along *to, mbd_real *dr);
/* dQ [nq] += the change of the forces, and of the weights. */
void natural_forces_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                              const natural_along *to, mbd_real *dQ);
void natural_weight_direction(const natural_params *v, const natural_along *to, mbd_real *dQ);
/* y [nq] += M' x, where M' is the change of M by the coefficients. */
void natural_mass_direction(const natural_params *v, const natural_along *to, const mbd_real *x, mbd_real *y);

/* dq, dqd, dqdd [nq]: changes of the state of natural_take along the direction that is set in w (motion_along). d is the direction of the
 * coefficients and dv the changes of v. w is at the motion, with gravity. */
void natural_take_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                            mbd_real *dq, mbd_real *dqd, mbd_real *dqdd);

/* The same for the bases of all rigid bodies, one after the other, each with its own copy of shared points and vectors, and then for added
 * coordinates: numbers [natural_bases_rows], from which joint coordinates are computed. The third function gives the numbers of a change
 * dq [nq] in this order: dv not NULL: with the changes of constant points and vectors; NULL: a change of rates. */
int natural_bases_rows(const natural *n);
void natural_bases_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                             mbd_real *dx, mbd_real *dxd, mbd_real *dxdd);
void natural_bases_gather(const natural *n, const natural_params *dv, const mbd_real *dq, mbd_real *x);

/* For a point or vector `local` in the frame of a body: its arm from the reference point of the body, about which a rotation moves it, and
 * the first two rates of its place. w is at the motion, with gravity. */
void natural_local_arm(const body_state *s, int is_point, const mbd_real local[3], mbd_real arm[3], mbd_real rate[3],
                       mbd_real second[3]);

/* The change of natural_local_value. */
void natural_local_change(const natural_params *v, const mbd_dparams *d, const natural_params *dv,
                          const natural_local *l, mbd_real dx[3]);

#endif
