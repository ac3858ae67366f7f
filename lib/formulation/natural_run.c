/* Runs in natural coordinates (natural_run.h): memory, and the nodes of a run. The joint coordinates of a state follow from the bodies
 * (lib/natural/joints.c), and the reactions of the model's constraints minimize the residual of its equations of motion, measured by the
 * inverse of the mass matrix.
 * Equations: theory.md §5.1 (5.4b). */
#include "formulation/natural_run.h"

#include <stdlib.h>
#include <string.h>

#include "formulation/mass.h"

/* ---- memory ---- */

static void natural_run_node_layout(natural_node *node, size_t n, size_t m, int has_acc, mbd_arena *a) {
  MBD_ARENA_REALS(a, n, &node->q, &node->qd, &node->qdd);
  node->acc = has_acc ? mbd_arena_real(a, n) : NULL;
  node->lam = mbd_arena_real(a, m);
}

static void natural_run_sens_layout(natural_sens *sens, const mbd_sim *s, const natural *n, mbd_arena *a) {
  const size_t np = (size_t)s->np_max, nq = (size_t)n->nq + 1, m = (size_t)n->nphi + 1, nz = (size_t)s->m->nz;
  sens->dv = mbd_arena_take(a, (np + 1) * sizeof *sens->dv);
  sens->moves = mbd_arena_take(a, np * (size_t)natural_moves(n) + 1);
  MBD_ARENA_REALS(a, (size_t)natural_bases_rows(n) + 1, &sens->x, &sens->xd, &sens->xdd, &sens->difference);
  sens->norm = mbd_arena_real(a, (size_t)s->m->nb);
  MBD_ARENA_REALS(a, nz, &sens->dz, &sens->dzd, &sens->dzdd);
  MBD_ARENA_REALS(a, nq * np, &sens->q, &sens->qd, &sens->qdd, &sens->acc);
  sens->lam = mbd_arena_real(a, m * np);
  MBD_ARENA_REALS(a, nq, &sens->dq, &sens->dqd, &sens->dqdd);
  MBD_ARENA_REALS(a, nz * np, &sens->rhs, &sens->x_z, &sens->step);
  MBD_ARENA_REALS(a, ((size_t)s->m->nphi + 1) * np, &sens->row_rhs, &sens->rg);
}

static void back_layout(natural_run *r, size_t npsi, mbd_arena *a) {
  const size_t n = (size_t)r->n->nq + 1, m = (size_t)r->n->nphi + 1;
  natural_back *back = &r->back;
  sim_adjoint *by = &r->by;
  back->by = mbd_arena_take(a, (npsi + 1) * sizeof *back->by);
  if (npsi == 0) { return; }
  MBD_ARENA_REALS(a, n * npsi, &back->q, &back->qd, &back->qdd);
  back->mu = mbd_arena_real(a, n);
  MBD_ARENA_REALS(a, m, &by->weights[0], &by->weights[1], &by->weights[2]);
  MBD_ARENA_REALS(a, (size_t)natural_bases_rows(r->n) + 1, &back->bases, &back->none);
  MBD_ARENA_REALS(a, n * npsi, &by->z, &by->zd, &by->zdd, &by->acc, &by->mu, &by->f, &by->dx);
  MBD_ARENA_REALS(a, m * npsi, &by->lam, &by->nu, &by->g, &by->rg);
  by->size = mbd_arena_take(a, npsi * sizeof *by->size);
}

static void natural_run_layout(natural_run *r, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)r->n->nq + 1, m = (size_t)r->n->nphi + 1;
  natural_run_node_layout(&r->now, n, m, s->scheme.has_acc, a);
  natural_run_node_layout(&r->before, n, m, s->scheme.has_acc, a);
  r->phi = mbd_arena_real(a, m);
  MBD_ARENA_REALS(a, (size_t)r->n->first[r->n->nphi] + 1, &r->Phi_q, &r->Phidd_q, &r->Phidd_half, &r->Phid_alone,
                  &r->unused);
  r->Phid_q = r->Phidd_half;
  if (s->m->nvelocity > 0) { r->Phidd_more = mbd_arena_real(a, (size_t)r->n->first[r->n->nphi]); }
  r->X = mbd_arena_real(a, 6 * (size_t)s->m->nb);
  MBD_ARENA_REALS(a, (size_t)s->m->nz + 1, &r->by_z, &r->x_z, &r->dz);
  MBD_ARENA_REALS(a, (size_t)s->m->nphi + 1, &r->none, &r->rest_z);
  natural_run_sens_layout(&r->sens, s, r->n, a);
  back_layout(r, (size_t)s->npsi, a);
}

mbd_status natural_run_create(mbd_sim *s, natural_run *r, mbd_error *err) {
  if (s->c.linear_solver == MBD_LINEAR_SPARSE && !mbd_sparse_available()) {
    return mbd_sparse_create(0, NULL, &(mbd_sparse *){NULL}, err); /* the error names the package */
  }
  MBD_TRY(matrices_create(s, &r->x, err));
  MBD_TRY(natural_create(s->m, &r->n, err));
  MBD_TRY(natural_params_alloc(r->n, &r->v, err));
  r->v->w = s->w;
  MBD_TRY(natural_params_keep_curvature(r->v, err));
  MBD_TRY(natural_system_create_as(r->n, s->c.linear_solver == MBD_LINEAR_DENSE, &r->system, err));
  while (mbd_arena_pass(&r->arena)) { natural_run_layout(r, s, &r->arena); }
  MBD_TRY(mbd_arena_check(&r->arena, "a simulation", err));
  for (int k = 0; k < s->np_max; k++) { MBD_TRY(natural_params_alloc(r->n, &r->sens.dv[k], err)); }
  for (int k = 0; k < s->npsi; k++) { MBD_TRY(natural_params_alloc(r->n, &r->back.by[k], err)); }
  r->by.npsi = r->by.max = s->npsi, r->by.n = r->n->nq;
  return MBD_OK;
}

void natural_run_release(const mbd_sim *s, natural_run *r) {
  for (int k = 0; r->sens.dv && k < s->np_max; k++) { natural_params_destroy(r->sens.dv[k]); }
  for (int k = 0; r->back.by && k < s->npsi; k++) { natural_params_destroy(r->back.by[k]); }
  natural_system_destroy(r->system);
  natural_params_destroy(r->v);
  natural_destroy(r->n);
  matrices_destroy(&r->x);
  free(r->arena.base);
}

/* ---- the formulation's simulation ---- */

static sim_state natural_run_state_of(const natural_node *node) {
  return (sim_state){
      .z = node->q, .zd = node->qd, .zdd = node->qdd, .lam = node->lam, .reaction = node->lam, .acc = node->acc};
}

mbd_sim *natural_enter(mbd_sim *s) {
  natural_run *r = natural_run_of(s);
  const natural_sens *d = &r->sens;
  r->run = s;
  r->in = *s;
  r->in.memory = r->memory;
  r->in.velocity_row = r->n->nphi - s->m->nvelocity_row;
  r->in.reactions_apart = 0;
  r->in.now = natural_run_state_of(&r->now), r->in.before = natural_run_state_of(&r->before);
  r->in.sens = (sim_sens){.z = d->q, .zd = d->qd, .zdd = d->qdd, .lam = d->lam, .reaction = d->lam, .acc = d->acc};
  r->in.adjoint = &r->by;
  return &r->in;
}

mbd_status natural_leave(mbd_sim *s, mbd_status status) {
  const mbd_sim *in = &natural_run_of(s)->in;
  s->stats = in->stats;
  const mbd_warning *warning;
  for (int i = 0; (warning = mbd_sim_warning(in, i)) != NULL; i++) {
    sim_warn(s, warning->kind, warning->time, "%s", warning->text);
  }
  return status;
}

sim_adjoint *natural_enter_back(mbd_sim *s, const sim_adjoint *a) {
  natural_run *r = natural_run_of(s);
  r->by.npsi = a->npsi, r->by.theta = a->theta;
  return &r->by;
}

/* ---- nodes ---- */

void natural_swap_nodes(natural_run *r) {
  const natural_node t = r->before;
  r->before = r->now;
  r->now = t;
}

/* Sets the derivatives of the objectives to zero before an adjoint. */
static void clear_back(const mbd_sim *s, natural_run *r) {
  const size_t size = (size_t)r->n->nq * (size_t)s->npsi;
  sim_adjoint *a = &r->by;
  if (s->npsi == 0) { return; }
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd), adjoint_zero(size, a->acc);
  adjoint_zero((size_t)r->n->nphi * (size_t)s->npsi, a->lam);
  for (int k = 0; k < s->npsi; k++) { natural_params_clear(r->back.by[k]); }
}

mbd_status natural_begin(mbd_sim *s, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  natural_node *now = &r->now;
  MBD_TRY(natural_params_set(r->v, s->p, err));
  natural_curvature_set(r->v);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  natural_take(r->v, s->w, now->q, now->qd, now->qdd);
  memset(now->lam, 0, (size_t)r->n->nphi * sizeof *now->lam);
  if (s->scheme.has_acc) { memcpy(now->acc, now->qdd, (size_t)r->n->nq * sizeof *now->acc); }
  clear_back(s, r);
  if (s->np > 0) { natural_sens_begin(s); }
  return MBD_OK;
}

/* Solves M x + Phi_z' lam = -r, Phi_z x = 0 at the current motion, whose residual without reactions is r. The reactions
 * are set to zero if nothing reads them. */
mbd_status natural_find_reactions(mbd_sim *s, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  if (!natural_reads_reactions(s)) {
    memset(s->now.lam, 0, (size_t)s->m->nphi * sizeof *s->now.lam);
    return MBD_OK;
  }
  motion_residual(s->w, r->by_z);
  for (int j = 0; j < s->m->nz; j++) { r->by_z[j] = -r->by_z[j]; }
  memset(r->none, 0, (size_t)s->m->nphi * sizeof *r->none);
  memcpy(s->now.lam, s->before.lam, (size_t)s->m->nphi * sizeof *s->now.lam);
  MBD_TRY(mass_factor(s, &r->x, err));
  return mbd_saddle_solve(&r->x.motion, 1, r->by_z, r->none, r->x_z, s->now.lam, r->dz, r->rest_z, err);
}

/* The guess is extrapolated from the previous node. */
mbd_status natural_write_back(mbd_sim *s, mbd_error *err) {
  natural_run *r = natural_run_of(s);
  const natural_node *now = &r->now;
  const sim_state *b = &s->before;
  for (int j = 0; j < s->m->nz; j++) { s->now.z[j] = b->z[j] + s->h * (b->zd[j] + s->h / 2 * b->zdd[j]); }
  MBD_TRY(natural_joints(r->v, s->w, s->t, now->q, now->qd, now->qdd, r->X, s->now.z, s->now.zd, s->now.zdd, err));
  return natural_find_reactions(s, err);
}

matrices *natural_joint_matrices(const mbd_sim *s) {
  return &natural_run_of(s)->x;
}

/* ---- states ---- */

size_t natural_state_reals(const mbd_sim *s) {
  const natural *n = natural_run_of(s)->n;
  return (size_t)((s->scheme.has_acc ? 4 : 3) * n->nq + n->nphi);
}

void natural_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_run *r = natural_run_of(s);
  natural_node *now = &r->now;
  const int n = r->n->nq;
  copy(at, now->q, n), copy(at, now->qd, n), copy(at, now->qdd, n);
  if (s->scheme.has_acc) { copy(at, now->acc, n); }
  copy(at, now->lam, r->n->nphi);
}
