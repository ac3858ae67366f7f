/* What the analyses share whose nodes follow from their times: what steps of theirs have, and the adjoint of a node. */
#include "simulate/analysis.h"

#include "objective/objectives.h"

const mbd_integrator_ops analysis_exact_nodes = {.name = "exact nodes", .order = 6};

size_t analysis_no_reals(const mbd_sim *s) {
  (void)s;
  return 0;
}

void analysis_no_copy(mbd_sim *s, sim_copy copy, mbd_real **at) {
  (void)s, (void)copy, (void)at;
}

/* Derivatives by the state of a node that nothing has added to yet. */
static void begin_node(const mbd_sim *s, sim_adjoint *a) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi, rows = (size_t)s->m->nphi * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd), adjoint_zero(rows, a->lam);
}

static void place_node(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}

mbd_status analysis_adjoint_node(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  begin_node(s, a);
  place_node(s);
  adjoint_outputs(s, a);
  return s->analysis->adjoint(s, a, err);
}

mbd_status analysis_adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  place_node(s);
  quadrature_outputs(s);
  quadrature_weights(s, 0, sim_weight(s, 0), 0);
  return analysis_adjoint_node(s, a, err);
}
