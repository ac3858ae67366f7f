#include "model/shapes.h"

#include <math.h>
#include <string.h>

static const double straight =
    1e-9; /* directions count as parallel (perpendicular) if the sine (cosine) of their angle is less */

static void nominal(const mbd_spec *s, int coef, double x[3]) {
  for (int i = 0; i < 3; i++) { x[i] = s->coef[coef + i].nominal; }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int perpendicular(const double a[3], const double b[3]) {
  return fabs(dot(a, b)) <= straight * sqrt(dot(a, a) * dot(b, b));
}

/* |a x b| */
static double across(const double a[3], const double b[3]) {
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  return sqrt(x * x + y * y + z * z);
}

static int along(const double a[3], const double b[3]) {
  return across(a, b) <= straight * sqrt(dot(a, a) * dot(b, b));
}

/* ---- a shared point and two perpendicular vectors ---- */

/* Resolves "u@A", or "u" of a vector that one body alone has, to the body, the vector and its coefficients there; -1: none such. */
static int vector_of(const mbd_spec *s, const char *ref, int *vector, int *coords) {
  char name[256];
  const char *at = ref ? strchr(ref, '@') : NULL;
  if (!ref || (size_t)(at ? at - ref : 0) >= sizeof name || strlen(ref) >= sizeof name) { return -1; }
  memcpy(name, ref, strlen(ref) + 1);
  if (at) { name[at - ref] = '\0'; }
  const int k = *vector = spec_find_marker(s, 0, name);
  if (k < 0 || (!at && s->vector[k].nplace != 1)) { return -1; }
  const int body = at ? spec_find_body(s, at + 1) : s->vector[k].place[0].on;
  *coords = body < 0 ? -1 : spec_place_on(s, 0, k, body);
  return *coords < 0 ? -1 : body;
}

shape shape_of_cross(const mbd_spec *s, int a, int b, int *constraint) {
  shape out = {.type = NULL, .point = {-1, -1}};
  int count = 0;
  for (int i = 0; i < s->nconstraint; i++) {
    const spec_element *e = &s->constraint[i];
    int coords[2], vector[2];
    double u[3], v[3];
    if (!e->type || strcmp(e->type, "perpendicular") != 0) { continue; }
    const int p = vector_of(s, e->ref[0], &vector[0], &coords[0]), q = vector_of(s, e->ref[1], &vector[1], &coords[1]);
    if (!(p == a && q == b) && !(p == b && q == a)) { continue; }
    nominal(s, coords[0], u), nominal(s, coords[1], v);
    count++;
    if (!perpendicular(u, v)) { continue; }
    out.type = "cardan";
    for (int k = 0; k < 2; k++) {
      const int at = p == a ? k : 1 - k;
      out.axis[k] = coords[at], out.vector[k] = vector[at];
    }
    *constraint = i;
  }
  if (count != 1) { out.type = NULL; } /* with several such constraints the joint has fewer degrees of freedom */
  return out;
}

/* ---- a shared vector ---- */

/* Pairs of points, one of each body, that are on a line along the vector at different places, or in a plane normal to it. */
typedef struct pairs {
  int line[2], plane[2]; /* points on a and b of the first pair; -1: none */
  double first[3];       /* a place on the first line */
  int lines;             /* number of lines, at most 2 */
} pairs;

static void note_pair(const mbd_spec *s, const spec_place *p, const spec_place *place, const double u[3],
                      pairs *found) {
  double x[3], y[3], d[3];
  nominal(s, p->coords, x), nominal(s, place->coords, y);
  for (int i = 0; i < 3; i++) { d[i] = y[i] - x[i]; }
  const double apart = dot(d, d);
  if (apart > 0 && along(d, u)) {
    double beside[3];
    if (found->lines == 0) {
      found->line[0] = p->on, found->line[1] = place->on;
      memcpy(found->first, x, sizeof x);
    }
    for (int i = 0; i < 3; i++) { beside[i] = x[i] - found->first[i]; }
    if (found->lines == 0 || !along(beside, u)) { found->lines++; }
  }
  if (apart == 0 || perpendicular(d, u)) {
    if (found->plane[0] < 0) { found->plane[0] = p->on, found->plane[1] = place->on; }
  }
}

/* The joint of two bodies that share a vector u: several lines along u through points of both make a prismatic joint, one makes a
 * cylindrical joint, and a common plane normal to u makes a planar joint. */
mbd_status shape_of_vector(const mbd_spec *s, int a, int b, int vector, shape *out, mbd_error *err) {
  const spec_body *described = &s->body[a], *q = &s->body[b];
  pairs found = {.line = {-1, -1}, .plane = {-1, -1}};
  double u[3];
  /* The shared vector is the axis on both bodies. Its direction u is that at the design position. */
  *out = (shape){.type = NULL, .point = {-1, -1}};
  for (int k = 0; k < 2; k++) { out->axis[k] = spec_place_on(s, 0, vector, k ? b : a), out->vector[k] = vector; }
  nominal(s, out->axis[0], u);
  /* Every point of a with every point of b: pairs on a line along u, and pairs in a plane normal to u. */
  for (int i = 0; i < described->npoint; i++) {
    for (int k = 0; k < q->npoint; k++) { note_pair(s, &described->point[i], &q->point[k], u, &found); }
  }
  /* Lines and planes together leave two types of joint possible, neither of them leaves none. */
  const char *name = s->vector[vector].name;
  if (found.lines && found.plane[0] >= 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "bodies '%s' and '%s' share vector '%s': points '%s' and '%s' lie on a line along it, as of a cylindrical "
             "joint, '%s' and '%s' in a plane across it, as of a planar one; expected a joint by name",
             described->name, q->name, name, s->point[found.line[0]].name, s->point[found.line[1]].name,
             s->point[found.plane[0]].name, s->point[found.plane[1]].name);
  }
  if (found.lines == 0 && found.plane[0] < 0) {
    MBD_FAIL(err, MBD_BAD_INPUT,
             "bodies '%s' and '%s' share vector '%s', and no point of one lies on a line along it, or in a plane "
             "across it, with "
             "a point of the other; expected such points, a joint by name, or a vector of another name on one of them",
             described->name, q->name, name);
  }
  out->type = found.lines > 1 ? "prismatic" : found.lines ? "cylindrical" : "planar";
  /* A cylindrical joint has its point on the line. The other types keep the origins of the body frames. */
  for (int k = 0; k < 2 && found.lines == 1; k++) { out->point[k] = spec_place_on(s, 1, found.line[k], k ? b : a); }
  return MBD_OK;
}
