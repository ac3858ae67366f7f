/* An index from designs to their records in a journal. The time of a search does not depend on the length of the journal. */
#ifndef MBO_JOURNAL_INDEX_H
#define MBO_JOURNAL_INDEX_H

#include "evaluate/journal.h"

/* Start with {0}: an index of nothing. */
typedef struct journal_index {
  const journal_record *record;
  int n, room; /* variables; room: a power of two, at least twice the records */
  int *first;  /* [room] of the designs of a hash; -1: none */
  int *next;   /* [records] the one that follows with the same hash; -1: none */
} journal_index;

/* Of count records in n variables, which must stay where they are. 0: no memory. */
int journal_index_build(journal_index *i, const journal_record *record, int count, int n);

/* In the order of the journal, the record of x [n] that follows `after` (NULL: the first), to the last bit of x; NULL: no
 * more. */
const journal_record *journal_index_find(const journal_index *i, const double *x, const journal_record *after);

void journal_index_free(journal_index *i);

#endif
