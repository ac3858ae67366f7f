#include "evaluate/journal_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static uint64_t hash(const double *x, int n) {
  uint64_t h = 0;
  for (int k = 0; k < n; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], sizeof bits);
    h = random_mix((h + 1) ^ bits);
  }
  return h;
}

static int *list_of(const journal_index *i, const double *x) {
  return &i->first[hash(x, i->n) & ((uint64_t)i->capacity - 1)];
}

int journal_index_build(journal_index *i, const journal_record *record, int count, int n) {
  *i = (journal_index){.record = record, .n = n, .capacity = 64};
  while (i->capacity < 2 * count) { i->capacity *= 2; }
  i->first = malloc((size_t)i->capacity * sizeof *i->first);
  i->next = malloc(((size_t)count + 1) * sizeof *i->next);
  if (!i->first || !i->next) { return 0; }
  for (int k = 0; k < i->capacity; k++) { i->first[k] = -1; }
  for (int k = count - 1; k >= 0; k--) { /* from the end, so that earlier records precede later ones in each list */
    int *list = list_of(i, record[k].x);
    i->next[k] = *list;
    *list = k;
  }
  return 1;
}

const journal_record *journal_index_find(const journal_index *i, const double *x, const journal_record *after) {
  if (!i->capacity) { return NULL; }
  int k = after ? i->next[after - i->record] : *list_of(i, x);
  while (k >= 0 && memcmp(i->record[k].x, x, (size_t)i->n * sizeof *x) != 0) { k = i->next[k]; }
  return k >= 0 ? &i->record[k] : NULL;
}

void journal_index_free(journal_index *i) {
  free(i->first), free(i->next);
  *i = (journal_index){0};
}
