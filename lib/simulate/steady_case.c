/* Steady analysis (theory.md §5.8): every node is a steady motion, with the speed and the turn of that time, under its loads and drives, whose rates do not
 * count. The first is sought as the start of a motion is, the others are followed from node to node. Multipliers of redundant rows stay what they are at
 * the first; outputs have those of least norm (objective/min_norm.h). */
#include <string.h>

#include "simulate/steady.h"
#include "state/adjoint.h"
#include "state/turns.h"

static mbd_status create(mbd_sim *s, mbd_error *err) {
  (void)s, (void)err; /* the memory is that of the start */
  return MBD_OK;
}

static void destroy(mbd_sim *s) {
  (void)s;
}

/* ---- a node ---- */

/* The motion that has been found, for those who read it. */
static void move_there(mbd_sim *s) {
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
}

static void take_node(mbd_sim *s) {
  memcpy(s->now.lam, steady_of(s)->lam, (size_t)s->m->nphi * sizeof *s->now.lam);
  move_there(s);
}

static mbd_status start(mbd_sim *s, mbd_error *err) {
  MBD_TRY(start_steady(s, err));
  take_node(s);
  return MBD_OK;
}

static mbd_status node(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  s->d = trim->given_d;
  turns_begin(s); /* rates say nothing of how angles go on from node to node */
  memcpy(s->now.z, s->before.z, (size_t)s->m->nz * sizeof *s->now.z);
  MBD_TRY(steady_follow(s, err));
  take_node(s);
  return MBD_OK;
}

static mbd_status sens(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  MBD_TRY(steady_sens(s, err));
  memcpy(s->sens.lam, trim->yp + steady_col_lam(s) * s->np, (size_t)s->m->nphi * (size_t)s->np * sizeof *s->sens.lam);
  move_there(s);
  return MBD_OK;
}

static mbd_status adjoint(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  adjoint_read_all(s, a);
  adjoint_read_joints(a);
  MBD_TRY(steady_back(s, a, a->lam, steady_of(s)->by_input, err));
  steady_by_inputs(s, a, steady_of(s)->by_input);
  return MBD_OK;
}

const sim_analysis analysis_steady = {
    .name = "steady",
    .doc =
        "at every node the mechanism moves steadily, with the speed and the turn that steady.speed and "
        "steady.curvature or steady.lateral_acceleration have at that time, under its loads and drives; inputs in "
        "steady.find are found. The time only says which of these go together. Each steady motion is found from the "
        "one before",
    .own_start = "every node of a steady case is a steady motion",
    .held = 1,
    .moves_steadily = 1,
    .create = create,
    .destroy = destroy,
    .start = start,
    .node = node,
    .sens = sens,
    .adjoint = adjoint,
};
