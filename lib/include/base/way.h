/* A chain of names for messages, "a -> b -> c -> a"; a long one is shortened to its beginning and its end, "a -> b -> ... -> a". */
#ifndef MBD_WAY_H
#define MBD_WAY_H

#include <stdio.h>

/* Start with {0}; `text` contains the chain so far. */
typedef struct mbd_way {
  char text[512];
  size_t n;
  int cut; /* 1: names that follow are left out */
} mbd_way;

static inline void way_put(mbd_way *w, const char *name) {
  w->n += (size_t)snprintf(w->text + w->n, sizeof w->text - w->n, "%s%.100s", w->n ? " -> " : "", name);
}

static inline void mbd_way_add(mbd_way *w, const char *name) {
  if (w->cut) { return; }
  w->cut = w->n >= 200;
  way_put(w, w->cut ? "..." : name);
}

/* Adds the last name, which is never left out, and returns the text. */
static inline const char *mbd_way_end(mbd_way *w, const char *name) {
  way_put(w, name);
  return w->text;
}

#endif
