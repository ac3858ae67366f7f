/* Simulation of one case: start, time steps, objectives, and their derivatives by direct differentiation or by an adjoint. */
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
  MBD_START_GIVEN,       /* all held quantities have their given values */
  MBD_START_EQUILIBRIUM, /* static equilibrium determines those of mbd_spec_settle; rates are as held */
  MBD_START_STEADY /* a steady motion: held quantities say where, and where the search for it begins (steady_speed and so on) */
} mbd_start;

/* The coordinates of the equations of motion. */
typedef enum mbd_coordinates {
  MBD_COORDINATES_JOINT,  /* those of the joints, with loops cut */
  MBD_COORDINATES_NATURAL /* places of points and components of vectors, which bodies share (theory.md §4.1) */
} mbd_coordinates;

/* How the linear systems of a step are solved. */
typedef enum mbd_linear_solver {
  MBD_LINEAR_AUTO,   /* the faster one, chosen by size and fill */
  MBD_LINEAR_DENSE,  /* full matrices */
  MBD_LINEAR_SPARSE, /* sparse matrices (KLU); MBD_NOT_BUILT_IN if the library is built without it */
} mbd_linear_solver;

/* The range of penalties other than 0. */
#define MBD_PENALTY_MIN 1e-20
#define MBD_PENALTY_MAX 1e20

/* How a case is simulated. Fill with mbd_case_init, then set duration and step. */
typedef struct mbd_case {
  double duration; /* [s] > 0 */
  double step;     /* [s] > 0; shortened so that a whole number of steps fits */
  /* 0: `duration` is the duration. c > 0: coefficient c - 1 of the design is the duration; `duration` and `step` then determine the number
   * of steps, so that results are smooth in the coefficient, which changes the length of all steps. */
  int free_duration;
  /* "motion"; "kinematic": the constraints alone determine the motion, the multipliers are the forces that it requires, and formulation,
   * integrator and held quantities have no effect; "static": equilibria; "steady": steady motions; "closing": positions closest to
   * meeting the constraints, where a mechanism may lock, whose only output with derivatives is mechanism.opening */
  const char *analysis;
  const char *formulation;     /* a name of mbd_formulation_name: "ali3p", "penalty", ... */
  mbd_coordinates coordinates; /* of the equations of motion; outputs and observers always have joint coordinates */
  mbd_reference reference;
  mbd_start start;
  const char *integrator; /* a name of mbd_integrator_name: "newmark", "generalized_alpha", ... */
  double beta, gamma;     /* options of newmark; 1/4, 1/2: trapezoidal rule */
  double rho_inf;         /* option of generalized_alpha: spectral radius at infinite frequency, 0 to 1 (no damping) */
  /* Of integrators that choose their own steps: tolerance for the error of one step, relative to each independent coordinate and rate, and
   * absolute in their units. */
  double rtol, atol;
  double max_step; /* [s] longest step of these integrators; 0: no limit */
  /* alpha; 0: chosen at every step from the tangent matrix. Results do not depend on it, except with projections of a given number of
   * iterations, and with formulation "penalty", where lam = alpha Phi and 0 means 1e10. */
  double penalty;
  const char *tangent;           /* derivatives of the residual in Newton's matrices: "analytic", "differences" */
  const char *projection_matrix; /* P of S0 (10), (11): "mass", "unit", "tangent" */
  double projection_weight;      /* varsigma of S0 (10), used with projection_iterations > 0 */
  int projection_iterations;     /* 0: until the rates of the constraints vanish; n > 0: n iterations, 1 as in S0 */
  double tolerance;              /* of a correction of Newton's iteration, relative to 1 + |z| */
  int max_iterations;            /* of Newton's iteration */
  mbd_linear_solver linear_solver;
  /* Independent coordinates of state-space formulations. Of each set of coordinates that constraints couple, either all independent ones
   * are named, or none; the program then chooses them from step to step. [nindependent] names, not copied. */
  const char *const *independent;
  int nindependent;
  /* Penalties > 0 of some constraints in place of `penalty`, with which alpha is the diagonal matrix of S0 (9): [npenalty] names, not copied,
   * and the numbers. A name is that of one equation of a constraint (NAME.x, NAME.y, NAME.z), of a constraint, of several with stars for any
   * text, or of a type of constraints. Of several that apply, the first of these kinds counts, and of two with stars the later one. */
  const char *const *penalty_name;
  const double *penalty_value;
  int npenalty;
  /* Steady motions, of start MBD_START_STEADY and of analysis "steady": curves of the model over time, by name; NULL: not given. */
  const char *steady_speed;                /* [m/s] of the point whose place [start] holds */
  const char *steady_curvature;            /* [1/m] of its path, positive to the left; or */
  const char *steady_lateral_acceleration; /* [m/s^2] towards the inside of the turn, positive to the left */
  /* Inputs that are found: input i adds found_weight[k] x_i to the coefficients found_coef[k], found_first[i] <= k < found_first[i + 1], with its
   * amount x_i. [nfound] names for messages, [nfound + 1] and lists, not copied. */
  int nfound;
  const char *const *found_name;
  const int *found_first, *found_coef;
  const double *found_weight;
  /* Branches of the mechanism: outputs of positions, by name, that vanish where branches meet, and what the sign of each does, a name of
   * mbd_branch_side_name. [nbranch] names, not copied. */
  int nbranch;
  const char *const *branch_output;
  const char *const *branch_side;
} mbd_case;

/* Sets the defaults, which are those of run files: 1 s in steps of 1 ms, ali3p with newmark. */
void mbd_case_init_sized(mbd_case *c, size_t size);
static inline void mbd_case_init(mbd_case *c) {
  mbd_case_init_sized(c, sizeof *c);
}

/* Name i = 0, 1, ... of what the sign of an output of mbd_case.branch_output does; NULL past the end. "positive", "negative": it is that, from the start
 * on; "guess": it is that of the guesses; "changes": wherever the output vanishes. */
const char *mbd_branch_side_name(int i);

/* Return row i = 0, 1, ... of the tables of analyses, formulations, integrators, tangents and projection matrices: names for the fields of a case, and
 * a text about each; NULL past the end. Texts are in static storage. */
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

/* An option of mbd_case that is a number, other than duration and step. */
typedef struct mbd_case_option {
  const char *key; /* the name of the field */
  size_t offset;   /* of the field; at or beyond sizeof(mbd_case): headers older than the library do not have it */
  int whole;       /* 1: an int, 0: a double */
  double dflt, min, max; /* range, ends allowed */
  const char *text;      /* the default as text */
  const char *unit, *doc;
} mbd_case_option;

/* Returns row i = 0, 1, ... of the options: those of integrators first, then the others; NULL past the end. */
const mbd_case_option *mbd_case_option_at(int i);
const char *mbd_case_option_integrator(int i); /* the integrator that alone reads it; NULL: it has other readers */

/* A row of the table of forms of objectives. A form is applied to s = output - target - (target curve at the time). Integrals have the order
 * of the integrator, and their derivatives are exact for the sums that are reported. */
typedef struct mbd_form_info {
  const char *name, *doc;
  int is_peak;    /* a smooth extremum over time, which needs a sharpness */
  int is_square;  /* has a Gauss-Newton matrix */
  unsigned needs; /* bits of mbd_form_need: further fields of the term that it needs */
  unsigned takes; /* bits of mbd_form_take: the ends of a window that the term may have */
  int power[2];   /* its unit: that of the output to power[0], times s to power[1] */
  int is_history; /* it is computed after the run from the histories of its outputs */
  /* A form that costs as much over the first steps of a run, where this one may have no value; NULL: this one. */
  const char *brief;
  int smooths; /* it smooths a value that mbd_sim_true_value has: an extremum, a quantile, |s| */
} mbd_form_info;
/* Keys of an objective that a form needs, as bits. */
typedef enum mbd_form_need {
  MBD_NEEDS_AT = 1,
  MBD_NEEDS_TOLERANCE = 2,
  MBD_NEEDS_LEVEL = 4,
  MBD_NEEDS_SAMPLES = 8
} mbd_form_need;
/* Keys of an objective that a form allows, as bits. */
typedef enum mbd_form_take { MBD_TAKES_FROM = 1, MBD_TAKES_UNTIL = 2 } mbd_form_take;

/* The forms of squares, but "measured": those of is_square. */
#define MBD_SQUARE_FORMS "integral_square, integral_square_above, mean_square, rms"

/* The table of forms of objectives, by number and by name; NULL past the end, and for an unknown name. */
const mbd_form_info *mbd_form_at(int i);
const mbd_form_info *mbd_form_find(const char *name);
/* Name and text of row i; NULL past the end. */
const char *mbd_form_name(int i);
const char *mbd_form_doc(int i);

/* A time, or the first time at which an output crosses a value. The output is interpolated between the nodes, so the time has a
 * derivative; two crossings between neighbouring nodes are not seen. */
typedef enum mbd_moment_kind {
  MBD_MOMENT_NONE,    /* the beginning or the end of the run */
  MBD_MOMENT_TIME,    /* `value` [s] */
  MBD_MOMENT_CROSSES, /* output `output` crosses `value`, in its unit, in either direction */
  MBD_MOMENT_RISES,   /* it crosses `value` from below */
  MBD_MOMENT_FALLS    /* it crosses `value` from above */
} mbd_moment_kind;
/* Where a window of time begins or ends. */
typedef struct mbd_moment {
  mbd_moment_kind kind;
  int output;
  double value;
} mbd_moment;

/* A row of the table of losses rho(r) of the residuals of measured series. `width`: the default of its width k; 0: it has none. */
typedef struct mbd_loss_info {
  const char *name, *doc;
  double width;
} mbd_loss_info;
const mbd_loss_info *mbd_loss_at(int i); /* NULL past the end */
/* Name and text of row i; NULL past the end. */
const char *mbd_loss_name(int i);
const char *mbd_loss_doc(int i);

/* A measured series, with which the form "measured" compares the output y:
 *   psi = sum_i rho(r_i),   r_i = (y(time_i - delay) + offset - value_i)/sigma,   of an angle to the nearest turn (theory.md §6 (6.11))
 * Between the nodes, y is the polynomial of theory.md §6, whose derivatives are exact for the number that is reported.
 * The form "weighted_samples" has psi = sum_i sum_j w_ij y_j(time_i) over its terms j in their order, reads `value` anew in each run, and has neither
 * delay nor offset, sigma nor loss. */
typedef struct mbd_samples {
  int n;
  const double *time;      /* [n] [s], increasing; of weighted samples in any order; NULL: the nodes, whatever n is */
  const double *value;     /* [n] in the output's unit; of weighted samples the weights w [n][terms] */
  double sigma;            /* > 0: standard deviation of the noise, in the output's unit */
  int loss;                /* number in the table of losses; 0: squares */
  double width;            /* > 0 of losses that have one, in units of sigma */
  int delay, offset;       /* c > 0: delay [s] and offset are coefficient c - 1 of the design; 0: they are zero */
  const void *reserved[4]; /* NULL; for later versions */
} mbd_samples;

/* One term: psi[psi] += weight * form(output - target). A peak form takes the maximum over all terms of one psi, which must then have the
 * same form, weight and sharpness. Its value is less than the true maximum by at most ln(duration/tau)/sharpness, where tau is the time
 * that the quantity is near its maximum.
 *
 * A term is made of histories if its form is (is_history of mbd_form_info), or if it has a window or `over`: it is computed after the run from the histories
 * of its outputs. If one term of a psi is made of histories, all are, and they differ in output and target alone. Over an output that falls, the form
 * integral has the sign of the motion, as work has; all others are taken over the increasing output. */
typedef struct mbd_term {
  int psi, output;
  const char *form; /* a name of the table; not copied */
  double weight, target, smoothing;
  double sharpness;         /* [1/unit of s] > 0, for the peak forms */
  const char *target_curve; /* name of a curve of the model, over time; NULL: none. Not copied */
  mbd_moment from, until;   /* window: only times within it count; `until` comes after `from` */
  mbd_moment at;            /* the time of value_at */
  int over;         /* 1 + the output that replaces the time in the target curve and in integrals and means; 0: none */
  double tolerance; /* > 0 of settling_time, in the output's unit */
  double level;     /* of quantile: the part of the time, between 0 and 1 */
  double width;     /* of quantile: the width > 0 of its smoothing, in the output's unit */
  const mbd_samples *samples; /* of measured and of weighted_samples; not copied */
  const char *label;          /* name of the term in messages; NULL: "objective N". Not copied */
} mbd_term;

/* A function that is called at the start (k = 0) and after every step k. lam [nphi]: the reactions that outputs have; y [outputs]. If it
 * returns a value other than 0, the run stops with MBD_INTERRUPTED. */
typedef int (*mbd_observer)(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                            const double *lam, const double *y);

/* Counts of one run. */
typedef struct mbd_stats {
  int steps;       /* steps from node to node */
  long iterations; /* iterations of Newton */
  long factorizations;
  double seconds;          /* wall time */
  size_t memory;           /* bytes of the trajectory of an adjoint */
  long recomputed;         /* steps that an adjoint recomputed */
  long choices;            /* changes of the independent coordinates */
  long evaluations;        /* evaluations of the accelerations by state-space formulations, recomputed ones included */
  long own_steps;          /* accepted steps of an integrator that chooses its own steps, recomputed ones included */
  long rejected;           /* rejected ones */
  double phi, phid, phidd; /* largest violation of the constraints and of their first two rates after a step */
} mbd_stats;

/* A warning of a run. */
typedef struct mbd_warning {
  /* "unresolved": steps are too long for the accelerations; "kink": a step is too long for a sudden change of a force; "newton": a step
   * needed damped corrections or shorter steps; "assembly": the start was found from other guesses, or differs in kind from those given; "unstable": the start
   * is an unstable equilibrium or steady motion; "far": it is an equilibrium far from the beginning of the search; "start derivative": redundant constraints
   * of the start contradict each other along a direction; "whip": a rate changes by more than half a turn in
   * a step; "rounding": rounding keeps corrections of Newton's iteration above the tolerance; "undetermined": outputs read reactions that
   * redundant constraints share in a way that mechanics does not determine; "undefined": an output is no number;
   * "growth": rounding decides the gradient; "turns": the number of turns of an output that is an angle is uncertain; "singular start": the
   * constraints have a smaller rank at the start than beside it; "curve": steps pass over control points of a curve over time; "slopes": beams bend or twist more than their theory holds for; "ringing": steps are too long
   * for the highest frequency of a beam, which nothing damps; "singular": a motion passes a singular position */
  const char *kind;
  double time;    /* [s] when it began */
  char text[512]; /* one readable sentence: where, when, and what to do */
} mbd_warning;
enum { MBD_WARNINGS = 18 }; /* number of kinds */

typedef struct mbd_sim mbd_sim;

/* Takes the memory for simulating one case; a run allocates nothing.
 * np  largest number of design directions; term [nterm] is copied; objectives are psi[0..npsi-1].
 * The model and the outputs must outlive the object, which the caller destroys. One thread at a time may use it.
 * returns  MBD_BAD_INPUT or MBD_UNSUPPORTED for a case or a term that is not possible, MBD_NOT_BUILT_IN, MBD_NO_MEMORY; *out is NULL then */
mbd_status mbd_sim_create_sized(const mbd_model *m, const mbd_case *c, size_t case_size, const mbd_outputs *o,
                                int nterm, const mbd_term *term, size_t term_size, int npsi, int np, mbd_sim **out,
                                mbd_error *err);
static inline mbd_status mbd_sim_create(const mbd_model *m, const mbd_case *c, const mbd_outputs *o, int nterm,
                                        const mbd_term *term, int npsi, int np, mbd_sim **out, mbd_error *err) {
  return mbd_sim_create_sized(m, c, sizeof *c, o, nterm, term, sizeof *term, npsi, np, out, err);
}
void mbd_sim_destroy(mbd_sim *s); /* NULL allowed */

/* Simulates the design p.
 * psi   [npsi]
 * grad  [npsi][np] by direct differentiation along the directions d[0..np-1] (S0 §4); NULL and np = 0: none
 * gn    [npsi][np][np] Gauss-Newton matrices of terms that are squares, 2 w integral s's'^T dt; NULL: none
 * On failure psi, grad, gn do not change, and err->time is the time of the failure. MBD_NO_CONVERGENCE, MBD_SINGULAR, MBD_NO_ASSEMBLY,
 * MBD_NOT_FINITE, MBD_OUT_OF_DOMAIN: this design cannot be simulated; MBD_INTERRUPTED: the observer stopped the run; MBD_BAD_INPUT: more
 * directions than mbd_sim_create took memory for; MBD_UNSUPPORTED: the projections of the case have no exact derivatives.
 * Cost: for each direction and step one directional sweep and one solution for each linear system of the step, on existing factors. */
mbd_status mbd_sim_run(mbd_sim *s, const mbd_params *p, int np, mbd_dparams *const *d, double *psi, double *grad,
                       double *gn, mbd_observer observer, void *user, mbd_error *err);

/* How derivatives by all coefficients are computed. */
typedef struct mbd_adjoint_options {
  int continuous;                 /* 0: discrete adjoint, exact for the objective that is computed
                                  1: adjoint of the continuous equations; it converges to the discrete one with order two
                                  (Runge-Kutta steps: four) */
  size_t memory_limit;            /* [bytes] of the trajectory; 0: none */
  const unsigned char *requested; /* [ncoef] coefficients whose derivatives are wanted; NULL: all */
  int nsum;                       /* derivatives of this many sums of objectives, at most npsi; 0: of every objective */
  const double *sum;              /* [nsum][npsi] weights of the objectives in them */
} mbd_adjoint_options;

/* Simulates, then differentiates all objectives (or sums of them) with respect to all wanted coefficients in one reverse pass
 * (theory.md §7.2, theory.md §7.3). The cost does not depend on the number of coefficients, and little on that of objectives.
 * psi [npsi], gtheta [npsi or nsum][ncoef]; entries of coefficients that are not wanted are undefined. On failure neither changes. Errors:
 * those of mbd_sim_run; MBD_BAD_INPUT for a memory limit that is too small; MBD_UNSUPPORTED where the formulation has no such adjoint;
 * MBD_NO_MEMORY, since the trajectory is allocated here. */
mbd_status mbd_sim_adjoint_sized(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *o, size_t size,
                                 double *psi, double *gtheta, mbd_observer observer, void *user, mbd_error *err);
static inline mbd_status mbd_sim_adjoint(mbd_sim *s, const mbd_params *p, const mbd_adjoint_options *o, double *psi,
                                         double *gtheta, mbd_observer observer, void *user, mbd_error *err) {
  return mbd_sim_adjoint_sized(s, p, o, sizeof *o, psi, gtheta, observer, user, err);
}

/* After mbd_sim_adjoint: adds the warning "start derivative" for the first of n directions along which redundant constraints of the start
 * contradict each other. Direction k, with the name name[k], changes the wanted coefficients index[start[k] .. start[k+1]-1] by value[...].
 * Direct differentiation adds this warning by itself. */
void mbd_sim_check_directions(mbd_sim *s, int n, const char *const *name, const int *start, const int *index,
                              const double *value);

/* After mbd_sim_run with directions, or mbd_sim_adjoint: the growth of sensitivities (theory.md §7.6) of a motion, below 100 where it is regular;
 * *time: when it exceeded 1000 first [s], NaN: never. Beyond 1e8 there is the warning "growth"; from 1000 on a gradient is worth a comparison
 * with that of a tighter tolerance. */
double mbd_sim_growth(const mbd_sim *s, double *time);

/* Returns the loss rho(r) of a series and sets slopes to rho'(r) and rho''(r). */
double mbd_loss(const mbd_samples *series, double r, double slopes[2]);

/* After mbd_sim_run or mbd_sim_adjoint, for objective psi of the form measured: y [n], the output at the time of each sample plus the offset (an angle: but for
 * whole turns), and yp [n][np], its derivatives along the directions of the run, both as in the residuals (theory.md §6 (6.6)); of the form
 * weighted_samples: s of each term at each sample, y [n][terms] and yp [n][terms][np]. y and yp may be NULL. Cost: one polynomial
 * for each sample. Returns the series; NULL: the objective has another form. */
const mbd_samples *mbd_sim_measured(const mbd_sim *s, int psi, double *y, double *yp);

/* To be called by an observer of mbd_sim_run with directions: yp [np], the derivatives of output o along them at the present node. It must
 * not be called at any other time, nor after mbd_sim_watch(s, 0). Cost: about that of one objective at the node. */
void mbd_sim_output_sens(mbd_sim *s, int o, double *yp);

/* mbd_sim_is_integral returns 1 if objective psi is an integral over time, that is, if all its terms have such a form and none is made of histories. Then an
 * observer may call mbd_sim_so_far: the integral up to the present node, from the values at the nodes (an integrator's own steps between
 * nodes are not used); at the last node, the objective. It must not be called after mbd_sim_watch(s, 0). */
int mbd_sim_is_integral(const mbd_sim *s, int psi);
double mbd_sim_so_far(const mbd_sim *s, int psi);

/* To be called by an observer: sigma and kappa [nphi], the multipliers of the projections of velocities and of accelerations (S0 (10), (11))
 * at the present node; they are zero at the start. Returns 0 if the formulation has no projections. */
int mbd_sim_projections(const mbd_sim *s, double *sigma, double *kappa);

/* To be called by an observer: the origin o [m] of a body (in the order of the tree; 0: the ground) and its orientation A [3][3], row-major,
 * at the present node. A point x of its frame is at o + A x. */
void mbd_sim_pose(const mbd_sim *s, int body, double o[3], double A[9]);

/* To be called by an observer: the force f [N] that force i (in the order of the description) exerts at the present node on its point, or on
 * the second of its two points, in global axes; of a tyre on the centre of the wheel, of a bushing on its second body. Returns 0, and leaves f
 * alone, if its type acts on no point, and past the end. */
int mbd_sim_point_force(const mbd_sim *s, int i, double f[3]);

/* To be called by an observer: the torque n [N m] that force i, whose type acts on the rotation of a body, exerts at the present node on that body, or
 * on the second of its two bodies, in global axes. Returns 0, and leaves n alone, if its type acts on no rotation, and past the end. */
int mbd_sim_torque(const mbd_sim *s, int i, double n[3]);

/* To be called by an observer: the arguments with which force i (in the order of the description) is evaluated at the present node, if it is
 * of type "user"; else *u is NULL. state, coef: see mbd/user_force.h. Returns 0 past the end. */
int mbd_sim_user_force(const mbd_sim *s, int i, const char **name, const struct mbd_user_force **u, double *state,
                       double *coef);

/* After a start or at a node of a steady motion: the amount of input i (mbd_case), beside the value that the coefficients have; NaN past the end. */
double mbd_sim_found(const mbd_sim *s, int i);

/* Returns the number of steps of a run. The observer is called once more, for the start. */
int mbd_sim_steps(const mbd_sim *s);

/* Returns the memory of one step in the trajectory of a discrete adjoint [bytes]; 0: the formulation has none. */
size_t mbd_sim_step_bytes(const mbd_sim *s);

/* Sets *steps to the number of steps that a discrete adjoint with this memory limit [bytes] would recompute; nothing is simulated.
 * MBD_BAD_INPUT: the limit is too small; MBD_UNSUPPORTED: there is no adjoint. */
mbd_status mbd_sim_recomputed(const mbd_sim *s, size_t memory_limit, long *steps, mbd_error *err);

/* After a run: 1 if mechanics does not determine the value of output o, which the run has computed, because it reads how redundant
 * constraints share their load (theory.md §6 (6.10)); decided at five nodes. */
int mbd_sim_undetermined(const mbd_sim *s, int o);

/* all = 0: only outputs of objectives are computed for observers, and all others are undefined; in natural coordinates reactions are zero
 * unless an objective reads some. all = 1, as at first: everything is computed. */
void mbd_sim_watch(mbd_sim *s, int all);

/* seen [outputs]: only outputs that are 1 there, and those of objectives, are computed for observers of later runs and, when an observer calls this, of later
 * nodes, and all others are undefined; NULL, as at first: all are. Cost of a node: that of the outputs which are computed, which may be more than that of the step. */
void mbd_sim_watch_outputs(mbd_sim *s, const unsigned char *seen);

/* on = 1: later runs without derivatives take the steps of runs with them, whose Newton iterations begin with the tangent of the step before, so that psi is
 * the same to the last bit; on = 0, as at first: with ALI3-P one factored tangent serves many steps, and psi differs within the tolerance of the steps. Cost:
 * a factorization in every step. */
void mbd_sim_as_with_gradient(mbd_sim *s, int on);

/* Returns the counts of the last run (steps, iterations, factorizations, memory). They belong to the simulation and are valid until the next run. */
const mbd_stats *mbd_sim_stats(const mbd_sim *s);

/* Returns warning i = 0, 1, ... of the last run, at most one of every kind; NULL past the end. The simulation owns it until the next run. */
const mbd_warning *mbd_sim_warning(const mbd_sim *s, int i);

/* Computes the start alone (theory.md §5.5): positions, velocities, accelerations and multipliers; z, zd, zdd [nz], lam [nphi] may be NULL.
 * MBD_NO_ASSEMBLY: no position satisfies the constraints and the held quantities; MBD_SINGULAR: these and the masses do not determine all
 * coordinates or accelerations; MBD_NO_CONVERGENCE: no equilibrium was found; MBD_NOT_FINITE, MBD_OUT_OF_DOMAIN: a force or an output has no
 * value there. On failure the arrays do not change. */
mbd_status mbd_sim_start(mbd_sim *s, const mbd_params *p, double *z, double *zd, double *zdd, double *lam,
                         mbd_error *err);

/* After mbd_sim_start or mbd_sim_run, the constraints at the start: the rank of Phi_z, its rows with the independent ones first (row [nphi]),
 * and the *nheld coordinates (held [nz]) that no held quantity determines and that keep their guess. The simulation owns both lists. */
void mbd_sim_rank(const mbd_sim *s, int *rank, const int **row, int *nheld, const int **held);
/* After these, of models with velocity constraints: the rank of Phi_z, while that of mbd_sim_rank is the rank of Phi_z and A together. left_out:
 * velocity constraint row k = 0, 1, ... of phi that follows from constraints of positions; -1 past the last. */
int mbd_sim_position_rank(const mbd_sim *s);
int mbd_sim_left_out(const mbd_sim *s, int k);

/* After mbd_sim_run or mbd_sim_adjoint: the true value of objective psi, which its form smooths. Of peak, peak_abs, trough and range it is the
 * extremum at the nodes and between them, where the output is the polynomial of theory.md §6 (6.2) as long as it is smooth there (6.12); of quantile
 * that of the output itself; of integral_abs and integral_square_above that without smoothing. *time: when the extremum occurs [s]; NaN: the form has no such
 * time. *range: the difference of the largest and the least value of what the extremum is taken of; NaN: it is an integral. Returns 0, and
 * leaves all alone, if the form smooths nothing. Cost: a pass over the nodes; of a quantile some dozens. */
int mbd_sim_true_value(const mbd_sim *s, int psi, double *value, double *time, double *range);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
