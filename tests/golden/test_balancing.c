/* Cart with an inverted double pendulum (problems/balancing): eigenvalues of the closed loop against equations of small motions that are
 * derived by hand, at the start and at the optimum of the README, and this optimum. */
#include "linearized.h"
#include "mechanism/true_values.h"

typedef struct balanced {
  double l1, l2, m1, m2, gain[6]; /* lengths [m], masses [kg], gains on x, a1, a2 and their rates */
} balanced;
static const char *const name[] = {"l1", "l2", "m1", "m2", "k_x", "k_1", "k_2", "d_x", "d_1", "d_2"};
static const balanced start = {0.5, 0.5, 0.3, 0.3, {14.14, 91.43, 346.4, 18.09, 43.55, 44.1}};
static const balanced optimum = {
    0.2, 0.8, 0.352365207, 0.247634793, {36.9740309, 152.882286, 314.576472, 36.0542582, 71.7539318, 70.8085495}};
static const double g = 9.81, cart = 1, payload = 0.3;
static const char file[] = "configs/balancing.ini";

/* Adds m row' row to a matrix. */
static void add_square(double M[3][3], double m, const double row[3]) {
  for (int i = 0; i < 9; i++) { M[i / 3][i % 3] += m * row[i / 3] * row[i % 3]; }
}

/* Small motions (x, a1, a2) about the upright position, angles of the joints:  M q'' = G q + (F, 0, 0).
 * Masses are displaced by x + (height in link 1) a1 + (height in link 2) (a1 + a2), and fall by half the heights times the squares of the angles. */
static void small_motions(const balanced *d, double M[3][3], double G[3][3]) {
  const double first[] = {0, 1, 0}, both[] = {0, 1, 1}, l1 = d->l1, l2 = d->l2;
  const double of_cart[] = {1, 0, 0}, of_1[] = {1, l1 / 2, 0}, of_2[] = {1, l1 + l2 / 2, l2 / 2};
  const double of_payload[] = {1, l1 + l2, l2};
  add_square(M, cart, of_cart), add_square(M, d->m1, of_1), add_square(M, d->m2, of_2);
  add_square(M, payload, of_payload);
  add_square(M, d->m1 * l1 * l1 / 12, first), add_square(M, d->m2 * l2 * l2 / 12, both);
  add_square(G, g * l1 * (d->m1 / 2 + d->m2 + payload), first), add_square(G, g * l2 * (d->m2 / 2 + payload), both);
}

static double complex determinant(double complex A[3][3]) {
  return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
         A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

/* det(M s^2 - G + first row of the feedback) = 0 at each eigenvalue s; the product of the six is its value at 0 over det M, their sum from
 * the coefficient of s^5. Returns the largest real part. */
static double check_eigenvalues(const balanced *d) {
  char text[10][60];
  const char *set[10];
  double x[10], M[3][3] = {{0}}, G[3][3] = {{0}}, largest = -INFINITY;
  double complex lam[LINEARIZED_MAX], product = 1, A[3][3];
  memcpy(x, d, sizeof x);
  for (int i = 0; i < 10; i++) {
    snprintf(text[i], sizeof text[i], "design.%s.start=%.17g", name[i], x[i]);
    set[i] = text[i];
  }
  const int n = linearized(file, 2, 10, set, lam);
  if (n == 0) { return NAN; }
  CU_ASSERT_EQUAL(n, 6);
  small_motions(d, M, G);
  for (int k = 0; k < n; k++) {
    double size = 0;
    for (int i = 0; i < 9; i++) {
      const double complex feedback = i < 3 ? d->gain[i] + d->gain[i + 3] * lam[k] : 0;
      A[i / 3][i % 3] = M[i / 3][i % 3] * lam[k] * lam[k] - G[i / 3][i % 3] + feedback;
    }
    size = cabs(A[0][0] * A[1][1] * A[2][2]) + cabs(A[0][1] * A[1][2] * A[2][0]) + cabs(A[0][2] * A[1][0] * A[2][1]);
    CHECK_NEAR("characteristic equation", cabs(determinant(A)), 0, size, 1e-11);
    product *= lam[k];
    largest = fmax(largest, creal(lam[k]));
  }
  for (int i = 0; i < 9; i++) { A[i / 3][i % 3] = M[i / 3][i % 3]; }
  const double det_M = creal(determinant(A));
  for (int i = 0; i < 9; i++) { A[i / 3][i % 3] = (i < 3 ? d->gain[i] : 0) - G[i / 3][i % 3]; }
  CHECK_NEAR("product", creal(product), creal(determinant(A)) / det_M, cabs(product), 1e-11);
  /* The rates' gains in the first row, M in the others. */
  for (int i = 0; i < 9; i++) { A[i / 3][i % 3] = i < 3 ? d->gain[i + 3] : M[i / 3][i % 3]; }
  const double trace = -creal(determinant(A)) / det_M;
  CHECK_NEAR("sum", creal(linearized_sum(n, lam)), trace, fabs(trace), 1e-11);
  return largest;
}

static void test_eigenvalues(void) {
  const double before = check_eigenvalues(&start), after = check_eigenvalues(&optimum);
  if (isnan(before)) { return; }
  CHECK_CLOSE("margin at the start", before, -1.98456, 1e-5);
  CHECK_CLOSE("margin at the optimum", after, -1.148983, 1e-5);
}

/* Without feedback it falls. */
static void test_falls(void) {
  static const char *const set[] = {"design.k_x.start=0", "design.k_1.start=0", "design.k_2.start=0",
                                    "design.d_x.start=0", "design.d_1.start=0", "design.d_2.start=0"};
  double complex lam[LINEARIZED_MAX];
  const int n = linearized(file, 2, 6, set, lam);
  int unstable = 0;
  for (int i = 0; i < n; i++) { unstable += creal(lam[i]) > 1; }
  CU_ASSERT(n == 0 || unstable == 2);
}

/* The optimum uses all of the travel and the least mass. */
static void test_optimum(void) {
  opened_run r = run_open(file, 0, NULL);
  mbd_error err = {0};
  double x[10], total = 0;
  memcpy(x, &optimum, sizeof x);
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  const double *psi = r.m->psi;
  for (int i = 0; i < 4; i++) { total += (i < 2 ? 1 : 1e-3) * psi[i]; }
  CHECK_NEAR("objective", total, 0.0250574833, total, 1e-7);
  CHECK_CLOSE("height", psi[4], 1, 1e-9);
  CHECK_CLOSE("material", psi[5], 1.6, 1e-8);
  CHECK_CLOSE("travel", r.m->truth[9].value, 0.199899, 1e-6);
  CU_ASSERT(psi[6] < 1.2 && psi[7] < 1.2 && psi[8] < 0.2);
  run_close(&r);
}

TEST_MAIN(TEST(test_eigenvalues), TEST(test_falls), TEST(test_optimum))
