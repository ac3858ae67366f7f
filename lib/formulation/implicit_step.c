/* Implicit steps in independent coordinates (implicit_step.h): Newton's iteration on the equation of a step, dxi being its unknown.
 * Equations: theory.md §5.1 (5.1) for the scheme, theory.md §5.3 (5.7c) for the step, (5.6), (5.7) for the accelerations. */
#include "formulation/implicit_step.h"

#include <stdlib.h>
#include <string.h>

#include "formulation/newton.h"
#include "formulation/tangent.h"
#include "model/state.h"

enum { KRYLOV_MAX = 60 }; /* products of one cycle */

/* ---- memory ---- */

static void matrix_layout(implicit_step *i, const state_space *space, size_t npsi, mbd_arena *a) {
  const size_t n = (size_t)space->n, m = (size_t)space->m, nf = (size_t)space->max_free;
  MBD_ARENA_REALS(a, n * npsi, &i->all_z, &i->all_zd, &i->all_zdd);
  MBD_ARENA_REALS(a, n * nf, &i->z, &i->zd, &i->zdd);
  MBD_ARENA_REALS(a, nf * nf, &i->J, &i->unit, &i->by);
  i->lam = mbd_arena_real(a, m * nf + 1);
  i->piv = mbd_arena_take(a, nf * sizeof *i->piv);
  i->f = mbd_arena_real(a, n * nf);
  i->g = mbd_arena_real(a, m * nf + 1);
}

static void krylov_layout(implicit_step *i, size_t n, size_t m, mbd_arena *a) {
  const size_t max = n < KRYLOV_MAX ? n : KRYLOV_MAX;
  mbd_gmres *gmres = &i->krylov;
  gmres->max = (int)max;
  gmres->v = mbd_arena_real(a, (max + 1) * n);
  gmres->h = mbd_arena_real(a, (max + 1) * max);
  MBD_ARENA_REALS(a, max + 1, &gmres->c, &gmres->s, &gmres->g);
  MBD_ARENA_REALS(a, n, &gmres->r, &gmres->dx, &i->b, &i->x, &i->along.z, &i->along.zd, &i->along.zdd);
  i->along.lam = mbd_arena_real(a, m + 1);
}

static void implicit_layout(implicit_step *i, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)ss_of(s)->n, m = (size_t)ss_of(s)->m, np = (size_t)s->np_max, npsi = (size_t)s->npsi;
  MBD_ARENA_REALS(a, n, &i->eta0, &i->acc0, &i->dxi, &i->correction, &i->all, &i->last, &i->v, &i->a);
  MBD_ARENA_REALS(a, n * np, &i->eta0p, &i->acc0p, &i->dxip, &i->vp, &i->ap);
  newton_layout(&i->newton, ss_of(s)->n, 0, s->m->nz,
                a); /* multipliers follow from an evaluation, they are not sought */
  i->mu = mbd_arena_real(a, n * npsi);
  if (ss_matrix_free(s)) {
    krylov_layout(i, n, m, a);
  } else {
    matrix_layout(i, ss_of(s), npsi, a);
  }
}

static mbd_status implicit_create(mbd_sim *s, void **memory, mbd_error *err) {
  implicit_step *i = calloc(1, sizeof *i);
  if (!i) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for implicit steps"); }
  *memory = i;
  while (mbd_arena_pass(&i->arena)) { implicit_layout(i, s, &i->arena); }
  MBD_TRY(mbd_arena_check(&i->arena, "implicit steps", err));
  if (!ss_matrix_free(s)) { return s->tangent->create ? s->tangent->create(s, &ss_of(s)->slopes.K_at, err) : MBD_OK; }
  MBD_TRY(params_reverse_create(s->m, &i->nobody, err));
  memset(i->nobody->requested, 0, (size_t)s->m->ncoef);
  params_reverse_request(i->nobody, i->nobody->requested);
  return MBD_OK;
}

static void implicit_destroy(void *memory) {
  implicit_step *i = memory;
  params_reverse_destroy(i->nobody);
  free(i->arena.base);
  free(i);
}

/* ---- the step ---- */

/* Contributions of the node before to this one, and the guess in `moved`. */
static void implicit_begin(mbd_sim *s) {
  const state_space *space = ss_of(s);
  implicit_step *i = implicit_of(s);
  const sim_state *b = &s->before;
  scheme_history(&s->scheme, (size_t)ss_of(s)->n, b->zd, b->zdd, b->acc, i->v, i->a);
  independent_read(space->indep, 1, i->v, i->eta0);
  independent_read(space->indep, 1, i->a, i->acc0);
  independent_read(space->indep, 1, i->newton.moved, i->dxi);
}

static void implicit_predict(mbd_sim *s) {
  state_space *space = ss_of(s);
  independent_save(space->indep, space->choice);
}

/* Evaluates the state at the iterate. dxi is kept as a sum of corrections: the difference of coordinates would lose digits by cancellation, and a =
 * 4/h^2 amplifies the loss. */
static mbd_status implicit_evaluate(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  for (int f = 0; f < space->indep->nf; f++) {
    const int rate = space->indep->of_rate[f];
    space->xi[f] = s->before.z[space->indep->free[f]] + i->dxi[f];
    if (rate >= 0) { space->eta[rate] = i->eta0[f] + s->scheme.c * i->dxi[f]; }
  }
  return ss_evaluate(s, err);
}

/* J correction = F - a dxi - acc0, on the current factors; B zd - c dxi - v0 of coordinates whose rates follow. */
static mbd_status implicit_correct(mbd_sim *s, mbd_error *err) {
  const state_space *space = ss_of(s);
  const implicit_step *i = implicit_of(s);
  const int nf = space->indep->nf;
  for (int f = 0; f < nf; f++) {
    const int at = space->indep->free[f], accelerates = implicit_accelerates(s, f);
    i->correction[f] = (accelerates ? s->now.zdd[at] : s->now.zd[at]) - implicit_factor(s, f) * i->dxi[f] -
                       (accelerates ? i->acc0[f] : i->eta0[f]);
  }
  if (ss_matrix_free(s)) { return implicit_krylov_step(s, i->correction, err); }
  mbd_lu_solve(nf, i->J, i->piv, 1, i->correction);
  return MBD_OK;
}

/* Returns 1 if a correction of this length is rounding: the iterate itself is the solution. The referee goes on for its imaginary parts. */
static int implicit_solved(const mbd_sim *s, double step) {
  return EXTRA_ITERATIONS == 0 && step <= 1e-6 * s->c.tolerance * (1 + model_extent(s->m, ss_of(s)->n, s->now.z));
}

/* Returns 1 if the iteration has converged with this correction: if the error that the contraction so far predicts is rounding, or if
 * corrections no longer shrink because they are rounding themselves. Near a singular position such corrections may be as large as the tolerance. */
static int implicit_converged(const mbd_sim *s, int iteration, double step, double rate) {
  const double size = s->c.tolerance * (1 + model_extent(s->m, ss_of(s)->n, s->now.z));
  if (rate < 1 && step * rate / (1 - rate) <= 1e-6 * size) { return 1; }
  return rate > 0.5 && step <= (iteration < NEWTON_PATIENCE ? 1e-3 * size : size);
}

/* dxi += the correction, or a part of it. */
static void implicit_take(mbd_sim *s, double part) {
  const implicit_step *i = implicit_of(s);
  const int nf = ss_of(s)->indep->nf;
  memcpy(i->last, i->correction, (size_t)nf * sizeof *i->last);
  for (int f = 0; f < nf; f++) { i->dxi[f] += part * i->correction[f]; }
}

/* Iterates with the tangent of the first iterate, which is renewed where the contraction is slow. It ends with an evaluation.
 * rate: the contraction by the last correction, if that was taken whole. */
static mbd_status implicit_newton(mbd_sim *s, mbd_error *err) {
  const implicit_step *i = implicit_of(s);
  const int nf = ss_of(s)->indep->nf;
  double step = 0, rate = 1, part = 1;
  int after = 0;
  for (int it = 0; it <= s->c.max_iterations + EXTRA_ITERATIONS; it++) {
    const double last = step;
    MBD_TRY(implicit_evaluate(s, err));
    if (after > EXTRA_ITERATIONS) { return MBD_OK; }
    if (!ss_matrix_free(s) && (it == 0 || (it > 1 && rate > newton_slow))) { MBD_TRY(implicit_newton_tangent(s, err)); }
    MBD_TRY(implicit_correct(s, err));
    s->stats.iterations++;
    step = mbd_norm_inf(nf, i->correction);
    if (isnan(step)) { MBD_FAIL(err, MBD_NOT_FINITE, "the motion is no longer finite"); }
    if (implicit_solved(s, step)) { return MBD_OK; }
    rate = part == 1 && last > 0 ? step / last : 1;
    if (after || implicit_converged(s, it, step, rate)) { after++; }
    part = !after && it >= NEWTON_IMPATIENCE && rate > newton_slow ? newton_part(nf, i->last, i->correction, part) : 1;
    implicit_take(s, part);
  }
  return MBD_NO_CONVERGENCE; /* newton_solve says why */
}

/* ---- where that does not converge (newton.h) ---- */

static const mbd_real *implicit_velocities(const mbd_sim *s) {
  return s->now.zd;
}

static mbd_status correct_again(mbd_sim *s, int renew, mbd_error *err) {
  MBD_TRY(implicit_evaluate(s, err));
  if (renew && !ss_matrix_free(s)) { MBD_TRY(implicit_newton_tangent(s, err)); }
  return implicit_correct(s, err);
}

static double implicit_size(const mbd_sim *s) {
  return mbd_norm_inf(ss_of(s)->indep->nf, implicit_of(s)->correction);
}

static void implicit_keep(mbd_sim *s) {
  const implicit_step *i = implicit_of(s);
  const size_t n = (size_t)ss_of(s)->indep->nf * sizeof *i->dxi;
  memcpy(i->newton.x, i->dxi, n), memcpy(i->newton.correction, i->correction, n);
}

static void implicit_go(mbd_sim *s, double part) {
  const implicit_step *i = implicit_of(s);
  for (int f = 0; f < ss_of(s)->indep->nf; f++) { i->dxi[f] = i->newton.x[f] + part * i->newton.correction[f]; }
}

/* Shows the last correction in all coordinates, with the velocities before it. */
static mbd_status implicit_show(mbd_sim *s, mbd_sim **seen, mbd_error *err) {
  implicit_step *i = implicit_of(s);
  independent_solve(ss_of(s)->indep, 1, NULL, i->correction, i->all);
  return ss_of(s)->mech->show(s, s->now.zd, 1, i->all, &i->newton, seen, err);
}

static const newton_ops equations = {.predict = implicit_predict,
                                     .begin = implicit_begin,
                                     .newton = implicit_newton,
                                     .velocities = implicit_velocities,
                                     .correct = correct_again,
                                     .size = implicit_size,
                                     .keep = implicit_keep,
                                     .go = implicit_go,
                                     .show = implicit_show};

/* Stores the increment of this step, from which the guess of the next one is extrapolated. */
static void remember(mbd_sim *s) {
  newton_memory *memory = &implicit_of(s)->newton;
  for (int j = 0; j < memory->nz; j++) { memory->moved[j] = s->now.z[j] - s->before.z[j]; }
  newton_remember(s, memory);
}

static void forget(mbd_sim *s) {
  newton_forget(&implicit_of(s)->newton);
}

static mbd_status implicit_solve_step(mbd_sim *s, mbd_error *err) {
  const size_t n = (size_t)ss_of(s)->n;
  MBD_TRY(newton_solve(s, &implicit_of(s)->newton, &equations, err));
  remember(s);
  scheme_carry_acc(&s->scheme, n, s->before.zdd, s->before.acc, s->now.acc);
  scheme_close_acc(&s->scheme, n, s->now.zdd, s->now.acc);
  if (s->np > 0) {
    MBD_TRY(implicit_sens(s, err));
  } else {
    ss_of(s)->mech->move(s, s->now.zd, s->now.zdd, 1);
  }
  return ss_choose(s, s->h, err);
}

static size_t implicit_state_reals(const mbd_sim *s) {
  return ss_choice_reals(s) + newton_trend_reals(&implicit_of(s)->newton);
}

static void implicit_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  ss_copy_choice(s, copy, at);
  newton_copy_trend(&implicit_of(s)->newton, copy, at);
}

const ss_steps ss_implicit = {.create = implicit_create,
                              .destroy = implicit_destroy,
                              .begin = forget,
                              .step = implicit_solve_step,
                              .back = implicit_step_back,
                              .state_reals = implicit_state_reals,
                              .copy_state = implicit_copy_state,
                              .record_reals = ss_stages_reals,
                              .copy_record = ss_copy_stages};
