/* Figures of a comparison as data for a page (page_plot). */
#ifndef MBO_STUDY_SPECS_H
#define MBO_STUDY_SPECS_H

#include <jansson.h>

#include "report/study_data.h"

/* The runs with pages, and the beginning of the names of their files. */
typedef struct study_links {
  char *prefix;
  int n, *run; /* [n] increasing */
} study_links;

/* The page of a run, a file beside that of the study, in new memory; NULL: it has none, or no memory, which
 * json_memory_lost counts. */
char *study_links_file(const study_links *l, long run);

/* The profile of accuracy number t: share of problems solved over simulations, or over their ratio to the fewest. */
mbd_status study_spec_profile(const study_data *d, int t, int ratio, json_t **out, mbd_error *err);

/* The best objective without violation over simulated designs, from the problem's own start; title: of the figure.
 * Objectives that are only rounding relative to that of the start are drawn at the level at which they count as equal.
 * *out NULL: there is no run yet, or none has a design without violation. */
mbd_status study_spec_convergence(const study_data *d, int problem, const char *title, const study_links *l,
                                  json_t **out, mbd_error *err);

#endif
