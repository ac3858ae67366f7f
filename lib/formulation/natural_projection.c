/* The projections of a step in natural coordinates, (5.4) on q with P = M, constant, and factors at the position of the step:
 *   M (x - x*) + Phi_q' mult = 0,   Phi_q x = -g
 * or, as in S0 and S1, without iteration (projection_iterations = 1): mult = alpha (Phi_q x + g), constraints with the
 * compliance 1/alpha.
 * Equations: theory.md §5.1 (5.4a). */
#include <string.h>

#include "formulation/natural_ali3p.h"

mbd_status natural_factor_projection(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_phi(own->v, s->t, own->now.q, own->phi, own->Phi_q);
  own->alpha_P = s->c.projection_iterations == 1 && s->c.penalty > 0 ? s->c.penalty
                                                                     : natural_penalty(own->system, own->M, own->Phi_q);
  memcpy(own->sum, own->M, (size_t)own->system->count * sizeof *own->sum);
  natural_add_squares(own->system, own->alpha_P, own->Phi_q, own->sum);
  s->stats.factorizations++;
  const mbd_status status = natural_factor(own->system, own->sum, &own->P_lu);
  if (status != MBD_OK) { MBD_FAIL(err, status, "the projection matrix of the time step cannot be factored"); }
  return MBD_OK;
}

mbd_saddle natural_projection_system(mbd_sim *s, natural_solver *q, const char *what) {
  natural_ali3p *own = natural_ali3p_of(s);
  mbd_saddle system = natural_system_of(s, q, own->M, own->Phi_q, &own->P_lu, own->alpha_P, what);
  if (s->c.projection_iterations == 1) { system.compliance = 1 / own->alpha_P, system.weak = NULL; }
  return system;
}

/* Projects star to x. A projection changes x by a small part, so fewer digits of the change are needed. g: the rate at
 * x = 0. *left: becomes at least the residual of the rate. */
static mbd_status project(mbd_sim *s, const mbd_real *star, const mbd_real *g, mbd_real *x, mbd_real *mult,
                          double *left, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, m = own->n->nphi;
  natural_solver memory;
  mbd_saddle system = natural_projection_system(s, &memory, "projection of velocities or accelerations");
  system.part_of = mbd_norm_inf(n, star);
  memset(own->f, 0, (size_t)n * sizeof *own->f);
  for (int i = 0; i < m; i++) { own->dlam[i] = -g[i], mult[i] = 0; }
  mbd_packed_mul_add(m, 1, -1, &memory.Phi, star, own->dlam);
  MBD_TRY(mbd_saddle_solve(&system, 1, own->f, own->dlam, x, mult, own->step, own->rest, err));
  for (int j = 0; j < n; j++) { x[j] += star[j]; }
  memcpy(own->rest, g, (size_t)m * sizeof *own->rest);
  mbd_packed_mul_add(m, 1, 1, &memory.Phi, x, own->rest);
  *left = fmax(*left, mbd_norm_inf(m, own->rest));
  return MBD_OK;
}

mbd_status natural_project(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_node *now = &own->now;
  MBD_TRY(natural_factor_projection(s, err));
  s->stats.phi = fmax(s->stats.phi, mbd_norm_inf(own->n->nphi, own->phi));
  natural_phi_t(own->v, s->t, now->q, own->g);
  MBD_TRY(project(s, own->vs, own->g, now->qd, own->sv, &s->stats.phid, err));
  memset(now->qdd, 0, (size_t)own->n->nq * sizeof *now->qdd);
  natural_phidd(own->v, s->t, now->q, now->qd, now->qdd, own->g);
  return project(s, own->as, own->g, now->qdd, own->sa, &s->stats.phidd, err);
}
