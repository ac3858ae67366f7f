#include "config/name_index.h"

#include <stdlib.h>
#include <string.h>

/* The hash FNV-1a of Fowler, Noll and Vo with 32 bits. The zero between the names distinguishes "ab", "c" from "a", "bc". */
static unsigned hash_on(unsigned h, const char *s) {
  do { h = (h ^ (unsigned char)*s) * 16777619U; } while (*s++);
  return h;
}

/* The slot of a pair, or the free slot for it. */
static name_slot *slot_of(const name_index *x, const char *a, const char *b) {
  const unsigned last = (unsigned)x->capacity - 1;
  unsigned k = hash_on(hash_on(2166136261U, a), b) & last;
  while (x->slot[k].a && (strcmp(x->slot[k].a, a) != 0 || strcmp(x->slot[k].b, b) != 0)) { k = (k + 1) & last; }
  return &x->slot[k];
}

int name_index_find(const name_index *x, const char *a, const char *b) {
  const name_slot *slot = x->n ? slot_of(x, a, b) : NULL;
  return slot && slot->a ? slot->at : -1;
}

static int grow(name_index *x) {
  name_index wide = {.n = x->n, .capacity = x->capacity ? 2 * x->capacity : 64};
  wide.slot = calloc((size_t)wide.capacity, sizeof *wide.slot);
  if (!wide.slot) { return 0; }
  for (int i = 0; i < x->capacity; i++) {
    if (x->slot[i].a) { *slot_of(&wide, x->slot[i].a, x->slot[i].b) = x->slot[i]; }
  }
  free(x->slot);
  *x = wide;
  return 1;
}

int name_index_add(name_index *x, const char *a, const char *b, int at) {
  if (2 * (x->n + 1) > x->capacity && !grow(x)) { return 0; }
  *slot_of(x, a, b) = (name_slot){a, b, at};
  x->n++;
  return 1;
}

void name_index_free(name_index *x) {
  free(x->slot);
  *x = (name_index){0};
}
