#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; /* names beyond this are compared by their beginning */

static int min3(int a, int b, int c) {
  return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static int same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int mbd_edit_distance(const char *a, const char *b) {
  int row[3][LONGEST + 1];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST) { na = LONGEST; }
  if (nb > LONGEST) { nb = LONGEST; }
  for (int j = 0; j <= nb; j++) { row[0][j] = j; }
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int change = !same(a[i - 1], b[j - 1]);
      now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + change);
      int swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped && two_before[j - 2] + 1 < now[j]) { now[j] = two_before[j - 2] + 1; }
    }
  }
  return row[na % 3][nb];
}

/* Returns 1 if a name begins with another one and a dot, as 'J' for 'J.angle'. */
static int begins(const char *name, const char *with) {
  const size_t n = strlen(with);
  return n > 0 && strncmp(name, with, n) == 0 && name[n] == '.';
}

/* The list is sorted by distance; of equal ones the first offer comes first. */
void mbd_nearest_offer(mbd_nearest *n, const char *name) {
  const int d = begins(name, n->requested) ? 1 : mbd_edit_distance(n->requested, name);
  const int kept = n->offers < MBD_NEAREST_KEPT ? n->offers : MBD_NEAREST_KEPT;
  for (int i = 0; i < kept; i++) {
    if (strcmp(n->known[i], name) == 0) { return; }
  }
  n->offers++;
  int at = kept < MBD_NEAREST_KEPT ? kept : d < n->distance[kept - 1] ? kept - 1 : kept;
  if (at == MBD_NEAREST_KEPT) { return; }
  for (; at > 0 && n->distance[at - 1] > d; at--) {
    n->known[at] = n->known[at - 1], n->distance[at] = n->distance[at - 1];
  }
  n->known[at] = name, n->distance[at] = d;
}

void mbd_nearest_offer_all(mbd_nearest *n, const char *(*word_at)(int i)) {
  for (int i = 0; word_at(i); i++) { mbd_nearest_offer(n, word_at(i)); }
}

const char *mbd_nearest_best(const mbd_nearest *n) {
  const int length = (int)strlen(n->requested);
  return n->offers && n->distance[0] <= (length < 4 ? 1 : length / 3 + 1) ? n->known[0] : NULL;
}

const char *mbd_nearest_text(const mbd_nearest *n, char *buf, int size) {
  const char *best = mbd_nearest_best(n);
  size_t at = 0, capacity = (size_t)size;
  buf[0] = '\0';
  if (best) { at = (size_t)snprintf(buf, capacity, ", did you mean '%s'?", best); }
  if (n->listed || n->offers == (best != NULL)) { return buf; }
  /* As many of the list as have space, with that for the number of the others. */
  const char *between = " (known: ";
  int i = 0;
  for (; i < n->offers && i < MBD_NEAREST_KEPT && at + strlen(n->known[i]) + 40 < capacity; i++, between = ", ") {
    at += (size_t)snprintf(buf + at, capacity - at, "%s%s", between, n->known[i]);
  }
  if (i > 0 && i < n->offers) { at += (size_t)snprintf(buf + at, capacity - at, " and %d more", n->offers - i); }
  if (i > 0) { snprintf(buf + at, capacity - at, ")"); }
  return buf;
}

mbd_status mbd_not_known(const char *where, const char *what, const mbd_nearest *n, mbd_error *err) {
  char hint[MBD_HINT];
  MBD_FAIL(err, MBD_BAD_INPUT, "%s%s%s '%s' is not known%s", where ? where : "", where ? ": " : "", what, n->requested,
           mbd_nearest_text(n, hint, sizeof hint));
}

int mbd_word_find(const char *word, const char *(*word_at)(int i)) {
  for (int i = 0; word_at(i); i++) {
    if (strcmp(word_at(i), word) == 0) { return i; }
  }
  return -1;
}

mbd_status mbd_check_word(const char *where, const char *what, const char *word, const char *(*word_at)(int i),
                          mbd_error *err) {
  mbd_nearest near = {.requested = word};
  if (mbd_word_find(word, word_at) >= 0) { return MBD_OK; }
  mbd_nearest_offer_all(&near, word_at);
  return mbd_not_known(where, what, &near, err);
}
