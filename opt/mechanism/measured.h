/* Measured series of run files: their tables, and the coefficients that are their delays and offsets. */
#ifndef MBO_MEASURED_H
#define MBO_MEASURED_H

#include "mbd/model.h"
#include "config/config.h"

typedef struct measured_series {
  mbd_samples is;       /* with the arrays below */
  double *time, *value; /* [is.n] of the samples that count; owned */
  int hold_out;         /* 1: it is no part of the objective */
} measured_series;

/* Makes delays and offsets of the measurements in a case coefficients of its model file, before it is compiled. MBD_BAD_INPUT with the
 * section and the key: they are no expressions of its scalars. */
mbd_status measured_enter(const mbo_run_config *c, const mbo_case_config *in_case, mbo_model_file *file,
                          mbd_error *err);

/* Reads the samples of a measurement from its table. model: compiled with measured_enter's coefficients. MBD_IO_ERROR, MBD_BAD_INPUT with
 * the section, the file and the line: there is no such file or column, a cell is no number, times do not increase, no sample is left. To
 * be freed in any case. */
mbd_status measured_read(const mbo_run_config *c, const mbo_measurement_config *k, const mbd_model *model,
                         measured_series *series, mbd_error *err);
void measured_free(measured_series *series);

#endif
