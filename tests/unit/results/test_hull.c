/* Convex hulls of few points: faces are whole, outside is outside. */
#include "results/hull.h"

#include "test.h"

static hull_face face[HULL_FACES];

/* Corners go around the normal, no point is outside. */
static void check_faces(int n, const double (*x)[3], int nface) {
  for (int f = 0; f < nface; f++) {
    const hull_face *q = &face[f];
    CU_ASSERT_FATAL(q->n >= 3);
    for (int i = 0; i < q->n; i++) {
      const double *a = x[q->corner[i]], *b = x[q->corner[(i + 1) % q->n]], *c = x[q->corner[(i + 2) % q->n]];
      double t[3], ab[3], bc[3];
      for (int k = 0; k < 3; k++) { ab[k] = b[k] - a[k], bc[k] = c[k] - b[k]; }
      for (int k = 0; k < 3; k++) { t[k] = ab[(k + 1) % 3] * bc[(k + 2) % 3] - ab[(k + 2) % 3] * bc[(k + 1) % 3]; }
      CU_ASSERT(t[0] * q->normal[0] + t[1] * q->normal[1] + t[2] * q->normal[2] > 1e-9);
    }
    for (int i = 0; i < n; i++) {
      CU_ASSERT(x[i][0] * q->normal[0] + x[i][1] * q->normal[1] + x[i][2] * q->normal[2] <= q->offset + 1e-9);
    }
  }
}

/* A point within, one within a face, one within an edge: none is a corner. */
static void test_cube(void) {
  const double x[11][3] = {{0.3, 0.4, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},   {1, 1, 0},    {0, 0, 1},
                           {1, 0, 1},       {0, 1, 1}, {1, 1, 1}, {0.5, 0, 0}, {0.2, 0.7, 1}};
  const int n = hull_faces(11, x, face);
  CU_ASSERT_EQUAL(n, 6);
  check_faces(11, x, n);
  for (int f = 0; f < n; f++) {
    CU_ASSERT_EQUAL(face[f].n, 4);
    for (int i = 0; i < face[f].n; i++) { CU_ASSERT(face[f].corner[i] >= 1 && face[f].corner[i] <= 8); }
  }
}

/* Each corner of points on a sphere is a corner of the hull: faces + corners - edges = 2. */
static void test_sphere(void) {
  double x[HULL_POINTS][3];
  int edges = 0;
  for (int i = 0; i < HULL_POINTS; i++) {
    const double z = -1 + (2.0 * i + 1) / HULL_POINTS, r = sqrt(1 - z * z);
    x[i][0] = 2 * r * cos(2.4 * i), x[i][1] = 2 * r * sin(2.4 * i), x[i][2] = 2 * z;
  }
  const int n = hull_faces(HULL_POINTS, (const double(*)[3])x, face);
  check_faces(HULL_POINTS, (const double(*)[3])x, n);
  for (int f = 0; f < n; f++) { edges += face[f].n; }
  CU_ASSERT_EQUAL(n + HULL_POINTS - edges / 2, 2);
}

static void test_flat(void) {
  const double square[5][3] = {{0, 0, 1}, {2, 0, 1}, {1, 1, 1}, {2, 2, 1}, {0, 2, 1}};
  const double line[4][3] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {-1, -2, -3}};
  CU_ASSERT_EQUAL(hull_faces(5, square, face), 1);
  CU_ASSERT_EQUAL(face[0].n, 4);
  check_faces(5, square, 1);
  CU_ASSERT_EQUAL(hull_faces(4, line, face), 0);
  CU_ASSERT_EQUAL(hull_faces(2, line, face), 0);
  CU_ASSERT_EQUAL(hull_faces(0, line, face), 0);
}

TEST_MAIN(TEST(test_cube), TEST(test_sphere), TEST(test_flat))
