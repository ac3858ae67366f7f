/* The penalty formulation (S3): constraints are compliant, like stiff springs,
 *   M a* + Phi_z' alpha Phi = Q                                                           (S3 (14))
 * and the velocities and accelerations of a step are projected. It is ALI3-P with lam = alpha Phi in place of lam that is
 * iterated until Phi = 0; so it has its step, tangent and derivatives, with the compliance 1/alpha:
 *   T0 dz + Phi_z' dlam = -(r + Phi_z' lam),   Phi_z dz - dlam/alpha = -(Phi - lam/alpha)
 * where lam keeps the digits that alpha would amplify in Phi.
 *
 * The penalty is a number of the case: derivatives of it are taken nowhere, so neither state nor design may change it. What
 * it leaves of Phi is lam/alpha, and a step with the mass m normal to a constraint goes there from the e_ of the step before by
 *   e = (lam + 4m/h^2 e_)/(alpha + 4m/h^2)                        (trapezoidal rule, projected velocities)
 * lam is therefore late where alpha is not large against 4m/h^2. The motion hardly feels it: what is late is normal
 * to the constraints, where the projections take it away. Nor do the reactions that are reported, lam + kappa (projection.h).
 *
 * Redundant equations (two axes that are parallel by three) are dependent no longer where Phi is not zero: rows of Phi_z that
 * would be combinations of others differ from them by the order of Phi. Projections to the end would take such a difference for a
 * constraint, and stop what should move; so there is no end to go to. Unless the case says how many, there are five iterations
 * with a penalty that leaves such differences alone: a power of ten, so that derivatives, those of the iterations, are exact.
 * S3's (24) is one iteration with projection_weight = h^2/4. */
#include "formulation/ali3p.h"

/* Iterations of the projections, which have no end here. */
enum { PROJECTIONS = 5 };

/* The penalty is a number of the case that neither state nor design changes. */
static mbd_status create(mbd_sim *s, mbd_error *err) {
  const int own_projections = s->c.projection_iterations == 0;
  if (s->c.penalty == 0) { s->c.penalty = s->ops->penalty; }
  if (own_projections) { s->c.projection_iterations = PROJECTIONS; }
  MBD_TRY(ali3p_create(s, err));
  ali3p_of(s)->compliance = 1 / s->c.penalty;
  ali3p_of(s)->own_projections = own_projections;
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_penalty = {
    .name = "penalty",
    .doc =
        "Compliant constraints: violated by reaction / penalty, with a constant penalty, in joint coordinates with "
        "projections of velocities and accelerations.",
    .penalty = 1e10,
    .tangent = 1,
    .projects = 1,
    .projections = ali3p_projections,
    .matrices = ali3p_matrices,
    .create = create,
    .destroy = ali3p_destroy,
    .begin = ali3p_begin,
    .step = ali3p_step,
    .state_reals = ali3p_state_reals,
    .copy_state = ali3p_copy_state,
    .record_reals = ali3p_record_reals,
    .copy_record = ali3p_copy_record,
    .adjoint_step = ali3p_adjoint_step,
};
