/* Memory: growing lists while a description is read, and one block for everything that a simulation needs. */
#ifndef MBD_MEMORY_H
#define MBD_MEMORY_H

#include <stddef.h>

#include "base/real.h"
#include "mbd/status.h"

#pragma GCC visibility push(default)

/* Make room for one more in a list of n items of `size` bytes; returns the list (moved), or NULL: no memory, the old
 * list is untouched. Capacity doubles at powers of two, so no capacity needs storing. */
void *mbd_list_grow(void *list, int n, size_t size);

char *mbd_strdup(const char *s);               /* NULL in, NULL out; NULL: no memory */
char *mbd_strndup(const char *s, size_t n);    /* the first n characters of s, which has them; NULL: no memory */
char *mbd_sprintf_dup(const char *format, ...) /* formatted into new memory; NULL: no memory */
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* A block handed out in pieces. The same list of requests runs twice: without a base it counts, with one it places,
 *   while (mbd_arena_pass(&q->arena)) { layout(q, &q->arena); }
 *   MBD_TRY(mbd_arena_check(&q->arena, "what it is for", err));
 * Pieces are zero, and aligned for any type and for vector instructions. free(base) ends it. */
typedef struct mbd_arena {
  char *base;
  size_t used, cap;
  int counted;
} mbd_arena;

/* 1: the requests are to run (again); 0: all are placed, or there is no memory (base is NULL then). Begins with an arena of zeros. */
int mbd_arena_pass(mbd_arena *a);
/* MBD_NO_MEMORY after such a loop: "no memory for WHAT: N bytes" */
mbd_status mbd_arena_check(const mbd_arena *a, const char *what, mbd_error *err);

void *mbd_arena_take(mbd_arena *a, size_t bytes);
mbd_real *mbd_arena_real(mbd_arena *a, size_t n);
/* n numbers for each of the pointers whose addresses follow. */
#ifndef MBD_ARENA_REALS /* C++ has no address of such a list (bench/ad) */
#define MBD_ARENA_REALS(a, n, ...) mbd_arena_reals(a, n, (mbd_real * *const[]){__VA_ARGS__, NULL})
#endif
void mbd_arena_reals(mbd_arena *a, size_t n, mbd_real **const *x);

#pragma GCC visibility pop
#endif
