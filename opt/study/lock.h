/* One process (with its workers) does the runs of a study, or of one part of it, at a time. */
#ifndef MBO_LOCK_H
#define MBO_LOCK_H

#include "mbd/status.h"

/* Lock a part of a study; *lock: a file descriptor to be closed, which processes made by fork hold too. It waits a little
 * for workers whose parent was killed. MBD_BAD_INPUT: somebody else has it. */
mbd_status lock_take(const char *folder, const char *part, int *lock, mbd_error *err);

/* Is a part locked by anybody, and when was it last taken [s of the clock; 0: never]? */
int lock_is_taken(const char *folder, const char *part, double *since);

#endif
