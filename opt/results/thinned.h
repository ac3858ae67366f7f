/* The whole trajectory of a case, thinned for a page: every column of trajectory.csv with at most some thousand nodes,
 * which include its extremes. */
#ifndef MBO_THINNED_H
#define MBO_THINNED_H

#include "mechanism/series.h"

typedef struct thinned_node {
  int k;
  double t, y;
} thinned_node;

typedef struct thinned_curve {
  int stretch; /* nodes of which at most three are kept; 1: all nodes are kept */
  int n;
  int *node;               /* [n] their numbers in the run */
  double *t, *y;           /* [n] s, unit of the column */
  int seen;                /* nodes of the current stretch: */
  thinned_node first;      /* the first of them, */
  thinned_node extreme[2]; /* and those with its least and its largest value */
} thinned_curve;

typedef struct thinned {
  series columns;       /* names and units: columns.n, of which the first is the time */
  int nodes;            /* number of nodes so far */
  double last;          /* time of the last node */
  thinned_curve *curve; /* [columns.n] the curve of the time is empty */
} thinned;

/* Prepares *w for the current run of the case's simulation. With more than 3 `max` nodes a column has one to three
 * nodes of each of at most `max` stretches of the run: the first, that with the least value and that with the largest;
 * and the last node of the run. max_others: the same number for columns that are not outputs. To be freed with
 * thinned_free, also after a failure. MBD_NO_MEMORY. */
mbd_status thinned_create(const mechanism *m, const mechanism_case *load_case, int max, int max_others, thinned *w,
                          mbd_error *err);
void thinned_free(thinned *w);

/* Forgets the nodes so far: the run begins again. */
void thinned_restart(thinned *w);

/* Adds the next node, with the arguments of an observer of the simulation; thinned_end is called after the last node.
 * No allocation. */
void thinned_add(thinned *w, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y);
void thinned_end(thinned *w);

#endif
