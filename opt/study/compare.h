/* A study that compares several backends on the same problems from the same starts, with the same limit of simulations: each run is one
 * backend on one problem from one start. For one problem from one start the results are the objectives, the simulations needed, and
 * whether the optima agree; designs that differ with equal objectives show a flat valley. profiles.h has the results for several. */
#ifndef MBO_COMPARE_H
#define MBO_COMPARE_H

#include "study/costs.h"

/* ---- the runs ---- */

typedef struct compare_plan compare_plan;

/* The backends of [compare] for each of the run files, or of the default list, without those that cannot solve its problem or are not
 * built in; of "A or B" the first that can. file [nfile], set [nset]: the run files, the assignments for all; they must outlive the plan.
 * starts: 0: the number in [compare] of the first run file. MBD_BAD_INPUT: a backend of the list is unknown, or starts cannot be drawn;
 * MBD_UNSUPPORTED, MBD_NOT_BUILT_IN: none can solve the problem; nothing is simulated. Errors of the run files and models. */
mbd_status compare_create(int nfile, const char *const *file, int nset, const char *const *set, int starts,
                          compare_plan **out, mbd_error *err);
void compare_destroy(compare_plan *c);

/* The plan of the study, which the comparison owns. */
const study_plan *compare_study_plan(const compare_plan *c);

/* Name number i, from 0, of the backends that are left out as they cannot solve their problem, and the reason; NULL past the end. */
const char *compare_left_out(const compare_plan *c, int i, const char **why);

/* ---- results of one problem from one start ---- */

typedef enum comparison_measure {
  COMPARISON_OBJECTIVE,
  COMPARISON_OPTIMALITY, /* mbo_result.optimality; NaN: not known */
  COMPARISON_VIOLATION,
  COMPARISON_ITERATIONS,
  COMPARISON_SIMULATIONS,
  COMPARISON_EQUIVALENT, /* simulations, those with derivatives by what these cost (costs.h) */
  COMPARISON_FAILURES,   /* designs that could not be simulated */
  COMPARISON_SECONDS,
  COMPARISON_MEASURES
} comparison_measure;

typedef struct contender {
  char *name;
  runs_state state;
  json_t *record;                      /* NULL: RUN_MISSING */
  const char *status;                  /* "CONVERGED", ..., "FAILED"; "NOT_RUN" */
  const char *text;                    /* how its backend ended, or why it failed; "" if it was not run */
  double *x;                           /* [nx] of a run that is done; NULL otherwise */
  double measure[COMPARISON_MEASURES]; /* of a run that is done; NaN otherwise */
  int reached;                         /* simulations until its objective is within reach of the best; 0: never */
  double equivalent;                   /* the same in equivalent simulations; NaN: never */
} contender;

typedef struct comparison {
  int nx, n;
  costs costs;   /* of the one problem */
  contender *by; /* [n] in the order of the runs */
  int best;      /* the run with the least objective of the feasible ones; -1: none */
  double
      reach; /* objectives up to so far above it count as reached: max(1 % of it, 1e-6 of its decrease from the start) */
  int nreached;
  double *spread; /* [nx] (largest - least) / largest magnitude of a variable in the results of those that reached it */
} comparison;

/* Is the study a comparison of one problem from one start? */
int comparison_is(const study *s);

/* Computed from the runs that exist; name [nx]: the design variables. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status comparison_create(study *s, int nx, const char *const *name, comparison *judged, mbd_error *err);
void comparison_free(comparison *judged); /* a comparison {0} is allowed */

#endif
