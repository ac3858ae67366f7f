/* The adjoint of a simulation: a forward run whose nodes are stored, then the reverse pass from the last node to the
 * start with the transposed maps of direct differentiation (theory.md §7). */
#ifndef MBD_ADJOINT_H
#define MBD_ADJOINT_H

#include "sens/store.h"
#include "simulate/start.h"

/* s->adjoint points to its first member. */
typedef struct adjoint_pass {
  sim_adjoint at; /* at the current node */
  store *trajectory;
  size_t limit;   /* of the trajectory's memory [bytes] */
  sim_kept kept;  /* the part of a step that the trajectory stores */
  int continuous; /* 1: the continuous adjoint; 0: the discrete one */

  /* Derivatives by the coefficients of the combination of redundant rows of the start that is zero if the rows are
   * consistent. Along a direction along which they remain consistent the derivative is 0. */
  params_reverse *contradiction;
  int contradicted;          /* 1: some rows are redundant; at.row is their combination */
  motion_rows rows;          /* the rows of the combination */
  double contradiction_size; /* of the largest part of a row in it */
} adjoint_pass;

static inline adjoint_pass *adjoint_of(const mbd_sim *s) {
  return (adjoint_pass *)s->adjoint;
}

/* s->adjoint, made when it is needed first. */
mbd_status adjoint_need(mbd_sim *s, mbd_error *err);

/* The adjoint of the start: from the derivatives by the state of node 0 to those by the coefficients. */
mbd_status adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Without what objectives add at node 0: from a->z, zd, zdd, lam, at the motion of the start, with sweeps begun. */
mbd_status adjoint_start_state(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Its last part: from the derivatives by z, zd, which the reverse sweeps may add to. */
mbd_status adjoint_start_motion(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Afterwards, with the rows of the assembly factored at the start: the combination of redundant rows (adjoint_pass). */
void adjoint_contradiction(mbd_sim *s, sim_adjoint *a);

/* Derivatives gtheta [ncolumn][ncoef] of Re sum_i c_i lambda_i of modes with these vectors (mbd_modes_vectors), at the start of s, which has been computed, with
 * real coefficients; weight [ncolumn][nmode][2]: c. In the complex library (referee_modes.c). */
mbd_status adjoint_modes(mbd_sim *s, int ncolumn, int nmode, const double *const *vectors, const double *weight,
                         const unsigned char *requested, double *gtheta, mbd_error *err);

#endif
