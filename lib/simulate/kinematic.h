/* Kinematic analysis: what its files share. */
#ifndef MBD_KINEMATIC_H
#define MBD_KINEMATIC_H

#include "simulate/analysis.h"
#include "simulate/start.h"

/* Memory of a kinematic case, s->own. */
typedef struct kinematic {
  mbd_real *u, *Y; /* [nz], [nphi] of lam, which has the least norm among the multipliers (kinematic_forces.c) */
  mbd_real *rest;  /* [nz] zeros */
  mbd_real *from, *pointed; /* [nz] where a part of the way begins, and where it pointed to (kinematic_position.c) */
  int constant;             /* Phi_z is: all drives are of coordinates, and there are no loops */
  mbd_real *J_before;       /* Phi_z of the last node, block by block */
  double kept;              /* the time that it is of; NAN: none */
  mbd_real *turn;           /* scratch of the largest block: [ncol][ncol] */
  mbd_real *unpacked;       /* of the largest packed block: [nrow][ncol] */
  int *piv;                 /* [nz] */
  mbd_arena arena;
} kinematic;

static inline kinematic *kinematic_of(const mbd_sim *s) {
  return s->own;
}

/* Is the row one of a drive, a constraint that moves with the time? */
int kinematic_is_drive(const mbd_model *m, int row);

/* At the assembled position: MBD_BAD_INPUT where drives are too few or too many, with their names (kinematic_drives.c). */
mbd_status kinematic_check_drives(mbd_sim *s, mbd_error *err);
/* The same of those that are too many, at any position. */
mbd_status kinematic_check_too_many(mbd_sim *s, mbd_error *err);
/* The names of drives in the same set of equations as that row. */
void kinematic_drives_beside(const mbd_sim *s, int row, char *text, size_t size);

/* A warning where a drive follows a curve whose slope jumps within the run. */
void kinematic_warn_corners(mbd_sim *s);

/* The position at the time s->t from that of s->before, in s->now.z, with the rows there and their factors (kinematic_position.c). */
mbd_status kinematic_position(mbd_sim *s, mbd_error *err);
/* The name of a coordinate that the current rows hardly determine; NULL: there is none. As a failure: MBD_SINGULAR. */
const char *kinematic_undetermined(mbd_sim *s);
mbd_status kinematic_check_singular(mbd_sim *s, mbd_error *err);
/* Keeps the current rows, against which the next position is held. */
void kinematic_keep(mbd_sim *s);

/* lam of least norm in Phi_z' lam = -r, for the current residual; along the directions a lam' that serves the derivative of this equation;
 * and the transpose of that. */
void kinematic_forces(mbd_sim *s);
void kinematic_forces_sens(mbd_sim *s);
void kinematic_forces_back(mbd_sim *s, sim_adjoint *a);

#endif
