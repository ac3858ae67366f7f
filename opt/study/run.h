/* One run of a study: from its row of values to its record. */
#ifndef MBO_RUN_H
#define MBO_RUN_H

#include <signal.h>

#include "study/runs.h"

/* Does run i and records the result: RUN_DONE, or RUN_FAILED with the reason if these values cannot be configured, assembled, simulated
 * or optimized. An optimization continues from its journal, if there is one. MBD_INTERRUPTED: stopped, nothing is recorded; another
 * error: the result cannot be recorded, and the study should stop. */
mbd_status run_do(study *s, long i, const volatile sig_atomic_t *stop, runs_state *state, mbd_error *err);

/* Records run i as failed for an external reason: its process was killed, or it exceeded the time limit. */
mbd_status run_fail(study *s, long i, const char *reason, mbd_error *err);

#endif
