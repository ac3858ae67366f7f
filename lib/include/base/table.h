/* Tables of implementations. A table file lists its words as LIST(X) X(one) X(two) ..., declares and collects what they
 * stand for, and gets its look-ups from here:
 *   at(i)       entry i; NULL past the end
 *   find(name)  entry of that name; NULL if there is none. `name_of` is the member that holds it. */
#ifndef MBD_TABLE_H
#define MBD_TABLE_H

#include <string.h>

#define MBD_TABLE(type, table, at, find, name_of)        \
  const type *at(int i) {                                \
    const int n = (int)(sizeof table / sizeof table[0]); \
    return i >= 0 && i < n ? table[i] : NULL;            \
  }                                                      \
  const type *find(const char *name) {                   \
    const type *e;                                       \
    for (int i = 0; (e = at(i)) != NULL; i++) {          \
      if (strcmp(e->name_of, name) == 0) { return e; }   \
    }                                                    \
    return NULL;                                         \
  }

#endif
