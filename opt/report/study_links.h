/* Pages of single runs of a study, beside its own page: PAGE_run_17.html beside PAGE.html. */
#ifndef MBO_STUDY_LINKS_H
#define MBO_STUDY_LINKS_H

#include "results/study_data.h"

/* The runs with a page that is not older than the study, and the beginning of the names of these files: for run 17 it is followed by
 * "17.html". */
typedef struct study_links {
  char *prefix;
  int n, *run; /* [n] increasing */
} study_links;

/* path: the study's page. To be freed in any case. MBD_NO_MEMORY. */
mbd_status study_links_find(const study_data *d, const char *path, study_links *l, mbd_error *err);
void study_links_free(study_links *l); /* {0} allowed */

/* The page of a run, a file beside that of the study, in new memory; NULL: it has none, or no memory, which
 * mbd_memory_lost counts. l: may be NULL. */
char *study_links_file(const study_links *l, long run);

/* The prefix of the pages beside `path`, in new memory, NULL: no memory; and the name of a file without its folder. */
char *study_links_prefix(const char *path);
const char *study_links_name(const char *path);

#endif
