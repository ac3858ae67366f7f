/* The nearest known name, for messages: "spring 's1': point 'P11' is not known, did you mean 'P1'?" */
#ifndef MBD_NEAREST_H
#define MBD_NEAREST_H

#include "mbd/status.h"

#pragma GCC visibility push(default)

/* Returns the edit distance of two words: the number of insertions, deletions, replacements and swaps of neighbours. Case is ignored. */
int mbd_edit_distance(const char *a, const char *b);

/* Keeps the best of the names offered to it one after the other. Start with {.wanted = name}. An offer costs as much as the product of
 * both lengths: names are offered after the search has failed. */
typedef struct mbd_nearest {
  const char *requested, *best;
  int distance;
} mbd_nearest;

void mbd_nearest_offer(mbd_nearest *n, const char *name);

/* Offers word_at(0), word_at(1), ... until NULL. */
void mbd_nearest_offer_all(mbd_nearest *n, const char *(*word_at)(int i));

/* Writes ", did you mean 'x'?" into buf if the best offer is near enough to be meant, else ""; returns buf. */
const char *mbd_nearest_text(const mbd_nearest *n, char *buf, int size);

/* Returns MBD_BAD_INPUT with the text "WHERE: WHAT 'WANTED' is not known, did you mean 'x'?"; where = NULL: without WHERE. */
mbd_status mbd_not_known(const char *where, const char *what, const mbd_nearest *n, mbd_error *err);

/* Returns the i with word_at(i) = word; -1: there is none. The list of words ends with NULL. */
int mbd_word_find(const char *word, const char *(*word_at)(int i));

/* Returns MBD_OK if the list word_at(0), word_at(1), ... until NULL has this word, else the error of mbd_not_known. */
mbd_status mbd_check_word(const char *where, const char *what, const char *word, const char *(*word_at)(int i),
                          mbd_error *err);

#pragma GCC visibility pop
#endif
