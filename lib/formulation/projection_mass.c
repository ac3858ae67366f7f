/* P = M. M x is the residual of inertia at rest, without gravity, with the accelerations x; so are its derivatives. */
#include "formulation/matrices.h"
#include "formulation/projection.h"
#include "kinematics/sweep.h"

static void mass_matrix(mbd_sim *s, mbd_real *P) {
  dyn_mass_places(s->w, P);
}

static void mass_jacobian(mbd_sim *s, const mbd_real *x, mbd_real *K) {
  sweep_motion(s->p, s->w, NULL, x, 0);
  sweep_columns(s->p, s->w);
  sim_clear(s, &s->T0_at, K);
  dyn_jacobian(s->p, s->w, s->t, DYN_INERTIA | DYN_CLEARED, K, NULL, NULL);
}

static void mass_direction(mbd_sim *s, int k, const mbd_variation *v, mbd_real *dr) {
  dyn_direction(s->p, s->d[k], s->w, v, s->t, DYN_INERTIA, dr);
}

static void mass_pull(mbd_sim *s, int mu, int x, mbd_pull *q, params_pull *theta) {
  dyn_pull_mass(s->p, s->w, mu, x, q, theta);
}

const mbd_projection_ops mbd_projection_mass = {
    .name = "mass",
    .doc =
        "The mass matrix: the kinetic energy of what the projection changes is least; independent of units and of the "
        "choice of coordinates.",
    .forces = 1,
    .matrix = mass_matrix,
    .jacobian = mass_jacobian,
    .direction = mass_direction,
    .pull = mass_pull,
};
