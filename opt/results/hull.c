/* Every three points span a plane; a plane with all points on one side is a face. The cost, n^4, is negligible for the
 * few points of a body. */
#include "results/hull.h"

#include <math.h>

#include "base/v3.h"

static double distance(const double a[3], const double b[3]) {
  double d[3];
  v3_sub(d, a, b);
  return sqrt(v3_dot(d, d));
}

/* Twice the area, signed about the face's normal, of a triangle. */
static double area(const hull_face *f, const double a[3], const double b[3], const double c[3]) {
  double ab[3], ac[3], t[3];
  v3_sub(ab, b, a);
  v3_sub(ac, c, a);
  v3_cross(t, ab, ac);
  return v3_dot(f->normal, t);
}

/* The plane of three points; 0: they are on a line. */
static int span(const double a[3], const double b[3], const double c[3], double small, hull_face *f) {
  double ab[3], ac[3];
  v3_sub(ab, b, a);
  v3_sub(ac, c, a);
  v3_cross(f->normal, ab, ac);
  const double length = sqrt(v3_dot(f->normal, f->normal));
  if (length <= small * fmax(distance(a, b), distance(a, c))) { return 0; }
  v3_scale(f->normal, 1 / length, f->normal);
  f->offset = v3_dot(f->normal, a);
  return 1;
}

/* Turns the normal outwards. Returns 0 if there are points on both sides; *flat: 1 if all points are in the plane. */
static int supports(int n, const double (*x)[3], double small, hull_face *f, int *flat) {
  int above = 0, below = 0;
  for (int i = 0; i < n; i++) {
    const double d = v3_dot(f->normal, x[i]) - f->offset;
    above |= d > small, below |= d < -small;
  }
  *flat = !above && !below;
  if (above && below) { return 0; }
  if (above) {
    v3_scale(f->normal, -1, f->normal);
    f->offset = -f->offset;
  }
  return 1;
}

static int known(int nface, const hull_face *face, const hull_face *f, double small) {
  for (int i = 0; i < nface; i++) {
    if (v3_dot(face[i].normal, f->normal) > 1 - 1e-9 && fabs(face[i].offset - f->offset) <= 2 * small) { return 1; }
  }
  return 0;
}

/* Finds the corners of the points in the plane in order, beginning with the point farthest from another one, which is a
 * corner. */
static void wrap(int n, const double (*x)[3], double small, hull_face *f) {
  int in[HULL_POINTS], count = 0, start = -1, here;
  for (int i = 0; i < n; i++) {
    if (fabs(v3_dot(f->normal, x[i]) - f->offset) <= small) { in[count++] = i; }
  }
  for (int i = 0; i < count; i++) {
    if (start < 0 || distance(x[in[i]], x[in[0]]) > distance(x[start], x[in[0]])) { start = in[i]; }
  }
  f->n = 0;
  here = start;
  do {
    int next = here;
    for (int i = 0; i < count; i++) {
      const double turn = area(f, x[here], x[next], x[in[i]]), far = distance(x[here], x[in[i]]);
      const double tie = small * far;
      if (next == here || turn < -tie || (turn <= tie && far > distance(x[here], x[next]))) { next = in[i]; }
    }
    f->corner[f->n++] = here;
    here = next;
  } while (here != start && f->n < count);
}

int hull_faces(int n, const double (*x)[3], hull_face face[HULL_FACES]) {
  double extent = 0;
  int nface = 0, flat = 0;
  for (int i = 1; i < n; i++) { extent = fmax(extent, distance(x[0], x[i])); }
  const double small = 1e-6 * extent;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      for (int k = j + 1; k < n && nface < HULL_FACES && !flat; k++) {
        hull_face *f = &face[nface];
        if (!span(x[i], x[j], x[k], small, f) || !supports(n, x, small, f, &flat)) { continue; }
        if (known(nface, face, f, small)) { continue; }
        wrap(n, x, small, f);
        nface++;
      }
    }
  }
  return nface;
}
