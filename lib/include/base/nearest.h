/* The nearest known name, for messages: "spring 's1': point 'P11' is not known, did you mean 'P1'?" */
#ifndef MBD_NEAREST_H
#define MBD_NEAREST_H

#include "mbd/status.h"

#pragma GCC visibility push(default)

/* Returns the edit distance of two words: the number of insertions, deletions, replacements and swaps of neighbours. Case is ignored. */
int mbd_edit_distance(const char *a, const char *b);

/* Keeps the names nearest to a requested one of those offered to it one after the other. Start with {.requested = name}. An offer costs as
 * much as the product of both lengths: names are offered after the search has failed. The texts belong to the caller. */
enum { MBD_NEAREST_KEPT = 8, MBD_HINT = 320 }; /* MBD_HINT: size of a text for all of them, if they are not long */
typedef struct mbd_nearest {
  const char *requested;
  int listed; /* 1: the message itself says what is known, so the text names no others than the nearest */
  int offers; /* number of different names offered, as far as `known` tells them apart */
  const char *known[MBD_NEAREST_KEPT];
  int distance[MBD_NEAREST_KEPT];
} mbd_nearest;

void mbd_nearest_offer(mbd_nearest *n, const char *name);

/* Offers word_at(0), word_at(1), ... until NULL. */
void mbd_nearest_offer_all(mbd_nearest *n, const char *(*word_at)(int i));

/* The nearest offer if it is near enough to be meant, else NULL. */
const char *mbd_nearest_best(const mbd_nearest *n);

/* Writes ", did you mean 'x'? (known: x, y, z and 12 more)" into buf, the question only if an offer is near enough to be meant; returns buf. */
const char *mbd_nearest_text(const mbd_nearest *n, char *buf, int size);

/* Returns MBD_BAD_INPUT with the text "WHERE: WHAT 'WANTED' is not known, did you mean 'x'? (known: x, y)"; where = NULL: without WHERE. */
mbd_status mbd_not_known(const char *where, const char *what, const mbd_nearest *n, mbd_error *err);

/* Returns the i with word_at(i) = word; -1: there is none. The list of words ends with NULL. */
int mbd_word_find(const char *word, const char *(*word_at)(int i));

/* Returns MBD_OK if the list word_at(0), word_at(1), ... until NULL has this word, else the error of mbd_not_known. */
mbd_status mbd_check_word(const char *where, const char *what, const char *word, const char *(*word_at)(int i),
                          mbd_error *err);

#pragma GCC visibility pop
#endif
