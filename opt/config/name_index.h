/* Index of pairs of names in a list: kind and name of sections, names of scalars. The time of a search does not grow with the list. */
#ifndef MBO_NAME_INDEX_H
#define MBO_NAME_INDEX_H

typedef struct name_slot {
  const char *a, *b; /* texts of the list's own items, which must not move; NULL: a free slot */
  int at;
} name_slot;

/* Start with {0}. */
typedef struct name_index {
  int n, capacity; /* capacity: allocated slots, a power of two, at least 2 n */
  name_slot *slot;
} name_index;

int name_index_find(const name_index *x, const char *a, const char *b);  /* -1: not there */
int name_index_add(name_index *x, const char *a, const char *b, int at); /* 0: no memory */
void name_index_free(name_index *x);

#endif
