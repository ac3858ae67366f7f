/* The page of mbopt linearize: eigenvalues in the complex plane and over the varied key, and animations of the
 * modes. */
#ifndef MBO_LINEAR_PAGE_H
#define MBO_LINEAR_PAGE_H

#include <jansson.h>

#include "mbd/status.h"

/* o: {mechanism, run_file (results/run_view.h), varied: the key or null, unit: of it, entries: [results/linear_view.h]}. Errors of
 * page_write. */
mbd_status linear_page_write(const json_t *o, const char *path, mbd_error *err);

#endif
