/* Where the optimizations of a multistart begin. */
#ifndef MBO_STARTS_H
#define MBO_STARTS_H

#include "mechanism/mechanism.h"

/* Can starts be drawn: has every variable both bounds, or is there a spread? MBD_BAD_INPUT names the one that has not.
 * Can the plan spread so many, with what the program was built with? Otherwise the error is that of samples_create. */
mbd_status starts_check(const mechanism *m, mbd_error *err);

/* Start number k of n, drawn as [multistart] says, takes the place of m->start; 0: the run's own, which stays. */
mbd_status starts_apply(mechanism *m, int n, int k, mbd_error *err);

#endif
