/* Global Matrix R: nodes of the state-space family in natural coordinates, with what a run in joint coordinates sees of them.
 * Equations: theory.md §5.3 (5.7a), theory.md §5.1 (5.4b), (5.4c). */
#include "formulation/natural_matrix_r.h"

#include <stdlib.h>
#include <string.h>

/* ---- the simulation of the family ---- */

static sim_state state_of(const natural_node *node) {
  return (sim_state){
      .z = node->q, .zd = node->qd, .zdd = node->qdd, .lam = node->lam, .reaction = node->lam, .acc = node->acc};
}

/* Enters the simulation of the family: it is the run as it is now, with the nodes in natural coordinates in place of those in joint
 * coordinates. */
static mbd_sim *enter(mbd_sim *s) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  const natural_sens *d = &own->base.sens;
  own->run = s;
  own->in = *s;
  own->in.own = own->space;
  own->in.now = state_of(&own->base.now), own->in.before = state_of(&own->base.before);
  own->in.sens = (sim_sens){.z = d->q, .zd = d->qd, .zdd = d->qdd, .lam = d->mult, .reaction = d->mult, .acc = d->acc};
  own->in.stage_gap = own->gap;
  own->in.adjoint = &own->by;
  return &own->in;
}

/* Copies the counts of the family's simulation to the run, after a call of the family. */
static mbd_status leave(mbd_sim *s, mbd_status status) {
  s->stats = natural_matrix_r_of(s)->in.stats;
  return status;
}

/* ---- memory ---- */

static void by_layout(sim_adjoint *a, size_t n, size_t m, size_t npsi, mbd_arena *arena) {
  MBD_ARENA_REALS(arena, n * npsi, &a->z, &a->zd, &a->zdd, &a->acc, &a->mu);
  MBD_ARENA_REALS(arena, m * npsi, &a->lam, &a->nu);
}

static void layout(natural_matrix_r *q, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)q->base.n->nq + 1, m = (size_t)q->base.n->nphi + 1, nz = (size_t)s->m->nz + 1;
  by_layout(&q->by, n, m, (size_t)s->npsi, arena);
  q->gap = mbd_arena_take(arena, n * sizeof *q->gap);
  MBD_ARENA_REALS(arena, n, &q->x, &q->xd, &q->unused, &q->mu, &q->side);
  MBD_ARENA_REALS(arena, m, &q->nu, &q->row_side);
  MBD_ARENA_REALS(arena, (size_t)q->base.system->count + 1, &q->K, &q->C);
  MBD_ARENA_REALS(arena, (size_t)q->base.n->first[q->base.n->nphi] + 1, &q->Phid_q, &q->Phidd_q);
  q->watched = mbd_arena_real(arena, independent_reals(q->watch) + 1);
  MBD_ARENA_REALS(arena, nz, &q->z_stage, &q->zd_stage, &q->zdd_stage);
}

static mbd_status check(const mbd_sim *s, mbd_error *err) {
  if (s->c.nindependent > 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "coordinates = natural: independent = %s names a joint coordinate, expected auto, by which the program "
             "chooses among points and vectors; joint coordinates are no variables there, unless an element names them",
             s->c.independent[0]);
  }
  return MBD_OK;
}

static mbd_status create_space(mbd_sim *s, natural_matrix_r *q, mbd_error *err) {
  state_space *space = calloc(1, sizeof *space);
  if (!space) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  q->space = space;
  space->ops = &ss_natural_projected, space->in = &ss_natural, space->owner = q;
  space->n = q->base.n->nq, space->m = q->base.n->nphi, space->most_free = s->m->nz;
  return ss_create_in(enter(s), space, err);
}

static mbd_status create(mbd_sim *s, mbd_error *err) {
  MBD_TRY(check(s, err));
  natural_matrix_r *q = s->own = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(natural_allocate(s, &q->base, err));
  MBD_TRY(independent_create(s->m, &s->c, 1, &q->watch, err));
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "a simulation", err));
  q->by.npsi = q->by.most = s->npsi, q->by.n = q->base.n->nq;
  return create_space(s, q, err);
}

static void destroy(mbd_sim *s) {
  natural_matrix_r *q = s->own;
  if (!q) { return; }
  q->in.own = q->space;
  ss_destroy(&q->in);
  independent_destroy(q->watch);
  natural_release(s, &q->base);
  free(q->arena.base);
  free(q);
}

/* ---- nodes ---- */

/* Computes the multipliers at the start, which no step has computed; the derivative of its accelerations needs them. */
static mbd_status start_multipliers(mbd_sim *in, natural_matrix_r *own, mbd_error *err) {
  state_space *space = own->space;
  const size_t bytes = (size_t)space->n * sizeof *own->side;
  memcpy(own->side, in->now.zdd, bytes);
  space->in->sides(in, space->f, space->g);
  memcpy(in->now.zdd, own->side, bytes);
  for (int j = 0; j < space->n; j++) { space->f[j] = -space->f[j]; }
  for (int i = 0; i < space->m; i++) { space->g[i] = -space->g[i]; }
  MBD_TRY(space->ops->factor(in, space->own, err));
  return space->ops->solve(in, space->own, 1, space->f, space->g, own->side, in->now.lam, err);
}

static void clear_by(const mbd_sim *s, natural_matrix_r *own) {
  const size_t size = (size_t)own->base.n->nq * (size_t)s->npsi;
  sim_adjoint *a = &own->by;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd), adjoint_zero(size, a->acc);
  adjoint_zero((size_t)own->base.n->nphi * (size_t)s->npsi, a->lam);
}

static mbd_status begin(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  MBD_TRY(natural_begin(s, err));
  MBD_TRY(independent_choose(own->watch, s, err));
  clear_by(s, own);
  mbd_sim *in = enter(s);
  MBD_TRY(leave(s, ss_begin(in, err)));
  return leave(s, start_multipliers(in, own, err));
}

/* Computes the difference between the accelerations of the last stage and those of the node, in joint coordinates. */
static mbd_status find_stage_gap(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  natural_ali3p *base = &own->base;
  for (int j = 0; j < base->n->nq; j++) { own->side[j] = base->now.qdd[j] + own->gap[j]; }
  memcpy(own->z_stage, s->before.z, (size_t)s->m->nz * sizeof *own->z_stage);
  return natural_joints(base->v, s->w, s->t, base->now.q, base->now.qd, own->side, base->X, own->z_stage, own->zd_stage,
                        own->zdd_stage, err);
}

/* Checks for a singular position within the step or at its end. Choices of joint coordinates are not counted. */
static mbd_status watch(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  const mbd_stats stats = s->stats;
  mbd_status status = independent_factor(own->watch, s, err);
  if (status == MBD_OK) { status = independent_keep_or_choose(own->watch, s, s->h, err); }
  s->stats = stats;
  return status;
}

/* Stores the node while states between nodes (ss_mechanics.show) take the place of s->now and s->t. */
static void keep_node(mbd_sim *s, const sim_state *state, double t) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  const size_t bytes = (size_t)s->m->nz * sizeof *state->z;
  memcpy(own->z_stage, state->z, bytes), memcpy(own->zd_stage, state->zd, bytes),
      memcpy(own->zdd_stage, state->zdd, bytes);
  own->t_node = t;
}

static mbd_status step(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  const int explicit = s->integrator->tableau && !s->integrator->tableau->error;
  const mbd_real t = s->t;
  natural_swap_nodes(&own->base);
  keep_node(s, &s->before, mbd_re(t) - s->h);
  mbd_sim *in = enter(s);
  MBD_TRY(leave(s, ss_step(in, err)));
  s->t = t;
  if (explicit) { MBD_TRY(find_stage_gap(s, err)); }
  MBD_TRY(natural_write_back(s, err));
  for (int j = 0; explicit && j < s->m->nz; j++) { s->stage_gap[j] = mbd_re(own->zdd_stage[j] - s->now.zdd[j]); }
  MBD_TRY(watch(s, err));
  return s->np > 0 ? natural_sens_joints(s, err) : MBD_OK;
}

/* ---- states and records ---- */

static size_t state_reals(const mbd_sim *s) {
  const natural_matrix_r *own = natural_matrix_r_of(s);
  return natural_state_reals(s) + ss_state_reals(&own->in) + independent_reals(own->watch);
}

static void copy_choice(independent *kin, mbd_real *scratch, sim_copy copy, mbd_real **at) {
  independent_save(kin, scratch);
  copy(at, scratch, (int)independent_reals(kin));
  independent_restore(kin, scratch);
}

static void copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  natural_copy_state(s, copy, at);
  ss_copy_state(enter(s), copy, at);
  copy_choice(own->watch, own->watched, copy, at);
}

static size_t record_reals(const mbd_sim *s) {
  return ss_record_reals(&natural_matrix_r_of(s)->in) + (size_t)s->m->nz;
}

static void copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ss_copy_record(enter(s), copy, at);
  copy(at, natural_matrix_r_of(s)->base.x_z, s->m->nz);
}

/* ---- the reverse pass ---- */

static sim_adjoint *by_natural(natural_matrix_r *own, sim_adjoint *a) {
  own->by.npsi = a->npsi, own->by.theta = a->theta;
  return &own->by;
}

static mbd_status adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const mbd_real t = s->t;
  keep_node(s, &s->now, mbd_re(t));
  mbd_sim *in = enter(s);
  const mbd_status status = ss_adjoint_step(in, by_natural(natural_matrix_r_of(s), a), err);
  s->t = t;
  return leave(s, status);
}

/* Copies the derivatives by the state at the start to the arrays of natural_adjoint_begin. */
static void adjoint_begin_natural(mbd_sim *s, sim_adjoint *a) {
  natural_matrix_r *own = natural_matrix_r_of(s);
  const natural_back *b = &own->base.back;
  const sim_adjoint *by = &own->by;
  const int n = own->base.n->nq;
  for (int k = 0; k < a->npsi; k++) {
    const size_t at = (size_t)k * (size_t)n;
    adjoint_get(n, a->npsi, k, 1, by->z, b->q + at), adjoint_get(n, a->npsi, k, 1, by->zd, b->qd + at);
    adjoint_get(n, a->npsi, k, 1, by->zdd, b->qdd + at), adjoint_get(n, a->npsi, k, 1, by->acc, b->acc + at);
  }
  natural_adjoint_begin(s, a);
}

static mbd_status continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  mbd_sim *in = enter(s);
  MBD_TRY(leave(s, ss_continuous_adjoint(in, by_natural(natural_matrix_r_of(s), a), k, err)));
  if (k == 0) { adjoint_begin_natural(s, a); }
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_natural_matrix_r = {
    .name = "matrix_r",
    .doc = "Matrix R in natural coordinates.",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .step = step,
    .state_reals = state_reals,
    .copy_state = copy_state,
    .record_reals = record_reals,
    .copy_record = copy_record,
    .adjoint_step = adjoint_step,
    .adjoint_begin = adjoint_begin_natural,
    .continuous_adjoint = continuous_adjoint,
    .matrices = natural_joint_matrices,
};
