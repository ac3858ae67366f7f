/* The page of a study. */
#ifndef MBO_STUDY_PAGE_H
#define MBO_STUDY_PAGE_H

#include "results/study_data.h"

/* Writes the page to `path`, completely or not at all. best: the best run (results/run_view.h), NULL: there is none; best_error: why,
 * code MBD_OK if there is no reason. live: of a study that goes on, the seconds until the next page; 0: none will follow. Errors: of memory, of files. */
mbd_status study_page_write(const study_data *d, const json_t *best, const mbd_error *best_error, double live,
                            const char *path, mbd_error *err);

#endif
