/* Every constraint by hand: of two bodies without other joints one is held, and of the other so many coordinates are left out
 * of [start] as there are equations. Then at the start the equation, its rate and its second derivative vanish, with products
 * differentiated here; and the multipliers make the forces -Phi_x' lam, written out here, in the motion equations of both. */
#include "constraint/constraint.h"
#include "values.h"

static const double tol = 1e-12; /* largest seen: 2e-14 */

/* ---- functions of time with two derivatives ---- */

typedef struct jet {
  double f, d, dd;
} jet;

typedef struct vector_jet {
  double x[3], xd[3], xdd[3];
} vector_jet;

static jet jet_dot(const vector_jet *a, const vector_jet *b) {
  return (jet){dot3(a->x, b->x), dot3(a->xd, b->x) + dot3(a->x, b->xd),
               dot3(a->xdd, b->x) + 2 * dot3(a->xd, b->xd) + dot3(a->x, b->xdd)};
}

/* Component i of a x b. */
static jet jet_cross(const vector_jet *a, const vector_jet *b, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  vector_jet p = {.x = {a->x[j], a->x[k], 0}, .xd = {a->xd[j], a->xd[k], 0}, .xdd = {a->xdd[j], a->xdd[k], 0}};
  vector_jet q = {.x = {b->x[k], -b->x[j], 0}, .xd = {b->xd[k], -b->xd[j], 0}, .xdd = {b->xdd[k], -b->xdd[j], 0}};
  return jet_dot(&p, &q);
}

static jet jet_less(jet a, jet b) {
  return (jet){a.f - b.f, a.d - b.d, a.dd - b.dd};
}

static jet jet_square(jet a) {
  return (jet){a.f * a.f, 2 * a.f * a.d, 2 * a.d * a.d + 2 * a.f * a.dd};
}

/* A coordinate of the model at the start. */
static jet jet_of(const test_model *q, const char *coordinate) {
  static const char *const rates[] = {"", ".rate", ".acceleration"};
  double y[3];
  for (int i = 0; i < 3; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", coordinate, rates[i]);
    y[i] = value_now(q, name);
  }
  return (jet){y[0], y[1], y[2]};
}

/* ---- the scene ---- */

typedef struct scene {
  const char *type;
  rigid body[2];
  rigid_motion motion[2];
  wrench on[2]; /* what the constraint does, by hand */
  test_model q;
} scene;

#define POINTS                                                                                      \
  "[point P]\nat = 0.2, -0.1, 0.15\nbodies = A\n[point Q]\nat = -0.3, 0.1, 0.2\nbodies = B\n"       \
  "[vector m]\nalong = 0.3, 1.1, -0.4\nbodies = A\n[vector n]\nalong = 0.9, 0.2, 0.5\nbodies = B\n" \
  "[curve s]\ntype = harmonic\ncoefficients = 1.5, 0.4, 3, 0.5\n[curve F]\ntype = polynomial\ncoefficients = 2.5\n"
static const double P[] = {0.2, -0.1, 0.15}, Q[] = {-0.3, 0.1, 0.2}, M[] = {0.3, 1.1, -0.4}, N[] = {0.9, 0.2, 0.5};

/* s(t) = 1.5 + 0.4 sin(3 t + 0.5) at t = 0 */
static const jet *given(void) {
  static jet s;
  s = (jet){1.5 + 0.4 * sin(0.5), 1.2 * cos(0.5), -3.6 * sin(0.5)};
  return &s;
}

static scene scene_open_from(const char *type, const char *released, const char *start, const char *sections) {
  char text[4000];
  scene s = {.type = type, .body = {rigid_a, rigid_b}};
  snprintf(text, sizeof text, "%s%s", POINTS, sections);
  s.q = rigid_model(2, s.body, text, released, start);
  for (int b = 0; b < 2; b++) { s.motion[b] = rigid_read(&s.q, s.body[b].name); }
  return s;
}

static scene scene_open(const char *type, const char *released, const char *sections) {
  return scene_open_from(type, released, "", sections);
}

/* A vector fixed in body b, with x' = w x x and x'' = w' x x + w x x'. */
static vector_jet turning(const scene *s, int b, const double *local) {
  rigid_motion m = s->motion[b];
  vector_jet v;
  double wx[3];
  turn3(m.R, local, v.x);
  cross3(m.w, v.x, v.xd);
  cross3(m.w, v.xd, wx);
  cross3(m.wd, v.x, v.xdd);
  add3(v.xdd, 1, wx);
  return v;
}

static vector_jet point(const scene *s, int b, const double *local) {
  const rigid_motion *m = &s->motion[b];
  vector_jet v = turning(s, b, local);
  add3(v.x, 1, m->r), add3(v.xd, 1, m->v), add3(v.xdd, 1, m->a);
  return v;
}

/* b - a */
static vector_jet between(vector_jet a, vector_jet b) {
  add3(b.x, -1, a.x), add3(b.xd, -1, a.xd), add3(b.xdd, -1, a.xdd);
  return b;
}

/* A force c f on a point of body b; on a vector u fixed in it, which is the moment u x c f. */
static void force_on_point(scene *s, int b, const double *local, double c, const double *f) {
  const vector_jet arm = turning(s, b, local);
  wrench_add(&s->on[b], arm.x, c, f);
}

static void force_on_vector(scene *s, int b, const double *local, double c, const double *f) {
  const vector_jet u = turning(s, b, local);
  double n[3];
  cross3(u.x, f, n);
  add3(s->on[b].n, c, n);
}

/* Phi and its two derivatives vanish. */
static void check_equation(const scene *s, jet Phi) {
  CHECK_VALUE(s->type, Phi.f, 0, tol);
  CHECK_VALUE(s->type, Phi.d, 0, tol);
  CHECK_VALUE(s->type, Phi.dd, 0, tol);
}

static double multiplier(const scene *s, const char *component) {
  char name[64];
  snprintf(name, sizeof name, "c.multiplier%s", component);
  return value_now(&s->q, name);
}

/* The motion equations show what was written out, and that is not nothing. */
static void scene_close(scene *s) {
  double max = 0;
  for (int b = 0; b < 2; b++) {
    check_wrench(s->type, &s->q, &s->body[b], &s->on[b], tol);
    for (int i = 0; i < 3; i++) { max = fmax(max, fmax(fabs(s->on[b].F[i]), fabs(s->on[b].n[i]))); }
  }
  CU_ASSERT(max > 1e-3);
  model_close(&s->q);
}

/* ---- distances ---- */

/* Phi = x . x - d^2, x = Q - P: Phi_x = 2 x. A positive multiplier pulls the points together. */
static void pull_together(scene *s, const vector_jet *x, double lam) {
  force_on_point(s, 1, Q, -2 * lam, x->x);
  force_on_point(s, 0, P, 2 * lam, x->x);
}

static void test_distance(void) {
  scene s = scene_open("distance", " x ", "[constraint c]\ntype = distance\npoints = P, Q\ndistance = 1.9\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q));
  check_equation(&s, jet_less(jet_dot(&x, &x), (jet){1.9 * 1.9, 0, 0}));
  pull_together(&s, &x, multiplier(&s, ""));
  scene_close(&s);
}

/* A rod of 0.8 kg, without gravity: each body carries 0.4 kg at its point, so that it also takes -0.4 a there. */
static void test_rod(void) {
  scene s = scene_open("rod", " x ", "[constraint c]\ntype = rod\npoints = P, Q\ndistance = 1.9\nmass = 0.8\n");
  const vector_jet p = point(&s, 0, P), q = point(&s, 1, Q), x = between(p, q);
  check_equation(&s, jet_less(jet_dot(&x, &x), (jet){1.9 * 1.9, 0, 0}));
  CHECK_VALUE("rod tension", value_now(&s.q, "c.tension"), 2 * 1.9 * multiplier(&s, ""), 1e-11);
  pull_together(&s, &x, multiplier(&s, ""));
  force_on_point(&s, 0, P, -0.4, p.xdd);
  force_on_point(&s, 1, Q, -0.4, q.xdd);
  scene_close(&s);
}

static void test_driven_distance(void) {
  scene s =
      scene_open("driven_distance", " x ", "[constraint c]\ntype = driven_distance\npoints = P, Q\ndistance = s\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q));
  check_equation(&s, jet_less(jet_dot(&x, &x), jet_square(*given())));
  pull_together(&s, &x, multiplier(&s, ""));
  /* and later, at t = 0.03 */
  const mbd_case c = case_lasting(0.1, 0.01);
  double d[3];
  for (int i = 0; i < 3; i++) {
    const char at[] = {'.', "xyz"[i], '\0'};
    char names[2][32];
    for (int k = 0; k < 2; k++) { snprintf(names[k], sizeof names[k], "%s.position%s", k ? "Q" : "P", at); }
    d[i] = value_after(&s.q, &c, names[1], 3) - value_after(&s.q, &c, names[0], 3);
  }
  CHECK_VALUE(s.type, sqrt(dot3(d, d)), 1.5 + 0.4 * sin(3 * 0.03 + 0.5), tol);
  scene_close(&s);
}

/* ---- added coordinates s: a force F on them, of the equation Phi_s lam = F, goes on to what they are made of ---- */

#define ADDED(guess) \
  "[coordinate s]\nguess = " guess "\n[force f]\ntype = coordinate_force\ncoordinate = s\nforce = F\n"

/* Phi = x . x - s^2: lam = -F/(2 s), so that F > 0 pushes the points apart with F. */
static void test_distance_coordinate(void) {
  scene s = scene_open("distance_coordinate", NULL,
                       ADDED("1.9") "[constraint c]\ntype = distance_coordinate\npoints = P, Q\ncoordinate = s\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q));
  const jet z = jet_of(&s.q, "s");
  check_equation(&s, jet_less(jet_dot(&x, &x), jet_square(z)));
  CU_ASSERT(z.f > 0);
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5 / (2 * z.f), tol);
  pull_together(&s, &x, -2.5 / (2 * z.f));
  scene_close(&s);
}

/* Phi = x . m - s, m fixed in A: lam = -F; F m on Q, -F m on P, F x on m. */
static void test_displacement_coordinate(void) {
  scene s = scene_open("displacement_coordinate", NULL,
                       ADDED("0") "[constraint c]\ntype = displacement_coordinate\npoints = P, Q\nalong = m\n"
                                  "coordinate = s\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q)), m = turning(&s, 0, M);
  check_equation(&s, jet_less(jet_dot(&x, &m), jet_of(&s.q, "s")));
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5, tol);
  force_on_point(&s, 1, Q, 2.5, m.x);
  force_on_point(&s, 0, P, -2.5, m.x);
  force_on_vector(&s, 0, M, 2.5, x.x);
  scene_close(&s);
}

/* Phi = z1 + z2 - s: lam = -F, and F on both. */
static void test_sum_coordinate(void) {
  scene s = scene_open("sum_coordinate", NULL,
                       ADDED("0") "[constraint c]\ntype = sum_coordinate\ncoordinates = A.x, B.y\ncoordinate = s\n");
  const jet a = jet_of(&s.q, "A.x"), b = jet_of(&s.q, "B.y"), sum = jet_of(&s.q, "s");
  check_equation(&s, jet_less((jet){a.f + b.f, a.d + b.d, a.dd + b.dd}, sum));
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5, tol);
  s.on[0].F[0] = s.on[1].F[1] = 2.5;
  scene_close(&s);
}

/* s = atan2(b, a), a = v . e, b = v . f; on each body e is the part of u across the axis n, f = n x e, all of length 1; v: e of B.
 * s' = (a b' - b a')/(a^2 + b^2); the torque F on s acts along the gradients of s: on B it is F (a v x f - b v x e)/(a^2 + b^2). */
static void test_angle_coordinate(void) {
  static const double n[2][3] = {{0.3, 1.1, -0.4}, {0.2, 0.9, 0.1}}, u[2][3] = {{0.9, 0.2, 0.5}, {-0.1, 0.3, 1.2}};
  scene s = scene_open("angle_coordinate", NULL,
                       ADDED("0") "[vector axis]\nalong.A = 0.3, 1.1, -0.4\nalong.B = 0.2, 0.9, 0.1\n"
                                  "[vector side]\nalong.A = 0.9, 0.2, 0.5\nalong.B = -0.1, 0.3, 1.2\n"
                                  "[constraint c]\ntype = angle_coordinate\nbodies = A, B\naxes = axis, side\ncoordinate = s\n");
  double e[2][3], f[3], axis[3], vf[3], ve[3];
  for (int b = 0; b < 2; b++) {
    double across[3];
    unit3(n[b], axis);
    memcpy(across, u[b], sizeof across);
    add3(across, -dot3(u[b], axis), axis);
    unit3(across, e[b]);
  }
  unit3(n[0], axis);
  cross3(axis, e[0], f);
  const vector_jet v = turning(&s, 1, e[1]), from = turning(&s, 0, e[0]), next = turning(&s, 0, f);
  const jet a = jet_dot(&v, &from), b = jet_dot(&v, &next);
  const double size2 = a.f * a.f + b.f * b.f, rate = (a.f * b.d - b.f * a.d) / size2;
  const jet angle = {atan2(b.f, a.f), rate,
                     (a.f * b.dd - b.f * a.dd) / size2 - 2 * rate * (a.f * a.d + b.f * b.d) / size2};
  check_equation(&s, jet_less(angle, jet_of(&s.q, "s")));
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5, tol);
  cross3(v.x, next.x, vf), cross3(v.x, from.x, ve);
  for (int i = 0; i < 3; i++) {
    s.on[1].n[i] = 2.5 * (a.f * vf[i] - b.f * ve[i]) / size2;
    s.on[0].n[i] = -s.on[1].n[i];
  }
  scene_close(&s);
}

/* Phi = z1 - k z2 - c, k = -1.7, c = 0.3: -lam on z1, k lam on z2. A force F on z2 = A.x alone: z1'' = k z2'' with the masses
 * m1 z1'' = -lam and m2 z2'' = F + k lam give z2'' = F/(m2 + k^2 m1). */
static void test_gear(void) {
  const double k = -1.7;
  scene s = scene_open("gear", " y ",
                       "[constraint c]\ntype = gear\ncoordinates = B.y, A.x\nratio = -1.7\noffset = 0.3\n"
                       "[force f]\ntype = coordinate_force\ncoordinate = A.x\nforce = F\n");
  const jet a = jet_of(&s.q, "A.x"), b = jet_of(&s.q, "B.y");
  const double lam = -rigid_b.mass * k * 2.5 / (rigid_a.mass + k * k * rigid_b.mass);
  check_equation(&s, (jet){b.f - k * a.f - 0.3, b.d - k * a.d, b.dd - k * a.dd});
  CHECK_VALUE(s.type, multiplier(&s, ""), lam, tol);
  s.on[1].F[1] = -lam;
  s.on[0].F[0] = 2.5 + k * lam;
  scene_close(&s);
}

/* Phi = z1 - 0.3 - f(z2 - 0.2), f = 1.5 + 0.4 sin(3 x + 0.5): -lam on z1, f' lam on z2. A force F on z2 = A.x alone: z1'' = f' z2'' + f'' z2'^2 with
 * the masses m1 z1'' = -lam and m2 z2'' = F + f' lam. */
static void test_cam(void) {
  scene s = scene_open("cam", " y ",
                       "[constraint c]\ntype = cam\ncoordinates = B.y, A.x\nmotion = s\noffset = 0.3\nphase = 0.2\n"
                       "[force f]\ntype = coordinate_force\ncoordinate = A.x\nforce = F\n");
  const jet a = jet_of(&s.q, "A.x"), b = jet_of(&s.q, "B.y");
  const double phase = 3 * (a.f - 0.2) + 0.5, f_x = 1.2 * cos(phase), bend = -3.6 * sin(phase) * a.d * a.d;
  const double a_dd = (2.5 - f_x * rigid_b.mass * bend) / (rigid_a.mass + f_x * f_x * rigid_b.mass);
  const double lam = -rigid_b.mass * (f_x * a_dd + bend);
  check_equation(&s, (jet){b.f - 0.3 - 1.5 - 0.4 * sin(phase), b.d - f_x * a.d, b.dd - f_x * a.dd - bend});
  CU_ASSERT(fabs(bend) > 0.1);
  CHECK_VALUE(s.type, multiplier(&s, ""), lam, tol);
  s.on[1].F[1] = -lam;
  s.on[0].F[0] = 2.5 + f_x * lam;
  scene_close(&s);
}

/* Phi = s - r z - c of an added angle z that a torque F turns: lam = F/r, so that -F/r pushes the rack. */
static void test_rack_and_pinion(void) {
  scene s = scene_open(
      "rack_and_pinion", NULL,
      ADDED("0") "[constraint c]\ntype = rack_and_pinion\ncoordinates = A.x, s\nradius = 0.4\noffset = 0.2\n");
  const jet x = jet_of(&s.q, "A.x"), z = jet_of(&s.q, "s");
  check_equation(&s, (jet){x.f - 0.4 * z.f - 0.2, x.d - 0.4 * z.d, x.dd - 0.4 * z.dd});
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5 / 0.4, tol);
  s.on[0].F[0] = 2.5 / 0.4;
  scene_close(&s);
}

/* Phi = x . m - r z - c, m fixed in A: the torque F on z is F/r along m on Q, back on P, and x times it on m. */
static void test_rack_travel(void) {
  scene s = scene_open("rack_travel", NULL,
                       ADDED("0") "[constraint c]\ntype = rack_travel\npoints = P, Q\nalong = m\ncoordinate = s\n"
                                  "radius = 0.4\noffset = 0.2\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q)), m = turning(&s, 0, M);
  const jet z = jet_of(&s.q, "s");
  check_equation(&s, jet_less(jet_dot(&x, &m), (jet){0.4 * z.f + 0.2, 0.4 * z.d, 0.4 * z.dd}));
  CHECK_VALUE(s.type, multiplier(&s, ""), -2.5 / 0.4, tol);
  force_on_point(&s, 1, Q, 2.5 / 0.4, m.x);
  force_on_point(&s, 0, P, -2.5 / 0.4, m.x);
  force_on_vector(&s, 0, M, 2.5 / 0.4, x.x);
  scene_close(&s);
}

/* Phi = z - s(t): the force -lam on the coordinate. */
static void test_driven_coordinate(void) {
  const mbd_case c = case_lasting(0.1, 0.01);
  scene s = scene_open("driven_coordinate", " y ",
                       "[constraint c]\ntype = driven_coordinate\ncoordinate = B.y\nmotion = s\n");
  check_equation(&s, jet_less(jet_of(&s.q, "B.y"), *given()));
  CHECK_VALUE(s.type, multiplier(&s, ""), -rigid_b.mass * given()->dd, tol);
  s.on[1].F[1] = rigid_b.mass * given()->dd;
  CHECK_VALUE(s.type, value_after(&s.q, &c, "B.y", 3), 1.5 + 0.4 * sin(3 * 0.03 + 0.5), tol);
  scene_close(&s);
}

/* ---- directions ---- */

/* Phi = m . n */
static void test_perpendicular(void) {
  scene s = scene_open("perpendicular", " e1 ", "[constraint c]\ntype = perpendicular\nvectors = m, n\n");
  const vector_jet m = turning(&s, 0, M), n = turning(&s, 1, N);
  const double lam = multiplier(&s, "");
  check_equation(&s, jet_dot(&m, &n));
  force_on_vector(&s, 0, M, -lam, n.x);
  force_on_vector(&s, 1, N, -lam, m.x);
  scene_close(&s);
}

/* Phi = (Q - P) . m */
static void test_in_plane(void) {
  scene s = scene_open("in_plane", " x ", "[constraint c]\ntype = in_plane\npoints = P, Q\nnormal = m\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q)), m = turning(&s, 0, M);
  const double lam = multiplier(&s, "");
  check_equation(&s, jet_dot(&x, &m));
  force_on_point(&s, 1, Q, -lam, m.x);
  force_on_point(&s, 0, P, lam, m.x);
  force_on_vector(&s, 0, M, -lam, x.x);
  scene_close(&s);
}

static void multipliers(const scene *s, double lam[3]) {
  static const char *const components[] = {".x", ".y", ".z"};
  for (int i = 0; i < 3; i++) { lam[i] = multiplier(s, components[i]); }
}

/* lam . (a x b) = a . (b x lam) = b . (lam x a): what stands beside a and b */
static void cross_forces(const vector_jet *a, const vector_jet *b, const double *lam, double *on_a, double *on_b) {
  cross3(b->x, lam, on_a);
  cross3(lam, a->x, on_b);
}

/* Phi = m x n */
static void test_parallel(void) {
  scene s = scene_open("parallel", " e1 e2 ", "[constraint c]\ntype = parallel\nvectors = m, n\n");
  const vector_jet m = turning(&s, 0, M), n = turning(&s, 1, N);
  double lam[3], on_m[3], on_n[3];
  multipliers(&s, lam);
  for (int i = 0; i < 3; i++) { check_equation(&s, jet_cross(&m, &n, i)); }
  cross_forces(&m, &n, lam, on_m, on_n);
  force_on_vector(&s, 0, M, -1, on_m);
  force_on_vector(&s, 1, N, -1, on_n);
  scene_close(&s);
}

/* Phi = (Q - P) x (S - P), with S on A like P */
static void test_aligned(void) {
  const double S[] = {0.9, 0.4, 0.6};
  scene s = scene_open("aligned", " y z ",
                       "[point S]\nat = 0.9, 0.4, 0.6\nbodies = A\n[constraint c]\ntype = aligned\npoints = P, Q, S\n");
  const vector_jet a = between(point(&s, 0, P), point(&s, 1, Q)), b = between(point(&s, 0, P), point(&s, 0, S));
  double lam[3], on_a[3], on_b[3];
  multipliers(&s, lam);
  for (int i = 0; i < 3; i++) { check_equation(&s, jet_cross(&a, &b, i)); }
  cross_forces(&a, &b, lam, on_a, on_b);
  force_on_point(&s, 1, Q, -1, on_a);
  force_on_point(&s, 0, P, 1, on_a);
  force_on_point(&s, 0, S, -1, on_b);
  force_on_point(&s, 0, P, 1, on_b);
  scene_close(&s);
}

/* ---- points ---- */

static jet component(const vector_jet *x, int i) {
  return (jet){x->x[i], x->xd[i], x->xdd[i]};
}

/* Phi = Q - P: -lam on Q, lam on P */
static void test_coincident(void) {
  scene s = scene_open("coincident", " x y z ", "[constraint c]\ntype = coincident\npoints = P, Q\n");
  const vector_jet x = between(point(&s, 0, P), point(&s, 1, Q));
  double lam[3];
  multipliers(&s, lam);
  for (int i = 0; i < 3; i++) { check_equation(&s, component(&x, i)); }
  force_on_point(&s, 1, Q, -1, lam);
  force_on_point(&s, 0, P, 1, lam);
  scene_close(&s);
}

/* A cut cardan joint: its unit axes, the first fixed in A, the second in B, keep the angle of the design position, where the body
 * frames are parallel. */
static void test_dot_design(void) {
  static const double C[] = {0.5, 0.2, 0.1};
  scene s =
      scene_open("dot_design", " x y z e1 ",
                 "[point C]\nat = 0.5, 0.2, 0.1\nbodies = A, B\n"
                 "[joint c]\ntype = cardan\nbodies = A, B\npoint = C\naxis = m\naxis2 = n\ncut = yes\n"
                 "[joint A]\ntype = floating\nbodies = ground, A\n[joint B]\ntype = floating\nbodies = ground, B\n"
                 "[joint gA]\ntype = floating\nbodies = ground, A\n[joint gB]\ntype = floating\nbodies = ground, B\n");
  double a[3], b[3], lam[3];
  unit3(M, a), unit3(N, b);
  const vector_jet x = between(point(&s, 0, C), point(&s, 1, C)), u = turning(&s, 0, a), w = turning(&s, 1, b);
  for (int i = 0; i < 3; i++) {
    const char *const names[] = {"c.coincident.multiplier.x", "c.coincident.multiplier.y", "c.coincident.multiplier.z"};
    lam[i] = value_now(&s.q, names[i]);
    check_equation(&s, component(&x, i));
  }
  const double turn = value_now(&s.q, "c.dot_design.PzCz.multiplier");
  check_equation(&s, jet_less(jet_dot(&u, &w), (jet){dot3(a, b), 0, 0}));
  force_on_point(&s, 1, C, -1, lam);
  force_on_point(&s, 0, C, 1, lam);
  force_on_vector(&s, 0, a, -turn, w.x);
  force_on_vector(&s, 1, b, -turn, u.x);
  scene_close(&s);
}

/* Phi = p . p - 1; the length of p moves nothing, so that its multiplier vanishes. */
static void test_unit_norm(void) {
  static const char *const names[] = {"B.e0", "B.e1", "B.e2", "B.e3"};
  test_model q = rigid_model(2, (rigid[]){rigid_a, rigid_b}, "", NULL, "");
  jet sum = {-1, 0, 0};
  for (int i = 0; i < 4; i++) {
    const jet square = jet_square(jet_of(&q, names[i]));
    sum.f += square.f, sum.d += square.d, sum.dd += square.dd;
  }
  CHECK_VALUE("unit_norm", sum.f, 0, tol);
  CHECK_VALUE("unit_norm", sum.d, 0, tol);
  CHECK_VALUE("unit_norm", sum.dd, 0, tol);
  CHECK_VALUE("unit_norm", value_now(&q, "B.norm.multiplier"), 0, tol);
  model_close(&q);
}

/* ---- velocities: positions are held as without the constraint, but a rate follows ---- */

/* Psi = m . v_Q, m fixed in A: the force -lam m on Q, and none on A. */
static void test_knife_edge(void) {
  scene s = scene_open_from("knife_edge", " x ", "hold.B.x = 0.7\n",
                            "[constraint c]\ntype = knife_edge\npoint = Q\nvector = m\n");
  const vector_jet q = point(&s, 1, Q), m = turning(&s, 0, M);
  CHECK_VALUE(s.type, value_now(&s.q, "B.x"), 0.7, tol);
  CHECK_VALUE(s.type, dot3(m.x, q.xd), 0, tol);
  CHECK_VALUE(s.type, dot3(m.x, q.xdd) + dot3(m.xd, q.xd), 0, tol);
  force_on_point(&s, 1, Q, -multiplier(&s, ""), m.x);
  scene_close(&s);
}

/* Psi = m . v_Q - s(t) */
static void test_driven_velocity(void) {
  const mbd_case c = case_lasting(0.1, 0.01);
  scene s = scene_open_from("driven_velocity", " x ", "hold.B.x = 0.7\n",
                            "[constraint c]\ntype = driven_velocity\npoint = Q\nvector = m\nspeed = s\n"
                            "[vector along]\nalong = 0, 0.6, 0.8\nbodies = ground\n");
  const vector_jet q = point(&s, 1, Q), m = turning(&s, 0, M);
  CHECK_VALUE(s.type, dot3(m.x, q.xd), given()->f, tol);
  CHECK_VALUE(s.type, dot3(m.x, q.xdd) + dot3(m.xd, q.xd), given()->d, tol);
  force_on_point(&s, 1, Q, -multiplier(&s, ""), m.x);
  scene_close(&s);
  /* and later, at t = 0.03, along a vector of the ground */
  s = scene_open_from("driven_velocity", " x ", "hold.B.x = 0.7\n",
                      "[vector along]\nalong = 0.5, 0.6, 0.8\nbodies = ground\n"
                      "[constraint c]\ntype = driven_velocity\npoint = Q\nvector = along\nspeed = s\n");
  const double v[] = {value_after(&s.q, &c, "Q.velocity.x", 3), value_after(&s.q, &c, "Q.velocity.y", 3),
                      value_after(&s.q, &c, "Q.velocity.z", 3)};
  CHECK_VALUE(s.type, 0.5 * v[0] + 0.6 * v[1] + 0.8 * v[2], 1.5 + 0.4 * sin(3 * 0.03 + 0.5), tol);
  model_close(&s.q);
}

/* a := a/|a| with its rate */
static void normalize(vector_jet *a) {
  const double length = sqrt(dot3(a->x, a->x)), rate = dot3(a->x, a->xd) / length;
  for (int i = 0; i < 3; i++) {
    a->xd[i] = a->xd[i] / length - rate / (length * length) * a->x[i];
    a->x[i] /= length;
  }
}

/* a x b with its rate */
static vector_jet crossed(const vector_jet *a, const vector_jet *b) {
  vector_jet c = {0};
  double d[3];
  cross3(a->x, b->x, c.x), cross3(a->xd, b->x, c.xd), cross3(a->x, b->xd, d);
  add3(c.xd, 1, d);
  return c;
}

/* Without the formulas of the file: the lowest point of the disc is at p = R d from the centre, d = a x e, e = a x n/|a x n|; it is a material
 * point with the velocity v + w x p, along e and n x e zero; the forces -lam e, -lam n x e act there. */
static void test_rolling(void) {
  static const double R = 0.4, N_plane[] = {0.2, -0.1, 0.97};
  scene s = scene_open_from(
      "rolling", " x y ", "hold.B.x = 0.7\nhold.B.y = -0.2\n",
      "[vector up]\nalong = 0.2, -0.1, 0.97\nbodies = ground\n[constraint c]\ntype = rolling\ndisc = B\n"
      "centre = Q\naxle = n\nnormal = up\nradius = 0.4\n");
  const rigid_motion *motion = &s.motion[1];
  const vector_jet q = point(&s, 1, Q);
  vector_jet a = turning(&s, 1, N), n = {0}, w = {0}, v = {0}, e, across, p;
  memcpy(n.x, N_plane, sizeof n.x);
  memcpy(w.x, motion->w, sizeof w.x), memcpy(w.xd, motion->wd, sizeof w.xd);
  memcpy(v.x, q.xd, sizeof v.x), memcpy(v.xd, q.xdd, sizeof v.xd);
  normalize(&a), normalize(&n);
  e = crossed(&a, &n), normalize(&e);
  across = crossed(&n, &e);
  p = crossed(&a, &e); /* downwards */
  CU_ASSERT(dot3(p.x, n.x) < 0);
  for (int i = 0; i < 3; i++) { p.x[i] *= R, p.xd[i] *= R; }
  const vector_jet turned = crossed(&w, &p);
  add3(v.x, 1, turned.x), add3(v.xd, 1, turned.xd);
  const vector_jet *const row[] = {&e, &across};
  for (int r = 0; r < 2; r++) {
    const double lam = multiplier(&s, r ? ".y" : ".x");
    double arm[3];
    CHECK_VALUE(s.type, dot3(row[r]->x, v.x), 0, tol);
    CHECK_VALUE(s.type, dot3(row[r]->x, v.xd) + dot3(row[r]->xd, v.x), 0, tol);
    CU_ASSERT(fabs(lam) > 1e-3);
    for (int i = 0; i < 3; i++) { arm[i] = q.x[i] - motion->r[i] + p.x[i]; }
    wrench_add(&s.on[1], arm, -lam, row[r]->x);
  }
  scene_close(&s);
}

/* Psi = v_x y + 1/2 w_z - s(t) - 0.3 t z of the point Q of B: the force -lam y along x on Q, and the moment -lam/2 about z. */
static void test_expression(void) {
  static const double along_z[] = {0, 0, 1};
  const mbd_case c = case_lasting(0.1, 0.01);
  scene s = scene_open_from("expression", " x ", "hold.B.x = 0.7\n",
                            "[quantity wish]\ncurve = s\nvalue = time\n[constraint c]\ntype = expression\n"
                            "value = Q.velocity.x*Q.position.y + 0.5*B.rate.z - wish - 0.3*time*Q.position.z\n");
  const vector_jet q = point(&s, 1, Q);
  const double lam = multiplier(&s, ""), force[] = {q.x[1], 0, 0};
  CHECK_VALUE(s.type, q.xd[0] * q.x[1] + 0.5 * s.motion[1].w[2], given()->f, tol);
  CHECK_VALUE(s.type, q.xdd[0] * q.x[1] + q.xd[0] * q.xd[1] + 0.5 * s.motion[1].wd[2] - 0.3 * q.x[2], given()->d, tol);
  force_on_point(&s, 1, Q, -lam, force);
  add3(s.on[1].n, -lam / 2, along_z);
  /* and later, at t = 0.03 */
  const double v = value_after(&s.q, &c, "Q.velocity.x", 3), y = value_after(&s.q, &c, "Q.position.y", 3),
               z = value_after(&s.q, &c, "Q.position.z", 3), w = value_after(&s.q, &c, "B.rate.z", 3);
  CHECK_VALUE(s.type, v * y + 0.5 * w - 0.3 * 0.03 * z, 1.5 + 0.4 * sin(3 * 0.03 + 0.5), tol);
  scene_close(&s);
}

/* The values of expressions that cannot be constraints of velocities. */
static void test_refused_expressions(void) {
  static const struct {
    const char *value, *message;
  } cases[] = {
      {"Q.velocity.x*B.rate.z", "constraint 'c': its value is not linear in 'Q.velocity.x', which is multiplied by a "},
      {"Q.velocity.x/Q.velocity.y", "is not linear in 'Q.velocity.y'"},
      {"Q.velocity.norm - 1", "is not linear in 'Q.velocity.norm'"},
      {"sin(B.rate.x)", "is not linear in 'B.rate.x'"},
      {"Q.position.x - 1", "constraint 'c': its value has no velocity, so that it would be a constraint of positions"},
      {"Q.acceleration.x", "constraint 'c': 'Q.acceleration.x' is an acceleration; expected positions and velocities"},
      {"d.multiplier*Q.velocity.x", "'d.multiplier' is a reaction"},
      {"Q.velocity.x*energy.kinetic", "'energy.kinetic' depends on the whole mechanism"},
      {"Q.velocity.x + lag", "'lag' is a state, on which a reaction cannot act"},
      {"Q.velocity.x + distance(P, Q)", "'distance(P, Q)' has no derivatives of the order that a constraint takes"},
      {"Q.velocity.x + bent", "constraint 'c': a second derivative of curve 's' is in its value, expected"},
      {"Q.velocity.x*A.yaw", "'A.yaw' has no derivatives of the order that a constraint takes"},
      {"Q.velocity@A.x + P.velocity@B.x + O_A.velocity@B.y + O_B.velocity@A.z + A.com_velocity@B.x + B.com_velocity.x "
       "+ "
       "O_A.velocity.x + Q.velocity@A.y + P.velocity@B.z",
       "constraint 'c': its value has more than 12 points, axes of bodies and coordinates"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[4000];
    mbd_error err = {0};
    const rigid body[2] = {rigid_a, rigid_b};
    snprintf(text, sizeof text, "schema = 1\n[model]\nname = refused\njoints = named\n");
    for (int b = 0; b < 2; b++) { rigid_sections(&body[b], text, sizeof text); }
    append(text, sizeof text, POINTS);
    append(text, sizeof text,
           "[constraint d]\ntype = distance\npoints = P, Q\ndistance = 1.9\n[state lag]\nrate = 1 - lag\n"
           "[quantity bent]\ncurve = s\nvalue = time\nderivative = 2\n[constraint c]\ntype = expression\nvalue = ");
    append(text, sizeof text, cases[i].value);
    CU_ASSERT_EQUAL(model_compile(text, "", &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
  }
}

/* ---- held quantities ---- */

static void test_hold_coordinate(void) {
  test_model q = rigid_model(2, (rigid[]){rigid_a, rigid_b}, "", NULL, "");
  CHECK_VALUE("hold_coordinate", value_now(&q, "B.z"), rigid_b.r[2], tol);
  CHECK_VALUE("hold_coordinate", value_now(&q, "B.z.rate"), rigid_b.v[2], tol);
  model_close(&q);
}

/* Components of the point Q of B instead of the place of its origin. */
static void test_hold_point(void) {
  static const struct {
    const char *type, *start, *released, *name;
    double value, rate;
  } component_of[] = {{"hold_x", "hold.Q.x = 0.8\nrate.Q.x = -0.35\n", " x ", "Q.%s.x", 0.8, -0.35},
                      {"hold_y", "hold.Q.y = -0.6\nrate.Q.y = 0.45\n", " y ", "Q.%s.y", -0.6, 0.45},
                      {"hold_z", "hold.Q.z = 1.1\nrate.Q.z = 0.25\n", " z ", "Q.%s.z", 1.1, 0.25}};
  for (int i = 0; i < 3; i++) {
    char name[64];
    test_model q = rigid_model(1, &rigid_b, "[point Q]\nat = -0.3, 0.1, 0.2\nbodies = B\n", component_of[i].released,
                               component_of[i].start);
    snprintf(name, sizeof name, component_of[i].name, "position");
    CHECK_VALUE(component_of[i].type, value_now(&q, name), component_of[i].value, tol);
    snprintf(name, sizeof name, component_of[i].name, "velocity");
    CHECK_VALUE(component_of[i].type, value_now(&q, name), component_of[i].rate, tol);
    model_close(&q);
  }
}

/* The angle of a body about a global axis k is that of its axis e_p, p = k + 1, seen along k, from the global one: with q = k + 2,
 * cyclic, atan2(u_q, u_p) and its rate (u_p u_q' - u_q u_p')/(u_p^2 + u_q^2), u' = w x u. The body turns about a pin; hinge and pin
 * are not along k. */
static void test_hold_angles(void) {
  static const char *const types[] = {"hold_angle_x", "hold_angle_y", "hold_angle_z"};
  static const double pin[] = {0.6, 0.5, 0.9}, angle[] = {0.35, 0.2, -0.5}, rate[] = {0.8, -0.6, 1.1};
  for (int k = 0; k < 3; k++) {
    const int p = (k + 1) % 3, h = (k + 2) % 3;
    char text[1000];
    double R[3][3], w[3], u[3], ud[3];
    snprintf(text, sizeof text,
             "schema = 1\n[model]\nname = hinge\n[body B]\nmass = 1\ncom = 0.1, 0.2, 0.3\ninertia = 1, 1, 1\n"
             "[point O]\nat = 0, 0, 0\nbodies = ground, B\n[vector pin]\nalong = 0.6, 0.5, 0.9\nbodies = ground, B\n"
             "[joint j]\ntype = revolute\nbodies = ground, B\npoint = O\naxis = pin\n"
             "[start]\nhold.B.angle.%c = %g\nrate.B.angle.%c = %g\n",
             "xyz"[k], angle[k], "xyz"[k], rate[k]);
    test_model q = model_open_text(text);
    rotation_about(pin, value_now(&q, "j.angle"), R);
    unit3(pin, w);
    for (int i = 0; i < 3; i++) { w[i] *= value_now(&q, "j.angle.rate"), u[i] = R[i][p]; }
    cross3(w, u, ud);
    CHECK_VALUE(types[k], atan2(u[h], u[p]), angle[k], tol);
    CHECK_VALUE(types[k], (u[p] * ud[h] - u[h] * ud[p]) / (u[p] * u[p] + u[h] * u[h]), rate[k], tol);
    model_close(&q);
  }
}

static void test_every_constraint_has_values(void) {
  for (int i = 0; mbd_constraint_at(i); i++) { EXPECT_VALUE("constraint", mbd_constraint_at(i)->info.name, NULL); }
}

TEST_MAIN(TEST(test_distance), TEST(test_rod), TEST(test_driven_distance), TEST(test_distance_coordinate),
          TEST(test_displacement_coordinate), TEST(test_sum_coordinate), TEST(test_driven_coordinate),
          TEST(test_angle_coordinate), TEST(test_gear), TEST(test_cam), TEST(test_rack_and_pinion),
          TEST(test_rack_travel), TEST(test_perpendicular), TEST(test_in_plane), TEST(test_parallel),
          TEST(test_aligned), TEST(test_coincident), TEST(test_dot_design), TEST(test_unit_norm), TEST(test_knife_edge),
          TEST(test_driven_velocity), TEST(test_rolling), TEST(test_expression), TEST(test_refused_expressions),
          TEST(test_hold_coordinate), TEST(test_hold_point), TEST(test_hold_angles),
          TEST(test_every_constraint_has_values))
