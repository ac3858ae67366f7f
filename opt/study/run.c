#include "evaluate/seconds.h"
#include "study/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/expr.h"
#include "files/memory.h"
#include "files/json.h"
#include "mechanism/choices.h"
#include "mechanism/lockstep.h"
#include "stages/stages.h"
#include "mechanism/true_values.h"
#include "backend/run_settings.h"
#include "mechanism/warnings.h"
#include "study/costs.h"
#include "study/multistart.h"
#include "study/pareto.h"
#include "study/pareto_start.h"
#include "study/problem_class.h"

/* The data of a run while it is done. */
typedef struct run {
  study *s;
  long i;
  const volatile sig_atomic_t *stop;
  mbo_run_config *config;
  mechanism *m;
  struct lockstep_seat *seat; /* NULL: it goes alone */
  json_t *column;             /* the columns of the study's table */
  double tol_constraint;      /* NaN: no violation is known */
  json_t *warnings;           /* of the last simulation; NULL: none */
  json_t *damage;             /* of the journal, as a warning; NULL: none */
  json_t *simulations;        /* of an optimization: objective and violation of every design, in their order */
  json_t
      *evaluations; /* of a comparison: number of the design, kind and time of every evaluation; NULL: another study */
  json_t *problem;  /* of a comparison: what the problem is, and its scales; NULL: another study */
  lane_counts in_lanes; /* its simulations there */
  double alone;         /* [s] of the processor: a simulation of the result without derivatives; NaN: there is none */
  const char *status;
  int staged;               /* 1: an optimization with smooth values */
  double f_start;           /* its true objective at the start; NaN: it is the smooth one */
  double noise, optimality; /* of the objective, NaN: not measured; as in mbo_result */
  json_t *message;          /* message of the backend at its end; NULL: none */
  pareto_run point;         /* of a front */
  json_t *front;            /* its entry in the record; NULL: another study */
} run;

static void put(run *r, const char *prefix, const char *name, json_t *value) {
  char *key = mbd_sprintf_dup("%s%s", prefix, name);
  json_object_set_new(r->column, key, value);
  free(key);
}

static void put_row(run *r) {
  const study *s = r->s;
  for (int k = 0; k < s->ncolumn; k++) {
    const study_column *column = &s->column[k];
    const char *text = s->points.value[k];
    double v;
    /* The path of a run file, a number, or a text. */
    put(r, "", column->name,
        column->role == STUDY_PROBLEM ? json_string(s->origin[atoi(text) - 1])
        : mbo_number(text, &v)        ? json_real(v)
                                      : json_text(text));
  }
}

/* The objectives as one; of a point of a front as the run file combines them, with true values. */
static double objective_of(const run *r) {
  const mechanism *m = r->m;
  double sum = 0, largest = -INFINITY;
  if (!r->point.is) { return m->f; }
  for (int i = 0; i < m->nobjective; i++) {
    const double part = r->config->objective[i].weight * m->truth[i].value;
    sum += part, largest = fmax(largest, part);
  }
  return strcmp(r->config->objectives.combine, "worst") == 0 ? largest : sum;
}

static void put_quantities(run *r) {
  const mechanism *m = r->m;
  put(r, "", "objective", json_number(m->nobjective ? objective_of(r) : NAN));
  for (int k = 0; k < m->nobjective + m->nconstraint; k++) {
    put(r, "", mechanism_quantity(m, k), json_number(m->psi[k]));
    if (m->truth[k].smooths) { put(r, "true ", mechanism_quantity(m, k), json_number(m->truth[k].value)); }
  }
}

/* The largest violation of a limit by true values, of a problem with constraints. */
static void put_violation(run *r) {
  const mechanism *m = r->m;
  double largest = 0;
  if (m->nconstraint == 0) { return; }
  for (int i = 0; i < m->nconstraint; i++) {
    const int k = m->nobjective + i;
    const double c = m->truth[k].smooths ? m->truth[k].value : m->psi[k];
    largest = fmax(largest, fmax(m->c_lower[i] - c, c - m->c_upper[i]));
  }
  put(r, "", "violation", json_number(largest));
  r->tol_constraint = r->config->optimizer.tol_constraint;
}

static void put_gradient(run *r) {
  const mechanism *m = r->m;
  for (int k = 0; k < m->nobjective + m->nconstraint; k++) {
    for (int j = 0; j < m->n; j++) {
      char *key = mbd_sprintf_dup("d %s/d %s", mechanism_quantity(m, k), m->name[j]);
      json_object_set_new(r->column, key, json_number(m->grad[k * m->n + j]));
      free(key);
    }
  }
}

static void put_design(run *r, const char *prefix, const double *x) {
  for (int j = 0; j < r->m->n; j++) { put(r, prefix, r->m->name[j], json_number(x[j])); }
}

/* ---- the tasks ---- */

/* The run continues from a journal with damaged lines. */
static mbd_status on_begin(void *user, const char *damage, mbd_error *err) {
  run *r = user;
  (void)err;
  if (damage) { r->damage = json_pack("{s:s, s:o}", "kind", "journal", "text", json_text(damage)); }
  return MBD_OK;
}

static mbd_status evaluate(run *r, const char *method, mbd_error *err) {
  MBD_TRY(mechanism_evaluate(r->m, r->m->start, method, err));
  put_quantities(r);
  put_violation(r);
  if (strcmp(method, "none") != 0) { put_gradient(r); }
  r->status = "OK";
  return MBD_OK;
}

/* Cases whose objectives nothing asks for are simulated, too: a design is done if all its cases can be simulated. */
static mbd_status simulate(run *r, mbd_error *err) {
  r->m->every_case = 1;
  return evaluate(r, "none", err);
}

static mbd_status gradient(run *r, mbd_error *err) {
  return evaluate(r, r->config->gradient.method, err);
}

static void record(void *user, const mbo_simulation *simulation) {
  run *r = user;
  json_array_append_new(r->simulations,
                        json_pack("[o, o]", json_number(simulation->f), json_number(simulation->violation)));
}

/* Every evaluation as [number of the design, kind, microseconds]; one that failed counts as a simulation, and its time does not count. */
static void record_evaluation(void *user, const mbo_evaluation *v) {
  run *r = user;
  const int timed = v->status == MBD_OK && isfinite(v->seconds);
  json_array_append_new(r->evaluations,
                        json_pack("[i, i, o]", v->number, v->status == MBD_OK ? costs_kind(v->request) : COST_VALUE,
                                  timed ? json_integer(llround(1e6 * v->seconds)) : json_null()));
}

/* Designs of a stage were told by smooth values. Where its result truly violates a limit, they do so as well, as far as is known, and their true objectives are
 * above the smooth ones by as much as that of the result. */
static void record_stages(const run *r, const stages *list) {
  size_t at = 0;
  for (int i = 0; i < list->n; i++) {
    const stage *one = &list->stage[i];
    const double by = stages_violation(r->m, one), above = one->f_true - one->f;
    for (int k = 0; k < one->designs; k++) {
      json_t *pair = json_array_get(r->simulations, at++), *f = json_array_get(pair, 0),
             *violation = json_array_get(pair, 1);
      if (json_is_number(f) && above != 0) { json_array_set_new(pair, 0, json_number(json_number_value(f) + above)); }
      if (json_is_number(violation) && json_number_value(violation) < by) {
        json_array_set_new(pair, 1, json_number(by));
      }
    }
  }
}

/* A design that was rounded to the values of catalogues is no optimum of those beside it, and has no multipliers. */
static const double *multipliers_of(const mbo_result *result) {
  return result->x_continuous ? NULL : result->multipliers;
}

/* A point of a front: its entry in the record, and the slopes of the front there. */
static void put_point(run *r, const mbo_result *result) {
  const pareto_run *p = &r->point;
  const double *multipliers = multipliers_of(result);
  double f[FRONT_OBJECTIVES_MAX];
  const int violated = pareto_values(p, r->m, result->optimality, f);
  const int feasible = !violated && result->violation <= r->tol_constraint;
  r->front = pareto_record(p, r->m, f, multipliers, feasible);
  if (!feasible && result->status == MBO_CONVERGED) { r->status = mbo_status_name(MBO_INFEASIBLE); }
}

static void put_result(run *r, const mbo_result *result) {
  r->status = mbo_status_name(result->status);
  r->message = json_text(result->text);
  r->noise = result->noise, r->optimality = result->optimality;
  const int by_truth = isfinite(r->f_start); /* of the optimizer else, since quantities are rounded in another way */
  put_design(r, "start.", r->m->start);
  put_design(r, "result.", result->x);
  put_quantities(r);
  if (r->point.is) {
    put_point(r, result);
  } else {
    put(r, "", "objective", json_number(by_truth ? r->m->f_true : result->f));
    put(r, "", "objective_at_start", json_number(by_truth ? r->f_start : result->f_start));
  }
  put(r, "", "violation", json_number(result->violation));
  if (result->stages > 1) { put(r, "", "stages", json_integer(result->stages)); }
  put(r, "", "iterations", json_integer(result->iterations));
  put(r, "", "simulations", json_integer(result->evaluations + result->replayed));
  put(r, "", "failed_designs", json_integer(result->failures));
}

/* An optimizer asks whether an iterate is near enough to the front. */
static int is_enough(void *user, const double *x, const mbo_eval *v) {
  run *r = user;
  return pareto_is_enough(&r->point, r->m, r->tol_constraint, r->config->pareto.tolerance, x, v);
}

/* The settings of a point of a front: multipliers to begin with, second derivatives by secants, and where it ends. An anchor has the matrix of Gauss and
 * Newton with the damping that this has. */
static void set_point(run *r, mbo_problem *p, mbo_settings *s) {
  pareto_run *point = &r->point;
  if (point->front.secants && point->front.nrow > 0) {
    s->gauss_newton = s->leave_gauss_newton = 0, s->exact_hessian = 1;
  }
  if (point->front.secants && !r->m->design.nvalues) { s->is_enough = is_enough; }
  mechanism_problem(r->m, p);
  s->multipliers = point->multiplier;
  /* An optimization from a neighbour takes fewer designs than those of the anchors: one that does not has lost its way. */
  enum { DESIGNS_MIN = 100 };
  const int designs = point->designs > DESIGNS_MIN ? point->designs : DESIGNS_MIN;
  if (point->front.nrow > 0 && designs < s->max_evaluations) { s->max_evaluations = designs; }
  if (point->front.nrow > 0) { s->tolerance = fmax(s->tolerance, 10 * r->config->pareto.tolerance); }
}

/* A point of a front that is worse than a known design within its limits: the optimization has ended at another optimum, or not at all. */
static int needs_other_start(const run *r, const mbo_result *result) {
  const int found = isfinite(result->f) && result->violation <= r->tol_constraint;
  return r->point.other && result->status != MBO_INTERRUPTED &&
         (!found || result->f > r->point.other_value + FRONT_SAME);
}

static const char *backend_of(const run *r, const mbo_problem *p) {
  return r->point.front.secants ? pareto_optimizer(r->m) : run_backend(r->config, p);
}

/* Optimizes again from that design, without multipliers, and keeps the better result with the counts of both. */
static mbd_status solve_again(run *r, mbo_problem *p, mbo_settings *s, mbo_result *result, mbd_error *err) {
  stages list = {0};
  mbo_result other = {0};
  memcpy(r->m->design.start, r->point.other, (size_t)r->m->n * sizeof *r->point.other);
  s->multipliers = NULL;
  for (int k = 0; k < r->point.front.nrow; k++) { r->m->c_upper[r->m->nconstraint + k] = r->point.front.limit[k]; }
  const mbd_status status = stages_solve(r->m, backend_of(r, p), p, s, &list, &other, err);
  stages_free(&list);
  const int better = status == MBD_OK && isfinite(other.f) && other.violation <= r->tol_constraint &&
                     (needs_other_start(r, result) && !(result->violation <= r->tol_constraint && result->f < other.f));
  mbo_result *kept = better || other.status == MBO_INTERRUPTED ? &other : result,
             *left = kept == result ? &other : result;
  kept->iterations += left->iterations, kept->evaluations += left->evaluations, kept->failures += left->failures;
  const mbo_result whole = *kept;
  mbo_result_free(left);
  *result = whole;
  return status;
}

/* Native options are passed only to the backend of the run file. */
static mbd_status solve(run *r, mbo_result *result, mbd_error *err) {
  stages list = {0};
  mbo_problem p;
  mbo_settings settings;
  mechanism_problem(r->m, &p);
  mbo_option *options = run_settings(r->config, &p, &settings);
  if (settings.gauss_newton || settings.scale_by_curvature) { choices_gauss_newton(r->m); }
  char print[17];
  unsigned long long hash = 0;
  settings.stop = r->stop;
  settings.simulated = r->point.is ? NULL : record, settings.begin = on_begin, settings.user = r;
  if (r->point.is) { set_point(r, &p, &settings); }
  if (study_value(r->s, STUDY_BACKEND)) {
    r->evaluations = json_array(), settings.evaluated = record_evaluation;
    r->problem = problem_class_json(r->config, &p);
  }
  /* The problem of a point of a front follows from other runs, which can be repeated: only anchors have a journal. Results in lanes depend on the other runs of the
   * batch, with which they are repeated. */
  const int repeats = r->point.front.nrow > 0 || r->point.front.secants || r->s->batch > 1;
  char *journal = repeats ? NULL : runs_journal(r->s, r->i);
  settings.journal = journal, settings.resume = 1, settings.fingerprint = print;
  mbd_status status = options && (journal || repeats) ? MBD_OK : MEMORY_NONE(err, "a run");
  if (status == MBD_OK && journal) { status = runs_make_folder(r->s, r->i, err); }
  if (status == MBD_OK) { status = points_read(&r->s->points, r->i, err); } /* runs in lockstep read other rows */
  if (status == MBD_OK) { status = study_run_hash(r->s, &hash, err); }
  snprintf(print, sizeof print, "%016llx", hash);
  if (status == MBD_OK) { status = stages_solve(r->m, backend_of(r, &p), &p, &settings, &list, result, err); }
  if (status == MBD_OK && needs_other_start(r, result)) { status = solve_again(r, &p, &settings, result, err); }
  if (status == MBD_OK && r->simulations) { record_stages(r, &list); }
  r->staged = list.n > 0;
  stages_free(&list);
  free(options), free(journal);
  return status;
}

static mbd_status judge(run *r, const mbo_result *result, mbd_error *err) {
  if (result->status == MBO_INTERRUPTED) { MBD_FAIL(err, MBD_INTERRUPTED, "told to stop"); }
  if (result->status == MBO_FAILED || result->status == MBO_FAILED_START || result->status == MBO_WRONG_GRADIENT ||
      !isfinite(result->f)) {
    MBD_FAIL(err, MBD_NO_CONVERGENCE, "%s: %s", mbo_status_text(result->status), result->text);
  }
  /* Smooth objectives of runs are compared by true values. */
  if (r->staged) {
    MBD_TRY(mechanism_evaluate(r->m, r->m->start, "none", err));
    if (true_values_differ(r->m)) { r->f_start = r->m->f_true; }
  }
  const double begun = processor_seconds();
  MBD_TRY(mechanism_evaluate(r->m, result->x, "none", err));
  r->alone = processor_seconds() - begun;
  put_result(r, result);
  return r->point.is ? pareto_start_leave(&r->point, r->m, result->x, multipliers_of(result), r->front, err) : MBD_OK;
}

static mbd_status optimize(run *r, mbd_error *err) {
  mbo_result q = {0};
  if (r->m->nobjective == 0) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [objective NAME] or [measurement NAME]; expected at least one to minimize",
             r->config->path);
  }
  if (!r->point.is) { r->simulations = json_array(); }
  r->tol_constraint = r->config->optimizer.tol_constraint;
  mbd_status status = solve(r, &q, err);
  if (status == MBD_OK) { status = judge(r, &q, err); }
  mbo_result_free(&q);
  return status;
}

static const struct {
  const char *name;
  mbd_status (*perform)(run *r, mbd_error *err);
} tasks[] = {{"simulate", simulate}, {"gradient", gradient}, {"optimize", optimize}};

static mbd_status perform(run *r, mbd_error *err) {
  int start, k = 0;
  MBD_TRY(study_configure_row(r->s, r->s->points.value, &r->config, &start, err));
  MBD_TRY(mechanism_create(r->config, &r->m, err));
  r->m->threads = 1;
  r->m->seat = r->seat;
  r->m->stop = r->stop;
  MBD_TRY(starts_apply(r->m, r->s->starts, start, err));
  if (pareto_is(r->s)) { MBD_TRY(pareto_begin(r->s, r->i, r->m, &r->point, err)); }
  const char *decided = study_decided(r->s, r->s->points.value);
  if (decided) { MBD_TRY(mbd_locate(err, choices_take(r->m, decided, err), "%s/study.json: ", r->s->folder)); }
  while (k < 2 && strcmp(tasks[k].name, r->s->task) != 0) { k++; }
  if (r->point.is && r->point.step.minimized < 0) {
    r->front = pareto_record(&r->point, r->m, NULL, NULL, 0);
    r->status = "NOT_NEEDED";
    return MBD_OK;
  }
  return tasks[k].perform(r, err);
}

/* ---- the record ---- */

static json_t *record_json(run *r, const char *error, double seconds) {
  json_t *o = json_object();
  json_object_set_new(o, "status", json_string(r->status));
  if (error) { json_object_set_new(o, "error", json_text(error)); }
  if (r->message) { json_object_set_new(o, "message", r->message); }
  json_object_set_new(o, "columns", r->column);
  if (r->front) { json_object_set_new(o, "front", r->front); }
  if (r->damage && !r->warnings) { r->warnings = json_array(); }
  if (r->damage) { json_array_append_new(r->warnings, r->damage); }
  if (json_array_size(r->warnings) > 0) { json_object_set(o, "warnings", r->warnings); }
  json_decref(r->warnings);
  if (isfinite(r->tol_constraint)) { json_object_set_new(o, "tol_constraint", json_number(r->tol_constraint)); }
  if (r->simulations) { json_object_set_new(o, "simulations", r->simulations); }
  if (r->evaluations) { json_object_set_new(o, "evaluations", r->evaluations); }
  if (r->problem) { json_object_set_new(o, "problem", r->problem); }
  if (r->evaluations && isfinite(r->alone)) { json_object_set_new(o, "simulation_seconds", json_number(r->alone)); }
  if (isfinite(r->noise)) { json_object_set_new(o, "noise", json_number(r->noise)); }
  if (isfinite(r->optimality)) { json_object_set_new(o, "optimality", json_number(r->optimality)); }
  if (isfinite(seconds)) { json_object_set_new(o, "seconds", json_number(seconds)); }
  if (r->s->batch > 1) { json_object_set_new(o, "in_lanes", lockstep_counts_json(r->in_lanes)); }
  return o;
}

static run unfinished(study *s, long i) {
  return (run){.s = s,
               .i = i,
               .status = "FAILED",
               .tol_constraint = NAN,
               .f_start = NAN,
               .noise = NAN,
               .optimality = NAN,
               .alone = NAN};
}

/* Reads the row, performs the task, and makes the record of result or reason; a run that was interrupted has none. */
static mbd_status do_one(study *s, long i, struct lockstep_seat *seat, const volatile sig_atomic_t *stop,
                         runs_state *state, json_t **record, mbd_error *err) {
  run r = unfinished(s, i);
  mbd_error why = {0};
  const double begun = seconds_now();
  r.stop = stop, r.seat = seat;
  MBD_TRY(points_read(&s->points, i, err));
  r.column = json_object();
  put_row(&r);
  mbd_status status = perform(&r, &why);
  if (status == MBD_OK) { r.warnings = warnings_json(r.m); }
  if (r.m) { r.in_lanes = mechanism_lanes(r.m); }
  if (pareto_is(s) && !r.front && r.m && r.point.numbers) { r.front = pareto_record(&r.point, r.m, NULL, NULL, 0); }
  mechanism_destroy(r.m);
  mbo_run_config_destroy(r.config);
  pareto_end(&r.point);
  *state = status == MBD_OK ? RUN_DONE : RUN_FAILED;
  json_t *o = record_json(&r, status == MBD_OK ? NULL : why.text, seconds_now() - begun);
  /* a record of which something is missing is none; of this thread, as runs in lanes have their own */
  if (status != MBD_NO_MEMORY && mbd_memory_lost() > 0) { status = MEMORY_NONE(&why, "run %ld of %s", i, s->folder); }
  if (status == MBD_INTERRUPTED || status == MBD_NO_MEMORY || (*stop && status != MBD_OK)) {
    json_decref(o);
    if (err) { *err = why; }
    return status == MBD_NO_MEMORY ? status : MBD_INTERRUPTED;
  }
  *record = o;
  return MBD_OK;
}

/* The runs of a batch. */
typedef struct batch {
  study *s;
  long first;
  const volatile sig_atomic_t *stop;
  runs_state *state;
  json_t *record[STUDY_BATCH_MAX];
  mbd_status status[STUDY_BATCH_MAX];
  mbd_error error[STUDY_BATCH_MAX];
} batch;

static void do_one_of(void *user, int k, struct lockstep_seat *seat) {
  batch *b = user;
  b->status[k] = do_one(b->s, b->first + k, seat, b->stop, &b->state[k], &b->record[k], &b->error[k]);
}

/* The time of the batch in equal parts: its runs wait for each other. */
static void share_seconds(batch *b, int n, double seconds) {
  for (int k = 0; k < n; k++) {
    if (b->record[k]) { json_object_set_new(b->record[k], "seconds", json_number(seconds / n)); }
  }
}

mbd_status run_do(study *s, long first, long last, const volatile sig_atomic_t *stop, runs_state *state,
                  mbd_error *err) {
  batch b = {.s = s, .first = first, .stop = stop, .state = state};
  const int n = (int)(last - first);
  const double begun = seconds_now();
  int failed = -1;
  if (s->batch > 1) {
    if (!s->lockstep) {
      MBD_TRY(mbd_locate(err, lockstep_create(s->batch, &s->lockstep, err),
                         "%s: its runs are done in lanes (--lanes 1 begins a study without): ", s->folder));
    }
    lockstep_each(s->lockstep, n, do_one_of, &b);
    share_seconds(&b, n, seconds_now() - begun);
  } else {
    do_one_of(&b, 0, NULL);
  }
  for (int k = n - 1; k >= 0; k--) { failed = b.status[k] != MBD_OK ? k : failed; }
  if (failed < 0) { return runs_write_batch(s, first, n, state, b.record, err); }
  for (int k = 0; k < n; k++) { json_decref(b.record[k]); }
  if (err) { *err = b.error[failed]; }
  return b.status[failed];
}

mbd_status run_fail(study *s, long i, const char *reason, mbd_error *err) {
  run r = unfinished(s, i);
  MBD_TRY(points_read(&s->points, i, err));
  r.column = json_object();
  put_row(&r);
  return runs_write(s, i, RUN_FAILED, record_json(&r, reason, NAN), err);
}
