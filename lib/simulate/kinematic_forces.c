/* Multipliers of a kinematic case: those of least norm in Phi_z' lam = -r (theory.md §5.6 (5.11)),
 *   lam = Phi_z u,   Phi_z' Phi_z u = -r
 * Multipliers of drives and of rows that are independent of all others are unique; how redundant rows share their
 * common reaction depends on their scales. Along any direction
 *   Phi_z' lam' = -(r + Phi_z' lam)'       (lam is held in the bracket)
 * of which lam' here is the solution of least norm, (5.12). Where rows are redundant it differs from the derivative of lam by a vector v
 * with Phi_z' v = 0, which outputs do not read (objective/min_norm.h). */
#include <string.h>

#include "simulate/kinematic.h"

void kinematic_forces(mbd_sim *s) {
  kinematic *run = kinematic_of(s);
  const int n = s->m->nz;
  motion_residual(s->w, run->u);
  for (int j = 0; j < n; j++) { run->u[j] = -run->u[j]; }
  mbd_blocks_weights(s->start->rows, run->u, run->Y);
  memcpy(s->now.lam, run->Y, (size_t)s->eq.nrow * sizeof *run->Y);
}

/* ---- along directions ---- */

void kinematic_forces_sens(mbd_sim *s) {
  kinematic *run = kinematic_of(s);
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
    mbd_blocks_weights(s->start->rows, s->start->dr, run->Y);
    for (int i = 0; i < m; i++) { s->sens.lam[i * np + k] = run->Y[i]; }
  }
}

/* ---- in reverse ---- */

/* Subtracts the derivative of mu . (r + Phi_z' lam), mu = (Phi_z'Phi_z)^-1 Phi_z' (by lam).
 * Where the rows have constant slopes, the reactions of given multipliers do not depend on the motion. */
void kinematic_forces_back(mbd_sim *s, sim_adjoint *a) {
  const int n = s->m->nz, m = s->eq.nrow, np = a->npsi;
  motion_linearize(s->w, s->eq, kinematic_of(s)->constant ? NULL : s->now.lam, &a->linear);
  for (int k = 0; k < np; k++) {
    adjoint_get(m, np, k, 1, a->lam, a->row);
    kinematic_clear_kept(s, 1, a->row);
    mbd_blocks_solve(s->start->rows, 1, a->row, a->column);
    for (int j = 0; j < n; j++) { a->column[j] = -a->column[j]; }
    motion_reverse_residual(&a->reverse[k], &a->linear, a->column);
  }
}
