/* Optimizations of one run file from many starts: its own, and others as [multistart] says. */
#ifndef MBO_MULTISTART_H
#define MBO_MULTISTART_H

#include "mechanism/mechanism.h"
#include "study/study.h"

/* The plan of a study whose runs are the starts; *n of them. All that is passed must outlive the plan.
 * c  the run file as read with the assignments set [nset] */
study_plan multistart_plan(const mbo_run_config *c, int nset, const char *const *set, int *n);

/* Can starts be drawn: has every variable both bounds, or is there a spread? MBD_BAD_INPUT names the one that has not.
 * Can the plan spread so many, with what the program was built with? Otherwise the error is that of samples_create. */
mbd_status starts_check(const mechanism *m, mbd_error *err);

/* Start number k of n, drawn as [multistart] says, takes the place of m->start; 0: the run's own, which stays. Where the mechanism cannot be
 * put together, a start that seed and k alone determine takes its place: uniform between the same limits, up to 200 times. */
mbd_status starts_apply(mechanism *m, int n, int k, mbd_error *err);

#endif
