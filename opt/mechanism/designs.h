/* Values of several designs of a run, of which central differences and the Taylor test take many: with lanes of [gradient] each case simulates so many designs at
 * once, in the lanes of mbd/lanes.h. A case that does not go in lanes, or of which a design fails there, is simulated at each design alone. A run in
 * lockstep with others (lockstep.h) has no lanes of its own. */
#ifndef MBO_DESIGNS_H
#define MBO_DESIGNS_H

#include "mechanism/mechanism.h"

/* Sets m->design_lanes. Errors of mbd_lanes_check. */
mbd_status designs_begin(mechanism *m, mbd_error *err);

/* psi [n][quantities] of the designs x [n][m->n], status [n] of each. Returns the first status that is an error: any that is not MBD_OK, or, where `survives`, a
 * negative one alone; the values of a design that failed are undefined. One call with many designs is as fast as can be. */
mbd_status designs_values(mechanism *m, int n, const double *x, int survives, double *psi, mbd_status *status,
                          mbd_error *err);

#endif
