/* The mechanism in joint coordinates (mechanics.h): the sweeps of dynamics/motion.h.
 * Equations: theory.md §3 (3.1), theory.md §4 (4.2). */
#include <string.h>

#include "formulation/mechanics.h"
#include "model/state.h"
#include "objective/objectives.h"

/* ---- motions ---- */

static size_t joint_slopes_size(const mbd_sim *s) {
  return (size_t)s->m->nz * (size_t)s->m->nz;
}

static mbd_status joint_matrices(const mbd_sim *s, matrices *x, mbd_error *err) {
  return matrices_create(s, x, err);
}

static void joint_place(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
}

static void joint_move(mbd_sim *s, const mbd_real *zd, const mbd_real *zdd, int gravity) {
  motion_move(s->w, zd, zdd, gravity);
}

static double farthest(double max, const mbd_real p[3]) {
  for (int i = 0; i < 3; i++) {
    const double v = mbd_largest(p[i]);
    max = v > max ? v : max;
  }
  return max;
}

/* Points count as well as origins of body frames, since these are at the origin of the ground until a body moves, however far away the body
 * is. */
static const mbd_constraint_ops *joint_constraint(const mbd_sim *s, int i, const char **name, int *row) {
  if (i >= s->m->nconstraint) { return NULL; }
  const mbd_constraint *c = &s->m->constraint[i];
  *name = c->name, *row = c->row;
  return c->ops;
}

static double joint_extent(const mbd_sim *s) {
  const mbd_work *w = s->w;
  double max = 1 + model_extent(s->m, s->m->nz, s->now.z);
  for (int i = 1; i < s->m->nb; i++) { max = s->m->body[i].light ? max : farthest(max, w->body[i].o); }
  for (int k = 0; k < w->swept.n; k++) { max = farthest(max, w->mark[w->swept.marker[k]].p); }
  return max;
}

static mbd_status joint_show(mbd_sim *s, const mbd_real *zd, double c, const mbd_real *correction,
                             newton_memory *newton, mbd_sim **seen, mbd_error *err) {
  (void)err;
  *seen = s;
  for (int j = 0; j < s->m->nz; j++) { newton->way[j] = c * correction[j]; }
  memcpy(newton->rates, zd, (size_t)s->m->nz * sizeof *zd);
  return MBD_OK;
}

/* ---- values ---- */

static void joint_rows(mbd_sim *s, const matrices *x, mbd_real *phi) {
  matrices_phi_z(s, x, phi);
}

static void joint_phi_t(mbd_sim *s, mbd_real *phi_t) {
  motion_phi_t(s->w, s->eq, phi_t);
  sim_leave_out(s, 1, phi_t);
}

/* Constraints depend on differences of points only, which the acceleration -g of the ground does not change. */
static void joint_phidd(mbd_sim *s, mbd_real *phidd) {
  motion_phidd(s->w, s->eq, phidd);
  sim_leave_out(s, 1, phidd);
}

static void joint_velocity_rows(mbd_sim *s, mbd_real *psi, mbd_real *psi_z, mbd_real *psid_z, mbd_real *psid_zd) {
  motion_velocity_rows(s->w, psi, psi_z, psid_z, psid_zd);
}

static void joint_mass(mbd_sim *s, const matrices *x, mbd_real *M) {
  motion_mass(s->w, &x->M_at, M);
}

static void joint_residual(mbd_sim *s, mbd_real *r) {
  motion_residual(s->w, r);
}

static void joint_residual_held(mbd_sim *s, mbd_real *phi, mbd_real *r) {
  motion_residual_held(s->w, s->eq, s->now.lam, phi, r);
}

static void joint_tangent(mbd_sim *s, const mbd_real *lam, const matrices *x, mbd_real *K, mbd_real *C, mbd_real *M) {
  const motion_terms e = motion_equations(s->eq, lam);
  motion_jacobian(s->w, &e, x ? matrices_tangent_at(x) : NULL, K, C, M ? &x->M_at : NULL, M);
}

static void joint_slopes_times(const mbd_sim *s, mbd_real *K, const mbd_nonzeros *K_at, int k, const mbd_real *x,
                               mbd_real *y) {
  mbd_mul_add_at(s->m->nz, s->m->nz, k, -1, K, K_at, x, y);
}

/* ---- directions ---- */

static void joint_direction(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp, mbd_real *dr, mbd_real *dphi,
                            mbd_real *dphid, mbd_real *dphidd) {
  const motion_terms rows = {.rows = s->eq}, equations = motion_equations(s->eq, s->now.lam);
  if (zp) {
    sim_vary_motion(s, k, zp, zdp);
  } else {
    sim_vary(s, k);
  }
  motion_direction(s->w, dr ? &equations : &rows, dr, dphi, dphid, dphidd);
  if (dphid) { sim_leave_out(s, 1, dphid); }
  if (dphidd) { sim_leave_out(s, 1, dphidd); }
}

static void joint_linearize_rates(mbd_sim *s, const rate_slopes *J, int of_phidd) {
  if (!J) { return; }
  motion_rates_z(s->w, s->eq, J->Phid_z, of_phidd ? J->Phidd_z : NULL, of_phidd ? J->Phidd_zd : NULL);
  sim_leave_out(s, s->m->nz, J->Phid_z);
  if (of_phidd) { sim_leave_out(s, s->m->nz, J->Phidd_z), sim_leave_out(s, s->m->nz, J->Phidd_zd); }
}

static void joint_rates_times(mbd_sim *s, const rate_slopes *J, int k, double c, const mbd_real *zp,
                              const mbd_real *zdp, mbd_real *Gd, mbd_real *Gdd) {
  const int n = s->m->nz, m = s->m->nphi;
  if (!J) {
    motion_rates_times(s->w, s->eq, k, zp, zdp, Gd, Gdd);
    if (Gd) { sim_leave_out(s, k, Gd); }
    if (Gdd) { sim_leave_out(s, k, Gdd); }
    return;
  }
  if (Gd) { mbd_mul_add_at(m, n, k, c, J->Phid_z, J->Phi_at, zp, Gd); }
  if (Gdd && zp) { mbd_mul_add_at(m, n, k, c, J->Phidd_z, J->Phi_at, zp, Gdd); }
  if (Gdd && zdp) { mbd_mul_add_at(m, n, k, c, J->Phidd_zd, J->Phi_at, zdp, Gdd); }
}

static void joint_rest_times(mbd_sim *s, const mbd_projection_ops *P, const mbd_real *mult, const matrices *places,
                             mbd_real *Kp, const mbd_real *zp, mbd_real *B) {
  const motion_terms e = projection_terms(P, s->eq, mult);
  if (!Kp) {
    motion_rest_times(s->w, &e, s->np, -1, zp, B);
    return;
  }
  motion_jacobian(s->w, &e, matrices_tangent_at(places), Kp, NULL, NULL, NULL);
  mbd_mul_add_at(s->m->nz, s->m->nz, s->np, -1, Kp, &places->K_at, zp, B);
}

static void joint_rest_direction(mbd_sim *s, const mbd_projection_ops *P, int k, const mbd_real *mult, mbd_real *dr) {
  const motion_terms e = projection_terms(P, s->eq, mult);
  sim_vary(s, k);
  motion_direction(s->w, &e, dr, NULL, NULL, NULL);
}

/* ---- reverse sweeps ---- */

static mbd_status joint_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  (void)err;
  adjoint_outputs(s, a);
  return MBD_OK;
}

static void joint_linearize(mbd_sim *s, sim_adjoint *a, const mbd_real *lam, const mbd_real *slopes) {
  if (slopes) {
    motion_linearize_kept(s->w, s->eq, lam, slopes, &a->linear);
  } else {
    motion_linearize(s->w, s->eq, lam, &a->linear);
  }
}

static void joint_residual_back(mbd_sim *s, sim_adjoint *a, const mbd_real *mu, const mbd_real *lam) {
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(s->m->nz, a->npsi, k, -1, mu, a->column);
    motion_reverse_residual(&a->reverse[k], lam ? &a->linear : NULL, a->column);
  }
}

static void joint_rows_back(mbd_sim *s, sim_adjoint *a, const double weight[3]) {
  mbd_real *of[3];
  for (int k = 0; k < a->npsi; k++) {
    mechanics_row_weights(s, a, k, s->m->nphi, weight, of);
    motion_reverse_rows(&a->reverse[k], s->eq, of[0], of[1], of[2]);
  }
}

static void joint_rest_back(mbd_sim *s, const mbd_projection_ops *P, sim_adjoint *a, const mbd_real *mu,
                            const mbd_real *x, const mbd_real *mult) {
  const motion_terms e = projection_terms(P, s->eq, mult);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(s->m->nz, a->npsi, k, -1, mu, a->column);
    motion_reverse_mass(&a->reverse[k], &e, a->column, x);
  }
}

static void joint_read_all(mbd_sim *s, sim_adjoint *a, mbd_real *z, mbd_real *zd, mbd_real *zdd) {
  const int n = s->m->nz;
  for (int k = 0; k < a->npsi; k++) {
    adjoint_zero(3 * (size_t)n, a->all);
    reverse_coordinates(&a->reverse[k], a->all, a->all + n, a->all + 2 * n);
    adjoint_add(n, a->npsi, k, a->all, z);
    adjoint_add(n, a->npsi, k, a->all + n, zd);
    adjoint_add(n, a->npsi, k, a->all + 2 * n, zdd);
  }
}

const mechanics mechanics_joint = {
    .slopes_size = joint_slopes_size,
    .matrices = joint_matrices,
    .place = joint_place,
    .move = joint_move,
    .constraint = joint_constraint,
    .extent = joint_extent,
    .rows = joint_rows,
    .phi_t = joint_phi_t,
    .phidd = joint_phidd,
    .velocity_rows = joint_velocity_rows,
    .mass = joint_mass,
    .residual = joint_residual,
    .residual_held = joint_residual_held,
    .tangent = joint_tangent,
    .slopes_times = joint_slopes_times,
    .direction = joint_direction,
    .linearize_rates = joint_linearize_rates,
    .rates_times = joint_rates_times,
    .rest_times = joint_rest_times,
    .rest_direction = joint_rest_direction,
    .begin_back = adjoint_begin,
    .outputs_back = joint_outputs_back,
    .linearize = joint_linearize,
    .residual_back = joint_residual_back,
    .rows_back = joint_rows_back,
    .rest_back = joint_rest_back,
    .read = adjoint_read,
    .read_all = joint_read_all,
    .end_back = adjoint_read_joints,
    .outputs = quadrature_outputs,
    .show = joint_show,
};
