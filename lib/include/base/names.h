/* Index of names: finds the number of a name at a cost that does not grow with the number of names. It is an open hash table. The texts
 * belong to the caller, who keeps them as long as the index. All zero: empty. */
#ifndef MBD_NAMES_H
#define MBD_NAMES_H

#include <stddef.h>

#pragma GCC visibility push(default)

typedef struct mbd_name_slot {
  const char *name; /* NULL: free */
  int number;
} mbd_name_slot;

typedef struct mbd_names {
  size_t n, capacity; /* capacity: a power of two, or zero */
  mbd_name_slot *slot;
} mbd_names;

/* Adds a name with its number; a name that is there already keeps its number. Returns 0 if there is no memory; the index is then unchanged. */
int mbd_names_add(mbd_names *names, const char *name, int number);

/* Returns the number of a name, -1 if it is not in the index. The second form takes the first `length` characters as the name. */
int mbd_names_find(const mbd_names *names, const char *name);
int mbd_names_find_part(const mbd_names *names, const char *name, size_t length);

void mbd_names_free(mbd_names *names);

#pragma GCC visibility pop
#endif
