/* Pages of single runs of a study, beside its own page: PAGE_run_17.html beside PAGE.html. */
#ifndef MBO_STUDY_PAGES_H
#define MBO_STUDY_PAGES_H

#include "report/study_data.h"

/* Writes the pages of the runs in `which`: numbers separated by commas, "all" finished ones, "none", or NULL: the three
 * best and the worst; for a comparison the runs from the problems' own starts, at most twelve. path: the study's page.
 * Each of these runs is simulated. MBD_BAD_INPUT: `which` is not such a list, or a run in it is not done; or the model
 * has changed since (with NULL no pages are written then). Errors of run_page_write. */
mbd_status study_pages_write(const study_data *d, const char *path, const char *which, mbd_error *err);

/* Runs with a page that is not older than the study, increasing, in *run [*n], which the caller frees. MBD_NO_MEMORY. */
mbd_status study_pages_list(const study_data *d, const char *path, int **run, int *n, mbd_error *err);

/* The beginning of the names of these files: for run 17 it is followed by "17.html". In new memory; NULL: no memory. */
char *study_pages_prefix(const char *path);

#endif
