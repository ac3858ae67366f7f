/* Eigenvalues: known ones with stiff parts beside slow ones, eigenvectors by their equation, equal ones, a column of rounding. */
#include "la/eigen.h"
#include "test.h"

enum { MAX = 4 };

typedef struct modes {
  double re[MAX], im[MAX], v[MAX * MAX];
} modes;

static int solve(int n, const double *a, modes *q) {
  double copy[MAX * MAX];
  mbd_error err = {0};
  memcpy(copy, a, (size_t)(n * n) * sizeof *a);
  const mbd_status status = mbd_eigen(n, copy, q->re, q->im, q->v, &err);
  if (status == MBD_NOT_BUILT_IN) {
    test_skip(err.text);
    return 0;
  }
  must(status, &err);
  return 1;
}

/* The eigenvalue nearest to re + i im; how far it is. */
static double distance(int n, const modes *q, double re, double im) {
  double min = INFINITY;
  for (int i = 0; i < n; i++) { min = fmin(min, hypot(q->re[i] - re, q->im[i] - im)); }
  return min;
}

/* A v = lam v, row by row relative to what is summed. */
static void check_vectors(int n, const double *a, const modes *q) {
  for (int i = 0; i < n; i++) {
    const double *x = q->v + i * n, *y = x + n;
    for (int k = 0; q->im[i] >= 0 && k < n; k++) {
      const int pair = q->im[i] > 0;
      double re = -q->re[i] * x[k] + (pair ? q->im[i] * y[k] : 0), im = pair ? -q->re[i] * y[k] - q->im[i] * x[k] : 0;
      double size = hypot(q->re[i], q->im[i]);
      for (int j = 0; j < n; j++) {
        re += a[k * n + j] * x[j], im += pair ? a[k * n + j] * y[j] : 0;
        size += fabs(a[k * n + j]);
      }
      CHECK_NEAR("A v - lam v", hypot(re, im), 0, size, 1e-14);
    }
  }
}

/* Two unit masses on springs 1, a damper c between them: together they swing with +-i, against each other they go by
 * s^2 + 2 c s + 1 = 0. The QR iteration alone is off by 3e-7. */
static void test_stiff(void) {
  const double c = 1e10, a[] = {0, 0, 1, 0, 0, 0, 0, 1, -1, 0, -c, c, 0, -1, c, -c};
  const double fast = -(c + sqrt(c * c - 1));
  modes q;
  if (!solve(4, a, &q)) { return; }
  CHECK_CLOSE("together", distance(4, &q, 0, 1), 0, 1e-15);
  CHECK_CLOSE("the other of the pair", distance(4, &q, 0, -1), 0, 1e-15);
  CHECK_CLOSE("slow", distance(4, &q, 1 / fast, 0), 0, 1e-24);
  CHECK_NEAR("fast", distance(4, &q, fast, 0), 0, c, 1e-15);
  check_vectors(4, a, &q);
}

static void test_pairs_and_single(void) {
  const double a[] = {-1, 2, 0, -2, -1, 0, 0.5, 0, 3}; /* -1 +- 2i, 3 */
  modes q;
  if (!solve(3, a, &q)) { return; }
  CHECK_CLOSE("pair", distance(3, &q, -1, 2), 0, 1e-14);
  CHECK_CLOSE("its other", distance(3, &q, -1, -2), 0, 1e-14);
  CHECK_CLOSE("single", distance(3, &q, 3, 0), 0, 1e-14);
  check_vectors(3, a, &q);
  const double one[] = {-7};
  if (solve(1, one, &q)) { CHECK_CLOSE("of one", q.re[0], -7, 0); }
}

/* Equal eigenvalues stay as many as they are: a body that drifts, 0 twice, with one eigenvector, and two with two. */
static void test_equal(void) {
  const double drift[] = {0, 1, 0, 0}, same[] = {2, 0, 0, 2};
  modes q;
  if (!solve(2, drift, &q)) { return; }
  for (int i = 0; i < 2; i++) { CHECK_CLOSE("drift", hypot(q.re[i], q.im[i]), 0, 1e-150); }
  if (!solve(2, same, &q)) { return; }
  for (int i = 0; i < 2; i++) { CHECK_CLOSE("same", hypot(q.re[i] - 2, q.im[i]), 0, 1e-15); }
  CU_ASSERT(fabs(q.v[0] * q.v[3] - q.v[1] * q.v[2]) > 0.9);
}

/* A place on which nothing depends but for rounding, y'' = -6 y' + 2e-86 y: 0, and -6 with the vector (1, -6). Balancing scales the place by
 * 1e43 and loses this vector: (1, 0) has the residual 6 of 6 + 1 in the first row. */
static void test_rounding_column(void) {
  const double a[] = {0, 1, 2e-86, -6}, lost[] = {1, 0};
  modes q;
  if (!solve(2, a, &q)) { return; }
  const int i = q.re[0] < q.re[1] ? 0 : 1;
  CHECK_CLOSE("fast", q.re[i], -6, 1e-14);
  CHECK_CLOSE("vector", q.v[2 * i + 1] / q.v[2 * i], -6, 1e-14);
  check_vectors(2, a, &q);
  CHECK_CLOSE("residual", mbd_eigen_residual(2, a, -6, 0, lost, NULL), 6.0 / 7, 1e-16);
  CHECK_CLOSE("residual", mbd_eigen_residual(2, a, -6, 0, q.v + 2 * i, NULL), 0, 1e-16);
}

/* A double zero with one eigenvector, S J S^-1 of integers: rounding makes a pair of it, of about 1e-8, which refinement can take across the
 * real axis. The one with the positive imaginary part is the first of a pair, as in LAPACK; so vectors find their eigenvalues. */
static void test_pairs_stay_in_order(void) {
  int pairs = 0;
  for (int draw = 0; draw < 400; draw++) {
    const double p = draw % 20 - 9.5, r = draw / 20 - 9.5; /* S = [1 p; 0 1] [1 0; r 1] */
    const double s[] = {1 + p * r, p, r, 1}, inverse[] = {1, -p, -r, 1 + p * r}, fast = -3;
    const double a[] = {s[0] * inverse[2], s[0] * inverse[3], 0, s[2] * inverse[2], s[2] * inverse[3], 0, 0, p, fast};
    modes q;
    if (!solve(3, a, &q)) { return; }
    for (int i = 0; i < 3; i++) {
      if (q.im[i] == 0) { continue; }
      pairs++;
      CU_ASSERT_FATAL(i < 2 && q.im[i] > 0);
      CHECK_CLOSE("other", q.im[i + 1], -q.im[i], 0);
      i++;
    }
  }
  CU_ASSERT(pairs > 0);
}

TEST_MAIN(TEST(test_stiff), TEST(test_pairs_and_single), TEST(test_equal), TEST(test_rounding_column),
          TEST(test_pairs_stay_in_order))
