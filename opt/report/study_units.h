/* Units of what a study varies and of what comes out of it, as far as they are known. */
#ifndef MBO_STUDY_UNITS_H
#define MBO_STUDY_UNITS_H

#include "report/study_data.h"

/* Fills the units of the keys (d->key_unit, d->key_axis [keys.n]) and of the quantities: "m/s^2", "" where it is not known. A scalar has the unit of
 * the numbers of the model that are equal to it; an objective that of its output by its form. MBD_NO_MEMORY. */
mbd_status study_units_find(study_data *d, mbd_error *err);

/* A column of the records with its unit: a key, a design variable, "start.NAME", an objective. In new memory; NULL: no memory. */
char *study_units_heading(const study_data *d, const char *column);

/* What the axis of the objective of a problem says, with its unit or how its terms are combined; "objective" alone where several run files are
 * compared. In new memory; NULL: no memory. */
char *study_units_objective(const study_data *d);

#endif
