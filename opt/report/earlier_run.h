/* Results of a run that a folder holds already, before another run writes into it. A run replaces what an earlier run of the same run file
 * has left, which the same command gives again. What would be lost is kept (files/earlier.h). */
#ifndef MBO_EARLIER_RUN_H
#define MBO_EARLIER_RUN_H

#include "mbo/config.h"

typedef enum earlier_reason {
  EARLIER_NOTHING,      /* nothing had to be kept */
  EARLIER_OTHER,        /* results of another run file */
  EARLIER_OPTIMIZATION, /* results of an optimization, and a simulation is about to write */
  EARLIER_OPEN          /* the journal of an optimization that did not come to its end */
} earlier_reason;

typedef struct earlier {
  earlier_reason reason;
  char *folder; /* where they are now; NULL with EARLIER_NOTHING */
  char *origin; /* their run file, as it was called then; NULL: not known */
} earlier;

/* Keep what is in the folder, if it must be. optimizes: an optimization is about to begin anew there. */
mbd_status earlier_keep(const char *folder, const mbo_run_config *c, int optimizes, earlier *e, mbd_error *err);
void earlier_free(earlier *e);

#endif
