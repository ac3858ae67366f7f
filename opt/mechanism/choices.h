/* How the cases of a run are differentiated where its run file leaves that open, method = auto: decided once, by costs that are measured at
 * the first design whose gradient is wanted, and kept from then on. Times are never twice the same, so who goes on with a run (a journal),
 * or does a part of a study, takes over what was decided instead of measuring again: then all have the same bits. */
#ifndef MBO_CHOICES_H
#define MBO_CHOICES_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* What is known before anything is measured. */
void choices_begin(mechanism *m);

/* The optimization that begins takes the Gauss-Newton matrix: gradients come by direct differentiation with it. */
void choices_gauss_newton(mechanism *m);

/* Decide what is open, at the design that is set (mechanism_set_design). A case whose costs cannot be measured is decided by counting its
 * variables. MBD_NO_MEMORY, MBD_INTERRUPTED: what was open is open then. */
mbd_status choices_make(mechanism *m, mbd_error *err);

/* Is there a case left to decide? */
int choices_are_open(const mechanism *m);

/* Has a case been decided that the run file left open, and none remained open? */
int choices_are_made(const mechanism *m);

/* A case: its name, method, reason, and what was measured. */
json_t *choices_json(const mechanism_case *q);

/* Of each case with objectives or constraints, as a list in new memory; NULL: no memory. */
char *choices_text(const mechanism *m);

/* Take over the text of a run of the same problem. What the run file says itself, and what memory_limit excludes, remains; cases that are
 * not in it remain open. MBD_BAD_INPUT: it is not as choices_text wrote it. */
mbd_status choices_take(mechanism *m, const char *text, mbd_error *err);

#endif
