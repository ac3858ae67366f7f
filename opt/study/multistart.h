/* Optimizations of one run file from many starts: its own one, and others by [multistart]. */
#ifndef MBO_MULTISTART_H
#define MBO_MULTISTART_H

#include "mechanism/mechanism.h"
#include "study/study.h"

typedef struct multistart multistart;

/* The plan of a study whose runs are n starts, which take the numbers of vary.KEY in turn. All that is passed must outlive it. MBD_BAD_INPUT: a value
 * of vary.KEY is no number, or the run file has no such key.
 * c  the run file as read with the assignments set [nset] */
mbd_status multistart_create(const mbo_run_config *c, int nset, const char *const *set, int n, multistart **out,
                             mbd_error *err);
void multistart_destroy(multistart *s); /* NULL allowed */

/* The plan, which the multistart owns. */
const study_plan *multistart_study_plan(const multistart *s);

/* Checks that starts can be drawn: every variable has both bounds, or there is a spread. MBD_BAD_INPUT names a variable without. Also
 * checks that the plan has so many points and is built in, with the errors of samples_create. */
mbd_status starts_check(const mechanism *m, mbd_error *err);

/* Replaces m->start by start number k of n, drawn by [multistart]; 0: the run's own, which is kept. If a kinematic case locks there, the start is moved
 * to a design beside it where none does (mechanism/closing.h). Where that fails, or the mechanism cannot be assembled, the start is replaced by one that
 * depends on seed and k only: uniform between the same limits, up to 200 attempts. */
mbd_status starts_apply(mechanism *m, int n, int k, mbd_error *err);

#endif
