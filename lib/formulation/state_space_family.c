/* The memory of the state-space family, and the steps of its members by kinds of integrator. */
#include "formulation/implicit_step.h"

#include <stdlib.h>

/* ---- memory ---- */

static void point_layout(ss_point *point, size_t n, size_t m, mbd_arena *arena) {
  MBD_ARENA_REALS(arena, n, &point->z, &point->zd, &point->zdd);
  point->lam = mbd_arena_real(arena, m + 1);
}

/* There is memory for one direction at least, because an implicit step without matrices takes directions of its own. */
static void layout(state_space *q, const mbd_sim *s, mbd_arena *arena) {
  const size_t n = (size_t)q->n, m = (size_t)q->m, npsi = (size_t)s->npsi;
  const size_t np = (size_t)(s->np_max > 1 ? s->np_max : 1);
  q->nstage = s->integrator->tableau ? s->integrator->tableau->stages : 1;
  for (int i = 0; i < q->nstage; i++) {
    point_layout(&q->stage[i], n, m, arena);
    MBD_ARENA_REALS(arena, n * np, &q->sens_zd[i], &q->sens_zdd[i]);
    MBD_ARENA_REALS(arena, n * npsi, &q->by_zd[i], &q->by_zdd[i]);
  }
  point_layout(&q->here, n, m, arena);
  point_layout(&q->later, n, m, arena);
  MBD_ARENA_REALS(arena, independent_reals(q->indep) + 1, &q->way, &q->choice, &q->next_choice);
  MBD_ARENA_REALS(arena, n, &q->xi, &q->eta, &q->f, &q->dr);
  MBD_ARENA_REALS(arena, m + 1, &q->g, &q->phi_t, &q->dphi, &q->dphid, &q->dphidd);
  MBD_ARENA_REALS(arena, n * np, &q->xi0p, &q->eta0p);
  MBD_ARENA_REALS(arena, n * np, &q->xip, &q->etap, &q->F);
  q->G = mbd_arena_real(arena, m * np + 1);
  MBD_ARENA_REALS(arena, n * npsi, &q->by_xi, &q->by_eta, &q->by_xi0, &q->by_eta0, &q->gain_xi, &q->gain_eta,
                  &q->rest_xi, &q->rest_eta);
}

static mbd_status check_loops(const mbd_sim *s, const state_space *q, mbd_error *err) {
  if (!q->ops->open_loops || !q->indep->coupled) { return MBD_OK; }
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "formulation '%s' is for open loops, but constraint '%s' couples coordinates of different joints: "
           "formulation = matrix_r or ali3p",
           s->ops->name, q->indep->coupling);
}

int ss_columns(const mbd_sim *s) {
  const int wide = s->np_max > s->npsi ? s->np_max : s->npsi;
  const int tangent = s->integrator->scheme && !implicit_matrix_free(s) ? ss_of(s)->max_free : 1;
  return wide > tangent ? wide : tangent;
}

static const ss_steps *steps_of(const mbd_integrator_ops *integrator) {
  if (!integrator->tableau) { return &ss_implicit; }
  return integrator->tableau->error ? &ss_adaptive : &ss_explicit;
}

mbd_status ss_create_in(mbd_sim *s, state_space *q, mbd_error *err) {
  const int wide = s->np_max > s->npsi ? s->np_max : s->npsi;
  s->own = q;
  q->steps = steps_of(s->integrator);
  MBD_TRY(q->in->choice(s, wide > q->max_free ? wide : q->max_free, &q->indep, err));
  MBD_TRY(check_loops(s, q, err));
  while (mbd_arena_pass(&q->arena)) { layout(q, s, &q->arena); }
  MBD_TRY(mbd_arena_check(&q->arena, "a simulation", err));
  if (q->steps->create) { MBD_TRY(q->steps->create(s, &q->steps_own, err)); }
  return q->ops->create ? q->ops->create(s, &q->own, err) : MBD_OK;
}

mbd_status ss_create(mbd_sim *s, mbd_error *err) {
  state_space *q = calloc(1, sizeof *q);
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a simulation"); }
  q->ops = s->ops->space, q->in = &ss_joint;
  q->n = q->max_free = s->m->nz, q->m = s->m->nphi;
  return ss_create_in(s, q, err);
}

void ss_destroy(mbd_sim *s) {
  state_space *q = s->own;
  if (!q) { return; }
  if (q->own) { q->ops->destroy(q->own); }
  if (q->steps_own) { q->steps->destroy(q->steps_own); }
  independent_destroy(q->indep);
  free(q->arena.base);
  free(q);
}

/* ---- the motion at the start ---- */

mbd_status ss_factor_motion(mbd_sim *s, mbd_error *err) {
  state_space *q = ss_of(s);
  MBD_TRY(independent_choose(q->indep, s, err));
  return q->ops->factor(s, q->own, err);
}

mbd_status ss_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                           mbd_error *err) {
  state_space *q = ss_of(s);
  return q->ops->solve(s, q->own, k, f, g, x, y, err);
}

/* ---- by kinds of integrator ---- */

mbd_status ss_begin(mbd_sim *s, mbd_error *err) {
  state_space *q = ss_of(s);
  q->in->place(s);
  MBD_TRY(independent_choose(q->indep, s, err));
  q->in->move(s);
  if (q->steps->begin) { q->steps->begin(s); }
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
