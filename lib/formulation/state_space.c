/* The evaluation of the state-space formulations: positions, velocities and accelerations from independent ones (state_space.h).
 * Equations: theory.md §5.3 (5.6), (5.7). */
#include "formulation/implicit_step.h"

#include <string.h>

/* The complex build forms matrices: when the real parts have converged to rounding, the iteration must still find the imaginary parts. */
int ss_matrix_free(const mbd_sim *s) {
#ifdef MBD_COMPLEX
  (void)s;
  return 0;
#else
  const ss_ops *ops = s->ops->space;
  return ops && ops->matrix_free_from > 0 && s->m->nz >= ops->matrix_free_from;
#endif
}

/* ---- the evaluation ---- */

/* zd from eta */
static void ss_velocities(mbd_sim *s, state_space *space) {
  const int m = space->m;
  space->mech->phi_t(s, space->phi_t);
  for (int i = 0; i < m; i++) { space->phi_t[i] = -space->phi_t[i]; }
  independent_velocities(space->indep, 1, m ? space->phi_t : NULL, space->eta, s->now.zd);
}

void ss_right_sides(mbd_sim *s) {
  state_space *space = ss_of(s);
  memset(s->now.zdd, 0, (size_t)space->n * sizeof *s->now.zdd);
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  space->mech->phidd(s, space->g);
  space->mech->residual(s, space->f);
  for (int j = 0; j < space->n; j++) { space->f[j] = -space->f[j]; }
  for (int i = 0; i < space->m; i++) { space->g[i] = -space->g[i]; }
}

static mbd_status check_finite(const mbd_sim *s, mbd_error *err) {
  if (isnan(mbd_norm_inf(ss_of(s)->n, s->now.zdd))) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
  return MBD_OK;
}

mbd_status ss_evaluate(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  for (int i = 0; i < space->indep->nf; i++) { s->now.z[space->indep->free[i]] = space->xi[i]; }
  MBD_TRY(independent_place(space->indep, s, s->now.z, err));
  ss_velocities(s, space);
  ss_right_sides(s);
  s->stats.evaluations++;
  s->stats.factorizations++;
  MBD_TRY(space->ops->factor(s, space->ops_memory, err));
  MBD_TRY(space->ops->solve(s, space->ops_memory, 1, space->f, space->g, s->now.zdd, s->now.lam, err));
  return check_finite(s, err);
}

/* ---- points ---- */

mbd_status ss_show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  *seen = s;
  return ss_of(s)->ops->show ? ss_of(s)->ops->show(s, seen, err) : MBD_OK;
}

void ss_set_point(const mbd_sim *s, ss_point *to, const ss_point *from) {
  const size_t n = (size_t)ss_of(s)->n * sizeof *to->z;
  to->t = from->t;
  memcpy(to->z, from->z, n), memcpy(to->zd, from->zd, n), memcpy(to->zdd, from->zdd, n);
  memcpy(to->lam, from->lam, (size_t)ss_of(s)->m * sizeof *to->lam);
}

void ss_keep(const mbd_sim *s, ss_point *at) {
  const ss_point now = ss_point_of(&s->now, mbd_same(s->t));
  ss_set_point(s, at, &now);
}

mbd_status ss_return(mbd_sim *s, const ss_point *at, mbd_error *err) {
  ss_point now = ss_point_of(&s->now, at->t);
  ss_set_point(s, &now, at);
  s->t = at->t * s->dilation;
  return ss_sweep(s, err);
}

mbd_status ss_sweep(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  space->mech->place(s);
  MBD_TRY(independent_factor(space->indep, s, err));
  MBD_TRY(space->ops->factor(s, space->ops_memory, err));
  space->mech->move(s, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* ---- the choice of independent coordinates, part of a state ---- */

/* Velocity constraints without a pivot follow from the other constraints where the rates were chosen; MBD_SINGULAR: they do no longer. */
static mbd_status check_unused_velocities(mbd_sim *s, mbd_error *err) {
  static const double follows_to = 1e-6;
  const state_space *space = ss_of(s);
  const independent_velocity *v = space->indep->velocity;
  if (!v || v->rank == v->nrow) { return MBD_OK; }
  space->mech->velocity_rows(s, v->y, NULL, NULL, NULL);
  for (int i = v->rank; i < v->nrow; i++) {
    const double left = mbd_largest(v->y[v->use[i]]);
    if (left <= follows_to * (1 + mbd_norm_inf(space->n, s->now.zd))) { continue; }
    MBD_FAIL(
        err, MBD_SINGULAR,
        "velocity constraint '%s', which follows from other constraints where the independent rates were chosen, is "
        "violated by %.3g; expected a start at which it is independent",
        s->m->phi_name[s->m->nphi - v->nrow + v->use[i]], left);
  }
  return MBD_OK;
}

mbd_status ss_choose(mbd_sim *s, double h, mbd_error *err) {
  if (h > 0) { MBD_TRY(check_unused_velocities(s, err)); }
  return independent_keep_or_choose(ss_of(s)->indep, s, h, err);
}

/* ---- its numbers ---- */

size_t ss_point_reals(const mbd_sim *s) {
  return 1 + 3 * (size_t)ss_of(s)->n + (size_t)ss_of(s)->m;
}

void ss_copy_point(const mbd_sim *s, ss_point *point, sim_copy copy, mbd_real **at) {
  const int n = ss_of(s)->n;
  mbd_real t = point->t;
  copy(at, &t, 1), copy(at, point->z, n), copy(at, point->zd, n), copy(at, point->zdd, n),
      copy(at, point->lam, ss_of(s)->m);
  point->t = mbd_same(t);
}

size_t ss_choice_reals(const mbd_sim *s) {
  return independent_reals(ss_of(s)->indep);
}

void ss_copy_choice(mbd_sim *s, sim_copy copy, mbd_real **at) {
  state_space *space = ss_of(s);
  independent_save(space->indep, space->next_choice);
  copy(at, space->next_choice, (int)ss_choice_reals(s));
  independent_restore(space->indep, space->next_choice);
}

size_t ss_stages_reals(const mbd_sim *s) {
  const state_space *space = ss_of(s);
  return independent_reals(space->indep) + (size_t)(space->nstage - 1) * ss_point_reals(s);
}

void ss_copy_stages(mbd_sim *s, sim_copy copy, mbd_real **at) {
  state_space *space = ss_of(s);
  copy(at, space->choice, (int)independent_reals(space->indep));
  for (int i = 1; i < space->nstage; i++) { ss_copy_point(s, &space->stage[i], copy, at); }
}
