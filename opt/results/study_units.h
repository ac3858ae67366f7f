/* Units of the varied keys and of the results of a study, as far as they are known. */
#ifndef MBO_STUDY_UNITS_H
#define MBO_STUDY_UNITS_H

#include "results/study_data.h"

/* Fills the units of the keys (d->key_unit, d->key_axis [keys.n]) and of the quantities: "m/s^2", "" if it is not
 * known. A scalar has the unit of the numbers of the model that are equal to it; an objective that of its output by its
 * form. MBD_NO_MEMORY. */
mbd_status study_units_find(study_data *d, mbd_error *err);

/* The heading of a column of the records, with its unit: a key, a design variable, "start.NAME", an objective. In new
 * memory; NULL: no memory. */
char *study_units_heading(const study_data *d, const char *column);

/* Fills d->objective of a comparison: the label of each problem's objective, with its unit or how its terms are combined.
 * Reads the run file and the model of each problem that has a run from its own start; "objective" alone where they
 * cannot be read. MBD_NO_MEMORY. */
mbd_status study_units_problems(study_data *d, mbd_error *err);

#endif
