/* Tables of all runs of a study. Each is written completely or not at all, and can be made at any time from the runs that exist. */
#ifndef MBO_MERGE_H
#define MBO_MERGE_H

#include "study/costs.h"
#include "study/pareto.h"

typedef struct merged {
  long done, failed, missing;
  long warned, first_warned; /* runs whose records hold warnings; the first of them */
  int ncolumn;
  char **column;      /* [ncolumn] of the runs: values, quantities, ...; in the order of their first occurrence */
  costs costs;        /* of a comparison, whose last column is `equivalent`; nproblem = 0: another study */
  pareto_front front; /* of a front, whose last column is `front`, what the point is (front_state_name); else empty */
} merged;

/* table.csv: run, status, the columns, warnings, seconds, error; missing runs have no line. For a comparison also history.csv, a line
 * for each simulated design: run, its values, number, objective, the best one so far without violation, violation, equivalent simulations. */
mbd_status merge_csv(study *s, merged *m, mbd_error *err);
void merged_free(merged *m);

/* study.sqlite, after merge_csv, for queries; numbers are stored as numbers: tables runs (the same columns), simulations (run, number,
 * objective, violation; of optimizations) and study (key, value). MBD_NOT_BUILT_IN: the program was built without SQLite, with the
 * package to install; MBD_UNSUPPORTED: there are more columns than SQLite permits. */
mbd_status merge_sqlite(study *s, const merged *m, mbd_error *err);

#endif
