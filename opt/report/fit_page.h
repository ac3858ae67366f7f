/* What the page of a run shows of a fit to measurements: noise, estimates and their precision, directions that the data do not determine,
 * measurements with their residuals. */
#ifndef MBO_FIT_PAGE_H
#define MBO_FIT_PAGE_H

#include "report/run_page.h"

/* fit: as in result.json. */
mbd_status fit_page_parts(const run_parts *w, const json_t *fit, mbd_error *err);

#endif
