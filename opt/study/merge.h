/* Tables of all runs of a study. Each is written completely or not at all, and can be made at any time from the runs that exist. */
#ifndef MBO_MERGE_H
#define MBO_MERGE_H

#include "study/costs.h"
#include "study/pareto.h"

typedef struct merged {
  long done, failed, missing;
  long warned, first_warned; /* runs whose records hold warnings; the first of them */
  lane_counts in_lanes;      /* of all runs */
  int ncolumn;
  char **column;      /* [ncolumn] of the runs: values, quantities, ...; in the order of their first occurrence */
  costs costs;        /* of a comparison, whose last column is `equivalent`; nproblem = 0: another study */
  pareto_front front; /* of a front, whose last column is `front`, what the point is (front_state_name); else empty */
} merged;

/* table.csv: run, status, the columns, warnings, seconds, error; missing runs have no line. For a comparison also history.csv, a line
 * for each simulated design: run, its values, number, objective, the best one so far without violation, violation, equivalent simulations.
 * study.sqlite, for queries; numbers are stored as numbers: tables runs (the same columns), simulations (run, number, objective, violation; of
 * optimizations) and study (key, value). why: its code is not MBD_OK where study.sqlite is left out and that of an earlier merge removed, MBD_NOT_BUILT_IN: the program was built without
 * SQLite, with the package to install; MBD_UNSUPPORTED: there are more columns than SQLite permits. */
mbd_status merge_write(study *s, merged *m, mbd_error *why, mbd_error *err);
void merged_free(merged *m);

/* study.sqlite while it is written. A row: run i with its record, the values of the columns [m->ncolumn] (NULL: none) and its warnings in words, all of which
 * stay in place for the call. merge_database_close ends it, whatever merge_database_add has returned: complete with MBD_OK, else not at all. */
typedef struct merge_database merge_database;
mbd_status merge_database_open(const study *s, const merged *m, merge_database **out, mbd_error *err);
mbd_status merge_database_add(merge_database *d, long i, const json_t *o, const json_t *const *value,
                              const char *warnings, mbd_error *err);
mbd_status merge_database_close(merge_database *d, mbd_status status, mbd_error *err);

#endif
