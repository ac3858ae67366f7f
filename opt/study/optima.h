/* Which ends of many optimizations are the same optimum: those whose objectives agree and whose variables do.
 *
 *   |f - g| <= max(tol_f max(|f|, |g|, |f at the start|), noise of f, noise of g)
 *                                                        the start, since optima at zero agree with nothing else
 *   |x - y| <= tol_x max(|x|, |y|, scale)                in every variable
 *
 * Results come one by one; a new one is compared with the first of every optimum, so that none of them grows along a valley,
 * and memory grows with the optima, not with the results. */
#ifndef MBO_OPTIMA_H
#define MBO_OPTIMA_H

#include "mbd/status.h"

enum { OPTIMA_MOST = 1000 }; /* told apart; nobody reads more */
#define OPTIMA_TOL_F 1e-6
#define OPTIMA_TOL_X 1e-3 /* where f is flat, 1e-6 of it is 1e-3 of x */

typedef struct optimum {
  int id;          /* in the order in which they were found, from 0 */
  long run, found; /* the best run that ended there; how many did */
  long converged;  /* of those, how many said that it is one: others may have stopped on their way */
  double f, *x;    /* of that run; x [n] */
  double noise;    /* the largest of those that ended there */
  double first_f;  /* what others are compared with */
  double *first_x; /* [n] */
} optimum;

typedef struct optima {
  int nx;
  const double *scale; /* [nx] the caller's; NULL: 1 */
  double tol_f, tol_x;
  int n;
  optimum *found; /* [n] */
  long more;      /* results at none of the first OPTIMA_MOST */
} optima;

typedef struct optima_end {
  long run;
  int converged;
  double f, f_start; /* objective there and at the start */
  const double *x;   /* [nx] */
  double noise;      /* of the objective there; 0: not measured */
} optima_end;

/* *id: of its optimum; -1: at none of the first OPTIMA_MOST. MBD_NO_MEMORY. */
mbd_status optima_add(optima *o, const optima_end *e, int *id, mbd_error *err);

/* Objectives closer than this are equal: max(tol_f size, noise), size the largest of their magnitudes and that of the start (NaN: not
 * known), since optima at zero agree with nothing else. */
double optima_same(double tol_f, double size, double f_start, double noise);

/* The chance that one more start ends elsewhere than all so far, and so the most that it may end better:  w (w + 1)/(N (N - 1))  after N
 * starts with w different ends, the mean for a number of optima of which nothing is known beforehand [Boender, Rinnooy Kan 1987]. NaN for
 * fewer than w + 2 starts, which say nothing. */
double optima_missed(const optima *o);

/* Best first; the ids stay. */
void optima_sort(optima *o);
void optima_free(optima *o);

#endif
