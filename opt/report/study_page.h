/* The page of a study. */
#ifndef MBO_STUDY_PAGE_H
#define MBO_STUDY_PAGE_H

#include "report/study_data.h"

/* Write the page to `path`, whole or not at all; the best run is simulated anew. What cannot be simulated or drawn is
 * mentioned on the page. Errors: of memory, of the file, of reading runs, MBD_INTERRUPTED. */
mbd_status study_page_write(const study_data *d, const char *path, mbd_error *err);

#endif
