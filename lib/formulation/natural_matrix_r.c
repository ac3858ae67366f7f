/* Global Matrix R: nodes of the state-space family in natural coordinates, with what a run in joint coordinates sees of them.
 * Equations: theory.md §5.3 (5.7a), theory.md §5.1 (5.4b), (5.4c). */
#include "formulation/natural_matrix_r.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static mbd_sim *enter(mbd_sim *s) {
  mbd_sim *in = natural_enter(s);
  in->stage_difference = natural_matrix_r_of(s)->difference;
  return in;
}

static void natural_matrix_r_layout(natural_matrix_r *member, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)member->base.n->nq + 1, nz = (size_t)s->m->nz + 1,
               places = (size_t)member->base.system->count + 1;
  member->difference = mbd_arena_take(arena, n * sizeof *member->difference);
  member->rhs = mbd_arena_real(arena, n);
  member->M.val = mbd_arena_real(arena, places);
  member->M.first = mbd_arena_take(arena, n * sizeof *member->M.first);
  member->M.col = mbd_arena_take(arena, places * sizeof *member->M.col);
  member->watched = mbd_arena_real(arena, independent_reals(member->joint_rank) + 1);
  MBD_ARENA_REALS(arena, nz, &member->z_stage, &member->zd_stage, &member->zdd_stage);
}

static mbd_status natural_matrix_r_check(const mbd_sim *s, mbd_error *err) {
  if (s->c.nindependent > 0) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "coordinates = natural: independent = %s names a joint coordinate, expected auto, by which the program "
             "chooses among points and vectors; joint coordinates are no variables there, unless an element names them",
             s->c.independent[0]);
  }
  return MBD_OK;
}

static mbd_status create_space(mbd_sim *s, natural_matrix_r *member, mbd_error *err) {
  state_space *space = calloc(1, sizeof *space);
  if (!space) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  member->base.memory = space;
  space->ops = &ss_natural_projected, space->mech = &mechanics_natural;
  space->n = member->base.n->nq, space->m = member->base.n->nphi, space->max_free = s->m->nz;
  return ss_create_in(enter(s), space, err);
}

static mbd_status natural_matrix_r_create(mbd_sim *s, mbd_error *err) {
  MBD_TRY(natural_matrix_r_check(s, err));
  natural_matrix_r *member = s->memory = calloc(1, sizeof *member);
  if (!member) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  MBD_TRY(natural_run_create(s, &member->base, err));
  MBD_TRY(independent_create(s->m, &s->c, 1, &member->joint_rank, err));
  while (mbd_arena_pass(&member->arena)) { natural_matrix_r_layout(member, s, &member->arena); }
  MBD_TRY(mbd_arena_check(&member->arena, "a simulation", err));
  return create_space(s, member, err);
}

static void natural_matrix_r_destroy(mbd_sim *s) {
  natural_matrix_r *member = s->memory;
  if (!member) { return; }
  member->base.in.memory = member->base.memory;
  ss_destroy(&member->base.in);
  independent_destroy(member->joint_rank);
  natural_run_release(s, &member->base);
  free(member->arena.base);
  free(member);
}

/* ---- nodes ---- */

/* Computes the multipliers at the start, which no step has computed; the derivative of its accelerations needs them. */
static mbd_status start_multipliers(mbd_sim *in, natural_matrix_r *member, mbd_error *err) {
  state_space *space = member->base.memory;
  const size_t bytes = (size_t)space->n * sizeof *member->rhs;
  memcpy(member->rhs, in->now.zdd, bytes);
  ss_right_sides(in);
  memcpy(in->now.zdd, member->rhs, bytes);
  MBD_TRY(space->ops->factor(in, space->ops_memory, err));
  return space->ops->solve(in, space->ops_memory, 1, space->f, space->g, member->rhs, in->now.lam, err);
}

static mbd_status natural_matrix_r_begin(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  MBD_TRY(natural_begin(s, err));
  MBD_TRY(independent_choose(member->joint_rank, s, err));
  mbd_real *M = ((const state_space *)member->base.memory)->slopes.K; /* not in use yet */
  memset(M, 0, (size_t)member->base.system->count * sizeof *M);
  natural_add_mass(member->base.system, member->base.v, 1, M);
  natural_pack(member->base.system, M, &member->M);
  mbd_sim *in = enter(s);
  MBD_TRY(natural_leave(s, ss_begin(in, err)));
  return natural_leave(s, start_multipliers(in, member, err));
}

/* Computes the difference between the accelerations of the last stage and those of the node, in joint coordinates. */
static mbd_status find_stage_difference(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  natural_run *base = &member->base;
  for (int j = 0; j < base->n->nq; j++) { member->rhs[j] = base->now.qdd[j] + member->difference[j]; }
  memcpy(member->z_stage, s->before.z, (size_t)s->m->nz * sizeof *member->z_stage);
  return natural_joints(base->v, s->w, s->t, base->now.q, base->now.qd, member->rhs, base->X, member->z_stage,
                        member->zd_stage, member->zdd_stage, err);
}

/* Checks for a singular position within the step or at its end. Choices of joint coordinates are not counted. */
static mbd_status watch(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  const mbd_stats stats = s->stats;
  mbd_status status = independent_factor(member->joint_rank, s, err);
  if (status == MBD_OK) { status = independent_keep_or_choose(member->joint_rank, s, s->h, err); }
  s->stats = stats;
  return status;
}

/* Stores the node while states between nodes (ss_ops.show) take the place of s->now and s->t. */
static void natural_matrix_r_keep_node(mbd_sim *s, const sim_state *state, double t) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  const size_t bytes = (size_t)s->m->nz * sizeof *state->z;
  memcpy(member->z_stage, state->z, bytes), memcpy(member->zd_stage, state->zd, bytes),
      memcpy(member->zdd_stage, state->zdd, bytes);
  member->t_node = t;
}

static mbd_status natural_matrix_r_step(mbd_sim *s, mbd_error *err) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  const int explicit = s->integrator->tableau && !s->integrator->tableau->error;
  const mbd_real t = s->t;
  natural_swap_nodes(&member->base);
  natural_matrix_r_keep_node(s, &s->before, mbd_same(t) - s->h);
  mbd_sim *in = enter(s);
  MBD_TRY(natural_leave(s, ss_step(in, err)));
  s->t = t;
  if (explicit) { MBD_TRY(find_stage_difference(s, err)); }
  MBD_TRY(natural_write_back(s, err));
  for (int j = 0; explicit && j < s->m->nz; j++) {
    s->stage_difference[j] = mbd_first(member->zdd_stage[j] - s->now.zdd[j]);
  }
  MBD_TRY(watch(s, err));
  return s->np > 0 ? natural_sens_joints(s, err) : MBD_OK;
}

/* ---- states and records ---- */

static size_t natural_matrix_r_state_reals(const mbd_sim *s) {
  const natural_matrix_r *member = natural_matrix_r_of(s);
  return natural_state_reals(s) + ss_state_reals(&member->base.in) + independent_reals(member->joint_rank);
}

static void copy_choice(independent *indep, mbd_real *scratch, sim_copy copy, mbd_real **at) {
  independent_save(indep, scratch);
  copy(at, scratch, (int)independent_reals(indep));
  independent_restore(indep, scratch);
}

static void natural_matrix_r_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  natural_matrix_r *member = natural_matrix_r_of(s);
  natural_copy_state(s, copy, at);
  ss_copy_state(enter(s), copy, at);
  copy_choice(member->joint_rank, member->watched, copy, at);
}

static size_t natural_matrix_r_record_reals(const mbd_sim *s) {
  return ss_record_reals(&natural_matrix_r_of(s)->base.in) + (size_t)s->m->nz;
}

static void natural_matrix_r_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ss_copy_record(enter(s), copy, at);
  copy(at, natural_matrix_r_of(s)->base.x_z, s->m->nz);
}

/* ---- the reverse pass ---- */

static mbd_status adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const mbd_real t = s->t;
  natural_matrix_r_keep_node(s, &s->now, mbd_same(t));
  mbd_sim *in = enter(s);
  const mbd_status status = ss_adjoint_step(in, natural_enter_back(s, a), err);
  s->t = t;
  return natural_leave(s, status);
}

static mbd_status continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err) {
  mbd_sim *in = enter(s);
  MBD_TRY(natural_leave(s, ss_continuous_adjoint(in, natural_enter_back(s, a), k, err)));
  if (k == 0) { natural_adjoint_begin(s, a); }
  return MBD_OK;
}

const mbd_formulation_ops mbd_formulation_natural_matrix_r = {
    .name = "matrix_r",
    .doc = "Matrix R in natural coordinates.",
    .create = natural_matrix_r_create,
    .destroy = natural_matrix_r_destroy,
    .begin = natural_matrix_r_begin,
    .step = natural_matrix_r_step,
    .state_reals = natural_matrix_r_state_reals,
    .copy_state = natural_matrix_r_copy_state,
    .record_reals = natural_matrix_r_record_reals,
    .copy_record = natural_matrix_r_copy_record,
    .adjoint_step = adjoint_step,
    .adjoint_begin = natural_adjoint_begin,
    .continuous_adjoint = continuous_adjoint,
    .velocities = 1,
    .matrices = natural_joint_matrices,
};
