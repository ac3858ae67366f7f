/* P = 1, a constant: all derivatives are zero. */
#include <string.h>

#include "formulation/matrices.h"
#include "formulation/projection.h"

static void unit_matrix(mbd_sim *s, mbd_real *P) {
  const int n = s->m->nz;
  sim_clear(s, &s->M_at, P);
  for (int j = 0; j < n; j++) { P[j * n + j] = 1; }
}

static void unit_jacobian(mbd_sim *s, const mbd_real *x, mbd_real *K) {
  (void)x;
  sim_clear(s, &s->T0_at, K);
}

static void unit_direction(mbd_sim *s, int k, const mbd_variation *v, mbd_real *dr) {
  (void)k, (void)v;
  memset(dr, 0, (size_t)s->m->nz * sizeof *dr);
}

static void unit_pull(mbd_sim *s, int mu, int x, mbd_pull *q, params_pull *theta) {
  (void)s, (void)mu, (void)x, (void)q, (void)theta;
}

const mbd_projection_ops mbd_projection_unit = {
    .name = "unit",
    .doc =
        "The unit matrix: the sum of squares of what the projection changes is least, coordinates in their own units. "
        "Time steps of constrained mechanisms are of order one only.",
    .matrix = unit_matrix,
    .jacobian = unit_jacobian,
    .direction = unit_direction,
    .pull = unit_pull,
};
