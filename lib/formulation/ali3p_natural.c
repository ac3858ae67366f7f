/* ALI3-P in natural coordinates: the mechanism (ali3p.h) by natural_mechanics.c, and the row of the formulation table. The equations are those of
 * ali3p.c with q in the place of z and a constant mass matrix; after each step the joint coordinates of the run follow from the bodies.
 * Equations: theory.md §5.1 (5.4a), theory.md §4.1 (4.12). */
#include <stdlib.h>
#include <string.h>

#include "formulation/ali3p.h"
#include "formulation/natural_run.h"

typedef struct natural_ali3p {
  natural_run base; /* first, so that s->memory is it too */
  ali3p step;
} natural_ali3p;

static natural_ali3p *natural_ali3p_of(const mbd_sim *s) {
  return s->memory;
}

/* ---- the mechanism ---- */

static mbd_status natural_matrices(const mbd_sim *s, matrices *x, mbd_error *err) {
  return matrices_create_natural(natural_run_around(s)->system, x, err);
}

static void natural_ali3p_place(mbd_sim *s) {
  (void)s; /* all functions evaluate at s->now.z */
}

static double natural_extent(const mbd_sim *s) {
  return 1 + mbd_norm_inf(ali3p_of(s)->n, s->now.z);
}

static mbd_status natural_ali3p_show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  ali3p *own = ali3p_of(s);
  return natural_show(s, own->newton.vs, -1, own->newton.dz, &own->newton.memory, seen, err);
}

static void natural_rows(mbd_sim *s, mbd_real *phi) {
  const natural_run *r = natural_run_around(s);
  natural_phi(r->v, s->t, s->now.z, phi ? phi : r->phi, ali3p_of(s)->x.Phi_packed->val);
}

static void natural_row_rates(mbd_sim *s, mbd_real *phi_t) {
  natural_phi_t(natural_run_around(s)->v, s->t, s->now.z, phi_t);
}

static void natural_row_accelerations(mbd_sim *s, mbd_real *phidd) {
  const natural_run *r = natural_run_around(s);
  natural_phidd(r->v, s->t, s->now.z, r->qd, r->qdd, phidd);
}

/* M is that of the run's design. */
static void natural_mass(mbd_sim *s, mbd_real *M) {
  const ali3p *own = ali3p_of(s);
  if (M != own->x.M) { memcpy(M, own->x.M, matrices_size(&own->x, &own->x.M_at) * sizeof *M); }
}

static void natural_residual_held(mbd_sim *s, mbd_real *phi, mbd_real *x) {
  const natural_run *r = natural_run_around(s);
  const mbd_packed Phi = {r->n->first, r->n->col, r->Phi_q, NULL};
  natural_residual(s, x);
  natural_phi(r->v, s->t, s->now.z, phi, r->Phi_q);
  mbd_packed_mulT_add(r->n->nphi, 1, 1, &Phi, s->now.lam, x);
}

static void natural_tangent(mbd_sim *s, const mbd_real *lam, int with_mass) {
  const ali3p *own = ali3p_of(s);
  (void)with_mass;
  natural_slopes(s, lam, own->tangent.K, own->tangent.C);
}

static void natural_motion_direction(mbd_sim *s, int k, mbd_real *dr, mbd_real *dphi) {
  natural_direction(s, k, s->now.lam, dr, dphi, NULL, NULL);
}

/* P is constant. */
static void natural_rest_times(mbd_sim *s, const mbd_real *mult, const mbd_real *qp, mbd_real *B) {
  natural_reactions_times(natural_run_around(s)->v, s->t, s->now.z, mult, s->np, -1, qp, B);
}

static int of_inertia(const mbd_sim *s) {
  return ali3p_of(s)->projection.ops->depends == PROJECTION_OF_INERTIA;
}

static void natural_rest_direction(mbd_sim *s, int k, const mbd_real *mult, mbd_real *dr) {
  const natural_run *r = natural_run_around(s);
  const natural_along to = natural_along_of(s, k);
  memset(dr, 0, (size_t)r->n->nq * sizeof *dr);
  if (of_inertia(s)) { natural_mass_direction(r->v, &to, r->qdd, dr); }
  natural_reactions_direction(r->v, s->t, s->now.z, mult, &to, dr);
}

static void natural_ali3p_rates_times(mbd_sim *s, const mbd_real *qp, const mbd_real *qdp, mbd_real *Gd,
                                      mbd_real *Gdd) {
  natural_rates_times(s, s->np, 1, qp, qdp, Gd, Gdd);
}

static void natural_rates_direction(mbd_sim *s, int k, mbd_real *dphid, mbd_real *dphidd) {
  natural_direction(s, k, NULL, NULL, NULL, dphid, dphidd);
}

static void natural_linearize(mbd_sim *s, sim_adjoint *a, const mbd_real *lam, const mbd_real *slopes) {
  (void)s, (void)a, (void)lam, (void)slopes; /* a sweep evaluates what it needs */
}

static void natural_rest_back(mbd_sim *s, sim_adjoint *a, const mbd_real *mu, const mbd_real *x, const mbd_real *mult) {
  const natural_run *r = natural_run_around(s);
  for (int k = 0; k < a->npsi; k++) {
    const natural_reverse to = natural_reverse_of(s, a, k);
    adjoint_get(r->n->nq, a->npsi, k, -1, mu, r->back.mu);
    if (of_inertia(s)) { natural_mass_reverse(r->v, r->back.mu, x, &to); }
    natural_reactions_reverse(r->v, s->t, s->now.z, mult, r->back.mu, &to);
  }
}

static void natural_read_all(mbd_sim *s, sim_adjoint *a, mbd_real *q, mbd_real *qd, mbd_real *qdd) {
  natural_read(s, a, 0, q), natural_read(s, a, 1, qd), natural_read(s, a, 2, qdd);
}

static const ali3p_mechanics ali3p_natural = {
    .matrices = natural_matrices,
    .place = natural_ali3p_place,
    .move = natural_move,
    .extent = natural_extent,
    .rows = natural_rows,
    .phi_t = natural_row_rates,
    .phidd = natural_row_accelerations,
    .mass = natural_mass,
    .residual = natural_residual,
    .residual_held = natural_residual_held,
    .tangent = natural_tangent,
    .motion_direction = natural_motion_direction,
    .rest_times = natural_rest_times,
    .rest_direction = natural_rest_direction,
    .linearize_rates = natural_linearize_rates,
    .rates_times = natural_ali3p_rates_times,
    .rates_direction = natural_rates_direction,
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
    .show = natural_ali3p_show,
};

/* ---- the formulation ---- */

static mbd_status natural_ali3p_create(mbd_sim *s, mbd_error *err) {
  natural_ali3p *run = s->memory = calloc(1, sizeof *run);
  if (!run) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(natural_run_create(s, &run->base, err));
  run->base.memory = &run->step;
  run->step.in = &ali3p_natural, run->step.n = run->base.n->nq, run->step.m = run->base.n->nphi;
  return ali3p_create_in(natural_enter(s), &run->step, err);
}

static void natural_ali3p_destroy(mbd_sim *s) {
  natural_ali3p *run = s->memory;
  if (!run) { return; }
  ali3p_release(&run->step);
  natural_run_release(s, &run->base);
  free(run);
}

static mbd_status natural_ali3p_begin(mbd_sim *s, mbd_error *err) {
  natural_ali3p *run = natural_ali3p_of(s);
  MBD_TRY(natural_begin(s, err));
  memset(run->step.tangent.T0, 0, (size_t)run->base.system->count * sizeof *run->step.tangent.T0);
  natural_add_mass(run->base.system, run->base.v, 1, run->step.tangent.T0);
  matrices_take_mass(&run->step.x, run->step.tangent.T0);
  return ali3p_begin(natural_enter(s), err);
}

static mbd_status natural_ali3p_step(mbd_sim *s, mbd_error *err) {
  natural_swap_nodes(natural_run_of(s));
  MBD_TRY(natural_leave(s, ali3p_step(natural_enter(s), err)));
  MBD_TRY(natural_write_back(s, err));
  return s->np > 0 ? natural_sens_joints(s, err) : MBD_OK;
}

static size_t natural_ali3p_state_reals(const mbd_sim *s) {
  return natural_state_reals(s) + ali3p_state_reals(&natural_run_of(s)->in);
}

static void natural_ali3p_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_copy_state(s, copy, at);
  ali3p_copy_state(natural_enter(s), copy, at);
}

static size_t natural_ali3p_record_reals(const mbd_sim *s) {
  return ali3p_record_reals(&natural_run_of(s)->in) + (size_t)s->m->nz;
}

static void natural_ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ali3p_copy_record(natural_enter(s), copy, at);
  copy(at, natural_run_of(s)->x_z, s->m->nz);
}

static mbd_status natural_ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  mbd_sim *in = natural_enter(s);
  return natural_leave(s, ali3p_adjoint_step(in, natural_enter_back(s, a), err));
}

/* Reactions of the start are those of its accelerations, without a remainder x of the equations of motion. */
static mbd_status natural_ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  if (k == 0) { memset(r->x_z, 0, (size_t)s->m->nz * sizeof *r->x_z); }
  mbd_sim *in = natural_enter(s);
  MBD_TRY(natural_leave(s, ali3p_continuous_adjoint(in, natural_enter_back(s, a), k, err)));
  if (k > 0) { return MBD_OK; }
  /* The state at the start is q, qd: the part of the accelerations has gone to these. */
  adjoint_zero((size_t)r->n->nq * (size_t)a->npsi, r->by.zdd);
  natural_adjoint_begin(s, a);
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_natural_ali3p = {
    .name = "ali3p",
    .doc = "ALI3-P in natural coordinates.",
    .create = natural_ali3p_create,
    .destroy = natural_ali3p_destroy,
    .begin = natural_ali3p_begin,
    .step = natural_ali3p_step,
    .state_reals = natural_ali3p_state_reals,
    .copy_state = natural_ali3p_copy_state,
    .record_reals = natural_ali3p_record_reals,
    .copy_record = natural_ali3p_copy_record,
    .adjoint_step = natural_ali3p_adjoint_step,
    .adjoint_begin = natural_adjoint_begin,
    .continuous_adjoint = natural_ali3p_continuous_adjoint,
    .tangent = 1,
    .matrices = natural_joint_matrices,
};
