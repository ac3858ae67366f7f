/* Restarts of an optimization that was stopped because too many of its designs could not be simulated. It starts again from the best design,
 * within a box around it that contains no failed design. The box is halved when a run meets failed designs again, moved when a run ends at
 * its faces, and doubled if no failed designs lie behind these. The last run is one that ends inside the box, or one of several in succession
 * without progress. */
#ifndef MBO_TRUST_REGION_H
#define MBO_TRUST_REGION_H

#include "evaluate/evaluator.h"
#include "mbo/backend.h"

typedef struct trust_region {
  evaluator *e;
  double stop_value;
  double radius;                   /* in scaled variables; infinite: the bounds alone */
  double *start;                   /* [n] of the next run, in scaled variables, as all here */
  double *lower, *upper;           /* [n] its bounds */
  double *wall_below, *wall_above; /* [n] nearest cut before failed designs; infinite: none */
  double reached, violation;       /* of the best design before the last run */
  int idle;                        /* runs in succession without progress */
} trust_region;

mbd_status trust_region_create(evaluator *e, const mbo_settings *s, trust_region *b, mbd_error *err);
void trust_region_free(trust_region *b);

/* To be called after a run; broken: it was stopped because of designs that could not be simulated. Returns 1 for another run, counted in
 * r->restarts; 0: r->status is final. */
int trust_region_next(trust_region *b, int broken, mbo_result *r);

/* For algorithms that use no gradient, stopped because of small steps, or searched a box only: if a failed design is near the result, a
 * success becomes MBO_STALLED, with a remark. */
void trust_region_doubt(const trust_region *b, mbo_result *r);

#endif
