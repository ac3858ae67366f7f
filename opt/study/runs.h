/* The runs of a study as files: runs/000/000123.json for a run that is done, 000123.failed.json with the reason for one without result.
 * Incomplete files are ignored; a file begins with the hash of everything that determines the run. */
#ifndef MBO_RUNS_H
#define MBO_RUNS_H

#include <jansson.h>

#include "study/study.h"

typedef enum runs_state { RUN_MISSING, RUN_DONE, RUN_FAILED } runs_state;

/* Path of the file of run i, in new memory; NULL: no memory. ending: "json", "failed.json", "journal.jsonl". */
char *runs_path(const study *s, long i, const char *ending);

/* MBD_IO_ERROR: the folder of the study has no study.json any more, as somebody has removed or moved it. */
mbd_status runs_check_study(const study *s, mbd_error *err);

/* Creates the folder of run i, if it does not exist. Errors of runs_check_study. */
mbd_status runs_make_folder(const study *s, long i, mbd_error *err);

/* Reads row i of the table of runs into s->points, and finds the state of the run. A file with another hash, or an incomplete one,
 * counts as missing. */
mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err);

/* Records run i, whose row was read last; o (the reference is taken over) gets its hash and number. A success replaces an earlier
 * failure. The file is not forced to the disk, since an incomplete file is detected when it is read. */
mbd_status runs_write(const study *s, long i, runs_state state, json_t *o, mbd_error *err);

/* The record of a run; NULL with *state RUN_MISSING if there is none. The caller owns the reference. */
mbd_status runs_read(study *s, long i, runs_state *state, json_t **out, mbd_error *err);

/* Contents of a record: the number in a column (NaN: none); the permitted violation of a design. */
double runs_number(const json_t *record, const char *column);
double runs_number_in(const json_t *record, const char *prefix, const char *name); /* the column PREFIXNAME */
double runs_tolerance(const json_t *record);
double runs_result(
    const json_t *record); /* the objective; NaN: none, or the result of an optimization violates constraints */

/* Appends those columns of a record that are not among the *n of a list; where there is no memory, that is counted. */
void runs_add_columns(char ***column, int *n, const json_t *record);

/* For an optimization: the number of designs that it simulated; the objective of number k, from 0 (NaN: the simulation failed); its
 * violation; and the objective if the violation is permitted (else NaN). */
int runs_simulations(const json_t *record);
double runs_objective(const json_t *record, int k);
double runs_violation(const json_t *record, int k);
double runs_feasible(const json_t *record, int k);

/* Calls `visit` for every run that exists, in their order, with its record; it stops at the first error. */
typedef mbd_status (*runs_visit)(void *user, long i, runs_state state, const json_t *o, mbd_error *err);
mbd_status runs_each(study *s, runs_visit visit, void *user, mbd_error *err);

/* Counts by names of files only: 0.2 s for 100000 runs. A run with a success after a failure counts as done. recent: the number of those
 * done or failed after `since` [s of the clock]; since 0: not counted. */
typedef struct runs_count {
  long done, failed, recent;
} runs_count;
mbd_status runs_counted(const char *folder, double since, runs_count *c, mbd_error *err);

/* Removes incomplete files of killed processes. Not to be called while a process does runs. */
mbd_status runs_tidy(const char *folder, mbd_error *err);

#endif
