/* Implicit steps of xi'' = F(xi, xi', t) by schemes of the Newmark family (integrator.h), solved for the increment dxi
 * of the independent coordinates. With eta0 = B v*, acc0 = B a* of the scheme at dxi = 0, from the previous node (_),
 *   xi = B z_ + dxi,   eta = eta0 + c dxi,   a dxi + acc0 = F(xi, eta, t)
 * so that the node is an ordinary evaluation: nothing is projected, and Phi, Phid, Phidd are zero. Where velocity constraints leave fewer rates
 * independent, eta is that of these alone, and coordinates whose rates follow have the scheme's velocity for their equation,
 *   c dxi + v0 = B zd(xi, eta, t),     v0 = B v*  at dxi = 0,  beside eta0 in its array
 *
 *   implicit_step.c      the step
 *   implicit_tangent.c   J = a - F_xi - c F_eta and the node's derivative along dxi, as matrices
 *   implicit_direct.c    the step's derivative along directions
 *   implicit_adjoint.c   the transpose of that
 *   implicit_krylov.c    products with the same J, for many coordinates of members that need no matrices (ss_matrix_free) */
#ifndef MBD_IMPLICIT_STEP_H
#define MBD_IMPLICIT_STEP_H

#include "formulation/newton.h"
#include "formulation/state_space.h"
#include "la/gmres.h"

typedef struct implicit_step {
  mbd_real *eta0, *acc0, *dxi; /* [nf] of all independent coordinates, as those below */
  mbd_real *correction, *last; /* [nf] correction of dxi; the previous correction */
  mbd_real *all;               /* [nz] the correction in all coordinates */
  newton_memory newton;
  mbd_real *v, *a;         /* [nz] contributions of the previous node to v*, a* */
  mbd_real *vp, *ap;       /* [nz][np] derivatives of v, a */
  mbd_real *eta0p, *acc0p; /* [nf][np] */
  mbd_real *dxip;          /* [nf][np] */
  mbd_real *mu;            /* [nf][npsi] adjoint variables of the step's equation */

  /* Matrices: derivatives of an evaluation along dxi (xi' = 1, eta' = c) [nz][nf], [nphi][nf]; factors of J. */
  mbd_real *z, *zd, *zdd, *lam, *J;
  int *piv;
  mbd_real *f, *g;                    /* right-hand sides [nz][nf], [nphi][nf] */
  mbd_real *unit, *by;                /* [nf][nf] */
  mbd_real *all_z, *all_zd, *all_zdd; /* [nz][npsi] derivatives by z, zd, zdd, including those of the reverse sweeps */

  /* Products with J and J': an evaluation differentiated along one direction, and its transpose. */
  mbd_gmres krylov;
  mbd_real *b, *x;        /* [nf] one column */
  sim_sens along;         /* [nz], [nphi] */
  params_reverse *nobody; /* no coefficient's derivative is wanted */
  mbd_status failed;      /* status of a failed product */
  mbd_error *err;
  mbd_arena arena;
} implicit_step;

static inline implicit_step *implicit_of(const mbd_sim *s) {
  return ss_of(s)->steps_memory;
}

/* The row of the step's equation of independent coordinate f: whether it is one of accelerations; what it takes of a node's blocks [nz][k]; and the
 * factor of dxi. */
static inline int implicit_accelerates(const mbd_sim *s, int f) {
  return ss_of(s)->indep->of_rate[f] >= 0;
}
static inline mbd_real implicit_factor(const mbd_sim *s, int f) {
  return implicit_accelerates(s, f) ? s->scheme.a : s->scheme.c;
}
/* y [nf][k] := these rows of zdd or zd, less those of the history a0 or v0 [nf][k] */
void implicit_rows(const mbd_sim *s, int k, const mbd_real *zd, const mbd_real *zdd, const mbd_real *v0,
                   const mbd_real *a0, mbd_real *y);
/* Adds mu [nf][k] to zd or zdd [nz][k] likewise. */
void implicit_add_rows(const mbd_sim *s, int k, const mbd_real *mu, mbd_real *zd, mbd_real *zdd);

/* Computes the matrices at the last evaluation, or at one that has been restored; leaves the motion with zdd and its
 * columns swept. */
mbd_status implicit_tangent(mbd_sim *s, mbd_error *err);
/* Computes J at the last evaluation for a correction, by the tangent of the case; the other matrices are undefined
 * after this call. */
mbd_status implicit_newton_tangent(mbd_sim *s, mbd_error *err);

/* Without matrices, at the last evaluation: x [nf] := J^-1 x with a loose tolerance, and dxip := J^-1 dxip [nf][np]; at
 * an evaluation that has been restored, mu := J'^-1 mu [nf][npsi]. */
mbd_status implicit_krylov_step(mbd_sim *s, mbd_real *x, mbd_error *err);
mbd_status implicit_krylov_sens(mbd_sim *s, mbd_error *err);
mbd_status implicit_krylov_back(mbd_sim *s, const sim_adjoint *a, mbd_error *err);

/* The adjoint of the step (ss_steps.back). */
mbd_status implicit_step_back(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* Computes the sensitivities of the node from those of the previous node, at the step's last evaluation. */
mbd_status implicit_sens(mbd_sim *s, mbd_error *err);

#endif
