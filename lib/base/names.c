#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Computes the hash FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(const char *name, size_t length) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < length; i++) { h = (h ^ (unsigned char)name[i]) * UINT64_C(1099511628211); }
  return h ^ (h >> 32);
}

/* Returns the slot of a name, or the free one where it belongs. */
static mbd_name_slot *place(mbd_name_slot *slot, size_t capacity, const char *name, size_t length) {
  size_t i = (size_t)hash(name, length) & (capacity - 1);
  while (slot[i].name && (strncmp(slot[i].name, name, length) != 0 || slot[i].name[length] != '\0')) {
    i = (i + 1) & (capacity - 1);
  }
  return &slot[i];
}

static int grow(mbd_names *names) {
  const size_t capacity = names->capacity ? 2 * names->capacity : 16;
  mbd_name_slot *slot = calloc(capacity, sizeof *slot);
  if (!slot) { return 0; }
  for (size_t i = 0; i < names->capacity; i++) {
    const mbd_name_slot *old = &names->slot[i];
    if (old->name) { *place(slot, capacity, old->name, strlen(old->name)) = *old; }
  }
  free(names->slot);
  names->slot = slot;
  names->capacity = capacity;
  return 1;
}

int mbd_names_add(mbd_names *names, const char *name, int number) {
  if (2 * (names->n + 1) > names->capacity && !grow(names)) { return 0; }
  mbd_name_slot *s = place(names->slot, names->capacity, name, strlen(name));
  if (!s->name) {
    *s = (mbd_name_slot){name, number};
    names->n++;
  }
  return 1;
}

int mbd_names_find_part(const mbd_names *names, const char *name, size_t length) {
  if (names->n == 0) { return -1; }
  const mbd_name_slot *s = place(names->slot, names->capacity, name, length);
  return s->name ? s->number : -1;
}

int mbd_names_find(const mbd_names *names, const char *name) {
  return mbd_names_find_part(names, name, strlen(name));
}

void mbd_names_free(mbd_names *names) {
  free(names->slot);
  *names = (mbd_names){0};
}
