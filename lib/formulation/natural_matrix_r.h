/* Global Matrix R (theory.md §5; S1): the state-space family of state_space.h in natural coordinates q, of which some are independent. The
 * family works on a simulation of its own, which differs from that of the run in its state alone:
 *   z, zd, zdd, lam -> q, qd, qdd and the multipliers of the natural model
 * and after each step the joint coordinates of the run follow from its bodies, as with ALI3-P.
 *
 *   natural_matrix_r.c     the row of the formulation table: nodes, outputs, the reverse pass from node to node
 *   natural_mechanics.c    what the family asks of the mechanism; R'MR
 *   natural_independent.c  [Phi_q; B] */
#ifndef MBD_NATURAL_MATRIX_R_H
#define MBD_NATURAL_MATRIX_R_H

#include "formulation/natural_ali3p.h"
#include "formulation/state_space.h"
#include "la/rank.h"

/* The choice of independent coordinates: with x = S b + R xi,
 *   [B'B Phi_q'; Phi_q 0] [x; y] = [B'xi; b]     has B x = xi and y = 0,
 *   [B'B Phi_q'; Phi_q 0] [x; y] = [f; 0]        has B x = R'f and y = S'f
 * so that one symmetric matrix with the places of natural_system serves for both, redundant rows among them. */
typedef struct natural_independent {
  independent base;
  const natural_ali3p *of; /* the model, its constants and matrices; not owned */
  int most_free, kmax;
  mbd_real *B, *sum; /* B'B, with alpha Phi_q' Phi_q */
  mbd_factors lu;
  double alpha;
  mbd_real *phi, *Phi_q; /* at the last position that was factored */
  mbd_real *R;           /* [nq][nf], and whether it is there */
  int R_there;
  double spread;          /* largest entry of R when coordinates were chosen */
  mbd_real *unit;         /* [nf][nf] */
  mbd_real *f, *x, *step; /* [nq][kmax] */
  mbd_real *g, *y, *rest; /* [nphi][kmax] */
  double *size;           /* [kmax] scales of columns */
  mbd_weak weak;
  mbd_status failed; /* of a solution since natural_independent_failed was asked last, with its text */
  mbd_error why;
  int *row, *col; /* order of the pivots */
  mbd_rank_memory rank;
  size_t rank_entries;
  mbd_arena rank_arena, arena;
} natural_independent;

mbd_status natural_independent_create(const natural_ali3p *of, int most_free, int kmax, independent **out,
                                      mbd_error *err);
/* R at the factors at hand. */
const mbd_real *natural_independent_R(natural_independent *q);
/* The first failure of a solution, once. */
mbd_status natural_independent_failed(natural_independent *q, mbd_error *err);

typedef struct natural_matrix_r {
  natural_ali3p base; /* what formulations in natural coordinates share; first, so that s->own is it too */
  mbd_sim *run;       /* the simulation of joint coordinates, and that of the family */
  mbd_sim in;
  state_space *space;        /* in.own; owned */
  sim_adjoint by;            /* the family's: blocks of natural coordinates, sweeps and coefficients of the run's */
  double *gap;               /* [nq] in.stage_gap */
  mbd_real *dq, *dqd;        /* [nq] columns of a direction */
  mbd_real *x, *xd, *unused; /* [nq] of one objective */
  mbd_real *mu, *nu;         /* [nq], [nphi] likewise */
  mbd_real *side, *row_side; /* [nq], [nphi] */
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
