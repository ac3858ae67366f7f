/* Numbers of run files that are expressions of the model's scalars. */
#ifndef MBO_RUN_NUMBERS_H
#define MBO_RUN_NUMBERS_H

#include "config/options.h"

/* Evaluates these numbers with the scalars of the run, in the section of a case or of its objectives and constraints also with those of
 * the case, and keeps their text in c->expressions. Reads the [scalars] of the model file if an expression has a name. MBD_BAD_INPUT:
 * the position and the reason: an unknown name, a value out of range, one that depends on a design variable. The duration of a case may
 * depend on design variables, and its step in proportion to it: their values are those at the start of the design variables. */
mbd_status run_numbers_evaluate(const ini_file *f, const option_expressions *later, mbo_run_config *c, mbd_error *err);

#endif
