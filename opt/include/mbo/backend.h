/* Optimizers behind one interface. */
#ifndef MBO_BACKEND_H
#define MBO_BACKEND_H

#include <signal.h>
#include <stddef.h>

#include "mbo/problem.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What a backend can handle. */
enum {
  MBO_CAP_BOUNDS = 1,
  MBO_CAP_CONSTRAINTS = 2,   /* nonlinear inequalities and equalities */
  MBO_CAP_GRADIENT_FREE = 4, /* has algorithms that need no gradient */
  MBO_CAP_GAUSS_NEWTON = 8,  /* takes the Gauss-Newton matrix as Hessian */
  MBO_CAP_HESSIAN = 16       /* takes exact second derivatives of objective and constraints */
};

/* Ends of an optimization, with the same words for all backends; mbo_result has the backend's own words, too. */
#define MBO_STATUS_LIST(X)                                                               \
  X(MBO_CONVERGED, "converged")                                                          \
  X(MBO_STOPPED_LIMIT, "stopped at a limit")                                             \
  X(MBO_INFEASIBLE, "no feasible design found")                                          \
  X(MBO_STALLED, "stalled: no further progress, though not at the optimality tolerance") \
  X(MBO_INTERRUPTED, "interrupted")                                                      \
  X(MBO_WRONG_GRADIENT, "stopped, as a gradient deviates from a direct sensitivity")     \
  X(MBO_FAILED_START, "the start cannot be simulated")                                   \
  X(MBO_FAILED, "failed")

/* How an optimization ended. */
typedef enum mbo_status {
#define X(name, text) name,
  MBO_STATUS_LIST(X)
#undef X
} mbo_status;

const char *mbo_status_name(mbo_status s); /* "CONVERGED" */
const char *mbo_status_text(mbo_status s); /* as in the list above: "converged" */

/* One iteration, as a backend reports it: objective and largest violation of a constraint (0: none is violated) at its design, measure of
 * optimality and length of the step of that backend. NaN: not known. */
typedef struct mbo_iteration {
  int iteration, evaluations; /* evaluations: designs so far, those from an earlier journal included */
  double f, violation, optimality, step;
} mbo_iteration;

/* One design, reported after it is written to the journal. A resumed run also reports the designs that it reads from its journal. */
typedef struct mbo_simulation {
  int number;          /* counting those from an earlier journal */
  mbd_status status;   /* MBD_OK, or > 0: it failed */
  double f, violation; /* NaN where it failed */
  int replayed;        /* 1: read from an earlier journal, not simulated */
} mbo_simulation;

/* One evaluation of the problem: of a new design, of the last one again for derivatives that were not asked for before, or of a design that
 * measures the noise. What checks gradients during a run (mbo_problem.deviate) is none. */
typedef struct mbo_evaluation {
  int number;        /* designs so far, with this one if it is new; those from an earlier journal count */
  unsigned request;  /* MBO_REQUEST_... that were computed together */
  mbd_status status; /* MBD_OK, or > 0: it failed */
  double seconds;    /* [s] of the processor that this process took meanwhile; NaN: not measured, or replayed */
  int replayed;      /* 1: read from an earlier journal */
} mbo_evaluation;

/* An option of the backend itself, which is passed on unchanged. It keeps this layout. */
typedef struct mbo_option {
  const char *name, *value;
} mbo_option;

/* What an optimizer of one's own asks during its run, see below. */
typedef struct mbo_ask mbo_ask;

/* Settings of an optimization. The keys of [optimizer] have the same names. */
typedef struct mbo_settings {
  const char *algorithm;               /* "" : the backend's own choice */
  int gauss_newton, exact_hessian;     /* 1: the second derivatives to use; both 0: the backend's own approximation */
  int max_iterations, max_evaluations; /* max_evaluations and max_time include those of the journal of a resumed run */
  double max_time;                     /* [s] */
  double tol_f, tol_x;                 /* relative changes of f and of x that count as none */
  double tolerance;                    /* of the backend's measure of optimality */
  double tol_constraint;               /* violation of constraints that is accepted */
  double stop_value;                   /* the optimization ends at f <= stop_value; -INFINITY: it does not */
  double tol_offset; /* of fits to data (mbo_problem.samples): relative offset that ends them; 0: none does */
  int seed;
  int verbosity; /* 0: silent; more: the backend's own output */
  int noption;
  const mbo_option *option;          /* in the backend's own names */
  const volatile sig_atomic_t *stop; /* the optimization ends when *stop is not 0; NULL: none */
  void (*iteration)(void *user, const mbo_iteration *it);
  void (*simulated)(void *user, const mbo_simulation *s);
  /* Called when the journal is open, before the first evaluation; damage: a text about damaged records and where they are kept; NULL: the
   * journal is whole. Another return value than MBD_OK ends the run. */
  mbd_status (*begin)(void *user, const char *damage, mbd_error *err);
  void *user;          /* first argument of these functions */
  const char *journal; /* file; NULL: none. It is begun anew, unless the run is resumed */
  int resume; /* 1: continue the run of the journal, with the same iterates and the same result as without interruption */
  /* Of the problem, kept in the journal; a resumed run with another one is refused. NULL: none. */
  const char *fingerprint;
  /* 1: scales s_i that make the diagonal entries s_i^2 H_ii of the Gauss-Newton matrix at the start equal take the place of
   * mbo_problem.scale, whose geometric mean stays; each is at most a thousand times larger or smaller. The problem has to have that
   * matrix. A variable on which the objective does not depend there keeps its scale. */
  int scale_by_curvature;
  void (*evaluated)(void *user, const mbo_evaluation *v); /* called for every evaluation, as it ends; NULL: none */
  /* Of the backend "command", an optimizer of one's own: a program with its arguments, which answers by lines of JSON within so many seconds
   * (docs/own_optimizer.md), and which mbo_commands_allow has to allow; or, where it is not NULL, a function of this process. Zero: no program;
   * 600 s. The function asks by *a, says at its end how it ended (mbo_ask_end), and returns MBD_OK. Whatever else it returns is the end too: what a
   * function of mbo_ask has returned, or an error of its own, with which the optimization has failed; its best design is the result. */
  const char *command;
  double answer_within; /* [s] */
  mbd_status (*optimizer)(void *of_optimizer, mbo_ask *a, mbd_error *err);
  void *of_optimizer;
  /* With gauss_newton, 1: where this matrix makes no progress, the run goes on from its best design with the backend's own approximation, within the
   * same limits and journal (mbo_result.gauss_newton_left). For nonlinear constraints, whose curvature the matrix leaves out. */
  int leave_gauss_newton;
  /* Of an optimization that is one of several in the same journal, which evaluate other functions: a text by which its lines are recognized. The
   * journal is not begun anew then if `resume` is 1. NULL: none. */
  const char *stage;
  int designs_before;    /* that the optimizations before it have taken of max_evaluations, */
  double seconds_before; /* and of max_time */
  /* [nc] multipliers of a problem like this one at a design near the start, in the signs of mbo_result.multipliers: IPOPT begins with them, without
   * leaving the bounds that the start is at. NULL: none are known. */
  const double *multipliers;
  /* Of IPOPT, for problems with second derivatives: asked at the start and at every iterate x, with gradients and second derivatives there. 1: the
   * optimization has converged, and x is its result, whatever designs were evaluated before, unless it violates a constraint. At the start it may change
   * the limits of constraints. NULL: nobody is asked. */
  int (*is_enough)(void *user, const double *x, const mbo_eval *v);
} mbo_settings;

/* The defaults of [optimizer] in a run file. */
void mbo_settings_init_sized(mbo_settings *s, size_t size);
static inline void mbo_settings_init(mbo_settings *s) {
  mbo_settings_init_sized(s, sizeof *s);
}

/* ---- an optimizer of one's own ---- */

/* The problem, as long as the optimizer runs. */
const mbo_problem *mbo_ask_problem(const mbo_ask *a);
/* The settings, of which limits and stop_value are applied by the functions below. */
const mbo_settings *mbo_ask_settings(const mbo_ask *a);

/* Evaluates the design x [n], in user units. *out is valid until the next call. A positive code: this design cannot be simulated, or lies outside of
 * the bounds; MBD_INTERRUPTED: a limit has ended the run, and the optimizer is to return; other negative codes end it too. MBD_UNSUPPORTED: the
 * problem does not have what is requested; MBD_BAD_INPUT: a number is not finite. Cost: a simulation, where the design is new. */
mbd_status mbo_ask_evaluate(mbo_ask *a, const double *x, unsigned request, const mbo_eval **out, mbd_error *err);

/* Computes Hv [n] at x: with request MBO_REQUEST_HESSIAN the product of v with objective * f'' + sum_k multipliers[k] * c_k'', where multipliers [nc]
 * may be NULL for none; with MBO_REQUEST_GAUSS_NEWTON that of objective * H. Cost: the whole matrix at the first product at x. Errors: those of
 * mbo_ask_evaluate. */
mbd_status mbo_ask_product(mbo_ask *a, const double *x, unsigned request, double objective, const double *multipliers,
                           const double *v, double *Hv, mbd_error *err);

/* Reports an iteration: it->evaluations is set here, and it->f, where it is NaN, becomes that of the best design. MBD_INTERRUPTED: max_iterations. */
mbd_status mbo_ask_iteration(mbo_ask *a, const mbo_iteration *it, mbd_error *err);

/* Says how the optimizer has ended: MBO_CONVERGED, MBO_STOPPED_LIMIT, MBO_INFEASIBLE, MBO_STALLED or MBO_FAILED, and a sentence. */
void mbo_ask_end(mbo_ask *a, mbo_status status, const char *text);

/* allow = 1: programs that run files name may be started as optimizers; 0, the default: none is. */
void mbo_commands_allow(int allow);

/* A design that could not be simulated. It keeps this layout. */
typedef struct mbo_failure {
  int number;
  mbd_status status;
  double *x;
  char *text;
} mbo_failure;

/* The result of an optimization, which owns its arrays. */
typedef struct mbo_result {
  mbo_status status;
  int code;        /* the backend's own code */
  char text[1024]; /* the backend's own words */
  int n, nc;
  double *x, *c; /* best design [n] and its constraints [nc] */
  double f, violation;
  double noise;   /* change of f when x changes in its last bits; NaN: not measured, because no two designs were
                   * near enough to each other */
  double f_start; /* objective of the start, NaN if it failed */
  long samples;   /* data that f compares with, where they are taken for noisy data (mbo_problem.samples); else 0 */
  double offset;  /* the relative offset of these data (Bates and Watts) at the last iterate; NaN: not known */
  int iterations, evaluations, replayed, gradients, hessians, failures, restarts;
  int probes;       /* simulations that measured the noise; they do not count as designs */
  int watched;      /* number of gradients that were compared with directional derivatives (mbo_problem.deviate) */
  double deviation; /* the largest deviation of these; NaN: none was compared */
  /* Catalogue values (mbo_problem.values): the result of the optimization in which these variables could have any value. */
  double f_continuous, *x_continuous; /* NaN, NULL: there are no catalogues, or the run ended earlier */
  int neighbours;                     /* number of other combinations of values than the rounded one that were tried */
  int nfailure;                       /* number of failures in the list */
  mbo_failure *failure;
  double seconds;
  /* The residual of the conditions of Karush, Kuhn and Tucker at x, as a decrease of f to first order. It is the largest of two kinds of decreases:
   * that of a variable that moves against the gradient of the Lagrangian by its scale, or to its bound; and that of a constraint that moves to the
   * bound of its multiplier. Of squares at most f. With catalogue values: at x_continuous. NaN: the gradient at x is not known, or x is not feasible. */
  double optimality;
  int gauss_newton_left; /* designs after which the Gauss-Newton matrix was left (mbo_settings.leave_gauss_newton); 0: it was not */
  int stages; /* optimizations one after the other until true values met the limits and objectives were low in them, of mbo_run_minimize and mbo_run_optimize; else 0 */
  /* [nc] Lagrange's multipliers at x, > 0 at an upper limit and < 0 at a lower one: an upper limit that is raised by d changes f by -d times its
   * multiplier, to first order. They belong to `optimality`; NULL: it is not known. */
  double *multipliers;
} mbo_result;

/* Frees the arrays of the result, not the struct itself. */
void mbo_result_free_sized(mbo_result *r, size_t size);
static inline void mbo_result_free(mbo_result *r) {
  mbo_result_free_sized(r, sizeof *r);
}

/* An optimizer: a row of the table of backends. */
typedef struct mbo_backend_info {
  const char *name, *doc;
  unsigned caps;
  const char *package; /* Debian package that is missing; NULL: the backend is available */
  const char *version; /* version of the library, if it is available */
} mbo_backend_info;

/* Sets *info to row i of the table; returns 0 past the end. */
int mbo_backend_at_sized(int i, mbo_backend_info *info, size_t size);
static inline int mbo_backend_at(int i, mbo_backend_info *info) {
  return mbo_backend_at_sized(i, info, sizeof *info);
}

/* Algorithm i of a backend: name and description; 0 past the end. */
int mbo_backend_algorithm(const char *backend, int i, const char **name, const char **doc);

/* Checks whether mbo_solve could begin; it returns the same errors, and simulates nothing. */
mbd_status mbo_check_sized(const char *backend, const mbo_problem *p, size_t problem_size, const mbo_settings *s,
                           size_t settings_size, mbd_error *err);
static inline mbd_status mbo_check(const char *backend, const mbo_problem *p, const mbo_settings *s, mbd_error *err) {
  return mbo_check_sized(backend, p, sizeof *p, s, sizeof *s, err);
}

/* Minimizes problem p. r->status tells how the optimization ended; *r is to be freed with mbo_result_free in any case. MBD_NOT_BUILT_IN: the
 * backend is known, but was not built; MBD_UNSUPPORTED: it cannot handle a property of the problem; MBD_BAD_INPUT: unknown backend, algorithm
 * or option, or the journal of another problem; MBD_IO_ERROR: the journal cannot be read or written; MBD_NO_MEMORY. */
mbd_status mbo_solve_sized(const char *backend, const mbo_problem *p, size_t problem_size, const mbo_settings *s,
                           size_t settings_size, mbo_result *r, size_t result_size, mbd_error *err);
static inline mbd_status mbo_solve(const char *backend, const mbo_problem *p, const mbo_settings *s, mbo_result *r,
                                   mbd_error *err) {
  return mbo_solve_sized(backend, p, sizeof *p, s, sizeof *s, r, sizeof *r, err);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
