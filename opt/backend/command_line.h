/* The lines of JSON between an optimizer that is a program and this one (docs/own_optimizer.md): what the program is told first, and what its
 * requests are. */
#ifndef MBO_COMMAND_LINE_H
#define MBO_COMMAND_LINE_H

#include <jansson.h>

#include "backend/ask.h"

enum { COMMAND_PROTOCOL = 1 };

/* The first line, which describes problem and settings. NULL: no memory. */
json_t *command_line_problem(const mbo_ask *a);

/* Answers one line of the program. *answer is new; NULL: none is to be sent. *done: the program has said how it ended. MBD_BAD_INPUT: the line is not
 * one of those that are expected; else the errors of mbo_ask_evaluate. */
mbd_status command_line_answer(mbo_ask *a, const char *line, json_t **answer, int *done, mbd_error *err);

#endif
