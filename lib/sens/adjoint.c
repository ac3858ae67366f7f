/* The backward pass over a simulation. Equations: theory.md §7.2 and theory.md §7.3; those of a step are in lib/formulation. */
#include "sens/adjoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulation/projection.h"
#include "objective/node_states.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"
#include "simulate/growth.h"
#include "simulate/run.h"
#include "simulate/steady.h"
#include "state/turns.h"
#include "base/sized.h"

/* ---- memory ---- */

static void destroy(sim_adjoint *a) {
  adjoint_pass *pass = (adjoint_pass *)a;
  adjoint_release(a);
  params_reverse_destroy(pass->contradiction);
  store_destroy(pass->trajectory);
  free(pass);
}

static mbd_status create(mbd_sim *s, mbd_error *err) {
  adjoint_pass *pass = calloc(1, sizeof *pass);
  if (!pass) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for an adjoint"); }
  s->adjoint = &pass->at, s->adjoint_destroy = destroy;
  mbd_status status = adjoint_init(&pass->at, s, err);
  if (status == MBD_OK) { status = params_reverse_create(s->m, &pass->contradiction, err); }
  if (status != MBD_OK) {
    destroy(&pass->at);
    s->adjoint = NULL;
  }
  return status;
}

mbd_status adjoint_need(mbd_sim *s, mbd_error *err) {
  return s->adjoint ? MBD_OK : create(s, err);
}

/* ---- the trajectory ---- */

static mbd_status no_adjoint(const mbd_sim *s, mbd_error *err) {
  MBD_FAIL(err, MBD_UNSUPPORTED, "formulation '%s' has no adjoint", s->ops->name);
}

/* One node as numbers: first what restarts the simulation there, then the rest of what the adjoint of its step reads. */
static size_t state_reals(const mbd_sim *s) {
  return (s->scheme.has_acc ? 4 : 3) * (size_t)s->m->nz + (sim_reactions_apart(s) ? 2 : 1) * (size_t)s->m->nphi +
         turns_reals(s) + (s->ops->state_reals ? s->ops->state_reals(s) : 0);
}

static size_t record_reals(const mbd_sim *s, sim_kept what) {
  return state_reals(s) + (size_t)s->o->n + (what == SIM_KEPT_RECORDS ? s->ops->record_reals(s) : 0);
}

size_t mbd_sim_step_bytes(const mbd_sim *s) {
  return s->ops->record_reals ? record_reals(s, SIM_KEPT_RECORDS) * sizeof(mbd_real) : 0;
}

mbd_status mbd_sim_recomputed(const mbd_sim *s, size_t memory_limit, long *steps, mbd_error *err) {
  long long n = 0;
  if (!s->ops->record_reals) { return no_adjoint(s, err); }
  const size_t state = state_reals(s) * sizeof(mbd_real), record = record_reals(s, SIM_KEPT_RECORDS) * sizeof(mbd_real);
  MBD_TRY(store_count(s->nsteps, state, record, memory_limit, &n, err));
  *steps = (long)n;
  return MBD_OK;
}

static void copy_state(mbd_sim *s, sim_copy copy, mbd_real **at) {
  const int n = s->m->nz, m = s->m->nphi;
  copy(at, s->now.z, n), copy(at, s->now.zd, n), copy(at, s->now.zdd, n), copy(at, s->now.lam, m);
  if (sim_reactions_apart(s)) { copy(at, s->now.reaction, m); }
  if (s->scheme.has_acc) { copy(at, s->now.acc, n); }
  turns_copy(s, copy, at);
  if (s->ops->copy_state) { s->ops->copy_state(s, copy, at); }
}

static void copy_record(mbd_sim *s, sim_copy copy, mbd_real *record) {
  copy_state(s, copy, &record);
  copy(&record, s->objectives->y, s->o->n);
  if (s->kept == SIM_KEPT_RECORDS) { s->ops->copy_record(s, copy, &record); }
}

static void save_state(void *user, void *state) {
  mbd_real *at = state;
  copy_state(user, sim_into_record, &at);
}

static mbd_status save_record(void *user, void *record, mbd_error *err) {
  (void)err;
  copy_record(user, sim_into_record, record);
  return MBD_OK;
}

static void restore(void *user, int k, const void *state) {
  mbd_sim *s = user;
  mbd_real *at = (mbd_real *)state; /* read only: sim_from_record does not write there */
  copy_state(s, sim_from_record, &at);
  s->t = k * s->h * s->dilation;
}

static mbd_status advance(void *user, int k, mbd_error *err) {
  mbd_sim *s = user;
  MBD_TRY(sim_advance(s, k, err));
  quadrature_outputs(s);
  return MBD_OK;
}

static mbd_status keep_node(void *trajectory, int k, mbd_error *err) {
  return store_put(trajectory, k, err);
}

/* ---- the pass ---- */

static mbd_status visit(void *user, int k, const void *record, mbd_error *err) {
  mbd_sim *s = user;
  sim_adjoint *a = s->adjoint;
  copy_record(s, sim_from_record, (mbd_real *)record);
  s->t = k * s->h * s->dilation;
  if (adjoint_of(s)->continuous) { return sim_at_time(s->ops->continuous_adjoint(s, a, k, err), s, err); }
  quadrature_weights(s, history_row_of_node(s, k), sim_weight(s, k), k == s->nsteps);
  MBD_TRY(sim_at_time(s->ops->adjoint_step(s, a, err), s, err));
  if (k > 0) { growth_back(s, a, k); }
  return MBD_OK;
}

static const store_ops trajectory_ops = {
    .save_state = save_state, .save_record = save_record, .restore = restore, .advance = advance, .visit = visit};

/* Memory for the trajectory, kept for the next run that keeps the same with the same limit. */
static mbd_status make_trajectory(mbd_sim *s, sim_kept what, size_t limit, mbd_error *err) {
  adjoint_pass *pass = adjoint_of(s);
  if (pass->trajectory && pass->limit == limit && pass->kept == what) { return MBD_OK; }
  store_destroy(pass->trajectory);
  pass->trajectory = NULL, pass->limit = limit, pass->kept = what;
  return store_create(s->nsteps, state_reals(s) * sizeof(mbd_real), record_reals(s, what) * sizeof(mbd_real), limit,
                      &trajectory_ops, s, &pass->trajectory, err);
}

/* From node 0, restored, to the coefficients. */
static mbd_status start_back(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  if (!analysis_integrates(s->analysis)) {
    adjoint_of(s)->contradicted = 0;
    MBD_TRY(analysis_adjoint_start(s, a, err));
    if (s->analysis->settles || s->analysis->moves_steadily || s->rank == s->m->nphi) { return MBD_OK; }
    MBD_TRY(start_factor_rows(s, err));
    adjoint_contradiction(s, a);
    return MBD_OK;
  }
  work_sweep_all_markers(s->w); /* held quantities depend on markers of their own */
  if (!adjoint_of(s)->continuous && s->ops->adjoint_begin) { s->ops->adjoint_begin(s, a); }
  if (!adjoint_of(s)->continuous) { return adjoint_start(s, a, err); }
  MBD_TRY(s->ops->continuous_adjoint(s, a, 0, err));
  adjoint_begin(s, a);
  return adjoint_start_motion(s, a, err);
}

static mbd_status backwards(mbd_sim *s, mbd_error *err) {
  sim_adjoint *a = s->adjoint;
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi, rows = (size_t)s->m->nphi * (size_t)a->npsi;
  memset(a->z, 0, size * sizeof *a->z), memset(a->zd, 0, size * sizeof *a->z), memset(a->zdd, 0, size * sizeof *a->z);
  memset(a->acc, 0, size * sizeof *a->acc);
  memset(a->lam, 0, rows * sizeof *a->lam);
  for (int k = 0; k < a->npsi; k++) { params_reverse_clear(a->theta[k]); }
  quadrature_begin_back(s, a);
  node_states_begin_back(s, a->npsi);
  MBD_TRY(store_reverse(adjoint_of(s)->trajectory, err));
  MBD_TRY(sim_at_time(start_back(s, a, err), s, err));
  for (int k = 0; k < a->npsi; k++) { params_reverse_finish(a->theta[k], s->p); }
  /* To the coefficient that is the duration T: a stretch of the time is T'/T. */
  const int at = s->c.free_duration - 1;
  for (int k = 0; at >= 0 && k < a->npsi; k++) { a->theta[k]->theta[at] += a->theta[k]->stretch / s->p->theta[at]; }
  growth_back(s, a, 0);
  growth_end(s);
  return MBD_OK;
}

/* The continuous adjoint of an explicit run takes steps as long as those of the run. At rest the run does not show whether they are
 * stable, so a failure of the adjoint names the remedy. */
static mbd_status check_finite(const mbd_sim *s, mbd_error *err) {
  const sim_adjoint *a = s->adjoint;
  const char *advice = !adjoint_of(s)->continuous || !s->integrator->tableau
                           ? ""
                           : ": a stiff force makes the steps of the continuous adjoint unstable; a smaller 'step' or "
                             "'max_step', or the gradient method discrete_adjoint or direct";
  for (int k = 0; k < a->npsi; k++) {
    for (int i = 0; i < s->m->ncoef; i++) {
      const double g = mbd_largest(a->theta[k]->theta[i]);
      if (a->theta[k]->requested[i] && !isfinite(g)) {
        MBD_FAIL(err, MBD_NOT_FINITE, "the derivative of objective %d by '%s' is %g%s", k + 1, s->m->coef_name[i], g,
                 advice);
      }
    }
  }
  return MBD_OK;
}

/* Refuses a continuous adjoint where the points of an objective are not the nodes that this adjoint visits. */
static mbd_status check_nodes_alone(const mbd_sim *s, mbd_error *err) {
  const sim_objectives *objectives = s->objectives;
  char text[32];
  int i = 0;
  if (!objectives->histories || !quadrature_between_nodes(s)) { return MBD_OK; }
  while (!objectives->history_term[i]) { i++; }
  snprintf(text, sizeof text, "objective %d", objectives->term[i].psi + 1);
  MBD_FAIL(err, MBD_UNSUPPORTED,
           "the continuous adjoint of integrator '%s' reads the nodes of a run, but %s with form %s%s looks between "
           "them: gradient method discrete_adjoint or direct",
           s->integrator->name, objectives->term[i].label ? objectives->term[i].label : text, objectives->term[i].form,
           objectives->form[i]->info.is_history ? "" : " in a window");
}

/* Refuses a continuous adjoint of states that the nodes of a run determine. */
static mbd_status check_measuring(const mbd_sim *s, mbd_error *err) {
  if (s->node_states->measuring.n == 0) { return MBD_OK; }
  MBD_FAIL(
      err, MBD_UNSUPPORTED,
      "state '%s' measures accelerations or reactions, of which the continuous adjoint has no derivative: gradient "
      "method discrete_adjoint or direct",
      s->node_states->measuring.rate[0].name);
}

/* Refuses a continuous adjoint of what projections add to a step, which vanishes in the limit of short steps. */
static mbd_status check_projections_alone(const mbd_sim *s, mbd_error *err) {
  for (int i = 0; i < s->objectives->nterm; i++) {
    const output *item = &s->o->item[s->objectives->term[i].output];
    if (!output_reads_projections(item)) { continue; }
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "'%s' is a multiplier of projections, which vanish as steps get shorter, so that the continuous adjoint has "
        "no derivative of it: gradient method discrete_adjoint or direct",
        item->name);
  }
  return MBD_OK;
}

mbd_status mbd_sim_adjoint_sized(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *theirs, size_t size,
                                 double *psi, double *gtheta, mbd_observer observer, void *user, mbd_error *err) {
  mbd_adjoint_options o;
  const size_t nc = (size_t)s->m->ncoef;
  const double begun = sim_seconds();
  SIZED_READ(&o, theirs, size, "mbd_adjoint_options", err);
  /* Combinations of case and method that are not available. */
  if (!s->ops->adjoint_step) { return no_adjoint(s, err); }
  if (o.continuous && !s->ops->continuous_adjoint) {
    if (!analysis_integrates(s->analysis)) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "a case with analysis = %s has no continuous adjoint", s->analysis->name);
    }
    MBD_FAIL(err, MBD_UNSUPPORTED, "formulation '%s' has no continuous adjoint", s->ops->name);
  }
  if (o.continuous && s->c.free_duration) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "the continuous adjoint has no derivative by the duration; expected the gradient method direct or "
             "discrete_adjoint");
  }
  if (o.continuous) { MBD_TRY(check_measuring(s, err)); }
  if (o.continuous) { MBD_TRY(check_nodes_alone(s, err)); }
  if (o.continuous) { MBD_TRY(check_projections_alone(s, err)); }
  if (!o.continuous) { MBD_TRY(projection_derivatives(s, err)); }
  /* Memory is made once for a simulation. An adjoint belongs to each objective, or to each sum of objectives. */
  MBD_TRY(adjoint_need(s, err));
  adjoint_pass *pass = adjoint_of(s);
  sim_adjoint *a = &pass->at;
  if (o.nsum > a->max) { MBD_FAIL(err, MBD_BAD_INPUT, "%d sums of objectives, but memory for %d", o.nsum, a->max); }
  a->npsi = o.nsum ? o.nsum : a->max;
  s->objectives->sum = o.nsum ? o.sum : NULL;
  pass->continuous = o.continuous;
  const sim_kept what = o.continuous && s->ops->continuous_of_states ? SIM_KEPT_STATES : SIM_KEPT_RECORDS;
  MBD_TRY(make_trajectory(s, what, o.memory_limit, err));
  /* Only derivatives by the coefficients wanted are collected; a free duration needs those by the stretch of the time. */
  const int duration = s->c.free_duration - 1;
  if (steady_requested(s)) { o.requested = steady_request(s, o.requested); }
  for (int k = 0; k < a->npsi; k++) {
    a->theta[k]->stretch_requested = duration >= 0 && (!o.requested || o.requested[duration]);
    params_reverse_request(a->theta[k], o.requested);
  }
  params_reverse_request(pass->contradiction, o.requested);
  /* The forward run fills the trajectory, the backward pass reads it from its end. */
  MBD_TRY(sim_run_kept(s, p, what, keep_node, pass->trajectory, observer, user, err));
  mbd_status status = backwards(s, err);
  /* Statistics are right after a failure, too. */
  s->stats.seconds = sim_seconds() - begun;
  s->stats.memory = store_get_stats(pass->trajectory)->bytes;
  s->stats.recomputed = (long)store_get_stats(pass->trajectory)->recomputed;
  MBD_TRY(status);
  MBD_TRY(check_finite(s, err));
  if (mbd_apart()) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "several designs take different ways in the adjoint: expected one at a time");
  }
  for (int i = 0; i < s->npsi; i++) { psi[i] = mbd_first(s->objectives->psi[i]); }
  for (int k = 0; k < a->npsi; k++) {
    for (size_t i = 0; i < nc; i++) { gtheta[(size_t)k * nc + i] = mbd_first(a->theta[k]->theta[i]); }
  }
  return MBD_OK;
}
