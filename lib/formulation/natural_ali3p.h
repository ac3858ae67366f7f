/* ALI3-P in natural coordinates (theory.md §5): the unknowns of a step are points, vectors and added coordinates q with multipliers lam
 * of their equations (lib/natural). The state of the simulation in joint coordinates is computed back after each step. */
#ifndef MBD_NATURAL_ALI3P_H
#define MBD_NATURAL_ALI3P_H

#include "formulation/formulation.h"
#include "natural/direct.h"
#include "natural/pull.h"
#include "natural/system.h"
#include "objective/objectives.h"

typedef struct natural_node {
  mbd_real *q, *qd, *qdd; /* [nq] */
  mbd_real *acc;          /* [nq] acc of schemes that have it */
  mbd_real *lam;          /* [nphi of the natural model] multipliers of the step */
} natural_node;

/* Derivatives along the directions of a run (natural_direct.c): blocks [nq][np], [nphi][np], and of joint coordinates [nz][np]. */
typedef struct natural_sens {
  natural_params **dv;                   /* [np_max] changes of the constants along each */
  mbd_real *q, *qd, *qdd, *acc;          /* of own->now */
  mbd_real *vs, *as, *moved;             /* v*', a*'; q' minus q' of the previous node */
  mbd_real *side, *row_side, *mult;      /* right-hand sides; multipliers */
  mbd_real *step, *rest;                 /* of the solver */
  mbd_real *dq, *dqd, *dqdd, *dr, *dphi; /* columns [nq], [nphi] */
  mbd_real *x, *xd, *xdd, *gap;          /* columns of bases: [natural_bases_rows] */
  unsigned char *moves;                  /* [np][natural_moves] which constants each direction changes */
  mbd_real *Phid_q, *Phidd_q;            /* at the places of Phi_q */
  mbd_real *norm;                        /* [nb] e . x of Euler parameters */
  mbd_real *dz, *dzd, *dzdd;             /* columns [nz] */
  mbd_real *z_side, *z_row_side, *x_z;   /* of reactions: blocks [nz][np], [nphi of the model][np] */
  mbd_real *z_step, *z_rest;
} natural_sens;

/* Derivatives of the objectives in the reverse pass (natural_adjoint.c). */
typedef struct natural_back {
  natural_params **by;          /* [npsi] by the constants, summed over the nodes */
  mbd_real *q, *qd, *qdd, *acc; /* [npsi][nq] by own->now */
  mbd_real *vs, *as, *mu;       /* [nq] of one objective: by v*, a*; adjoint variables */
  mbd_real *nu;                 /* [nphi] */
  mbd_real *unused;             /* [nq] derivatives by the unknowns of the current equations, which are not used */
  mbd_real *g_q, *g_qd, *g_qdd; /* [nq] of the continuous adjoint: derivatives of one objective at a node */
  mbd_real *by_accel;           /* [nq] of the continuous adjoint: adjoint variables of the accelerations */
  mbd_real *bases, *none;       /* [natural_bases_rows] weights; zeros */
} natural_back;

/* The changes from which the guess of the next step is extrapolated: [nq], [nphi], as newton_trend (newton.h). */
typedef struct natural_trend {
  mbd_real *moved, *moved_before, *lam, *lam_before;
  mbd_real trust;
} natural_trend;

typedef struct natural_ali3p {
  natural *n;
  natural_params *v; /* constants for the design of the run */
  natural_system *system;
  natural_node now, before; /* nodes of s->now, s->before */

  /* the step: [nq], [nphi] */
  mbd_real *moved;                                 /* q minus q of the previous node */
  mbd_real *vs, *as;                               /* v*, a* */
  mbd_real *r, *phi;                               /* M a* - Q + Phi_q' lam; Phi */
  mbd_real *Phi_here;                              /* Phi_q of an iterate, packed */
  mbd_real *kept, *kept_dq, *kept_lam, *kept_dlam; /* an iterate and its correction */
  mbd_real *Phi_T;                                 /* of the tangent's factors, packed */
  mbd_real *Phi_q;                                 /* Phi_q of the projections' factors, packed */
  mbd_real *left[2];                               /* [nphi] residuals of passes of a correction */
  natural_trend trend;
  int has_tangent; /* 1: T_lu and Phi_T are of an earlier step or iterate */
  mbd_real *f, *g, *dq, *dq_last, *dlam;
  mbd_real *step, *rest; /* of the solver */
  mbd_weak weak;
  mbd_real *K, *C;        /* parts of the tangent at the solution, in runs with derivatives */
  mbd_real *M, *T, *sum;  /* matrices: mass, tangent, with alpha Phi_q' Phi_q */
  mbd_factors T_lu, P_lu; /* of T, M + alpha Phi_q' Phi_q */
  mbd_packed M_packed;    /* M where it is not zero */
  double alpha_T, alpha_P;

  mbd_real *sv, *sa; /* [nphi] multipliers of the projections */

  /* joint coordinates */
  matrices x;                /* M, Phi_z, for the start and for reactions */
  mbd_real *X;               /* [nb][6] */
  mbd_real *by_z, *x_z, *dz; /* [nz] */
  mbd_real *none, *rest_z;   /* [nphi of the model] */
  natural_sens sens;
  natural_back back;
  mbd_arena arena;
} natural_ali3p;

static inline natural_ali3p *natural_ali3p_of(const mbd_sim *s) {
  return s->own;
}

/* Memory (natural_create.c). MBD_UNSUPPORTED: an integrator that is not of Newmark's family, or projections other than
 * those with the mass matrix, iterated to convergence. */
mbd_status natural_ali3p_create(mbd_sim *s, mbd_error *err);
void natural_ali3p_destroy(mbd_sim *s);

/* 1: an objective or an observer reads reactions. */
static inline int natural_reads_reactions(const mbd_sim *s) {
  return s->m->nphi > 0 && (s->objectives->shares.reads || s->objectives->watched);
}

/* Memory of the common part of formulations in natural coordinates, in an object of zeros, without T_lu; and its
 * release (natural_create.c). */
mbd_status natural_allocate(mbd_sim *s, natural_ali3p *q, mbd_error *err);
void natural_release(const mbd_sim *s, natural_ali3p *q);

/* Functions of natural_ali3p.c. natural_begin computes own->now from the start in joint coordinates, and the constants
 * of the design. natural_swap_nodes makes the last node own->before. natural_write_back computes s->now and its
 * reactions from own->now. The others return the matrices in joint coordinates, and copy the state as numbers. */
mbd_status natural_begin(mbd_sim *s, mbd_error *err);
void natural_swap_nodes(natural_ali3p *own);
mbd_status natural_write_back(mbd_sim *s, mbd_error *err);
matrices *natural_joint_matrices(const mbd_sim *s);
size_t natural_state_reals(const mbd_sim *s);
void natural_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);

/* Compute q, lam, v*, a* of own->now (natural_motion.c); then qd, qdd (natural_projection.c). */
void natural_motion_begin(mbd_sim *s);
mbd_status natural_solve_motion(mbd_sim *s, mbd_error *err);
mbd_status natural_project(mbd_sim *s, mbd_error *err);

/* Derivatives along directions of the start, of natural_solve_motion, of natural_project, and of the state in joint
 * coordinates with its reactions; the last function leaves the work moved at that state. */
void natural_sens_begin(mbd_sim *s);
mbd_status natural_sens_motion(mbd_sim *s, mbd_error *err);
mbd_status natural_sens_projection(mbd_sim *s, mbd_error *err);
mbd_status natural_sens_joints(mbd_sim *s, mbd_error *err);

/* Factors of the projection and of the motion at the state of own->now with v*, a*. */
mbd_status natural_factor_projection(mbd_sim *s, mbd_error *err);
mbd_status natural_factor_motion(mbd_sim *s, mbd_error *err);

/* The adjoint, as members of mbd_formulation_ops (natural_adjoint.c). natural_back_clear sets its derivatives to zero
 * before it begins. */
void natural_back_clear(mbd_sim *s);
mbd_status natural_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err);
void natural_adjoint_begin(mbd_sim *s, sim_adjoint *a);
mbd_status natural_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err); /* natural_continuous.c */

/* Parts of both adjoints, at the node s->now with its motion swept. natural_outputs_back adds the derivatives of the
 * objectives by the state in joint coordinates, also by way of reactions, to a->z, a->zd, a->zdd. natural_joints_back
 * adds the vector-Jacobian products of these, for objective k, to q, qd, qdd [nq]. */
mbd_status natural_outputs_back(mbd_sim *s, sim_adjoint *a, mbd_error *err);
mbd_status natural_joints_back(mbd_sim *s, sim_adjoint *a, int k, mbd_real *q, mbd_real *qd, mbd_real *qdd,
                               mbd_error *err);
/* Sets the derivatives by the state s->now to zero. */
void natural_no_joints(const mbd_sim *s, sim_adjoint *a);
/* Solves the transposed system with the right-hand sides f [nq] and zero for back.mu, back.nu; accepted: see
 * mbd_saddle. */
mbd_status natural_solve_back(mbd_sim *s, mbd_real *A, mbd_real *Phi, const mbd_factors *lu, double alpha,
                              const mbd_real *f, double accepted, mbd_error *err);
/* Subtracts the derivative of mu . (M qdd - Q + Phi_q' lam) at own->now from the derivatives by the coefficients;
 * negates mu [nq]. */
void natural_motion_pull(mbd_sim *s, sim_adjoint *a, int k, mbd_real *mu);
size_t natural_record_reals(const mbd_sim *s);
void natural_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at);

/* The solver of A x + Phi_q' y = f, Phi_q x = g with factors of A + alpha Phi_q' Phi_q. */
typedef struct natural_solver {
  natural_saddle product;
  mbd_packed A, Phi;
} natural_solver;
mbd_saddle natural_system_of(mbd_sim *s, natural_solver *q, mbd_real *A, mbd_real *Phi, const mbd_factors *lu,
                             double alpha, const char *what);

/* The solver of the projections, with their factors (natural_projection.c). */
mbd_saddle natural_projection_system(mbd_sim *s, natural_solver *q, const char *what);

#endif
