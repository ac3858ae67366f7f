#include "study/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/run_settings.h"
#include "base/nearest.h"
#include "files/json.h"
#include "files/memory.h"
#include "mechanism/true_values.h"
#include "study/pareto_start.h"
#include "study/study_row.h"

/* ---- the study ---- */

study_plan pareto_plan(const mbo_run_config *c, int nset, const char *const *set, int *n) {
  static char name[] = "point", none[] = "";
  static const study_column column = {name, STUDY_POINT, none};
  *n = c->pareto.points;
  return study_plan_numbered("pareto", &column, c, nset, set, n);
}

int pareto_is(const study *s) {
  return strcmp(s->kind, "pareto") == 0;
}

int pareto_objectives(const mbo_run_config *c) {
  return c->pareto.objectives.n ? c->pareto.objectives.n : c->nobjective;
}

static int find_objective(const mbo_run_config *c, const char *name) {
  for (int i = 0; i < c->nobjective; i++) {
    if (strcmp(c->objective[i].name, name) == 0) { return i; }
  }
  return -1;
}

int pareto_objective(const mbo_run_config *c, int i) {
  return c->pareto.objectives.n ? find_objective(c, c->pareto.objectives.v[i]) : i;
}

/* Is objective j of the run file one of the front? */
static int is_on_front(const mbo_run_config *c, int j) {
  for (int i = 0; i < pareto_objectives(c); i++) {
    if (pareto_objective(c, i) == j) { return 1; }
  }
  return 0;
}

/* The names of [pareto] are those of different objectives. */
static mbd_status check_names(const mbo_run_config *c, mbd_error *err) {
  const mbo_names *named = &c->pareto.objectives;
  for (int i = 0; i < named->n; i++) {
    mbd_nearest near = {.requested = named->v[i]};
    if (find_objective(c, named->v[i]) < 0) {
      for (int k = 0; k < c->nobjective; k++) { mbd_nearest_offer(&near, c->objective[k].name); }
      return mbd_locate(err, mbd_not_known("[pareto] objectives", "objective", &near, err), "%s: ", c->path);
    }
    for (int k = 0; k < i; k++) {
      if (strcmp(named->v[i], named->v[k]) != 0) { continue; }
      MBD_FAIL(err, MBD_BAD_INPUT, "%s: [pareto] objectives: '%s' is there twice", c->path, named->v[i]);
    }
  }
  return MBD_OK;
}

/* The optimizer of all points; of anchors unless they have secants. */
static void find_optimizer(mechanism *m, mbo_backend_info *info) {
  mbo_problem p;
  mechanism_problem(m, &p);
  p.nc += p.nc == 0;
  const char *backend = run_backend(m->config, &p);
  for (int i = 0; mbo_backend_at(i, info) && strcmp(info->name, backend) != 0; i++) {}
}

const char *pareto_optimizer(mechanism *m) {
  mbo_backend_info info;
  find_optimizer(m, &info);
  return info.name;
}

/* Does it take second derivatives by secants? */
static int takes_secants(mechanism *m) {
  const char *hessian = m->config->optimizer.hessian;
  mbo_backend_info info;
  find_optimizer(m, &info);
  return (info.caps & MBO_CAP_HESSIAN) && mechanism_has_gauss_newton(m) && m->n <= DIRECT_MAX &&
         (strcmp(hessian, "auto") == 0 || strcmp(hessian, "gauss_newton") == 0);
}

static mbd_status check_optimizer(mechanism *m, mbd_error *err) {
  mbo_backend_info info;
  find_optimizer(m, &info);
  if (!(info.caps & MBO_CAP_CONSTRAINTS)) {
    MBD_FAIL(
        err, MBD_UNSUPPORTED,
        "%s: [optimizer] backend = %s takes no constraints, by which the points of a front are found; expected auto, "
        "ipopt, or nlopt with an algorithm for constraints",
        m->config->path, info.name);
  }
  return MBD_OK;
}

mbd_status pareto_check(mechanism *m, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const int n = pareto_objectives(c);
  MBD_TRY(check_names(c, err));
  if (n < 2 || n > FRONT_OBJECTIVES_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "%s: %s %d objective%s; expected a front of two or three, `objectives = A, B` in [pareto]", c->path,
             c->pareto.objectives.n ? "[pareto] names" : "the file has", n, n == 1 ? "" : "s");
  }
  if (c->pareto.points < n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: [pareto] points = %d, expected at least %d, one for each objective", c->path,
             c->pareto.points, n);
  }
  for (int i = 0; i < n; i++) {
    const mbo_objective_config *o = &c->objective[pareto_objective(c, i)];
    if (o->weight == 0) {
      MBD_FAIL(
          err, MBD_BAD_INPUT,
          "%s: [objective %s] has the weight 0, so that it is neither minimized nor maximized; expected another one",
          c->path, o->name);
    }
  }
  if (n < c->nobjective && strcmp(c->objectives.combine, "sum") != 0) {
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s: [objectives] combine = %s: objectives that [pareto] does not name are added to the first one it names; "
        "expected combine = sum, or all objectives in [pareto]",
        c->path, c->objectives.combine);
  }
  return check_optimizer(m, err);
}

/* ---- the points that are known ---- */

/* A text of all that determines a point beside its number: equal for equal steps. */
static json_t *step_json(const front_step *step, int m) {
  json_t *rows = json_array();
  for (int j = 0; j < step->nlimit; j++) { json_array_append_new(rows, json_numbers(step->row[j], m)); }
  return json_pack("{s:i, s:[i,i], s:[i,i], s:f, s:f, s:i, s:o, s:o, s:o}", "minimized", step->minimized, "from",
                   step->from[0], step->from[1], "outer", step->outer[0], step->outer[1], "ahead", step->ahead, "band",
                   step->band, "beyond", step->beyond, "rows", rows, "limits", json_numbers(step->limit, step->nlimit),
                   "estimates", json_numbers(step->multiplier, step->nlimit));
}

static int belongs_to(const json_t *record, const front_step *step, int m) {
  json_t *own = step_json(step, m);
  const int same = json_equal(json_object_get(json_object_get(record, "front"), "step"), own);
  json_decref(own);
  return same;
}

/* Takes the record of point i. */
static void take(front *f, int i, runs_state state, const json_t *record) {
  const json_t *o = json_object_get(record, "front");
  const front_step *step = &f->point[i].step;
  double value[FRONT_OBJECTIVES_MAX], multiplier[FRONT_LIMITS_MAX];
  if (step->minimized < 0) {
    f->point[i].state = FRONT_NOT_NEEDED;
    return;
  }
  if (state == RUN_FAILED) {
    f->point[i].state = FRONT_FAILED;
    return;
  }
  pareto_numbers(o, "objectives", f->m, value);
  pareto_numbers(o, "multipliers", step->nlimit, multiplier);
  const char *status = json_string_value(json_object_get(record, "status"));
  front_take(f, i, value, multiplier);
  f->point[i].moves = json_array_size(json_object_get(o, "move")) > 0;
  f->point[i].stopped = status && strcmp(status, mbo_status_name(MBO_STOPPED_LIMIT)) == 0;
  if (!json_is_true(json_object_get(o, "feasible"))) { f->point[i].state = FRONT_INFEASIBLE; }
}

/* Reads a record if it belongs to the step that is planned for it. */
static mbd_status read_point(study *s, const front *f, long i, runs_state *state, json_t **record, mbd_error *err) {
  MBD_TRY(runs_read(s, i, state, record, err));
  const front_step *step = &f->point[i].step;
  /* A failure has no step where it was found by the engine. */
  const int named = json_object_get(json_object_get(*record, "front"), "step") != NULL;
  if (*record && (named || *state == RUN_DONE) && !belongs_to(*record, step, f->m)) {
    json_decref(*record);
    *record = NULL, *state = RUN_MISSING;
  }
  return MBD_OK;
}

/* Takes the points of the wave from `first` on; *whole: 1 if all are known. */
static mbd_status take_wave(study *s, front *f, long first, int *whole, mbd_error *err) {
  *whole = 1;
  for (long i = first; i < f->planned; i++) {
    runs_state state;
    json_t *record;
    MBD_TRY(read_point(s, f, i, &state, &record, err));
    if (record) {
      take(f, (int)i, state, record);
    } else {
      *whole = 0;
    }
    json_decref(record);
  }
  return MEMORY_WHOLE(err, "the front in %s", s->folder);
}

/* The number of objectives: from the run file; from the first point where that has changed since. */
static mbd_status count_objectives(study *s, int *m, mbd_error *err) {
  runs_state state;
  json_t *record;
  if (s->config) {
    *m = pareto_objectives(s->config);
    return MBD_OK;
  }
  MBD_TRY(runs_read(s, 0, &state, &record, err));
  *m = (int)json_array_size(json_object_get(json_object_get(record, "front"), "names"));
  json_decref(record);
  if (*m < 2 || *m > FRONT_OBJECTIVES_MAX) { *m = 2; } /* there are no points */
  return MBD_OK;
}

mbd_status pareto_read(study *s, front *f, mbd_error *err) {
  int m;
  MBD_TRY(count_objectives(s, &m, err));
  MBD_TRY(front_create(m, (int)s->n, f, err));
  for (int whole = 1; whole && front_plan(f);) {
    int first = f->planned;
    while (first > 0 && f->point[first - 1].wave == f->waves - 1) { first--; }
    MBD_TRY(MEMORY_WHOLE(err, "the front in %s", s->folder));
    MBD_TRY(take_wave(s, f, first, &whole, err));
  }
  front_classify(f);
  return MEMORY_WHOLE(err, "the front in %s", s->folder);
}

/* ---- as it is shown ---- */

static mbd_status open_front(study *s, pareto_front *p, mbd_error *err) {
  front *f = &p->front;
  runs_state state;
  json_t *record = NULL;
  p->knee = -1;
  MBD_TRY(pareto_read(s, f, err));
  p->order = mbd_zeros((size_t)f->n, sizeof *p->order);
  MEMORY_TRY(p->order, err, "the front in %s", s->folder);
  p->nefficient = front_order(f, p->order);
  p->knee = front_knee(f, &p->distance);
  /* Names and weights: those of any record. */
  for (long i = 0; i < f->planned && !p->name[0]; i++) {
    MBD_TRY(runs_read(s, i, &state, &record, err));
    const json_t *o = json_object_get(record, "front"), *names = json_object_get(o, "names");
    for (int k = 0; k < f->m && json_array_size(names) == (size_t)f->m; k++) {
      p->name[k] = mbd_strdup(json_string_value(json_array_get(names, (size_t)k)));
    }
    pareto_numbers(o, "weights", f->m, p->weight);
    json_decref(record);
  }
  for (int k = 0; k < f->m; k++) {
    if (!p->name[k]) { p->name[k] = mbd_sprintf_dup("objective %d", k + 1); }
  }
  return MEMORY_WHOLE(err, "the front in %s", s->folder);
}

mbd_status pareto_open(study *s, pareto_front *p, mbd_error *err) {
  *p = (pareto_front){0};
  return open_front(s, p, err);
}

void pareto_close(pareto_front *p) {
  for (int k = 0; k < FRONT_OBJECTIVES_MAX; k++) { free(p->name[k]); }
  free(p->order);
  front_free(&p->front);
  *p = (pareto_front){0};
}

double pareto_value(const pareto_front *p, int point, int objective) {
  return p->front.point[point].f[objective] / p->weight[objective];
}

double pareto_slope(const pareto_front *p, int point, int i, int j) {
  return front_slope(&p->front, point, i, j) * p->weight[j] / p->weight[i];
}

void pareto_put(const pareto_front *p, long i, const json_t *record) {
  if (i >= p->front.n) { return; }
  json_t *columns = json_object_get(record, "columns");
  const int last = p->front.m - 1;
  json_object_set_new(columns, "front", json_string(front_state_name(p->front.point[i].state)));
  for (int k = 0; k < last; k++) {
    char *name = mbd_sprintf_dup("d %s/d %s", p->name[last], p->name[k]);
    if (name) { json_object_set_new(columns, name, json_number(pareto_slope(p, (int)i, last, k))); }
    free(name);
  }
}

int pareto_has_gap(const pareto_front *p, int point, int next) {
  return front_has_gap(&p->front, point, next);
}

/* ---- wave by wave ---- */

/* Forgets records of the wave [first, f->planned) that belong to other steps. */
static mbd_status remove_others(study *s, const front *f, long first, mbd_error *err) {
  for (long i = first; i < f->planned; i++) {
    runs_state found, kept;
    json_t *any, *own;
    MBD_TRY(runs_read(s, i, &found, &any, err));
    MBD_TRY(read_point(s, f, i, &kept, &own, err));
    char *journal = any && !own ? runs_journal(s, i) : NULL;
    const mbd_status status = journal ? runs_forget(s, i, err) : MBD_OK;
    if (journal) { unlink(journal); }
    free(journal);
    json_decref(any), json_decref(own);
    MBD_TRY(status);
  }
  return MEMORY_WHOLE(err, "the front in %s", s->folder);
}

/* The progress of a wave as that of the whole. */
typedef struct whole_progress {
  const engine_task *t;
  long before_done, before_failed;
  double seconds;
  engine_progress last;
} whole_progress;

static void on_progress(void *user, const engine_progress *now) {
  whole_progress *w = user;
  const engine_task *t = w->t;
  w->last = *now;
  w->last.total = t->last - t->first, w->last.done += w->before_done, w->last.failed += w->before_failed;
  w->last.seconds += w->seconds;
  const long present = now->done + now->failed, left = w->last.total - w->last.done - w->last.failed;
  w->last.left = present > 0 ? now->seconds * (double)left / (double)present : NAN;
  if (t->progress) { t->progress(t->user, &w->last); }
}

mbd_status pareto_perform(const engine_ops *engine, const engine_task *t, engine_progress *p, mbd_error *err) {
  whole_progress w = {.t = t};
  front f = {0};
  mbd_status status = MBD_OK;
  for (long first = t->first; status == MBD_OK && first < t->last;) {
    engine_task wave = *t;
    engine_progress part = {0};
    front_free(&f);
    status = pareto_read(t->s, &f, err);
    if (status != MBD_OK) { break; }
    /* the wave that begins here: those before it are known */
    long last = first;
    while (last < f.planned && f.point[last].wave == f.point[first].wave) { last++; }
    if (last == first) { /* what was written is of another front */
      status =
          MBD_FAILED(err, MBD_BAD_INPUT,
                     "%s: point %ld does not follow from the points that are there; expected results of this front "
                     "alone: give another folder by --output",
                     t->s->folder, first);
      break;
    }
    status = remove_others(t->s, &f, first, err);
    if (status != MBD_OK) { break; }
    wave.first = first, wave.last = last, wave.progress = on_progress, wave.user = &w;
    status = engine->perform(&wave, &part, err);
    w.before_done += part.done, w.before_failed += part.failed, w.seconds += part.seconds;
    first = last;
  }
  front_free(&f);
  *p = w.last;
  return status;
}

/* ---- one run ---- */

/* f_i as sums of the objectives of the run file, with their weights: each by itself, and all others with the first. */
static void find_sums(const mbo_run_config *c, pareto_run *r) {
  for (int i = 0; i < r->m; i++) {
    const int own = pareto_objective(c, i);
    for (int j = 0; j < c->nobjective; j++) {
      r->sum[i * c->nobjective + j] = j == own || (i == 0 && !is_on_front(c, j)) ? c->objective[j].weight : 0;
    }
  }
}

/* The step in objectives of the run file: weights of what is minimized, rows and limits. */
static void find_problem(const mbo_run_config *c, pareto_run *r, double *weight, double *row) {
  const front_step *step = &r->step;
  const int n = c->nobjective;
  for (int j = 0; j < n; j++) { weight[j] = r->sum[step->minimized * n + j] / r->size[step->minimized]; }
  for (int k = 0; k < step->nlimit; k++) {
    r->front.limit[k] = step->limit[k];
    for (int i = 0; i < r->m; i++) {
      r->front.limit[k] += step->row[k][i] * r->offset[i] / r->size[i];
      for (int j = 0; j < n; j++) { row[k * n + j] += step->row[k][i] * r->sum[i * n + j] / r->size[i]; }
    }
  }
  r->front.weight = weight, r->front.row = row, r->front.nrow = step->nlimit;
}

/* Designs of all anchors. */
static mbd_status count_designs(study *s, const front *f, int *designs, mbd_error *err) {
  *designs = 0;
  for (int i = 0; i < f->m; i++) {
    runs_state state;
    json_t *record;
    MBD_TRY(runs_read(s, i, &state, &record, err));
    const double one = runs_number(record, "simulations");
    *designs += isfinite(one) ? (int)one : 0;
    json_decref(record);
  }
  return MBD_OK;
}

static mbd_status begin(study *s, long i, mechanism *m, const front *f, pareto_run *r, mbd_error *err) {
  const mbo_run_config *c = m->config;
  const size_t n = (size_t)m->n, nobjective = (size_t)c->nobjective, nc = (size_t)m->nconstraint + FRONT_LIMITS_MAX;
  if (i >= f->planned) { MBD_FAIL(err, MBD_BAD_INPUT, "point %ld follows from points that are not there yet", i); }
  r->step = f->point[i].step, r->wave = f->point[i].wave;
  r->other_value = r->first = NAN;
  r->numbers =
      mbd_zeros((FRONT_OBJECTIVES_MAX + 1 + FRONT_LIMITS_MAX) * nobjective + 5 * nc + 14 * n, sizeof *r->numbers);
  MEMORY_TRY(r->numbers, err, "the front in %s", s->folder);
  double *weight = r->numbers, *row = weight + nobjective;
  r->sum = row + FRONT_LIMITS_MAX * nobjective;
  r->multiplier = r->sum + FRONT_OBJECTIVES_MAX * nobjective, r->other = r->multiplier + nc;
  r->ends = r->other + n;
  /* the problem, unless the point is not needed */
  const int is_anchor = r->step.nlimit == 0;
  for (int k = 0; k < r->m; k++) {
    r->offset[k] = is_anchor ? 0 : f->low[k], r->size[k] = is_anchor ? 1 : f->high[k] - f->low[k];
  }
  find_sums(c, r);
  if (r->step.minimized < 0) { return MBD_OK; }
  find_problem(c, r, weight, row);
  if (takes_secants(m)) { MBD_TRY(secants_create(m->n, m->nobjective, &r->secants, err)); }
  if (!is_anchor) {
    MBD_TRY(pareto_start_find(s, m, f, r, err));
    MBD_TRY(count_designs(s, f, &r->designs, err));
  }
  MBD_TRY(mechanism_take_front(m, &r->front, err));
  if (r->secants.n > 0) { r->front.secants = &r->secants; }
  if (is_anchor || r->step.beyond >= 0) { r->multiplier = NULL; }
  if (isnan(r->other_value)) { r->other = NULL; }
  return MBD_OK;
}

mbd_status pareto_begin(study *s, long i, mechanism *m, pareto_run *r, mbd_error *err) {
  front f = {0};
  r->is = 1, r->m = pareto_objectives(m->config);
  mbd_status status = pareto_read(s, &f, err);
  if (status == MBD_OK) { status = begin(s, i, m, &f, r, err); }
  front_free(&f);
  const mbd_status row = points_read(&s->points, i, status == MBD_OK ? err : NULL);
  return status == MBD_OK ? row : status;
}

void pareto_end(pareto_run *r) {
  free(r->numbers);
  secants_free(&r->secants);
  *r = (pareto_run){0};
}

int pareto_values(const pareto_run *r, const mechanism *m, double tol, double *f) {
  int violated = 0;
  for (int i = 0; i < r->m; i++) {
    f[i] = 0;
    for (int j = 0; j < m->nobjective; j++) {
      const double weight = r->sum[i * m->nobjective + j];
      if (weight != 0) { f[i] += weight * (m->truth[j].smooths ? m->truth[j].value : m->psi[j]); }
    }
  }
  /* Limits hold for what the optimizer sees, which can be smooth. */
  for (int k = 0; k < r->front.nrow; k++) {
    double sum = 0;
    for (int j = 0; j < m->nobjective; j++) { sum += r->front.row[k * m->nobjective + j] * m->psi[j]; }
    violated |= !(sum <= r->front.limit[k] + r->step.band + fmax(tol, FRONT_SAME));
  }
  return violated;
}

json_t *pareto_record(const pareto_run *r, const mechanism *m, const double *f, const double *multiplier,
                      int feasible) {
  json_t *names = json_array(), *weights = json_array();
  for (int i = 0; i < r->m; i++) {
    const mbo_objective_config *o = &m->config->objective[pareto_objective(m->config, i)];
    const int whole = i > 0 || r->m == m->nobjective;
    json_array_append_new(names, json_own_text(mbd_sprintf_dup("%s%s", o->name, whole ? "" : " and others")));
    json_array_append_new(weights, json_real(o->weight));
  }
  return json_pack("{s:o, s:o, s:i, s:o, s:b, s:o, s:o, s:o}", "names", names, "weights", weights, "wave", r->wave,
                   "step", step_json(&r->step, r->m), "feasible", feasible, "objectives",
                   f ? json_numbers(f, r->m) : json_array(), "multipliers",
                   multiplier ? json_numbers(multiplier + m->nconstraint, r->step.nlimit) : json_array(),
                   "constraint_multipliers", multiplier ? json_numbers(multiplier, m->nconstraint) : json_array());
}
