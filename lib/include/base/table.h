/* Tables of implementations. A table file lists its words once, LIST(X) X(one) X(two) ..., and makes of each a declaration
 * and an entry:
 *   #define DECLARED(n) extern const force_ops force_##n;
 *   #define LISTED(n)   &force_##n,
 *   LIST(DECLARED)
 *   MBD_TABLE(force_ops, LIST(LISTED), force_at, force_find, force_name, name)
 * The look-ups are
 *   at(i)       entry i; NULL past the end
 *   find(name)  entry of that name; NULL if there is none. `name_of` is the member that holds it
 *   word_at(i)  name of entry i; NULL past the end */
#ifndef MBD_TABLE_H
#define MBD_TABLE_H

#include <string.h>

#define MBD_TABLE(type, entries, at, find, word_at, name_of)         \
  static const type *const at##_entries[] = {entries};               \
  const type *at(int i) {                                            \
    const int n = (int)(sizeof at##_entries / sizeof *at##_entries); \
    return i >= 0 && i < n ? at##_entries[i] : NULL;                 \
  }                                                                  \
  const type *find(const char *name) {                               \
    const type *e;                                                   \
    for (int i = 0; (e = at(i)) != NULL; i++) {                      \
      if (strcmp(e->name_of, name) == 0) { return e; }               \
    }                                                                \
    return NULL;                                                     \
  }                                                                  \
  const char *word_at(int i) {                                       \
    const type *e = at(i);                                           \
    return e ? e->name_of : NULL;                                    \
  }

/* Makes NAME(i), a member of entry i of a table, as `doc` or `info.name`; NULL past its end. The second form has its address. */
#define MBD_TABLE_MEMBER(TYPE, NAME, AT, MEMBER) \
  TYPE NAME(int i) {                             \
    return AT(i) ? AT(i)->MEMBER : NULL;         \
  }
#define MBD_TABLE_PART(TYPE, NAME, AT, MEMBER) \
  TYPE NAME(int i) {                           \
    return AT(i) ? &AT(i)->MEMBER : NULL;      \
  }

#endif
