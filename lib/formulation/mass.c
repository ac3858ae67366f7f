/* The factors of M + alpha Phi_z' Phi_z at one position (mass.h).
 * Equations: theory.md §3 (3.6) for M, theory.md §4 (4.2) for Phi_z. */
#include "formulation/mass.h"

#include "formulation/formulation.h"

mbd_status mass_factor(mbd_sim *s, matrices *system, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  matrices_phi_z(s, system, NULL);
  motion_mass(s->w, &system->M_at, system->M);
  system->motion = (mbd_saddle){.n = n,
                                .m = m,
                                .A = system->M,
                                .Phi = system->Phi_z,
                                .A_at = system->sparse ? &system->M_at : NULL,
                                .Phi_packed = system->Phi_packed,
                                .lu = &system->mass,
                                .alpha = matrices_penalty(system, &system->M_at, system->M),
                                .near_singular = &system->near_singular,
                                .at_least = EXTRA_ITERATIONS,
                                .what = "accelerations from the mass matrix"};
  const mbd_status status = matrices_factor(s, system, &system->M_at, system->M, system->motion.alpha, NULL,
                                            &system->mass, "the mass matrix cannot be factored", err);
  return status == MBD_SINGULAR ? mass_missing(s, err) : status;
}

mbd_status formulation_factor_motion(mbd_sim *s, mbd_error *err) {
  if (s->ops->factor_motion) { return s->ops->factor_motion(s, err); }
  return mass_factor(s, s->ops->matrices(s), err);
}

mbd_status formulation_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                                    mbd_real *dx, mbd_real *rg, mbd_error *err) {
  if (s->ops->factor_motion) { return s->ops->solve_motion(s, k, f, g, x, y, err); }
  return mbd_saddle_solve(&s->ops->matrices(s)->motion, k, f, g, x, y, dx, rg, err);
}
