/* Sampling plans: points that fill the unit cube more evenly than random ones. They depend on kind, n, d and seed only, to the last
 * bit. They are computed one after the other and not stored: memory grows with d, not with n.
 *
 * Latin hypercube [McKay, Beckman, Conover 1979]: of the n equal strata of every dimension each holds one point, at a random
 * place in it or at its centre. Dimensions are paired at random.
 * Sobol sequence: the first n points fill the cube more and more evenly, best for n = 2^k - 1. Direction numbers of Joe and Kuo
 * 2003, as in NLopt; the origin is left out, so that the first point is the centre. Seed 0: the published sequence;
 * another seed xors each dimension with a random number (a digital shift), which keeps the evenness.
 * Monte Carlo: independent random points, for which the usual intervals of confidence hold. */
#ifndef MBO_SAMPLES_H
#define MBO_SAMPLES_H

#include <stdint.h>

#include "mbd/status.h"

enum { SAMPLES_SOBOL_MAX = 1111 }; /* dimensions of a Sobol sequence */

typedef enum samples_kind { SAMPLES_LATIN_HYPERCUBE, SAMPLES_LATIN_HYPERCUBE_CENTRED, SAMPLES_SOBOL, SAMPLES_MONTE_CARLO } samples_kind;

typedef struct samples samples;

/* Creates a plan of n points in d dimensions, both at least 1, which the caller destroys; *out is NULL on failure. MBD_BAD_INPUT: n or d
 * is out of range. MBD_NOT_BUILT_IN: the program was built without the library for Sobol sequences. */
mbd_status samples_create(samples_kind kind, int n, int d, uint64_t seed, samples **out, mbd_error *err);

/* Writes the next point to u [d], each 0 <= u < 1. 0: there are no more points, and u is unchanged. */
int samples_next(samples *s, double *u);

/* Skips the next k points, or the rest if there are fewer. A Latin hypercube does so at once, a Sobol sequence by computing them (0.02 s
 * for 10^5 points in 100 dimensions). */
void samples_skip(samples *s, int k);

void samples_destroy(samples *s); /* NULL is allowed */

#endif
