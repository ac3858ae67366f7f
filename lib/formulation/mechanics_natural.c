/* The mechanism in natural coordinates (mechanics.h), of the formulation's simulation of a natural_run: M constant, r = M qdd - Q. All functions
 * evaluate at s->now.z and at the rates of natural_move.
 * Equations: theory.md §4.1 (4.8) to (4.12), theory.md §5.1 (5.4a). */
#include <string.h>

#include "formulation/mechanics.h"
#include "formulation/natural_run.h"
#include "model/state.h"

static void negate(int n, mbd_real *x) {
  for (int i = 0; i < n; i++) { x[i] = -x[i]; }
}

static mbd_packed at_Phi(const natural_run *r, mbd_real *val) {
  return (mbd_packed){r->n->first, r->n->col, val, NULL};
}

/* ---- motions ---- */

static size_t natural_slopes_size(const mbd_sim *s) {
  return (size_t)natural_run_around(s)->system->count;
}

static mbd_status natural_matrices(const mbd_sim *s, matrices *x, mbd_error *err) {
  return matrices_create_natural(natural_run_around(s)->system, x, err);
}

static void natural_mechanics_place(mbd_sim *s) {
  (void)s; /* all functions evaluate at s->now.z */
}

static void natural_move(mbd_sim *s, const mbd_real *qd, const mbd_real *qdd, int gravity) {
  natural_run *r = natural_run_around(s);
  (void)gravity;
  r->qd = qd, r->qdd = qdd;
}

static const mbd_constraint_ops *natural_constraint(const mbd_sim *s, int i, const char **name, int *row) {
  const natural *n = natural_run_around(s)->n;
  if (i >= n->nelement) { return NULL; }
  *name = n->element[i].name, *row = n->element[i].row;
  return n->element[i].ops;
}

static double natural_extent(const mbd_sim *s) {
  return 1 + model_extent(s->m, natural_run_around(s)->n->nq, s->now.z);
}

/* ---- values and slopes ---- */

static void natural_rows(mbd_sim *s, const matrices *x, mbd_real *phi) {
  const natural_run *r = natural_run_around(s);
  natural_phi(r->v, s->t, s->now.z, phi ? phi : r->phi, x->Phi_packed->val);
  matrices_leave_out(s, x->Phi_packed);
}

static void natural_row_rates(mbd_sim *s, mbd_real *phi_t) {
  natural_phi_t(natural_run_around(s)->v, s->t, s->now.z, phi_t);
  sim_leave_out(s, 1, phi_t);
}

static void natural_row_accelerations(mbd_sim *s, mbd_real *phidd) {
  const natural_run *r = natural_run_around(s);
  natural_phidd(r->v, s->t, s->now.z, r->qd, r->qdd, phidd);
  sim_leave_out(s, 1, phidd);
}

static void natural_velocities(mbd_sim *s, mbd_real *psi, mbd_real *psi_q, mbd_real *psid_q, mbd_real *psid_qd) {
  const natural_run *r = natural_run_around(s);
  natural_velocity_rows(r->v, s->t, s->now.z, r->qd, r->qdd, psi, psi_q, psid_q, psid_qd);
}

/* M is that of the run's design. */
static void natural_mass(mbd_sim *s, const matrices *x, mbd_real *M) {
  (void)s;
  if (M != x->M) { memcpy(M, x->M, matrices_size(x, &x->M_at) * sizeof *M); }
}

static void natural_residual(mbd_sim *s, mbd_real *x) {
  const natural_run *r = natural_run_around(s);
  memset(x, 0, (size_t)r->n->nq * sizeof *x);
  natural_weight_add(r->v, x);
  natural_forces_add(r->v, s->t, s->now.z, r->qd, x);
  negate(r->n->nq, x);
  natural_mass_mul_add(r->v, r->qdd, x);
}

static void natural_residual_held(mbd_sim *s, mbd_real *phi, mbd_real *x) {
  const natural_run *r = natural_run_around(s);
  const mbd_packed Phi = at_Phi(r, r->Phi_q);
  natural_residual(s, x);
  natural_phi(r->v, s->t, s->now.z, phi, r->Phi_q);
  if (s->m->nvelocity > 0) { natural_velocities(s, phi + s->velocity_row, NULL, NULL, NULL); }
  mbd_packed_mulT_add(r->n->nphi, 1, 1, &Phi, s->now.lam, x);
}

/* M is constant. */
static void natural_tangent(mbd_sim *s, const mbd_real *lam, const matrices *x, mbd_real *K, mbd_real *C, mbd_real *M) {
  const natural_run *r = natural_run_around(s);
  const size_t bytes = (size_t)r->system->count * sizeof *K;
  (void)x, (void)M;
  memset(K, 0, bytes), memset(C, 0, bytes);
  natural_add_slopes(r->system, r->v, s->t, s->now.z, r->qd, lam, K, C);
}

static void natural_slopes_times(const mbd_sim *s, mbd_real *K, const mbd_nonzeros *K_at, int k, const mbd_real *x,
                                 mbd_real *y) {
  const natural_run *r = natural_run_around(s);
  const mbd_packed packed = natural_packed(r->system, K);
  (void)K_at;
  mbd_packed_mul_add(r->n->nq, k, -1, &packed, x, y);
}

/* ---- directions ---- */

static natural_along natural_along_of(const mbd_sim *s, int k) {
  const natural_run *r = natural_run_around(s);
  const size_t from = (size_t)k * (size_t)natural_moves(r->n);
  return (natural_along){.d = s->d[k], .dv = r->sens.dv[k], .dt = s->stretch[k] * s->t, .moves = r->sens.moves + from};
}

static void natural_direction(mbd_sim *s, int k, const mbd_real *qp, const mbd_real *qdp, mbd_real *dr, mbd_real *dphi,
                              mbd_real *dphid, mbd_real *dphidd) {
  const natural_run *r = natural_run_around(s);
  const natural_along to = natural_along_of(s, k);
  (void)qp, (void)qdp;
  natural_rows_direction(r->v, s->t, s->now.z, r->qd, r->qdd, &to, dphi, dphid, dphidd);
  if (dphid) { sim_leave_out(s, 1, dphid); }
  if (dphidd) { sim_leave_out(s, 1, dphidd); }
  if (!dr) { return; }
  memset(dr, 0, (size_t)r->n->nq * sizeof *dr);
  natural_weight_direction(r->v, &to, dr);
  natural_forces_direction(r->v, s->t, s->now.z, r->qd, &to, dr);
  negate(r->n->nq, dr);
  natural_mass_direction(r->v, &to, r->qdd, dr);
  natural_reactions_direction(r->v, s->t, s->now.z, s->now.lam, &to, dr);
}

/* Phidd_qd is twice Phid_q, because Phi_qt = 0; of velocity constraints, with what H lacks of symmetry. */
static void natural_linearize_rates(mbd_sim *s, const rate_slopes *J, int of_phidd) {
  natural_run *r = natural_run_around(s);
  (void)J;
  mbd_real *const Phid_q = of_phidd ? r->Phidd_half : r->Phid_alone;
  natural_rates_q(r->v, s->t, s->now.z, r->qd, r->qdd, Phid_q, of_phidd ? r->Phidd_q : r->unused,
                  of_phidd ? r->Phidd_more : NULL);
  r->Phid_q = Phid_q;
}

static void natural_rates_times(mbd_sim *s, const rate_slopes *J, int k, double c, const mbd_real *qp,
                                const mbd_real *qdp, mbd_real *Gd, mbd_real *Gdd) {
  const natural_run *r = natural_run_around(s);
  (void)J;
  const int m = r->n->nphi;
  const mbd_packed Phid_q = at_Phi(r, r->Phid_q), Phidd_q = at_Phi(r, r->Phidd_q), half = at_Phi(r, r->Phidd_half);
  if (Gd) { mbd_packed_mul_add(m, k, c, &Phid_q, qp, Gd); }
  if (Gdd && qp) { mbd_packed_mul_add(m, k, c, &Phidd_q, qp, Gdd); }
  if (Gdd && qdp) { mbd_packed_mul_add(m, k, 2 * c, &half, qdp, Gdd); }
  if (Gdd && qdp && r->Phidd_more) {
    const mbd_packed more = at_Phi(r, r->Phidd_more);
    mbd_packed_mul_add(m, k, c, &more, qdp, Gdd);
  }
  if (Gd) { sim_leave_out(s, k, Gd); }
  if (Gdd) { sim_leave_out(s, k, Gdd); }
}

/* P is constant. */
static void natural_rest_times(mbd_sim *s, const mbd_projection_ops *P, const mbd_real *mult, const matrices *places,
                               mbd_real *Kp, const mbd_real *qp, mbd_real *B) {
  (void)P, (void)places, (void)Kp;
  natural_reactions_times(natural_run_around(s)->v, s->t, s->now.z, mult, s->np, -1, qp, B);
}

static void natural_rest_direction(mbd_sim *s, const mbd_projection_ops *P, int k, const mbd_real *mult, mbd_real *dr) {
  const natural_run *r = natural_run_around(s);
  const natural_along to = natural_along_of(s, k);
  memset(dr, 0, (size_t)r->n->nq * sizeof *dr);
  if (P->depends == PROJECTION_OF_INERTIA) { natural_mass_direction(r->v, &to, r->qdd, dr); }
  natural_reactions_direction(r->v, s->t, s->now.z, mult, &to, dr);
}

/* ---- reverse sweeps, one objective after another ---- */

static natural_reverse natural_reverse_of(const mbd_sim *s, const sim_adjoint *a, int k) {
  const natural_run *r = natural_run_around(s);
  const natural_back *b = &r->back;
  const size_t at = (size_t)k * (size_t)r->n->nq;
  return (natural_reverse){.theta = a->theta[k], .by = b->by[k], .q = b->q + at, .qd = b->qd + at, .qdd = b->qdd + at};
}

static void natural_begin_back(const mbd_sim *s, sim_adjoint *a) {
  const natural_run *r = natural_run_around(s);
  const size_t size = (size_t)r->n->nq * (size_t)a->npsi;
  adjoint_zero(size, r->back.q), adjoint_zero(size, r->back.qd), adjoint_zero(size, r->back.qdd);
}

/* The derivatives by the joint coordinates, all of which outputs_back passes on. */
static void clear_joint(const mbd_sim *run, sim_adjoint *joint) {
  const size_t size = (size_t)run->m->nz * (size_t)joint->npsi;
  adjoint_zero(size, joint->z), adjoint_zero(size, joint->zd), adjoint_zero(size, joint->zdd);
  adjoint_zero((size_t)run->m->nphi * (size_t)joint->npsi, joint->lam);
}

/* Objectives depend on the joint coordinates of the run. */
static mbd_status natural_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  mbd_sim *run = natural_run_around(s)->run;
  sim_adjoint *joint = run->adjoint;
  natural_begin_back(s, a);
  motion_place(run->w, run->p, run->t, run->now.z);
  motion_move(run->w, run->now.zd, run->now.zdd, 1);
  clear_joint(run, joint);
  MBD_TRY(natural_joint_outputs_back(run, joint, err));
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse to = natural_reverse_of(s, a, k);
    MBD_TRY(natural_joints_back(run, joint, k, to.q, to.qd, to.qdd, err));
  }
  clear_joint(run, joint);
  return MBD_OK;
}

/* A sweep evaluates what it needs. */
static void natural_linearize(mbd_sim *s, sim_adjoint *a, const mbd_real *lam, const mbd_real *slopes) {
  (void)s, (void)a, (void)lam, (void)slopes;
}

static void natural_residual_back(mbd_sim *s, sim_adjoint *a, const mbd_real *mu, const mbd_real *lam) {
  const natural_run *r = natural_run_around(s);
  const int n = r->n->nq;
  mbd_real *const weight = r->back.mu;
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse to = natural_reverse_of(s, a, k);
    adjoint_get(n, a->npsi, k, 1, mu, weight);
    natural_forces_reverse(r->v, s->t, s->now.z, r->qd, weight, &to);
    natural_weight_reverse(r->v, weight, &to);
    negate(n, weight);
    natural_mass_mul_add(r->v, weight, to.qdd);
    natural_mass_reverse(r->v, weight, r->qdd, &to);
    if (lam) { natural_reactions_reverse(r->v, s->t, s->now.z, lam, weight, &to); }
  }
}

static void natural_rows_back(mbd_sim *s, sim_adjoint *a, const double weight[3]) {
  const natural_run *r = natural_run_around(s);
  mbd_real *of[3];
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse to = natural_reverse_of(s, a, k);
    mechanics_row_weights(s, a, k, r->n->nphi, weight, of);
    natural_rows_reverse(r->v, s->t, s->now.z, r->qd, r->qdd, of[0], of[1], of[2], &to);
  }
}

static void natural_rest_back(mbd_sim *s, const mbd_projection_ops *P, sim_adjoint *a, const mbd_real *mu,
                              const mbd_real *x, const mbd_real *mult) {
  const natural_run *r = natural_run_around(s);
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse to = natural_reverse_of(s, a, k);
    adjoint_get(r->n->nq, a->npsi, k, -1, mu, r->back.mu);
    if (P->depends == PROJECTION_OF_INERTIA) { natural_mass_reverse(r->v, r->back.mu, x, &to); }
    natural_reactions_reverse(r->v, s->t, s->now.z, mult, r->back.mu, &to);
  }
}

static void natural_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block) {
  const int n = natural_run_around(s)->n->nq;
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse from = natural_reverse_of(s, a, k);
    adjoint_add(n, a->npsi, k, order == 0 ? from.q : order == 1 ? from.qd : from.qdd, block);
  }
}

static void natural_read_all(mbd_sim *s, sim_adjoint *a, mbd_real *q, mbd_real *qd, mbd_real *qdd) {
  natural_read(s, a, 0, q), natural_read(s, a, 1, qd), natural_read(s, a, 2, qdd);
}

static void natural_end_back(sim_adjoint *a) {
  (void)a; /* the derivatives by the coefficients have been added at once */
}

/* ---- what a run in joint coordinates sees ---- */

static void natural_outputs(mbd_sim *s) {
  mbd_sim *run = natural_run_around(s)->run;
  motion_place(run->w, run->p, run->t, run->now.z);
  motion_move(run->w, run->now.zd, run->now.zdd, 1);
  quadrature_outputs(run);
}

/* The bases of the bodies change with the correction, and so do the joint coordinates, joint by joint (lib/natural/joints.c). */
static mbd_status natural_show(mbd_sim *s, const mbd_real *qd, double c, const mbd_real *correction,
                               newton_memory *newton, mbd_sim **seen, mbd_error *err) {
  natural_run *r = natural_run_around(s);
  mbd_sim *run = r->run;
  mbd_error unseen = {0};
  (void)err;
  *seen = NULL;
  memcpy(run->now.z, run->before.z, (size_t)run->m->nz * sizeof *run->now.z);
  mbd_status status = natural_joints(r->v, run->w, s->t, s->now.z, qd, r->now.qdd, r->X, run->now.z, newton->rates,
                                     run->now.zdd, &unseen);
  natural_bases_gather(r->n, NULL, correction, r->sens.difference);
  for (int i = 0; i < natural_bases_rows(r->n); i++) { r->sens.difference[i] *= c; }
  for (int i = 0; i < run->m->nb; i++) { r->sens.norm[i] = 0; }
  if (status == MBD_OK) {
    status =
        natural_joints_change(r->v, run->w, s->now.z, r->sens.difference, r->sens.norm, r->X, newton->way, &unseen);
  }
  if (status == MBD_OK) { *seen = run; }
  return MBD_OK;
}

const mechanics mechanics_natural = {
    .by_matrices = 1,
    .slopes_size = natural_slopes_size,
    .matrices = natural_matrices,
    .place = natural_mechanics_place,
    .move = natural_move,
    .constraint = natural_constraint,
    .extent = natural_extent,
    .rows = natural_rows,
    .phi_t = natural_row_rates,
    .phidd = natural_row_accelerations,
    .velocity_rows = natural_velocities,
    .mass = natural_mass,
    .residual = natural_residual,
    .residual_held = natural_residual_held,
    .tangent = natural_tangent,
    .slopes_times = natural_slopes_times,
    .direction = natural_direction,
    .linearize_rates = natural_linearize_rates,
    .rates_times = natural_rates_times,
    .rest_times = natural_rest_times,
    .rest_direction = natural_rest_direction,
    .begin_back = natural_begin_back,
    .outputs_back = natural_outputs_back,
    .linearize = natural_linearize,
    .residual_back = natural_residual_back,
    .rows_back = natural_rows_back,
    .rest_back = natural_rest_back,
    .read = natural_read,
    .read_all = natural_read_all,
    .end_back = natural_end_back,
    .outputs = natural_outputs,
    .show = natural_show,
};
