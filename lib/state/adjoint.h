/* The discrete adjoint of a simulation: the maps of direct differentiation, transposed, from the last node to the start
 * (theory.md §7). Shared by the formulation, which turns its step around, the start and the objectives. */
#ifndef MBD_SIM_ADJOINT_H
#define MBD_SIM_ADJOINT_H

#include <string.h>

#include "state/sim.h"

struct sim_adjoint {
  store *trajectory;
  size_t limit;        /* of its memory */
  int npsi;            /* adjoints: objectives, or sums of them */
  int most;            /* that there is memory for */
  const double *sum;   /* [npsi][objectives] weights in the sums; NULL: every objective by itself */
  int continuous;      /* the continuous adjoint, not the discrete one */
  mbd_pull *pull;      /* [npsi] reverse sweeps at one state */
  params_pull **theta; /* [npsi] derivatives by the coefficients, summed over the nodes */

  /* Of what redundant rows of the start say together, whatever moves: 0 along every direction that they agree on. contradicted: a row
   * with a large part in it; -1: none is redundant. */
  params_pull *contradiction;
  int contradicted;
  double contradiction_size; /* of that part */

  /* Derivatives of the objectives by the state of the node at hand, blocks [nz][npsi] ([nphi][npsi]): on entry to a node
   * what later nodes have made of it. lam: by the reactions. */
  mbd_real *z, *zd, *zdd, *lam;
  mbd_real *acc;     /* of schemes that have it */
  mbd_real *vs, *as; /* by v*, a* */
  mbd_real *we;      /* [nterm] of the objectives by their terms at this node */
  mbd_real *wy;      /* [outputs] of one of them by the outputs */

  /* Continuous: what the objectives at this node say of z, zd; adjoint variables of the node's accelerations. */
  mbd_real *g_z, *g_zd, *by_accel; /* [nz][npsi] */

  /* scratch */
  mbd_real *mu, *nu;         /* [nz][npsi], [nphi][npsi] adjoint variables of one system */
  mbd_real *f, *g;           /* its right-hand sides */
  mbd_real *dx, *rg;         /* of the solver */
  mbd_real *column;          /* [nz] one objective's */
  mbd_real *row;             /* [rows of the start] */
  force_linear *force;       /* [nforce] linearized at the motion of the step */
  reaction_linear *reaction; /* [nconstraint] likewise */
  mbd_real *by;              /* [3 nz] one objective's, by z, zd, zdd */
  mbd_real *pivots;          /* [nz + 1] */
  double *size;              /* [npsi] scales of columns */
  mbd_arena arena;
};

static inline void adjoint_zero(size_t n, mbd_real *x) {
  memset(x, 0, n * sizeof *x);
}

/* Block [n][npsi] and vector of one objective. */
static inline void adjoint_get(int n, int npsi, int k, mbd_real scale, const mbd_real *block, mbd_real *column) {
  for (int i = 0; i < n; i++) { column[i] = scale * block[i * npsi + k]; }
}
static inline void adjoint_add(int n, int npsi, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * npsi + k] += column[i]; }
}

/* Begin a node whose state is swept, with columns: reverse sweeps with the objectives' dependence on it by the terms'
 * weights a->we, and a->lam += theirs on the reactions. */
void adjoint_outputs(mbd_sim *s, sim_adjoint *a);

/* block += what the reverse sweeps say of z, zd or zdd: order 0, 1, 2. */
void adjoint_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block);

/* The joint frames of all reverse sweeps, if geometry is wanted. */
void adjoint_read_joints(mbd_sim *s, sim_adjoint *a);

void adjoint_destroy(sim_adjoint *a);

/* mu, nu of one system for the right-hand sides f [nz][npsi], g [m][npsi]. Objectives of different sizes would share one
 * measure of convergence, so every column is solved at its own scale. */
mbd_status adjoint_solve(sim_adjoint *a, const mbd_saddle *q, mbd_real *f, mbd_real *g, mbd_error *err);
/* The same of the motion at the start, after start_factor_motion. */
mbd_status adjoint_solve_motion(mbd_sim *s, sim_adjoint *a, mbd_real *f, mbd_real *g, mbd_error *err);

/* Start: from the derivatives by the state of node 0 to those by the coefficients. */
mbd_status adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Its last part: from the derivatives by z, zd, which the reverse sweeps may add to. */
mbd_status adjoint_start_motion(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* we [nterm]: derivative of the objectives by every term's s (output less target) at a node of quadrature weight `weight`;
 * for peaks after a run, which has left their sums. */
void quadrature_weights(const mbd_sim *s, double weight, int last, mbd_real *we);

#endif
