/* The page of an optimization that goes on: how far it has come, and its convergence. */
#ifndef MBO_CONVERGENCE_PAGE_H
#define MBO_CONVERGENCE_PAGE_H

#include <jansson.h>

#include "mbd/status.h"

/* Writes the page to `path`, completely or not at all. view: run_file and folder of the run, whose history.csv is read; objective, tol_constraint as in
 * results/run_view.h; failed: how many designs failed. live: the seconds until the next page; 0: none will follow, as the run has ended without a result.
 * Errors: of memory, of files. */
mbd_status convergence_page_write(const json_t *view, double live, const char *path, mbd_error *err);

#endif
