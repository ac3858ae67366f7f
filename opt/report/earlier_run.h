/* Results of a run that a folder holds already, before another run writes into it. A run replaces what an earlier run of the same run file
 * has left, which the same command gives again. What would be lost is kept (files/earlier.h). */
#ifndef MBO_EARLIER_RUN_H
#define MBO_EARLIER_RUN_H

#include "config/config.h"

typedef enum earlier_reason {
  EARLIER_NOTHING,      /* nothing had to be kept */
  EARLIER_OTHER,        /* results of another run file */
  EARLIER_OPTIMIZATION, /* results of an optimization, and a simulation is about to write */
  EARLIER_OPEN          /* the journal of an optimization that did not come to its end */
} earlier_reason;

/* Who is about to write. */
typedef enum earlier_writer {
  EARLIER_OPTIMIZES, /* an optimization begins anew */
  EARLIER_SIMULATES, /* a simulation */
  EARLIER_ADDS       /* a command whose file stands beside the results of a run */
} earlier_writer;

typedef struct earlier {
  earlier_reason reason;
  char *folder; /* where they are now; NULL with EARLIER_NOTHING */
  char *origin; /* their run file, as it was called then; NULL: not known */
} earlier;

/* Keep what is in the folder, if it must be. */
mbd_status earlier_keep(const char *folder, const mbo_run_config *c, earlier_writer writer, earlier *e, mbd_error *err);
void earlier_free(earlier *e);

#endif
