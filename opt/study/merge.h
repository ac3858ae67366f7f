/* One table of all runs of a study: table.csv, and study.sqlite for queries. Both are written whole or not at all, and can be
 * made at any time, from whatever runs are there. */
#ifndef MBO_MERGE_H
#define MBO_MERGE_H

#include "study/runs.h"

typedef struct merged {
  long done, failed, missing;
  long warned, first_warned; /* runs whose records hold warnings; the first of them */
  int ncolumn;
  char **column; /* [ncolumn] of the runs: values, quantities, ...; in the order in which runs have them first */
} merged;

/* table.csv: run, status, the columns, seconds, error. A run that is missing has no line. */
mbd_status merge_csv(study *s, merged *m, mbd_error *err);
void merged_free(merged *m);

/* study.sqlite after merge_csv: tables runs (the same columns), simulations (run, number, objective, violation; of
 * optimizations) and study (key, value). MBD_UNSUPPORTED: the program was built without SQLite, with the package to
 * install; or there are more columns than SQLite takes. */
mbd_status merge_sqlite(study *s, const merged *m, mbd_error *err);

/* Call `visit` for every run that is there, in their order, with its record; it stops at the first error. */
typedef mbd_status (*merge_visit)(void *user, long i, runs_state state, const json_t *o, mbd_error *err);
mbd_status merge_each(study *s, merge_visit visit, void *user, mbd_error *err);

#endif
