/* The program gnuplot, which draws all figures. */
#ifndef MBO_GNUPLOT_H
#define MBO_GNUPLOT_H

#include <stddef.h>

#include "mbd/status.h"

/* Runs a script that prints to standard output (terminals without "set output"). *out: its output, *n bytes followed by
 * a 0, to be freed by the caller; unchanged unless MBD_OK. MBD_UNSUPPORTED: there is no gnuplot, with the package to
 * install, or this one cannot draw the format; MBD_IO_ERROR: it refused the script; the text is its message. */
mbd_status gnuplot_run(const char *script, char **out, size_t *n, mbd_error *err);

#endif
