/* ALI3-P: its memory, and the parts of its step and of the derivatives of the step, in the coordinates of its mechanics (mechanics.h).
 *
 *   ali3p.c             the equations, and a step
 *   ali3p_row.c         the row of the formulation table
 *   ali3p_natural.c     the row of the formulation table in natural coordinates
 *   ali3p_create.c      memory
 *   ali3p_penalties.c   penalties of single constraints: alpha as a diagonal matrix
 *   ali3p_velocity.c    constraints of velocities in that motion
 *   ali3p_motion.c      the motion of a step, by Newton's iteration (newton.h)
 *   ali3p_projection.c  the projections of velocities and accelerations
 *   ali3p_direct.c      derivatives of a step along directions
 *   ali3p_adjoint.c     the transpose of that, and the record of a step
 *   ali3p_continuous.c  the continuous adjoint */
#ifndef MBD_ALI3P_H
#define MBD_ALI3P_H

#include "formulation/formulation.h"
#include "formulation/mechanics.h"

/* Iterates of a projection with a given number of iterations, and the multipliers that they satisfy. */
typedef struct ali3p_iterates {
  mbd_real *x;    /* [projection_iterations][nz] */
  mbd_real *mult; /* [projection_iterations][nphi] */
} ali3p_iterates;

/* Memory for the derivatives of a step along directions, beside those of the state (ali3p_direct.c): blocks [nz][np] and [nphi][np]. */
typedef struct ali3p_sens {
  mbd_real *v_history, *a_history;      /* contributions of the previous node to v*', a*' */
  mbd_real *rhs, *row_rhs;              /* right-hand sides of the equations of motion and of Phi */
  mbd_real *dz;                         /* z' minus z' of the previous node */
  mbd_real *vs, *as;                    /* v*', a*' */
  mbd_real *v_rhs, *a_rhs;              /* right-hand sides of the projections of velocities and accelerations */
  mbd_real *v_rate, *a_rate;            /* changes of the constraints' rates in these projections */
  mbd_real *it_rhs, *it_rate;           /* v_rhs or a_rhs, v_rate or a_rate at one of several iterates */
  mbd_real *sigma, *kappa;              /* multipliers of the projections of velocities and accelerations */
  mbd_real *minus_rate;                 /* right-hand side of one in the constraints */
  mbd_real *step, *rg;                  /* of the solver */
  mbd_real *Kp;                         /* [nz][nz] derivative of a projection */
  mbd_real *change;                     /* [nz] x - x* */
  mbd_real *dr, *dphi, *dphid, *dphidd; /* changes along a direction: [nz], [nphi] */
} ali3p_sens;

/* Memory for the adjoint of a step, beside that of the state (ali3p_adjoint.c): blocks [nz][npsi] */
typedef struct ali3p_back {
  mbd_real *vs, *as; /* derivatives of the objectives by v*, a* */
  mbd_real *mu_zdd;  /* mu of the accelerations, stored while the equations of the velocities are solved */
  mbd_real *by_rate; /* derivatives by the rate in the adjoint of its iterations */
} ali3p_back;

/* Memory for a node of the continuous adjoint (ali3p_continuous.c): [nz], [nphi] */
typedef struct ali3p_node {
  mbd_real *lam;                   /* multipliers that satisfy the equations of motion with zdd */
  mbd_real *r, *zero_rows;         /* right-hand sides of the equations of zdd and lam */
  mbd_real *x, *step, *rg;         /* correction of zdd that lam leaves, nearly zero; scratch of the solver */
  mbd_real *g_z, *g_zd;            /* [nz][npsi] derivatives of the objectives by z, zd there */
  mbd_real *by_accel;              /* [nz][npsi] adjoint variables of the accelerations */
  mbd_real *Psid_z, *Psid_zd, *nu; /* velocity constraints: [nvelocity_row][nz]; [nvelocity_row][npsi] */
} ali3p_node;

/* Newton's iteration of a step (ali3p_motion.c): [nz], [nphi] */
typedef struct ali3p_newton {
  newton_memory memory;
  mbd_real *vs, *as;         /* v*, a* */
  mbd_real *r;               /* r + Phi_z' lam */
  mbd_real *phi, *violation; /* Phi; Phi - compliance W^-1 lam */
  mbd_real *dz, *dlam;       /* the correction */
  int opening;               /* 1: the correction is the first of its step */
  int settled; /* 1: the real parts of the step have converged, those of the referee with derivatives not yet */
  int own;     /* 1: every correction takes a tangent of its own, and passes that the referee's imaginary parts need */
  double motion_size;    /* length of dz without the part that rounding errors of the constraints cause */
  double residual;       /* largest entry of r + Phi_z' lam before the correction */
  mbd_real *dz_last;     /* the previous correction */
  mbd_real *weights;     /* weights of the constraints in a correction */
  mbd_real *left;        /* residual of the linearized constraints after a pass of the correction */
  mbd_real *left_before; /* the same after the previous pass */
} ali3p_newton;

/* The tangent with which Newton's iteration of the next step begins (ali3p_motion.c): none; the factors, with their Phi_z; or
 * the tangent of the node, which has to be factored because a trajectory has restored the node. */
typedef enum ali3p_tangent_state { TANGENT_NONE, TANGENT_AT_HAND, TANGENT_OF_RESTORED } ali3p_tangent_state;

/* The tangent of a step, or of a node of the continuous adjoint. */
typedef struct ali3p_tangent {
  mbd_real *K, *C, *T0; /* [nz][nz] it and its parts */
  mbd_factors lu;       /* of T0 + alpha Phi_z' W Phi_z */
  mbd_real *E, *T_rows; /* velocity constraints (ali3p_velocity.c): [nvelocity_row][nz]; a matrix as T0 */
  double alpha;
  double *weight; /* [nphi] the diagonal of W (ali3p_weigh); NULL: ones */
  ali3p_tangent_state state;
  int age;              /* steps since it has been renewed */
  mbd_real *slopes;     /* slopes of expensive forces at the node, for the adjoint */
  mbd_real restored_at; /* [s] */
  mbd_real *pivots;     /* [nz + 1] pivots of lu, and alpha, as numbers of a record */
} ali3p_tangent;

/* The projections of velocities and accelerations (ali3p_projection.c). */
typedef struct ali3p_projection {
  const mbd_projection_ops *ops;
  int by_formulation; /* 1: the formulation sets their iterations and penalty itself */
  mbd_real *P0;       /* [nz][nz] */
  mbd_factors lu;     /* of P0 + alpha Phi_z' W Phi_z */
  double alpha;
  double *weight; /* [nphi] the diagonal of W; NULL: ones, as of projections that do not take the penalty of the case */
  mbd_real *phi_t, *phidd; /* [nphi] Phi_t, and Phidd at zdd = 0 */
  mbd_real *sv, *sa;       /* [nphi] multipliers of the projections of velocities and of accelerations */
  ali3p_iterates iter_v, iter_a;
  mbd_real *p_star, *minus_g; /* right-hand sides: [nz], [nphi] */
  mbd_real *step, *rg;        /* of the solver: [nz], [nphi] */
} ali3p_projection;

typedef struct ali3p {
  const mechanics *mech;
  int n, m;          /* coordinates, constraints */
  matrices x;        /* M, Phi_z */
  double *penalty;   /* [nphi] penalties of single rows (ali3p_penalties.c), or 0; NULL: no row has one */
  double compliance; /* compliance of the constraints: Phi = compliance W^-1 lam, W of the tangent */
  ali3p_newton newton;
  ali3p_tangent tangent;
  ali3p_projection projection;
  rate_slopes rates; /* in joint coordinates, for more directions than are computed by products */
  ali3p_sens sens;
  ali3p_back back;
  ali3p_node adjoint;
  mbd_arena arena;
} ali3p;

static inline ali3p *ali3p_of(const mbd_sim *s) {
  return s->memory;
}

/* Number of independent rows of Phi_z: the coordinates less the degrees of freedom, which all coordinates have in common. */
static inline int ali3p_rank(const mbd_sim *s) {
  return ali3p_of(s)->n - (s->m->nz - s->rank);
}

/* 1: the derivatives of a step along np or fewer directions are computed by products with matrices that are not
 * formed. */
static inline int ali3p_by_products(const mbd_sim *s, int np) {
  return np <= MOTION_SEVERAL && s->c.projection_iterations == 0;
}

mbd_status ali3p_begin(mbd_sim *s, mbd_error *err); /* a run */
mbd_status ali3p_step(mbd_sim *s, mbd_error *err);

/* 1: the tangent is factored at the solution of every step, for derivatives (direct or adjoint), for the same numbers as with these, or for
 * projections by the tangent, and the next step begins with it. 0: one factored tangent is kept for as many steps as Newton's
 * iteration converges with it. */
static inline int ali3p_needs_tangent(const mbd_sim *s) {
  return s->np > 0 || s->kept || s->as_with_gradient || ali3p_of(s)->projection.ops->full;
}

/* ali3p_solve_motion computes z, lam and v*, a* of s->now; in runs with derivatives also the tangent T0, its parts, its
 * factors and Phi_z (ali3p_motion.c). ali3p_project computes zd, zdd and the reactions (ali3p_projection.c). */
mbd_status ali3p_solve_motion(mbd_sim *s, mbd_error *err);
mbd_status ali3p_project(mbd_sim *s, mbd_error *err);

/* Evaluates Phi, Phi_z, and the parts K (with the contribution of the reactions), C, M of the tangent at the present
 * iterate: s->now.z, and the rates vs, as. */
void ali3p_evaluate_tangent(mbd_sim *s);

/* Computes P0, its penalty alpha, and the factors of P0 + alpha Phi_z' W Phi_z at the swept position. with_mass:
 * the mass matrix has been evaluated at this position, with the tangent. */
mbd_status ali3p_factor_projection(mbd_sim *s, int with_mass, mbd_error *err);

/* Memory of the solver for constraints that are nearly dependent. NULL for compliant constraints: Phi is not zero
 * there, and redundant rows differ by the order of Phi (penalty.c). */
mbd_near_singular *ali3p_near_singular(mbd_sim *s);

/* T0 and Phi_z on the factors of the tangent; with the constraints' compliance. */
mbd_saddle ali3p_motion_system(mbd_sim *s);

/* The matrix of both projections, P and Phi_z, on its factors. */
mbd_saddle ali3p_projection_system(mbd_sim *s);

/* Velocity constraints (ali3p_velocity.c); all of these do nothing without them. Psi/c among newton.phi, and E of the tangent, at the present
 * motion; newton.phi from Psi to Psi/c. */
void ali3p_velocity_rows(mbd_sim *s);
void ali3p_scale_velocity_rows(mbd_sim *s);
/* The matrix to which factors add alpha Phi_z' W Phi_z: T0 + alpha A' W E. Overwrites scratch of the projections. */
const mbd_real *ali3p_matrix_of_rows(mbd_sim *s, double alpha, const double *weight);
void ali3p_velocity_times(const mbd_sim *s, const mbd_real *x, mbd_real *y);
void ali3p_velocity_sens(mbd_sim *s, const mbd_real *v_history, mbd_real *rows);
mbd_status ali3p_check_left_out(mbd_sim *s, mbd_error *err);

/* Finds the rows to which the case gives a penalty (ali3p_penalties.c). MBD_BAD_INPUT: a name is not known. */
mbd_status ali3p_find_penalties(const mbd_sim *s, mbd_error *err);

/* Sets the weights W of the rows, with which their penalties alpha W are those of the case times `factor`, and alpha where the case gives none.
 * weight NULL: all rows have the penalty alpha */
void ali3p_weigh(const mbd_sim *s, double alpha, double factor, double *weight);

void ali3p_step_terms(const mbd_sim *s, sim_step_terms *value, sim_step_terms *sens);

/* Sensitivities of the step (S0 §4) from those of the previous step in s->sens: of the motion, after
 * ali3p_solve_motion; of the projections, after ali3p_project. */
mbd_status ali3p_sens_motion(mbd_sim *s, mbd_error *err);
mbd_status ali3p_sens_projection(mbd_sim *s, mbd_error *err);

/* The adjoint of the step (ali3p_adjoint.c). */
mbd_status ali3p_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* Memory (ali3p_create.c): in joint coordinates; in those of a mechanism, for an object of zeros with its mech, n, m, which becomes
 * s->memory; its release. MBD_UNSUPPORTED: integrators that are not of Newmark's family. */
mbd_status ali3p_create(mbd_sim *s, mbd_error *err);
void ali3p_destroy(mbd_sim *s);
mbd_status ali3p_create_in(mbd_sim *s, ali3p *step, mbd_error *err);
void ali3p_release(ali3p *step);
matrices *ali3p_matrices(const mbd_sim *s);

/* The numbers of a state beyond those of the simulation (v*, a*, from which its tangent is recomputed), and the numbers
 * of a record, which the adjoint of a step reads. */
size_t ali3p_state_reals(const mbd_sim *s);
void ali3p_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);
size_t ali3p_record_reals(const mbd_sim *s);
void ali3p_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at);

/* A node of the continuous adjoint (ali3p_continuous.c). */
mbd_status ali3p_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);

/* What formulations made of ALI3-P in joint coordinates have in common. */
#define ALI3P_FORMULATION                                                                               \
  .destroy = ali3p_destroy, .begin = ali3p_begin, .step = ali3p_step, .state_reals = ali3p_state_reals, \
  .copy_state = ali3p_copy_state, .record_reals = ali3p_record_reals, .copy_record = ali3p_copy_record, \
  .adjoint_step = ali3p_adjoint_step, .tangent = 1, .projects = 1, .step_terms = ali3p_step_terms,      \
  .matrices = ali3p_matrices

#endif
