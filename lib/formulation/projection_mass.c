/* P = M. M x is the residual of inertia at rest, without gravity, with the accelerations x, and its derivatives are those of that residual.
 * Equations: theory.md §5.1 (5.4) with P = M. */
#include "formulation/ali3p.h"

static void mass_matrix(mbd_sim *s, mbd_real *P) {
  ali3p_of(s)->mech->mass(s, &ali3p_of(s)->x, P);
}

const mbd_projection_ops mbd_projection_mass = {
    .name = "mass",
    .doc =
        "The mass matrix: the kinetic energy of what the projection changes is least; independent of units and of the "
        "choice of coordinates.",
    .forces = 1,
    .matrix = mass_matrix,
    .depends = PROJECTION_OF_INERTIA,
};
