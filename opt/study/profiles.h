/* Performance and data profiles of a comparison over problems and starts, and what each optimizer reached and needed there.
 *
 * An instance is one problem from one start. A backend solves it to the accuracy tau with the first design k that has no violation and
 *   f_k <= f_best + tau (f_0 - f_best),                                   [More, Wild 2009, eq. 2.2]
 * where f_best is the least objective that any backend found, and f_0 that of the start.
 * Data profile: the share of instances solved within a number of equivalent simulations (costs.h). Performance profile
 * [Dolan, More 2002]: within a multiple of those of the backend that needed fewest. */
#ifndef MBO_PROFILES_H
#define MBO_PROFILES_H

#include "study/costs.h"

enum { PROFILES_NTAU = 3, PROFILES_MIDDLE = 1 /* the accuracy of tables that have one */ };
extern const double profiles_tau[PROFILES_NTAU]; /* accuracies 1e-2, 1e-4, 1e-6 */

typedef struct profiles {
  int nbackend, nproblem, ninstance;
  int starts;     /* of each problem: instance number problem*starts + start */
  char **backend; /* [nbackend] in the order of the study */
  costs costs;    /* of the evaluations on each problem */
  double *cost;   /* [PROFILES_NTAU][nbackend][ninstance] equivalent simulations until solved; INFINITY: never */
  double
      *reached; /* [nbackend][ninstance] objective of the result; INFINITY: it violates constraints, or there is none */
  double *total;      /* [nbackend][ninstance] equivalent simulations of the whole run; NaN: there is no run */
  double *seconds;    /* [nbackend][ninstance] likewise */
  char *takes;        /* [nbackend][nproblem] 1: the study has runs of the backend on the problem */
  double *best, *f0;  /* [ninstance] NaN: there is no run */
  char *incomplete;   /* [ninstance] 1: some of its runs are left */
  int solved_by_none; /* number of instances without a feasible design */
  json_t **problem;   /* [nproblem] what problem_class.h says; NULL: not known */
} profiles;

/* Computed from the runs that exist. MBD_BAD_INPUT: the study is no comparison. */
mbd_status profiles_create(study *s, profiles *p, mbd_error *err);
void profiles_free(profiles *p);

/* For backend b at accuracy number t: share of instances solved within so many equivalent simulations; within `ratio` times the fewest. */
double profiles_data(const profiles *p, int t, int b, double cost);
double profiles_performance(const profiles *p, int t, int b, double ratio);

/* Equivalent simulations until backend b solved instance i, and the fewest of all backends; INFINITY: never, by none. */
double profiles_cost(const profiles *p, int t, int b, int i);
double profiles_fewest(const profiles *p, int t, int i);

/* Some of the instances: those of a list, or n successive ones. */
typedef struct profiles_part {
  int n, first;
  const int *instance; /* [n]; NULL: first, ..., first + n - 1 */
} profiles_part;
profiles_part profiles_all(const profiles *p);
profiles_part profiles_of_problem(const profiles *p, int problem);

/* Number of instances of a part that backend b solved; the quartiles of numbers v [ninstance] of each instance, as of a row of `cost`, `reached`
 * or `seconds`: v_25, the median, v_75 (NaN is left out). MBD_NO_MEMORY. */
int profiles_solved(const profiles *p, int t, int b, profiles_part part);
mbd_status profiles_quartiles(const double *v, profiles_part part, double quartile[3], mbd_error *err);

/* The rows of backend b of these arrays [ninstance]. */
static inline const double *profiles_row(const profiles *p, const double *v, int b) {
  return v + (size_t)b * (size_t)p->ninstance;
}
static inline const double *profiles_costs(const profiles *p, int t, int b) {
  return profiles_row(p, p->cost, t * p->nbackend + b);
}

/* What backend b did on the instances of a part, at the accuracy PROFILES_MIDDLE. MBD_NO_MEMORY. */
typedef struct profiles_spread {
  int solved;                   /* number of instances */
  double low, high;             /* interval of 95 % of their share [Wilson 1927] */
  double needed[3], reached[3]; /* quartiles of the equivalent simulations until solved and of the objective reached */
} profiles_spread;
mbd_status profiles_spread_of(const profiles *p, int b, profiles_part part, profiles_spread *out, mbd_error *err);

#endif
