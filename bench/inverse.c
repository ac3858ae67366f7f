/* Inverse dynamics of the published tree of 43 joints and its three matrices by z, zd, zdd: time per body, and for the 301 samples of
 * S4, which takes 16.6 ms for all matrices there and 2.6e5 s by adaptive differences. */
#include "mbd/inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "mbo/model_file.h"

enum { N = BENCH_HUMAN, SAMPLES = 301 };

typedef struct inverse {
  mbd_model *m;
  mbd_params *p;
  mbd_inverse *v;
  double z[SAMPLES][N], zd[SAMPLES][N], zdd[SAMPLES][N], Q[N], sum;
} inverse;

static void forces(inverse *q, int k) {
  mbd_error err;
  bench_must(mbd_inverse_dynamics(q->v, q->p, 0, q->z[k], q->zd[k], q->zdd[k], 0, NULL, q->Q, &err), &err);
}

static void matrices(inverse *q, int k) {
  const double *Q_z, *Q_zd, *Q_zdd;
  forces(q, k);
  mbd_inverse_jacobian(q->v, &Q_z, &Q_zd, &Q_zdd);
  q->sum += Q_z[0];
}

/* By central differences, one coordinate after the other. */
static void differences(inverse *q, int k) {
  double(*const list[])[N] = {&q->z[k], &q->zd[k], &q->zdd[k]};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < N; j++) {
      double *x = &(*list[i])[j], at = *x;
      *x = at + 1e-6, forces(q, k), q->sum += q->Q[0];
      *x = at - 1e-6, forces(q, k), q->sum -= q->Q[0];
      *x = at;
    }
  }
}

/* Seconds for all samples, the least of several passes. */
static double min(inverse *q, void (*f)(inverse *q, int k), int passes) {
  double time = INFINITY;
  for (int pass = 0; pass < passes; pass++) {
    const double begun = bench_now();
    for (int k = 0; k < SAMPLES; k++) { f(q, k); }
    time = fmin(time, bench_now() - begun);
  }
  return time;
}

/* The motion of S4: every coordinate sin 2 pi t, a sample every 10 ms. */
static void sample(inverse *q) {
  const double w = 2 * acos(-1.0);
  for (int k = 0; k < SAMPLES; k++) {
    for (int j = 0; j < N; j++) {
      q->z[k][j] = sin(w * 0.01 * k), q->zd[k][j] = w * cos(w * 0.01 * k), q->zdd[k][j] = -w * w * sin(w * 0.01 * k);
    }
  }
}

static void measure(inverse *q, const char *name, mbd_reference reference) {
  static const char *const references[] = {"com", "origin", "joint"};
  mbd_error err;
  bench_must(mbd_inverse_create(q->m, reference, 0, &q->v, &err), &err);
  const double value = min(q, forces, 200), with = min(q, matrices, 100), by = min(q, differences, 1);
  printf("| %-5s | %-9s | %14.0f | %27.0f | %19.2f | %16.2f | %20.0f |\n", name, references[reference],
         1e9 * value / SAMPLES / N, 1e9 * with / SAMPLES / N, 1e3 * value, 1e3 * with, by / (with - value));
  mbd_inverse_destroy(q->v);
}

static void all_references(inverse *q, const char *name) {
  mbd_error err;
  bench_must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
  for (int k = 0; k < 3; k++) { measure(q, name, (mbd_reference)k); }
  mbd_params_destroy(q->p);
}

/* The model file of the same tree with lengths and masses of a human. */
static void human(inverse *q, const char *problems) {
  char path[1024];
  mbd_error err;
  mbo_model_file *f;
  snprintf(path, sizeof path, "%s/human/human.ini", problems);
  bench_must(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), &err);
  bench_must(mbd_model_create(mbo_model_file_spec(f), &q->m, &err), &err);
  if (mbd_model_nz(q->m) == N) { all_references(q, "human"); }
  mbd_model_destroy(q->m), mbo_model_file_destroy(f);
}

void bench_inverse(const char *problems) {
  inverse *q = calloc(1, sizeof *q);
  sample(q);
  printf(
      "\n| tree  | reference | Q: ns per body | Q and matrices: ns per body | 301 samples: Q [ms] | Q, matrices [ms] | "
      "differences/analytic |\n"
      "|-------|-----------|---------------:|----------------------------:|--------------------:|-----------------:|---"
      "--"
      "----------------:|\n");
  q->m = bench_human();
  all_references(q, "links");
  mbd_model_destroy(q->m);
  human(q, problems);
  free(q);
}
