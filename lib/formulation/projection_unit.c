/* P = 1, a constant: all derivatives are zero. */
#include "formulation/matrices.h"
#include "formulation/projection.h"

static void unit_matrix(mbd_sim *s, mbd_real *P) {
  const int n = s->m->nz;
  sim_clear(s, &s->M_at, P);
  for (int j = 0; j < n; j++) { P[j * n + j] = 1; }
}

const mbd_projection_ops mbd_projection_unit = {
    .name = "unit",
    .doc =
        "The unit matrix: the sum of squares of what the projection changes is least, coordinates in their own units. "
        "Time steps of constrained mechanisms are of order one only, in the motion and in reactions.",
    .matrix = unit_matrix,
    .depends = PROJECTION_CONSTANT,
};
