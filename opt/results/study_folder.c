#include "results/study_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/json.h"
#include "mbd/version.h"
#include "mbo/backend.h"
#include "results/results.h"
#include "study/multistart.h"

/* Returns 1 if both have the same load cases with the same outputs, and the same quantities. */
static int comparable(const mechanism *a, const mechanism *b) {
  int same = a->ncase == b->ncase && a->nobjective == b->nobjective && a->nconstraint == b->nconstraint;
  for (int i = 0; same && i < a->ncase; i++) {
    const mbd_outputs *outputs = a->cases[i].outputs, *q = b->cases[i].outputs;
    same = mbd_outputs_count(outputs) == mbd_outputs_count(q);
    for (int k = 0; same && k < mbd_outputs_count(outputs); k++) {
      same = strcmp(mbd_outputs_name(outputs, k), mbd_outputs_name(q, k)) == 0;
    }
  }
  return same;
}

/* The final design of the run: from the record of an optimization, else its start. */
static mbd_status find_final(const study_data *d, run_folder *f, long run, mbd_error *err) {
  json_t *o = NULL;
  f->final = mbd_zeros((size_t)f->m->n, sizeof *f->final);
  if (d->optimize) { MBD_TRY(study_data_run(d, run, &o, err)); }
  for (int j = 0; f->final && j < f->m->n; j++) {
    f->final[j] = o ? runs_number_in(o, "result.", f->m->name[j]) : f->m->start[j];
  }
  json_decref(o);
  return MEMORY_WHOLE(err, "a run of the study");
}

/* Beside the run file's own values; or, if the two cannot be compared, as a simulation without a reference. */
static mbd_status beside_run_file(const study_data *d, run_folder *f, mbd_error *err) {
  f->before = "run file", f->after = "best run";
  MBD_TRY(mechanism_create(d->s->config, &f->reference, err));
  f->reference->stop = d->m->stop;
  if (comparable(f->m, f->reference)) { return MBD_OK; }
  memcpy(f->m->design.start, f->final, (size_t)f->m->n * sizeof *f->final);
  free(f->final), mechanism_destroy(f->reference);
  f->final = NULL, f->reference = NULL;
  f->kind = RUN_SIMULATE;
  return MBD_OK;
}

/* Without a Gauss-Newton matrix the page has no section about it, and no message. */
static mbd_status beside_start(run_folder *f, mbd_error *err) {
  mbo_problem p;
  flat_directions v;
  f->before = "start", f->after = "best run";
  mechanism_problem(f->m, &p);
  MBD_TRY(results_look_around(&p, f->final, &v, err));
  if (v.n) { f->flat_directions = results_flat_directions(f->m, &v); }
  flat_directions_destroy(&v);
  return MBD_OK;
}

static mbd_status fill(const study_data *d, run_folder *f, long run, int *start, mbd_error *err) {
  const char *problem;
  f->path = mbd_strdup(d->s->folder);
  MBD_TRY(study_configure(d->s, run, &f->config, start, err));
  problem = study_value(d->s, STUDY_PROBLEM);
  f->run_file = mbd_strdup(d->s->origin[problem ? atoi(problem) - 1 : 0]);
  MBD_TRY(mechanism_create(f->config, &f->m, err));
  f->m->stop = d->m->stop;
  return find_final(d, f, run, err);
}

mbd_status study_folder_best(const study_data *d, run_folder **out, mbd_error *err) {
  *out = NULL;
  const long run = study_data_shown(d);
  if (!d->m || run < 0 || (d->kind == KIND_COMPARE && d->comparison.n == 0)) { return MBD_OK; }
  run_folder *f = mbd_zeros(1, sizeof *f);
  MEMORY_TRY(f, err, "a run of the study");
  int start;
  mbd_status status = fill(d, f, run, &start, err);
  if (status == MBD_OK) { status = d->kind == KIND_SWEEP ? beside_run_file(d, f, err) : beside_start(f, err); }
  if (d->kind == KIND_PARETO) { f->after = d->front.knee >= 0 ? "knee" : "first point"; }
  if (status != MBD_OK) { run_folder_close(f); }
  *out = status == MBD_OK ? f : NULL;
  return status;
}

/* ---- any run ---- */

static json_t *copy_of(const json_t *o, const char *key) {
  json_t *v = json_object_get(o, key);
  return v ? json_incref(v) : json_null();
}

/* The contents of result.json, as an optimization writes it, from the record of a run. */
static json_t *result_of(const run_folder *f, const json_t *o) {
  const json_t *columns = json_object_get(o, "columns");
  const char *state = json_string_value(json_object_get(o, "status"));
  const char *words = state ? state : "";
  for (int k = MBO_CONVERGED; state && k <= MBO_FAILED; k++) {
    if (strcmp(mbo_status_name((mbo_status)k), state) == 0) { words = mbo_status_text((mbo_status)k); }
  }
  return json_pack("{s:o, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mbopt",
                   json_text(MBD_VERSION), "status", copy_of(o, "status"), "status_text", words, "backend_text",
                   copy_of(o, "message"), "backend", f->config->optimizer.backend, "algorithm",
                   f->config->optimizer.algorithm, "objective", copy_of(columns, "objective"), "objective_at_start",
                   copy_of(columns, "objective_at_start"), "violation", copy_of(columns, "violation"), "iterations",
                   copy_of(columns, "iterations"), "evaluations", copy_of(columns, "simulations"), "failed_designs",
                   copy_of(columns, "failed_designs"), "warnings", copy_of(o, "warnings"), "seconds",
                   copy_of(o, "seconds"), "simulations", copy_of(o, "simulations"), "tol_constraint",
                   copy_of(o, "tol_constraint"));
}

/* Reports why a run has no page. */
static mbd_status not_done(const study_data *d, long run, runs_state state, const json_t *o, mbd_error *err) {
  const char *why = json_string_value(json_object_get(o, "error"));
  if (state == RUN_MISSING) { MBD_FAIL(err, MBD_BAD_INPUT, "run %ld of %s is not done yet", run, d->s->folder); }
  MBD_FAIL(err, MBD_BAD_INPUT, "run %ld of %s failed: %s", run, d->s->folder, why ? why : "the reason is not known");
}

static mbd_status fill_run(const study_data *d, run_folder *f, long run, const json_t *o, mbd_error *err) {
  int start = 0;
  const double written = json_number_in(o, "written");
  f->kind = d->optimize ? RUN_OPTIMIZE : RUN_SIMULATE;
  f->written = isfinite(written) ? (time_t)written : d->written;
  f->before = "start", f->after = "result";
  /* Its configuration, title and values. */
  MBD_TRY(fill(d, f, run, &start, err));
  f->values = study_data_values(d->s);
  f->title = mbd_sprintf_dup("run %ld of the %s", run,
                             d->kind == KIND_COMPARE  ? "comparison"
                             : d->kind == KIND_PARETO ? "front"
                                                      : d->s->kind);
  /* A simulation stands beside the run file; an optimization has a start of its own, and a result. */
  if (!d->optimize) {
    MBD_TRY(beside_run_file(d, f, err));
    *(f->final ? &f->after : &f->before) = "this run";
    return MEMORY_WHOLE(err, "a run of the study");
  }
  MBD_TRY(starts_apply(f->m, d->s->starts, start, err));
  f->result = result_of(f, o);
  return f->result ? MEMORY_WHOLE(err, "a run of the study") : MEMORY_NONE(err, "a run of the study");
}

/* Checks that the run exists and is done, and makes its folder from the record. */
mbd_status study_folder_run(const study_data *d, long run, run_folder **out, mbd_error *err) {
  runs_state state;
  json_t *o = NULL;
  *out = NULL;
  if (!d->m) {
    *err = d->changed;
    return err->code;
  }
  if (run < 0 || run >= d->s->n) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s has no run %ld: expected 0 to %ld", d->s->folder, run, d->s->n - 1);
  }
  MBD_TRY(runs_read(d->s, run, &state, &o, err));
  run_folder *f = state == RUN_DONE ? mbd_zeros(1, sizeof *f) : NULL;
  mbd_status status = f                   ? fill_run(d, f, run, o, err)
                      : state == RUN_DONE ? MEMORY_NONE(err, "a run of the study")
                                          : not_done(d, run, state, o, err);
  json_decref(o);
  if (status != MBD_OK) { run_folder_close(f); }
  *out = status == MBD_OK ? f : NULL;
  return status;
}
