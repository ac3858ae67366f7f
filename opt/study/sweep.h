/* The runs of a sweep: what [sweep] of a run file says, as a plan for a study. */
#ifndef MBO_SWEEP_H
#define MBO_SWEEP_H

#include "study/study.h"

typedef struct sweep sweep;

/* c: the run file as read with the assignments set [nset]; both must outlive the sweep. MBD_BAD_INPUT: a key is not known, a
 * value is refused by the run file or the model, a table cannot be read. */
mbd_status sweep_create(const mbo_run_config *c, int nset, const char *const *set, sweep **out, mbd_error *err);
void sweep_destroy(sweep *s);

/* The key that a swept name means, the caller's: a bare name is a scalar of the model, or the start of the design variable that varies it.
 * NULL: no memory. */
char *sweep_key(const mbo_run_config *c, const char *name);

/* As a plan, which belongs to the sweep. */
const study_plan *sweep_plan(const sweep *s);

#endif
