/* Implicit steps of xi'' = F(xi, xi', t) by schemes of the Newmark family (integrator.h), in what the independent
 * coordinates move, dxi. With eta0 = B v*, acc0 = B a* of the scheme at dxi = 0, from the node before (_),
 *   xi = B z_ + dxi,   eta = eta0 + c dxi,   a dxi + acc0 = F(xi, eta, t)
 * so that the node is an evaluation like any other: nothing is projected, and Phi, Phid, Phidd vanish.
 *
 *   implicit_step.c      the step
 *   implicit_tangent.c   J = a - F_xi - c F_eta and the node's derivative along dxi, as matrices
 *   implicit_direct.c    the step's derivative along directions
 *   implicit_adjoint.c   the transpose of that
 * Members that form no matrices (ss_ops.matrix_free) take a for J and iterate, in all three. */
#ifndef MBD_IMPLICIT_STEP_H
#define MBD_IMPLICIT_STEP_H

#include "formulation/state_space.h"

typedef struct implicit_step {
  mbd_real *eta0, *acc0, *dxi; /* [nf] */
  mbd_real *correction, *last; /* [nf] of dxi; the one before */
  mbd_real *eta0p, *acc0p;     /* [nf][np] */
  mbd_real *dxip, *accp;       /* [nf][np]: of dxi; of B zdd, before an iteration */
  mbd_real *mu, *sum;          /* [nf][npsi] adjoint variables of the step's equation; their sum */

  /* Matrices: derivatives of an evaluation along dxi (xi' = 1, eta' = c) [nz][nf], [nphi][nf]; factors of J. */
  mbd_real *z, *zd, *zdd, *lam, *J;
  int *piv;
  mbd_real *f, *g;     /* right-hand sides [nz][nf], [nphi][nf] */
  mbd_real *unit, *by; /* [nf][nf] */
  mbd_arena arena;
} implicit_step;

static inline implicit_step *implicit_of(const mbd_sim *s) {
  return ss_of(s)->implicit;
}

/* An iteration may end: what its last change leaves, by the contraction so far, is below eps; or the change is rounding
 * that contracts no more. */
static inline int implicit_settled(double change, double rate, double eps) {
  return (rate < 1 && change * rate / (1 - rate) <= eps) || (change <= 1e3 * eps && rate > 0.5);
}

/* The matrices at the evaluation just made, or returned to; leaves motion with zdd and columns swept. */
mbd_status implicit_tangent(mbd_sim *s, mbd_error *err);

/* Sensitivities of the node from those of the node before, at the step's last evaluation. */
mbd_status implicit_sens(mbd_sim *s, mbd_error *err);

#endif
