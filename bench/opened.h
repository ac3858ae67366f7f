/* A run file as an optimization problem whose evaluations are timed. */
#ifndef MBD_BENCH_OPENED_H
#define MBD_BENCH_OPENED_H

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "mechanism/mechanism.h"

typedef struct opened {
  mbo_run_config *config;
  mechanism *m;
  mbo_problem problem;
  mbo_eval result;
} opened;

static inline void opened_close(opened *r) {
  free(r->result.g), free(r->result.c), free(r->result.jac);
  mechanism_destroy(r->m);
  mbo_run_config_destroy(r->config);
}

/* With n settings SECTION.KEY=VALUE, in one thread; to be closed unless it fails. */
static inline mbd_status opened_open(const char *path, int n, const char *const *set, opened *r, mbd_error *err) {
  *r = (opened){0};
  mbd_status status = mbo_run_config_read(path, n, set, &r->config, err);
  if (status == MBD_OK) { status = mechanism_create(r->config, &r->m, err); }
  if (status != MBD_OK) {
    opened_close(r);
    return status;
  }
  const size_t variables = (size_t)r->m->n, constraints = (size_t)r->m->nconstraint;
  r->m->threads = 1;
  mechanism_problem(r->m, &r->problem);
  r->result = (mbo_eval){.g = calloc(variables + 1, sizeof(double)),
                         .c = calloc(constraints + 1, sizeof(double)),
                         .jac = calloc(variables * constraints + 1, sizeof(double))};
  return MBD_OK;
}

/* One evaluation at the start; *took [s]. */
static inline mbd_status opened_evaluate(opened *r, int gradient, double *took, mbd_error *err) {
  const unsigned request = gradient ? MBO_REQUEST_VALUE | MBO_REQUEST_GRADIENT : MBO_REQUEST_VALUE;
  const double begun = bench_now();
  const mbd_status status = r->problem.eval(r->m, r->m->start, request, &r->result, err);
  *took = bench_now() - begun;
  return status;
}

#endif
