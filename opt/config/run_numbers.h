/* Numbers of run files that are expressions of the model's scalars. */
#ifndef MBO_RUN_NUMBERS_H
#define MBO_RUN_NUMBERS_H

#include "config/options.h"

/* Gives them their values, with the scalars of the run, in the section of a case or of its objectives and constraints with those of
 * the case too, and keeps their text in c->expressions. Reads the [scalars] of the model file where an expression has a name.
 * MBD_BAD_INPUT: the place, and what is wrong: an unknown name, a value out of range, one that a design variable moves. The duration of a
 * case may move, and its step in proportion to that: their values are those at the start of the design variables. */
mbd_status run_numbers_evaluate(const ini_file *f, const option_expressions *later, mbo_run_config *c, mbd_error *err);

#endif
