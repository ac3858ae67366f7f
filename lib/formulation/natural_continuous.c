/* The continuous adjoint of ALI3-P in natural coordinates: that of ali3p_continuous.c with q in the place of z. M is constant, so K has no part
 * of the accelerations, and it is the same at all nodes; with M singular the systems (1), (2) there are regular on the constraints.
 *
 * Objectives are functions of the joint coordinates and their reactions; their derivatives by q, qd, qdd come by the transposes of
 * natural_adjoint.c at each node. p, v are in natural_back.q, .qd; at node 0 they go to the start as those of the discrete adjoint do.
 * Equations: theory.md §7.3 (7.7) with q in the place of z, theory.md §5.1 (5.4c). */
#include <string.h>

#include "formulation/natural_ali3p.h"

/* A node. */
typedef struct node {
  double later, earlier; /* [s] what it answers for: the halves of the steps to both sides */
} node;

static const double accepted = 1e-6; /* of corrections: the scheme is off by more */

/* ---- systems ---- */

/* The multipliers that go with qdd: M x + Phi_q' lam = Q - M qdd, from zero; x is what qdd has left. */
static mbd_status solve_multipliers(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const int n = own->n->nq, m = own->n->nphi;
  natural_solver memory;
  mbd_saddle system = natural_system_of(s, &memory, own->M, own->Phi_q, &own->P_lu, own->alpha_P, "continuous adjoint");
  system.accepted = accepted;
  memset(own->f, 0, (size_t)n * sizeof *own->f), memset(own->g, 0, (size_t)m * sizeof *own->g);
  natural_mass_mul_add(own->v, own->now.qdd, own->f);
  for (int j = 0; j < n; j++) { own->f[j] = -own->f[j]; }
  natural_weight_add(own->v, own->f);
  natural_forces_add(own->v, s->t, own->now.q, own->now.qd, own->f);
  memset(own->now.lam, 0, (size_t)m * sizeof *own->now.lam);
  const mbd_status status =
      mbd_saddle_solve(&system, 1, own->f, own->g, own->dq, own->now.lam, own->step, own->rest, err);
  /* x is nearly zero, so the size of qdd is its measure. */
  const double left = mbd_norm_inf(n, own->dq), size = 1 + mbd_norm_inf(n, own->now.qdd);
  return status == MBD_SINGULAR && left <= 1e-9 * size ? MBD_OK : status;
}

/* K, C at the node, and the factors of M + h/2 C + h^2/4 K with h of the half step behind. */
static mbd_status factor_step(mbd_sim *s, const node *q, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const size_t places = (size_t)own->system->count;
  memset(own->K, 0, places * sizeof *own->K), memset(own->C, 0, places * sizeof *own->C);
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->now.qd, own->now.lam, 1, 0, own->K);
  natural_add_slopes(own->system, own->v, s->t, own->now.q, own->now.qd, NULL, 0, 1, own->C);
  for (size_t i = 0; i < places; i++) { own->T[i] = own->M[i] + q->later * (own->C[i] + q->later * own->K[i]); }
  own->alpha_T = natural_penalty(own->system, own->T, own->Phi_q);
  memcpy(own->sum, own->T, places * sizeof *own->sum);
  natural_add_squares(own->system, own->alpha_T, own->Phi_q, own->sum);
  s->stats.factorizations++;
  const mbd_status status = natural_factor(own->system, own->sum, &own->T_lu);
  if (status != MBD_OK) { MBD_FAIL(err, status, "a matrix of the continuous adjoint cannot be factored"); }
  return MBD_OK;
}

static mbd_status evaluate(mbd_sim *s, int k, node *q, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  q->later = k < s->nsteps ? s->h / 2 : 0;
  q->earlier = k > 0 ? s->h / 2 : 0;
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  if (k == 0) { memset(own->x_z, 0, (size_t)s->m->nz * sizeof *own->x_z); } /* the start solves for its reactions */
  MBD_TRY(natural_factor_projection(s, err));
  MBD_TRY(solve_multipliers(s, err));
  return factor_step(s, q, err);
}

/* y += c A' mu */
static void add_back(mbd_sim *s, double c, mbd_real *A, mbd_real *y) {
  natural_ali3p *own = natural_ali3p_of(s);
  const mbd_packed packed = natural_packed(own->system, A);
  mbd_packed_mulT_add(own->n->nq, 1, c, &packed, own->back.mu, y);
}

/* ---- the objectives at a node ---- */

static natural_pull pull_of(const mbd_sim *s, sim_adjoint *a, int k, mbd_real *q, mbd_real *qd) {
  const natural_back *b = &natural_ali3p_of(s)->back;
  return (natural_pull){.theta = a->theta[k], .by = b->by[k], .q = q, .qd = qd, .qdd = b->unused};
}

static void negated(int n, const mbd_real *x, mbd_real *y) {
  for (int i = 0; i < n; i++) { y[i] = -x[i]; }
}

/* g_q, g_qd of objective k at the node. by_accel += the adjoint variables mu of its dependence on accelerations; their part in the
 * derivatives by coefficients is added later. */
static mbd_status objective(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const natural_node *now = &own->now;
  const int n = own->n->nq;
  const size_t bytes = (size_t)n * sizeof(mbd_real);
  memset(b->g_q, 0, bytes), memset(b->g_qd, 0, bytes), memset(b->g_qdd, 0, bytes);
  MBD_TRY(natural_joints_back(s, a, k, b->g_q, b->g_qd, b->g_qdd, err));
  MBD_TRY(natural_solve_back(s, own->M, own->Phi_q, &own->P_lu, own->alpha_P, b->g_qdd, accepted, err));
  negated(own->n->nphi, b->nu, b->nu);
  const natural_pull to = pull_of(s, a, k, b->g_q, b->g_qd);
  natural_rows_pull(own->v, s->t, now->q, now->qd, now->qdd, NULL, NULL, b->nu, &to);
  add_back(s, -1, own->K, b->g_q);
  add_back(s, -1, own->C, b->g_qd);
  mbd_axpy(n, 1, b->mu, b->by_accel);
  return MBD_OK;
}

static mbd_status outputs(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  adjoint_zero((size_t)s->m->nphi * (size_t)a->npsi, a->lam);
  return natural_outputs_back(s, a, err);
}

/* Begins at the end of the run: p, v are the derivatives of the terminal terms; all other terms are integrals over time. Derivatives of
 * terminal terms by accelerations are taken to the coefficients at once. */
static mbd_status begin_at_end(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int n = own->n->nq;
  quadrature_weights(s, s->nsteps, 0, 1);
  MBD_TRY(outputs(s, a, err));
  for (int k = 0; k < a->npsi; k++) {
    const size_t at = (size_t)k * (size_t)n;
    memset(b->by_accel, 0, (size_t)n * sizeof *b->by_accel);
    MBD_TRY(objective(s, a, k, err));
    mbd_axpy(n, 1, b->g_q, b->q + at), mbd_axpy(n, 1, b->g_qd, b->qd + at);
    natural_motion_pull(s, a, k, b->by_accel);
  }
  return MBD_OK;
}

/* ---- the step ---- */

/* Computes the half step of the adjoint that ends at this node, (2) of ali3p_continuous.c: mu and beta, in nu. */
static mbd_status arrive(mbd_sim *s, const node *q, mbd_real *p, mbd_real *v, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int n = own->n->nq;
  const double part = q->later / (q->later + q->earlier);
  mbd_axpy(n, part, b->g_q, p), mbd_axpy(n, part, b->g_qd, v);
  mbd_axpy(n, q->later, p, v);
  MBD_TRY(natural_solve_back(s, own->T, own->Phi_q, &own->T_lu, own->alpha_T, v, accepted, err));
  add_back(s, -q->later, own->K, p);
  return MBD_OK;
}

/* p and the coefficients lose beta . Phid + gamma . Phi, gamma = beta/h. */
static void keep_to_constraints(mbd_sim *s, sim_adjoint *a, int k, const node *q, mbd_real *p) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const double rate = q->later > 0 ? 1 / (2 * q->later) : 0; /* the end has no step behind it */
  const natural_pull to = pull_of(s, a, k, p, b->unused);
  negated(own->n->nphi, b->nu, b->nu);
  for (int i = 0; i < own->n->nphi; i++) { own->g[i] = rate * b->nu[i]; }
  natural_rows_pull(own->v, s->t, own->now.q, own->now.qd, NULL, own->g, b->nu, NULL, &to);
}

/* The half step of the adjoint that begins at this node: v + h/2 (g_qd + p - C' mu), then p + h/2 (g_q - K' mu). */
static void leave(mbd_sim *s, const node *q, mbd_real *p, mbd_real *v) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int n = own->n->nq;
  const double part = q->earlier / (q->later + q->earlier);
  memset(v, 0, (size_t)n * sizeof *v);
  natural_mass_mul_add(own->v, b->mu, v);
  add_back(s, -q->earlier, own->C, v);
  mbd_axpy(n, q->earlier, p, v);
  mbd_axpy(n, part, b->g_qd, v);
  add_back(s, -q->earlier, own->K, p);
  mbd_axpy(n, part, b->g_q, p);
}

static mbd_status step_back(mbd_sim *s, sim_adjoint *a, int k, const node *q, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_back *b = &own->back;
  const int n = own->n->nq;
  mbd_real *const p = b->q + (size_t)k * (size_t)n, *const v = b->qd + (size_t)k * (size_t)n;
  memset(b->by_accel, 0, (size_t)n * sizeof *b->by_accel);
  MBD_TRY(objective(s, a, k, err));
  MBD_TRY(arrive(s, q, p, v, err));
  keep_to_constraints(s, a, k, q, p);
  mbd_axpy(n, q->later + q->earlier, b->mu, b->by_accel);
  natural_motion_pull(s, a, k, b->by_accel);
  leave(s, q, p, v);
  return MBD_OK;
}

mbd_status natural_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  node q;
  MBD_TRY(evaluate(s, k, &q, err));
  if (k == 0) { quadrature_outputs(s); } /* no step has computed the outputs of the start */
  if (k == s->nsteps) { MBD_TRY(begin_at_end(s, a, err)); }
  quadrature_weights(s, k < s->nsteps ? k : -1, sim_weight(s, k), 0);
  MBD_TRY(outputs(s, a, err));
  for (int i = 0; i < a->npsi; i++) { MBD_TRY(step_back(s, a, i, &q, err)); }
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd);
  if (k == 0) { natural_adjoint_begin(s, a); }
  return MBD_OK;
}
