/* Memory of ALI3-P, shared by its step and the derivatives of the step. */
#ifndef MBD_ALI3P_H
#define MBD_ALI3P_H

#include "formulation/formulation.h"
#include "formulation/newton.h"
#include "formulation/projection.h"

/* Iterates of a projection with a given number of iterations, and the multipliers that they satisfy. */
typedef struct ali3p_iterates {
  mbd_real *x;    /* [projection_iterations][nz] */
  mbd_real *mult; /* [projection_iterations][nphi] */
} ali3p_iterates;

/* Memory for the derivatives of a step along directions, beside those of the state (ali3p_direct.c): blocks [nz][np] and [nphi][np]. */
typedef struct ali3p_sens {
  mbd_real *v_history, *a_history; /* contributions of the previous node to v*', a*' */
  mbd_real *side, *row_side;       /* right-hand sides of the equations of motion and of Phi */
  mbd_real *dz;                    /* z' minus z' of the previous node */
  mbd_real *vs, *as;               /* v*', a*' */
  mbd_real *v_side, *a_side;       /* right-hand sides of the projections of velocities and accelerations */
  mbd_real *v_rate, *a_rate;       /* changes of the constraints' rates in these projections */
  mbd_real *it_side, *it_rate;     /* v_side or a_side, v_rate or a_rate at one of several iterates */
  mbd_real *mult, *minus_rate;     /* multipliers of the current projection; its right-hand side in the constraints */
  mbd_real *step, *rest;           /* of the solver */
  mbd_real *Kp;                    /* [nz][nz] derivative of a projection */
  mbd_real *change;                /* [nz] x - x* */
  mbd_real *dr, *dphi, *dphid, *dphidd; /* changes along a direction: [nz], [nphi] */
} ali3p_sens;

/* Memory for the adjoint of a step, beside that of the state (ali3p_adjoint.c): blocks [nz][npsi] */
typedef struct ali3p_back {
  mbd_real *vs, *as; /* derivatives of the objectives by v*, a* */
  mbd_real *mu_zdd;  /* mu of the accelerations, stored while the equations of the velocities are solved */
  mbd_real *by_rate; /* derivatives by the rate in the adjoint of its iterations */
  mbd_real *by;      /* [3 nz] derivatives of one objective by z, zd, zdd */
} ali3p_back;

/* Memory for a node of the continuous adjoint (ali3p_continuous.c): [nz], [nphi] */
typedef struct ali3p_node {
  mbd_real *lam;             /* multipliers that satisfy the equations of motion with zdd */
  mbd_real *r, *zero_rows;   /* right-hand sides of the equations of zdd and lam */
  mbd_real *x, *step, *rest; /* correction of zdd that lam leaves, nearly zero; scratch of the solver */
  mbd_real *beta, *gamma;
  mbd_real *g_z, *g_zd; /* [nz][npsi] derivatives of the objectives by z, zd there */
  mbd_real *by_accel;   /* [nz][npsi] adjoint variables of the accelerations */
} ali3p_node;

/* The tangent with which Newton's iteration of the next step begins (ali3p_motion.c): none; T_lu, with its Phi_z; or
 * the tangent of the node, which has to be factored because a trajectory has restored the node. */
typedef enum ali3p_tangent { TANGENT_NONE, TANGENT_AT_HAND, TANGENT_OF_RESTORED } ali3p_tangent;

typedef struct ali3p {
  matrices x; /* M, Phi_z */
  const mbd_projection_ops *projection;
  double compliance;   /* compliance of the constraints: Phi = compliance lam */
  int own_projections; /* 1: the formulation sets iterations and penalty of the projections itself */

  /* the step: [nz], [nphi] */
  newton_memory newton;
  mbd_real *vs, *as;     /* v*, a* */
  mbd_real *r;           /* r + Phi_z' lam */
  mbd_real *phi, *gap;   /* Phi; Phi - compliance lam */
  mbd_real *dz, *dlam;   /* the correction */
  int opening;           /* 1: the correction is the first of its step */
  double motion_size;    /* length of dz without the part that rounding errors of the constraints cause */
  double unbalanced;     /* largest entry of r + Phi_z' lam before the correction */
  mbd_real *dz_last;     /* the previous correction */
  mbd_real *weights;     /* weights of the constraints in a correction */
  mbd_real *left;        /* residual of the linearized constraints after a pass of the correction */
  mbd_real *left_before; /* the same after the previous pass */
  mbd_real *K, *C, *T0;  /* [nz][nz] tangent and its parts, of the step or of a node of the continuous adjoint */
  mbd_factors T_lu;      /* of T0 + alpha_T Phi_z' Phi_z */
  double alpha_T;
  ali3p_tangent tangent;
  mbd_real *slopes;     /* slopes of expensive forces at the node, for the adjoint */
  mbd_real restored_at; /* [s] */

  /* the projections */
  mbd_real *P0;     /* [nz][nz] */
  mbd_factors P_lu; /* of P0 + alpha_P Phi_z' Phi_z */
  double alpha_P;
  mbd_real *phi_t, *phidd; /* [nphi] Phi_t, and Phidd at zdd = 0 */
  mbd_real *sv, *sa;       /* [nphi] multipliers of the projections of velocities and of accelerations */
  ali3p_iterates iter_v, iter_a;
  mbd_real *p_star, *minus_g; /* right-hand sides: [nz], [nphi] */
  mbd_real *step, *rest;      /* of the solver: [nz], [nphi] */

  mbd_real *Phid_z, *Phidd_z, *Phidd_zd; /* [nphi][nz] */
  ali3p_sens sens;
  ali3p_back back;
  ali3p_node adjoint;
  mbd_real *pivots; /* [nz + 1] pivots of T_lu, and alpha_T, as numbers of a record */
  mbd_arena arena;
} ali3p;

static inline ali3p *ali3p_of(const mbd_sim *s) {
  return s->own;
}

/* 1: the derivatives of a step along np or fewer directions are computed by products with matrices that are not
 * formed. */
static inline int ali3p_by_products(const mbd_sim *s, int np) {
  return np <= MOTION_SEVERAL && s->c.projection_iterations == 0;
}

mbd_status ali3p_begin(mbd_sim *s, mbd_error *err); /* a run */
mbd_status ali3p_step(mbd_sim *s, mbd_error *err);

/* 1: the tangent is factored at the solution of every step, for derivatives (direct or adjoint) or for projections by
 * the tangent, and the next step begins with it. 0: one factored tangent is kept for as many steps as Newton's
 * iteration converges with it. */
static inline int ali3p_needs_tangent(const mbd_sim *s) {
  return s->np > 0 || s->kept || ali3p_of(s)->projection->full;
}

/* ali3p_solve_motion computes z, lam and v*, a* of s->now; in runs with derivatives also the tangent T0, its parts, its
 * factors and Phi_z (ali3p_motion.c). ali3p_project computes zd, zdd and the reactions (ali3p_projection.c). */
mbd_status ali3p_solve_motion(mbd_sim *s, mbd_error *err);
mbd_status ali3p_project(mbd_sim *s, mbd_error *err);

/* Evaluates Phi, Phi_z, and the parts K (with the contribution of the reactions), C, M of the tangent at the present
 * iterate: s->now.z, and the rates vs, as. */
void ali3p_evaluate_tangent(mbd_sim *s);

/* Computes P0, the penalty alpha_P, and the factors P_lu of P0 + alpha_P Phi_z' Phi_z at the swept position. with_mass:
 * the mass matrix has been evaluated at this position, with the tangent. */
mbd_status ali3p_factor_projection(mbd_sim *s, int with_mass, mbd_error *err);

/* Memory of the solver for constraints that are nearly dependent. NULL for compliant constraints: Phi is not zero
 * there, and redundant rows differ by the order of Phi (penalty.c). */
mbd_weak *ali3p_weak(mbd_sim *s);

/* T0 and Phi_z on the factors T_lu; with the constraints' compliance. */
mbd_saddle ali3p_motion_system(mbd_sim *s);

/* The matrix of both projections, P and Phi_z, on its factors. */
mbd_saddle ali3p_projection_system(mbd_sim *s);

/* The multipliers [nphi] of the step's projections of velocities and of accelerations. */
void ali3p_projections(const mbd_sim *s, const mbd_real **sigma, const mbd_real **kappa);

/* Sensitivities of the step (S0 §4) from those of the previous step in s->sens: of the motion, after
 * ali3p_solve_motion; of the projections, after ali3p_project. */
mbd_status ali3p_sens_motion(mbd_sim *s, mbd_error *err);
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err);

/* The adjoint of the step (ali3p_adjoint.c). */
mbd_status ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* Memory (ali3p_create.c). MBD_UNSUPPORTED: integrators that are not of Newmark's family. */
mbd_status ali3p_check_integrator(const mbd_sim *s, mbd_error *err);
mbd_status ali3p_create(mbd_sim *s, mbd_error *err);
void ali3p_destroy(mbd_sim *s);
matrices *ali3p_matrices(const mbd_sim *s);

/* The numbers of a state beyond those of the simulation (v*, a*, from which its tangent is recomputed), and the numbers
 * of a record, which the adjoint of a step reads. */
size_t ali3p_state_reals(const mbd_sim *s);
void ali3p_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);
size_t ali3p_record_reals(const mbd_sim *s);
void ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at);

/* A node of the continuous adjoint (ali3p_continuous.c). */
mbd_status ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);

#endif
