/* Several designs in lockstep: the functions of mbd/lanes.h; only in the libraries of several lanes, which are built with MBD_DESIGNS (base/designs.h). */
#include "lanes/lanes.h"

#include <stdlib.h>

#include "base/sized.h"
#include "formulation/formulation.h"
#include "model/params.h"
#include "objective/form.h"
#include "objective/objectives.h"
#include "sens/adjoint.h"
#include "simulate/analysis.h"

_Thread_local int designs_apart;

struct lanes {
  mbd_model *model;
  mbd_outputs *outputs;
  mbd_params *params;
  mbd_sim *sim;
  int np, npsi;
  mbd_dparams **d;           /* [np] */
  mbd_real *psi, *grad, *gn; /* [npsi], [npsi][np], [npsi][np][np] of a run */
  mbd_arena arena;
};

/* ---- what does not go in lockstep ---- */

static int analysis_is_no_motion(const mbd_sim *s) {
  return !analysis_integrates(s->analysis);
}

static int is_adaptive(const mbd_sim *s) {
  return s->integrator->tableau && s->integrator->tableau->error;
}

static int starts_steadily(const mbd_sim *s) {
  return s->c.start == MBD_START_STEADY;
}

static int has_branches(const mbd_sim *s) {
  return s->branches != NULL;
}

static int has_free_duration(const mbd_sim *s) {
  return s->c.free_duration > 0;
}

static int is_event(const mbd_moment *moment) {
  return moment->kind > MBD_MOMENT_TIME;
}

static int has_event(const mbd_sim *s) {
  const sim_objectives *objectives = s->objectives;
  int any = 0;
  for (int i = 0; i < objectives->nterm; i++) {
    const mbd_term *k = &objectives->term[i];
    any |= is_event(&k->from) || is_event(&k->until) || is_event(&k->at) || k->over;
  }
  return any;
}

static int has_sorting(const mbd_sim *s) {
  int any = 0;
  for (int i = 0; i < s->objectives->nterm; i++) {
    const form_over over = s->objectives->form[i]->over;
    any |= over == FORM_SETTLED || over == FORM_QUANTILE || over == FORM_SPLIT;
  }
  return any;
}

static const struct {
  int (*applies)(const mbd_sim *s);
  const char *what, *why;
} refused[] = {
    {analysis_is_no_motion, "an analysis other than motion", "each design finds its positions by searches of its own"},
    {is_adaptive, "an integrator that chooses its own steps", "each design has steps of its own"},
    {starts_steadily, "start = steady", "each design finds its motion by a search of its own"},
    {has_branches, "a stated branch", "each design has its own places where branches meet"},
    {has_free_duration, "a duration that is a coefficient", "each design has times of its own"},
    {has_event, "an objective over, from, until or at a value of an output", "each design has events of its own"},
    {has_sorting, "a form that looks for zeros, settling or quantiles in a history", "each design has its own"},
};

static mbd_status refuse(const mbd_sim *s, mbd_error *err) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    if (!refused[i].applies(s)) { continue; }
    MBD_FAIL(err, MBD_UNSUPPORTED, "%s does not go in lockstep: %s; expected one design at a time", refused[i].what,
             refused[i].why);
  }
  return MBD_OK;
}

/* ---- memory ---- */

static void lanes_destroy(lanes *l) {
  mbd_sim_destroy(l->sim);
  for (int k = 0; l->d && k < l->np; k++) { mbd_dparams_destroy(l->d[k]); }
  mbd_params_destroy(l->params);
  mbd_outputs_destroy(l->outputs);
  mbd_model_destroy(l->model);
  free(l->arena.base);
  free(l);
}

static mbd_status take_memory(lanes *l, mbd_error *err) {
  const size_t npsi = (size_t)l->npsi, np = (size_t)l->np;
  while (mbd_arena_pass(&l->arena)) {
    l->psi = mbd_arena_real(&l->arena, npsi + 1);
    l->grad = mbd_arena_real(&l->arena, npsi * np + 1);
    l->gn = mbd_arena_real(&l->arena, npsi * np * np + 1);
    l->d = mbd_arena_take(&l->arena, (np + 1) * sizeof *l->d);
  }
  MBD_TRY(mbd_arena_check(&l->arena, "lanes", err));
  for (int k = 0; k < l->np; k++) { MBD_TRY(mbd_dparams_create(l->model, &l->d[k], err)); }
  return MBD_OK;
}

static mbd_status make(lanes *l, const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                       const char *const *name, int nterm, const mbd_term *term, size_t term_size, mbd_error *err) {
  MBD_TRY(mbd_model_create(s, &l->model, err));
  MBD_TRY(mbd_params_create(l->model, NULL, &l->params, err));
  MBD_TRY(mbd_outputs_create(l->model, &l->outputs, err));
  for (int i = 0, first, count; i < nname; i++) { MBD_TRY(mbd_outputs_add(l->outputs, name[i], &first, &count, err)); }
  MBD_TRY(
      mbd_sim_create_sized(l->model, c, case_size, l->outputs, nterm, term, term_size, l->npsi, l->np, &l->sim, err));
  MBD_TRY(refuse(l->sim, err));
  return take_memory(l, err);
}

static mbd_status lanes_create(const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                               const char *const *name, int nterm, const mbd_term *term, size_t term_size, int npsi,
                               int np, lanes **out, mbd_error *err) {
  lanes *l = calloc(1, sizeof *l);
  *out = NULL;
  if (!l) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for lanes"); }
  l->npsi = npsi, l->np = np;
  const mbd_status status = make(l, s, c, case_size, nname, name, nterm, term, term_size, err);
  if (status != MBD_OK) { lanes_destroy(l); }
  *out = status == MBD_OK ? l : NULL;
  return status;
}

/* ---- runs ---- */

/* to [lanes][n] := from [n]; to NULL: not wanted. */
static void hand_out(size_t n, const mbd_real *from, double *to) {
  for (size_t lane = 0; to && lane < MBD_DESIGNS; lane++) {
    for (size_t i = 0; i < n; i++) { to[lane * n + i] = from[i][lane]; }
  }
}

typedef struct lanes_observed {
  const mbd_sim *s;
  mbd_lanes_observer observer;
  void *user;
} lanes_observed;

static int observe(void *of, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                   const double *y) {
  const lanes_observed *o = of;
  return o->observer(o->user, o->s->design, k, t, z, zd, zdd, lam, y);
}

/* The status of a run, after which lanes that have come apart have no results. */
static mbd_status check_together(mbd_status status, mbd_error *err) {
  if (status != MBD_OK || !mbd_apart()) { return status; }
  MBD_FAIL(err, MBD_UNSUPPORTED, "several designs take different ways: expected one at a time");
}

static mbd_status lanes_run(lanes *l, const double *theta, const mbd_lanes_directions *d, double *psi, double *grad,
                            double *gn, mbd_lanes_observer observer, void *user, mbd_error *err) {
  const int np = d ? d->np : 0;
  const size_t npsi = (size_t)l->npsi, n = (size_t)np;
  lanes_observed o = {.s = l->sim, .observer = observer, .user = user};
  if (np > l->np) { MBD_FAIL(err, MBD_BAD_INPUT, "%d directions, but memory for %d", np, l->np); }
  designs_apart = 0;
  MBD_TRY(params_set_designs(l->params, theta, err));
  for (int k = 0; k < np; k++) {
    dparams_set_designs(l->d[k], l->params, d->first[k + 1] - d->first[k], d->index + d->first[k],
                        d->value + d->first[k], d->first[np]);
  }
  MBD_TRY(check_together(mbd_sim_run(l->sim, l->params, np, l->d, (double *)l->psi, np ? (double *)l->grad : NULL,
                                     gn ? (double *)l->gn : NULL, observer ? observe : NULL, &o, err),
                         err));
  hand_out(npsi, l->psi, psi);
  hand_out(npsi * n, l->grad, grad);
  hand_out(npsi * n * n, l->gn, gn);
  return MBD_OK;
}

static mbd_status lanes_adjoint(lanes *l, const double *theta, const mbd_adjoint_options *options, size_t size,
                                double *psi, double *gtheta, mbd_lanes_observer observer, void *user, mbd_error *err) {
  const size_t nc = (size_t)l->model->ncoef;
  lanes_observed o = {.s = l->sim, .observer = observer, .user = user};
  designs_apart = 0;
  MBD_TRY(params_set_designs(l->params, theta, err));
  /* psi and gtheta become those of the first lane, and are then replaced by those of all. */
  MBD_TRY(mbd_sim_adjoint_sized(l->sim, l->params, options, size, psi, gtheta, observer ? observe : NULL, &o, err));
  const sim_adjoint *a = l->sim->adjoint;
  hand_out((size_t)l->npsi, l->sim->objectives->psi, psi);
  for (size_t lane = 0; lane < MBD_DESIGNS; lane++) {
    for (size_t k = 0; k < (size_t)a->npsi; k++) {
      double *row = gtheta + (lane * (size_t)a->npsi + k) * nc;
      for (size_t i = 0; i < nc; i++) { row[i] = a->theta[k]->theta[i][lane]; }
    }
  }
  return MBD_OK;
}

static mbd_sim *look(lanes *l, int lane) {
  l->sim->design = lane;
  return l->sim;
}

static int warned_together(const lanes *l) {
  return l->sim->warned_together;
}

static void check_directions(lanes *l, int lane, int n, const char *const *name, const int *start, const int *index,
                             const double *value) {
  mbd_sim *s = look(l, lane);
  s->each = 1; /* what it warns of is of this lane */
  mbd_sim_check_directions(s, n, name, start, index, value);
  s->each = 0;
}

#pragma GCC visibility push(default)
extern const lanes_table mbd_lanes_table;
const lanes_table mbd_lanes_table = {
    .size = sizeof mbd_lanes_table,
    .headers = MBD_LANES_HEADERS,
    .width = MBD_DESIGNS,
    .create = lanes_create,
    .destroy = lanes_destroy,
    .run = lanes_run,
    .adjoint = lanes_adjoint,
    .look = look,
    .watch = mbd_sim_watch,
    .watch_outputs = mbd_sim_watch_outputs,
    .as_with_gradient = mbd_sim_as_with_gradient,
    .stats = mbd_sim_stats,
    .warning = mbd_sim_warning,
    .warned_together = warned_together,
    .check_directions = check_directions,
    .true_value = mbd_sim_true_value,
    .measured = mbd_sim_measured,
    .growth = mbd_sim_growth,
    .undetermined = mbd_sim_undetermined,
};
#pragma GCC visibility pop
