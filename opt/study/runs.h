/* The runs of a study as files: runs/000/000123.json of one that is done, 000123.failed.json of one that gave nothing, and
 * why. A file is whole, or it does not count; it begins with the hash of all that determines the run. */
#ifndef MBO_RUNS_H
#define MBO_RUNS_H

#include <jansson.h>

#include "study/study.h"

typedef enum runs_state { RUN_MISSING, RUN_DONE, RUN_FAILED } runs_state;

/* File of run i, in new memory; NULL: no memory. ending: "json", "failed.json", "journal.jsonl". */
char *runs_path(const study *s, long i, const char *ending);

/* Make the folder of run i, where it is not there yet. */
mbd_status runs_make_folder(const study *s, long i, mbd_error *err);

/* Reads row i of the table of runs; s->points holds it afterwards. A file of another hash, or a torn one, is none. */
mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err);

/* Record run i, whose row was read last; o (the reference is taken over) gets its hash and number. A later success takes the
 * place of a failure. Not forced to the disk: a torn file is found out when it is read. */
mbd_status runs_write(const study *s, long i, runs_state state, json_t *o, mbd_error *err);

/* What a run that is there gave; NULL with *state RUN_MISSING where it is not. Caller owns the reference. */
mbd_status runs_read(study *s, long i, runs_state *state, json_t **out, mbd_error *err);

/* What a record holds: the number in a column (NaN: none); the violation that a design may have. */
double runs_number(const json_t *record, const char *column);
double runs_tolerance(const json_t *record);

/* Columns of a record that are not among the *n of a list come behind them. 0: no memory. */
int runs_add_columns(char ***column, int *n, const json_t *record);

/* Of an optimization: how many designs it simulated, the objective of number k, from 0 (NaN: it could not be simulated), its
 * violation, and the objective only if that is no larger than what it may be (else NaN). */
int runs_simulations(const json_t *record);
double runs_objective(const json_t *record, int k);
double runs_violation(const json_t *record, int k);
double runs_feasible(const json_t *record, int k);

/* Call `visit` for every run that is there, in their order, with its record; it stops at the first error. */
typedef mbd_status (*runs_visit)(void *user, long i, runs_state state, const json_t *o, mbd_error *err);
mbd_status runs_each(study *s, runs_visit visit, void *user, mbd_error *err);

/* Looks at names of files alone: 0.2 s for 100000 runs. Of a run with a success after a failure the success counts. recent: how many
 * of those done or failed were written after `since` [s of the clock]; since 0: not counted. */
typedef struct runs_count {
  long done, failed, recent;
} runs_count;
mbd_status runs_counted(const char *folder, double since, runs_count *c, mbd_error *err);

/* Remove what killed processes left half written. Not while somebody does runs. */
mbd_status runs_tidy(const char *folder, mbd_error *err);

#endif
