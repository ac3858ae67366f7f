/* Global Matrix R (theory.md §5; S1): the state-space family of state_space.h in natural coordinates q, of which some are independent. The
 * family works on the formulation's simulation of a natural_run.
 *
 *   natural_matrix_r.c     the row of the formulation table: nodes, outputs, the reverse pass from node to node
 *   natural_projected.c  the member of the family: R'MR
 *   natural_independent.c  [Phi_q; B], by sparse factors of the dependent columns */
#ifndef MBD_NATURAL_MATRIX_R_H
#define MBD_NATURAL_MATRIX_R_H

#include "formulation/natural_run.h"
#include "formulation/state_space.h"
#include "la/pivots.h"
#include "la/rank.h"

/* The choice of independent coordinates x_i: of Phi_q = [A Phi_i] in the rows that have pivots, A are the columns of the dependent x_d,
 *   A x_d = b - Phi_i xi   has x = S b + R xi,          A' y = f_d   has y = S'f,  f_i - Phi_i' y = R'f
 * Redundant rows have no pivot: of these b is not read, and y is zero. */
typedef struct natural_independent {
  independent base;
  const natural_run *of; /* the model and its constants; not owned */
  int max_free, kmax;
  mbd_pivots lu;         /* of A */
  mbd_real *phi, *Phi_q; /* at the last position that was factored */
  mbd_real *R;           /* [nq][nf], and whether it is there */
  int R_there;
  mbd_real *R_next;     /* [nq][nf] with coordinates exchanged, */
  int *who;             /* [nf] these */
  mbd_real *unit;       /* [nf][nf] */
  mbd_real *x, *b;      /* [nq][kmax], [nphi][kmax] */
  int *row[3], *col[3]; /* the pivots under test, those in use before, and those of another order */
  mbd_rank_memory rank;
  size_t rank_entries;
  mbd_arena rank_arena, arena; /* rank_arena: of rank and lu */
} natural_independent;

mbd_status natural_independent_create(const natural_run *of, int max_free, int kmax, independent **out, mbd_error *err);
/* R at the current factors. */
const mbd_real *natural_independent_R(natural_independent *indep);

typedef struct natural_matrix_r {
  natural_run base;                         /* first, so that s->memory is it too; its memory is the family's memory */
  double *difference;                       /* [nq] in.stage_difference */
  mbd_real *rhs;                            /* [nq] */
  mbd_packed M;                             /* the mass matrix where it is not zero */
  mbd_real *z_stage, *zd_stage, *zdd_stage; /* [nz] of the last stage of an explicit step; of the node before, */
  double t_node;                            /* and its time, of one that chooses its own steps */
  mbd_real *watched;                        /* its choice as numbers */
  independent *
      joint_rank; /* of joint coordinates, by which singular positions are seen: both kinds of constraints lose their rank there */
  mbd_arena arena;
} natural_matrix_r;

static inline natural_matrix_r *natural_matrix_r_of(const mbd_sim *s) {
  return s->memory;
}

/* The member of the family, with natural_matrix_r as its owner. */
extern const ss_ops ss_natural_projected;

#endif
