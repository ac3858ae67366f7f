/* Performance and data profiles of a comparison over problems and starts.
 *
 * An instance is one problem from one start. A backend solves it to the accuracy tau with the first simulation k whose design
 * has no violation and
 *   f_k <= f_best + tau (f_0 - f_best),                                   [More, Wild 2009, eq. 2.2]
 * where f_best is the least objective that any backend found, and f_0 that of the start.
 * Data profile: the share of instances solved within a number of simulations. Performance profile [Dolan, More 2002]: within a multiple
 * of the simulations of the backend that needed fewest. */
#ifndef MBO_PROFILES_H
#define MBO_PROFILES_H

#include "study/runs.h"

enum { PROFILES_NTAU = 3 };
extern const double profiles_tau[PROFILES_NTAU]; /* accuracies 1e-2, 1e-4, 1e-6 */

typedef struct profiles {
  int nbackend, ninstance;
  char **backend;     /* [nbackend] in the order of the study */
  int *simulations;   /* [PROFILES_NTAU][nbackend][ninstance] simulations until solved; 0: never */
  double *best, *f0;  /* [ninstance] NaN: there is no run */
  int *sorted;        /* [ninstance] scratch of profiles_median */
  int solved_by_none; /* number of instances without a feasible design */
} profiles;

/* Computed from the runs that exist. MBD_BAD_INPUT: the study is no comparison. */
mbd_status profiles_create(study *s, profiles *p, mbd_error *err);
void profiles_free(profiles *p);

/* For backend b at accuracy number t: share of instances solved within k simulations; within `ratio` times the fewest. */
double profiles_data(const profiles *p, int t, int b, double k);
double profiles_performance(const profiles *p, int t, int b, double ratio);

/* Simulations until backend b solved instance i, and the fewest of all backends; 0: never, by none. */
int profiles_simulations(const profiles *p, int t, int b, int i);
int profiles_fewest(const profiles *p, int t, int i);

/* Number of instances that backend b solved, the percentage, and the median of its numbers of simulations there; NaN: none. */
int profiles_solved(const profiles *p, int t, int b);
double profiles_percent(const profiles *p, int t, int b);
double profiles_median(const profiles *p, int t, int b);

#endif
