/* The choice of a method of differentiation for each case, with method = auto. It is made once, by costs that are measured at the first
 * design whose gradient is wanted, and then kept. Measured times are never exactly the same, so that a resumed run and the parts of a study
 * take over the earlier choice instead of measuring again; their results then agree to the last bit. */
#ifndef MBO_CHOICES_H
#define MBO_CHOICES_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* Makes the choices that need no measurement. */
void choices_begin(mechanism *m);

/* The optimization that begins takes the Gauss-Newton matrix: gradients come by direct differentiation with it. */
void choices_gauss_newton(mechanism *m);

/* Makes the open choices, at the design that is set (mechanism_set_design). If the costs of a case cannot be measured, the number of
 * variables decides. MBD_NO_MEMORY, MBD_INTERRUPTED: the choices remain open. */
mbd_status choices_make(mechanism *m, mbd_error *err);

/* Is there a case left to decide? */
int choices_are_open(const mechanism *m);

/* Has a case been decided that the run file left open, and none remained open? */
int choices_are_made(const mechanism *m);

/* A case: its name, method, reason, and what was measured. */
json_t *choices_json(const mechanism_case *load);

/* Of each case with objectives or constraints, as a list in new memory; NULL: no memory. */
char *choices_text(const mechanism *m);

/* Takes over the choices in the text of a run of the same problem. Methods that the run file names, and those that memory_limit enforces,
 * do not change; cases that are not in the text remain open. MBD_BAD_INPUT: choices_text did not write this text. */
mbd_status choices_take(mechanism *m, const char *text, mbd_error *err);

#endif
