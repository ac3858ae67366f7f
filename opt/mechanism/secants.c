#include "mechanism/secants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/memory.h"
#include "files/memory.h"

mbd_status secants_create(int n, int nf, secants *known, mbd_error *err) {
  const size_t one = (size_t)n, all = (size_t)nf * one;
  *known = (secants){.n = n, .nf = nf};
  known->x = mbd_zeros(one + all + 2 * all * one + 3 * one, sizeof *known->x);
  MEMORY_TRY(known->x, err, "second derivatives by secants");
  known->g = known->x + one, known->base = known->g + all, known->rest = known->base + all * one,
  known->work = known->rest + all * one;
  known->x[0] = NAN;
  return MBD_OK;
}

void secants_free(secants *known) {
  free(known->x);
  *known = (secants){0};
}

static void product(int n, const double *A, const double *s, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) { out[i] += A[i * n + j] * s[j]; }
  }
}

/* (6.19) for function k, over the step s. */
static void update(secants *known, int k, const double *s, const double *g) {
  const int n = known->n;
  const size_t at = (size_t)k * (size_t)(n * n);
  double *S = known->rest + at, *v = known->work + n, *r = v + n;
  /* y - B s in r, and the size of S */
  product(n, known->base + at, s, v);
  product(n, S, s, r);
  const double vs = vector_dot(n, v, s), old = vector_dot(n, r, s);
  for (int i = 0; i < n; i++) { r[i] = g[i] - known->g[k * n + i] - v[i]; }
  if (!(vs > 0)) { return; } /* no square, or nothing known in this direction */
  const double size = old != 0 ? fmin(1, fabs(vector_dot(n, r, s) / old)) : 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      S[i * n + j] *= size;
      r[i] -= S[i * n + j] * s[j];
    }
  }
  /* the least change */
  const double rs = vector_dot(n, r, s);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { S[i * n + j] += (r[i] * v[j] + v[i] * r[j]) / vs - rs * v[i] * v[j] / (vs * vs); }
  }
}

void secants_take(secants *known, const double *x, const double *g) {
  const int n = known->n;
  double *s = known->work;
  for (int i = 0; i < n; i++) { s[i] = x[i] - known->x[i]; }
  for (int k = 0; k < known->nf && isfinite(known->x[0]); k++) { update(known, k, s, g + k * n); }
  memcpy(known->x, x, (size_t)n * sizeof *x);
  memcpy(known->g, g, (size_t)(known->nf * n) * sizeof *g);
}

void secants_matrix(const secants *known, int k, double *H) {
  const int size = known->n * known->n;
  const double *B = known->base + (size_t)k * (size_t)size, *S = known->rest + (size_t)k * (size_t)size;
  for (int i = 0; i < size; i++) { H[i] = B[i] + S[i]; }
}
