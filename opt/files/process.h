/* A program that runs beside this one and is talked to in lines: one that is sent, one that comes back. It is started without a shell, ends
 * with this program, and its standard error is that of this program. */
#ifndef MBO_PROCESS_H
#define MBO_PROCESS_H

#include <signal.h>

#include "mbd/status.h"

typedef struct process process;

enum { PROCESS_LINE = 1 << 22 }; /* bytes of the longest line that is read */

/* How a wait for the program has ended. */
typedef enum process_event {
  PROCESS_LINE_CAME, /* or, of a line to be sent: it is sent */
  PROCESS_ENDED,     /* it has closed its end of the pipe */
  PROCESS_SILENT,    /* it took longer than it may */
  PROCESS_TOO_LONG,  /* its line has more than PROCESS_LINE bytes */
  PROCESS_STOPPED    /* *stop was set */
} process_event;

/* Starts argv [until NULL], found along PATH. stop: ends every wait when it is not 0; NULL: none. MBD_UNSUPPORTED: it is not found;
 * MBD_IO_ERROR: it cannot be started. */
mbd_status process_start(const char *const *argv, const volatile sig_atomic_t *stop, process **out, mbd_error *err);

/* Sends a text, which ends with a line break, within so many seconds. */
process_event process_send(process *p, const char *text, double seconds);

/* Waits for a line, without its line break; it belongs to p and is valid until the next call. After PROCESS_ENDED, PROCESS_SILENT and
 * PROCESS_TOO_LONG it is what came of one. */
process_event process_receive(process *p, double seconds, const char **line);

/* Closes the pipe to the program, leaves it so many seconds to end, kills it and what it has started in its process group, and frees p
 * (NULL: nothing). Returns the status that waitpid gives; *killed: whether it had to be killed. */
int process_end(process *p, double seconds, int *killed);

#endif
