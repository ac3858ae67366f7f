/* The time loop of a simulation: the start, the steps, and at each node the objectives and the observer. */
#include <stdio.h>
#include <string.h>

#include "formulation/formulation.h"
#include "formulation/projection.h"
#include "objective/node_states.h"
#include "objective/objectives.h"
#include "simulate/analysis.h"
#include "simulate/branch.h"
#include "simulate/growth.h"
#include "simulate/run.h"
#include "simulate/start.h"
#include "simulate/watch.h"
#include "state/turns.h"

struct sim_observed {
  double *y;      /* [outputs] */
  double *motion; /* z, zd, zdd, lam */
  int objectives_only;
};

void observed_layout(mbd_sim *s, mbd_arena *a) {
  sim_observed counted, *observed = s->observed = mbd_arena_take(a, sizeof *observed);
  if (!observed) { observed = &counted; }
  observed->y = mbd_arena_take(a, ((size_t)s->o->n + 1) * sizeof *observed->y);
  observed->motion = mbd_arena_take(a, (3 * (size_t)s->m->nz + (size_t)s->m->nphi) * sizeof *observed->motion);
}

void mbd_sim_watch(mbd_sim *s, int all) {
  s->observed->objectives_only = !all;
}

void mbd_sim_watch_outputs(mbd_sim *s, const unsigned char *seen) {
  for (int o = 0; o < s->o->n; o++) { s->objectives->unseen[o] = seen && !seen[o]; }
}

void mbd_sim_as_with_gradient(mbd_sim *s, int on) {
  s->as_with_gradient = on;
}

int mbd_sim_projections(const mbd_sim *s, double *sigma, double *kappa) {
  sim_step_terms value, sens;
  if (!s->step_terms) { return 0; }
  s->step_terms(s, &value, &sens);
  for (int i = 0; i < s->m->nphi; i++) { sigma[i] = sim_of(s, value.sigma[i]), kappa[i] = sim_of(s, value.kappa[i]); }
  return 1;
}

void mbd_sim_pose(const mbd_sim *s, int body, double o[3], double A[9]) {
  const body_state *b = &s->w->body[body];
  if (s->m->body[body].light) { motion_light_bodies(s->w); }
  for (int i = 0; i < 3; i++) { o[i] = sim_of(s, b->o[i]); }
  for (int i = 0; i < 9; i++) { A[i] = sim_of(s, b->A[i]); }
}

/* What force i exerts on its first argument, if that is of this kind. */
static int on_first_argument(const mbd_sim *s, int i, mbd_arg_kind kind, double f[3]) {
  mbd_arg_state x;
  mbd_real all[ELEMENT_ARG_MAX][3];
  if (i < 0 || i >= s->m->nforce) { return 0; }
  const mbd_lift *lift = &s->m->force[i].lift;
  if (lift->narg == 0 || lift->arg[0].kind != kind) { return 0; }
  motion_force(s->w, i, &x, all);
  for (int k = 0; k < 3; k++) { f[k] = sim_of(s, all[0][k]); }
  return 1;
}

int mbd_sim_point_force(const mbd_sim *s, int i, double f[3]) {
  return on_first_argument(s, i, MBD_ARG_POINT, f);
}

int mbd_sim_torque(const mbd_sim *s, int i, double n[3]) {
  return on_first_argument(s, i, MBD_ARG_ROTATION, n);
}

int mbd_sim_user_force(const mbd_sim *s, int i, const char **name, const mbd_user_force **u, double *state,
                       double *coef) {
  if (i < 0 || i >= s->m->nforce) { return 0; }
  *name = s->m->force[i].name;
  *u = motion_user_force(s->w, i, state, coef);
  return 1;
}

int mbd_sim_steps(const mbd_sim *s) {
  return s->nsteps;
}

const mbd_stats *mbd_sim_stats(const mbd_sim *s) {
  return &s->stats;
}

void mbd_sim_rank(const mbd_sim *s, int *rank, const int **row, int *nheld, const int **held) {
  *rank = s->rank;
  *row = s->row;
  *nheld = s->start->nfree;
  *held = s->start->free_z;
}

int mbd_sim_position_rank(const mbd_sim *s) {
  return s->m->nvelocity > 0 ? s->position_rank : s->rank;
}

int mbd_sim_left_out(const mbd_sim *s, int k) {
  for (int i = 0; s->nleft_out > 0 && i < s->m->nvelocity_row; i++) {
    if (s->left_out[i] && k-- == 0) { return s->velocity_row + i; }
  }
  return -1;
}

/* Sweeps the markers that are needed at all nodes after the first. Held quantities are read only by the start, and by
 * analyses in which every node is computed like a start. */
static void sweep_markers_needed(mbd_sim *s) {
  work_sweep_element_markers(s->w);
  for (int i = 0; i < s->m->nhold && !analysis_integrates(s->analysis); i++) {
    work_sweep_lift(s->w, &s->m->hold[i].lift);
  }
  for (int i = 0; i < s->o->n; i++) { output_sweep_markers(s->w, &s->o->item[i]); }
  branches_sweep_markers(s);
  node_states_sweep_markers(s);
}

/* Warns of the outputs that are no number at the node, with the reason of the first one. */
static void warn_undefined(mbd_sim *s) {
  const int n = s->o->nwatched >= 0 ? s->o->nwatched : s->o->n;
  int first = -1, count = 0;
  char others[40] = "";
  for (int i = 0; i < n; i++) {
    if (!output_is_computed(s->objectives, i, 1) || isfinite(sim_of(s, s->objectives->y[i])) ||
        mbd_outputs_is_repeated(s->o, i)) {
      continue;
    }
    if (count++ == 0) { first = i; }
  }
  if (first < 0) { return; }
  const char *why = output_why_undefined(&s->o->item[first]);
  if (count > 1) { snprintf(others, sizeof others, " (and %d more)", count - 1); }
  sim_warn(s, "undefined", sim_of(s, s->t), "at t = %.4g s and maybe later, output '%.100s'%s is %g%s%.280s",
           sim_of(s, s->t), s->o->item[first].name, others, sim_of(s, s->objectives->y[first]),
           why ? ": it is undefined where " : "", why ? why : "");
}

static int observe_one(mbd_sim *s, int k, mbd_observer observer, void *user) {
  const int n = s->m->nz, m = s->m->nphi;
  double *q = s->observed->motion, *y = s->observed->y;
  for (int j = 0; j < n; j++) {
    q[j] = sim_of(s, s->now.z[j]), q[n + j] = sim_of(s, s->now.zd[j]), q[2 * n + j] = sim_of(s, s->now.zdd[j]);
  }
  for (int i = 0; i < m; i++) { q[3 * n + i] = sim_of(s, s->now.reaction[i]); }
  for (int i = 0; i < s->o->n; i++) { y[i] = sim_of(s, s->objectives->y[i]); }
  return observer(user, k, sim_of(s, s->t), q, q + n, q + 2 * n, q + 3 * n, y);
}

static int observe(mbd_sim *s, int k, mbd_observer observer, void *user) {
  int stop = 0;
  if (!observer) { return 0; }
  SIM_EACH_DESIGN(s) {
    stop |= observe_one(s, k, observer, user);
  }
  return stop;
}

mbd_status sim_advance(mbd_sim *s, int k, mbd_error *err) {
  const sim_state before = s->before;
  s->before = s->now, s->now = before;
  s->t = k * s->h * s->dilation;
  MBD_TRY(sim_at_time(s->ops->step(s, err), s, err));
  return sim_at_time(node_states_measure(s, err), s, err);
}

/* The options of a run, which apply to each of its nodes. */
typedef struct run_options {
  int gauss_newton;
  sim_keep keep; /* NULL: the nodes are not stored */
  void *kept;
  mbd_observer observer;
  void *user;
} run_options;

/* Five nodes of a run, where what hardly depends on the position, or costs more than a node, is looked at. */
static int is_looked_at(const mbd_sim *s, int k) {
  return k == 0 || 4L * k / s->nsteps > 4L * (k - 1) / s->nsteps;
}

static mbd_status node(mbd_sim *s, int k, const run_options *o, mbd_error *err) {
  if (s->np > 0) { growth_node(s); }
  MBD_TRY(quadrature_add(s, sim_weight(s, k), k == s->nsteps, s->np > 0, s->objectives->gauss_newton, err));
  if (s->objectives->watched) {
    SIM_EACH_DESIGN(s) {
      warn_undefined(s);
    }
  }
  watch_beams_node(s);
  if (is_looked_at(s, k)) { min_norm_look(s); } /* which shares of reactions are undetermined */
  if (o->keep) { MBD_TRY(o->keep(o->kept, k, err)); }
  if (mbd_apart()) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "from t = %.6g s on, several designs take different ways: expected one at a time",
             mbd_first(s->t));
  }
  if (observe(s, k, o->observer, o->user)) { MBD_FAIL(err, MBD_INTERRUPTED, "stopped at t = %g s", mbd_first(s->t)); }
  return MBD_OK;
}

static mbd_status run(mbd_sim *s, const run_options *o, mbd_error *err) {
  const int gradient = s->np > 0;
  /* The start, theory.md §5.5, with its derivative along the directions. */
  work_sweep_all_markers(s->w);
  MBD_TRY(sim_at_time(start_state(s, err), s, err));
  memcpy(s->z_first, s->now.z, (size_t)s->m->nz * sizeof *s->z_first);
  s->objectives->watched = o->observer != NULL && !s->observed->objectives_only;
  watch_stability(s);
  if (gradient) { MBD_TRY(sim_at_time(start_sens(s, err), s, err)); }
  /* The acceleration acc of the scheme is zdd at the start. */
  if (s->scheme.has_acc) {
    const size_t bytes = (size_t)s->m->nz * sizeof *s->now.acc;
    memcpy(s->now.acc, s->now.zdd, bytes);
    if (gradient) { memcpy(s->sens.acc, s->sens.zdd, bytes * (size_t)s->np); }
  }
  /* The formulation, the sums of the objectives and the checks of accuracy begin at node 0. */
  if (s->ops->begin) { MBD_TRY(sim_at_time(s->ops->begin(s, err), s, err)); }
  if (s->ops->penalty == 0) { MBD_TRY(step_terms_determined(s, err)); } /* compliant ones determine them */
  MBD_TRY(sim_at_time(node_states_measure(s, err), s, err));
  sweep_markers_needed(s);
  MBD_TRY(sim_at_time(branches_begin(s, err), s, err));
  quadrature_reset(s);
  min_norm_reset(s);
  watch_begin(s);
  watch_knots(s);
  MBD_TRY(watch_beams_begin(s, err));
  watch_singular(s, 0);
  growth_begin(s);
  s->objectives->gathering = 1, s->objectives->gauss_newton = o->gauss_newton;
  MBD_TRY(node(s, 0, o, err));
  /* Step k makes node k; each node is added to the objectives and shown to the observer. */
  for (int k = 1; k <= s->nsteps; k++) {
    MBD_TRY(sim_advance(s, k, err));
    s->stats.steps = k;
    MBD_TRY(sim_at_time(branches_watch(s, err), s, err));
    watch_singular(s, k);
    MBD_TRY(sim_at_time(watch_step(s, k, err), s, err));
    MBD_TRY(node(s, k, o, err));
    if (s->analysis->moves_steadily && is_looked_at(s, k)) { watch_stability(s); }
  }
  MBD_TRY(watch_end(s, err));
  min_norm_warn(s);
  if (gradient) { growth_end(s); }
  s->objectives->gathering = 0;
  return MBD_OK;
}

static mbd_status check_finite(int n, const mbd_real *x, const char *what, mbd_error *err) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(mbd_largest(x[i]))) {
      MBD_FAIL(err, MBD_NOT_FINITE, "%s %d of the run is %g", what, i + 1, mbd_first(x[i]));
    }
  }
  return MBD_OK;
}

/* An output that is not a number at the end of the run is an error, whose message names it. */
static mbd_status check_objectives(const mbd_sim *s, mbd_error *err) {
  const sim_objectives *objectives = s->objectives;
  for (int i = 0; i < objectives->nterm; i++) {
    const mbd_term *k = &objectives->term[i];
    const double y = mbd_first(objectives->y[k->output]);
    if (!isfinite(y) && !isfinite(mbd_largest(objectives->psi[k->psi]))) {
      const char *why = output_why_undefined(&s->o->item[k->output]);
      MBD_FAIL(err, MBD_NOT_FINITE, "output '%s' is %g, and so is objective %d of the run%s%s",
               mbd_outputs_name(s->o, k->output), y, k->psi + 1, why ? "; it is undefined where " : "", why ? why : "");
    }
  }
  return check_finite(s->npsi, objectives->psi, "objective", err);
}

/* Sets the step from a duration that is a coefficient, and its change along the directions. */
static mbd_status set_duration(mbd_sim *s, mbd_error *err) {
  const int k = s->c.free_duration - 1;
  for (int i = 0; i < s->np; i++) { s->stretch[i] = 0; }
  if (k < 0) { return MBD_OK; }
  const mbd_real T = s->p->theta[k];
  if (mbd_any(!(mbd_re(T) > 0))) { MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "duration = %g s, expected > 0", mbd_first(T)); }
  s->c.duration = mbd_same(T);
  s->h = s->c.duration / s->nsteps;
  s->dilation = T / s->c.duration;
  if (s->integrator->scheme) { s->scheme = s->integrator->scheme(&s->c, s->h * s->dilation); }
  for (int i = 0; i < s->np; i++) { s->stretch[i] = s->d[i]->dtheta[k] / T; }
  return MBD_OK;
}

static mbd_status prepare(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, mbd_error *err) {
  s->p = p;
  s->np = np;
  s->d = d;
  s->objectives->gathering = 0;
  s->stats = (mbd_stats){0};
  memset(s->nwarning, 0, sizeof s->nwarning);
  s->design = s->each = s->warned_together = 0, s->advised = 0, s->kept = SIM_NOT_KEPT;
  for (int i = 0; i < MBD_DESIGNS; i++) { s->bending[i] = (sim_bending){.beam = -1}; }
  work_choose_reference(s->w, p);
  turns_begin(s);
  return set_duration(s, err);
}

#ifdef MBD_COMPLEX
/* Copies psi; the complex build also returns the imaginary parts of psi, in `grad` [npsi]. */
static void copy_results(const mbd_sim *s, double *psi, double *grad, double *gn) {
  (void)gn;
  for (int i = 0; i < s->npsi; i++) {
    if (psi) { psi[i] = creal(s->objectives->psi[i]); }
    if (grad) { grad[i] = cimag(s->objectives->psi[i]); }
  }
}
#else
/* Of several designs, psi and the others have a number for each of them in every place. */
static void copy_results(const mbd_sim *s, double *psi, double *grad, double *gn) {
  const size_t np = (size_t)s->np, npsi = (size_t)s->npsi;
  if (psi) { memcpy(psi, s->objectives->psi, npsi * sizeof(mbd_real)); }
  if (grad) { memcpy(grad, s->objectives->grad, npsi * np * sizeof(mbd_real)); }
  if (gn) { memcpy(gn, s->objectives->gn, npsi * np * np * sizeof(mbd_real)); }
}
#endif

/* If the run failed because a force of the user, in C or by expression, is not a number at the last motion tried, the message begins with that
 * force. */
static mbd_status name_user_force(const mbd_sim *s, mbd_status status, mbd_error *err) {
  const int i = status > 0 ? motion_not_finite(s->w) : -1;
  if (i < 0) { return status; }
  const mbd_force *force = &s->m->force[i];
  const mbd_user_force *u = force->user.law;
  return mbd_locate(err, status, "user force '%s' (%s) is not a finite number at finite arguments: ", force->name,
                    u ? u->name : "by expression");
}

mbd_status mbd_sim_run(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, double *psi, double *grad,
                       double *gn, mbd_observer observer, void *user, mbd_error *err) {
  double begun = sim_seconds();
  if (np > s->np_max) { MBD_FAIL(err, MBD_BAD_INPUT, "%d directions, but memory for %d", np, s->np_max); }
  if (np > 0) { MBD_TRY(projection_derivatives(s, err)); }
  MBD_TRY(prepare(s, p, np, d, err));
  const run_options o = {.gauss_newton = gn != NULL, .observer = observer, .user = user};
  const mbd_status status = watch_beams_end(s, run(s, &o, err), err);
  s->stats.seconds = sim_seconds() - begun;
  MBD_TRY(name_user_force(s, status, err));
  MBD_TRY(check_objectives(s, err));
  MBD_TRY(check_finite(s->npsi * s->np, s->objectives->grad, "gradient component", err));
  copy_results(s, psi, grad, gn);
  return MBD_OK;
}

mbd_status sim_run_kept(mbd_sim *s, const mbd_params *p, sim_kept what, sim_keep keep, void *kept,
                        mbd_observer observer, void *user, mbd_error *err) {
  const run_options o = {.keep = keep, .kept = kept, .observer = observer, .user = user};
  MBD_TRY(prepare(s, p, 0, NULL, err));
  s->kept = what;
  const mbd_status status = watch_beams_end(s, run(s, &o, err), err);
  MBD_TRY(name_user_force(s, status, err));
  return check_objectives(s, err);
}

mbd_status mbd_sim_start(mbd_sim *s, const mbd_params *p, double *z, double *zd, double *zdd, double *lam,
                         mbd_error *err) {
  MBD_TRY(prepare(s, p, 0, NULL, err));
  work_sweep_all_markers(s->w);
  MBD_TRY(sim_at_time(start_state(s, err), s, err));
  MBD_TRY(sim_at_time(node_states_measure(s, err), s, err));
  for (int j = 0; j < s->m->nz; j++) {
    if (z) { z[j] = mbd_first(s->now.z[j]); }
    if (zd) { zd[j] = mbd_first(s->now.zd[j]); }
    if (zdd) { zdd[j] = mbd_first(s->now.zdd[j]); }
  }
  for (int i = 0; lam && i < s->m->nphi; i++) { lam[i] = mbd_first(s->now.lam[i]); }
  return MBD_OK;
}
