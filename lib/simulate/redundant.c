#include "simulate/redundant.h"

#include <string.h>

/* side += sign times the changes of the rates at the velocities zd, by the coordinates and the coefficients. */
static void add_rates(mbd_sim *s, const mbd_real *zd, const mbd_real *rest, mbd_real sign, mbd_real *dphid,
                      mbd_real *side) {
  const motion_terms e = {.rows = s->eq};
  motion_move(s->w, zd, rest, 0);
  for (int k = 0; k < s->np; k++) {
    sim_vary_motion(s, k, s->sens.z, NULL);
    motion_direction(s->w, &e, NULL, NULL, dphid, NULL);
    for (int i = 0; i < s->eq.nrow; i++) { side[i * s->np + k] += sign * dphid[i]; }
  }
}

void redundant_sens(mbd_sim *s, const mbd_real *u, const mbd_real *rest, mbd_real *dphid, mbd_real *side) {
  memset(side, 0, (size_t)s->eq.nrow * (size_t)s->np * sizeof *side);
  add_rates(s, u, rest, 1, dphid, side);
  add_rates(s, rest, rest, -1, dphid, side);
}

/* L += sign e . (rates at the velocities zd) */
static void rates_back(mbd_sim *s, sim_adjoint *a, const mbd_real *zd, const mbd_real *rest, mbd_real sign,
                       const mbd_real *e) {
  motion_move(s->w, zd, rest, 0);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    adjoint_get(s->eq.nrow, a->npsi, k, sign, e, a->row);
    motion_pull_rows(&a->pull[k], s->eq, NULL, a->row, NULL);
  }
  adjoint_read(s, a, 0, a->z);
  adjoint_read_joints(a);
}

void redundant_back(mbd_sim *s, sim_adjoint *a, const mbd_real *u, const mbd_real *rest, const mbd_real *e) {
  rates_back(s, a, u, rest, 1, e);
  rates_back(s, a, rest, rest, -1, e);
}
