/* The turns of angles along a run. An output that is an angle atan2(a, b) is known but for whole turns; the run counts them, so that the output
 * is continuous, and so is a force that reads it. At any motion between two nodes, as of an iterate or a stage, the turns of an angle follow
 * from the last node. Whole turns are constants: no derivative depends on them.
 * Equation: theory.md §6 (6.11). */
#ifndef MBD_TURNS_H
#define MBD_TURNS_H

#include "state/sim.h"

struct sim_turns {
  int n; /* angles that forces read, then those among the outputs, with those of which quantities are made */
  const output **angle; /* [n] */
  mbd_real *node;       /* [1 + 2 n] mbd_work.turns of the last node, a state of the run */
  mbd_real *point;      /* likewise, of the last point between the nodes */
  /* The same of all points between the nodes, which the reverse pass visits again. */
  mbd_value *passed; /* [capacity][1 + 2 n] */
  int npassed, capacity;
  int back; /* in the reverse pass: the first point that has been visited */
  mbd_arena arena;
};

/* Makes s->turns, and has s->w read it. MBD_NO_MEMORY. */
mbd_status turns_create(mbd_sim *s, mbd_error *err);
void turns_destroy(sim_turns *turns); /* NULL allowed */

void turns_begin(mbd_sim *s); /* a new run: the first values lie between -pi and pi */
/* Counts the turns at the motion at hand, s->t, which is a node. Where it has been counted already, nothing changes. Adds a warning where
 * the number of turns is uncertain. Cost: one evaluation of each angle. */
void turns_at_node(mbd_sim *s);
/* The same at a point between the nodes, which follows on the last one. MBD_NO_MEMORY. */
mbd_status turns_at_point(mbd_sim *s, mbd_error *err);

/* In the reverse pass, which turns_begin_back begins: the first of the n points before those that were visited; and the turns at a
 * point. */
void turns_begin_back(mbd_sim *s);
int turns_points_back(mbd_sim *s, int n);
void turns_of_point(mbd_sim *s, int point);

/* The state of the turns at the last node, as numbers. */
size_t turns_reals(const mbd_sim *s);
void turns_copy(mbd_sim *s, sim_copy copy, mbd_real **at);

#endif
