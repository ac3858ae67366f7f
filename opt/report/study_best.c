#include "report/study_best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the best run");
}

/* Do both have the same load cases with the same outputs, and the same quantities? */
static int comparable(const mechanism *a, const mechanism *b) {
  int same = a->ncase == b->ncase && a->nobjective == b->nobjective && a->nconstraint == b->nconstraint;
  for (int i = 0; same && i < a->ncase; i++) {
    const mbd_outputs *p = a->cases[i].outputs, *q = b->cases[i].outputs;
    same = mbd_outputs_count(p) == mbd_outputs_count(q);
    for (int k = 0; same && k < mbd_outputs_count(p); k++) {
      same = strcmp(mbd_outputs_name(p, k), mbd_outputs_name(q, k)) == 0;
    }
  }
  return same;
}

/* Where the run's design ended: of an optimization from its record, else where it began. */
static mbd_status find_final(const study_data *d, run_folder *f, long run, mbd_error *err) {
  json_t *o = NULL;
  f->final = calloc((size_t)f->m->n + 1, sizeof *f->final);
  if (!f->final) { return no_memory(err); }
  if (d->optimize) { MBD_TRY(study_data_run(d, run, &o, err)); }
  for (int j = 0; j < f->m->n; j++) {
    char *column = mbd_sprintf_dup("result.%s", f->m->name[j]);
    if (!column) {
      json_decref(o);
      return no_memory(err);
    }
    f->final[j] = o ? runs_number(o, column) : f->m->start[j];
    free(column);
  }
  json_decref(o);
  return MBD_OK;
}

/* Nothing stands beside it: it is a simulation of its own. */
static void alone(run_folder *f) {
  memcpy(f->m->design.start, f->final, (size_t)f->m->n * sizeof *f->final);
  free(f->final), mechanism_destroy(f->reference);
  f->final = NULL, f->reference = NULL;
  f->kind = RUN_SIMULATE;
}

static mbd_status beside_run_file(const study_data *d, run_folder *f, mbd_error *err) {
  f->before = "run file", f->after = "best run";
  MBD_TRY(mechanism_create(d->s->config, &f->reference, err));
  f->reference->stop = d->m->stop;
  if (!comparable(f->m, f->reference)) { alone(f); }
  return MBD_OK;
}

/* Without a Gauss-Newton matrix the page has no section about it, and no message. */
static mbd_status beside_start(run_folder *f, mbd_error *err) {
  mbo_problem p;
  mbd_error why = {0};
  f->before = "start", f->after = "best run";
  if (f->m->n > VALLEY_MOST) { return MBD_OK; }
  mechanism_problem(f->m, &p);
  if (valley_create(&p, f->final, &f->valley, &why) != MBD_NO_MEMORY) { return MBD_OK; }
  *err = why;
  return MBD_NO_MEMORY;
}

static mbd_status fill(const study_data *d, run_folder *f, long run, mbd_error *err) {
  int start;
  f->path = mbd_strdup(d->s->folder), f->run_file = mbd_strdup(d->s->origin[0]);
  if (!f->path || !f->run_file) { return no_memory(err); }
  MBD_TRY(study_configure(d->s, run, &f->config, &start, err));
  MBD_TRY(mechanism_create(f->config, &f->m, err));
  f->m->stop = d->m->stop;
  MBD_TRY(find_final(d, f, run, err));
  return d->kind == KIND_SWEEP ? beside_run_file(d, f, err) : beside_start(f, err);
}

mbd_status study_best_create(const study_data *d, run_folder **out, mbd_error *err) {
  *out = NULL;
  if (!d->m || d->ntop == 0 || (d->kind == KIND_COMPARE && d->contest.n == 0)) { return MBD_OK; }
  run_folder *f = calloc(1, sizeof *f);
  if (!f) { return no_memory(err); }
  const mbd_status status = fill(d, f, d->top[0].run, err);
  if (status != MBD_OK) { run_folder_close(f); }
  *out = status == MBD_OK ? f : NULL;
  return status;
}
