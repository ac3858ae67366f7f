/* P = 1, a constant: all derivatives are zero. Equations: theory.md §5.1 (5.4) with P = 1. */
#include <string.h>

#include "formulation/ali3p.h"

static void unit_matrix(mbd_sim *s, mbd_real *P) {
  ali3p *step = ali3p_of(s);
  const int n = step->n;
  memset(P, 0, matrices_size(&step->x, &step->x.M_at) * sizeof *P);
  for (int j = 0; j < n; j++) { P[mbd_entry(&step->x.M_at, n, j, j)] = 1; }
}

const mbd_projection_ops mbd_projection_unit = {
    .name = "unit",
    .doc =
        "The unit matrix: the sum of squares of what the projection changes is least, coordinates in their own units. "
        "Time steps of constrained mechanisms are of order one only, in the motion and in reactions.",
    .matrix = unit_matrix,
    .depends = PROJECTION_CONSTANT,
};
