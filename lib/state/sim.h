/* One simulation: its case, and the state of a run. Formulations, start, objectives and adjoint share it; the memory of each of them is
 * its own. */
#ifndef MBD_SIM_INTERNAL_H
#define MBD_SIM_INTERNAL_H

#include <string.h>

#include "dynamics/motion.h"
#include "integrator/integrator.h"
#include "mbd/simulate.h"
#include "output/output.h"

/* In the complex build the imaginary parts converge with the real ones, one iteration behind. */
#ifdef MBD_COMPLEX
enum { EXTRA_ITERATIONS = 2 };
#else
enum { EXTRA_ITERATIONS = 0 };
#endif

/* Drops the imaginary parts of an iterate far from the solution: along a long way, steps that do not converge can multiply them
 * until they are no longer small. Newton's iteration at the real solution finds them from zero in its last steps. */
static inline void sim_drop_imaginary(int n, mbd_real *x) {
  /* cppcheck-suppress selfAssignment ; of real numbers, but not of complex ones */
  for (int i = 0; i < n; i++) { x[i] = mbd_re(x[i]); }
}

/* A state and its sensitivities [n][np]. lam: the multipliers that the step solves for. reaction: those that go with zdd,
 * which outputs, objectives and observers see; the same memory as lam where the two are one (sim_reactions_apart). */
typedef struct sim_state {
  mbd_real *z, *zd, *zdd;   /* [nz] */
  mbd_real *lam, *reaction; /* [nphi] */
  mbd_real *acc;            /* [nz] of schemes that have it */
} sim_state;

typedef struct sim_sens {
  mbd_real *z, *zd, *zdd; /* [nz][np] */
  mbd_real *lam;          /* [nphi][np] */
  mbd_real *reaction;     /* [nphi][np], or lam */
  mbd_real *acc;          /* [nz][np] of schemes that have it */
} sim_sens;

/* Copies n numbers between x and the place *at of a record, into the record or out of it, and moves *at behind them. */
typedef void (*sim_copy)(mbd_real **at, mbd_real *x, int n);

void sim_into_record(mbd_real **at, mbd_real *x, int n);
void sim_from_record(mbd_real **at, mbd_real *x, int n);

typedef struct mbd_formulation_ops mbd_formulation_ops;
typedef struct mbd_tangent_ops mbd_tangent_ops; /* formulation/tangent.h */
typedef struct sim_analysis sim_analysis;       /* simulate/analysis.h */
typedef struct sim_start sim_start;             /* simulate/start.h */
typedef struct sim_watch sim_watch;             /* simulate/watch.c */
typedef struct sim_observed sim_observed;       /* simulate/simulate.c */
typedef struct sim_adjoint sim_adjoint;         /* state/adjoint.h */
typedef struct sim_objectives sim_objectives;   /* objective/objectives.h */

/* The part of a step that is stored for an adjoint: nothing, because there is none; the state at its end, from which the run can continue;
 * that state and the record of the formulation. */
typedef enum sim_kept { SIM_NOT_KEPT, SIM_KEPT_STATES, SIM_KEPT_RECORDS } sim_kept;

struct mbd_sim {
  /* The case. mbd_sim_create sets it, with all memory; a run changes only h, scheme and what w holds. */
  const mbd_model *m;
  const mbd_outputs *o;
  mbd_case c; /* with the penalty and the iterations that a formulation puts in the place of none (penalty.c) */
  const sim_analysis *analysis;
  const mbd_formulation_ops *ops;
  void *own; /* the formulation's memory */
  const mbd_tangent_ops *tangent;
  void *tangent_own; /* its memory */
  const mbd_integrator_ops *integrator;
  int nsteps;
  /* The step [s] and the integrator's numbers for it; parts of a step replace both for a while (newton_parts.c). */
  double h;
  mbd_scheme scheme;
  /* Where the duration is free (c.free_duration), a run sets c.duration and h. Time is `dilation` times what these say: 1; in the
   * complex build with the imaginary part that the duration has relative to it. */
  mbd_real dilation;
  int npsi, np_max;    /* objectives; most directions */
  int reactions_apart; /* below */
  motion_rows eq;      /* Phi */
  motion_rows held;    /* Phi and the held quantities, if they count */
  mbd_work *w;         /* the current motion */

  /* One run: its parameters and directions, owned by the caller, and its state. The start writes `now` and `sens`, then the formulation
   * does at every step. */
  const mbd_params *p;
  mbd_dparams *const *d; /* [np] */
  mbd_real *stretch;     /* [np] change of the duration along each of them, relative to it */
  int np;
  mbd_real t;            /* [s] */
  sim_state now, before; /* accepted states of this node and the last */
  sim_sens sens;         /* of the accepted state */
  mbd_stats stats;
  mbd_warning warning[MBD_WARNINGS]; /* by sim_warn */
  int nwarning;

  /* The start, with which steps are compared (stuck.c): z; the independent rows of Phi_z, the first `rank` in row [nphi]. */
  mbd_real *z_first; /* [nz] */
  int rank, *row;
  sim_kept kept; /* what an adjoint keeps of the steps of this run */
  int advised;   /* 1: in this run a step that Newton's usual iteration did not solve has been judged */
  /* [nz] by explicit steps: zdd of the last stage less that of the node, from which watch.c judges them */
  double *stage_gap;

  mbd_real *column_z, *column_zd; /* [nz] of sim_vary_motion, while its direction is in use */
  mbd_arena arena;

  /* Parts that only their owners read and write. */
  sim_start *start;
  sim_watch *watch;
  sim_observed *observed;
  sim_objectives *objectives;
  sim_adjoint *adjoint; /* made when first asked for, with the function that destroys it */
  void (*adjoint_destroy)(sim_adjoint *a);
};

/* Reactions of a step have memory of their own: its lam goes with accelerations that are projected, and what the projection
 * adds is a force too (formulation/projection.h). */
static inline int sim_reactions_apart(const mbd_sim *s) {
  return s->reactions_apart;
}

/* block [n][np], column k: minus column [n] */
static inline void sens_subtract(int n, int np, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] -= column[i]; }
}

/* One warning of every kind, the first. kind: not copied. */
void sim_warn(mbd_sim *s, const char *kind, double time, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Puts the present time into the error of a failed call. */
mbd_status sim_at_time(mbd_status status, const mbd_sim *s, mbd_error *err);
double sim_seconds(void); /* of wall time */

/* Direct differentiation of a scheme whose step is stretched. With s the stretch, its velocities and accelerations are those of a step
 * of constant length in the time t/s, where rates are s zd, s^2 zdd, s^2 acc:
 *   s v* = c dz + v_zd s zd_ + v_zdd s^2 zdd_ + v_acc s^2 acc_,     s^2 a* = a dz + a_zd s zd_ + a_zdd s^2 zdd_ + a_acc s^2 acc_
 * Adds what s' changes in the parts v, a [n][np] of v*', a*' that the node before has fixed, `before` [n]; star_v, star_a
 * [n]: v*, a*. */
void sim_stretch_history(const mbd_sim *s, int n, const sim_state *before, const mbd_real *star_v,
                         const mbd_real *star_a, mbd_real *v, mbd_real *a);

/* Makes direction k of the coefficients the direction of the mechanics (dynamics/motion.h). */
void sim_vary(mbd_sim *s, int k);
/* The same together with columns k of zp, zdp [nz][np] for the coordinates; zdp NULL: zero. */
void sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp);

#endif
