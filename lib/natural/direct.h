/* Changes along a direction of coefficients, q, qd, qdd and time. */
#ifndef MBD_NATURAL_DIRECT_H
#define MBD_NATURAL_DIRECT_H

#include "natural/natural.h"

/* dv := the changes of all numbers of v along d (values_direct.c). dv is made by natural_params_alloc; it has no parameters of its own. */
void natural_params_direct(const natural_params *v, const mbd_dparams *d, natural_params *dv);

typedef struct natural_along {
  const mbd_dparams *d; /* NULL: coefficients are held; */
  const natural_params *dv;
  mbd_real dt;                     /* of the time; 0: held */
  const mbd_real *dq, *dqd, *dqdd; /* [nq]; NULL: held */
  const unsigned char *moves;      /* natural_find_moves; NULL: not known. Where q is held, the rest changes nothing. */
} natural_along;

/* moves [natural_moves]: which equations, forces and masses the direction of the coefficients changes at fixed q, qd, qdd; timed: also by
 * the time. */
int natural_moves(const natural *n);
void natural_find_moves(const natural_params *v, const mbd_dparams *d, const natural_params *dv, int timed,
                        unsigned char *moves);

/* Changes of Phi, Phid = Phi_q qd + Phi_t, Phidd [nphi] at q, qd, qdd; NULL: not wanted. */
void natural_rows_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                            const mbd_real *qdd, const natural_along *to, mbd_real *dphi, mbd_real *dphid,
                            mbd_real *dphidd);
/* dr [nq] += the change of Phi_q' lam at fixed lam. */
void natural_reactions_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam,
                                 const natural_along *to, mbd_real *dr);
/* dQ [nq] += the change of the forces, and of the weights. */
void natural_forces_direction(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *qd,
                              const natural_along *to, mbd_real *dQ);
void natural_weight_direction(const natural_params *v, const natural_along *to, mbd_real *dQ);
/* y [nq] += M' x by the coefficients. */
void natural_mass_direction(const natural_params *v, const natural_along *to, const mbd_real *x, mbd_real *y);

/* dq, dqd, dqdd [nq] of what natural_take takes, along the direction that w has (motion_along), of which d is that of the coefficients and
 * dv the changes of v. w is moved, with gravity. */
void natural_take_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                            mbd_real *dq, mbd_real *dqd, mbd_real *dqdd);

/* The same of the basis of each rigid body as that body has it, shared points and vectors as often as they are in one, then of added
 * coordinates: numbers [natural_bases_rows], on which the joint coordinates depend one by one. And what dq [nq] is in these places: dv:
 * with the changes of what is constant; NULL: of rates. */
int natural_bases_rows(const natural *n);
void natural_bases_direction(const natural_params *v, const mbd_dparams *d, const natural_params *dv, const mbd_work *w,
                             mbd_real *dx, mbd_real *dxd, mbd_real *dxdd);
void natural_bases_gather(const natural *n, const natural_params *dv, const mbd_real *dq, mbd_real *x);

/* Of a point or vector `local` of the frame of a body: what a rotation of the body moves about its reference point, and the first two rates
 * of its place. w is moved, with gravity. */
void natural_local_arm(const body_state *s, int is_point, const mbd_real local[3], mbd_real arm[3], mbd_real rate[3],
                       mbd_real second[3]);

/* The change of natural_local_value. */
void natural_local_change(const natural_params *v, const mbd_dparams *d, const natural_params *dv,
                          const natural_local *l, mbd_real dx[3]);

#endif
