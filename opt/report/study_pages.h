/* Pages of single runs of a study, beside its own page: PAGE_run_17.html beside PAGE.html. */
#ifndef MBO_STUDY_PAGES_H
#define MBO_STUDY_PAGES_H

#include "report/study_data.h"

/* Write those of the runs that `which` names: numbers with commas, "all" that are done, "none", or NULL: the three best and the worst; of a
 * comparison the runs from the problems' own starts, twelve at most. path: the study's page. A run is simulated for it.
 * MBD_BAD_INPUT: no such list, or a run of it that is not done; the model has changed since (with NULL: no pages then). Errors of
 * run_page_write. */
mbd_status study_pages_write(const study_data *d, const char *path, const char *which, mbd_error *err);

/* Runs with a page that is not older than the study, increasing, in *run [*n], which the caller frees. MBD_NO_MEMORY. */
mbd_status study_pages_list(const study_data *d, const char *path, int **run, int *n, mbd_error *err);

/* Begin of the names of these files: run 17's is this, then "17.html". In new memory; NULL: no memory. */
char *study_pages_prefix(const char *path);

#endif
