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
 * out by the pivoting; of these b is not read, and multipliers are zero.
 *
 * Velocity constraints A zd = b leave fewer rates than coordinates independent, w of some of the independent coordinates: velocities and accelerations
 * are x = S b + R w of [Phi_z; A; B_w] (independent_velocity.c). Rows of A are zero in Phi_z here. */
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
  double *v;                  /* [designs][ncol] a direction in which the dependent part of J changes most */
  int *spare_row, *spare_col; /* [nrow], [ncol] */
} independent_block;

/* Velocity constraints: the rates of the independent coordinates that follow from the others by A R. */
typedef struct independent_velocity {
  int n, max_free;     /* coordinates, independent ones at most */
  int first_row, nrow; /* rows of A among all rows */
  int rank;            /* rows in use = rates that follow */
  int *use;            /* [nrow] rows of A, the first `rank` in use */
  int *order;          /* [nf] places in `free`: the first `rank` follow, then independent ones, ascending */
  int *rate, *of_rate; /* independent.rate, of_rate */
  double spread;       /* largest entry of the rates that follow, when they were chosen */
  mbd_real *At;        /* [n][nrow] A' */
  mbd_real *ARt;       /* [nf][nrow] (A R)' */
  mbd_real *lu;        /* [rank][rank] factors of A R in the rates that follow */
  int *piv;
  mbd_real *x, *u, *y; /* scratch: [n][k], [nf][k], [nrow][k] */
  double *work;        /* [nrow][nf + 1] */
  mbd_arena arena;
} independent_velocity;

typedef struct independent independent;

/* Row i in use of J. */
static inline const mbd_real *independent_used_row(const independent_block *b, int i) {
  return b->J + b->use[i] * b->ncol;
}

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
  int nf;                         /* independent coordinates */
  int *free;                      /* [nf], ascending */
  int *index;                     /* [nz] of a coordinate in `free`; -1: dependent */
  int nrate, *rate;               /* [nrate] coordinates with independent rates: without velocity constraints `free` */
  int *of_rate;                   /* [nf] place in `rate` of each of `free`; -1: its rate follows */
  int *each;                      /* [nz] 0, 1, ...: of_rate without velocity constraints */
  independent_velocity *velocity; /* NULL: there are no velocity constraints, or they are not asked for */

  /* Joint coordinates have: */
  const mbd_model *m;
  int nblock;
  independent_block *block;
  int *block_of; /* [nconstraint] */
  int *place;    /* [nz] of a coordinate in its block */
  mbd_real *
      *row; /* [nphi] where a row stands in the J of its block, of a velocity constraint in A; NULL: nothing moves it */
  mbd_real
      *A; /* [nvelocity_row][nz] rows of velocity constraints, with the places of their blocks: those of J are zero */
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

/* The same with A of velocity constraints, and B_w of the independent rates:  x = S b + R w of [Phi_z; A; B_w] */
void independent_velocities(independent *indep, int k, const mbd_real *b, const mbd_real *w, mbd_real *x);
void independent_velocities_T(independent *indep, int k, const mbd_real *x, mbd_real *b, mbd_real *w);
void independent_read_rates(const independent *indep, int k, const mbd_real *x, mbd_real *w);
void independent_add_rates(const independent *indep, int k, const mbd_real *w, mbd_real *x);

/* Without velocity constraints all rates of `free` are independent. */
static inline void independent_each_rate(independent *indep) {
  indep->nrate = indep->nf, indep->rate = indep->free, indep->of_rate = indep->each;
  for (int f = 0; f < indep->nf; f++) { indep->each[f] = f; }
}

/* Memory for velocity constraints; what the functions above call at positions that are factored, with A in At: choose (begins: at the start of a run),
 * factor; whether another choice would be better; the choice as numbers. */
mbd_status independent_velocity_create(independent *indep, int n, int max_free, int first_row, int nrow, int kmax,
                                       mbd_error *err);
void independent_velocity_destroy(independent_velocity *v);
mbd_status independent_velocity_choose(independent *indep, int begins, mbd_error *err);
mbd_status independent_velocity_factor(independent *indep, mbd_error *err);
int independent_velocity_poor(const independent *indep);
size_t independent_velocity_reals(const independent *indep);
void independent_velocity_save(const independent *indep, mbd_real *x);
void independent_velocity_restore(independent *indep, const mbd_real *x);

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
