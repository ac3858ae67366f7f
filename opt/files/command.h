/* External commands (sbatch, squeue, gnuplot), run without a shell so that no name needs quoting and waited for. */
#ifndef MBO_COMMAND_H
#define MBO_COMMAND_H

#include <stddef.h>

#include "mbd/status.h"

typedef struct command_result {
  int code;         /* exit code; 128 + number of the signal that ended it */
  char *out, *text; /* texts that it wrote to standard output and to standard error, '\0' at the end */
  size_t nout;      /* number of bytes in out, without that '\0'; they may have any value */
} command_result;

/* Runs argv [until NULL], found along PATH, and waits for its end.
 * input    its standard input; NULL: none
 * package  the Debian package of the command, for the message if the command is missing
 * r        out, filled on MBD_OK: the command has run, whether it succeeded (r->code) or not; {0} otherwise
 * returns  MBD_UNSUPPORTED with command and package in the text where the command is not found,
 *          MBD_IO_ERROR where it cannot be started */
mbd_status command_run(const char *const *argv, const char *input, const char *package, command_result *r,
                       mbd_error *err);

/* MBD_OK if it exited with 0, or else MBD_IO_ERROR with its name, exit code and the last line of its output. */
mbd_status command_ok(const char *name, const command_result *r, mbd_error *err);

/* Accepts {0}. */
void command_result_destroy(command_result *r);

#endif
