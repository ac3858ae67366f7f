/* Several backends on the same problems from the same starts, with the same number of simulations for each: a study whose runs
 * are one backend from one start of one problem each. Of one problem from one start: what they find, how soon, and whether they
 * agree; designs that differ with objectives that do not show a flat valley. profiles.h says what comes out of several. */
#ifndef MBO_COMPARE_H
#define MBO_COMPARE_H

#include "study/runs.h"

/* ---- the runs ---- */

typedef struct compare_plan compare_plan;

/* The backends of [compare] for each of the run files, or a default list less what cannot solve the problem.
 * file [nfile], set [nset]: the run files, the assignments for all; they must outlive the plan.
 * starts: 0: as [compare] of the first run file says.
 * MBD_BAD_INPUT, MBD_UNSUPPORTED: a backend of the list is unknown, not built in or cannot solve the problem, or starts cannot be
 * drawn; nothing is simulated. Errors of the run files and models. */
mbd_status compare_create(int nfile, const char *const *file, int nset, const char *const *set, int starts,
                          compare_plan **out, mbd_error *err);
void compare_destroy(compare_plan *c);

/* As a plan, which belongs to the comparison. */
const study_plan *compare_study_plan(const compare_plan *c);

/* Name number i, from 0, of those of the default list that cannot solve their problem, and why; NULL past the end. */
const char *compare_left_out(const compare_plan *c, int i, const char **why);

/* ---- what came out of one problem from one start ---- */

typedef enum contest_measure {
  CONTEST_OBJECTIVE,
  CONTEST_VIOLATION,
  CONTEST_ITERATIONS,
  CONTEST_SIMULATIONS,
  CONTEST_FAILURES, /* designs that could not be simulated */
  CONTEST_SECONDS,
  CONTEST_MEASURES
} contest_measure;

typedef struct contender {
  char *name;
  runs_state state;
  json_t *record;                   /* NULL: RUN_MISSING */
  const char *status;               /* "CONVERGED", ..., "FAILED"; "NOT_RUN" */
  const char *text;                 /* how its backend ended, or why it failed; "" where it was not run */
  double *x;                        /* [nx] of a run that is done; NULL otherwise */
  double measure[CONTEST_MEASURES]; /* of a run that is done; NaN otherwise */
  int reached;                      /* simulations until within reach of the best; 0: never */
} contender;

typedef struct contest {
  int nx, n;
  contender *by; /* [n] in the order of the runs */
  int best;      /* the least objective of those without violation; -1: none */
  double reach;  /* how far above it counts as reached: max(1 % of it, 1e-6 of what it gained from the start) */
  int nreached;
  double *spread; /* [nx] (largest - least) / largest magnitude of a variable in the results of those that reached it */
} contest;

/* Is the study a comparison of one problem from one start? */
int contest_is(const study *s);

/* From the runs that are there; name [nx]: the design variables. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status contest_create(study *s, int nx, const char *const *name, contest *c, mbd_error *err);
void contest_free(contest *c); /* {0} is fine */

#endif
