#include "model/pairs.h"

#include <stdlib.h>

#include "base/memory.h"

int pairs_create(body_pairs *q, int nbody) {
  *q = (body_pairs){0};
  q->first = calloc((size_t)nbody, sizeof *q->first);
  q->count = calloc((size_t)nbody, sizeof *q->count);
  for (int i = 0; q->first && i < nbody; i++) { q->first[i] = -1; }
  return q->first && q->count;
}

int pairs_add(body_pairs *q, int a, int b) {
  const int body[2] = {a, b};
  int(*pair)[2] = mbd_list_grow(q->pair, q->n, sizeof *pair);
  if (!pair) { return 0; }
  q->pair = pair;
  int *next = mbd_list_grow(q->next, q->n, 2 * sizeof *next);
  if (!next) { return 0; }
  q->next = next;
  for (int k = 0; k < 2; k++) {
    pair[q->n][k] = body[k];
    next[2 * q->n + k] = q->first[body[k]];
    q->first[body[k]] = q->n;
    q->count[body[k]]++;
  }
  q->n++;
  return 1;
}

void pairs_free(body_pairs *q) {
  free(q->pair), free(q->next), free(q->first), free(q->count);
  *q = (body_pairs){0};
}

int pairs_have(const body_pairs *q, int a, int b) {
  const int body = q->count[a] < q->count[b] ? a : b, other = body == a ? b : a;
  for (int i = q->first[body]; i >= 0; i = pairs_next(q, i, body)) {
    if (q->pair[i][0] == other || q->pair[i][1] == other) { return 1; }
  }
  return 0;
}
