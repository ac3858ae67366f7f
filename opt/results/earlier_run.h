/* Results of an earlier run in a folder, before another run writes into it. A run replaces the results of an earlier
 * run of the same run file, because the same command reproduces them. All other results are kept (files/earlier.h). */
#ifndef MBO_EARLIER_RUN_H
#define MBO_EARLIER_RUN_H

#include "config/config.h"

typedef enum earlier_reason {
  EARLIER_NOTHING,      /* nothing had to be kept */
  EARLIER_OTHER,        /* results of another run file */
  EARLIER_OPTIMIZATION, /* results of an optimization, and a simulation is about to write */
  EARLIER_OPEN          /* the journal of an optimization that has not finished */
} earlier_reason;

/* The kind of run that is about to write. */
typedef enum earlier_writer {
  EARLIER_OPTIMIZES, /* an optimization begins anew */
  EARLIER_SIMULATES, /* a simulation */
  EARLIER_ADDS       /* a command that adds its file to the results of a run */
} earlier_writer;

typedef struct earlier {
  earlier_reason reason;
  char *folder; /* the folder in which they are kept; NULL with EARLIER_NOTHING */
  char *origin; /* the path of their run file when they were written; NULL: not known */
} earlier;

/* Keeps the results in the folder, if necessary. */
mbd_status earlier_keep(const char *folder, const mbo_run_config *c, earlier_writer writer, earlier *e, mbd_error *err);
void earlier_free(earlier *e);

#endif
