/* Second derivatives by secants, of quadratic functions whose matrices are known. */
#include "mechanism/secants.h"
#include "test.h"

enum { N = 3 };

/* f_k = x'A_k x/2 */
static const double A[2][N * N] = {{4, 1, 0, 1, 3, -1, 0, -1, 2}, {1, 0, 0.5, 0, 5, 0, 0.5, 0, 3}};
static const double B[2][N * N] = {{3, 0, 0, 0, 2, 0, 0, 0, 3}, {2, 0, 0, 0, 4, 0, 0, 0, 2}};

static void gradients(const double *x, double *g) {
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < N; i++) {
      g[k * N + i] = 0;
      for (int j = 0; j < N; j++) { g[k * N + i] += A[k][i * N + j] * x[j]; }
    }
  }
}

static void take(secants *known, const double *x) {
  double g[2 * N];
  memcpy(known->base, B, sizeof B);
  gradients(x, g);
  secants_take(known, x, g);
}

/* After each step the matrix is symmetric and gives the change of the gradient; the same design again changes nothing. */
static void test_step(void) {
  static const double x[][N] = {{0, 0, 0}, {1, 0.5, -0.2}, {1, 0.5, -0.2}, {0.3, -0.4, 0.9}};
  mbd_error err = {0};
  secants known;
  must(secants_create(N, 2, &known, &err), &err);
  take(&known, x[0]);
  for (int i = 1; i < 4; i++) {
    take(&known, x[i]);
    const double *before = i == 2 ? x[0] : x[i - 1];
    double g[2 * N], last[2 * N], H[N * N];
    gradients(x[i], g), gradients(before, last);
    for (int k = 0; k < 2; k++) {
      secants_matrix(&known, k, H);
      for (int a = 0; a < N; a++) {
        double y = 0;
        for (int b = 0; b < N; b++) {
          y += H[a * N + b] * (x[i][b] - before[b]);
          CHECK_CLOSE("symmetric", H[a * N + b], H[b * N + a], 1e-14);
        }
        CHECK_CLOSE("secant", y, g[k * N + a] - last[k * N + a], 1e-13);
      }
    }
  }
  secants_free(&known);
}

/* Along one direction the rest is known after one step: by hand, B = 2 and A = 3.5 leave 1.5. A function without squares learns nothing. */
static void test_by_hand(void) {
  mbd_error err = {0};
  secants known;
  must(secants_create(1, 2, &known, &err), &err);
  for (int i = 0; i < 2; i++) {
    const double x = 1 + i, g[] = {3.5 * x, 3.5 * x};
    known.base[0] = 2, known.base[1] = 0;
    secants_take(&known, &x, g);
  }
  CHECK_CLOSE("rest", known.rest[0], 1.5, 1e-15);
  CHECK_CLOSE("none", known.rest[1], 0, 0);
  secants_free(&known);
}

TEST_MAIN(TEST(test_step), TEST(test_by_hand))
