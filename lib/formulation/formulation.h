/* The table of formulations: how the equations of motion and the constraints become time steps, with the derivatives of a step. */
#ifndef MBD_FORMULATION_H
#define MBD_FORMULATION_H

#include "formulation/matrices.h"
#include "state/adjoint.h"

typedef struct ss_ops ss_ops; /* formulation/state_space.h */

struct mbd_formulation_ops {
  const char *name;
  const char *doc;
  const mbd_formulation_ops *in_natural; /* the same in natural coordinates; NULL: not available */
  const ss_ops *space;                   /* the member of the state-space family; NULL: the formulation is no member */
  int velocities;                        /* 1: it takes velocity constraints */
  /* Creates the formulation's memory (s->memory) for the model and the case; it may refuse their combination. Called after
   * all other parts of the simulation have been created. */
  mbd_status (*create)(mbd_sim *s, mbd_error *err);
  void (*destroy)(mbd_sim *s);
  /* Called after the start; leaves the same sweeps as a step. NULL: nothing to do. */
  mbd_status (*begin)(mbd_sim *s, mbd_error *err);
  int tangent;    /* 1: implicit steps take their matrices from the tangent of the case (formulation/tangent.h) */
  double penalty; /* > 0: compliant constraints, lam = penalty Phi; the default of the case. 0: Phi = 0 */
  /* Steps from s->before to s->now at time s->t, with the sensitivities if there are directions; leaves the sweeps at
   * the new state (with columns, if there are directions). */
  mbd_status (*step)(mbd_sim *s, mbd_error *err);
  /* The numbers that the formulation adds to a state, from which a simulation restarts, and to the record that the adjoint of a step
   * reads (a record begins with a state): their count, and their copy. */
  size_t (*state_reals)(const mbd_sim *s);
  void (*copy_state)(mbd_sim *s, sim_copy copy, mbd_real **at);
  size_t (*record_reals)(const mbd_sim *s);
  void (*copy_record)(mbd_sim *s, sim_copy copy, mbd_real **at);
  /* Adjoint of the step at the node s->now, with the record of the step (v*, a*, multipliers of the projections):
   * replaces derivatives by this node by derivatives by the previous node. NULL: not available. */
  mbd_status (*adjoint_step)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
  /* The transpose of begin, called before the adjoint of the start: at node 0, it adds the derivatives by way of the
   * formulation's own state to the derivatives by s->now, a->z, a->zd, a->zdd. NULL: the formulation has no state of
   * its own. */
  void (*adjoint_begin)(mbd_sim *s, sim_adjoint *a);
  /* Continuous adjoint at node k, from the last node to the start, with s->now at the node: replaces the derivatives that the previous
   * half step of the adjoint has left by those that the next one leaves (k = 0: by those at the start). NULL: not available. */
  mbd_status (*continuous_adjoint)(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);
  int continuous_of_states; /* 1: the continuous adjoint reads only the states of the records */
  /* The formulation's implementations of formulation_factor_motion, formulation_solve_motion (below); NULL: by its
   * matrices (mass.h). */
  mbd_status (*factor_motion)(mbd_sim *s, mbd_error *err);
  mbd_status (*solve_motion)(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                             mbd_error *err);
  int projects; /* 1: zdd is a projection of the accelerations that satisfy the equations of motion with lam */
  /* The terms of the current step, and their derivatives if there are directions; NULL: the formulation does not
   * project */
  void (*step_terms)(const mbd_sim *s, sim_step_terms *value, sim_step_terms *sens);
  /* Its matrices; NULL: the formulation forms no matrices of system size, and has factor_motion and solve_motion. */
  matrices *(*matrices)(const mbd_sim *s);
};

/* The equations of motion at the position of the last sweep, M x + Phi_z' y = f, Phi_z x = g: the first function
 * factors them, the second solves them for any number of right-hand sides f [nz][k], g [nphi][k]; y: on entry a first
 * guess. Scratch: dx [nz][k], rg [nphi][k]. */
mbd_status formulation_factor_motion(mbd_sim *s, mbd_error *err);
mbd_status formulation_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                                    mbd_real *dx, mbd_real *rg, mbd_error *err);

/* Finds the formulation of a case for its coordinates. MBD_UNSUPPORTED: it is not available in them; the message lists
 * those that are. */
mbd_status formulation_choose(const mbd_case *c, const mbd_formulation_ops **out, mbd_error *err);

const mbd_formulation_ops *mbd_formulation_at(int i);
const mbd_formulation_ops *mbd_formulation_find(const char *name);

#endif
