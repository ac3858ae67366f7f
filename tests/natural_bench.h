/* A model with its natural model, the numbers of its nominal design and memory for a direction in all of them, for tests that hold pieces of
 * natural coordinates against each other or against the complex step. */
#ifndef MBOPT_TEST_NATURAL_BENCH_H
#define MBOPT_TEST_NATURAL_BENCH_H

#include "dynamics/motion.h"
#include "model.h"
#include "natural/direct.h"

typedef struct natural_bench {
  test_model base;
  const mbd_model *m;
  mbd_work *w;
  natural *n;
  natural_params *v, *dv;
  mbd_dparams *d;
} natural_bench;

static natural_bench natural_bench_open(const char *model) {
  mbd_error err = {0};
  natural_bench b = {.base = model_open(model)};
  b.m = b.base.m;
  must(mbd_work_create(b.m, MBD_RTDYN0, &b.w, &err), &err);
  must(natural_create(b.m, &b.n, &err), &err);
  must(natural_params_create(b.n, b.base.p, &b.v, &err), &err);
  must(natural_params_alloc(b.n, &b.dv, &err), &err);
  must(mbd_dparams_create(b.m, &b.d, &err), &err);
  return b;
}

static void natural_bench_close(natural_bench *b) {
  mbd_dparams_destroy(b->d);
  natural_params_destroy(b->dv), natural_params_destroy(b->v), natural_destroy(b->n), mbd_work_destroy(b->w);
  model_close(&b->base);
}

/* Euler parameters of joint coordinates z away from zero. */
static inline void natural_bench_turn(const natural_bench *b, mbd_real *z) {
  for (int i = 1; i < b->m->nb; i++) {
    const int e = b->m->joint[b->m->body[i].joint].ops->euler;
    if (e >= 0) { z[b->m->body[i].z0 + e] += 0.9; }
  }
}

#endif
