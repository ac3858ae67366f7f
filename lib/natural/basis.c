/* Chooses the basis of a rigid body: its first point and three directions, among those to its other points and its vectors. The three are
 * those whose unit vectors have the largest smallest singular value. If the shared directions are too close to a plane or a line, or too
 * few, axes of the body frame are added as vectors of the body; a body that shares no point gets its centre of mass as a point.
 * Equations: theory.md §4.1 (4.6). */
#include <math.h>
#include <string.h>

#include "natural/build.h"

static const double plane = 0.1;   /* smallest singular value below which three unit vectors count as plane */
static const double better = 1e-9; /* a later choice has to be better by so much; otherwise the first one is kept */

enum {
  CANDIDATES = 64
}; /* largest number of shared directions that are compared; a body with more uses the first ones */

typedef struct direction {
  int number; /* number in the list of the rigid body; -1, -2, -3: axes of its frame, which are not in the list yet */
  double u[3];
} direction;

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The smallest singular value of three unit vectors: the root of the smallest eigenvalue of their Gram matrix 1 + B, where the diagonal of
 * B is zero. */
static double smallest_singular(const direction *d1, const direction *d2, const direction *d3) {
  const double ab = dot(d1->u, d2->u), ac = dot(d1->u, d3->u), bc = dot(d2->u, d3->u);
  const double p = sqrt((ab * ab + ac * ac + bc * bc) / 3);
  if (p < 1e-12) { return 1; }
  const double turn = acos(fmax(-1, fmin(1, ab * ac * bc / (p * p * p)))) / 3;
  return sqrt(fmax(0, 1 + 2 * p * cos(turn + 2 * acos(-1) / 3)));
}

/* Finds the best three directions, of which `shared` are among the first n and the others among the three axes behind them. Returns their
 * smallest singular value. */
static double best_three(const direction *d, int n, int shared, int best[3]) {
  double max = -1;
  for (int i = 0; i < n + 3; i++) {
    for (int j = i + 1; j < n + 3; j++) {
      for (int k = j + 1; k < n + 3; k++) {
        if ((i < n) + (j < n) + (k < n) != shared) { continue; }
        const double s = smallest_singular(&d[i], &d[j], &d[k]);
        if (s > max + better) { max = s, best[0] = i, best[1] = j, best[2] = k; }
      }
    }
  }
  return max;
}

static mbd_status add_own(natural *n, int rigid, mbd_marker k, const char *what, mbd_error *err) {
  int number = 0;
  MBD_TRY(natural_add_basic(n, mbd_sprintf_dup("%s.%s", n->m->body[k.body].name, what), k.is_point, &number, err));
  return natural_add_on(n, rigid, number, (natural_local){k, 1, 0}, err);
}

/* Number of the rigid body's first point. */
static mbd_status find_origin(natural *n, int rigid, int *origin, mbd_error *err) {
  const natural_rigid *base = &n->rigid[rigid];
  for (*origin = 0; *origin < base->n; ++*origin) {
    if (n->basic[base->basic[*origin]].is_point) { return MBD_OK; }
  }
  const mbd_marker com = {
      .body = base->body, .is_point = 1, .source = MBD_MARKER_COEF, .coef = n->m->body[base->body].com};
  return add_own(n, rigid, com, "com", err);
}

/* The unit vector along number i of a rigid body's points and vectors. Returns 0 where there is none. */
static int unit_direction(const natural_builder *b, int rigid, int origin, int i, double u[3]) {
  const natural_rigid *base = &b->n->rigid[rigid];
  const int is_point = b->n->basic[base->basic[i]].is_point;
  mbd_real o[3], x[3];
  natural_local_value(&b->nominal, &base->local[origin], o);
  natural_local_value(&b->nominal, &base->local[i], x);
  for (int k = 0; k < 3; k++) { u[k] = mbd_first(x[k]) - (is_point ? mbd_first(o[k]) : 0); }
  const double length = sqrt(dot(u, u));
  for (int k = 0; k < 3; k++) { u[k] /= length; }
  return length > 0;
}

/* Lists the directions of a rigid body, then the axes of its frame. Returns the number of directions. Vectors come first, so that they are
 * preferred to equally good directions: bodies often share vectors, and the equations of their products are then needed once. */
static int list_directions(const natural_builder *b, int rigid, int origin, direction *d) {
  const natural_rigid *base = &b->n->rigid[rigid];
  int count = 0;
  for (int is_point = 0; is_point < 2; is_point++) {
    for (int i = 0; i < base->n && count < CANDIDATES; i++) {
      if (i == origin || b->n->basic[base->basic[i]].is_point != is_point) { continue; }
      d[count].number = i;
      count += unit_direction(b, rigid, origin, i, d[count].u);
    }
  }
  for (int k = 0; k < 3; k++) { d[count + k] = (direction){-1 - k, {k == 0, k == 1, k == 2}}; }
  return count;
}

static mbd_status choose(natural_builder *b, int rigid, mbd_error *err) {
  static const char *const axis[3] = {"x", "y", "z"};
  natural *n = b->n;
  direction d[CANDIDATES + 3];
  int origin, best[3] = {0, 1, 2}, shared = 3;
  MBD_TRY(find_origin(n, rigid, &origin, err));
  const int count = list_directions(b, rigid, origin, d);
  /* As many directions as possible are those that other points and vectors of the body give. */
  while (shared > 0 && !(count >= shared && best_three(d, count, shared, best) > plane)) { shared--; }
  if (shared == 0) { best_three(d, count, 0, best); }
  /* The rest are axes of the body frame, which become vectors of its own. */
  n->rigid[rigid].basis[0] = origin;
  for (int k = 0; k < 3; k++) {
    int number = d[best[k]].number;
    if (number < 0) {
      const int a = -1 - number;
      number = n->rigid[rigid].n;
      const mbd_marker own = {.body = n->rigid[rigid].body, .source = MBD_MARKER_BODY_AXIS, .coef = -1, .axis = a};
      MBD_TRY(add_own(n, rigid, own, axis[a], err));
    }
    n->rigid[rigid].basis[1 + k] = number;
  }
  return MBD_OK;
}

mbd_status basis_choose(natural_builder *b, mbd_error *err) {
  for (int i = 1; i < b->n->nrigid; i++) { MBD_TRY(choose(b, i, err)); }
  return MBD_OK;
}
