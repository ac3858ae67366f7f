/* One simulation: its case, the state of a run, and what is at hand of its step. Formulations, start, objectives and adjoint share
 * it; what only one of them uses is its own (the pointers at the end). */
#ifndef MBD_SIM_INTERNAL_H
#define MBD_SIM_INTERNAL_H

#include <string.h>

#include "dynamics/motion.h"
#include "integrator/integrator.h"
#include "la/weak.h"
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

/* Iterates of a projection with a given number of iterations, and the multipliers that they satisfy. */
typedef struct sim_iterates {
  mbd_real *x;    /* [projection_iterations][nz] */
  mbd_real *mult; /* [projection_iterations][nphi] */
} sim_iterates;

/* Moves n numbers between x and a record, at its end *at, which goes on: into the record or out of it. */
typedef void (*sim_copy)(mbd_real **at, mbd_real *x, int n);

static inline void sim_into_record(mbd_real **at, mbd_real *x, int n) {
  memcpy(*at, x, (size_t)n * sizeof *x);
  *at += n;
}

static inline void sim_from_record(mbd_real **at, mbd_real *x, int n) {
  memcpy(x, *at, (size_t)n * sizeof *x);
  *at += n;
}

/* The end of a part of a step that is solved in parts (formulation/newton_parts.c). */
typedef struct sim_part {
  mbd_real *z, *zd, *lam;                            /* [nz], [nphi] */
  mbd_real *x, *correction, *mult, *correction_mult; /* an iterate of Newton's (newton_damped.c): [nz], [nphi] */
} sim_part;

typedef struct mbd_formulation_ops mbd_formulation_ops;
typedef struct mbd_projection_ops mbd_projection_ops;
typedef struct sim_places sim_places;         /* formulation/factor.c */
typedef struct sim_start sim_start;           /* simulate/start.h */
typedef struct sim_watch sim_watch;           /* simulate/watch.c */
typedef struct sim_observed sim_observed;     /* simulate/simulate.c */
typedef struct sim_adjoint sim_adjoint;       /* state/adjoint.h */
typedef struct sim_objectives sim_objectives; /* objective/objectives.h */

struct mbd_sim {
  const mbd_model *m;
  const mbd_outputs *o;
  mbd_case c;
  const mbd_formulation_ops *ops;
  void *own; /* the formulation's */
  const mbd_integrator_ops *integrator;
  const mbd_projection_ops *projection;
  int nsteps;
  double h; /* step in use */
  mbd_scheme scheme;
  int npsi, np_max;    /* objectives; most directions */
  int reactions_apart; /* below */
  mbd_work *w;
  motion_rows eq;   /* Phi */
  motion_rows held; /* Phi and the held quantities */

  /* one run */
  const mbd_params *p;
  mbd_dparams *const *d;
  int np;
  mbd_real t;
  sim_state now, before; /* accepted states of this node and the last */
  sim_sens sens;         /* of the accepted state */
  mbd_stats stats;
  mbd_warning warning[MBD_WARNINGS];
  int nwarning;
  int rank, *row; /* independent rows of Phi_z at the start, the first `rank` in row [nphi] */
  double *
      stage_gap; /* [nz] of explicit steps: zdd of the last stage less that of the node, which tells whether they resolve it */
  int advised; /* a step that Newton's usual iteration did not solve has been judged (formulation/stuck.c) */

  /* scratch of a step */
  mbd_real *vs, *as;          /* [nz] unprojected velocity, acceleration (v*, a*) */
  mbd_real *r, *dz, *dz_last; /* [nz] dz_last: the correction before */
  mbd_real *moved;            /* [nz] z less that of the node before */
  sim_part part;
  mbd_real *z_first;                  /* [nz] at the start of the run */
  mbd_real *phi, *dlam, *phi_t, *gam; /* [nphi] */
  mbd_real *gap;                      /* [nphi] Phi - compliance lam */
  mbd_real *sv, *sa;                  /* [nphi] total multipliers of the projections */
  sim_iterates iter_v, iter_a;
  /* dense matrices, where something takes them */
  mbd_real *K, *C, *M, *T0, *P0; /* [nz][nz]: tangent pieces and sum; projection matrix */
  mbd_real *T, *P;               /* [nz][nz]: factors of tangent and projection matrix */
  double alpha_T, alpha_P;       /* penalties in T and P */
  double compliance;             /* of the constraints: Phi = compliance lam */
  int own_projections;           /* 1: iterations and penalty of the projections are not those of the case */
  int *piv_T, *piv_P;
  mbd_factors T_lu, P_lu; /* in T and P, or sparse */
  mbd_weak weak;          /* for constraints that the penalties hardly hold */
  int sparse;             /* factors are sparse, matrices are cleared, summed and multiplied at their nonzeros only */
  const mbd_packed *Phi_packed; /* Phi_z of sim_phi_z if sparse, else NULL */
  sim_places *places;
  mbd_real *Phi_z, *Phid_z, *Phidd_z, *Phidd_zd; /* [nphi][nz] */
  mbd_nonzeros M_at, T0_at, Phi_at; /* where M; T0, K, C and Kp; Phi_z and its rates can differ from zero */
  mbd_nonzeros T_at, P_at;          /* where the factors do, for gradients */
  mbd_real *Kp;                     /* [nz][nz] derivative of a projection */

  /* scratch of sensitivities: blocks [nz][np] and [nphi][np], columns [nz], [nphi] */
  mbd_real *B, *V0, *A0, *vsp, *asp;
  mbd_real *E, *G, *Phi_th, *Em, *Gm;
  mbd_real *dr, *dphi, *dphid, *dphidd;
  mbd_real *column_z, *column_zd; /* [nz] of one direction */

  mbd_saddle mass; /* M, Phi_z at the start, on dense factors */
  mbd_arena arena;

  /* of others */
  sim_start *start;
  sim_watch *watch;
  sim_observed *observed;
  sim_objectives *objectives;
  sim_adjoint *adjoint; /* made when first asked for, with what ends it */
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

/* The mechanics' direction (dynamics/motion.h) becomes: k of the coefficients; */
const mbd_variation *sim_vary(mbd_sim *s, int k);
/* direction k of the coefficients with the coordinates' columns k of zp, zdp [nz][np]; zdp NULL: zero. */
const mbd_variation *sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp);

#endif
