/* Simulation of one case: start, time steps, objective values, and the direct gradient alongside. */
#ifndef MBD_SIMULATE_H
#define MBD_SIMULATE_H

#include <stddef.h>

#include "mbd/output.h"
#include "mbd/params.h"
#include "mbd/work.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The state that a motion begins with. */
typedef enum mbd_start {
  MBD_START_GIVEN,      /* all held quantities at their values */
  MBD_START_EQUILIBRIUM /* those that settle from the static equilibrium; rates as held */
} mbd_start;

/* What the equations of motion are written in. */
typedef enum mbd_coordinates {
  MBD_COORDINATES_JOINT,  /* those of the joints, with loops cut */
  MBD_COORDINATES_NATURAL /* places of points and components of vectors, which bodies share (theory.md §4.1) */
} mbd_coordinates;

/* How the linear systems of a step are solved. */
typedef enum mbd_linear_solver {
  MBD_LINEAR_AUTO,   /* the faster of these, by size and fill */
  MBD_LINEAR_DENSE,  /* factors and products of full matrices */
  MBD_LINEAR_SPARSE, /* of the nonzeros alone (KLU): MBD_NOT_BUILT_IN where the library is built without it */
} mbd_linear_solver;

/* How a case is simulated. Fill with mbd_case_init, then set duration and step. */
typedef struct mbd_case {
  double duration; /* [s] > 0 */
  double step;     /* [s] > 0; shortened so that a whole number of steps fits */
  /* 0: the duration is this number. c > 0: it is coefficient c - 1 of the design, while this number and `step` still say how many
   * steps there are: so results are smooth in the duration, and derivatives by the coefficient are those of the steps' length. */
  int free_duration;
  const char *
      analysis; /* "motion"; "kinematic": Phi alone gives the motion, what it takes are the multipliers, and formulation,
                              integrator and held quantities do not count */
  const char *formulation;     /* "ali3p", "penalty" */
  mbd_coordinates coordinates; /* of a motion; outputs and observers see joint coordinates in any case */
  mbd_reference reference;
  mbd_start start;
  const char *integrator; /* "newmark", "generalized_alpha" */
  double beta, gamma;     /* of newmark; 1/4, 1/2: trapezoidal rule */
  double rho_inf;         /* of generalized_alpha: spectral radius at infinite frequency, 0 to 1 (no damping) */
  double rtol, atol;   /* of integrators that choose their own steps: error of one of them, relative to each independent
                        coordinate and rate, and in their units */
  double max_step;     /* [s] of these; 0: none */
  double penalty;      /* alpha; 0: chosen at every step to suit the tangent matrix. No result depends on it
                                but those of projections that are not iterated to the end; and those of formulation
                                "penalty": there lam = alpha Phi, 0: 1e10 */
  const char *tangent; /* derivatives of the residual in Newton's matrices: "analytic", "differences" */
  const char *projection_matrix; /* P of S0 (10), (11): "mass", "unit", "tangent" */
  double projection_weight;      /* varsigma of S0 (10), used with projection_iterations > 0 */
  int projection_iterations; /* 0: to the end, so that the rates of the constraints vanish; 1: not iterated (S0), ... */
  double tolerance;          /* of a Newton step, relative to 1 + |z| */
  int max_iterations;        /* of Newton */
  mbd_linear_solver linear_solver;
  /* Coordinates that are to be independent, of state-space formulations: all of a set that constraints couple, or none of
   * it, which leaves the choice to the program, from step to step. [nindependent] names, not copied. */
  const char *const *independent;
  int nindependent;
} mbd_case;

/* The defaults, which a case of a run file has where it says nothing else: 1 s in steps of 1 ms, ali3p with newmark. */
void mbd_case_init(mbd_case *c);

/* Names in the tables of analyses, formulations, integrators, tangents and projection matrices, for the fields of a case, with a text
 * about each; NULL past the end. */
const char *mbd_analysis_name(int i);
const char *mbd_formulation_name(int i);
const char *mbd_integrator_name(int i);
const char *mbd_tangent_name(int i);
const char *mbd_projection_name(int i);
const char *mbd_analysis_doc(int i);
const char *mbd_formulation_doc(int i);
const char *mbd_integrator_doc(int i);
const char *mbd_tangent_doc(int i);
const char *mbd_projection_doc(int i);

/* The numbers of mbd_case, but for duration and step. */
typedef struct mbd_case_option {
  const char *key;       /* the name of the field */
  size_t offset;         /* of the field */
  int whole;             /* 1: an int, 0: a double */
  double dflt, min, max; /* range, ends allowed */
  const char *text;      /* the default as it is written */
  const char *unit, *doc;
} mbd_case_option;

const mbd_case_option *mbd_case_option_at(int i); /* those of all integrators, then the others; NULL past the end */

/* Forms of objective terms over s = output - target, less the value of the target curve at the time: a table. Integrals have
 * the order of the integrator, and their derivatives are exact for the sums that are reported. */
typedef struct mbd_form_info {
  const char *name, *doc;
  int is_peak;    /* a smooth extremum over time, which needs a sharpness */
  int is_square;  /* has a Gauss-Newton matrix */
  unsigned needs; /* what else it needs of a term, mbd_form_need */
  unsigned takes; /* which ends of a window a term may have, mbd_form_take */
} mbd_form_info;
/* Keys of an objective that a form needs, as bits. */
typedef enum mbd_form_need {
  MBD_NEEDS_AT = 1,
  MBD_NEEDS_TOLERANCE = 2,
  MBD_NEEDS_LEVEL = 4,
  MBD_NEEDS_SAMPLES = 8
} mbd_form_need;
/* Keys that a form takes besides, as bits. */
typedef enum mbd_form_take { MBD_TAKES_FROM = 1, MBD_TAKES_UNTIL = 2 } mbd_form_take;

/* The table of forms of objectives, by number and by name; NULL past the end, and for an unknown name. */
const mbd_form_info *mbd_form_at(int i);
const mbd_form_info *mbd_form_find(const char *name);
/* NULL past the end */
const char *mbd_form_name(int i);
const char *mbd_form_doc(int i);

/* A time, or the first time at which an output crosses a value. The output is interpolated between the nodes, so the time has a
 * derivative; two crossings between neighbouring nodes are not seen. */
typedef enum mbd_moment_kind {
  MBD_MOMENT_NONE,    /* the beginning or the end of the run */
  MBD_MOMENT_TIME,    /* `value` [s] */
  MBD_MOMENT_CROSSES, /* in either direction; */
  MBD_MOMENT_RISES,   /* from below; */
  MBD_MOMENT_FALLS    /* from above: output `output`, `value` in its unit */
} mbd_moment_kind;
/* Where a window of time begins or ends. */
typedef struct mbd_moment {
  mbd_moment_kind kind;
  int output;
  double value;
} mbd_moment;

/* Losses rho(r) of the residuals of measured series: a table. `width`: the default of their width k; 0: it has none. */
typedef struct mbd_loss_info {
  const char *name, *doc;
  double width;
} mbd_loss_info;
const mbd_loss_info *mbd_loss_at(int i); /* NULL past the end */
/* NULL past the end */
const char *mbd_loss_name(int i);
const char *mbd_loss_doc(int i);

/* A measured series, with which the form "measured" compares the output y:
 *   psi = sum_i rho(r_i),   r_i = (y(time_i - delay) + offset - value_i)/sigma
 * Between the nodes, y is the polynomial of theory.md §6, whose derivatives are exact for the number that is reported. */
typedef struct mbd_samples {
  int n;
  const double *time;  /* [n] [s], increasing */
  const double *value; /* [n] in the output's unit */
  double sigma;        /* > 0: standard deviation of the noise, in the output's unit */
  int loss;            /* number in the table of losses; 0: squares */
  double width;        /* > 0 of losses that have one, in units of sigma */
  int delay, offset;   /* c > 0: coefficient c - 1 of the design, [s] and in the output's unit; 0: none */
} mbd_samples;

/* One term: psi[psi] += weight * form(output - target). The peak forms take the maximum over all terms of one psi, which
 * must then be of the same form, weight and sharpness. They come short of the true maximum by at most
 * ln(duration/tau)/sharpness, with tau the time that the quantity stays near its maximum.
 *
 * A term is late if its form is rms, range, value_at, settling_time, quantile or measured, or if it has a window or `over`: it is then made of
 * the histories of its outputs after the run. The terms of a psi with a late one are all late and differ in output and target alone. */
typedef struct mbd_term {
  int psi, output;
  const char *form; /* a name of the table; not copied */
  double weight, target, smoothing;
  double sharpness;         /* [1/unit of s] > 0, for the peak forms */
  const char *target_curve; /* name of a curve of the model, over time; NULL: none. Not copied */
  mbd_moment from, until;   /* window: what lies outside of it does not count. `until` comes after `from` */
  mbd_moment at;            /* of value_at */
  int over; /* 1 + the output that takes the place of time in the target curve and in integrals and means; 0: none */
  double tolerance;           /* > 0 of settling_time, in the output's unit */
  double level;               /* of quantile: the part of the time, between 0 and 1, */
  double width;               /* and the width > 0 of its smoothing, in the output's unit */
  const mbd_samples *samples; /* of measured; not copied */
  const char *label;          /* what messages call the term; NULL: "objective N". Not copied */
} mbd_term;

/* Called at the start and after every step; lam [nphi]: the reactions, as outputs have them; y [outputs]. A value other than 0
 * stops the run (MBD_INTERRUPTED). */
typedef int (*mbd_observer)(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                            const double *lam, const double *y);

/* What one run did. */
typedef struct mbd_stats {
  int steps;       /* taken */
  long iterations; /* Newton */
  long factorizations;
  double seconds;   /* wall time */
  size_t memory;    /* bytes of an adjoint's trajectory */
  long recomputed;  /* steps that it took again */
  long choices;     /* changes of the independent coordinates */
  long evaluations; /* of state-space formulations; those, and the next, with what an adjoint takes again */
  long own_steps;   /* of an integrator that chooses them, without those that it rejected */
  long rejected;
  double phi, phid, phidd; /* largest violation of the constraints and of their first two rates after a step */
} mbd_stats;

/* What a run has noticed that its results do not show. */
typedef struct mbd_warning {
  /* "unresolved": steps too long for the accelerations; "kink": a step too long for a sudden change; "newton": one where Newton's iteration
   * needs help; "assembly": the start was
   * found from other guesses than those given; "unstable", "far": it is an unstable equilibrium, or one
   * far from where the search began; "start derivative": redundant
   * constraints contradict each other along a direction */
  const char *kind;
  double time;    /* [s] when it began */
  char text[512]; /* one readable sentence: where, when, and what to do */
} mbd_warning;
enum { MBD_WARNINGS = 7 }; /* kinds */

typedef struct mbd_sim mbd_sim;

/* Memory for simulating one case: everything is allocated here, nothing in a run.
 * np  greatest number of design directions; terms [nterm] are copied; npsi values psi[0..npsi-1].
 * The model and the outputs must outlive the object. One thread at a time. */
mbd_status mbd_sim_create(const mbd_model *m, const mbd_case *c, const mbd_outputs *o, int nterm, const mbd_term *term,
                          int npsi, int np, mbd_sim **out, mbd_error *err);
void mbd_sim_destroy(mbd_sim *s);

/* Simulate with the numbers p.
 * psi   [npsi]
 * grad  [npsi][np] by direct differentiation along the directions d[0..np-1] (S0 §4); NULL and np = 0: none
 * gn    [npsi][np][np] Gauss-Newton matrices of terms that are squares, 2 w integral s's'^T dt; NULL: none
 * On failure psi, grad, gn are left untouched and err->time tells when. */
mbd_status mbd_sim_run(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, double *psi, double *grad,
                       double *gn, mbd_observer observer, void *user, mbd_error *err);

/* How derivatives by all coefficients are computed. */
typedef struct mbd_adjoint_options {
  int continuous;              /* 0: discrete adjoint, exact for the objective that is computed
                                  1: adjoint of the continuous equations, which converges to it with order two (Runge-Kutta steps:
                                  four) */
  size_t memory_limit;         /* [bytes] of the trajectory; 0: none */
  const unsigned char *wanted; /* [ncoef] coefficients whose derivatives are wanted; NULL: all */
  int nsum;                    /* derivatives of this many sums of objectives, at most npsi; 0: of every objective */
  const double *sum;           /* [nsum][npsi] weights of the objectives in them */
} mbd_adjoint_options;

/* Simulate, then derive all objectives (or sums of them) by all wanted coefficients in one pass backwards (theory.md §7); the
 * cost does not grow with the number of coefficients, and little with that of objectives.
 * psi [npsi], gtheta [npsi or nsum][ncoef]; entries of other coefficients are not defined. On failure both are left untouched. */
mbd_status mbd_sim_adjoint(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *o, double *psi, double *gtheta,
                           mbd_observer observer, void *user, mbd_error *err);

/* After mbd_sim_adjoint: the warning "start derivative" for the first of n directions along which redundant constraints of the start
 * contradict each other; direction k, name[k], moves the wanted coefficients index[start[k] .. start[k+1]-1] by value[...]. Direct
 * differentiation tells without being asked. */
void mbd_sim_check_directions(mbd_sim *s, int n, const char *const *name, const int *start, const int *index,
                              const double *value);

/* rho(r) of the loss of a series; slopes: rho', rho''. */
double mbd_loss(const mbd_samples *q, double r, double slopes[2]);

/* After mbd_sim_run: of objective psi, of the form measured, the output at the time of each sample i with the offset, y [n], and of a run
 * with directions its derivatives along them, yp [n][np]; both as the residuals have them. NULL: not wanted. Cost: a polynomial for each
 * sample. Returns the series; NULL: the objective has another form. */
const mbd_samples *mbd_sim_measured(const mbd_sim *s, int psi, double *y, double *yp);

/* For an observer of mbd_sim_run with directions, at the node that it is shown: yp [np], the derivatives of output o along
 * them. No other time, and not after mbd_sim_watch(s, 0). Cost: about that of one objective's part in the node. */
void mbd_sim_output_sens(mbd_sim *s, int o, double *yp);

/* For an observer, at the node that it is shown: the value so far of objective psi, which is an integral over time (the first tells:
 * all its terms have such a form, without window): that of a run that ends at the node, by the values at the nodes, between which
 * interpolated steps are not looked at. At the last node, the objective. Not after mbd_sim_watch(s, 0). */
int mbd_sim_is_integral(const mbd_sim *s, int psi);
double mbd_sim_so_far(const mbd_sim *s, int psi);

/* For an observer, at the node that it is shown: sigma and kappa [nphi], the multipliers of the projections of velocities and of
 * accelerations (S0 (10), (11)), which are zero at the start. 0: the formulation does not project. */
int mbd_sim_projections(const mbd_sim *s, double *sigma, double *kappa);

/* For an observer, at the node that it is shown: the origin o [m] of a body (in tree order; 0: the ground) and its
 * orientation A [3][3], row-major, so that a point x of its frame is at o + A x. */
void mbd_sim_pose(const mbd_sim *s, int body, double o[3], double A[9]);

/* For an observer, at the node that it is shown: what force i (in the order of the description) is evaluated at if it is one of one's
 * own; else *u is NULL. state, coef: see mbd/user_force.h. 0 past the end. */
int mbd_sim_user_force(const mbd_sim *s, int i, const char **name, const struct mbd_user_force **u, double *state,
                       double *coef);

/* Steps of a run; its observer is called once more, for the start. */
int mbd_sim_steps(const mbd_sim *s);

/* What a step leaves in the trajectory of an adjoint [bytes]. */
size_t mbd_sim_step_bytes(const mbd_sim *s);

/* How many steps an adjoint takes again whose trajectory has so much memory [bytes], without running it. MBD_BAD_INPUT: the limit is too
 * tight for any; MBD_UNSUPPORTED: there is no adjoint. */
mbd_status mbd_sim_recomputed(const mbd_sim *s, size_t memory_limit, long *steps, mbd_error *err);

/* all = 0: observers get outputs of objectives only, the others are not computed (and keep some earlier value), and in natural coordinates
 * reactions only if an objective reads some (else zeros). */
void mbd_sim_watch(mbd_sim *s, int all);

/* Counts of the last run (steps, iterations, factorizations, memory), until the next one; they belong to the simulation. */
const mbd_stats *mbd_sim_stats(const mbd_sim *s);

/* Warnings of the last run, at most one of every kind. Runs that choose their own steps have none. */
const mbd_warning *mbd_sim_warnings(const mbd_sim *s, int *n);

/* Start only: assembly, velocities, accelerations; z, zd, zdd [nz], lam [nphi] may be NULL. */
mbd_status mbd_sim_start(mbd_sim *s, const mbd_params *p, double *z, double *zd, double *zdd, double *lam,
                         mbd_error *err);

/* Constraints at the start: rank of Phi_z, and its rows with the independent ones first (row [nphi]); free coordinates
 * that no held quantity fixed, so that they keep their guess: held [nz], *nheld. After mbd_sim_start or _run. */
void mbd_sim_rank(const mbd_sim *s, int *rank, const int **row, int *nheld, const int **held);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
