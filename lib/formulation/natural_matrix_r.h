/* Global Matrix R (theory.md §5; S1): the state-space family of state_space.h in natural coordinates q, of which some are independent. The
 * family works on a simulation of its own, which differs from that of the run in its state alone:
 *   z, zd, zdd, lam -> q, qd, qdd and the multipliers of the natural model
 * and after each step the joint coordinates of the run follow from its bodies, as with ALI3-P.
 *
 *   natural_matrix_r.c     the row of the formulation table: nodes, outputs, the reverse pass from node to node
 *   natural_mechanics.c    what the family asks of the mechanism; R'MR
 *   natural_independent.c  [Phi_q; B], by sparse factors of the dependent columns */
#ifndef MBD_NATURAL_MATRIX_R_H
#define MBD_NATURAL_MATRIX_R_H

#include "formulation/natural_ali3p.h"
#include "formulation/state_space.h"
#include "la/pivots.h"
#include "la/rank.h"

/* The choice of independent coordinates x_i: of Phi_q = [A Phi_i] in the rows that have pivots, A are the columns of the dependent x_d,
 *   A x_d = b - Phi_i xi   has x = S b + R xi,          A' y = f_d   has y = S'f,  f_i - Phi_i' y = R'f
 * Redundant rows have no pivot: of these b is not read, and y is zero. */
typedef struct natural_independent {
  independent base;
  const natural_ali3p *of; /* the model and its constants; not owned */
  int most_free, kmax;
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

mbd_status natural_independent_create(const natural_ali3p *of, int most_free, int kmax, independent **out,
                                      mbd_error *err);
/* R at the current factors. */
const mbd_real *natural_independent_R(natural_independent *q);

typedef struct natural_matrix_r {
  natural_ali3p base; /* what formulations in natural coordinates share; first, so that s->own is it too */
  mbd_sim *run;       /* the simulation of joint coordinates, and that of the family */
  mbd_sim in;
  state_space *space;         /* in.own; owned */
  sim_adjoint by;             /* the family's: blocks of natural coordinates, sweeps and coefficients of the run's */
  double *gap;                /* [nq] in.stage_gap */
  mbd_real *x, *xd, *unused;  /* [nq] of one objective */
  mbd_real *mu, *nu;          /* [nq], [nphi] likewise */
  mbd_real *side, *row_side;  /* [nq], [nphi] */
  mbd_real *K, *C;            /* of an implicit step, at the places of the model's matrices */
  mbd_real *Phid_q, *Phidd_q; /* likewise, at those of Phi_q */
  mbd_real *z_stage, *zd_stage, *zdd_stage; /* [nz] of the last stage of an explicit step; of the node before, */
  double t_node;                            /* and its time, of one that chooses its own steps */
  mbd_real *watched;                        /* its choice as numbers */
  independent *
      watch; /* of joint coordinates, by which singular positions are seen: both kinds of constraints lose their rank there */
  mbd_arena arena;
} natural_matrix_r;

static inline natural_matrix_r *natural_matrix_r_of(const mbd_sim *s) {
  return s->own;
}

/* The mechanism of the family, with natural_matrix_r as its owner, and the dynamic problem by R'MR. */
extern const ss_mechanics ss_natural;
extern const ss_ops ss_natural_projected;

#endif
