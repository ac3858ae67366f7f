/* Which keys a quantity depends on: grids and bounds by hand, the function of Ishigami in closed form, and what tells nothing. */
#include "mbo/importance.h"
#include "scatter/samples.h"

#include "test.h"

enum { KEYS = 3, RUNS = 255 };
static const double pi = 3.14159265358979323846;

static mbo_importance found(int nrun, int nkey, const double *x, const double *f, const double *slope,
                            mbo_importance_key *key) {
  mbo_importance out;
  mbd_error err = {0};
  must(mbo_importance_find(nrun, nkey, x, f, slope, &out, key, &err), &err);
  return out;
}

static void check_index(const char *name, const double index[3], double right, double tolerance) {
  CHECK_CLOSE(name, index[0], right, tolerance);
  CU_ASSERT(index[1] <= index[0] && index[0] <= index[2]);
}

/* f = 3 a + b + a b on a in {-1, 1}, b in {-1, 0, 1}: variances 9, 2/3 and 2/3; the third key does nothing. The bound of a, whose derivative is 3 + b, of mean
 * square 29/3, in the range of 4 of two cells with these middles: 16/pi^2 (29/3)/V. */
static void test_grid(void) {
  enum { N = 2 * 3 * 2 };
  double x[N][KEYS], f[N], slope[N][KEYS];
  for (int i = 0; i < N; i++) {
    const int at = (i * 5) % N; /* in any order */
    x[at][0] = i % 2 ? 1 : -1, x[at][1] = i / 2 % 3 - 1, x[at][2] = i / 6;
    f[at] = 10 + 3 * x[at][0] + x[at][1] + x[at][0] * x[at][1];
    slope[at][0] = 3 + x[at][1], slope[at][1] = slope[at][2] = NAN;
  }
  mbo_importance_key key[KEYS];
  const mbo_importance all = found(N, KEYS, &x[0][0], f, &slope[0][0], key);
  const double V = 9 + 2.0 / 3 + 2.0 / 3;
  CU_ASSERT(all.exact && all.runs == N && all.explained == 1 && !*all.reason);
  CHECK_CLOSE("deviation", all.deviation, sqrt(V), 1e-14);
  check_index("a alone", key[0].first, 9 / V, 1e-14);
  check_index("a", key[0].total, (9 + 2.0 / 3) / V, 1e-14);
  check_index("b alone", key[1].first, 2.0 / 3 / V, 1e-14);
  check_index("b", key[1].total, 4.0 / 3 / V, 1e-14);
  check_index("nothing", key[2].total, 0, 1e-15);
  CHECK_CLOSE("bound", key[0].bound, 16 / (pi * pi) * (29.0 / 3) / V, 1e-14);
  CU_ASSERT(isnan(key[1].bound));
}

/* ---- spread points ---- */

/* f = sin a + 7 sin^2 b + 0.1 c^4 sin a in (-pi, pi) (T. Ishigami and T. Homma 1990). */
static double ishigami(const double *x, double *slope) {
  const double p = 1 + 0.1 * pow(x[2], 4);
  slope[0] = cos(x[0]) * p, slope[1] = 7 * sin(2 * x[1]), slope[2] = 0.4 * pow(x[2], 3) * sin(x[0]);
  return p * sin(x[0]) + 7 * pow(sin(x[1]), 2);
}

static void spread(samples_kind kind, int n, double *x, double *f, double *slope) {
  samples *plan;
  mbd_error err = {0};
  must(samples_create(kind, n, KEYS, 3, &plan, &err), &err);
  for (int i = 0; i < n; i++) {
    double u[KEYS];
    samples_next(plan, u);
    for (int j = 0; j < KEYS; j++) { x[i * KEYS + j] = pi * (2 * u[j] - 1); }
    f[i] = ishigami(x + i * KEYS, slope + i * KEYS);
  }
  samples_destroy(plan);
}

static const double alone_2 = 7.0 * 7 / 8;
static double part_1(void) {
  return pow(1 + 0.1 * pow(pi, 4) / 5, 2) / 2;
}
static double part_13(void) {
  return 0.01 * pow(pi, 8) * (1.0 / 18 - 1.0 / 50);
}

static void test_spread(void) {
  static const samples_kind kinds[] = {SAMPLES_LATIN_HYPERCUBE, SAMPLES_SOBOL};
  const double V = part_1() + alone_2 + part_13();
  for (int k = 0; k < 2; k++) {
    double x[RUNS * KEYS], f[RUNS], slope[RUNS * KEYS];
    mbo_importance_key key[KEYS];
    spread(kinds[k], RUNS, x, f, slope);
    f[17] = f[99] = NAN; /* two have failed */
    const mbo_importance all = found(RUNS, KEYS, x, f, slope, key);
    const double right[KEYS][2] = {
        {part_1() / V, (part_1() + part_13()) / V}, {alone_2 / V, alone_2 / V}, {0, part_13() / V}};
    CU_ASSERT(!all.exact && all.runs == RUNS - 2 && !*all.reason && all.explained > 0.99 && all.terms > 20);
    for (int j = 0; j < KEYS; j++) {
      check_index("alone", key[j].first, right[j][0], 0.02);
      check_index("in all", key[j].total, right[j][1], 0.02);
      CU_ASSERT(key[j].total[1] <= right[j][1] + 0.01 && right[j][1] - 0.01 <= key[j].total[2]);
      CU_ASSERT(key[j].bound > right[j][1]);
    }
    /* of the derivatives: 4 nu/V, with the means of their squares */
    CHECK_CLOSE("bound", key[1].bound, 4 * 24.5 / V, 0.5);
  }
}

/* ---- nothing to tell ---- */

static void test_reasons(void) {
  double x[RUNS * KEYS], f[RUNS], slope[RUNS * KEYS];
  mbo_importance_key key[KEYS];
  spread(SAMPLES_SOBOL, RUNS, x, f, slope);
  CHECK_CONTAINS(found(7, KEYS, x, f, NULL, key).reason, "7 runs with values are too few, expected at least 8");
  CU_ASSERT(isnan(key[0].first[0]) && isnan(key[0].bound));
  CHECK_CONTAINS(found(20, KEYS, x, f, NULL, key).reason, "polynomials through 20 runs predict");
  for (int i = 0; i < RUNS; i++) { x[i * KEYS + 2] = x[i * KEYS] + 0.1 * x[i * KEYS + 2]; }
  const mbo_importance related = found(RUNS, KEYS, x, f, NULL, key);
  CHECK_CONTAINS(related.reason, "keys do not vary independently of each other");
  CU_ASSERT(related.related[0] == 0 && related.related[1] == 2);
  for (int i = 0; i < RUNS; i++) { f[i] = 5; }
  CHECK_CONTAINS(found(RUNS, KEYS, x, f, NULL, key).reason, "the same in all runs");
  for (int i = 0; i < RUNS; i++) { f[i] = i ? NAN : 1; }
  CHECK_CONTAINS(found(RUNS, KEYS, x, f, NULL, key).reason, "1 of 255 runs have a value");
}

TEST_MAIN(TEST(test_grid), TEST(test_spread), TEST(test_reasons))
