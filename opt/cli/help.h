/* The help of the program, from the tables of commands.h. */
#ifndef MBO_CLI_HELP_H
#define MBO_CLI_HELP_H

#include <stdio.h>

#include "cli/commands.h"

/* The help of the program (c NULL), or of one command: its usage and its options. */
void cli_help(FILE *out, const cli_command *c);

/* The manual page mbopt(1). */
void cli_help_man(FILE *out);

/* A script for bash that completes commands, their options, files and folders. */
void cli_help_bash(FILE *out);

#endif
