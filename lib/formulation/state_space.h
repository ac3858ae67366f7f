/* State-space formulations: an ordinary differential equation in independent coordinates (theory.md §5.3 (5.6), (5.7); S1),
 *   xi'' = F(xi, xi', t),     xi = B z
 * whose every evaluation solves four problems at one position,
 *   Phi(z) = 0,                     B z   = xi       place
 *   Phi_z zd = -Phi_t,              B zd  = eta      velocities
 *   M zdd + Phi_z' lam = -r0,  Phi_z zdd = -gam      accelerations; r0, gam: r, Phidd at zdd = 0
 * so that Phi, Phid, Phidd vanish at every node and stage. Members of the family differ in how they solve the last one
 * (ss_ops), with a symmetric matrix: the same solution serves forward, for sensitivities, and for adjoints.
 *
 * The mechanism is that of mechanics.h, in joint coordinates or in natural ones (natural_matrix_r.h).
 *
 *   state_space.c          the evaluation
 *   state_space_family.c   its memory, and its steps by kinds of integrator
 *   state_space_direct.c   its derivative along directions
 *   state_space_adjoint.c  the transpose of that
 *   state_space_continuous.c  the adjoint of the differential equation itself, along the nodes
 *   stages.c               sums over the stages of a step, and the reverse pass through them
 *   explicit_step.c        Runge-Kutta steps and their derivatives, made of evaluations
 *   implicit_*.c           steps of the Newmark family and their derivatives, likewise
 *   adaptive_step.c        likewise steps whose sizes are chosen for their error
 *   independent.c          the choice of [Phi_z; B]; independent_solve.c: its problems; independent_velocity.c: with velocity constraints
 *   matrix_r.c, ...        the members
 *   articulated.h, fully_recursive*.c  the one that goes joint by joint: the tree, closed loops */
#ifndef MBD_STATE_SPACE_H
#define MBD_STATE_SPACE_H

#include "formulation/formulation.h"
#include "formulation/independent.h"
#include "formulation/mechanics.h"

enum { MBD_STAGE_MAX = 8 };

/* The dynamic problem  M x + Phi_z' y = f,  Phi_z x = g. */
struct ss_ops {
  mbd_status (*choice)(mbd_sim *s, int kmax, independent **out, mbd_error *err); /* NULL: independent_create */
  /* *seen: a simulation whose outputs are those of s->now, a state between nodes; NULL: s itself */
  mbd_status (*show)(mbd_sim *s, mbd_sim **seen, mbd_error *err);
  int open_loops; /* 1: only for models in which each constraint depends on one joint */
  int matrix_free_from; /* the number of coordinates from which implicit steps form no matrices of system size; 0: they always do */
  mbd_status (*create)(mbd_sim *s, void **memory, mbd_error *err); /* NULL: nothing of its own */
  void (*destroy)(void *memory);
  /* Factors at the swept position, where the blocks of `independent` have theirs. */
  mbd_status (*factor)(mbd_sim *s, void *memory, mbd_error *err);
  /* f [nz][k], g [nphi][k] -> x [nz][k], y [nphi][k]; rows of y that are not in use become zero. f and g are kept.
   * MBD_SINGULAR where the solution leaves a residual. */
  mbd_status (*solve)(mbd_sim *s, void *memory, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                      mbd_error *err);
};

/* One evaluation: a stage, or a node. */
typedef struct ss_point {
  double t;
  mbd_real *z, *zd, *zdd, *lam; /* [nz], [nphi] */
} ss_point;

/* A kind of integrator: how a step is composed of evaluations. */
typedef struct ss_steps {
  mbd_status (*create)(mbd_sim *s, void **memory, mbd_error *err); /* NULL: nothing of its own */
  void (*destroy)(void *memory);
  void (*begin)(mbd_sim *s);                                      /* at the start; NULL: nothing to do */
  mbd_status (*step)(mbd_sim *s, mbd_error *err);                 /* mbd_formulation_ops.step */
  mbd_status (*back)(mbd_sim *s, sim_adjoint *a, mbd_error *err); /* mbd_formulation_ops.adjoint_step */
  size_t (*state_reals)(const mbd_sim *s);                        /* its state and its record, as there */
  void (*copy_state)(mbd_sim *s, sim_copy copy, mbd_real **at);
  size_t (*record_reals)(const mbd_sim *s);
  void (*copy_record)(mbd_sim *s, sim_copy copy, mbd_real **at);
  /* After copy_record of a node: equal parts of the way there that are no longer than the steps taken; NULL: 1. */
  int (*parts)(const mbd_sim *s);
} ss_steps;

/* Derivatives of r + Phi_z' lam, Phid and Phidd by z and zd at one evaluation, for implicit steps and for mechanics.by_matrices. K, C
 * of mechanics.slopes_size(). */
typedef struct ss_slopes {
  mbd_real *K, *C;
  rate_slopes rates;
  mbd_nonzeros K_at, Phi_at; /* in joint coordinates: where these can differ from zero */
} ss_slopes;

/* Sensitivities: of every stage [nz][np], arguments [nf][np], right-hand sides. */
typedef struct ss_sens {
  mbd_real *zd[MBD_STAGE_MAX], *zdd[MBD_STAGE_MAX];
  mbd_real *xi0, *eta0, *xi, *eta, *F, *G;
  mbd_real *dr, *dphi, *dphid, *dphidd; /* changes along a direction: [nz], [nphi] */
} ss_sens;

/* Adjoints: derivatives by rates of the stages [nz][npsi], by arguments [nf][npsi]. */
typedef struct ss_back {
  mbd_real *by_zd[MBD_STAGE_MAX], *by_zdd[MBD_STAGE_MAX];
  mbd_real *by_xi, *by_eta, *by_xi0, *by_eta0;
} ss_back;

/* Continuous adjoint: the current node, the one after it, the choice of coordinates for the way between them, and its
 * steps from node to node. */
typedef struct ss_continuous {
  ss_point here, later;
  mbd_real *gain_xi, *gain_eta; /* [nf][npsi] what the stages of an explicit step add to p, v */
  mbd_real *carried_xi,
      *carried_eta; /* [nf][npsi] of an implicit run: what the objectives at the node leave to the step before */
  mbd_real *way;
  int parts;
} ss_continuous;

typedef struct state_space {
  const ss_ops *ops;
  const mechanics *mech;
  int n, m, max_free; /* coordinates, equations, independent coordinates at most */
  void *ops_memory;
  const ss_steps *steps;
  void *steps_memory;
  independent *indep;
  int nstage;
  ss_point stage[MBD_STAGE_MAX];  /* of the current step; stage[0] is its start */
  mbd_real *choice, *next_choice; /* of independent coordinates, as numbers: of the current step; of the next */
  mbd_real *xi, *eta;             /* [nf] arguments of an evaluation */
  mbd_real *f, *g;                /* right-hand sides of the dynamic problem [nz], [nphi] */
  mbd_real *phi_t;                /* [nphi] minus that of the velocities */
  ss_slopes slopes;
  ss_sens sens;
  ss_back back;
  ss_continuous continuous;
  mbd_arena arena;
} state_space;

static inline state_space *ss_of(const mbd_sim *s) {
  return s->memory;
}

/* f = -r, g = -Phidd of s->now at zdd = 0, to which it sets zdd, and where the motion is moved. */
void ss_right_sides(mbd_sim *s);

/* s->now from q->xi, q->eta at s->t, with a guess of the dependent coordinates in s->now.z; leaves position, velocities
 * and all factors there. */
mbd_status ss_evaluate(mbd_sim *s, mbd_error *err);

/* Computes the slopes at the evaluation just made; newton: K and C by the tangent of the case, for a correction alone. */
void ss_linearize(mbd_sim *s, int newton);
/* With these f [nz][k] -= K z + C zd, g [nphi][k] -= Phidd_z z + Phidd_zd zd; zd NULL: g -= Phid_z z alone. z, zd [nz][k]. */
void ss_subtract_slopes(mbd_sim *s, int k, const mbd_real *z, const mbd_real *zd, mbd_real *f, mbd_real *g);

/* Derivatives at the evaluation just made, from those of its arguments q->sens.xi, q->sens.eta [nf][np]: of z, zd, zdd, lam into
 * `to` [nz][np], [nphi][np]; sweeps motion with zdd, columns. linearized: the slopes have been computed there. */
mbd_status ss_evaluate_sens(mbd_sim *s, int linearized, const sim_sens *to, mbd_error *err);

/* The transpose at the state s->now: position, motion (with zdd) and columns swept, all factors there (ss_sweep). From
 * derivatives by z, zd, zdd, lam in a->z, a->zd, a->zdd, a->lam and in the reverse sweeps that have been begun (cleared, or
 * with the outputs') to those by the arguments, q->back.by_xi, q->back.by_eta [nf][npsi], and by the coefficients. */
mbd_status ss_evaluate_back(mbd_sim *s, sim_adjoint *a, mbd_error *err);

/* After it, where the time may be stretched (adjoint_stretch_rates): the arguments are eta = s eta / s, of which the sums over
 * stages, or the scheme, give s eta. */
void ss_stretch_back(const mbd_sim *s, sim_adjoint *a);

/* Clears the derivatives by z, zd, zdd, lam, in a and in the reverse sweeps. */
void ss_clear_back(const mbd_sim *s, sim_adjoint *a);

/* A state as a point, in the same memory. */
static inline ss_point ss_point_of(const sim_state *state, double t) {
  return (ss_point){t, state->z, state->zd, state->zdd, state->lam};
}
/* to := from, in memory of its own */
void ss_set_point(const mbd_sim *s, ss_point *to, const ss_point *from);
/* point := s->now */
void ss_keep(const mbd_sim *s, ss_point *at);
/* At s->now: position, motion with zdd and columns swept, all factors there. */
mbd_status ss_sweep(mbd_sim *s, mbd_error *err);
/* s->now := point, s->t its time, and swept there. */
mbd_status ss_return(mbd_sim *s, const ss_point *at, mbd_error *err);

/* A point as numbers. */
size_t ss_point_reals(const mbd_sim *s);
void ss_copy_point(const mbd_sim *s, ss_point *point, sim_copy copy, mbd_real **at);

/* At the end of a step h (0: of no step): choose independent coordinates for the next, if those in use no longer determine the motion well;
 * changes nothing else. MBD_SINGULAR as independent_keep_or_choose. */
mbd_status ss_choose(mbd_sim *s, double h, mbd_error *err);

/* Sums over the first n stages of a step of size h with weights w (stages.c): q->xi, q->eta with the guess in s->now; q->sens.xi,
 * q->sens.eta; and from q->back.by_xi, q->back.by_eta to those by the start, q->back.by_xi0, q->back.by_eta0, and by the rates of the stages. */
void stage_sum(mbd_sim *s, int n, const double *w, double h);
void stage_sum_sens(mbd_sim *s, int n, const double *w, double h);
void stage_sum_back(mbd_sim *s, const sim_adjoint *a, int n, const double *w, double h);
void stages_back_clear(mbd_sim *s, const sim_adjoint *a);
/* From these through the stages n - 1, ..., 1 to the state of the start, in a. */
mbd_status stages_back(mbd_sim *s, sim_adjoint *a, int n, double h, mbd_error *err);

extern const ss_steps ss_explicit, ss_adaptive, ss_implicit;

/* For steps that end at their node: the state is the choice of independent coordinates; the record is all stages but the first, and the
 * choice. */
size_t ss_choice_reals(const mbd_sim *s);
void ss_copy_choice(mbd_sim *s, sim_copy copy, mbd_real **at);
size_t ss_stages_reals(const mbd_sim *s);
void ss_copy_stages(mbd_sim *s, sim_copy copy, mbd_real **at);

/* State between nodes as a run sees it (ss_ops.show). */
mbd_status ss_show(mbd_sim *s, mbd_sim **seen, mbd_error *err);

/* Returns 1 if implicit steps of the case form no matrices of system size. */
int ss_matrix_free(const mbd_sim *s);

/* Most right-hand sides at once of a dynamic problem. */
int ss_columns(const mbd_sim *s);

/* Memory for a member in coordinates of a mechanism: q has its ops, mech, n, m, max_free, and becomes s->memory. */
mbd_status ss_create_in(mbd_sim *s, state_space *space, mbd_error *err);

/* Functions that all members of the family share. ss_create: MBD_UNSUPPORTED where an open-loop member meets a loop. */
mbd_status ss_create(mbd_sim *s, mbd_error *err);
void ss_destroy(mbd_sim *s);
mbd_status ss_begin(mbd_sim *s, mbd_error *err);
mbd_status ss_step(mbd_sim *s, mbd_error *err);
mbd_status ss_adjoint_step(mbd_sim *s, sim_adjoint *a, mbd_error *err);
mbd_status ss_continuous_adjoint(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);
size_t ss_state_reals(const mbd_sim *s);
void ss_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);
size_t ss_record_reals(const mbd_sim *s);
void ss_copy_record(mbd_sim *s, sim_copy copy, mbd_real **at);

/* The motion at the start by the member's own factors, for members without dense matrices. */
mbd_status ss_factor_motion(mbd_sim *s, mbd_error *err);
mbd_status ss_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                           mbd_error *err);

#define SS_FORMULATION                                                                                             \
  .create = ss_create, .destroy = ss_destroy, .begin = ss_begin, .step = ss_step, .adjoint_step = ss_adjoint_step, \
  .continuous_adjoint = ss_continuous_adjoint, .state_reals = ss_state_reals, .copy_state = ss_copy_state,         \
  .record_reals = ss_record_reals, .copy_record = ss_copy_record

#endif
