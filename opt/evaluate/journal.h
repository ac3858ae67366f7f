/* The journal: one line of JSON per evaluation, appended with one write, so that a line is whole or the last. */
#ifndef MBO_JOURNAL_H
#define MBO_JOURNAL_H

#include "mbo/problem.h"

/* One evaluation as it stands in the journal. Arrays may be NULL where not computed. */
typedef struct journal_record {
  int number;
  mbd_status status;
  double seconds;
  double *x; /* [n] */
  double f, *c, *g, *jac, *H, *hess;
  char *text; /* error of a failed design */
} journal_record;

typedef struct journal journal;

/* Open for appending; a new file gets a header. With `records`, what it holds already is read first (a torn last line
 * is dropped and cut off). */
mbd_status journal_open(const char *path, const mbo_problem *p, const char *fingerprint, journal **out,
                        journal_record **records, int *n, mbd_error *err);
mbd_status journal_append(journal *j, const journal_record *r, mbd_error *err);
void journal_close(journal *j);
void journal_free_records(journal_record *r, int n);

#endif
