/* What a fit says, on the page of its run. */
#ifndef MBO_FIT_PAGE_H
#define MBO_FIT_PAGE_H

#include "report/run_parts.h"

/* Tables of the member "fit" of result.json: estimates, correlations, directions that are not determined, measurements. */
void fit_page_tables(const run_parts *w, const json_t *fit);

#endif
