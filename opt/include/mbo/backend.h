/* Optimizers behind one interface. */
#ifndef MBO_BACKEND_H
#define MBO_BACKEND_H

#include <signal.h>

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

/* How it ended, the same words for all backends; the backend's own stand beside it. */
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

/* One iteration, as backends report it. NaN: not known. */
typedef struct mbo_iteration {
  int iteration, evaluations; /* designs so far, those from an earlier journal included */
  double f, violation, optimality, step;
} mbo_iteration;

/* One design, as the evaluator reports it once the journal has it. A resumed run also reports those that it takes from its journal. */
typedef struct mbo_simulation {
  int number;          /* counting those from an earlier journal */
  mbd_status status;   /* MBD_OK, or > 0: it failed */
  double f, violation; /* NaN where it failed */
  int replayed;        /* answered from an earlier journal, not simulated */
} mbo_simulation;

/* An option of the backend itself, passed on as it is. */
typedef struct mbo_option {
  const char *name, *value;
} mbo_option;

/* What a run of an optimizer is told besides its problem. Keys of [optimizer] have the same names. */
typedef struct mbo_settings {
  const char *algorithm;               /* "" : the backend's own choice */
  int gauss_newton, exact_hessian;     /* second derivatives to be used; neither: the backend's own approximation */
  int max_iterations, max_evaluations; /* max_evaluations and max_time include those of the journal of a resumed run */
  double max_time, tol_f, tol_x, tolerance, tol_constraint, stop_value;
  int seed;
  int verbosity; /* 0: silent; more: the backend's own output */
  int noption;
  const mbo_option *option; /* in the backend's own names */
  const volatile sig_atomic_t *stop;
  void (*iteration)(void *user, const mbo_iteration *it);
  void (*simulated)(void *user, const mbo_simulation *s);
  /* Everything can begin, and the journal is open; damage: what was found damaged in it, and where it is kept; NULL: nothing.
   * Other than MBD_OK ends it. */
  mbd_status (*begin)(void *user, const char *damage, mbd_error *err);
  void *user;          /* of these */
  const char *journal; /* file; NULL: none. It begins anew, unless the run is to be resumed. */
  int resume; /* go on from it: the same iterates, and the result that it would have had without interruption */
  const char *fingerprint;
} mbo_settings;

/* The defaults of [optimizer] in a run file. */
void mbo_settings_init(mbo_settings *s);

/* A design that could not be simulated. */
typedef struct mbo_failure {
  int number;
  mbd_status status;
  double *x;
  char *text;
} mbo_failure;

/* What an optimization gives; its arrays belong to it. */
typedef struct mbo_result {
  mbo_status status;
  int code;        /* the backend's own */
  char text[1024]; /* and its words */
  int n, nc;
  double *x, *c; /* best design [n] and its constraints [nc] */
  double f, violation;
  double noise;   /* by how much f changes where x changes in its last bits; NaN: not measured, as no two
                   * designs came near enough */
  double f_start; /* objective of the start, NaN if it failed */
  int iterations, evaluations, replayed, gradients, hessians, failures, restarts;
  int probes;       /* simulations that measured the noise, which are no designs */
  int watched;      /* gradients that were held against directional derivatives (mbo_problem.deviate), */
  double deviation; /* and the largest deviation; NaN: none was */
  /* Catalogue values (mbo_problem.values): the end of the optimization in which they could have any value. */
  double f_continuous, *x_continuous; /* NaN, NULL: there are none, or the run ended before */
  int neighbours;                     /* designs beside the rounded one that were tried */
  int nfailure;                       /* failures listed */
  mbo_failure *failure;
  double seconds;
} mbo_result;

/* What the result points to, not itself. */
void mbo_result_free(mbo_result *r);

/* An optimizer: a row of the table of backends. */
typedef struct mbo_backend_info {
  const char *name, *doc;
  unsigned caps;
  const char *package; /* Debian package it needs; NULL where it is there */
  const char *version; /* of the library, where it is there */
} mbo_backend_info;

int mbo_backend_at(int i, mbo_backend_info *info); /* 0 past the end */

/* Algorithm i of a backend: name and description; 0 past the end. */
int mbo_backend_algorithm(const char *backend, int i, const char **name, const char **doc);

/* Could mbo_solve begin? The same answers, before anything is simulated. */
mbd_status mbo_check(const char *backend, const mbo_problem *p, const mbo_settings *s, mbd_error *err);

/* Minimize. MBD_NOT_BUILT_IN: the backend is known, but was not built; MBD_UNSUPPORTED: it lacks something that the problem has;
 * MBD_BAD_INPUT: unknown backend, algorithm or option. How the run itself ended is in *r. */
mbd_status mbo_solve(const char *backend, const mbo_problem *p, const mbo_settings *s, mbo_result *r, mbd_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
