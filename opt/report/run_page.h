/* The page of one run. */
#ifndef MBO_RUN_PAGE_H
#define MBO_RUN_PAGE_H

#include "report/run_folder.h"

/* Simulates start and result of the folder again, and writes the page about the run to `path`, completely or not at
 * all. The page mentions designs that cannot be simulated and figures that cannot be drawn. Errors: of memory, of the
 * file, MBD_INTERRUPTED by f->m->stop. */
mbd_status run_page_write(const run_folder *f, const char *path, mbd_error *err);

#endif
