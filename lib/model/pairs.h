/* A set of pairs of bodies (connected by a joint, or by a bushing), with a list of the pairs of each body. */
#ifndef MBD_PAIRS_H
#define MBD_PAIRS_H

typedef struct body_pairs {
  int n;
  int (*pair)[2]; /* [n] */
  int *next;      /* [n][2] next pair of the same body; -1: the last */
  int *first;     /* [nbody] -1: none */
  int *count;     /* [nbody] pairs of a body */
} body_pairs;

/* Both return 0 if there is no memory; half-built pairs can be freed. */
int pairs_create(body_pairs *pairs, int nbody);
int pairs_add(body_pairs *pairs, int a, int b);
void pairs_free(body_pairs *pairs);

/* Are a and b a pair, in any order? The list of the body with fewer pairs is searched. */
int pairs_have(const body_pairs *pairs, int a, int b);

/* for (int i = pairs->first[body]; i >= 0; i = pairs_next(q, i, body)): the pairs of a body, the newest first. */
static inline int pairs_next(const body_pairs *pairs, int i, int body) {
  return pairs->next[2 * i + (pairs->pair[i][0] != body)];
}

#endif
