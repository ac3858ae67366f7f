/* Several backends on one problem: the same start, the same number of simulations for each. What they find, how soon, and
 * whether they agree: designs that differ with objectives that do not show a flat valley. */
#ifndef MBO_COMPARE_H
#define MBO_COMPARE_H

#include <jansson.h>

#include "mbo/backend.h"

enum compare_state { COMPARE_WAITING, COMPARE_DONE, COMPARE_ERROR, COMPARE_LEFT_OUT };

typedef struct compare_entry {
  char *name;                /* as written: "ipopt:gauss_newton", "nlopt:LD_SLSQP" */
  char *backend, *algorithm; /* algorithm "": the backend's own choice */
  int gauss_newton, exact_hessian;
  enum compare_state state;
  char text[1024];            /* of an error, or why it is left out */
  mbo_result r;               /* of one that is done */
  int n, lost;                /* lost: memory ran out */
  mbo_simulation *simulation; /* [n] every design, as it came */
  int reached;                /* simulations until within reach of the best; 0: never */
  json_t
      *warnings; /* of the simulation of the result; NULL: there was none. Set by the caller, freed with the entry. */
} compare_entry;

typedef struct comparison {
  const mbo_problem *p;
  mbo_settings s;
  const char *options_of;
  int n;
  compare_entry *entry; /* [n] */
  /* Of compare_judge: */
  int best;       /* entry with the least objective among those without violation; -1: none */
  double reach;   /* how far above it counts as reached: max(1 % of it, 1e-6 of what it gained from the start) */
  int nreached;   /* entries that reached it */
  double *spread; /* [p->n] (largest - least) / largest magnitude of a variable in the results of those */
} comparison;

/* The parts of "BACKEND", "BACKEND:ALGORITHM", "BACKEND:gauss_newton", "BACKEND:exact": backend and algorithm ("": its own
 * choice) in new memory, *hessian as [optimizer] names it. 0: no memory, and nothing to be freed. */
int compare_read_name(const char *name, char **backend, char **algorithm, const char **hessian);

/* list: "ipopt, nlopt:LD_SLSQP"; NULL: a default list, less what cannot solve the problem (COMPARE_LEFT_OUT). s: what is
 * common to all; max_evaluations is the budget, and iterations have no limit of their own. Options go to the entries of
 * one backend only: to that named `options_of`. p, s->stop and s->option must outlive the comparison. MBD_BAD_INPUT,
 * MBD_UNSUPPORTED: an entry of the list is unknown, not built in or cannot solve the problem; nothing is simulated. */
mbd_status compare_create(const mbo_problem *p, const mbo_settings *s, const char *options_of, const char *list,
                          comparison **out, mbd_error *err);
void compare_destroy(comparison *c);

/* Run entry i; its errors end up in it, but for MBD_NO_MEMORY. */
mbd_status compare_run(comparison *c, int i, mbd_error *err);

/* Who reached the best, after how many simulations, with which designs; can be called after every run. */
void compare_judge(comparison *c);

/* "CONVERGED", ..., or "ERROR", "NOT_RUN". */
const char *compare_status(const compare_entry *e);

#endif
