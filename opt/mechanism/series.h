/* The motion of a case as a table over time: which columns it has, with their names and units, and their values at a node. */
#ifndef MBO_SERIES_H
#define MBO_SERIES_H

#include "mechanism/mechanism.h"

/* What a column holds; `index` is the number of the coordinate, the output, the equation or the objective in its case. */
typedef enum series_kind {
  SERIES_TIME,
  SERIES_COORDINATE,
  SERIES_RATE,
  SERIES_ACCELERATION,
  SERIES_OUTPUT,
  SERIES_MULTIPLIER,
  SERIES_SO_FAR,     /* value of an objective or constraint up to the time */
  SERIES_PROJECTION, /* multipliers of the projections, sigma and then kappa: [output] projections */
} series_kind;

typedef struct series_column {
  series_kind kind;
  int index;
  char *name;
  char *unit; /* "": it has none */
} series_column;

typedef struct series {
  const mechanism *m;
  const mechanism_case *load;
  int n;
  series_column *
      column; /* [n] time, coordinates, their rates, their accelerations, outputs, multipliers, objectives, projections */
  double *row;         /* [n] the node of the last series_fill */
  double *projections; /* [2][nphi] sigma, kappa; NULL: not asked for */
} series;

/* Which columns: all, or those of [output] columns in that order, after the time. */
typedef enum series_which { SERIES_ALL, SERIES_CHOSEN } series_which;

/* The number, from 1, of the first entry of [output] columns that a name matches: the whole name, that of its vector, or a pattern with a
 * star. 0: none; -1: the run file chooses none, so that all are. */
int series_choice(const mbo_run_config *c, const char *name);

/* MBD_BAD_INPUT: an entry of [output] columns matches no column of any case, with the nearest names. */
mbd_status series_check(const mechanism *m, mbd_error *err);

/* The columns of a case whose simulation has been made. Every quantity has one: an output that is a coordinate, or that was named twice,
 * adds none, and a multiplier that was named as an output stands there. MBD_BAD_INPUT: projections are wanted of a case that has none. To
 * be freed with series_free, after a failure too. */
mbd_status series_create(const mechanism *m, const mechanism_case *load, series_which which, series *s, mbd_error *err);
void series_free(series *s);

/* Simulates the case, as mechanism_set_design has set it, with its values in load->psi. Of outputs, the observer is shown those that are columns. */
mbd_status series_run(const series *s, mbd_observer observer, void *user, mbd_error *err);

/* s->row at the node that an observer of the case's simulation is shown. */
void series_fill(series *s, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                 const double *y);

#endif
