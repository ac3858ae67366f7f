/* What a fit says, for result.json, and its residuals as a table. */
#ifndef MBO_FIT_RESULTS_H
#define MBO_FIT_RESULTS_H

#include <jansson.h>

#include "fit/fit.h"

/* The member "fit" of result.json; the README of results says what is in it. Numbers that are not there, as the deviation of what is not
 * determined, are null. Caller owns the reference. */
json_t *fit_results_json(const fit *f);

/* residuals.csv: a row for each sample: measurement, time, measured value, what the model shows, its difference in units of sigma, the
 * standard deviation of what the model shows by the estimates', and half of the width of the band in which a further sample is expected
 * with the fit's confidence. Empty where they are not determined. */
#define FIT_RESIDUALS "residuals.csv"
mbd_status fit_results_write(const char *folder, const fit *f, mbd_error *err);

#endif
