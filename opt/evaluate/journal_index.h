/* An index from designs to their records in a journal. The time of a search does not depend on the length of the journal. */
#ifndef MBO_JOURNAL_INDEX_H
#define MBO_JOURNAL_INDEX_H

#include "evaluate/journal.h"

/* Initialize with {0}, an empty index. */
typedef struct journal_index {
  const journal_record *record;
  int n, capacity; /* variables; capacity: a power of two, at least twice the records */
  int *first;      /* [capacity] the first record of each hash; -1: none */
  int *next;       /* [records] the next record with the same hash; -1: none */
} journal_index;

/* Builds the index of `count` records in n variables, which must not move in memory. Returns 0 if there is no
 * memory. */
int journal_index_build(journal_index *i, const journal_record *record, int count, int n);

/* The next record after `after` (NULL: the first one), in the order of the journal, whose design equals x [n] to the
 * last bit; NULL: there are no more. */
const journal_record *journal_index_find(const journal_index *i, const double *x, const journal_record *after);

void journal_index_free(journal_index *i);

#endif
