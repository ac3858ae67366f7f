/* The evaluator, which an optimizer calls instead of the problem. One simulation serves value and gradient at a design; the last designs are
 * stored; failures are counted and listed with their status and text; every evaluation is written to a journal, from which an interrupted
 * run continues without simulating a design twice. */
#ifndef MBO_EVALUATOR_H
#define MBO_EVALUATOR_H

#include <signal.h>

#include "mbo/backend.h"

typedef struct evaluator evaluator;

/* Designs and simulation time of the journal that a run goes on from are included. */
typedef struct evaluator_limits {
  int max_evaluations;
  double max_time; /* [s] */
  double tol_constraint;
  const volatile sig_atomic_t *stop; /* may be NULL */
  double tol_offset;                 /* evaluator_offset; 0: it ends no run */
} evaluator_limits;

typedef struct evaluator_counts {
  int evaluations; /* designs simulated */
  int replayed;    /* designs answered from an earlier journal */
  int repeated;    /* requests answered from memory */
  int gradients;   /* evaluations that gave a gradient */
  int hessians;    /* matrices of exact second derivatives */
  int failures;
  int probes;       /* simulations that measured the noise, beside the designs */
  int watched;      /* gradients that were held against directional derivatives (mbo_problem.deviate), */
  double deviation; /* and the largest deviation; NaN: none was */
} evaluator_counts;

typedef struct evaluator_failure {
  int number; /* of the evaluation */
  mbd_status status;
  double *x; /* [n] */
  char *text;
} evaluator_failure;

/* journal_path: a file to append to, NULL: none. resume: 1: first read what it holds, and answer from it.
 * fingerprint: a text that identifies the problem; a journal of another problem is refused. */
mbd_status evaluator_create(const mbo_problem *p, const evaluator_limits *l, const char *journal_path, int resume,
                            const char *fingerprint, evaluator **out, mbd_error *err);
void evaluator_destroy(evaluator *e);

const mbo_problem *evaluator_problem(const evaluator *e);

/* Continues with the same problem with other bounds and another start; counts, limits and journal continue. The best design is determined
 * anew, and stored designs are discarded. The caller owns p. */
void evaluator_begin_again(evaluator *e, const mbo_problem *p);
/* Makes a design [n] with its values the best one, even if a better one was evaluated. Both functions reset a limit that ended one optimization (evaluator_has_ended). */
/* The same problem and designs go on with another method: a limit that ended one optimization is taken back, and what ends a run for want of progress
 * counts from here. */
void evaluator_go_on(evaluator *e);
void evaluator_hold(evaluator *e, const double *x, double f, const double *c, double violation);

/* The journal has lines of other functions beside those of this problem; its own have this text (mbo_settings.stage), which the caller owns. To be
 * called before the first evaluation. */
void evaluator_stage(evaluator *e, const char *stage);

/* Sets results that every evaluation computes in addition to the wanted ones. A backend that needs gradients at nearly every design sets
 * MBO_REQUEST_GRADIENT, so that each design is simulated once, as it is set where a backend begins; one that needs none sets 0. */
void evaluator_along(evaluator *e, unsigned request);

/* Calls `simulated` for every design, and `evaluated` for every evaluation of the problem, once the journal holds it; NULL: for none. */
void evaluator_tell(evaluator *e, void (*simulated)(void *user, const mbo_simulation *s),
                    void (*evaluated)(void *user, const mbo_evaluation *v), void *user);

/* Evaluate at x [n]. *out stays valid until the next call. MBD_INTERRUPTED: stop was asked for or a limit is reached
 * (evaluator_limit says which); > 0: the design failed, and is listed. */
mbd_status evaluator_evaluate(evaluator *e, const double *x, unsigned request, const mbo_eval **out, mbd_error *err);

/* A text about damaged lines of the journal of a resumed run, and about the file that keeps them; NULL: there are none. */
const char *evaluator_damage(const evaluator *e);
/* Writes to the journal that the run has ended, and how, in one word. */
mbd_status evaluator_end(evaluator *e, const char *how, mbd_error *err);

/* Which limit ended it: NULL, "evaluations", "time", "stop", "rounding", "data", "gradient" (mbo_problem.watch_limit), "infeasible" (the least
 * violation of the constraints no longer decreases). */
const char *evaluator_limit(const evaluator *e);
/* By one of them, other than "rounding", "data" and "infeasible", which end one optimization, after which another one may begin. */
int evaluator_has_ended(const evaluator *e);
/* A fatal error (status < 0 other than interrupted) that ended the run, or MBD_OK. */
mbd_status evaluator_fatal(const evaluator *e, mbd_error *err);

const evaluator_counts *evaluator_count(const evaluator *e);
int evaluator_designs(const evaluator *e); /* all so far: simulated, or answered from an earlier journal */
int evaluator_failures(const evaluator *e, const evaluator_failure **list); /* at most the first 1000 are kept */

/* The noise of the objective at the best design: its deviation from its own gradient if the variables change in their last bits,
 *
 *   max |f(x + d) - f(x) - g' d|,   |d_i| = 2^-44 |x_i|
 *
 * over some such d, and at least the rounding of f itself. It takes NOISE_SAMPLES simulations without derivatives, which count as no
 * designs and go to the journal, once for a best design of that size. 0 where nothing succeeded yet; without a gradient, g = 0. */
enum { NOISE_SAMPLES = 3 };
double evaluator_noise(evaluator *e);
double evaluator_known_noise(const evaluator *e); /* NaN where it has not been measured there */

/* Ends the run with the limit "rounding" after `max` designs in succession whose objectives differ from the best one by less than the
 * noise, where the gradient predicts no larger difference; max = 0: never, as
 * for global algorithms. It is on where a backend begins. */
void evaluator_watch(evaluator *e, int max);

/* To be called by a backend that can predict the decrease: from a design with objective f at most `left` is possible. If this is less than
 * the noise, the run ends likewise. */
void evaluator_left(evaluator *e, double f, double left);

/* Makes the design x with the values v, which has its gradient, the best one in any case, and ends the run with the limit "enough". */
void evaluator_enough(evaluator *e, const double *x, const mbo_eval *v);

/* The Gauss-Newton model of a sum of squares f at an iterate, without damping and between the bounds. */
typedef struct evaluator_model {
  double f, left; /* by how much it can fall */
  double
      gained; /* by how much f fell in the step to the iterate, relative to `left` before that step; 1 at the start */
  int nfree;  /* variables at no bound */
} evaluator_model;

/* The relative offset of an iterate in a fit to N data (mbo_problem.samples) [Bates, Watts 1981]: the residuals' projection on the tangent
 * plane, as far as the bounds let the variables follow it, against what is orthogonal to it, each by its degrees of freedom:
 *
 *   sqrt(left/nfree)/s,   s^2 = (f - left)/(N - nfree)
 *
 * With cov = s^2 (J'J)^-1, left/s^2 is d' cov^-1 d of the way d to the least value of the model. So the offset is by how many standard
 * errors the estimates would still change, as a root mean square over their nfree directions; no combination of them changes by more
 * than sqrt(nfree) times as many. At most tol_offset, where the last step gained less than half of what the model had promised, and
 * where residuals are noise, the run ends: its limit is "data". Where steps gain what is promised, the optimum itself is a step or two
 * away. */
void evaluator_offset(evaluator *e, const evaluator_model *m);
double evaluator_known_offset(const evaluator *e); /* the last one; NaN: there was none, or residuals are no noise */

/* Best design so far: least objective among those with violation <= tol_constraint, else the least violation.
 * 0 when nothing succeeded yet. */
int evaluator_best(const evaluator *e, const double **x, double *f, const double **c, double *violation);

/* The gradient [n] of the objective and the Jacobian [nc][n] of the constraints at the best design. 0 where they are not known. */
int evaluator_best_gradient(const evaluator *e, const double **g, const double **jac);

/* By how much the objective falls to first order if one variable goes by its scale, or to its bound, at the first design with a gradient:
 * the largest of these decreases; of squares at most f. NaN: there is no gradient. */
double evaluator_first_promise(const evaluator *e);

/* Largest violation of the nonlinear constraints at values c. */
double evaluator_violation(const mbo_problem *p, const double *c);

double evaluator_seconds(const evaluator *e);

#endif
