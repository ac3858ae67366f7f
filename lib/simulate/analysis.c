/* Analyses in which each node follows from its time alone, in the form of the steps of a time loop and of its adjoint.
 * The state of a step is that of its node, and the adjoint of a node adds nothing to the derivatives by the previous
 * node, but for the states of a kinematic case (objective/node_states.h).
 * Equations: theory.md §5.6, 5.7. */
#include "simulate/analysis.h"

#include "objective/objectives.h"
#include "simulate/steady.h"

/* The nodes are exact, so integrals are sums over nodes of order six. */
const mbd_integrator_ops analysis_exact_nodes = {.name = "exact nodes", .order = 6};

static mbd_status create(mbd_sim *s, mbd_error *err) {
  return s->analysis->create(s, err);
}

static void destroy(mbd_sim *s) {
  s->analysis->destroy(s);
}

static mbd_status step(mbd_sim *s, mbd_error *err) {
  MBD_TRY(s->analysis->node(s, err));
  return s->np > 0 ? s->analysis->sens(s, err) : MBD_OK;
}

static size_t no_reals(const mbd_sim *s) {
  (void)s;
  return 0;
}

static void copy_nothing(mbd_sim *s, sim_copy copy, mbd_real **at) {
  (void)s, (void)copy, (void)at;
}

/* What a steady motion has beside the state of its node. */
static size_t steady_reals(const mbd_sim *s) {
  return s->analysis->moves_steadily ? steady_state_reals(s) : 0;
}

static void copy_steady(mbd_sim *s, sim_copy copy, mbd_real **at) {
  if (s->analysis->moves_steadily) { steady_copy_state(s, copy, at); }
}

static void place_node(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}

/* The adjoint of a node: first of the outputs, with the present weights, then of the equations of the node. */
static mbd_status adjoint_node(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  const size_t size = (size_t)s->m->nz * (size_t)a->npsi, rows = (size_t)s->m->nphi * (size_t)a->npsi;
  adjoint_zero(size, a->z), adjoint_zero(size, a->zd), adjoint_zero(size, a->zdd), adjoint_zero(rows, a->lam);
  place_node(s);
  adjoint_outputs(s, a);
  return s->analysis->adjoint(s, a, err);
}

mbd_status analysis_adjoint_start(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  place_node(s);
  quadrature_outputs(s);
  quadrature_weights(s, 0, sim_weight(s, 0), 0);
  return adjoint_node(s, a, err);
}

const mbd_formulation_ops analysis_steps = {
    .name = "exact nodes",
    .create = create,
    .destroy = destroy,
    .step = step,
    .record_reals = no_reals,
    .copy_record = copy_nothing,
    .state_reals = steady_reals,
    .copy_state = copy_steady,
    .adjoint_step = adjoint_node,
};
