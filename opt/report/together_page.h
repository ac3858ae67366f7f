/* The page of several runs: their numbers side by side, their curves in one figure each, and their motions in one picture. */
#ifndef MBO_TOGETHER_PAGE_H
#define MBO_TOGETHER_PAGE_H

#include <jansson.h>

#include "mbd/status.h"

/* Writes the page to `path`, completely or not at all. runs: [results/run_view.h] with scenes and curves, of each of which the last motion is shown.
 * MBD_BAD_INPUT: no run has a motion. Errors: of memory, of files. */
mbd_status together_page_write(const json_t *runs, const char *path, mbd_error *err);

#endif
