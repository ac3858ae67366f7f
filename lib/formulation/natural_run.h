/* Runs in natural coordinates (theory.md §5): the unknowns of a step are points, vectors and added coordinates q with multipliers lam of
 * their equations (lib/natural). A formulation works on a simulation of its own, which differs from that of the run in its state alone,
 *   z, zd, zdd, lam -> q, qd, qdd and the multipliers of the natural model
 * and after each step the joint coordinates of the run follow from its bodies.
 *
 *   natural_run.c        memory; nodes, from the start to the joint coordinates after a step
 *   mechanics_natural.c  what formulations need of the mechanism
 *   natural_direct.c     derivatives of the start and of the joint coordinates along directions
 *   natural_adjoint.c    their transposes
 *   ali3p_natural.c, natural_matrix_r.c  the formulations */
#ifndef MBD_NATURAL_RUN_H
#define MBD_NATURAL_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "formulation/formulation.h"
#include "formulation/newton.h"
#include "natural/direct.h"
#include "natural/reverse.h"
#include "natural/system.h"
#include "objective/objectives.h"

typedef struct natural_node {
  mbd_real *q, *qd, *qdd; /* [nq] */
  mbd_real *acc;          /* [nq] acc of schemes that have it */
  mbd_real *lam;          /* [nphi of the natural model] multipliers of the step */
} natural_node;

/* Derivatives along the directions of a run: blocks [nq][np], [nphi][np], and of joint coordinates [nz][np]. */
typedef struct natural_sens {
  natural_params **dv;                       /* [np_max] changes of the constants along each */
  unsigned char *moves;                      /* [np][natural_moves] which constants each direction changes */
  mbd_real *q, *qd, *qdd, *acc;              /* of the node `now` */
  mbd_real *lam;                             /* of its multipliers */
  mbd_real *dq, *dqd, *dqdd;                 /* columns [nq] */
  mbd_real *x, *xd, *xdd, *difference;       /* columns of bases: [natural_bases_rows] */
  mbd_real *norm;                            /* [nb] e . x of Euler parameters */
  mbd_real *dz, *dzd, *dzdd;                 /* columns [nz] */
  mbd_real *rhs, *row_rhs, *x_z, *step, *rg; /* of reactions: blocks [nz][np], [nphi of the model][np] */
} natural_sens;

/* Reverse sweeps in natural coordinates, of one objective after the other. */
typedef struct natural_back {
  natural_params **by;    /* [npsi] derivatives by the constants, summed over the nodes */
  mbd_real *q, *qd, *qdd; /* [npsi][nq] what the sweeps have gathered of derivatives by q, qd, qdd */
  mbd_real *mu;           /* [nq] */
  mbd_real *bases, *none; /* [natural_bases_rows] weights; zeros */
} natural_back;

typedef struct natural_run {
  natural *n;
  natural_params *v; /* constants for the design of the run */
  natural_system *system;
  natural_node now, before; /* nodes of s->now, s->before */

  /* the formulation's simulation */
  mbd_sim *run;   /* that of joint coordinates */
  mbd_sim in;     /* that of the formulation */
  void *memory;   /* in.memory; owned by the formulation */
  sim_adjoint by; /* its adjoint: blocks of natural coordinates, coefficients of the run's */

  /* the mechanism at in.now.z */
  const mbd_real *qd, *qdd;      /* the rates at which it is evaluated; not owned */
  mbd_real *phi, *Phi_q;         /* Phi, and Phi_q of an iterate */
  mbd_real *Phid_q, *Phidd_q;    /* of Phid and Phidd by q, at the places of Phi_q likewise */
  mbd_real *Phidd_half;          /* half of that of Phidd by qd, which Phid_q is where it was last wanted */
  mbd_real *Phid_alone, *unused; /* Phid_q where Phidd is not wanted */
  mbd_real *Phidd_more;          /* what Phidd by qd has beside twice Phid_q; NULL: there are no velocity constraints */

  /* joint coordinates */
  matrices x;                /* M, Phi_z, for the start and for reactions */
  mbd_real *X;               /* [nb][6] */
  mbd_real *by_z, *x_z, *dz; /* [nz] */
  mbd_real *none, *rest_z;   /* [nphi of the model] */
  natural_sens sens;
  natural_back back;
  mbd_arena arena;
} natural_run;

/* Of the simulation of a run, whose formulation's memory begins with it; and of the formulation's own simulation. */
static inline natural_run *natural_run_of(const mbd_sim *s) {
  return s->memory;
}
static inline natural_run *natural_run_around(const mbd_sim *in) {
  return (natural_run *)((char *)(uintptr_t)in - offsetof(natural_run, in));
}

/* 1: an objective or an observer reads reactions. */
static inline int natural_reads_reactions(const mbd_sim *s) {
  return s->m->nphi > 0 && (s->objectives->min_norm.reads || s->objectives->watched);
}

/* ---- a run: s is its simulation (natural_run.c) ---- */

/* Memory, in an object of zeros, and its release. */
mbd_status natural_run_create(mbd_sim *s, natural_run *r, mbd_error *err);
void natural_run_release(const mbd_sim *s, natural_run *r);

/* natural_enter returns the formulation's simulation: it is the run as it is now, with the nodes in natural coordinates. natural_leave passes
 * counts and warnings of that simulation to the run, and the status on. natural_enter_back: its adjoint with the coefficients of a. */
mbd_sim *natural_enter(mbd_sim *s);
mbd_status natural_leave(mbd_sim *s, mbd_status status);
sim_adjoint *natural_enter_back(mbd_sim *s, const sim_adjoint *a);

/* Computes the node `now` from the start in joint coordinates, and the constants of the design. */
mbd_status natural_begin(mbd_sim *s, mbd_error *err);
/* Makes the last node the previous one. */
void natural_swap_nodes(natural_run *r);
/* Computes s->now from the node, and its reactions: natural_find_reactions. */
mbd_status natural_write_back(mbd_sim *s, mbd_error *err);
mbd_status natural_find_reactions(mbd_sim *s, mbd_error *err);
matrices *natural_joint_matrices(const mbd_sim *s);
size_t natural_state_reals(const mbd_sim *s);
void natural_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);

/* Derivatives along directions of the start; and of the state in joint coordinates with its reactions, after which the work is moved at that
 * state (natural_direct.c). */
void natural_sens_begin(mbd_sim *s);
mbd_status natural_sens_joints(mbd_sim *s, mbd_error *err);

/* The transposes (natural_adjoint.c): from the derivatives by the node at the start to a; the derivatives of the objectives by the state in
 * joint coordinates, also by way of reactions, at s->now with its motion swept, in a->z, a->zd, a->zdd; and the vector-Jacobian products of
 * these, for objective k, added to q, qd, qdd [nq]. */
void natural_adjoint_begin(mbd_sim *s, sim_adjoint *a);
mbd_status natural_joint_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err);
mbd_status natural_joints_back(mbd_sim *s, sim_adjoint *a, int k, mbd_real *q, mbd_real *qd, mbd_real *qdd,
                               mbd_error *err);

#endif
