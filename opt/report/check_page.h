/* The page of mbopt check: for each objective and constraint the Taylor test and the methods' agreement, variable by variable. */
#ifndef MBO_CHECK_PAGE_H
#define MBO_CHECK_PAGE_H

#include <jansson.h>

#include "mbd/status.h"

/* o: what mbopt check --json prints, and
 *   mechanism, run_file               as in results/run_view.h
 *   tolerance, difference_tolerance   of [check]
 *   method_words                      {method: its name in words}
 * Errors of page_write. */
mbd_status check_page_write(const json_t *o, const char *path, mbd_error *err);

#endif
