/* The runs of a study: records in segments (segments.h), of earlier versions of the program in files of their own, runs/000/000123.json for
 * a run that is done, 000123.failed.json with the reason for one without result. */
#ifndef MBO_RUNS_H
#define MBO_RUNS_H

#include <jansson.h>

#include "study/segments.h"
#include "study/study.h"

/* Part k of n equal parts of the runs, which begin and end with whole batches; the number of batches, the last of which can be shorter. */
void runs_part(const study *s, long k, long n, long *first, long *last);
long runs_batches(const study *s);

/* The journal of run i, an optimization, in new memory; NULL: no memory. It is there from the begin of the run to its success. */
char *runs_journal(const study *s, long i);

/* MBD_IO_ERROR: the folder of the study has no study.json any more, as somebody has removed or moved it. */
mbd_status runs_check_study(const study *s, mbd_error *err);

/* Creates the folder of the journal of run i, if it does not exist. Errors of runs_check_study. */
mbd_status runs_make_folder(const study *s, long i, mbd_error *err);

/* Finds the records of the runs [first, last), all that this process looks at or does. Without this call the other functions find those of the whole
 * study. since: as in segments_open. */
mbd_status runs_open(study *s, long first, long last, double since, mbd_error *err);
void runs_close(study *s);

/* Finds records that other processes have written since. */
mbd_status runs_refresh(study *s, mbd_error *err);

/* Reads row i of the table of runs into s->points, and finds the state of the run. A record with another hash of the row counts as missing. */
mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err);

/* Records the runs [first, first + n) by one write; o [n] (the references are taken over) gets number, state, time and hashes. */
mbd_status runs_write_batch(study *s, long first, int n, const runs_state *state, json_t *const *o, mbd_error *err);
static inline mbd_status runs_write(study *s, long i, runs_state state, json_t *o, mbd_error *err) {
  return runs_write_batch(s, i, 1, &state, &o, err);
}

/* Run i is to be done again; its journal stays. */
mbd_status runs_forget(study *s, long i, mbd_error *err);

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

/* Calls `visit` for every run before `last` that exists, in their order, with its record; it stops at the first error. */
typedef mbd_status (*runs_visit)(void *user, long i, runs_state state, const json_t *o, mbd_error *err);
mbd_status runs_each_before(study *s, long last, runs_visit visit, void *user, mbd_error *err);
static inline mbd_status runs_each(study *s, runs_visit visit, void *user, mbd_error *err) {
  return runs_each_before(s, s->n, visit, user, err);
}

/* Counts the runs by their lines or names of files, with those that others have written until now, without a look at their contents. since: those
 * done or failed from then on are counted as recent [s of the clock]; 0: not counted. */
mbd_status runs_counted(study *s, double since, runs_count *c, mbd_error *err);

/* Lines of segments that are left out, with file and number of the first one; NULL: there are none. */
const char *runs_damage(const study *s);

#endif
