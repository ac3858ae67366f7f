/* Runge-Kutta steps of xi'' = F(xi, xi', t) as a system of first order. With zd_j, zdd_j of the stages, the first of them
 * the node before (_), and the independent coordinates B of that node:
 *   stage i   xi  = B z_  + h sum_j a_ij B zd_j,     eta = B zd_ + h sum_j a_ij B zdd_j
 *   node      xi  = B z_  + h sum_j b_j B zd_j,      eta = B zd_ + h sum_j b_j B zdd_j
 * Equations: theory.md §5.3 (5.7b); (5.6), (5.7) give F. */
#include <string.h>

#include "formulation/state_space.h"
#include "objective/objectives.h"

/* Weights of the stages before i, or (i = stages) of the node. */
static const double *explicit_weights(const mbd_tableau *tableau, int i) {
  return i < tableau->stages ? tableau->a + i * tableau->stages : tableau->b;
}

static double stage_time(const mbd_sim *s, const mbd_tableau *tableau, int i) {
  const double t0 = ss_of(s)->stage[0].t;
  return i < tableau->stages ? t0 + tableau->c[i] * s->h : t0 + s->h;
}

/* Begins a step: stage 0 is the previous node. */
static void explicit_begin(mbd_sim *s) {
  state_space *space = ss_of(s);
  const size_t size = (size_t)ss_of(s)->n * (size_t)s->np * sizeof *s->sens.z;
  const ss_point before = ss_point_of(&s->before, mbd_same(s->t) - s->h);
  ss_set_point(s, &space->stage[0], &before);
  independent_save(space->indep, space->choice);
  if (s->np == 0) { return; }
  independent_read(space->indep, s->np, s->sens.z, space->sens.xi0);
  independent_read_rates(space->indep, s->np, s->sens.zd, space->sens.eta0);
  memcpy(space->sens.zd[0], s->sens.zd, size);
  memcpy(space->sens.zdd[0], s->sens.zdd, size);
}

static mbd_status explicit_step(mbd_sim *s, mbd_error *err) {
  state_space *space = ss_of(s);
  const mbd_tableau *tableau = s->integrator->tableau;
  explicit_begin(s);
  for (int i = 1; i <= tableau->stages; i++) {
    const int node = i == tableau->stages;
    s->t = stage_time(s, tableau, i) * s->dilation;
    /* Stage i, or the node after all stages: xi, eta from the rates of the stages before, then z, zd, zdd, lam. */
    stage_sum(s, i, explicit_weights(tableau, i), s->h);
    MBD_TRY(ss_evaluate(s, err));
    if (!node) { ss_keep(s, &space->stage[i]); }
    if (s->np == 0) { continue; }
    /* The same derivative along the directions. The node's goes to the state of the run, a stage's to the memory of stages. */
    stage_sum_sens(s, i, explicit_weights(tableau, i), s->h);
    const sim_sens to = {.z = s->sens.z,
                         .zd = node ? s->sens.zd : space->sens.zd[i],
                         .zdd = node ? s->sens.zdd : space->sens.zdd[i],
                         .lam = s->sens.lam};
    MBD_TRY(ss_evaluate_sens(s, 0, &to, err));
  }
  if (s->np == 0) { space->mech->move(s, s->now.zd, s->now.zdd, 1); }
  /* d of watch.c, which estimates the error of the step. */
  for (int j = 0; j < space->n; j++) {
    s->stage_difference[j] = mbd_first(space->stage[tableau->stages - 1].zdd[j] - s->now.zdd[j]);
  }
  return ss_choose(s, s->h, err);
}

static mbd_status explicit_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  state_space *space = ss_of(s);
  const mbd_tableau *tableau = s->integrator->tableau;
  independent_restore(space->indep, space->choice);
  stages_back_clear(s, a);
  MBD_TRY(ss_sweep(s, err));
  adjoint_stretch_rates(s, a);
  MBD_TRY(space->mech->outputs_back(s, a, err));
  MBD_TRY(ss_evaluate_back(s, a, err));
  ss_stretch_back(s, a);
  stage_sum_back(s, a, tableau->stages, tableau->b, s->h);
  return stages_back(s, a, tableau->stages, s->h, err);
}

const ss_steps ss_explicit = {.step = explicit_step,
                              .back = explicit_back,
                              .state_reals = ss_choice_reals,
                              .copy_state = ss_copy_choice,
                              .record_reals = ss_stages_reals,
                              .copy_record = ss_copy_stages};
