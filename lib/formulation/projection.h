/* The matrix P of the projections of velocities and accelerations (S0 (10), (11)): the projected rates are those nearest
 * to the integrator's, (x - x*)' P (x - x*) least, among those that the constraints allow.
 *
 * The error that is projected: a* has an error of order h along M^-1 Phi_z', v* one of order h^2, because lam takes up what the
 * scheme's dz leaves of the constraints. P = M removes just that. Any other P moves along P^-1 Phi_z' instead, which
 * leaves (P - M) times that error in the motion at every step: order two is kept for P = M + O(h), order one is left else.
 *
 * Reactions: lam of the step goes with a*, so its error is of order one too, on constraints of positions alone. With P = M
 * the sum of M a* + Phi_z' lam = Q and M zdd + Phi_z' kappa = M a* is the equation of motion of zdd,
 *   M zdd + Phi_z' (lam + kappa) = Q
 * and lam + kappa, of order two, are the reactions; P = M + O(h) adds O(h) (zdd - a*) = O(h^2) to it. So it is after any number
 * of iterations, but for what these leave of Phi_z zdd. With any other P, kappa is no force, and lam alone is reported.
 *
 * A projection is differentiated as the residual P x + Phi_z' mult at fixed x = zd - v* or zdd - a*, so an entry has P
 * and the derivatives of P x. P may depend on z and the coefficients, not on rates or time, and is zero where M is.
 *
 * P = M + h/2 C + h^2/4 K (S3 (25)), the tangent matrix without its penalty term, is not such a one: d(K x)/dz asks every
 * force for the second derivatives of its law in all its arguments, and d(K x)/dtheta for the mixed ones with all its
 * coefficients, which nothing else needs and the largest law (127 coefficients of a tyre) does not have. It has no
 * derivatives of P x, so it simulates, and leaves gradients to methods that need no derivatives of projections. */
#ifndef MBD_PROJECTION_H
#define MBD_PROJECTION_H

#include "state/sim.h"

/* How P x depends on z and the coefficients: in a way whose derivatives are not available; not at all; as M x. */
typedef enum projection_dependence {
  PROJECTION_NO_DERIVATIVES,
  PROJECTION_CONSTANT,
  PROJECTION_OF_INERTIA
} projection_dependence;

typedef struct mbd_projection_ops {
  const char *name;
  const char *doc;
  /* P [nz][nz] at the placed motion */
  void (*matrix)(mbd_sim *s, mbd_real *P);
  /* 1: P = M + O(h), so that the multipliers of the accelerations are forces of the equations of motion (above). */
  int forces;
  int full;                      /* 1: P is not zero where the tangent matrix is not; 0: where M is not */
  projection_dependence depends; /* derivatives of P x at fixed x */
} mbd_projection_ops;

/* P x + Phi_z' mult at fixed x and mult, as terms of the residual at rest with the accelerations x, for its derivatives. */
static inline motion_terms projection_terms(const mbd_projection_ops *q, motion_rows rows, const mbd_real *mult) {
  return (motion_terms){.inertia = q->depends == PROJECTION_OF_INERTIA, .rows = rows, .lam = mult};
}

const mbd_projection_ops *mbd_projection_at(int i);
const mbd_projection_ops *mbd_projection_find(const char *name);

/* MBD_UNSUPPORTED if the projections of this simulation have no derivatives. */
mbd_status projection_derivatives(const mbd_sim *s, mbd_error *err);

#endif
