/* Converts the words of the command line to cli_arguments, by the tables of commands.h. */
#ifndef MBO_CLI_ARGUMENTS_H
#define MBO_CLI_ARGUMENTS_H

#include "cli/cli.h"

/* Reads the command line. Options stand before or after the operands; after "--" there are only operands. The first operand is the
 * command, or a run file to be optimized if it looks like one. *a keeps pointers into argv and has to be freed in any case. Returns -1,
 * or EXIT_USAGE or EXIT_MEMORY after a message. With --help or --version nothing else is required, and a->command is NULL if none is
 * given. */
int cli_arguments_read(int argc, char **argv, cli_arguments *a);
void cli_arguments_free(cli_arguments *a);

#endif
