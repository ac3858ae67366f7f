/* P = M + c/a C + 1/a K, with h/2 and h^2/4 for the trapezoidal rule (S3 (25)): the matrix of the step's last Newton
 * correction, reactions in K included, over a. The projections are then those along which the step itself would correct a
 * violation. */
#include "formulation/ali3p.h"

static void tangent_matrix(mbd_sim *s, mbd_real *P) {
  ali3p *step = ali3p_of(s);
  const size_t size = matrices_size(&step->x, &step->x.K_at);
  for (size_t i = 0; i < size; i++) { P[i] = step->tangent.T0[i] / s->scheme.a; }
}

const mbd_projection_ops mbd_projection_tangent = {
    .name = "tangent",
    .doc =
        "The tangent matrix of the time step, as the penalty formulation was published: mass + step/2 damping + "
        "step^2/4 stiffness. For simulations; exact gradients would need second derivatives of all forces.",
    .forces = 1,
    .matrix = tangent_matrix,
    .full = 1,
};
