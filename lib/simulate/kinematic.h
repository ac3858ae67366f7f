/* Kinematic analysis: declarations that its files share. */
#ifndef MBD_KINEMATIC_H
#define MBD_KINEMATIC_H

#include "simulate/analysis.h"
#include "simulate/start.h"

/* Memory of a kinematic case, s->memory. */
typedef struct kinematic {
  mbd_real *u, *Y; /* [nz], [nphi + nz] of lam, which has the least norm among the multipliers (kinematic_forces.c) */
  mbd_real *zero_rates;     /* [nz] zeros */
  mbd_real *loose;          /* [nz] a direction (kinematic_position.c) */
  mbd_real *from, *pointed; /* [nz] begin of a part of the step, and its prediction (kinematic_position.c) */
  int constant;             /* 1: Phi_z is constant: all drives are of coordinates, and there are no loops */
  mbd_real *J_before;       /* Phi_z of the last node, block by block */
  double kept;              /* the time of J_before; NAN: none */
  mbd_real *turn;           /* scratch of the largest block: [ncol][ncol] */
  mbd_real *unpacked;       /* scratch of the largest packed block: [nrow][ncol] */
  int *piv;                 /* [nz] */
  mbd_arena arena;
} kinematic;

static inline kinematic *kinematic_of(const mbd_sim *s) {
  return s->memory;
}

/* Zeros behind the rows of right-hand sides b [rows and kept coordinates][k]: coordinates of states do not move. */
static inline void kinematic_clear_kept(const mbd_sim *s, int k, mbd_real *b) {
  memset(b + s->eq.nrow * k, 0, (size_t)s->start->nfree * (size_t)k * sizeof *b);
}

/* Returns 1 if the row belongs to a drive, a constraint that depends on time. */
int kinematic_is_drive(const mbd_model *m, int row);

/* Checks the drives at the assembled position: MBD_BAD_INPUT if there are too few or too many, with their names
 * (kinematic_drives.c). */
mbd_status kinematic_check_drives(mbd_sim *s, mbd_error *err);
/* Checks only whether there are too many, at any position. */
mbd_status kinematic_check_too_many(mbd_sim *s, mbd_error *err);
/* Lists the names of drives in the same set of equations as that row. */
void kinematic_drives_beside(const mbd_sim *s, int row, char *text, size_t size);

/* A warning where a drive follows a curve whose slope jumps within the run. */
void kinematic_warn_corners(mbd_sim *s);

/* Computes the position at the time s->t from that of s->before, in s->now.z, with the rows there and their factors
 * (kinematic_position.c). */
mbd_status kinematic_position(mbd_sim *s, mbd_error *err);
/* Returns the name of a coordinate that the current rows nearly leave undetermined; NULL: there is none. The second
 * function fails with MBD_SINGULAR if there is one. */
const char *kinematic_undetermined(mbd_sim *s);
mbd_status kinematic_check_singular(mbd_sim *s, mbd_error *err);
/* Keeps the current rows, with which the rows of the next position are compared. */
void kinematic_keep(mbd_sim *s);

/* Compute lam of least norm in Phi_z' lam = -r, for the current residual; lam' along the directions, which satisfies
 * the derivative of this equation; and the transpose of that. */
void kinematic_forces(mbd_sim *s);
void kinematic_forces_sens(mbd_sim *s);
void kinematic_forces_back(mbd_sim *s, sim_adjoint *a);

#endif
