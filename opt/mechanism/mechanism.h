/* The mechanism of a run file, with its load cases and objectives, as an optimization problem.
 *
 * rho -> theta (expressions) -> one simulation per case -> psi and its gradient. */
#ifndef MBO_MECHANISM_H
#define MBO_MECHANISM_H

#include <signal.h>
#include <stdio.h>

#include "mechanism/design.h"
#include "mechanism/experiments.h"
#include "mechanism/gradient_choice.h"
#include "mechanism/measured.h"
#include "mechanism/modes.h"
#include "mechanism/scenarios.h"
#include "mechanism/secants.h"
#include "mechanism/values.h"
#include "mbd/lanes.h"
#include "mbd/referee.h"
#include "config/config.h"
#include "mbo/problem.h"

typedef struct true_value true_value; /* mechanism/true_values.h */

/* The mechanism with its numbers. Cases that set the same scalars and curves share one. */
struct mechanism_variant {
  const mbo_case_config *config;    /* the first case that has it, or one without a name and numbers of its own */
  const mechanism_variant *nominal; /* of a scenario: the one in which nothing scatters */
  int *
      distribution; /* numbers of distributions and scalars of deviates (scenarios.c); NULL: nothing scatters, or in a scenario, */
  int *deviate;   /* [nuncertain] or where it is none */
  double *rho;    /* [directions] of a scenario without samples: the design and the deviates; NULL: */
  int directions; /* variables of direct differentiation: those of the design, and of such a scenario the deviates */
  mbo_model_file *file;
  mbd_model *model;
  mbd_params *params;
  double *theta; /* [ncoef] */
  const int *start,
      *index; /* d theta / d rho by columns, of the design that is set, and behind them those of the parameters of experiments; they belong to `file` */
  const double *value;
  unsigned char *moved;     /* [ncoef] coefficients that a variable moves at some design; NULL until asked for */
  unsigned char *requested; /* [ncoef] coefficients that a variable moves; NULL where no adjoint was run */
  mbd_dparams **d;          /* [directions]; NULL where nothing was differentiated directly */
  mbd_dparams *column;      /* the direction along which gradients are watched; NULL before */
};

/* A point of a front of objectives (study/front.h): a sum of them is minimized with weights of its own, and sums of them are limited,
 *   minimize  sum_i weight_i psi_i   subject to   sum_i row_ki psi_i <= limit_k   and the constraints of the run file. */
enum { MECHANISM_ROWS_MAX = 2 };
typedef struct mechanism_front {
  const double *weight; /* [nobjective] */
  int nrow;             /* at most MECHANISM_ROWS_MAX */
  const double *row;    /* [nrow][nobjective] */
  double limit[MECHANISM_ROWS_MAX];
  secants *
      secants; /* of the objectives: MBO_REQUEST_HESSIAN gives the matrices of their sums by (6.19), whose Gauss-Newton part comes with the gradient,
                     * and none of constraints; NULL: exact ones */
} mechanism_front;

/* How a case is to be differentiated. */
typedef struct case_request {
  gradient_method method;
  int of_sum; /* of the weighted sum of the objectives and of every constraint; 0: of every quantity by itself */
  const double *cotangent; /* [quantities] weights of all quantities, of which the sum is then; NULL: none */
  int gauss_newton;        /* Gauss-Newton matrices too, by direct differentiation */
} case_request;

/* Simulations of a case that went together with others in lanes, and those that did not end there and were repeated alone. */
typedef struct lane_counts {
  long together, repeated;
} lane_counts;

typedef struct case_designs case_designs; /* mechanism/case_gradient.h */

typedef struct mechanism_case {
  const mbo_run_config *run; /* its run file, and its section there */
  const mbo_case_config *config;
  mechanism_variant *v;
  mbd_case c;
  int *found_first, *found_coef; /* lists of c, of the scalars that a steady motion determines; NULL: there are none */
  double *found_weight;
  mbd_outputs *outputs;
  mbd_outputs *shown; /* `outputs` with those of pictures behind them, which `sim` then has; NULL: it has `outputs` */
  mbd_observer observer; /* of evaluations, in the thread of the case, with `observed`; NULL: none */
  void *observed;
  mbd_sim *sim;
  mbd_lanes *lanes; /* they hold the results of the last run, in lane `lane` (lockstep.h); NULL: `sim` does */
  int lane;
  lane_counts counted;        /* since the mechanism was made */
  case_designs *designs;      /* its own lanes for several designs; NULL before */
  struct lockstep_seat *seat; /* of a scenario in lockstep with others; NULL: that of its run */
  mbd_referee *referee;       /* made when first asked for */
  int nterm, npsi, nobjective;
  mbd_term *term;
  char **label;            /* [npsi] what messages of the simulation call each of them: "[objective NAME]" */
  measured_series *series; /* [npsi] the series of those that are measured; others have n = 0 */
  int *sensor;   /* [config->nsensor] the output of each sensor of the run that is in this case; -1: of others */
  int *quantity; /* [npsi] which objective or constraint of the run: the nobjective objectives come first */
  gradient_choice choice; /* how it is differentiated where the run file leaves it open, and why (choices.h) */
  int no_adjoint;         /* 1: the run file leaves the method open, and there is no adjoint */
  case_request ask;       /* of the current run */
  int directions;         /* that `sim` has memory for */
  size_t stored;          /* [bytes] of the motion in the last adjoint run, */
  long repeated;          /* and steps that it recomputed */
  double *psi;            /* [npsi] */
  double *grad;           /* [npsi][directions of v] of direct differentiation; NULL before */
  double *gn;             /* [npsi][n][n] Gauss-Newton matrices; NULL before */
  double *sum;            /* [npsi][npsi] weights of the sums that an adjoint derives, where ask.of_sum; NULL before */
  double *gtheta;    /* [npsi][ncoef] of adjoints: a row for each quantity, or for each row of `sum`; NULL before */
  double *hess;      /* [npsi][n][hess_columns] exact second derivatives; NULL before */
  int hess_columns;  /* for how many columns there is room */
  double *by_theta;  /* [npsi][ncoef] derivatives along with `hess`, then their change along a variable; part of it */
  double *direction; /* [ncoef] of the coefficients, and */
  int *moving;       /* [ncoef] their numbers; NULL before */
  mbd_sim *column;   /* for one direction, along which the gradient is watched; NULL before */
  double *along;     /* [2][npsi] values and derivatives that it left */
  double confirmed;  /* largest growth of sensitivities at which the gradient was confirmed (along.h) */
  char doubt[500];   /* why the last gradient is in doubt; "": it is not */
  double doubt_time; /* [s] when sensitivities had grown */
  mbd_status status; /* of the last simulation */
  mbd_error error;
} mechanism_case;

struct mechanism {
  const mbo_run_config *config;
  mbo_plugin *
      plugin; /* [config->nplugin] forces of one's own; those to which a force refers are described, and loaded by mechanism_set_design */
  int nvariant;
  mechanism_variant *variant; /* the first is that of the first case */
  design design;
  int n;                                       /* design variables; what follows is in `design` */
  const char *const *name;                     /* [n] */
  const double *start, *lower, *upper, *scale; /* [n] */
  int ncase, nload;
  mechanism_case *cases;       /* [nload] those of the run file, then their scenarios (scenarios.h) */
  int nobjective, nconstraint; /* quantities: objectives first, then constraints */
  int nall;                    /* quantities, and the samples in scenarios that follow them */
  double *psi;                 /* [nall] */
  double *grad;                /* [nall][n] of each by itself: of mechanism_evaluate and hessian_evaluate alone */
  double f;                    /* the objectives as one */
  true_value *truth;           /* [nall] true values of what forms smooth, of mechanism_evaluate (true_values.h) */
  double f_true;               /* the objectives as one with them */
  int smooths;                 /* 1: the form of some quantity smooths */
  double *true_psi;            /* [nall] scratch of true_values_find */
  double *
      sharpness; /* [nall] of smooth extrema, as they are computed, and 1/width of quantiles and across scenarios; NaN: others */
  double worst_sharpness; /* of the worst case of the objectives, as it is computed */
  int sharpness_open;     /* 1: some are left out by the run file and not yet chosen (cases.h) */
  double *file_start;     /* [n] the start of the run file, where others are drawn */
  int start_moved;        /* 1: the start locked as it was drawn, and was moved (closing_repair) */
  double *shift;          /* [nconstraint] that stages add to the constraints of the problem; 0 outside of them */
  double *share;          /* [nobjective] derivative of f in each objective */
  double *hess;           /* [nall][n][n] second derivatives, or [nall][n] along a direction; NULL before */
  int hess_columns;       /* for how many columns there is room */
  const char **c_name;    /* [nconstraint] */
  double *c_lower, *c_upper;
  unsigned char *c_linear;            /* [nconstraint] */
  mechanism_modes *modes;             /* of [mode NAME] */
  mechanism_experiments *experiments; /* of [experiment NAME] */
  double *with_parameters;       /* [n + design.nparameter] the design that is set, and the parameters of experiments */
  mechanism_values_list *values; /* objectives and constraints that are expressions, or taken across scenarios */
  mechanism_scenarios *scenarios; /* NULL: nothing scatters */
  double *work;                   /* [n] scratch */
  double *dpsi;                   /* [nall] derivatives along a direction */
  int threads; /* cases simulated at once; results do not depend on it. 0: as many as the machine has processors */
  struct lockstep_seat *seat; /* of a run in lockstep with others (lockstep.h); NULL: it goes alone */
  int lanes;                  /* scenarios that are simulated at once, each batch of them in */
  struct lockstep **lockstep; /* [batches] of its own; NULL: 1 */
  int design_lanes,
      lane; /* designs that designs_values simulates at once; which of them is evaluated, -1: another one */
  gradient_method asked; /* of the evaluation that is in progress, by all cases */
  int as_with_gradient; /* 1: values without gradients are those with them to the last bit (mbd_sim_as_with_gradient) */
  int every_case;       /* 1: evaluations simulate cases without objectives and constraints, too */
  long simulations;
  int gauss_newton; /* 1: an optimization uses the Gauss-Newton matrix, which the run file leaves open */
  char *decided;    /* the last text of mbo_problem.decided; NULL before */
  const volatile sig_atomic_t *stop; /* may be NULL */
  const mechanism_front *front; /* takes the place of the objectives as one; NULL: none does (mechanism_take_front) */
  double *front_at;             /* [n] design of the Gauss-Newton matrices that the cases hold; NULL without a front */
};

/* The scalar i = 0, 1, ... that the steady motion of a case has determined, at the end of its last simulation; NULL past the end. */
const char *mechanism_found(const mechanism_case *load, int i, double *value);

mbd_status mechanism_create(const mbo_run_config *c, mechanism **out, mbd_error *err);
void mechanism_destroy(mechanism *m);

/* Evaluate at rho [n] by a method of [gradient], "auto": in each case as m->cases[i].choice says. Results in m->psi, m->f and, unless
 * the method is "none", m->grad. */
mbd_status mechanism_evaluate(mechanism *m, const double *rho, const char *method, mbd_error *err);

/* Products of exact second derivatives with w [n]: Hw [1 + nconstraint][n], of the objectives as one, then of every constraint, for one
 * complex simulation with its adjoint. Values and gradients of the quantities are left in m->psi and m->grad. As hessian_evaluate. */
mbd_status mechanism_hessian_product(mechanism *m, const double *rho, const double *w, double *Hw, mbd_error *err);

/* Products with the Jacobian of the quantities: psi [quantities] and, along dx [n], dpsi [quantities] by direct differentiation; g [n], the gradient of
 * sum_i w_i psi_i, by the method of the run file, or the discrete adjoint where it has none. psi may be NULL. MBD_BAD_INPUT: a number of dx
 * or w is not finite. */
mbd_status mechanism_jvp(mechanism *m, const double *rho, const double *dx, double *psi, double *dpsi, mbd_error *err);
mbd_status mechanism_vjp(mechanism *m, const double *rho, const double *w, double *psi, double *g, mbd_error *err);

/* Hd [n] = (sum_i w_i psi_i'') d for a direction d [n], for one complex simulation with its adjoint. As hessian_evaluate. */
mbd_status mechanism_second(mechanism *m, const double *rho, const double *w, const double *d, double *Hd,
                            mbd_error *err);

/* Does the run file ask for lanes? Counts of all cases together. */
int mechanism_asks_for_lanes(const mechanism *m);
lane_counts mechanism_lanes(const mechanism *m);

/* Values alone: psi [quantities]. */
mbd_status mechanism_values(mechanism *m, const double *rho, double *psi, mbd_error *err);

/* The same as an optimization problem; belongs to m. Its evaluations leave m->psi, m->f and the cases' results behind. */
void mechanism_problem(mechanism *m, mbo_problem *p);

/* A hash of everything that determines the result of an evaluation: the configuration from its [scalars] to its [optimizer], what the
 * model file and the plugins hold (not where they are), and the numbers of all coefficients, which files named there (roads, tyres) may hold. 16
 * hexadecimal digits in new memory; NULL: no memory. */
char *mechanism_fingerprint(const mechanism *m);

/* As mbo_run_config_write, with tables of measurements and plugins by their names without folders: where they are does not matter to a
 * result, and what they hold is in the fingerprint. */
void mechanism_write_moved(const mbo_run_config *c, FILE *out);

/* Minimizes a point of a front from now on; f must outlive the mechanism. Problems of mechanism_problem made before are void. */
mbd_status mechanism_take_front(mechanism *m, const mechanism_front *f, mbd_error *err);

/* m->psi, m->grad and m->front->secants at rho: the Gauss-Newton matrices of objectives that are squares, 0 of others, and their rests. Cost: a gradient by
 * direct differentiation, unless that was the last evaluation and at the same design. */
mbd_status mechanism_front_matrices(mechanism *m, const double *rho, mbd_error *err);

/* Set coefficients (and directions, if `directions`) for a design; loads the libraries of users' forces before, as all that simulates begins
 * with this. MBD_UNSUPPORTED: one of them may not be loaded. */
mbd_status mechanism_set_design(mechanism *m, const double *rho, int directions, mbd_error *err);

/* Put the case and the time in front of the text of a failed simulation. */
mbd_status mechanism_name_case(mbd_status status, const mechanism_case *load, mbd_error *err);

/* Whether *stop of the mechanism `user` is set: an mbd_observer for the runs of its simulations. */
static inline int mechanism_stop_requested(void *user, int k, double t, const double *z, const double *zd,
                                           const double *zdd, const double *lam, const double *y) {
  const mechanism *m = (const mechanism *)user;
  (void)k, (void)t, (void)z, (void)zd, (void)zdd, (void)lam, (void)y;
  return m->stop && *m->stop;
}

int mechanism_is_worst(const mechanism *m);         /* several objectives are combined by their smooth maximum */
int mechanism_is_square(const mechanism *m, int i); /* objective i: its form is a sum or an integral of squares */
/* The objective of which the square k of a case is a part, as it is or as a sample of its mean, with the factor that it has there; -1: of none. */
int mechanism_square_of(const mechanism *m, const mechanism_case *load, int k, double *factor);
int mechanism_is_least_squares(const mechanism *m);
int mechanism_has_gauss_newton(
    const mechanism *m); /* a sum of squares whose gradient may be taken by direct differentiation */

/* The weight of objective i in the sum that is minimized. */
static inline double mechanism_weight(const mechanism *m, int i) {
  return m->front ? m->front->weight[i] : m->config->objective[i].weight;
}

/* Name of quantity i: objectives, then constraints. */
const char *mechanism_quantity(const mechanism *m, int i);

#endif
