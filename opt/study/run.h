/* One run of a study, from its row of values to its file. */
#ifndef MBO_RUN_H
#define MBO_RUN_H

#include <signal.h>

#include "study/runs.h"

/* Do run i and record what came out: RUN_DONE, or RUN_FAILED with the reason, where these values cannot be configured,
 * assembled, simulated or optimized. An optimization goes on from its journal, if it has one.
 * MBD_INTERRUPTED: told to stop, nothing is recorded; another error: it cannot be recorded, and the study should stop. */
mbd_status run_do(study *s, long i, const volatile sig_atomic_t *stop, runs_state *state, mbd_error *err);

/* Record run i as failed for a reason from outside: its process was killed, it took too long. */
mbd_status run_fail(study *s, long i, const char *reason, mbd_error *err);

#endif
