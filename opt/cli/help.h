/* The help of the program, from the tables of commands.h. */
#ifndef MBO_CLI_HELP_H
#define MBO_CLI_HELP_H

#include <stdio.h>

#include "cli/commands.h"

/* Of the whole program, or of one command (NULL: none): its usage and the options that it has. */
void cli_help(FILE *out, const cli_command *c);

#endif
