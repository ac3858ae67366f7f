/* The results of a fit for result.json, and its residuals as a table. */
#ifndef MBO_FIT_RESULTS_H
#define MBO_FIT_RESULTS_H

#include <jansson.h>

#include "fit/fit.h"

/* The member "fit" of result.json; the README of results describes it. Numbers that do not exist, such as the deviation
 * of a variable that is not determined, are null. The caller owns the reference. */
json_t *fit_results_json(const fit *f);

/* residuals.csv: a row for each sample: measurement, time, measured value, output of the model, residual in units of
 * sigma, standard deviation of the output that follows from those of the estimates, and half of the width of the band
 * in which a further sample is expected with the fit's confidence. Cells of numbers that are not determined are
 * empty. */
#define FIT_RESIDUALS "residuals.csv"
mbd_status fit_results_write(const char *folder, const fit *f, mbd_error *err);

#endif
