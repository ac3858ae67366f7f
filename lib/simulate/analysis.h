/* The table of analyses: what a case computes. The nodes of a motion come from integration. Those of the others follow from their times
 * alone, each by itself, so that nothing is integrated and an adjoint carries nothing from node to node. */
#ifndef MBD_ANALYSIS_H
#define MBD_ANALYSIS_H

#include "formulation/formulation.h"

struct sim_analysis {
  const char *name, *doc;
  /* NULL, with all below: the nodes of a motion, by the formulation and the integrator of the case. Else these two take their place. */
  const mbd_formulation_ops *steps;
  const mbd_integrator_ops *nodes;
  int held;                                              /* 1: the held quantities count where the start is assembled */
  int settles;                                           /* 1: every node is a static equilibrium (settle.h) */
  mbd_status (*check)(const mbd_sim *s, mbd_error *err); /* the case: what the analysis cannot do with it */
  mbd_status (*start)(mbd_sim *s, mbd_error *err);       /* node 0 */
  mbd_status (*sens)(mbd_sim *s, mbd_error *err);        /* of the node at hand, after it: s->sens */
  /* At the node s->now: the derivatives by its state, the objectives' parts among them already, go to the coefficients. */
  mbd_status (*adjoint)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
};

const sim_analysis *analysis_at(int i);
const sim_analysis *analysis_find(const char *name);

/* The adjoint of a node of such an analysis: outputs, with the weights at hand, then `adjoint`; nothing is left for the node before.
 * Of node 0, whose outputs are not stored. */
mbd_status analysis_adjoint_node(mbd_sim *s, sim_adjoint *a, mbd_error *err);
mbd_status analysis_adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* What `steps` of such an analysis have besides `step`: a node is its state. */
size_t analysis_no_reals(const mbd_sim *s);
void analysis_no_copy(mbd_sim *s, sim_copy copy, mbd_real **at);

/* Exact nodes: sums over them have order six. */
extern const mbd_integrator_ops analysis_exact_nodes;

#endif
