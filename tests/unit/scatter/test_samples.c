/* Sampling plans: strata, published points, seeds, evenness. */
#include "scatter/samples.h"

#include "base/random.h"
#include "test.h"

static samples *plan(samples_kind kind, int n, int d, uint64_t seed) {
  samples *s;
  mbd_error err = {0};
  must(samples_create(kind, n, d, seed, &s, &err), &err);
  return s;
}

/* All points [n][d]; to be freed. */
static double *all(samples_kind kind, int n, int d, uint64_t seed) {
  samples *s = plan(kind, n, d, seed);
  double *u = malloc((size_t)n * (size_t)d * sizeof *u), none[1] = {-1};
  for (int i = 0; i < n; i++) { CU_ASSERT_EQUAL(samples_next(s, u + i * d), 1); }
  CU_ASSERT(samples_next(s, none) == 0 && none[0] == -1);
  samples_destroy(s);
  return u;
}

static int have_sobol(void) {
  samples *s;
  mbd_error err = {0};
  mbd_status status = samples_create(SAMPLES_SOBOL, 1, 1, 0, &s, &err);
  if (status == MBD_NOT_BUILT_IN) { CHECK_CONTAINS(err.text, "libnlopt-dev"); }
  samples_destroy(s);
  return status == MBD_OK;
}

/* ---- Latin hypercubes ---- */

/* Every stratum once. */
static void strata(samples_kind kind, int n, int d, uint64_t seed) {
  double *u = all(kind, n, d, seed);
  char *hit = malloc((size_t)n);
  for (int j = 0; j < d; j++) {
    memset(hit, 0, (size_t)n);
    int hits = 0;
    for (int i = 0; i < n; i++) {
      const double v = u[i * d + j] * n;
      if (!(v >= 0 && v < n)) { continue; }
      hits += !hit[(int)v];
      hit[(int)v] = 1;
      if (kind == SAMPLES_LATIN_HYPERCUBE_CENTRED) { CHECK_CLOSE("centre", v - floor(v), 0.5, 1e-15 * n); }
    }
    CU_ASSERT_EQUAL(hits, n);
  }
  free(u), free(hit);
}

static void test_strata(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 16, 17, 100, 1000, 65537, 100000};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    for (uint64_t seed = 0; seed < 3; seed++) {
      strata(SAMPLES_LATIN_HYPERCUBE, sizes[k], 4, seed);
      strata(SAMPLES_LATIN_HYPERCUBE_CENTRED, sizes[k], 4, seed);
    }
  }
  strata(SAMPLES_LATIN_HYPERCUBE, 10, 5000, 1);
}

/* Of three strata all six orders come equally often: 6000 dimensions, 1000 of each, five standard deviations allowed. */
static void test_orders_are_drawn(void) {
  enum { D = 6000 };
  double *u = all(SAMPLES_LATIN_HYPERCUBE_CENTRED, 3, D, 7);
  int count[9] = {0};
  for (int j = 0; j < D; j++) { count[(int)(3 * u[j]) * 3 + (int)(3 * u[D + j])]++; }
  for (int k = 0; k < 9; k++) {
    if (k % 4) { CHECK_CLOSE("order", count[k], 1000, 5 * sqrt(1000 * 5 / 6.0)); }
  }
  free(u);
}

/* Neither the dimensions nor the places in the strata follow each other: correlations are within four standard deviations. */
static void test_dimensions_are_independent(void) {
  enum { N = 10000, D = 8 };
  double *u = all(SAMPLES_LATIN_HYPERCUBE, N, D, 3);
  for (int a = 0; a < D; a++) {
    double mean = 0, next = 0;
    for (int i = 0; i < N; i++) {
      mean += (u[i * D + a] * N - floor(u[i * D + a] * N)) / N;
      next += 12 * (u[i * D + a] - 0.5) * (u[(i + 1) % N * D + a] - 0.5) / N;
    }
    CHECK_CLOSE("mean place", mean, 0.5, 4 / sqrt(12.0 * N));
    CHECK_CLOSE("neighbours", next, 0, 4 / sqrt(N));
    for (int b = 0; b < a; b++) {
      double sum = 0;
      for (int i = 0; i < N; i++) { sum += 12 * (u[i * D + a] - 0.5) * (u[i * D + b] - 0.5) / N; }
      CHECK_CLOSE("dimensions", sum, 0, 4 / sqrt(N));
    }
  }
  free(u);
}

/* ---- Sobol sequences ---- */

/* Joe and Kuo 2003 (ACM TOMS 29, 49-57) and all others in two dimensions, in the order of Gray's code. */
static void test_published_points(void) {
  static const double known[][2] = {{0.5, 0.5},     {0.75, 0.25},   {0.25, 0.75},     {0.375, 0.375},  {0.875, 0.875},
                                    {0.625, 0.125}, {0.125, 0.625}, {0.1875, 0.3125}, {0.6875, 0.8125}};
  if (!have_sobol()) { return; }
  double *u = all(SAMPLES_SOBOL, 9, 2, 0);
  for (int i = 0; i < 9; i++) { CU_ASSERT(u[2 * i] == known[i][0] && u[2 * i + 1] == known[i][1]); }
  free(u);
}

/* With the origin, 2^10 points have one in each of the boxes 2^-k by 2^(k - 10), whatever the shift. */
static void test_boxes(void) {
  enum { BITS = 10, N = 1 << BITS };
  if (!have_sobol()) { return; }
  for (uint64_t seed = 0; seed < 5; seed++) {
    double *u = all(SAMPLES_SOBOL, N - 1, 2, seed), *origin = all(SAMPLES_SOBOL, 1, 2, seed);
    for (int j = 0; j < 2; j++) {
      origin[j] += origin[j] >= 0.5 ? -0.5 : 0.5;
    } /* the first point is the origin's shift + 0.5 */
    for (int k = 0; k <= BITS; k++) {
      char hit[N] = {0};
      int hits = 0;
      for (int i = 0; i < N; i++) {
        const double *v = i ? u + 2 * (i - 1) : origin;
        const int box = (int)(v[0] * (1 << k)) << (BITS - k) | (int)(v[1] * (1 << (BITS - k)));
        hits += !hit[box];
        hit[box] = 1;
      }
      CU_ASSERT_EQUAL(hits, N);
    }
    free(u), free(origin);
  }
}

/* The integral by which Joe and Kuo tested theirs: of prod (|4 u_j - 2| + c_j)/(1 + c_j), c_j = (j + 1)^(1/3), which is 1. */
static double integral(int n, int d, uint64_t seed) {
  samples *s = plan(SAMPLES_SOBOL, n, d, seed);
  double sum = 0, *u = malloc((size_t)d * sizeof *u);
  int outside = 0;
  while (samples_next(s, u)) {
    double product = 1;
    for (int j = 0; j < d; j++) {
      const double c = cbrt(j + 1);
      product *= (fabs(4 * u[j] - 2) + c) / (1 + c);
      outside += !(u[j] >= 0 && u[j] < 1);
    }
    sum += product / n;
  }
  CU_ASSERT_EQUAL(outside, 0);
  free(u);
  samples_destroy(s);
  return sum;
}

static void test_most_dimensions(void) {
  if (!have_sobol()) { return; }
  CHECK_CLOSE("2 dimensions", integral(16383, 2, 0), 1, 2e-4);
  CHECK_CLOSE("10 dimensions", integral(16383, 10, 0), 1, 2e-3);
  CHECK_CLOSE("10 dimensions, shifted", integral(16383, 10, 1), 1, 2e-3);
  CHECK_CLOSE("1111 dimensions", integral(16383, SAMPLES_SOBOL_MAX, 0), 1, 0.5);
}

/* ---- all ---- */

/* Square of the centred L2 discrepancy [Hickernell 1998]. */
static double discrepancy(const double *u, int n, int d) {
  double sum = pow(13.0 / 12, d);
  for (int i = 0; i < n; i++) {
    double one = 1;
    for (int j = 0; j < d; j++) {
      const double a = fabs(u[i * d + j] - 0.5);
      one *= 1 + 0.5 * a - 0.5 * a * a;
    }
    sum -= 2 * one / n;
    for (int k = 0; k < n; k++) {
      double two = 1;
      for (int j = 0; j < d; j++) {
        const double a = u[i * d + j], b = u[k * d + j];
        two *= 1 + 0.5 * fabs(a - 0.5) + 0.5 * fabs(b - 0.5) - 0.5 * fabs(a - b);
      }
      sum += two / ((double)n * n);
    }
  }
  return sum;
}

/* Mean over seeds: drawn points, Latin hypercube, Sobol sequence, each better by far. */
static void test_evenness(void) {
  enum { N = 127, D = 3, SEEDS = 20 };
  double drawn = 0, latin = 0, sobol = 0;
  const int has = have_sobol();
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    double v[N * D], *u = all(SAMPLES_LATIN_HYPERCUBE, N, D, seed);
    uint64_t state = seed;
    for (int i = 0; i < N * D; i++) { v[i] = random_unit(&state); }
    drawn += discrepancy(v, N, D) / SEEDS;
    latin += discrepancy(u, N, D) / SEEDS;
    free(u);
    if (has) {
      u = all(SAMPLES_SOBOL, N, D, seed);
      sobol += discrepancy(u, N, D) / SEEDS;
      free(u);
    }
  }
  /* of drawn points it is known: ((5/4)^D - (13/12)^D) / N */
  CHECK_NEAR("drawn", drawn, (pow(1.25, D) - pow(13.0 / 12, D)) / N, drawn, 0.3);
  CU_ASSERT(latin > 0 && latin < 0.4 * drawn);
  if (has) { CU_ASSERT(sobol > 0 && sobol < 0.2 * latin); }
}

/* The same seed gives the same points to the bit, another seed others; skipping changes nothing of what follows. */
static void test_seeds(void) {
  for (int kind = SAMPLES_LATIN_HYPERCUBE; kind <= (have_sobol() ? SAMPLES_SOBOL : SAMPLES_LATIN_HYPERCUBE_CENTRED);
       kind++) {
    enum { N = 50, D = 3 };
    double *a = all((samples_kind)kind, N, D, 5), *b = all((samples_kind)kind, N, D, 5);
    double *c = all((samples_kind)kind, N, D, 6), u[D];
    CU_ASSERT(memcmp(a, b, N * D * sizeof *a) == 0);
    int same = 0;
    for (int i = 0; i < N; i++) { same += memcmp(a + i * D, c + i * D, D * sizeof *a) == 0; }
    CU_ASSERT_EQUAL(same, 0);
    samples *s = plan((samples_kind)kind, N, D, 5);
    samples_skip(s, 17);
    CU_ASSERT(samples_next(s, u) == 1 && memcmp(u, a + 17 * D, sizeof u) == 0);
    samples_skip(s, 31);
    CU_ASSERT(samples_next(s, u) == 1 && memcmp(u, a + 49 * D, sizeof u) == 0);
    samples_skip(s, 2147483647);
    CU_ASSERT_EQUAL(samples_next(s, u), 0);
    samples_destroy(s);
    free(a), free(b), free(c);
  }
}

/* Plans stay the same over versions, or no study could go on. */
static void test_recorded_points(void) {
  double *latin = all(SAMPLES_LATIN_HYPERCUBE, 10, 2, 1);
  CU_ASSERT(latin[0] == 0.8557108402252197 && latin[1] == 0.94925551414489751);
  CU_ASSERT(latin[18] == 0.57535824775695799 && latin[19] == 0.53645825386047363);
  free(latin);
  if (have_sobol()) {
    double *sobol = all(SAMPLES_SOBOL, 1, 2, 1);
    CU_ASSERT(sobol[0] == 0.066561575047671795 && sobol[1] == 0.24578175717033446);
    free(sobol);
  }
  uint64_t state = 1234567; /* published with the algorithm's reference code */
  CU_ASSERT_EQUAL(random_bits(&state), 6457827717110365317U);
  CU_ASSERT_EQUAL(random_bits(&state), 3203168211198807973U);
}

static void refused(samples_kind kind, int n, int d, const char *message) {
  samples *s;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(samples_create(kind, n, d, 0, &s, &err), MBD_BAD_INPUT);
  CU_ASSERT(s == NULL);
  CHECK_CONTAINS(err.text, message);
}

static void test_refused(void) {
  refused(SAMPLES_LATIN_HYPERCUBE, 0, 2, "a sampling plan of 0 points in 2 dimensions, expected one of each at least");
  refused(SAMPLES_SOBOL, 5, 0, "5 points in 0 dimensions");
  if (have_sobol()) {
    refused(SAMPLES_SOBOL, 5, 1112, "1112 dimensions, expected at most 1111; a Latin hypercube takes any number");
  }
  samples_destroy(NULL);
}

TEST_MAIN(TEST(test_strata), TEST(test_orders_are_drawn), TEST(test_dimensions_are_independent),
          TEST(test_published_points), TEST(test_boxes), TEST(test_most_dimensions), TEST(test_evenness),
          TEST(test_seeds), TEST(test_recorded_points), TEST(test_refused))
