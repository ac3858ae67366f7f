/* Memory: growing lists while a description is read, and one block for everything that a simulation needs. */
#ifndef MBD_MEMORY_H
#define MBD_MEMORY_H

#include <stddef.h>

#include "base/real.h"
#include "mbd/status.h"

#pragma GCC visibility push(default)

/* The number of requests of this thread that have found no memory so far: requests of the functions below, and those that their callers note.
 * So whoever builds a text, a list or an object goes on without the parts that were lost, and the one who finishes it asks once whether the
 * number has grown. */
long mbd_memory_lost(void);
void mbd_memory_note(void); /* counts one more */

void *mbd_zeros(size_t n, size_t size); /* n + 1 items of zeros, so that none is no special case; NULL: no memory */

/* Make room for one more in a list of n items of `size` bytes; returns the list (moved), or NULL: no memory, the old
 * list is untouched. Capacity doubles at powers of two, so no capacity needs storing. */
void *mbd_list_grow(void *list, int n, size_t size);

char *mbd_strdup(const char *s);               /* a copy in new memory; NULL: s is NULL, or there is no memory */
char *mbd_strndup(const char *s, size_t n);    /* a copy of the first n characters, which s has; NULL: no memory */
char *mbd_sprintf_dup(const char *format, ...) /* the formatted text in new memory; NULL: no memory */
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Sort a list in ascending order. */
void mbd_sort_numbers(int n, int *list);
void mbd_sort_values(int n, double *list);

/* A block of memory that is handed out in pieces. The same list of requests runs twice: without a base it counts, with one it places,
 *   while (mbd_arena_pass(&q->arena)) { layout(q, &q->arena); }
 *   MBD_TRY(mbd_arena_check(&q->arena, "what it is for", err));
 * Pieces are zero, and aligned for any type and for vector instructions. free(base) releases them all. */
typedef struct mbd_arena {
  char *base;
  size_t used, cap;
  int counted;
} mbd_arena;

/* Returns 1 if the list of requests is to run (again), 0 if all pieces are placed or there is no memory (base is NULL then). The first call takes
 * an arena of zeros. */
int mbd_arena_pass(mbd_arena *a);
/* Returns MBD_NO_MEMORY if such a loop has found none, with the text "no memory for WHAT: N bytes". */
mbd_status mbd_arena_check(const mbd_arena *a, const char *what, mbd_error *err);

void *mbd_arena_take(mbd_arena *a, size_t bytes);
mbd_real *mbd_arena_real(mbd_arena *a, size_t n);
/* Takes n numbers for each of the pointers whose addresses follow. */
#ifndef MBD_ARENA_REALS /* C++ has no address of such a list (bench/ad) */
#define MBD_ARENA_REALS(a, n, ...) mbd_arena_reals(a, n, (mbd_real * *const[]){__VA_ARGS__, NULL})
#endif
void mbd_arena_reals(mbd_arena *a, size_t n, mbd_real **const *x);

#pragma GCC visibility pop
#endif
