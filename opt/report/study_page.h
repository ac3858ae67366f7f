/* The page of a study. */
#ifndef MBO_STUDY_PAGE_H
#define MBO_STUDY_PAGE_H

#include "report/study_data.h"

/* Writes the page to `path`, completely or not at all; the best run is simulated again. The page mentions designs that
 * cannot be simulated and figures that cannot be drawn. Errors: of memory, of the file, of reading runs,
 * MBD_INTERRUPTED. */
mbd_status study_page_write(const study_data *d, const char *path, mbd_error *err);

#endif
