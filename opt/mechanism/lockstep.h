/* Several of a kind in lockstep, runs of a study or scenarios of a run: they go their own ways, each in a thread of which one is awake at a time; where all of them
 * wait for a simulation, those that differ in numbers alone are simulated together in the lanes of mbd/lanes.h, and each goes on with the results of its
 * lane. What cannot go together is simulated as ever. Which simulations meet follows from the runs alone, so results depend neither on the machine nor on
 * its load. */
#ifndef MBO_LOCKSTEP_H
#define MBO_LOCKSTEP_H

#include <jansson.h>

#include "mechanism/mechanism.h"

typedef struct lockstep lockstep;

/* width: the lanes, 2, 4 or 8. The caller destroys *out. Errors: MBD_NO_MEMORY; those of mbd_lanes_check. */
mbd_status lockstep_create(int width, lockstep **out, mbd_error *err);
void lockstep_destroy(lockstep *l); /* NULL allowed */

/* Calls run(user, k, seat) for k = 0 ... n - 1, n <= width, each in its thread. A run tells the others what it simulates by mechanism.seat = seat, with
 * mechanism.threads = 1, a scenario by mechanism_case.seat. Returns when all have ended. Where there is no thread, a run has no seat (NULL). */
void lockstep_each(lockstep *l, int n, void (*run)(void *user, int k, struct lockstep_seat *seat), void *user);

/* To be called where a case is to be simulated. Returns 1: it was, together with cases of other runs, and case_warning and so on hand its results
 * out. 0: the caller simulates it. */
int lockstep_simulate(mechanism *m, mechanism_case *load);

/* Counts as results have them: {"together": simulations, "repeated": simulations}. */
json_t *lockstep_counts_json(lane_counts c);

/* mbd_sim_warning, mbd_sim_true_value, mbd_sim_growth and mbd_sim_undetermined of the last run of a case. */
const mbd_warning *case_warning(const mechanism_case *load, int i);
int case_true_value(const mechanism_case *load, int k, double *value, double *time, double *range);
double case_growth(const mechanism_case *load, double *time);
int case_undetermined(const mechanism_case *load, int output);

#endif
