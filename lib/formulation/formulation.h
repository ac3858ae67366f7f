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
  const ss_ops *space;                   /* the member of the state-space family; NULL: not of it */
  /* Memory of its own (s->own) for the model and the case, whose combination it may refuse; called when all else is made. */
  mbd_status (*create)(mbd_sim *s, mbd_error *err);
  void (*destroy)(mbd_sim *s);
  /* After the start; leaves the sweeps as a step does. NULL: nothing to do. */
  mbd_status (*begin)(mbd_sim *s, mbd_error *err);
  int tangent;    /* 1: its implicit steps take their matrices from the tangent of the case (formulation/tangent.h) */
  double penalty; /* > 0: lam = penalty Phi, with this one if the case gives none; 0: constraints hold */
  /* From s->before to s->now at time s->t, with the sensitivities if there are directions; leaves the sweeps at the new
   * state (with columns, if there are directions). */
  mbd_status (*step)(mbd_sim *s, mbd_error *err);
  /* The numbers that the formulation adds to a state, from which a simulation restarts, and to the record that the adjoint of a step
   * reads (a record begins with a state): their count, and their copy. */
  size_t (*state_reals)(const mbd_sim *s);
  void (*copy_state)(mbd_sim *s, sim_copy copy, mbd_real **at);
  size_t (*record_reals)(const mbd_sim *s);
  void (*copy_record)(mbd_sim *s, sim_copy copy, mbd_real **at);
  /* Adjoint of the step: at the node s->now, with the rest of what the step has left (v*, a*, multipliers of the
   * projections), from derivatives by this node to those by the one before. NULL: not available. */
  mbd_status (*adjoint_step)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
  /* The transpose of begin, before the adjoint of the start: at node 0, from derivatives by a state of its own to those by s->now, which it
   * adds to a->z, a->zd, a->zdd. NULL: it has no state of its own. */
  void (*adjoint_begin)(mbd_sim *s, sim_adjoint *a);
  /* Continuous adjoint at node k, from the last node to the start, with s->now at the node: replaces the derivatives that the previous
   * half step of the adjoint has left by those that the next one leaves (k = 0: by those at the start). NULL: not available. */
  mbd_status (*continuous_adjoint)(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);
  int continuous_of_states; /* 1: it reads states alone, not the rest of the records */
  /* Its own way of formulation_factor_motion, formulation_solve_motion (below); NULL: by its matrices (mass.h). */
  mbd_status (*factor_motion)(mbd_sim *s, mbd_error *err);
  mbd_status (*solve_motion)(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                             mbd_error *err);
  int projects; /* 1: zdd is a projection of the accelerations that lam goes with */
  /* [nphi] multipliers of the projections of the current step, sigma and kappa; NULL: it does not project */
  void (*projections)(const mbd_sim *s, const mbd_real **sigma, const mbd_real **kappa);
  /* Its matrices; NULL: it forms none of system size, and has factor_motion and solve_motion. */
  matrices *(*matrices)(const mbd_sim *s);
};

/* The motion at the position of the last sweep, M x + Phi_z' y = f, Phi_z x = g: factors; then solutions for any number of
 * right-hand sides f [nz][k], g [nphi][k]; y: on entry a first guess. Scratch: dx [nz][k], rg [nphi][k]. */
mbd_status formulation_factor_motion(mbd_sim *s, mbd_error *err);
mbd_status formulation_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                                    mbd_real *dx, mbd_real *rg, mbd_error *err);

/* In the coordinates of a case. MBD_UNSUPPORTED, with the formulations that are there: not available. */
mbd_status formulation_choose(const mbd_case *c, const mbd_formulation_ops **out, mbd_error *err);

const mbd_formulation_ops *mbd_formulation_at(int i);
const mbd_formulation_ops *mbd_formulation_find(const char *name);

#endif
