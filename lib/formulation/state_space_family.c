/* The memory of the state-space family, and the steps of its members by kinds of integrator. */
#include "formulation/implicit_step.h"

#include <stdlib.h>

/* ---- memory ---- */

static void point_layout(ss_point *point, size_t n, size_t m, mbd_arena *arena) {
  MBD_ARENA_REALS(arena, n, &point->z, &point->zd, &point->zdd);
  point->lam = mbd_arena_real(arena, m + 1);
}

static int has_slopes(const mbd_sim *s) {
  return ss_of(s)->mech->by_matrices || (s->integrator->scheme && !ss_matrix_free(s));
}

static void slopes_layout(ss_slopes *slopes, const mbd_sim *s, mbd_arena *arena) {
  const state_space *space = ss_of(s);
  MBD_ARENA_REALS(arena, space->mech->slopes_size(s) + 1, &slopes->K, &slopes->C);
  if (space->mech->by_matrices) { return; }
  MBD_ARENA_REALS(arena, (size_t)space->m * (size_t)space->n + 1, &slopes->rates.Phid_z, &slopes->rates.Phidd_z,
                  &slopes->rates.Phidd_zd);
}

/* There is memory for one direction at least, because an implicit step without matrices takes directions of its own. */
static void ss_layout(state_space *space, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)space->n, m = (size_t)space->m, npsi = (size_t)s->npsi;
  const size_t np = (size_t)(s->np_max > 1 ? s->np_max : 1);
  space->nstage = s->integrator->tableau ? s->integrator->tableau->stages : 1;
  for (int i = 0; i < space->nstage; i++) {
    point_layout(&space->stage[i], n, m, arena);
    MBD_ARENA_REALS(arena, n * np, &space->sens.zd[i], &space->sens.zdd[i]);
    MBD_ARENA_REALS(arena, n * npsi, &space->back.by_zd[i], &space->back.by_zdd[i]);
  }
  if (has_slopes(s)) { slopes_layout(&space->slopes, s, arena); }
  point_layout(&space->continuous.here, n, m, arena);
  point_layout(&space->continuous.later, n, m, arena);
  MBD_ARENA_REALS(arena, independent_reals(space->indep) + 1, &space->continuous.way, &space->choice,
                  &space->next_choice);
  MBD_ARENA_REALS(arena, n, &space->xi, &space->eta, &space->f, &space->sens.dr);
  MBD_ARENA_REALS(arena, m + 1, &space->g, &space->phi_t, &space->sens.dphi, &space->sens.dphid, &space->sens.dphidd);
  MBD_ARENA_REALS(arena, n * np, &space->sens.xi0, &space->sens.eta0);
  MBD_ARENA_REALS(arena, n * np, &space->sens.xi, &space->sens.eta, &space->sens.F);
  space->sens.G = mbd_arena_real(arena, m * np + 1);
  MBD_ARENA_REALS(arena, n * npsi, &space->back.by_xi, &space->back.by_eta, &space->back.by_xi0, &space->back.by_eta0,
                  &space->continuous.gain_xi, &space->continuous.gain_eta, &space->continuous.carried_xi,
                  &space->continuous.carried_eta);
}

static mbd_status check_loops(const mbd_sim *s, const state_space *space, mbd_error *err) {
  if (!space->ops->open_loops || !space->indep->coupled) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "formulation '%s' is for open loops, but constraint '%s' couples coordinates of different joints: "
           "formulation = fully_recursive, matrix_r or ali3p",
           s->ops->name, space->indep->coupling);
}

int ss_columns(const mbd_sim *s) {
  const int wide = s->np_max > s->npsi ? s->np_max : s->npsi;
  const int tangent = s->integrator->scheme && !ss_matrix_free(s) ? ss_of(s)->max_free : 1;
  return wide > tangent ? wide : tangent;
}

static const ss_steps *steps_of(const mbd_integrator_ops *integrator) {
  if (!integrator->tableau) { return &ss_implicit; }
  return integrator->tableau->error ? &ss_adaptive : &ss_explicit;
}

mbd_status ss_create_in(mbd_sim *s, state_space *space, mbd_error *err) {
  const int wide = s->np_max > s->npsi ? s->np_max : s->npsi;
  s->memory = space;
  space->steps = steps_of(s->integrator);
  const int rows = s->m->nvelocity_row, at_least = wide > space->max_free ? wide : space->max_free;
  const int columns = at_least > rows ? at_least : rows;
  MBD_TRY(space->ops->choice ? space->ops->choice(s, columns, &space->indep, err)
                             : independent_create(s->m, &s->c, columns, &space->indep, err));
  MBD_TRY(check_loops(s, space, err));
  if (rows > 0) {
    MBD_TRY(independent_velocity_create(space->indep, space->n, space->max_free, s->velocity_row, rows, columns, err));
  }
  if (has_slopes(s) && !space->mech->by_matrices) {
    MBD_TRY(nonzeros_create(s->m, NULL, &space->slopes.K_at, &space->slopes.Phi_at, err));
    space->slopes.rates.Phi_at = &space->slopes.Phi_at;
  }
  while (mbd_arena_pass(&space->arena)) { ss_layout(space, s, &space->arena); }
  MBD_TRY(mbd_arena_check(&space->arena, "a simulation", err));
  if (space->steps->create) { MBD_TRY(space->steps->create(s, &space->steps_memory, err)); }
  return space->ops->create ? space->ops->create(s, &space->ops_memory, err) : MBD_OK;
}

mbd_status ss_create(mbd_sim *s, mbd_error *err) {
  state_space *space = calloc(1, sizeof *space);
  if (!space) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  space->ops = s->ops->space, space->mech = &mechanics_joint;
  space->n = space->max_free = s->m->nz, space->m = s->m->nphi;
  return ss_create_in(s, space, err);
}

void ss_destroy(mbd_sim *s) {
  state_space *space = s->memory;
  if (!space) { return; }
  if (space->ops_memory) { space->ops->destroy(space->ops_memory); }
  if (space->steps_memory) { space->steps->destroy(space->steps_memory); }
  independent_destroy(space->indep);
  nonzeros_destroy(&space->slopes.K_at), nonzeros_destroy(&space->slopes.Phi_at);
  free(space->arena.base);
  free(space);
}

/* ---- the motion at the start ---- */

mbd_status ss_factor_motion(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  MBD_TRY(independent_choose(space->indep, s, err));
  return space->ops->factor(s, space->ops_memory, err);
}

mbd_status ss_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                           mbd_error *err) {
  state_space *space = ss_of(s);
  return space->ops->solve(s, space->ops_memory, k, f, g, x, y, err);
}

/* ---- by kinds of integrator ---- */

mbd_status ss_begin(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  space->mech->place(s);
  MBD_TRY(independent_choose(space->indep, s, err));
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  if (space->steps->begin) { space->steps->begin(s); }
  return MBD_OK;
}

mbd_status ss_step(mbd_sim *s, mbd_error *err) {
  return ss_of(s)->steps->step(s, err);
}

mbd_status ss_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  return ss_of(s)->steps->back(s, a, err);
}

size_t ss_record_reals(const mbd_sim *s) {
  return ss_of(s)->steps->record_reals(s);
}

void ss_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ss_of(s)->steps->copy_record(s, copy, at);
}

size_t ss_state_reals(const mbd_sim *s) {
  return ss_of(s)->steps->state_reals(s);
}

void ss_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ss_of(s)->steps->copy_state(s, copy, at);
}
