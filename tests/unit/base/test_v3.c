/* 3-vectors and 3x3 matrices against their definitions and the identities that they must satisfy. */
#include "base/v3.h"
#include "test.h"

static const mbd_real a[3] = {0.3, -1.2, 2.5}, b[3] = {-0.7, 0.4, 1.1};
static const mbd_real A[9] = {1, 2, -3, 0.5, -1, 4, 2.5, 0, -2}, B[9] = {-1, 0.25, 2, 3, 1.5, -0.5, 0, 4, 1};

static void check_all(const char *name, int n, const mbd_real *got, const mbd_real *expected, double tol) {
  for (int i = 0; i < n; i++) {
    char text[64];
    snprintf(text, sizeof text, "%s[%d]", name, i);
    CHECK_CLOSE(text, mbd_re(got[i]), mbd_re(expected[i]), tol);
  }
}

static void test_vectors(void) {
  mbd_real c[3], d[3];
  v3_set(c, 1, 2, 3);
  check_all("set", 3, c, (const mbd_real[]){1, 2, 3}, 0);
  v3_copy(c, a);
  check_all("copy", 3, c, a, 0);
  v3_add(c, a, b);
  check_all("add", 3, c, (const mbd_real[]){-0.4, -0.8, 3.6}, 1e-15);
  v3_sub(c, a, b);
  check_all("sub", 3, c, (const mbd_real[]){1.0, -1.6, 1.4}, 1e-15);
  v3_scale(c, -2, a);
  check_all("scale", 3, c, (const mbd_real[]){-0.6, 2.4, -5}, 0);
  v3_copy(d, b);
  v3_axpy(d, -2, a);
  check_all("axpy", 3, d, (const mbd_real[]){-1.3, 2.8, -3.9}, 1e-15);
  CHECK_CLOSE("dot", mbd_re(v3_dot(a, b)), -0.21 - 0.48 + 2.75, 1e-15);
}

/* What the comments allow: the result in place of either argument. */
static void check_in_place(const char *name, void (*op)(mbd_real *, const mbd_real *, const mbd_real *)) {
  mbd_real c[3], d[3], expected[3];
  v3_copy(c, a), v3_copy(d, b);
  op(expected, a, b);
  op(c, c, b);
  op(d, a, d);
  check_all(name, 3, c, expected, 0);
  check_all(name, 3, d, expected, 0);
}

static void test_vectors_in_place(void) {
  mbd_real c[3], expected[3];
  check_in_place("add", v3_add);
  check_in_place("sub", v3_sub);
  v3_copy(c, a);
  v3_scale(expected, 3, a);
  v3_scale(c, 3, c);
  check_all("scale", 3, c, expected, 0);
}

static void test_cross(void) {
  const mbd_real ex[3] = {1, 0, 0}, ey[3] = {0, 1, 0}, ez[3] = {0, 0, 1};
  mbd_real c[3], back[3], sum[3];
  v3_cross(c, ex, ey);
  check_all("ex x ey", 3, c, ez, 0);
  v3_cross(c, ey, ez);
  check_all("ey x ez", 3, c, ex, 0);
  v3_cross(c, ez, ex);
  check_all("ez x ex", 3, c, ey, 0);
  v3_cross(c, a, b);
  v3_cross(back, b, a);
  v3_add(sum, c, back);
  check_all("a x b + b x a", 3, sum, (const mbd_real[]){0, 0, 0}, 1e-15);
  CHECK_CLOSE("a.(a x b)", mbd_re(v3_dot(a, c)), 0, 1e-15);
  CHECK_CLOSE("b.(a x b)", mbd_re(v3_dot(b, c)), 0, 1e-15);
  mbd_real square = v3_dot(a, a) * v3_dot(b, b) - v3_dot(a, b) * v3_dot(a, b);
  CHECK_CLOSE("|a x b|^2", mbd_re(v3_dot(c, c)), mbd_re(square), 1e-13);
  v3_copy(sum, a);
  v3_cross_add(sum, a, b);
  v3_sub(sum, sum, c);
  check_all("cross_add", 3, sum, a, 1e-15);
  v3_copy(sum, b);
  v3_cross_sub(sum, a, b);
  v3_add(sum, sum, c);
  check_all("cross_sub", 3, sum, b, 1e-15);
}

static void transpose(mbd_real *T, const mbd_real *M) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { T[3 * j + i] = M[3 * i + j]; }
  }
}

static void test_matrices(void) {
  mbd_real AB[9], expected[9], T[9], got[9], one[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      expected[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) { expected[3 * i + j] += A[3 * i + k] * B[3 * k + j]; }
    }
  }
  m3_mul(AB, A, B);
  check_all("A B", 9, AB, expected, 1e-15);
  transpose(T, B);
  m3_mulT(got, A, T);
  check_all("A (B')'", 9, got, AB, 1e-15);
  transpose(T, A);
  m3_Tmul(got, T, B);
  check_all("(A')' B", 9, got, AB, 1e-15);
  m3_identity(one);
  m3_mul(got, one, A);
  check_all("1 A", 9, got, A, 0);
  m3_mul(got, A, one);
  check_all("A 1", 9, got, A, 0);
}

static void test_matrix_vector(void) {
  const mbd_real Aa[3] = {0.3 - 2.4 - 7.5, 0.15 + 1.2 + 10, 0.75 - 5};
  mbd_real y[3], x[3], T[9];
  m3_vec(y, A, a);
  check_all("A a", 3, y, Aa, 1e-14);
  v3_copy(y, b);
  m3_vec_add(y, A, a);
  v3_sub(y, y, b);
  check_all("b + A a - b", 3, y, Aa, 1e-14);
  transpose(T, A);
  m3_Tvec(y, T, a);
  check_all("(A')' a", 3, y, Aa, 1e-14);
  m3_Tvec(y, A, b);
  m3_vec(x, A, a);
  CHECK_CLOSE("a.(A'b) = b.(A a)", mbd_re(v3_dot(a, y)), mbd_re(v3_dot(b, x)), 1e-14);
}

static void check_alignment(const char *name, const mbd_real from[3], const mbd_real to[3], double tol) {
  mbd_real R[9], RR[9], one[9], s[3], y[3], column[3];
  m3_align(from, to, R);
  m3_vec(y, R, from);
  check_all(name, 3, y, to, tol);
  m3_mulT(RR, R, R);
  m3_identity(one);
  check_all("R R' = 1", 9, RR, one, tol);
  v3_cross(s, from, to); /* the axis stays where it is: the shortest of all rotations */
  m3_vec(y, R, s);
  check_all("R s = s", 3, y, s, tol);
  v3_cross(column, R, R + 3); /* right-handed: rows 1 x 2 = 3 */
  check_all("det R = 1", 3, column, R + 6, tol);
  mbd_real cosine = (R[0] + R[4] + R[8] - 1) / 2;
  CHECK_CLOSE("angle", mbd_re(cosine), mbd_re(v3_dot(from, to)), tol);
}

/* Unit vector near to (0.6, 0, 0.8), turned by the angle about the y axis. */
static void turned(mbd_real u[3], double angle) {
  v3_set(u, 0.6 * cos(angle) + 0.8 * sin(angle), 0, 0.8 * cos(angle) - 0.6 * sin(angle));
}

static void test_alignment(void) {
  const mbd_real ex[3] = {1, 0, 0}, u[3] = {0.6, 0, 0.8}, v[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
  const mbd_real w[3] = {-2.0 / 3, 1.0 / 3, -2.0 / 3};
  mbd_real near[3], R[9], one[9];
  check_alignment("ex to u", ex, u, 1e-15);
  check_alignment("u to v", u, v, 1e-15);
  check_alignment("beyond a right angle", ex, w, 1e-14);
  m3_identity(one);
  m3_align(u, u, R);
  check_all("onto itself", 9, R, one, 1e-15);
  for (int k = 1; k < 16; k++) {
    turned(near, pow(10, -k));
    check_alignment("small angle", u, near, 1e-15);
  }
  /* Towards opposite directions, at the angle pi - d: the rounding of c, some 1e-16, counts 2/(1 + c) = 4/d^2 times. */
  for (int k = 1; k < 4; k++) {
    const double d = pow(10, -k);
    turned(near, 3.141592653589793 - d);
    check_alignment("almost opposite", u, near, 4e-15 / (d * d));
  }
}

TEST_MAIN(TEST(test_vectors), TEST(test_vectors_in_place), TEST(test_cross), TEST(test_matrices),
          TEST(test_matrix_vector), TEST(test_alignment))
