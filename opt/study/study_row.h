/* What determines the runs of a study: their run files, models and values. */
#ifndef MBO_STUDY_ROW_H
#define MBO_STUDY_ROW_H

#include "study/study.h"

/* One number for all that every run depends on: the run files without comments and without who does the runs, as they are
 * configured without the values of any row, the contents of the model files, assignments, the task, where starts come from, the
 * version of the program. s->config becomes that of the first run file. */
mbd_status study_hash(study *s, unsigned long long *hash, mbd_error *err);

/* Decide, before the study begins, how gradients are computed in the runs of each run file: s->decided [nfile], by what is measured at its
 * start as it is configured without the values of any row. Nothing where the task takes no gradients, or the run file names a method. What
 * is wrong with a run file, its runs tell. MBD_NO_MEMORY, MBD_INTERRUPTED. */
mbd_status study_decide(study *s, const volatile sig_atomic_t *stop, mbd_error *err);

/* Of the bytes of a file, going on from *hash; a file that is not there adds none. MBD_NO_MEMORY. */
mbd_status study_hash_file(unsigned long long *hash, const char *path, mbd_error *err);

/* The assignments for all runs of run file i, without the values of any row: set [nset + ntable]; returns their number. The texts are the
 * study's. */
int study_file_sets(const study *s, int i, const char **set);

/* The table of runs has columns of the study, of objectives and constraints, and of its own. MBD_BAD_INPUT: the runs of a run file
 * would have two values of one name, of which a record holds one. */
mbd_status study_check_names(const study *s, const mbo_run_config *c, mbd_error *err);

/* "BACKEND", "BACKEND:ALGORITHM", "BACKEND:gauss_newton", "BACKEND:exact" take the place of the run file's own optimizer. Options in
 * a backend's own names go to no other; an iteration costs a simulation at least, so that simulations alone are limited.
 * MBD_NO_MEMORY. */
mbd_status study_set_backend(mbo_run_config *c, const char *name, mbd_error *err);

#endif
