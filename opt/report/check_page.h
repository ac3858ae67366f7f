/* The page of mbopt check: for each objective and constraint the Taylor test and the methods' agreement, variable by variable. */
#ifndef MBO_CHECK_PAGE_H
#define MBO_CHECK_PAGE_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* o: the output of mbopt check --json. Errors of page_write. */
mbd_status check_page_write(const mechanism *m, const json_t *o, const char *path, mbd_error *err);

#endif
