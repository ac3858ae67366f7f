/* Everything that determines the runs of a study: their run files, models and values. */
#ifndef MBO_STUDY_ROW_H
#define MBO_STUDY_ROW_H

#include "study/study.h"

/* Computes the hash of everything on which all runs depend: the run files without comments and engine, as they are configured without
 * the values of any row, the contents of the model files, assignments, the task, the settings of starts, the version of the program.
 * s->config becomes that of the first run file. */
mbd_status study_hash(study *s, unsigned long long *hash, mbd_error *err);

/* Decides, before the study begins, how gradients are computed in the runs of each run file: s->decided [nfile], by measurements at its
 * start, configured without the values of any row. Nothing is decided if the task has no gradients, or the run file names a method.
 * Errors in a run file are reported by its runs. MBD_NO_MEMORY, MBD_INTERRUPTED. */
mbd_status study_decide(study *s, const volatile sig_atomic_t *stop, mbd_error *err);

/* Adds the bytes of a file to *hash; a missing file adds none. MBD_NO_MEMORY. */
mbd_status study_hash_file(unsigned long long *hash, const char *path, mbd_error *err);

/* The assignments for all runs of run file i, without the values of any row: set [study_file_sets_max]; returns their number. The study
 * owns the texts. */
int study_file_sets(const study *s, int i, const char **set);
static inline int study_file_sets_max(const study *s) {
  return s->nset + s->ntable + 1;
}

/* Checks that the names of the columns of the study, of objectives and constraints, and of the table itself differ. MBD_BAD_INPUT: the
 * runs of a run file would have two values of the same name, of which a record has only one. */
mbd_status study_check_names(const study *s, const mbo_run_config *c, mbd_error *err);

/* "BACKEND", "BACKEND:ALGORITHM", "BACKEND:gauss_newton", "BACKEND:exact" replace the run file's own optimizer. Native options are not
 * passed to another backend. Only simulations are limited, since an iteration needs at least one. "command:PROGRAM ARGUMENTS" is an optimizer of
 * one's own, whose words that name a file in the folder are taken from there; "command" alone that of the run file. MBD_NO_MEMORY; MBD_BAD_INPUT:
 * no such command. */
mbd_status study_set_backend(mbo_run_config *c, const char *folder, const char *name, mbd_error *err);

/* The plan of n optimizations of one run file, whose only column is their number. All that is passed must outlive the plan.
 * c  the run file as read with the assignments set [nset] */
study_plan study_plan_numbered(const char *kind, const study_column *column, const mbo_run_config *c, int nset,
                               const char *const *set, int *n);

#endif
