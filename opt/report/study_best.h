/* The best run of a study as if it were a folder of one run, so that it is shown as those are. */
#ifndef MBO_STUDY_BEST_H
#define MBO_STUDY_BEST_H

#include "report/run_folder.h"
#include "report/study_data.h"

/* Of a sweep: its best run beside the run file's own values; alone, if these have other outputs. Of a multistart: its best
 * result beside the run file's own start, with the eigenvalues of the Gauss-Newton matrix where objectives are squares.
 * *out NULL: there is none (no objective, no run, a comparison, a model that has changed). The caller closes it, before the
 * data. */
mbd_status study_best_create(const study_data *d, run_folder **out, mbd_error *err);

#endif
