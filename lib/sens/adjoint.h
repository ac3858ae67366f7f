/* The adjoint of a simulation: a run whose nodes are kept, then the maps of direct differentiation, transposed, from the last node
 * to the start (theory.md §7). */
#ifndef MBD_ADJOINT_H
#define MBD_ADJOINT_H

#include "sens/store.h"
#include "simulate/start.h"

/* s->adjoint is its first member. */
typedef struct adjoint_pass {
  sim_adjoint at; /* at the current node */
  store *trajectory;
  size_t limit;   /* of its memory */
  sim_kept kept;  /* what it has of a step */
  int continuous; /* the continuous adjoint, not the discrete one */

  /* Derivatives of the combination of redundant rows of the start that is zero if they agree: 0 along every direction along which they
   * do. contradicted: a row with a large part in it; -1: none is redundant. */
  params_pull *contradiction;
  int contradicted;
  double contradiction_size; /* of that part */
} adjoint_pass;

static inline adjoint_pass *adjoint_of(const mbd_sim *s) {
  return (adjoint_pass *)s->adjoint;
}

/* Start: from the derivatives by the state of node 0 to those by the coefficients. */
mbd_status adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);
/* Its last part: from the derivatives by z, zd, which the reverse sweeps may add to. */
mbd_status adjoint_start_motion(mbd_sim *s, sim_adjoint *a, mbd_error *err);

#endif
