/* What is done about a run that was stopped because too many of its designs could not be simulated: it starts again from the best design
 * inside a box around it, cut so that no failed design is left in it. The box is halved when a run meets failed designs
 * again, moved on when one ends at its faces, and doubled where no failed design stands behind them. The end is a run that
 * ends inside, or a row of runs that brought nothing. */
#ifndef MBO_BOX_H
#define MBO_BOX_H

#include "evaluate/evaluator.h"
#include "mbo/backend.h"

typedef struct box {
  evaluator *e;
  double stop_value;
  double radius;                   /* in scaled variables; infinite: the bounds alone */
  double *start;                   /* [n] of the next run, in scaled variables, as all here */
  double *lower, *upper;           /* [n] its bounds */
  double *wall_below, *wall_above; /* [n] nearest cut before failed designs; infinite: none */
  double reached, violation;       /* of the best design before the last run */
  int idle;                        /* runs in a row that brought nothing */
} box;

mbd_status box_create(evaluator *e, const mbo_settings *s, box *b, mbd_error *err);
void box_free(box *b);

/* A run is over; broken: it was stopped for designs that could not be simulated. 1: run again, with r->restarts counted.
 * 0: r->status is final. */
int box_next(box *b, int broken, mbo_result *r);

/* For algorithms whose word is not enough, for they saw no gradient, stopped for small steps or saw a box only: a success beside a failed
 * design becomes MBO_STALLED, with a remark. */
void box_doubt(const box *b, mbo_result *r);

#endif
