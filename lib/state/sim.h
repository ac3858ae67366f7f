/* One simulation: states, matrices, sensitivities. What formulations, start and quadrature share. */
#ifndef MBD_SIM_INTERNAL_H
#define MBD_SIM_INTERNAL_H

#include <string.h>

#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "formulation/projection.h"
#include "integrator/integrator.h"
#include "la/weak.h"
#include "mbd/simulate.h"
#include "output/output.h"
#include "simulate/start_rows.h"
#include "sens/store.h"

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

/* Whether steps resolve the motion (watch.c); [nz] each. */
typedef struct sim_watch {
  double *gap;                /* of explicit steps, by the formulation: zdd of the last stage less that of the node */
  double *last;               /* zdd of the node before the node before */
  double *error, *size;       /* fading sums of what is not resolved of zdd, and of zdd */
  double *top, *speed;        /* largest zdd, zd so far */
  double *jump, *jump_at;     /* largest error of a step, and when */
  int some_steps, most_steps; /* steps on end whose share was too large */
} sim_watch;

/* Guesses other than those given, for an assembly that fails with these (guesses.c). */
typedef struct sim_guesses {
  int attempt;         /* 0: the guesses that are given */
  double *shift;       /* [nz] what is added to them */
  unsigned char *open; /* [nz] coordinates of sets with equations that were left open */
  double best;         /* the largest residual of the position that came closest so far */
  double *closest;     /* [nz] that position */
} sim_guesses;

typedef struct mbd_formulation_ops mbd_formulation_ops;
typedef struct ss_ops ss_ops;           /* formulation/state_space.h */
typedef struct sim_places sim_places;   /* formulation/factor.c */
typedef struct sim_adjoint sim_adjoint; /* state/adjoint.h */

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
  int nterm, npsi, np_max;
  mbd_term *term;
  mbd_work *w;
  eq_list eq, holds;

  /* one run */
  const mbd_params *p;
  mbd_dparams *const *d;
  int np;
  mbd_real t;
  sim_state now, before; /* accepted states of this node and the last */
  sim_sens sens;         /* of the accepted state */
  mbd_stats stats;
  sim_watch watch;
  mbd_warning warning[MBD_WARNINGS];
  int nwarning;
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
  mbd_weak weak_static;   /* the same for the rows of static equilibrium */
  mbd_factors dense_lu;   /* in T, of matrices whose nonzeros are not listed */
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
  mbd_variation vary, still;      /* still: nothing moves */
  mbd_real *column_z, *column_zd; /* [nz] of one direction */

  /* start */
  int rank, nfree;                            /* independent rows of Phi_z; coordinates kept at their guess */
  int *row, *free_z;                          /* [nphi], [nz] */
  int *all_rows, *all_z;                      /* [nphi + held rows], [nz] scratch */
  mbd_blocks *rows;                           /* of Phi and the held quantities; kept: free_z */
  mbd_real *F;                                /* stacked rows Phi, holds, kept coordinates: [nrow][np] */
  sim_guesses other;                          /* of an assembly that fails */
  mbd_saddle motion;                          /* M, Phi_z at the start, on dense factors */
  mbd_real *J;                                /* static equilibrium: its rows [nrow][nz] */
  mbd_real *z_assembled;                      /* [nz] where the search for static equilibrium begins */
  double *settled_work;                       /* [nrow + 4 nz][nz], to judge it */
  int *settled_row, *settled_col;             /* [nrow], [nz] */
  mbd_real *y_static, *dy_static, *rg_static; /* static equilibrium: multipliers of its rows, [nrow][np] */

  /* outputs and objectives */
  mbd_real *y;                          /* [outputs] */
  double *y_real;                       /* [outputs] for observers */
  double *observed;                     /* z, zd, zdd, lam for observers */
  mbd_real *g_z, *g_zd, *g_zdd, *g_lam; /* rows of one output */
  mbd_real *yp;                         /* [np] derivative of one output */
  const mbd_curve **target;             /* [nterm] curve that a term subtracts; NULL: none */
  mbd_real *ep;                         /* [np] derivative of one output less its target curve */
  unsigned char *wanted;                /* [outputs] used by a term */
  int objectives_only;                  /* observers want no other outputs */
  int watched;                          /* an observer reads all outputs */
  int gathering;                        /* a run is adding to the sums; 0: its steps are taken again for an adjoint */
  int gauss_newton;                     /* gn is wanted */
  mbd_real *psi, *grad, *gn;            /* accumulated */
  double *peak_top;                     /* [npsi] peak forms: largest value so far */
  mbd_real *peak_sum, *peak_grad;       /* [npsi], [npsi][np]: sums of exp(sharpness (s - top)) */
  mbd_arena arena;

  sim_adjoint *adjoint; /* made when first asked for */
};

struct mbd_formulation_ops {
  const char *name;
  const char *doc;
  const ss_ops *space; /* the member of the state-space family; NULL: not of it */
  /* Memory of its own (s->own) for the model and the case, whose combination it may refuse; called when all else is made. */
  mbd_status (*create)(mbd_sim *s, mbd_error *err);
  void (*destroy)(mbd_sim *s);
  /* After the start; leaves the sweeps as a step does. NULL: nothing to do. */
  mbd_status (*begin)(mbd_sim *s, mbd_error *err);
  double penalty; /* > 0: lam = penalty Phi, with this one if the case gives none; 0: constraints hold */
  /* From s->before to s->now at time s->t, with the sensitivities if there are directions; leaves the sweeps at the new
   * state (with columns, if there are directions). */
  mbd_status (*step)(mbd_sim *s, mbd_error *err);
  /* Sensitivities of the step, from those of the step before in s->sens: two pieces, which `step` calls where its own
   * matrices are at hand; NULL: not available. */
  mbd_status (*sens_motion)(mbd_sim *s, mbd_error *err);
  mbd_status (*sens_projection)(mbd_sim *s, mbd_error *err);
  /* What it adds to a state that restarts the simulation, and to the record that the adjoint of a step reads (a record
   * begins with a state): numbers, and their copy. */
  size_t (*state_reals)(const mbd_sim *s);
  void (*copy_state)(mbd_sim *s, sim_copy copy, mbd_real **at);
  size_t (*record_reals)(const mbd_sim *s);
  void (*copy_record)(mbd_sim *s, sim_copy copy, mbd_real **at);
  /* Adjoint of the step: at the node s->now, with the rest of what the step has left (v*, a*, multipliers of the
   * projections), from derivatives by this node to those by the one before. NULL: not available. */
  mbd_status (*adjoint_step)(mbd_sim *s, sim_adjoint *a, mbd_error *err);
  /* Continuous adjoint, node k from the last to the start: at s->now, from derivatives by the state that the half step
   * behind it has left to those that the half step before it leaves (k = 0: those of the start). NULL: not available. */
  mbd_status (*continuous_adjoint)(mbd_sim *s, sim_adjoint *a, int k, mbd_error *err);
  /* Its own way of start_factor_motion, start_solve_motion (below); NULL: dense matrices. */
  mbd_status (*factor_motion)(mbd_sim *s, mbd_error *err);
  mbd_status (*solve_motion)(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                             mbd_error *err);
  int projects; /* 1: zdd is a projection of the accelerations that lam goes with */
  int dense;    /* 1: takes the matrices [nz][nz], [nphi][nz] of s, and the lists of their nonzeros */
};

const mbd_formulation_ops *mbd_formulation_at(int i);
const mbd_formulation_ops *mbd_formulation_find(const char *name);

/* Reactions of a step have memory of their own: its lam goes with accelerations that are projected, and what the projection
 * adds is a force too (projection.h). */
static inline int sim_reactions_apart(const mbd_sim *s) {
  return s->ops->projects && s->projection->forces;
}

/* Fill M_at, T0_at, Phi_at. */
mbd_status sim_nonzeros(mbd_sim *s, mbd_error *err);

/* Start: assembly, velocity, acceleration; and their derivatives in s->sens (after start_state). */
mbd_status start_state(mbd_sim *s, mbd_error *err);
mbd_status start_sens(mbd_sim *s, mbd_error *err);

/* The motion at the position of the last sweep, M x + Phi_z' y = f, Phi_z x = g: factors; then solutions for any number of
 * right-hand sides f [nz][k], g [nphi][k]; y: on entry a first guess. Scratch: dx [nz][k], rg [nphi][k]. */
mbd_status start_factor_motion(mbd_sim *s, mbd_error *err);
mbd_status start_solve_motion(mbd_sim *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                              mbd_real *dx, mbd_real *rg, mbd_error *err);
/* The same by dense factors of M + alpha Phi_z' Phi_z in P of s. */
mbd_status start_factor_mass(mbd_sim *s, mbd_saddle *q, mbd_error *err);

/* MBD_SINGULAR where these matrices cannot be factored, with the coordinates at the swept position that have neither mass nor a
 * constraint. For formulations with dense matrices; overwrites M and Phi_z. */
mbd_status sim_without_mass(mbd_sim *s, mbd_error *err);

/* Coordinates that neither constraints nor held quantities fix keep their guess: how far from it they are, F [nfree], and
 * minus the derivative of F along direction k added to b [nfree][np]. */
void start_free_values(const mbd_sim *s, mbd_real *F);
void start_free_sens(const mbd_sim *s, int k, mbd_real *b);
/* The guess of coordinate j differentiated by coefficients, at most four: their numbers and the slopes; returns how many. */
int start_guess_slopes(const mbd_sim *s, int j, int *coef, mbd_real *slope);

/* At the position of the last sweep: MBD_NO_ASSEMBLY if bodies of a cut joint have turned their shared axis against each
 * other. */
mbd_status start_check_axes(const mbd_sim *s, mbd_error *err);

/* F and J of the rows of the assembly (below) at the present positions. */
void start_evaluate_rows(mbd_sim *s);

/* Begin with the given guesses; keep the position at hand if none came closer; go on to other guesses, 0: there are no more; say
 * from which the start was found; the closest position, with F there. */
void guesses_begin(mbd_sim *s);
void guesses_keep(mbd_sim *s);
int guesses_other(mbd_sim *s);
void guesses_warn(mbd_sim *s);
void guesses_closest(mbd_sim *s);

/* sides [np] := the largest of it and of the entries of every column of b [nrow][np]. A warning where a solution leaves of them, in left
 * [nrow][np], more than rounding: redundant rows contradict each other, and it is that of least squares. */
void start_column_sizes(int nrow, int np, const mbd_real *b, mbd_real *sides);
void start_check_remainder(mbd_sim *s, int nrow, const mbd_real *left, const mbd_real *sides);
void start_warn_contradiction(mbd_sim *s, const char *what, int row);

/* Static equilibrium from the assembled position on, and the derivative of its position in s->sens.z. */
mbd_status settle_state(mbd_sim *s, mbd_error *err);
mbd_status settle_sens(mbd_sim *s, mbd_error *err);

/* After the last iteration, with J [nrow][nz] and K of settle.c there: a warning if the equilibrium is unstable, or far from s->z_assembled. */
void settle_check(mbd_sim *s, int nrow);

/* What the adjoint of the start shares. Rows of the assembly: Phi, held quantities, kept coordinates: how many; s->rows with
 * factors at the present position. */
int start_rows(const mbd_sim *s);
mbd_status start_factor_rows(mbd_sim *s, mbd_error *err);
/* The held quantities that stay at equilibrium; its rows J and its system K, J at the state of the start. */
eq_list settle_kept(const mbd_sim *s);
mbd_status settle_system(mbd_sim *s, mbd_saddle *q, mbd_error *err);

/* block [n][np], column k: minus column [n] */
static inline void sens_subtract(int n, int np, int k, const mbd_real *column, mbd_real *block) {
  for (int i = 0; i < n; i++) { block[i * np + k] -= column[i]; }
}

/* Objectives: zero the sums; add the node of the accepted state with quadrature weight `weight`; the terminal terms
 * are added at the last node. Needs sweep_motion at (zd, zdd), with gradients also sweep_columns. */
void quadrature_reset(mbd_sim *s);
void quadrature_outputs(mbd_sim *s); /* y of the outputs that are looked at */
void quadrature_add(mbd_sim *s, double weight, int last, int gradient, int gauss_newton);

/* Integrals over time, by the integrator (quadrature.c): weight of node k in the objectives; in a sum over the nodes alone.
 * Steps that are interpolated add points of their own, of s->now at s->t with s->sens: 1 if there is something to add. */
double sim_weight(const mbd_sim *s, int k);
double quadrature_node_rule(const mbd_sim *s, int k);
int quadrature_between_nodes(const mbd_sim *s);
void quadrature_add_point(mbd_sim *s, double weight);

/* Step k from s->now, which becomes the node before. */
mbd_status sim_advance(mbd_sim *s, int k, mbd_error *err);

/* A run without directions whose nodes are put into a trajectory. */
mbd_status sim_run_kept(mbd_sim *s, const mbd_params *p, store *trajectory, mbd_observer observer, void *user,
                        mbd_error *err);

/* Dense or sparse factors, as the case says; after sim_nonzeros. */
mbd_status sim_choose_solver(mbd_sim *s, mbd_error *err);
void sim_places_destroy(sim_places *g); /* NULL allowed */

/* f: T_lu or P_lu, factors of A + alpha Phi_z' Phi_z, A [nz][nz] and Phi_z of sim_phi_z. MBD_SINGULAR with the text `why`. */
mbd_status sim_factor(mbd_sim *s, const mbd_real *A, double alpha, mbd_factors *f, const char *why, mbd_error *err);

/* at := where dense factors differ from zero; nothing of sparse ones, which need no list. */
void sim_find_factors(const mbd_sim *s, const mbd_factors *f, const mbd_nonzeros *at);

/* A [nz][nz] := 0; at: where it can differ from zero */
void sim_clear(const mbd_sim *s, const mbd_nonzeros *at, mbd_real *A);

/* Phi (NULL: not wanted) and Phi_z at the swept position, packed alone if sparse; products with it: y [nphi][k] += c Phi_z x [nz][k], and
 * x [nz][k] += c Phi_z' y [nphi][k] */
void sim_phi_z(mbd_sim *s, mbd_real *phi);
void sim_pack_phi(mbd_sim *s); /* after eq_phi_z has made Phi_z without it */
void sim_phi_mul_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void sim_phi_mulT_add(const mbd_sim *s, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* alpha for this A and Phi_z of sim_phi_z */
double sim_penalty(const mbd_sim *s, const mbd_real *A);

/* MBD_UNSUPPORTED if the projections of this simulation have no derivatives. */
mbd_status sim_projection_derivatives(const mbd_sim *s, mbd_error *err);

/* The watch over a run: memory; begin; after step k, MBD_NO_CONVERGENCE if explicit steps are too long; end. */
void watch_layout(sim_watch *w, size_t n, mbd_arena *a);
void watch_begin(mbd_sim *s);
mbd_status watch_step(mbd_sim *s, int k, mbd_error *err);
void watch_end(mbd_sim *s);
/* One warning of every kind, the first. kind: not copied. */
void sim_warn(mbd_sim *s, const char *kind, double time, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Puts the present time into the error of a failed call. */
mbd_status sim_at_time(mbd_status status, const mbd_sim *s, mbd_error *err);
double sim_seconds(void); /* of wall time */

/* Bodies' change along direction k at the present motion; the shared "nothing moves" where no joint frame moves. */
const mbd_variation *sim_vary(mbd_sim *s, int k);
/* Along direction k of the coefficients with the coordinates' columns k of zp, zdp [nz][np]; zdp NULL: zero. */
const mbd_variation *sim_vary_motion(mbd_sim *s, int k, const mbd_real *zp, const mbd_real *zdp);

#endif
