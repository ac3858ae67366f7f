#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local long lost; /* requests */

long mbd_memory_lost(void) {
  return lost;
}

void mbd_memory_note(void) {
  lost++;
}

/* p, counted as lost if it is NULL. */
static void *counted(void *p) {
  lost += !p;
  return p;
}

void *mbd_zeros(size_t n, size_t size) {
  return counted(calloc(n + 1, size));
}

void *mbd_list_grow(void *list, int n, size_t size) {
  if (n & (n - 1)) { return list; } /* between powers of two there is room */
  return counted(realloc(list, (n ? 2 * (size_t)n : 1) * size));
}

char *mbd_strdup(const char *s) {
  return s ? mbd_strndup(s, strlen(s)) : NULL;
}

char *mbd_strndup(const char *s, size_t n) {
  char *copy = counted(malloc(n + 1));
  if (copy) { memcpy(copy, s, n), copy[n] = '\0'; }
  return copy;
}

char *mbd_sprintf_dup(const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *s = n < 0 ? NULL : counted(malloc((size_t)n + 1));
  if (s) {
    va_start(args, format);
    vsnprintf(s, (size_t)n + 1, format, args);
    va_end(args);
  }
  return s;
}

/* Zeros for an arena. Numbers of several designs are read faster if none of them crosses a line of the cache. */
static char *zeros_of_arena(size_t bytes) {
#if MBD_DESIGNS > 1
  const size_t size = (bytes + 63) & ~(size_t)63;
  char *zeros = (char *)aligned_alloc(64, size);
  return zeros ? (char *)memset(zeros, 0, size) : NULL;
#else
  return (char *)calloc(1, bytes);
#endif
}

int mbd_arena_pass(mbd_arena *a) {
  if (a->base) { return 0; }
  if (!a->counted) { return a->counted = 1; }
  a->cap = a->used, a->used = 0;
  a->base = zeros_of_arena(a->cap + 1);
  return a->base != NULL;
}

mbd_status mbd_arena_check(const mbd_arena *a, const char *what, mbd_error *err) {
  if (a->base) { return MBD_OK; }
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s: %zu bytes", what, a->cap);
}

void *mbd_arena_take(mbd_arena *a, size_t bytes) {
  size_t at = a->used;
  a->used += (bytes + 63) & ~(size_t)63;
  return a->base ? a->base + at : NULL;
}

mbd_real *mbd_arena_real(mbd_arena *a, size_t n) {
  return mbd_arena_take(a, n * sizeof(mbd_real));
}

void mbd_arena_reals(mbd_arena *a, size_t n, mbd_real **const *x) {
  for (; *x; x++) { **x = mbd_arena_real(a, n); }
}

static int by_number(const void *a, const void *b) {
  const int i = *(const int *)a, k = *(const int *)b;
  return (i > k) - (i < k);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void mbd_sort_values(int n, double *list) {
  qsort(list, (size_t)n, sizeof *list, by_value);
}

void mbd_sort_numbers(int n, int *list) {
  qsort(list, (size_t)n, sizeof *list, by_number);
}
