/* The penalty formulation (S3): constraints are compliant, like stiff springs,
 *   M a* + Phi_z' alpha Phi = Q                                                           (S3 (14))
 * with one number alpha, or a diagonal matrix of penalties of single constraints (ali3p_penalties.c),
 * and the velocities and accelerations of a step are projected. It is ALI3-P with lam = alpha Phi in place of lam that
 * is iterated until Phi = 0; so it uses the step, tangent and derivatives of ALI3-P, with the compliance 1/alpha:
 *   T0 dz + Phi_z' dlam = -(r + Phi_z' lam),   Phi_z dz - dlam/alpha = -(Phi - lam/alpha)
 * where lam is not computed as alpha Phi, because alpha would amplify the rounding errors of Phi.
 *
 * The penalty is a number of the case: it is not differentiated, so neither state nor design may change it. The
 * constraint violation Phi is lam/alpha. With a mass m normal to a constraint, a step changes Phi from e_, the
 * violation of the previous step, to
 *   e = (lam + 4m/h^2 e_)/(alpha + 4m/h^2)                        (trapezoidal rule, projected velocities)
 * So lam is delayed unless alpha is large compared with 4m/h^2. This hardly affects the motion, because the delayed
 * part is normal to the constraints, and the projections remove it. Nor does it affect the reported reactions, lam +
 * kappa (projection.h).
 *
 * Redundant equations (two axes made parallel by three equations) are no longer dependent where Phi is not zero: rows
 * of Phi_z that would be combinations of others differ from these by the order of Phi. Projections iterated to
 * convergence would treat such a difference as a constraint, and stop a motion that is free. So they are not iterated
 * to convergence. Unless the case gives the number of iterations, there are five, with a penalty so small that such
 * differences have no effect. The penalty is a power of ten, a constant, so the derivatives of the iterations are
 * exact. S3's (24) is one iteration with projection_weight = h^2/4. */
#include "formulation/ali3p.h"

/* Number of iterations of the projections, which are not iterated to convergence here. */
enum { PROJECTIONS = 5 };

/* The penalty is a number of the case that neither state nor design changes. */
static mbd_status penalty_create(mbd_sim *s, mbd_error *err) {
  const int own_projections = s->c.projection_iterations == 0;
  if (s->c.penalty == 0) { s->c.penalty = s->ops->penalty; }
  if (own_projections) { s->c.projection_iterations = PROJECTIONS; }
  MBD_TRY(ali3p_create(s, err));
  ali3p_of(s)->compliance = 1 / s->c.penalty;
  ali3p_of(s)->projection.by_formulation = own_projections;
  if (own_projections) { ali3p_of(s)->projection.weight = NULL; }
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_penalty = {
    .name = "penalty",
    .doc =
        "Compliant constraints: violated by reaction / penalty, with a constant penalty, in joint coordinates with "
        "projections of velocities and accelerations.",
    ALI3P_FORMULATION,
    .create = penalty_create,
    .penalty = 1e10,
};
