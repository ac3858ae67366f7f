/* Restarts of an optimization that was stopped because too many of its designs could not be simulated. It starts again from the best design,
 * within a box around it that contains no failed design. The box is halved when a run meets failed designs again, moved when a run ends at
 * its faces, and doubled if no failed designs lie behind these. The last run is one that ends inside the box, or one of several in succession
 * without progress. */
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
  int idle;                        /* runs in succession without progress */
} box;

mbd_status box_create(evaluator *e, const mbo_settings *s, box *b, mbd_error *err);
void box_free(box *b);

/* To be called after a run; broken: it was stopped because of designs that could not be simulated. Returns 1 for another run, counted in
 * r->restarts; 0: r->status is final. */
int box_next(box *b, int broken, mbo_result *r);

/* For algorithms that use no gradient, stopped because of small steps, or searched a box only: if a failed design is near the result, a
 * success becomes MBO_STALLED, with a remark. */
void box_doubt(const box *b, mbo_result *r);

#endif
