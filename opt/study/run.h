/* Runs of a study: from their rows of values to their records. */
#ifndef MBO_RUN_H
#define MBO_RUN_H

#include <signal.h>

#include "study/runs.h"

/* Does the runs of a batch, [first, last), and records their results together: RUN_DONE, or RUN_FAILED with the reason if these values cannot be
 * configured, assembled, simulated or optimized. An optimization continues from its journal, if there is one. state [last - first].
 * MBD_INTERRUPTED: stopped, nothing is recorded; another error: the results cannot be recorded, and the study should stop. */
mbd_status run_do(study *s, long first, long last, const volatile sig_atomic_t *stop, runs_state *state,
                  mbd_error *err);

/* Records run i as failed for an external reason: its process was killed, or it exceeded the time limit. */
mbd_status run_fail(study *s, long i, const char *reason, mbd_error *err);

#endif
