/* The journal: one line of JSON per evaluation, appended with one write, so that a line is whole or the last.
 *
 *   {"journal":2, "problem":..., "variables":[...], "constraints":[...], "fingerprint":..., "hash":...}
 *   {"decided":[...], "hash":...}
 *   {"evaluation":1, "x":[...], "status":"MBD_OK", "code":0, "f":..., ..., "seconds":..., "hash":...}
 *   {"end":"CONVERGED", "hash":...}
 *
 * Decisions that are based on measured times precede the first evaluation that depends on them. The line "end" is written when the run ends;
 * others follow if it is continued. The hash of a line is that of the text before it. */
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
  int nwatch;                           /* of a gradient that is watched (mbo_problem.deviate); 0: of others */
  double *difference, *size, deviation; /* [nwatch] */
  char *text;                           /* error of a failed design */
  char *stage;                          /* of the optimization (mbo_settings.stage); NULL: it has none */
} journal_record;

/* The content of an existing journal. */
typedef struct journal_content {
  int n;
  journal_record *record; /* [n] in the order of the lines */
  char end[32];           /* how its run ended, if that is its last line; else "" */
  char *decided;          /* what the run had decided (mbo_problem.decided), of several lines the last; NULL: nothing */
  char *damage;           /* lines that are not as they were written, and where they are kept; NULL: there are none */
} journal_content;

typedef struct journal journal;

/* Open for appending; a new file gets a header.
 * content  NULL: the file begins anew, whatever it holds.
 *          Else what it holds is read first. A torn last line, as a killed process leaves it, is cut off. Where other lines are
 *          damaged, the file is kept under another name, and the journal goes on with the lines that are whole.
 * returns  MBD_BAD_INPUT: the file is no journal, or one of another problem, or another process is writing it; MBD_IO_ERROR. All of
 *          these leave it as it was. */
mbd_status journal_open(const char *path, const mbo_problem *p, const char *fingerprint, journal **out,
                        journal_content *content, mbd_error *err);
mbd_status journal_append(journal *j, const journal_record *record, mbd_error *err);
/* Writes a line with the decisions of the run, a text in JSON. */
mbd_status journal_decide(journal *j, const char *decided, mbd_error *err);
/* Writes a line that says in one word how the run ended, unless the last line says so already. */
mbd_status journal_end(journal *j, const char *how, mbd_error *err);
void journal_close(journal *j);
void journal_content_free(journal_content *c);

/* Does the file hold anything of a run that has not come to its end, or what is no journal? *open is 0 where it is not there, or
 * empty, too. Only MBD_NO_MEMORY is an error. */
mbd_status journal_is_open(const char *path, int *open, mbd_error *err);

/* Returns 1 if another process is writing the journal; 0 also if that cannot be determined, on a file system without locks. */
int journal_is_taken(const char *path);

#endif
