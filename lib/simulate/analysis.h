/* The table of analyses: what a case computes. The nodes of a motion come from integration. In the other analyses each
 * node follows from its time alone, so that nothing is integrated and an adjoint propagates nothing from node to
 * node, but for states in kinematic cases (objective/node_states.h). */
#ifndef MBD_ANALYSIS_H
#define MBD_ANALYSIS_H

#include "formulation/formulation.h"

struct sim_analysis {
  const char *name, *doc;
  const char *own_start; /* for messages: why there is no start from equilibrium */
  int held;              /* 1: the assembly of the start includes the held quantities */
  int settles;           /* 1: every node is a static equilibrium (equilibrium.h) */
  int moves_steadily;    /* 1: every node is a steady motion (steady.h) */
  int closes;            /* 1: every node is the position closest to one that meets the constraints (closing.c) */
  /* Creates and destroys the memory of the analysis, s->memory. */
  mbd_status (*create)(mbd_sim *s, mbd_error *err);
  void (*destroy)(mbd_sim *s);
  mbd_status (*start)(mbd_sim *s, mbd_error *err); /* node 0 */
  /* Computes the node s->now at the time s->t, from s->before. NULL, as are the functions above, for a motion, which
   * uses the formulation and the integrator of its case. */
  mbd_status (*node)(mbd_sim *s, mbd_error *err);
  mbd_status (*sens)(mbd_sim *s, mbd_error *err); /* sensitivities s->sens of the current node, after `node` */
  /* The adjoint at the node s->now: from the derivatives by its state, which include those of the objectives, to those
   * by the coefficients. */
  mbd_status (*adjoint)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
};

static inline int analysis_integrates(const sim_analysis *analysis) {
  return !analysis->node;
}

const sim_analysis *analysis_at(int i);
const sim_analysis *analysis_find(const char *name);

/* The replacements of the formulation and of the integrator in an analysis that does not integrate (analysis.c). */
extern const mbd_formulation_ops analysis_steps;
extern const mbd_integrator_ops analysis_exact_nodes;

/* The adjoint of node 0, whose outputs are not stored. */
mbd_status analysis_adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);

#endif
