/* The page of one run. */
#ifndef MBO_RUN_PAGE_H
#define MBO_RUN_PAGE_H

#include "report/run_folder.h"

/* Simulate start and result of the folder anew, and write the page about it to `path`, whole or not at all. What cannot be
 * simulated or drawn (no gnuplot) is mentioned on the page. Errors: of memory, of the file, MBD_INTERRUPTED by f->m->stop. */
mbd_status run_page_write(const run_folder *f, const char *path, mbd_error *err);

#endif
