/* The matrix P of the projections of velocities and accelerations (S0 (10), (11)): of all rates that the constraints
 * allow, the projected rates minimize the distance (x - x*)' P (x - x*) to those of the integrator.
 *
 * The error that is projected: a* has an error of order h along M^-1 Phi_z', v* one of order h^2, because lam balances
 * the part of the scheme's dz that violates the constraints. P = M removes exactly this error. Any other P moves along
 * P^-1 Phi_z' instead, which leaves (P - M) times that error in the motion at every step: the order remains two for P =
 * M + O(h), and is one otherwise.
 *
 * Reactions: lam of the step satisfies the equations of motion with a*, so its error is of order one too, for
 * constraints of positions alone. With P = M the sum of M a* + Phi_z' lam = Q and M zdd + Phi_z' kappa = M a* is the
 * equation of motion of zdd,
 *   M zdd + Phi_z' (lam + kappa) = Q
 * and lam + kappa, of order two, are the reactions; P = M + O(h) adds O(h) (zdd - a*) = O(h^2) to it. This holds after
 * any number of iterations, up to the residual that they leave in Phi_z zdd. With any other P, kappa is not a force,
 * and lam alone is reported.
 *
 * A projection is differentiated as the residual P x + Phi_z' mult at fixed x = zd - v* or zdd - a*, so an entry has P
 * and the derivatives of P x. P may depend on z and the coefficients, not on rates or time, and is zero where M is.
 *
 * P = M + h/2 C + h^2/4 K (S3 (25)), the tangent matrix without its penalty term, is not such a matrix: d(K x)/dz
 * requires the second derivatives of every force law in all its arguments, and d(K x)/dtheta the mixed ones with all
 * its coefficients, which nothing else needs and the largest law (127 coefficients of a tyre) does not have. So this
 * entry has no derivatives of P x: it is for simulations, and for gradients by methods that need no derivatives of
 * projections. */
#ifndef MBD_PROJECTION_H
#define MBD_PROJECTION_H

#include "state/sim.h"

/* How P x depends on z and the coefficients: its derivatives are not available; P is constant; P x depends on them as M
 * x does. */
typedef enum projection_dependence {
  PROJECTION_NO_DERIVATIVES,
  PROJECTION_CONSTANT,
  PROJECTION_OF_INERTIA
} projection_dependence;

typedef struct mbd_projection_ops {
  const char *name;
  const char *doc;
  /* 1: P = M + O(h), so that the multipliers of the projected accelerations are forces of the equations of motion
   * (above). */
  int forces;
  /* P [nz][nz] at the placed motion */
  void (*matrix)(mbd_sim *s, mbd_real *P);
  int full;                      /* 1: P can differ from zero where the tangent matrix can; 0: where M can */
  projection_dependence depends; /* derivatives of P x at fixed x */
} mbd_projection_ops;

/* P x + Phi_z' mult at fixed x and mult, as terms of the residual at rest with the accelerations x, for its derivatives. */
static inline motion_terms projection_terms(const mbd_projection_ops *ops, motion_rows rows, const mbd_real *mult) {
  return (motion_terms){.inertia = ops->depends == PROJECTION_OF_INERTIA, .rows = rows, .lam = mult};
}

const mbd_projection_ops *mbd_projection_at(int i);
const mbd_projection_ops *mbd_projection_find(const char *name);

/* MBD_UNSUPPORTED if the projections of this simulation have no derivatives. */
mbd_status projection_derivatives(const mbd_sim *s, mbd_error *err);

#endif
