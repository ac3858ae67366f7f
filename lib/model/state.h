/* First-order states, d/dt x = f(z, zd, x, theta, t). A state is the rate of an added coordinate s of unit inertia that nothing else depends on:
 *   sd = x,   sdd = f
 * so that formulations, time schemes and adjoints take it as they take coordinates. f is a force by expression on s, in this file.
 * theory.md §4.3 (4.16)
 *
 * A state *measures* if its rate contains what follows from the forces of the same instant, as accelerations and reactions do. Nothing that acts may
 * read it, and it follows from node to node (objective/node_states.h). Its force is -x, so that it settles at zero. */
#ifndef MBD_STATE_MODEL_H
#define MBD_STATE_MODEL_H

#include "la/dense.h"
#include "model/model.h"

/* The first of the coordinates of states, which are the last ones; the forces and rotors of states are the last of their lists as well. */
static inline int model_first_state(const mbd_model *m) {
  return m->nz - m->nstate;
}
static inline int model_is_state(const mbd_model *m, int j) {
  return j >= model_first_state(m);
}
/* The state whose rate this force is; -1: none. */
static inline int model_state_of_force(const mbd_model *m, int force) {
  const int first = m->nforce - m->nstate;
  return force < first ? -1 : force - first;
}
static inline int model_state_measures(const mbd_model *m, int i) {
  return m->state[i].measured != NULL;
}
/* Inertias that have kinetic energy: those of states have none. */
static inline int model_nrotor_with_energy(const mbd_model *m) {
  return m->nrotor - m->nstate;
}

/* The largest of |z_j|, by which steps and violations are measured: states have other units, and s grows with time. z [n], of joint or natural
 * coordinates, whose last ones are those of states. */
static inline double model_extent(const mbd_model *m, int n, const mbd_real *z) {
  return mbd_norm_inf(n - m->nstate, z);
}

/* The rate as a force on s without a value yet, in new memory as that of expression_law_create; NULL: no memory. */
expression_law *state_law_create(void);

#endif
