/* The runs of a sweep: [sweep] of a run file as the plan of a study. */
#ifndef MBO_SWEEP_H
#define MBO_SWEEP_H

#include "study/study.h"

typedef struct sweep sweep;

/* c: the run file as read with the assignments set [nset]; both must outlive the sweep. MBD_BAD_INPUT: a key is not known, a value is
 * refused by the run file or the model, a table cannot be read. */
mbd_status sweep_create(const mbo_run_config *c, int nset, const char *const *set, sweep **out, mbd_error *err);
void sweep_destroy(sweep *s);

/* The full key of a swept name, in new memory: a name without dot is a scalar of the model, or the start of the design variable that
 * varies it. NULL: no memory. */
char *sweep_key(const mbo_run_config *c, const char *name);

/* The plan of the study, which the sweep owns. */
const study_plan *sweep_plan(const sweep *s);

#endif
