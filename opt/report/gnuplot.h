/* The program gnuplot, which draws all figures. */
#ifndef MBO_GNUPLOT_H
#define MBO_GNUPLOT_H

#include <stddef.h>

#include "mbd/status.h"

/* Run a script that prints to standard output (terminals without "set output"). *out: what it printed, *n bytes and a 0 after
 * them, to be freed by the caller; untouched unless MBD_OK.
 * MBD_UNSUPPORTED: there is no gnuplot, with the package to install, or this one cannot draw the format;
 * MBD_IO_ERROR: it refused the script, in its own words. */
mbd_status gnuplot_run(const char *script, char **out, size_t *n, mbd_error *err);

#endif
