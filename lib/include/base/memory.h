/* Memory: growing lists while a description is read, and one block for everything that a simulation needs. */
#ifndef MBD_MEMORY_H
#define MBD_MEMORY_H

#include <stddef.h>

#include "base/real.h"

#pragma GCC visibility push(default)

/* Make room for one more in a list of n items of `size` bytes; returns the list (moved), or NULL: no memory, the old
 * list is untouched. Capacity doubles at powers of two, so no capacity needs storing. */
void *mbd_list_grow(void *list, int n, size_t size);

char *mbd_strdup(const char *s);               /* NULL in, NULL out; NULL: no memory */
char *mbd_sprintf_dup(const char *format, ...) /* formatted into new memory; NULL: no memory */
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* A block handed out in pieces. The same list of requests runs twice: without a base it counts, with one it places.
 * Pieces are aligned for any type and for vector instructions. */
typedef struct mbd_arena {
  char *base;
  size_t used, cap;
} mbd_arena;

void *mbd_arena_take(mbd_arena *a, size_t bytes);
mbd_real *mbd_arena_real(mbd_arena *a, size_t n);

#pragma GCC visibility pop
#endif
