/* Lowest and highest frequency of a clamped beam in one of its planes, in torsion or in extension, by inverse iteration on
 *   K x = w^2 M x,    w^2 = x'K x/x'M x
 * M of the undeformed beam. In one plane frequencies are apart, so that the lowest one is a smooth function of the design.
 * Equations: theory.md §12 (12.9). */
#include "flexible/beam.h"
#include "la/dense.h"

enum { ITERATIONS = 60 }; /* each multiplies what is left of other modes by (w_1/w_2)^2, at most 0.16 */

typedef struct beam_group {
  int n, shape[MBD_NZ_MAX];
} beam_group;

static beam_group group_of(const beam_layout *b, int kind) {
  beam_group g = {0};
  int of = 0;
  while (b->kind[of] != kind) { of++; }
  for (int k = 0; k < b->n; k++) {
    if (beam_couples(b, of, k)) { g.shape[g.n++] = k; }
  }
  return g;
}

/* y = A x within the group, A [n][n] of all shapes */
static void multiply(const beam_layout *b, const beam_group *g, const mbd_real *A, const mbd_real *x, mbd_real *y) {
  for (int i = 0; i < g->n; i++) {
    y[i] = 0;
    for (int j = 0; j < g->n; j++) { y[i] += A[g->shape[i] * b->n + g->shape[j]] * x[j]; }
  }
}

mbd_real beam_frequency(const beam_layout *b, const mbd_real *numbers, int kind, int highest, mbd_real *x) {
  const mbd_real *K = numbers, *M = numbers + beam_mass_at(b), *left = highest ? M : K, *right = highest ? K : M;
  const beam_group g = group_of(b, kind);
  mbd_real A[MBD_NZ_MAX * MBD_NZ_MAX], v[MBD_NZ_MAX], Kv[MBD_NZ_MAX], Mv[MBD_NZ_MAX], vKv = 0, vMv = 0;
  int pivots[MBD_NZ_MAX];
  for (int i = 0; i < g.n; i++) {
    v[i] = 1;
    for (int j = 0; j < g.n; j++) { A[i * g.n + j] = left[g.shape[i] * b->n + g.shape[j]]; }
  }
  if (mbd_lu_factor(g.n, A, pivots) != MBD_OK) { return NAN; }
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    mbd_real Bv[MBD_NZ_MAX], size = 0;
    multiply(b, &g, right, v, Bv);
    mbd_lu_solve(g.n, A, pivots, 1, Bv);
    for (int i = 0; i < g.n; i++) { size += Bv[i] * Bv[i]; }
    for (int i = 0; i < g.n; i++) { v[i] = Bv[i] / mbd_sqrt(size); }
  }
  multiply(b, &g, K, v, Kv), multiply(b, &g, M, v, Mv);
  for (int k = 0; k < b->n; k++) { x[k] = 0; }
  for (int i = 0; i < g.n; i++) { x[g.shape[i]] = v[i], vKv += v[i] * Kv[i], vMv += v[i] * Mv[i]; }
  return mbd_sqrt(vKv / vMv);
}
