/* Independent coordinates: the kinematic problems of the state-space formulations (theory.md §5.3 (5.6), Matrix R; S1),
 *   [Phi_z; B] x = [b; xi],     x = S b + R xi
 * for positions (by Newton), velocities, accelerations and the derivatives of each. B picks coordinates, the independent
 * ones: those that complete pivoting of Phi_z leaves over. They are kept while they serve and chosen anew at a node where
 * they no longer do; the state (z, zd) is that of all coordinates, so that nothing jumps there.
 *
 * A case may name them instead (mbd_case.independent), for any of the blocks below; there they stay. Degrees of freedom that
 * are no joint coordinates, q = w(z), are coordinates that the model adds, with w(z) - q = 0 among the rows of Phi: what S1
 * has as a matrix B(z) and as its rate are then rows of Phi_z and a part of Phidd.
 *
 * Natural coordinates have a choice of their own (natural_independent.c), by the functions of independent_ops.
 *
 * Rows and coordinates fall into blocks without common entries in Phi_z: a closed loop; a suspension; the Euler parameters
 * of one joint. All that is done here is done block by block, in O(bodies) where blocks are small. Redundant rows are left
 * out by the pivoting; of these b is not read, and multipliers are zero. */
#ifndef MBD_INDEPENDENT_H
#define MBD_INDEPENDENT_H

#include "state/sim.h"

typedef struct independent_block {
  int nrow, ncol; /* rows of Phi, coordinates */
  int *row, *col; /* which: [nrow], [ncol] */
  int rank;       /* rows in use = dependent coordinates */
  int *use;       /* [nrow] rows (places in `row`), the first `rank` in use */
  int *order;     /* [ncol] places in `col`: the first `rank` dependent, then independent */
  int nnamed;     /* independent coordinates that the case names; 0: chosen here */
  double min;     /* smallest pivot of the factors at the start of the run */
  double spread;  /* largest entry of R when they were chosen */
  mbd_real *J;    /* [nrow][ncol] Phi_z */
  mbd_real *lu;   /* [rank][rank] factors of its dependent part */
  int *piv;       /* [rank] */
  double *work;   /* [nrow][ncol + 1] */

  /* For singular positions within the present step (crossing.c). */
  mbd_real *J_before;         /* [nrow][ncol] Phi_z at its start */
  double *v;                  /* [ncol] a direction in which the dependent part of J changes most */
  int *spare_row, *spare_col; /* [nrow], [ncol] */
} independent_block;

typedef struct independent independent;

/* The functions of another kind of coordinates (natural_independent.c), which replace those below of the same names. */
typedef struct independent_ops {
  void (*destroy)(independent *indep);
  mbd_status (*choose)(independent *indep, mbd_sim *s, mbd_error *err);
  mbd_status (*keep_or_choose)(independent *indep, mbd_sim *s, double h, mbd_error *err);
  mbd_status (*place)(independent *indep, mbd_sim *s, mbd_real *z, mbd_error *err);
  mbd_status (*factor)(independent *indep, mbd_sim *s, mbd_error *err);
  void (*solve)(independent *indep, int k, const mbd_real *b, const mbd_real *xi, mbd_real *x);
  void (*solve_T)(independent *indep, int k, const mbd_real *x, mbd_real *b, mbd_real *xi);
  size_t (*reals)(const independent *indep);
  void (*save)(const independent *indep, mbd_real *x);
  void (*restore)(independent *indep, const mbd_real *x);
} independent_ops;

struct independent {
  const independent_ops *ops; /* NULL: joint coordinates */

  /* All coordinates have: */
  int nf;     /* independent coordinates */
  int *free;  /* [nf], ascending */
  int *index; /* [nz] of a coordinate in `free`; -1: dependent */

  /* Joint coordinates have: */
  const mbd_model *m;
  int nblock;
  independent_block *block;
  int *block_of;        /* [nconstraint] */
  int *place;           /* [nz] of a coordinate in its block */
  mbd_real **row;       /* [nphi] where a row stands in the J of its block; NULL: nothing moves it */
  int coupled;          /* some block has coordinates of more than one body */
  const char *coupling; /* name of a constraint that makes it */
  unsigned char *named; /* [nz] by the case, to be independent */

  double kept;   /* time of the J_before of all blocks */
  mbd_real *t;   /* scratch: [largest rank][kmax] */
  mbd_real *phi; /* [nphi] Phi where it is placed */
  mbd_arena arena;
};

/* Independent coordinates of the case; kmax: most right-hand sides at once. MBD_BAD_INPUT: a name is not known. */
mbd_status independent_create(const mbd_model *m, const mbd_case *c, int kmax, independent **out, mbd_error *err);
void independent_destroy(independent *indep);

/* Choose at the swept position. MBD_BAD_INPUT: the named ones are too few or too many, with what would do; MBD_SINGULAR: they do
 * not determine the others. */
mbd_status independent_choose(independent *indep, mbd_sim *s, mbd_error *err);
/* Chooses again, at the end of a step h (0: of no step), if the present choice no longer determines the motion well. MBD_SINGULAR: the
 * rank has changed; the step has passed a singular position; or the case names these coordinates. */
mbd_status independent_keep_or_choose(independent *indep, mbd_sim *s, double h, mbd_error *err);

/* Dependent coordinates of z from the independent ones, z being a good guess; leaves positions swept there and the blocks
 * factored. MBD_NO_CONVERGENCE, MBD_SINGULAR. */
mbd_status independent_place(independent *indep, mbd_sim *s, mbd_real *z, mbd_error *err);

/* Phi_z and the factors at the swept position. */
mbd_status independent_factor(independent *indep, mbd_sim *s, mbd_error *err);

/* x [nz][k] = S b + R xi,  b [nphi][k] (NULL: 0), xi [nf][k] (NULL: 0) */
void independent_solve(independent *indep, int k, const mbd_real *b, const mbd_real *xi, mbd_real *x);
/* b [nphi][k] = S' x (NULL: not wanted),  xi [nf][k] = R' x */
void independent_solve_T(independent *indep, int k, const mbd_real *x, mbd_real *b, mbd_real *xi);

/* xi [nf][k] = B x, and x [nz][k] += B' xi */
void independent_read(const independent *indep, int k, const mbd_real *x, mbd_real *xi);
void independent_add(const independent *indep, int k, const mbd_real *xi, mbd_real *x);

/* The choice as numbers, for states that are restored: their count; from and to x. */
size_t independent_reals(const independent *indep);
void independent_save(const independent *indep, mbd_real *x);
void independent_restore(independent *indep, const mbd_real *x);

/* Singular positions within a step. crossing_begin begins a run; crossing_keep keeps J for the next step; crossing_singular, at the end of a
 * step, factored, returns the fraction of the step after which there was a singular position, 0: there was none; after that, the names of
 * the rows that become dependent there. w [rank]. */
void crossing_begin(independent_block *b);
void crossing_keep(independent_block *b);
double crossing_singular(independent_block *b, mbd_real *w);
const char *crossing_names(const mbd_model *m, const independent_block *b, mbd_real *w, char *text, size_t size);

#endif
