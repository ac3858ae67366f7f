/* Derivatives of the objectives in the reverse pass from the last node to the start: by the state of the current node,
 * and by the coefficients, with the reverse sweeps that sum them (theory.md §7). The formulation propagates them from
 * the end of a step to its start; the objectives and the start (sens/adjoint.h) add their contributions. */
#ifndef MBD_SIM_ADJOINT_H
#define MBD_SIM_ADJOINT_H

#include <string.h>

#include "la/saddle.h"
#include "state/sim.h"

/* Derivatives of the objectives by the terms of a step (sim_step_terms): blocks [nphi][npsi], of v*, a* [nz][npsi]. */
typedef struct adjoint_step_terms {
  int any; /* 0: none depends on them, and the blocks are undefined */
  mbd_real *lam, *sigma, *kappa, *v, *a;
} adjoint_step_terms;

struct sim_adjoint {
  int npsi;               /* number of adjoints: objectives, or sums of them */
  int max;                /* largest npsi, for which there is memory */
  int n;                  /* nz, or the number of coordinates that are used in place of z */
  mbd_reverse *reverse;   /* [npsi] reverse sweeps at one state */
  params_reverse **theta; /* [npsi] derivatives by the coefficients, summed over the nodes */

  /* Derivatives of the objectives by the state of the current node, blocks [nz][npsi] ([nphi][npsi]): on entry to a node
   * the contributions of all later nodes. lam: derivatives by the reactions. */
  mbd_real *z, *zd, *zdd, *lam;
  mbd_real *acc; /* derivatives by acc, of schemes that have it */

  /* The same by the terms of the step to this node, of which each adjoint of a step disposes. */
  adjoint_step_terms by_step;

  /* scratch */
  mbd_real *mu, *nu;    /* [nz][npsi], [nphi][npsi] adjoint variables of one system */
  mbd_real *f, *g;      /* its right-hand sides */
  mbd_real *dx, *rg;    /* of the solver */
  mbd_real *column;     /* [nz] a column of one objective */
  mbd_real *all;        /* [3][nz] columns of one objective */
  mbd_real *row;        /* [rows of the start, or the lam of an output] */
  mbd_real *weights[3]; /* [nphi] of Phi, Phid, Phidd, of one objective */
  motion_linear linear; /* linearization at the motion of the step */
  double *size;         /* [npsi] scales of columns */
  mbd_arena arena;
};

/* Memory for adjoints of s->npsi objectives, in an object of zeros; its release. */
mbd_status adjoint_init(sim_adjoint *a, const mbd_sim *s, mbd_error *err);
void adjoint_release(sim_adjoint *a);

static inline void adjoint_zero(size_t n, mbd_real *x) {
  memset(x, 0, n * sizeof *x);
}

/* Copy between a block [n][npsi] and the column of objective k: get it times scale, put it, add it. */
static inline void adjoint_get(int n, int npsi, int k, mbd_real scale, const mbd_real *block, mbd_real *column) {
  for (int i = 0; i < n; i++) { column[i] = scale * block[i * npsi + k]; }
}
static inline void adjoint_put(int n, int npsi, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * npsi + k] = column[i]; }
}
static inline void adjoint_add(int n, int npsi, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * npsi + k] += column[i]; }
}

/* Adds the derivatives by lam*, v*, a* to those by lam, zd, zdd, where no step has been taken, or in
 * the limit of short steps, in which sigma and kappa vanish. */
void adjoint_step_to_state(const mbd_sim *s, sim_adjoint *a);

/* Begins the reverse sweeps of all objectives at the current motion, with zero derivatives. */
void adjoint_begin(const mbd_sim *s, sim_adjoint *a);

/* a->zdd += the derivative by way of acc, for schemes that compute acc from zdd. */
void adjoint_close_acc(const mbd_sim *s, sim_adjoint *a);

/* The derivative by a stretch s of the time, at s = 1 (sim_stretch_history). The step after the current node begins
 * with s zd, s^2 zdd, s^2 acc; a->zd, a->zdd are derivatives by s zd, s^2 zdd when the reverse pass reaches the node.
 * The rates that a scheme computes are divided by s, s^2 to give zd, zdd. The first function adds  scale sum_j x_j by_j
 * of every objective, x [nz], by [nz][npsi]; the second one adds the terms of the state. Neither does anything unless
 * the duration is free. */
void adjoint_stretch(const mbd_sim *s, sim_adjoint *a, mbd_real scale, const mbd_real *x, const mbd_real *by);
void adjoint_stretch_rates(const mbd_sim *s, sim_adjoint *a);

/* Adds the derivatives of -mu . (r + Phi_z' lam) - nu . Phidd to the reverse sweeps and the coefficients, with a->mu, a->nu and the
 * multipliers of the state. */
void adjoint_reverse_motion(mbd_sim *s, sim_adjoint *a);

/* block += the reverse sweeps' derivatives by z, zd or zdd: order 0, 1, 2. */
void adjoint_read(mbd_sim *s, sim_adjoint *a, int order, mbd_real *block);
/* All three at once: a->z, a->zd, a->zdd. */
void adjoint_read_all(const mbd_sim *s, sim_adjoint *a);

/* Reads the derivatives by the joint frames of all reverse sweeps, if derivatives by geometry are wanted. */
void adjoint_read_joints(sim_adjoint *a);

/* Solves one system for mu, nu with the right-hand sides f [nz][npsi], g [m][npsi]. Every column is scaled by its own
 * size, because objectives of different sizes would otherwise share one measure of convergence. */
mbd_status adjoint_solve(sim_adjoint *a, const mbd_saddle *saddle, mbd_real *f, mbd_real *g, mbd_error *err);
/* The same scaling for any solver: the first function divides f and g by the sizes of their columns; the second one
 * multiplies f, g, mu and nu by them. */
void adjoint_scale(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g);
void adjoint_unscale(sim_adjoint *a, int n, int m, mbd_real *f, mbd_real *g);

#endif
