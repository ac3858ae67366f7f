#include "scatter/samples.h"

#include <stdlib.h>

#include "base/random.h"
#include "files/memory.h"

#ifdef MBO_HAVE_SOBOL
/* NLopt exports its generator, but no installed header declares it. */
typedef struct nlopt_soboldata_s *nlopt_sobol;
extern nlopt_sobol nlopt_sobol_create(unsigned d);
extern void nlopt_sobol_destroy(nlopt_sobol s);
extern void nlopt_sobol_next01(nlopt_sobol s, double *u);
#endif

struct samples {
  samples_kind kind;
  int n, d, next;
  uint64_t seed;
  int half; /* Latin hypercube: bits of half an index */
  /* Sobol sequence: */
  uint32_t *shift; /* [d] what is xored; NULL: nothing */
  double *skipped; /* [d] */
#ifdef MBO_HAVE_SOBOL
  nlopt_sobol sobol;
#endif
};

/* ---- Latin hypercube ---- */

enum { ROUNDS = 8, LEVELS = 1 << 20 };

/* A random permutation of 0 ... 4^half - 1, computed for one index: a Feistel network. */
static uint64_t network(uint64_t key, int half, uint64_t i) {
  const uint64_t mask = (1U << half) - 1;
  uint64_t left = i >> half, right = i & mask;
  for (uint64_t round = 0; round < ROUNDS; round++) {
    const uint64_t mixed = left ^ (random_mix(random_mix(key + round) + right) & mask);
    left = right, right = mixed;
  }
  return left << half | right;
}

/* A random permutation of 0 ... n - 1: numbers beyond are permuted again until one is below n ("cycle walking"). */
static uint64_t stratum(const samples *s, uint64_t key, int i) {
  uint64_t k = (uint64_t)i;
  do { k = network(key, s->half, k); } while (k >= (uint64_t)s->n);
  return k;
}

/* The position in a stratum has so few bits that rounding cannot move it into the next one. */
static double place(const samples *s, uint64_t key, int i) {
  if (s->kind == SAMPLES_LATIN_HYPERCUBE_CENTRED) { return 0.5; }
  return ((double)(random_mix(random_mix(~key) + (uint64_t)i) % LEVELS) + 0.5) / LEVELS;
}

static void latin_next(const samples *s, double *u) {
  uint64_t state = s->seed;
  for (int j = 0; j < s->d; j++) {
    const uint64_t key = random_bits(&state);
    u[j] = ((double)stratum(s, key, s->next) + place(s, key, s->next)) / s->n;
  }
}

/* ---- Monte Carlo ---- */

static void random_next(const samples *s, double *u) {
  uint64_t state = random_mix(s->seed + ((uint64_t)s->next << 32));
  for (int j = 0; j < s->d; j++) { u[j] = random_unit(&state); }
}

/* ---- Sobol sequence ---- */

#ifdef MBO_HAVE_SOBOL

static mbd_status sobol_create(samples *s, mbd_error *err) {
  if (s->d > SAMPLES_SOBOL_MAX) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "a Sobol sequence in %d dimensions, expected at most %d; a Latin hypercube takes any number", s->d,
             SAMPLES_SOBOL_MAX);
  }
  s->sobol = nlopt_sobol_create((unsigned)s->d);
  s->skipped = malloc((size_t)s->d * sizeof *s->skipped);
  s->shift = s->seed ? malloc((size_t)s->d * sizeof *s->shift) : NULL;
  if (!s->sobol || !s->skipped || (s->seed && !s->shift)) { return MEMORY_NONE(err, "a Sobol sequence"); }
  uint64_t state = s->seed;
  for (int j = 0; s->shift && j < s->d; j++) { s->shift[j] = (uint32_t)(random_bits(&state) >> 32); }
  return MBD_OK;
}

/* All numbers have 32 bits after the binary point. */
static void sobol_next(const samples *s, double *u) {
  const double bits = 4294967296.0;
  nlopt_sobol_next01(s->sobol, u);
  for (int j = 0; s->shift && j < s->d; j++) { u[j] = (double)((uint32_t)(u[j] * bits) ^ s->shift[j]) / bits; }
}

static void sobol_destroy(samples *s) {
  if (s->sobol) { nlopt_sobol_destroy(s->sobol); }
}

#else

static mbd_status sobol_create(samples *s, mbd_error *err) {
  (void)s;
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "built without Sobol sequences; install the Debian package libnlopt-dev and build again, or take a Latin "
           "hypercube");
}
static void sobol_next(const samples *s, double *u) {
  (void)s, (void)u;
}
static void sobol_destroy(samples *s) {
  (void)s;
}

#endif

/* ---- all plans ---- */

mbd_status samples_create(samples_kind kind, int n, int d, uint64_t seed, samples **out, mbd_error *err) {
  *out = NULL;
  if (n < 1 || d < 1) {
    MBD_FAIL(err, MBD_BAD_INPUT, "a sampling plan of %d points in %d dimensions, expected one of each at least", n, d);
  }
  samples *s = calloc(1, sizeof *s);
  MEMORY_TRY(s, err, "a sampling plan");
  *s = (samples){.kind = kind, .n = n, .d = d, .seed = seed};
  while ((uint64_t)1 << (2 * s->half) < (uint64_t)n) { s->half++; }
  mbd_status status = kind == SAMPLES_SOBOL ? sobol_create(s, err) : MBD_OK;
  if (status != MBD_OK) { samples_destroy(s); }
  *out = status == MBD_OK ? s : NULL;
  return status;
}

int samples_next(samples *s, double *u) {
  if (s->next >= s->n) { return 0; }
  if (s->kind == SAMPLES_SOBOL) {
    sobol_next(s, u);
  } else if (s->kind == SAMPLES_MONTE_CARLO) {
    random_next(s, u);
  } else {
    latin_next(s, u);
  }
  s->next++;
  return 1;
}

void samples_skip(samples *s, int k) {
  const int to = k < s->n - s->next ? s->next + k : s->n;
  for (; s->kind == SAMPLES_SOBOL && s->next < to; s->next++) { sobol_next(s, s->skipped); }
  s->next = to;
}

void samples_destroy(samples *s) {
  if (!s) { return; }
  sobol_destroy(s);
  free(s->shift), free(s->skipped);
  free(s);
}
