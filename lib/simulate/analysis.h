/* The table of analyses: what a case computes. The nodes of a motion come from integration. Those of the others follow from their times
 * alone, each by itself, so that nothing is integrated and an adjoint carries nothing from node to node. */
#ifndef MBD_ANALYSIS_H
#define MBD_ANALYSIS_H

#include "formulation/formulation.h"

struct sim_analysis {
  const char *name, *doc;
  const char *own_start; /* of messages: why there is no start from equilibrium */
  int held;              /* 1: the held quantities count where the start is assembled */
  int settles;           /* 1: every node is a static equilibrium (settle.h) */
  /* Memory of its own, s->own; its end. */
  mbd_status (*create)(mbd_sim *s, mbd_error *err);
  void (*destroy)(mbd_sim *s);
  mbd_status (*start)(mbd_sim *s, mbd_error *err); /* node 0 */
  /* The node s->now at the time s->t, from s->before. NULL, and so is all above: a motion goes by the formulation and the integrator of
   * its case. */
  mbd_status (*node)(mbd_sim *s, mbd_error *err);
  mbd_status (*sens)(mbd_sim *s, mbd_error *err); /* of the current node, after it: s->sens */
  /* At the node s->now: the derivatives by its state, the objectives' parts among them already, go to the coefficients. */
  mbd_status (*adjoint)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
};

static inline int analysis_integrates(const sim_analysis *q) {
  return !q->node;
}

const sim_analysis *analysis_at(int i);
const sim_analysis *analysis_find(const char *name);

/* The replacements of the formulation and of the integrator in an analysis that does not integrate (analysis.c). */
extern const mbd_formulation_ops analysis_steps;
extern const mbd_integrator_ops analysis_exact_nodes;

/* The adjoint of node 0, whose outputs are not stored. */
mbd_status analysis_adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err);

#endif
