/* ALI3-P in natural coordinates: index-3 augmented Lagrangian with mass-orthogonal projections (S0 §3 with the constant mass matrix), for
 * schemes of the Newmark family,
 *   M a* + Phi_q' lam = Q,  Phi = 0                  with v* = c q + ..., a* = a q + ...
 *   M (qd - v*) + Phi_q' sigma = 0,   Phi_q qd = -Phi_t
 *   M (qdd - a*) + Phi_q' kappa = 0,  Phi_q qdd = -(Phidd at qdd = 0)
 * after which the joint coordinates of the state follow from the bodies (lib/natural/joints.c), and the reactions of
 * the model's constraints minimize the residual of its equations of motion, measured by the inverse of the mass
 * matrix. */
#include "formulation/natural_ali3p.h"

#include <string.h>

#include "formulation/mass.h"

void natural_swap_nodes(natural_ali3p *own) {
  const natural_node t = own->before;
  own->before = own->now;
  own->now = t;
}

static void advance_acc(mbd_sim *s) {
  natural_ali3p *own = natural_ali3p_of(s);
  const size_t n = (size_t)own->n->nq;
  scheme_carry_acc(&s->scheme, n, own->before.qdd, own->before.acc, own->now.acc);
  scheme_close_acc(&s->scheme, n, own->now.qdd, own->now.acc);
}

/* Solves M x + Phi_z' lam = -r, Phi_z x = 0 at the current motion, whose residual without reactions is r. The reactions
 * are set to zero if nothing reads them. */
static mbd_status find_reactions(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  if (!natural_reads_reactions(s)) {
    memset(s->now.lam, 0, (size_t)s->m->nphi * sizeof *s->now.lam);
    return MBD_OK;
  }
  motion_residual(s->w, own->by_z);
  for (int j = 0; j < s->m->nz; j++) { own->by_z[j] = -own->by_z[j]; }
  memset(own->none, 0, (size_t)s->m->nphi * sizeof *own->none);
  memcpy(s->now.lam, s->before.lam, (size_t)s->m->nphi * sizeof *s->now.lam);
  MBD_TRY(mass_factor(s, &own->x, err));
  return mbd_saddle_solve(&own->x.motion, 1, own->by_z, own->none, own->x_z, s->now.lam, own->dz, own->rest_z, err);
}

/* Computes s->now from own->now; the guess is extrapolated from the previous node. */
mbd_status natural_write_back(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  const natural_node *now = &own->now;
  const sim_state *b = &s->before;
  for (int j = 0; j < s->m->nz; j++) { s->now.z[j] = b->z[j] + s->h * (b->zd[j] + s->h / 2 * b->zdd[j]); }
  MBD_TRY(natural_joints(own->v, s->w, s->t, now->q, now->qd, now->qdd, own->X, s->now.z, s->now.zd, s->now.zdd, err));
  return find_reactions(s, err);
}

/* Begins a run at the start that is computed in joint coordinates. */
mbd_status natural_begin(mbd_sim *s, mbd_error *err) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_node *now = &own->now;
  const size_t n = (size_t)own->n->nq;
  MBD_TRY(natural_params_set(own->v, s->p, err));
  natural_curvature_set(own->v);
  memset(own->M, 0, (size_t)own->system->count * sizeof *own->M);
  natural_add_mass(own->system, own->v, 1, own->M);
  natural_pack(own->system, own->M, &own->M_packed);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  natural_take(own->v, s->w, now->q, now->qd, now->qdd);
  memset(now->lam, 0, (size_t)own->n->nphi * sizeof *now->lam);
  if (s->scheme.has_acc) { memcpy(now->acc, now->qdd, n * sizeof *now->acc); }
  natural_motion_begin(s);
  natural_back_clear(s);
  if (s->np > 0) { natural_sens_begin(s); }
  return MBD_OK;
}

static mbd_status step(mbd_sim *s, mbd_error *err) {
  natural_swap_nodes(natural_ali3p_of(s));
  MBD_TRY(natural_solve_motion(s, err));
  if (s->np > 0) { MBD_TRY(natural_sens_motion(s, err)); }
  MBD_TRY(natural_project(s, err));
  if (s->np > 0) { MBD_TRY(natural_sens_projection(s, err)); }
  advance_acc(s);
  MBD_TRY(natural_write_back(s, err));
  return s->np > 0 ? natural_sens_joints(s, err) : MBD_OK;
}

matrices *natural_joint_matrices(const mbd_sim *s) {
  return &natural_ali3p_of(s)->x;
}

/* ---- states ---- */

size_t natural_state_reals(const mbd_sim *s) {
  const natural *n = natural_ali3p_of(s)->n;
  return (size_t)((s->scheme.has_acc ? 6 : 5) * n->nq + 3 * n->nphi + 1);
}

void natural_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_ali3p *own = natural_ali3p_of(s);
  natural_node *now = &own->now;
  const int n = own->n->nq;
  copy(at, now->q, n), copy(at, now->qd, n), copy(at, now->qdd, n);
  if (s->scheme.has_acc) { copy(at, now->acc, n); }
  copy(at, now->lam, own->n->nphi);
  copy(at, own->trend.moved, n), copy(at, own->trend.moved_before, n);
  copy(at, own->trend.lam, own->n->nphi), copy(at, own->trend.lam_before, own->n->nphi);
  copy(at, &own->trend.trust, 1);
}

const mbd_formulation_ops mbd_formulation_natural_ali3p = {
    .name = "ali3p",
    .doc = "ALI3-P in natural coordinates.",
    .create = natural_ali3p_create,
    .destroy = natural_ali3p_destroy,
    .begin = natural_begin,
    .step = step,
    .state_reals = natural_state_reals,
    .copy_state = natural_copy_state,
    .record_reals = natural_record_reals,
    .copy_record = natural_copy_record,
    .adjoint_step = natural_adjoint_step,
    .adjoint_begin = natural_adjoint_begin,
    .continuous_adjoint = natural_continuous_adjoint,
    .matrices = natural_joint_matrices,
};
