/* Finds which results of many optimizations are the same optimum: objectives and variables must agree.
 *
 *   |f - g| <= max(tol_f max(|f|, |g|, |f at the start|), noise of f, noise of g)
 *                                                        the start, since relative differences near zero are meaningless
 *   |x - y| <= tol_x max(|x|, |y|, scale)                in every variable, x - y without whole periods
 *
 * Results are added one by one. A new one is compared with the first of every optimum, so that an optimum does not extend along a valley,
 * and memory grows with the number of optima, not with that of results. */
#ifndef MBO_OPTIMA_H
#define MBO_OPTIMA_H

#include "mbd/status.h"

enum { OPTIMA_MAX = 1000 }; /* number of different optima; tables with more are of no use */
#define OPTIMA_TOL_F 1e-6
#define OPTIMA_TOL_X 1e-3 /* where f is flat, a change of 1e-6 f corresponds to 1e-3 of x */

typedef struct optimum {
  int id;          /* in the order in which they were found, from 0 */
  long run, found; /* the best run that ended there; number of runs that did */
  long converged;  /* number of these that converged: the others may have stopped before */
  long stopped;    /* number of these that a limit has stopped */
  double f, *x;    /* of that run; x [n] */
  double noise;    /* the largest noise of the runs that ended there */
  double first_f;  /* the first one found, with which others are compared */
  double *first_x; /* [n] */
  int same;        /* after equivalents_name: the place of a better optimum with which it is equivalent, */
  const char *as;  /* by the section of this name; NULL: it is not */
} optimum;

typedef struct optima {
  int nx;
  const double *scale, *period; /* [nx] the caller's; NULL: 1, and no periods */
  double tol_f, tol_x;
  double f_start; /* at the run file's own start; NaN: not known */
  int n;
  optimum *found; /* [n] */
  long more;      /* results at other optima than the first OPTIMA_MAX */
  long stopped; /* results of runs that a limit has stopped, and that are at no optimum of another one (optima_sort); */
  double stopped_f; /* the least of their objectives, */
  long stopped_run; /* and its run */
  long outside;     /* results outside of the limits, which are no ends; */
  double outside_v; /* the least of their violations, */
  long outside_run; /* and its run */
  char *
      lacking; /* after equivalents_name: equivalents of the best one at which no run has ended, a line for each; NULL: none */
} optima;

typedef struct optima_end {
  long run;
  int converged;
  double f, f_start; /* objective there and at the start */
  const double *x;   /* [nx] */
  double noise;      /* of the objective there; 0: not measured */
  int stopped;       /* by a limit */
} optima_end;

/* Do two designs agree within tol times the tolerance of optima? */
int optima_same_design(const optima *o, const double *x, const double *y, double tol);

/* *id: of its optimum; -1: it is none of the first OPTIMA_MAX. MBD_NO_MEMORY. */
mbd_status optima_add(optima *o, const optima_end *e, int *id, mbd_error *err);

/* Objectives closer than this are equal: max(tol_f size, noise), where size is the largest of their magnitudes and that at the start
 * (NaN: not known). The start is included since relative differences of objectives near zero are meaningless. */
double optima_same(double tol_f, double size, double f_start, double noise);

/* The probability that one more start ends at a new optimum, and so a bound on the probability that it ends at a better one:
 *   w (w + 1)/(N (N - 1))  after N starts with w different optima,
 * the mean if nothing is known in advance about the number of optima [Boender, Rinnooy Kan 1987]. NaN for fewer than w + 2 starts, which
 * are too few. */
double optima_missed(const optima *o);

/* Takes the optima out where only runs have ended that a limit has stopped, as these are none, and sorts the others, best first; the ids do
 * not change. */
void optima_sort(optima *o);
void optima_free(optima *o);

#endif
