#include "formulation/mass.h"

#include "formulation/formulation.h"

mbd_status mass_factor(mbd_sim *s, mbd_saddle *q, mbd_error *err) {
  const int n = s->m->nz, m = s->m->nphi;
  motion_phi(s->w, s->eq, NULL, s->Phi_z);
  motion_mass(s->w, s->M);
  sim_pack_phi(s);
  *q = (mbd_saddle){.n = n,
                    .m = m,
                    .A = s->M,
                    .Phi = s->Phi_z,
                    .lu = &s->P_lu,
                    .alpha = mbd_saddle_penalty(n, m, s->M, s->Phi_z),
                    .weak = &s->weak,
                    .at_least = EXTRA_ITERATIONS,
                    .what = "accelerations from the mass matrix"};
  const mbd_status status = sim_factor(s, s->M, q->alpha, &s->P_lu, "the mass matrix cannot be factored", err);
  return status == MBD_SINGULAR ? mass_missing(s, err) : status;
}

mbd_status formulation_factor_motion(mbd_sim *s, mbd_error *err) {
  return s->ops->factor_motion ? s->ops->factor_motion(s, err) : mass_factor(s, &s->mass, err);
}

mbd_status formulation_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                                    mbd_real *dx, mbd_real *rg, mbd_error *err) {
  if (s->ops->factor_motion) { return s->ops->solve_motion(s, k, f, g, x, y, err); }
  return mbd_saddle_solve(&s->mass, k, f, g, x, y, dx, rg, err);
}
