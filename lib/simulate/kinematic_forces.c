/* Multipliers of a kinematic case: those of least norm in Phi_z' lam = -r,
 *   lam = Phi_z u,   Phi_z' Phi_z u = -r
 * Multipliers of drives and of rows that are independent of all others are the only ones there are; how redundant rows share what they
 * exert together depends on their scales. With P the projection onto the range of Phi_z, along any direction
 *   lam' = -Phi_z (Phi_z'Phi_z)^-1 (r + Phi_z' lam)'  +  (1 - P) Phi_z' u      (the change of Phi_z, times u)
 * where lam is held in the first part. The second is that of redundant rows (simulate/redundant.h). */
#include <math.h>
#include <string.h>

#include "simulate/kinematic.h"
#include "simulate/redundant.h"

void kinematic_forces(mbd_sim *s) {
  kinematic *q = kinematic_of(s);
  const int n = s->m->nz;
  motion_residual(s->w, q->u);
  for (int j = 0; j < n; j++) { q->u[j] = -q->u[j]; }
  mbd_blocks_weights(s->start->rows, q->u, s->now.lam);
}

/* u of the multipliers at hand: Phi_z u = lam */
static void weights_of_lam(mbd_sim *s) {
  kinematic *q = kinematic_of(s);
  memcpy(q->Y, s->now.lam, (size_t)s->eq.nrow * sizeof *q->Y);
  mbd_blocks_solve(s->start->rows, 1, q->Y, q->u);
}

/* ---- along directions ---- */

static void add_redundant_sens(mbd_sim *s) {
  kinematic *q = kinematic_of(s);
  const int m = s->eq.nrow, np = s->np;
  if (s->rank == m) { return; }
  weights_of_lam(s);
  redundant_sens(s, q->u, q->rest, s->start->dphid, q->side);
  mbd_blocks_solve(s->start->rows, np, q->side, s->start->step); /* leaves (1 - P) side */
  for (int i = 0; i < m * np; i++) { s->sens.lam[i] += q->side[i]; }
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}

void kinematic_forces_sens(mbd_sim *s) {
  kinematic *q = kinematic_of(s);
  const motion_terms e = motion_equations(s->eq, s->now.lam);
  const int n = s->m->nz, m = s->eq.nrow, np = s->np;
  for (int k = 0; k < np; k++) {
    mbd_real *zdd = s->start->dz;
    for (int j = 0; j < n; j++) {
      s->column_z[j] = s->sens.z[j * np + k], s->column_zd[j] = s->sens.zd[j * np + k],
      zdd[j] = s->sens.zdd[j * np + k];
    }
    motion_along(s->w, s->d[k], s->column_z, s->column_zd, zdd);
    motion_stretch(s->w, s->d[k] ? s->stretch[k] : 0);
    motion_direction(s->w, &e, s->start->dr, NULL, NULL, NULL);
    for (int j = 0; j < n; j++) { s->start->dr[j] = -s->start->dr[j]; }
    mbd_blocks_weights(s->start->rows, s->start->dr, q->Y);
    for (int i = 0; i < m; i++) { s->sens.lam[i * np + k] = q->Y[i]; }
  }
  add_redundant_sens(s);
}

/* ---- in reverse ---- */

/* L loses mu . (r + Phi_z' lam), mu = (Phi_z'Phi_z)^-1 Phi_z' (by lam); a->lam keeps what Phi_z mu leaves of it, for redundant rows.
 * Where the rows have constant slopes, nothing that moves changes what reactions exert. */
void kinematic_forces_back(mbd_sim *s, sim_adjoint *a) {
  const int n = s->m->nz, m = s->eq.nrow, np = a->npsi;
  motion_linearize(s->w, s->eq, kinematic_of(s)->constant ? NULL : s->now.lam, &a->linear);
  for (int k = 0; k < np; k++) {
    adjoint_get(m, np, k, 1, a->lam, a->row);
    mbd_blocks_solve(s->start->rows, 1, a->row, a->column);
    for (int i = 0; i < m; i++) { a->lam[i * np + k] = a->row[i]; }
    for (int j = 0; j < n; j++) { a->column[j] = -a->column[j]; }
    motion_pull_residual(&a->pull[k], &a->linear, a->column);
  }
}

void kinematic_redundant_back(mbd_sim *s, sim_adjoint *a) {
  if (s->rank == s->eq.nrow) { return; }
  weights_of_lam(s);
  redundant_back(s, a, kinematic_of(s)->u, kinematic_of(s)->rest, a->lam);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}
