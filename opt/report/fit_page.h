/* The results of a fit on the page of its run. */
#ifndef MBO_FIT_PAGE_H
#define MBO_FIT_PAGE_H

#include "report/run_parts.h"

/* Writes the section about the member "fit" of result.json: estimates with the widths of their intervals, correlations,
 * directions that are not determined, measurements. */
void fit_page_tables(const run_parts *w, const json_t *fit);

/* Figures of each measurement: the samples with the model and its prediction band, and the residuals. */
void fit_page_figures(const run_parts *w, const json_t *fit);

#endif
