/* One simulation: its case, and the state of a run. Formulations, start, objectives and adjoint share it; the memory of each of them is
 * its own. */
#ifndef MBD_SIM_INTERNAL_H
#define MBD_SIM_INTERNAL_H

#include <string.h>

#include "dynamics/motion.h"
#include "integrator/integrator.h"
#include "mbd/simulate.h"
#include "output/output.h"

/* In the complex build the imaginary parts converge with the real ones, one iteration behind; so do the derivatives of other scalars. */
#if defined(MBD_COMPLEX) || defined(MBD_SCALAR_HEADER)
enum { EXTRA_ITERATIONS = 2 };
#else
enum { EXTRA_ITERATIONS = 0 };
#endif

/* Sets the imaginary parts of an iterate far from the solution to zero: steps that do not converge can amplify them
 * until they are no longer small. Newton's iteration at the real solution computes them, from zero, in its last
 * steps. */
static inline void sim_drop_imaginary(int n, mbd_real *x) {
  /* cppcheck-suppress selfAssignment ; of real numbers, but not of complex ones */
  for (int i = 0; i < n; i++) { x[i] = mbd_re(x[i]); }
}

/* A state and its sensitivities [n][np]. lam: the multipliers that the step solves for. reaction: the multipliers that
 * satisfy the equations of motion with zdd, which outputs, objectives and observers read; it is the same memory as lam
 * unless the two differ (reactions_apart). */
typedef struct sim_state {
  mbd_real *z, *zd, *zdd;   /* [nz] */
  mbd_real *lam, *reaction; /* [nphi] */
  mbd_real *acc;            /* [nz] acc of schemes that have it */
} sim_state;

typedef struct sim_sens {
  mbd_real *z, *zd, *zdd; /* [nz][np] */
  mbd_real *lam;          /* [nphi][np] */
  mbd_real *reaction;     /* [nphi][np], or lam */
  mbd_real *acc;          /* [nz][np] derivative of acc */
} sim_sens;

/* The terms of a step of a formulation that projects (S0 (9) to (11)): the multipliers lam*, sigma, kappa [nphi], the rates v*, a* of the scheme
 * [nz]; or blocks of their derivatives, with np columns each. NULL: zero. */
typedef struct sim_step_terms {
  const mbd_real *lam, *sigma, *kappa, *v, *a;
} sim_step_terms;

/* The largest imaginary part, of the referee alone. */
#ifdef MBD_COMPLEX
enum { SIM_IMAGINARY = 1 };
static inline double sim_imaginary_size(int n, const mbd_real *x) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(cimag(x[i]))); }
  return max;
}
#else
enum { SIM_IMAGINARY = 0 };
static inline double sim_imaginary_size(int n, const mbd_real *x) {
  (void)n, (void)x;
  return 0;
}
#endif

/* Copies n numbers between x and the place *at of a record, into the record or out of it, and advances *at by n. */
typedef void (*sim_copy)(mbd_real **at, mbd_real *x, int n);

void sim_into_record(mbd_real **at, mbd_real *x, int n);
void sim_from_record(mbd_real **at, mbd_real *x, int n);

typedef struct mbd_formulation_ops mbd_formulation_ops;
typedef struct mbd_tangent_ops mbd_tangent_ops; /* formulation/tangent.h */
typedef struct sim_analysis sim_analysis;       /* simulate/analysis.h */
typedef struct sim_start sim_start;             /* simulate/start.h */
typedef struct sim_watch sim_watch;             /* simulate/watch.c */
typedef struct sim_singular sim_singular;       /* simulate/passed_singular.c */
typedef struct sim_growth sim_growth;           /* simulate/growth.c */
typedef struct sim_observed sim_observed;       /* simulate/simulate.c */
typedef struct sim_adjoint sim_adjoint;         /* state/adjoint.h */
typedef struct sim_objectives sim_objectives;   /* objective/objectives.h */
typedef struct sim_branches sim_branches;       /* simulate/branch.c */
typedef struct sim_turns sim_turns;             /* state/turns.h */
typedef struct sim_node_states sim_node_states; /* objective/node_states.h */

/* The part of a step that is stored for an adjoint: nothing, without an adjoint; the state at its end, from which the
 * run can continue; that state and the record of the formulation. */
typedef enum sim_kept { SIM_NOT_KEPT, SIM_KEPT_STATES, SIM_KEPT_RECORDS } sim_kept;

/* The largest slope or twist of a beam beyond those of its theory, relative to these: which beam, -1: none; when, and when the first such one was [s]. */
typedef struct sim_bending {
  int beam, twists;
  double size, at, begun;
} sim_bending;

struct mbd_sim {
  /* The case. mbd_sim_create sets it, with all memory; a run changes only h, scheme and the contents of w. */
  const mbd_model *m;
  const mbd_outputs *o;
  mbd_case c; /* if it has no penalty or no number of iterations, with those of the formulation (penalty.c) */
  const sim_analysis *analysis;
  const mbd_formulation_ops *ops;
  void *memory; /* the formulation's memory */
  /* Its terms of the current step, and their derivatives if there are directions; NULL: it has none. */
  void (*step_terms)(const mbd_sim *s, sim_step_terms *value, sim_step_terms *sens);
  const mbd_tangent_ops *tangent;
  void *tangent_memory; /* its memory */
  const mbd_integrator_ops *integrator;
  int nsteps;
  /* The step [s] and the integrator's numbers for it; parts of a step replace both for a while (newton_parts.c). */
  double h;
  mbd_scheme scheme;
  /* If the duration is free (c.free_duration), a run sets c.duration and h. Time is `dilation` times these: 1; in the
   * complex build with the imaginary part of the duration divided by its real part. */
  mbd_real dilation;
  int npsi, np_max;    /* number of objectives; largest number of directions */
  int reactions_apart; /* below */
  motion_rows eq;      /* Phi */
  motion_rows held;    /* Phi, and the held quantities if the analysis uses them */
  mbd_work *w;         /* the current motion */

  /* One run: its parameters and directions, owned by the caller, and its state. The start writes `now` and `sens`; then
   * the formulation writes them at every step. */
  const mbd_params *p;
  mbd_dparams *const *d; /* [np] */
  mbd_real *stretch;     /* [np] change of the duration along each of them, relative to it */
  int np;
  mbd_real t;            /* [s] */
  sim_state now, before; /* accepted states of this node and of the previous one */
  sim_sens sens;         /* of the accepted state */
  mbd_stats stats;
  int ntimed, *timed; /* [ncurve] curves with knots that act as functions of time (output/time_curves.h) */
  mbd_warning warning[MBD_DESIGNS][MBD_WARNINGS]; /* by sim_warn */
  int nwarning[MBD_DESIGNS];
  int design,
      each; /* of several designs, the one whose numbers are looked at and handed out (SIM_EACH_DESIGN); 1: within such a loop */
  int warned_together; /* a warning does not say of which of several designs it is */
  sim_bending bending[MBD_DESIGNS];

  /* The start, with which steps are compared (newton_diagnosis.c): z; the independent rows of Phi_z, the first `rank` in row [nphi]. */
  mbd_real *z_first; /* [nz] */
  int rank, *row;
  /* Velocity constraints that follow from the constraints of positions at the start: their rows are taken as zero. */
  int velocity_row;             /* the first row of velocity constraints, in the coordinates of this simulation */
  int nleft_out, position_rank; /* position_rank: of Phi_z without velocity constraints */
  unsigned char *left_out;      /* [nvelocity_row of the model] */
  int at_rest;                  /* 1: a static case, in which velocity constraints do not act */
  sim_kept kept;                /* what an adjoint keeps of the steps of this run */
  int as_with_gradient;         /* 1: runs without derivatives take the steps of those with them */
  int advised;                  /* 1: in this run a step that Newton's usual iteration did not solve has been judged */
  /* [nz] of explicit steps: zdd of the last stage minus zdd of the node, from which watch.c estimates their error */
  double *stage_difference;

  mbd_real *column_z, *column_zd; /* [nz] memory of the direction of sim_vary_motion */
  mbd_arena arena;

  /* Parts that only their owners read and write. */
  sim_start *start;
  sim_watch *monitor; /* [designs] */
  sim_singular *singular;
  sim_growth *growth;
  sim_observed *observed;
  sim_objectives *objectives;
  sim_turns *turns;
  sim_branches *branches; /* NULL: the case states none */
  sim_node_states *node_states;
  sim_adjoint *adjoint; /* created at the first call that needs it, with the function that destroys it */
  void (*adjoint_destroy)(sim_adjoint *a);
};

/* 1: the reactions of a step have separate memory. Its lam satisfies the equations of motion with the accelerations
 * before their projection, and the multipliers of the projection are forces too (formulation/projection.h). */
static inline int sim_reactions_apart(const mbd_sim *s) {
  return s->reactions_apart;
}

/* Rows of velocity constraints that are left out, of rows [nphi][k]: zero. */
static inline void sim_leave_out(const mbd_sim *s, int k, mbd_real *rows) {
  for (int i = 0; s->nleft_out > 0 && i < s->m->nvelocity_row; i++) {
    mbd_real *row = rows + (s->velocity_row + i) * k;
    for (int j = 0; s->left_out[i] && j < k; j++) { row[j] = 0; }
  }
}

/* The real part of the design that is looked at; and a loop that looks at each of them in turn. */
static inline double sim_of(const mbd_sim *s, mbd_real x) {
  (void)s;
  return mbd_of(x, s->design);
}
#define SIM_EACH_DESIGN(s) \
  for ((s)->design = 0, (s)->each = 1; (s)->design < MBD_DESIGNS || ((s)->design = (s)->each = 0); (s)->design++)

/* block [n][np], column k: minus column [n] */
static inline void sens_subtract(int n, int np, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] -= column[i]; }
}

/* Adds a warning of the design that is looked at, unless it has one of this kind already. kind: not copied. */
void sim_warn(mbd_sim *s, const char *kind, double time, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Adds the present time to the error of a failed call. */
mbd_status sim_at_time(mbd_status status, const mbd_sim *s, mbd_error *err);
double sim_seconds(void); /* of wall time */

/* Direct differentiation of a scheme whose step is stretched. With s the stretch, its velocities and accelerations are those of a step
 * of constant length in the time t/s, where rates are s zd, s^2 zdd, s^2 acc:
 *   s v* = c dz + v_zd s zd_ + v_zdd s^2 zdd_ + v_acc s^2 acc_,     s^2 a* = a dz + a_zd s zd_ + a_zdd s^2 zdd_ + a_acc s^2 acc_
 * Adds the terms with s' to v, a [n][np], the contributions of the previous node, `before` [n], to v*', a*'; star_v,
 * star_a [n]: v*, a*. */
void sim_stretch_history(const mbd_sim *s, int n, const sim_state *before, const mbd_real *star_v,
                         const mbd_real *star_a, mbd_real *v, mbd_real *a);

/* Sets direction k of the coefficients as the direction of the mechanics (dynamics/motion.h). */
void sim_vary(mbd_sim *s, int k);
/* The same, with columns k of zp, zdp [nz][np] as the direction of the coordinates; zdp NULL: zero. */
void sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp);

#endif
