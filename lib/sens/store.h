/* The trajectory of a run, for visiting its steps backwards: all of it, or checkpoints under a memory limit.
 *
 * The data of a visit are the same to the last bit for every limit, if a step that is recomputed from a restored state gives the
 * same results as before. Example of the price, 10000 steps, records 40 times as large as states:
 *   memory / memory for all records   1    0.5   0.2   0.1   0.05   0.02   0.01   0.005   0.002   0.001
 *   recomputed steps / steps          0    0.50  0.80  0.90  0.95   0.98   0.99   1.00    1.25    1.83
 * Least memory: the start's state and one record, and (steps - 1)/2 repetitions of the run. */
#ifndef MBD_STORE_H
#define MBD_STORE_H

#include <stddef.h>

#include "mbd/status.h"

/* The functions of the simulation that the store calls. Node k is the end of step k, node 0 the start. A record is the data that the
 * visit of a step needs; it begins with the state of the node where the step ended. Saving changes nothing in the simulation. */
typedef struct store_ops {
  void (*save_state)(void *user, void *state);                         /* of the present node */
  mbd_status (*save_record)(void *user, void *record, mbd_error *err); /* of the step that ended at the present node */
  void (*restore)(void *user, int k, const void *state);               /* go to node k */
  mbd_status (*advance)(void *user, int k, mbd_error *err);            /* take step k, from node k - 1 */
  mbd_status (*visit)(void *user, int k, const void *record, mbd_error *err); /* go backwards through step k */
} store_ops;

typedef struct store_stats {
  size_t bytes;         /* of memory, never above the limit */
  long long recomputed; /* steps taken by the last store_reverse */
} store_stats;

typedef struct store store;

/* Memory for runs of nsteps > 0 steps, in one piece, of `limit` bytes at most (0: as many as all records need).
 * state_size <= record_size in bytes; what is saved is aligned for any type. `ops` must outlive the store.
 * MBD_BAD_INPUT with the least limit that would do. */
mbd_status store_create(int nsteps, size_t state_size, size_t record_size, size_t limit, const store_ops *ops,
                        void *user, store **out, mbd_error *err);
void store_destroy(store *st);

/* Stores what the plan needs of node k. To be called for the start, k = 0, which begins a new run, and after every step. */
mbd_status store_put(store *st, int k, mbd_error *err);

/* Visit steps nsteps, ..., 1 of the run, then restore its start. The start's state remains: a second call visits all steps
 * again, and has to take them again. Ends at the first failure of an operation and returns it; then only a new run helps. */
mbd_status store_reverse(store *st, mbd_error *err);

const store_stats *store_get_stats(const store *st);

/* How many steps store_reverse takes again in a store of these sizes, without a run. Errors as of store_create. */
mbd_status store_count(int nsteps, size_t state_size, size_t record_size, size_t limit, long long *recomputed,
                       mbd_error *err);

#endif
