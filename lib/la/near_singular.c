#include "la/near_singular.h"

#include <string.h>

enum { PRODUCTS_MAX = 40 };

static const double reached = 1e-6; /* factor by which one cycle has to reduce the residual */

void mbd_near_singular_layout(mbd_near_singular *correction, int n, int m, mbd_arena *a) {
  const size_t rows = (size_t)m + 1, max = m < PRODUCTS_MAX ? (size_t)m : PRODUCTS_MAX;
  mbd_gmres *g = &correction->krylov;
  g->n = m, g->max = (int)max;
  g->v = mbd_arena_real(a, (max + 1) * rows);
  g->h = mbd_arena_real(a, (max + 1) * (max + 1));
  MBD_ARENA_REALS(a, max + 1, &g->c, &g->s, &g->g);
  MBD_ARENA_REALS(a, rows, &correction->v, &correction->w, &correction->weighted);
  correction->x = mbd_arena_real(a, (size_t)n + 1);
}

/* y += c B w */
static void times_B(void *user, int k, mbd_real c, const mbd_real *w, mbd_real *y) {
  const mbd_near_singular *correction = user;
  const mbd_saddle *s = correction->s;
  memset(correction->x, 0, (size_t)s->n * sizeof *correction->x);
  for (int i = 0; s->weight && i < s->m; i++) { correction->weighted[i] = s->weight[i] * w[i]; }
  mbd_saddle_add_Phi_T(s, k, s->alpha, s->weight ? correction->weighted : w, correction->x);
  mbd_factors_solve(s->lu, s->transposed, k, correction->x);
  mbd_saddle_add_Phi(s, k, c, correction->x, y);
}

/* First solves B v = B rg. This removes from rg the part that no x can change, in which redundant rows contradict each other by
 * rounding. */
void mbd_near_singular_reach(mbd_near_singular *correction, const mbd_saddle *s, int k, const mbd_real *rg,
                             mbd_real *y) {
  const int m = s->m;
  correction->s = s;
  correction->krylov.n = m;
  correction->krylov.product = times_B, correction->krylov.user = correction;
  for (int c = 0; c < k; c++) {
    for (int i = 0; i < m; i++) { correction->v[i] = rg[i * k + c], correction->w[i] = 0; }
    times_B(correction, 1, 1, correction->v, correction->w);
    mbd_gmres_cycle(&correction->krylov, reached, correction->w, correction->v);
    mbd_gmres_cycle(&correction->krylov, reached, correction->v, correction->w);
    for (int i = 0; i < m; i++) {
      y[i * k + c] += mbd_weighted(s->alpha, s->weight, i) * (correction->v[i] - correction->w[i]);
    }
  }
}
