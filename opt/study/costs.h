/* What the evaluations of an optimization cost, in units of one simulation of the same problem.
 *
 * The record of a run of a comparison has every evaluation with what was computed in it and the time of the processor that it took. For
 * each problem the median of these times over all runs, of all optimizers, is taken for each kind of evaluation; its ratio to the median
 * time of a simulation alone is the cost of the kind, at least 1. So the same numbers count for all optimizers, and other processes hardly
 * show. Equivalent simulations are the sum of these costs. A design that cannot be simulated counts 1. */
#ifndef MBO_COSTS_H
#define MBO_COSTS_H

#include "study/runs.h"

/* By the most that was computed. A Gauss-Newton matrix comes with the gradient. */
typedef enum cost_kind { COST_VALUE, COST_GRADIENT, COST_GAUSS_NEWTON, COST_HESSIAN, COST_KINDS } cost_kind;

cost_kind costs_kind(unsigned request); /* of MBO_REQUEST_... */

typedef struct problem_costs {
  int n[COST_KINDS];          /* evaluations whose times were measured */
  double seconds[COST_KINDS]; /* the median of these times; NaN: there are none */
  double cost[COST_KINDS];    /* in simulations; 1 where it is not known */
} problem_costs;

typedef struct costs {
  int nproblem;
  problem_costs *of; /* [nproblem] */
  int known; /* 1: runs have their evaluations; 0: all are of an earlier version, so that every design counts 1 */
} costs;

/* Computed from the runs that exist. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status costs_create(study *s, costs *c, mbd_error *err);
void costs_free(costs *c);

/* The costs of the problem of the row that was read last. */
const problem_costs *costs_here(const costs *c, const study *s);

/* Equivalent simulations of a whole run, of its evaluations after the last design too. */
double costs_of_run(const problem_costs *p, const json_t *record);

/* The same up to each design of a run [runs_simulations], in new memory; NULL: no memory. */
double *costs_of_designs(const problem_costs *p, const json_t *record);

/* Puts the equivalent simulations of a record into its columns, as "equivalent". */
void costs_put(const costs *c, const study *s, const json_t *record);

/* "a design counts 1 without derivatives (...), 1.6 with its gradient (...), ...", in new memory; NULL: no memory. */
char *costs_text(const problem_costs *p);

#endif
