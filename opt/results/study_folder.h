/* A run of a study in the form of a folder of one run, so that the same functions show it. */
#ifndef MBO_STUDY_FOLDER_H
#define MBO_STUDY_FOLDER_H

#include "results/run_folder.h"
#include "results/study_data.h"

/* The best run. For a sweep it is shown beside the run file's own values, or alone if these have other outputs. For a
 * multistart the best result is shown beside the run file's own start, with the eigenvalues of the Gauss-Newton matrix
 * if objectives are squares. Of a front it is the knee (study_data_shown). *out NULL: there is none (no objective, no run, a comparison, a model that has changed).
 * The caller closes it, before the data. */
mbd_status study_folder_best(const study_data *d, run_folder **out, mbd_error *err);

/* Any finished run, for its own page: for a sweep beside the run file's own values as above, for an optimization beside
 * its own start. MBD_BAD_INPUT: there is no such run, it is not done, it failed, or the model has changed since. The
 * caller closes it, before the data. */
mbd_status study_folder_run(const study_data *d, long run, run_folder **out, mbd_error *err);

#endif
