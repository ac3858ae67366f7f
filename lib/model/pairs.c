#include "model/pairs.h"

#include <stdlib.h>

#include "base/memory.h"

int pairs_create(body_pairs *pairs, int nbody) {
  *pairs = (body_pairs){0};
  pairs->first = calloc((size_t)nbody, sizeof *pairs->first);
  pairs->count = calloc((size_t)nbody, sizeof *pairs->count);
  for (int i = 0; pairs->first && i < nbody; i++) { pairs->first[i] = -1; }
  return pairs->first && pairs->count;
}

int pairs_add(body_pairs *pairs, int a, int b) {
  const int body[2] = {a, b};
  int(*pair)[2] = mbd_list_grow(pairs->pair, pairs->n, sizeof *pair);
  if (!pair) { return 0; }
  pairs->pair = pair;
  int *next = mbd_list_grow(pairs->next, pairs->n, 2 * sizeof *next);
  if (!next) { return 0; }
  pairs->next = next;
  for (int k = 0; k < 2; k++) {
    pair[pairs->n][k] = body[k];
    next[2 * pairs->n + k] = pairs->first[body[k]];
    pairs->first[body[k]] = pairs->n;
    pairs->count[body[k]]++;
  }
  pairs->n++;
  return 1;
}

void pairs_free(body_pairs *pairs) {
  free(pairs->pair), free(pairs->next), free(pairs->first), free(pairs->count);
  *pairs = (body_pairs){0};
}

int pairs_have(const body_pairs *pairs, int a, int b) {
  const int body = pairs->count[a] < pairs->count[b] ? a : b, other = body == a ? b : a;
  for (int i = pairs->first[body]; i >= 0; i = pairs_next(pairs, i, body)) {
    if (pairs->pair[i][0] == other || pairs->pair[i][1] == other) { return 1; }
  }
  return 0;
}
