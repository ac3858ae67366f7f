/* Ends of a multistart that do the same: [equivalent NAME] of the run file maps a design x to another one, y = e(x), by expressions of scalars. Two optima
 * with the same objective are equivalent if one of them is e of the other. */
#ifndef MBO_EQUIVALENT_H
#define MBO_EQUIVALENT_H

#include "mechanism/mechanism.h"
#include "study/optima.h"

/* MBD_BAD_INPUT: a section names no scalar of the model, or its expression is wrong; the message has the section and the key. */
mbd_status equivalents_check(mechanism *m, mbd_error *err);

/* Sets `same`, `as` and `lacking` of the sorted optima, whose designs are the variables of m and behind them the numbers of `varied` [nvaried], keys of the
 * run file. The design of m becomes its start. */
mbd_status equivalents_name(mechanism *m, int nvaried, const char *const *varied, optima *o, mbd_error *err);

#endif
