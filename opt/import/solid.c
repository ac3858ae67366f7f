#include "import/solid.h"

#include <math.h>
#include <string.h>

#include "base/v3.h"

/* I += m (d.d 1 - d d') */
static void add_steiner(double I[9], double mass, const double d[3]) {
  const double square = v3_dot(d, d);
  for (int i = 0; i < 9; i++) { I[i] += mass * ((i % 4 == 0 ? square : 0) - d[i / 3] * d[i % 3]); }
}

void solid_add(solid *m, const solid *part, const robot_pose *at) {
  double com[3], between[3], half[9], turned[9];
  if (part->mass == 0) { return; }
  m3_vec(com, at->R, part->com);
  v3_add(com, com, at->xyz);
  m3_mul(half, at->R, part->inertia);
  m3_mulT(turned, half, at->R);
  /* both about the common centre, which divides their distance */
  const double sum = m->mass + part->mass;
  v3_sub(between, com, m->com);
  for (int i = 0; i < 9; i++) { m->inertia[i] += turned[i]; }
  add_steiner(m->inertia, m->mass * part->mass / sum, between);
  v3_axpy(m->com, part->mass / sum, between);
  m->mass = sum;
}

void solid_diagonal(double I[9], double x, double y, double z) {
  memset(I, 0, 9 * sizeof *I);
  I[0] = x, I[4] = y, I[8] = z;
}

/* m/5 (b^2 + c^2). */
void solid_ellipsoid(const double size[3], solid *s) {
  const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
  s->mass = 4 * acos(-1.0) / 3 * size[0] * size[1] * size[2];
  solid_diagonal(s->inertia, s->mass * (y + z) / 5, s->mass * (x + z) / 5, s->mass * (x + y) / 5);
}

/* m/3 (b^2 + c^2). */
void solid_box(const double size[3], solid *s) {
  const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
  s->mass = 8 * size[0] * size[1] * size[2];
  solid_diagonal(s->inertia, s->mass * (y + z) / 3, s->mass * (x + z) / 3, s->mass * (x + y) / 3);
}

/* m (r^2/4 + h^2/3) across it. */
void solid_cylinder(const double size[3], solid *s) {
  const double square = size[0] * size[0];
  s->mass = acos(-1.0) * square * 2 * size[1];
  const double across = s->mass * (square / 4 + size[1] * size[1] / 3);
  solid_diagonal(s->inertia, across, across, s->mass * square / 2);
}

/* The half balls have the mass b together, and centres of mass 3/8 r beyond the ends of the cylinder:
 *   b (2/5 - 9/64) r^2 + b (h + 3/8 r)^2 = b (2/5 r^2 + h^2 + 3/4 r h)  across it. */
void solid_capsule(const double size[3], solid *s) {
  const double r = size[0], h = size[1], ball = 4 * acos(-1.0) / 3 * r * r * r;
  solid_cylinder(size, s);
  const double across = ball * (2 * r * r / 5 + h * h + 3 * r * h / 4);
  s->mass += ball;
  s->inertia[0] += across, s->inertia[4] += across, s->inertia[8] += ball * 2 * r * r / 5;
}
