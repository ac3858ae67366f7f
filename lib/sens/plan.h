/* Checkpoints: which nodes of a run to keep, so that its steps can be visited backwards in little memory.
 *
 * A node is kept as a state, from which the run can only be restarted, or as a whole record, which also has all that
 * the visit of its step needs. The n steps behind a kept node are reversed in `capacity` bytes by keeping one node j first:
 * the steps right of it are reversed in the bytes that remain, then those left of it in all `capacity` bytes, so that
 *   T(n, capacity) = min over j and kind of  j + T(n - j, capacity - size) + T(left, capacity),   left = j - 1 if whole, else j
 * steps are taken in all. A step is taken once for every node kept to its right on the way down to it. So count the
 * steps that can be reversed if none is taken more than c times (s, r: bytes of a state, a record):
 *   states, at the end records:  N(c, x) = N(c - 1, x) + N(c, x - s),      N(1, x) = floor(x/r)
 *       = C(p_1 + c, c - 1) + sum over t = 2..floor(x/r) of C(p_t + c - 1, c - 1),   p_t = floor((x - t r)/s)   (a)
 *       (with N(c, x) = c where no state fits beside a record)
 *   records only:                N(c, x) = N(c - 1, x) + 1 + N(c, x - r)
 *       = C(q + c, c) - 1,   q = floor(x/r)                                                                     (b)
 * States come first, then records: a record left of a state only takes room from the steps between them.
 * With room for one record, (a) has its first term only: the binomial bound of Griewank and Walther, Algorithm 799
 * (revolve), ACM Trans. Math. Softw. 26 (2000), for p_1 + 1 checkpoints and c - 1 repetitions.
 *
 * The plan takes the least c that (a) or (b) allows, and of the steps as many to the left as c - 1 allows while the right
 * remains full for c - 1. No step is taken more than c times. T is least in the cases without a choice between the
 * kinds: room for one record and any number of states, or states as large as records. Elsewhere the unit test, which
 * tries every j and kind for runs of up to 60 steps, finds it at most 1/11 above the least T, and 1/50 with records 20
 * times as large. */
#ifndef MBD_PLAN_H
#define MBD_PLAN_H

#include <stddef.h>

typedef struct plan_sizes {
  size_t state, record; /* bytes of a kept node, state <= record */
} plan_sizes;

typedef struct plan_choice {
  int steps; /* j */
  int whole; /* kept as a record */
} plan_choice;

/* The next node to keep: n > 0 steps are to be reversed, room >= record bytes are free. */
plan_choice plan_next(const plan_sizes *size, int n, size_t capacity);

#endif
