/* Every output by hand: two free bodies with centres of mass beside their origins and full inertias fly under a gravity that is
 * along no axis. */
#include <ctype.h>

#include "driven_rail.h"
#include "values.h"

static const double tol = 1e-12; /* largest seen: 7e-15 */

/* ---- the bodies: orientation by yaw, then pitch, then roll, R = Rz(yaw) Ry(pitch) Rx(roll) ---- */

typedef struct flying {
  double mass, com[3], J[3][3]; /* J about the centre of mass, axes of the body */
  double r[3], v[3];            /* of the body's origin */
  double yaw, pitch, roll, rates[3];
} flying;

static const flying A = {2,
                         {0.1, -0.2, 0.3},
                         {{0.5, 0.04, -0.03}, {0.04, 0.6, 0.05}, {-0.03, 0.05, 0.4}},
                         {0.3, 0.8, -0.4},
                         {0.9, -0.5, 0.2},
                         0.8,
                         -0.5,
                         0.3,
                         {0.7, 0.4, -0.9}},
                    B = {3,
                         {-0.3, 0.1, 0.2},
                         {{0.8, -0.06, 0.02}, {-0.06, 0.7, 0.03}, {0.02, 0.03, 0.9}},
                         {-0.6, 0.2, 0.5},
                         {0.3, 0.7, -0.6},
                         -2.6,
                         0.4,
                         -0.7,
                         {-0.3, 0.8, 0.5}};
static const double gravity[] = {0.4, -1.1, -9.6};

static void product(double X[3][3], double Y[3][3], double Z[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { Z[i][k] = X[i][0] * Y[0][k] + X[i][1] * Y[1][k] + X[i][2] * Y[2][k]; }
  }
}

/* R, and w = yaw' e_z + pitch' Rz e_y + roll' Rz Ry e_x. */
static void attitude(const flying *b, double R[3][3], double w[3]) {
  static const double x[] = {1, 0, 0}, y[] = {0, 1, 0}, z[] = {0, 0, 1};
  double Rz[3][3], Ry[3][3], Rx[3][3], Rzy[3][3];
  rotation_about(z, b->yaw, Rz), rotation_about(y, b->pitch, Ry), rotation_about(x, b->roll, Rx);
  product(Rz, Ry, Rzy);
  product(Rzy, Rx, R);
  for (int i = 0; i < 3; i++) { w[i] = b->rates[0] * z[i] + b->rates[1] * Rz[i][1] + b->rates[2] * Rzy[i][0]; }
}

/* J in the global frame, and w' = J^-1 (-w x J w) of a body on which no moment acts, by Cramer's rule. */
static void free_rotation(const flying *b, double wd[3], double Jw[3]) {
  double R[3][3], w[3], J[3][3], RJ[3][3], Jb[3][3], n[3], c[3];
  attitude(b, R, w);
  memcpy(Jb, b->J, sizeof Jb);
  product(R, Jb, RJ);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { J[i][k] = dot3(RJ[i], R[k]); }
  }
  turn3(J, w, Jw);
  cross3(Jw, w, n);
  cross3(J[1], J[2], c); /* J symmetric: its rows are its columns */
  const double det = dot3(J[0], c);
  for (int i = 0; i < 3; i++) {
    cross3(J[(i + 1) % 3], J[(i + 2) % 3], c);
    wd[i] = dot3(n, c) / det;
  }
}

/* Position, velocity and acceleration of a point: its centre of mass G falls, a_G = g. */
static void point_of(const flying *b, const double *local, double x[3], double v[3], double a[3]) {
  double R[3][3], w[3], wd[3], Jw[3], arm[3], wx[3], from_G[3], G[3], turn[3];
  attitude(b, R, w);
  free_rotation(b, wd, Jw);
  turn3(R, local, arm);
  turn3(R, b->com, G);
  cross3(w, arm, wx);
  for (int i = 0; i < 3; i++) { x[i] = b->r[i] + arm[i], v[i] = b->v[i] + wx[i], from_G[i] = arm[i] - G[i]; }
  cross3(wd, from_G, a);
  cross3(w, from_G, wx);
  cross3(w, wx, turn);
  for (int i = 0; i < 3; i++) { a[i] += gravity[i] + turn[i]; }
}

static void body_sections(const flying *b, const char *name, char *text, size_t size) {
  char s[500];
  snprintf(s, sizeof s,
           "[body %s]\nmass = %.17g\ncom = %.17g, %.17g, %.17g\n"
           "inertia = %.17g, %.17g, %.17g, %.17g, %.17g, %.17g\n",
           name, b->mass, b->com[0], b->com[1], b->com[2], b->J[0][0], b->J[1][1], b->J[2][2], b->J[0][1], b->J[0][2],
           b->J[1][2]);
  append(text, size, s);
}

/* As a rigid of values.h, for its start alone. */
static void body_start(const flying *b, const char *name, char *text, size_t size) {
  double R[3][3];
  rigid q = {.name = name};
  attitude(b, R, q.w);
  q.u[0] = R[2][1] - R[1][2], q.u[1] = R[0][2] - R[2][0], q.u[2] = R[1][0] - R[0][1]; /* 2 u sin(angle) */
  q.angle = atan2(sqrt(dot3(q.u, q.u)) / 2, (R[0][0] + R[1][1] + R[2][2] - 1) / 2);
  memcpy(q.r, b->r, sizeof q.r), memcpy(q.v, b->v, sizeof q.v);
  rigid_start(&q, NULL, text, size);
}

static const double P[] = {0.4, 0.2, -0.5}, Q[] = {-0.2, 0.6, 0.1};

/* The bodies, and `more` sections. */
static test_model open_flight(const char *more) {
  char text[8000] =
      "schema = 1\n[model]\nname = flight\ngravity = 0.4, -1.1, -9.6\njoints = named\n"
      "[point P]\nat = 0.4, 0.2, -0.5\nbodies = A\n[point Q]\nat = -0.2, 0.6, 0.1\nbodies = B\n";
  body_sections(&A, "A", text, sizeof text), body_sections(&B, "B", text, sizeof text);
  append(text, sizeof text, more);
  append(text, sizeof text, "[start]\n");
  body_start(&A, "A", text, sizeof text), body_start(&B, "B", text, sizeof text);
  return model_open_text(text);
}

/* ---- points, bodies, coordinates ---- */

/* The three components by name, the norm, and the vector by its name without component, which is all three in a row. */
/* To the length of the vector: centres where lines meet are far away. */
static void check_vector(const test_model *q, const char *of, const char *quantity, const double *expected) {
  static const char *const parts[] = {"x", "y", "z", "norm"};
  const double numbers[] = {expected[0], expected[1], expected[2], sqrt(dot3(expected, expected))};
  for (int i = 0; i < 4; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", quantity, parts[i]);
    CHECK_VALUE(of, value_now(q, name), numbers[i], tol * fmax(1, numbers[3]));
  }
  mbd_error err = {0};
  int first, count;
  CU_ASSERT_EQUAL(mbd_outputs_add(q->o, quantity, &first, &count, &err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(count, 3);
  for (int i = 0; i < 3; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", quantity, parts[i]);
    CU_ASSERT_STRING_EQUAL(mbd_outputs_name(q->o, first + i), name);
  }
}

static void test_points(void) {
  test_model q = open_flight("");
  const flying *const bodies[] = {&A, &B};
  const double *const locals[] = {P, Q};
  for (int b = 0; b < 2; b++) {
    double x[3], v[3], a[3];
    point_of(bodies[b], locals[b], x, v, a);
    check_vector(&q, "point.position", b ? "Q.position" : "P.position", x);
    check_vector(&q, "point.velocity", b ? "Q.velocity" : "P.velocity", v);
    check_vector(&q, "point.acceleration", b ? "Q.acceleration" : "P.acceleration", a);
    double R[3][3], w[3], local[3];
    attitude(bodies[b], R, w);
    for (int i = 0; i < 3; i++) { local[i] = R[0][i] * v[0] + R[1][i] * v[1] + R[2][i] * v[2]; }
    check_vector(&q, "point.local_velocity", b ? "Q.local_velocity" : "P.local_velocity", local);
    for (int i = 0; i < 3; i++) { local[i] = R[0][i] * a[0] + R[1][i] * a[1] + R[2][i] * a[2]; }
    check_vector(&q, "point.local_acceleration", b ? "Q.local_acceleration" : "P.local_acceleration", local);
  }
  model_close(&q);
}

/* The angle about a global axis k is that of the body's axis e_p in the plane of e_p and e_q, (k, p, q) cyclic. */
static void check_body(const test_model *q, const char *name, const flying *b) {
  static const char *const angles[] = {"angle.x", "angle.y", "angle.z"}, *const attitudes[] = {"yaw", "pitch", "roll"};
  const double expected[] = {b->yaw, b->pitch, b->roll};
  double R[3][3], w[3];
  char full[64], of[64];
  attitude(b, R, w);
  snprintf(full, sizeof full, "%s.rate", name);
  check_vector(q, "body.rate", full, w);
  for (int k = 0; k < 3; k++) {
    const int p = (k + 1) % 3, h = (k + 2) % 3;
    snprintf(full, sizeof full, "%s.%s", name, angles[k]), snprintf(of, sizeof of, "body.%s", angles[k]);
    CHECK_VALUE(of, value_now(q, full), atan2(R[h][p], R[p][p]), tol);
    snprintf(full, sizeof full, "%s.%s", name, attitudes[k]), snprintf(of, sizeof of, "body.%s", attitudes[k]);
    CHECK_VALUE(of, value_now(q, full), expected[k], tol);
    snprintf(full, sizeof full, "%s.%s_rate", name, attitudes[k]),
        snprintf(of, sizeof of, "body.%s_rate", attitudes[k]);
    CHECK_VALUE(of, value_now(q, full), b->rates[k], tol);
  }
}

static void test_bodies(void) {
  test_model q = open_flight("");
  check_body(&q, "A", &A);
  check_body(&q, "B", &B);
  model_close(&q);
}

/* Its centre of mass falls, and no moment acts on it. */
static void check_inertia(const test_model *q, const char *name, const flying *b) {
  double G[3], v[3], a[3], wd[3], Jw[3];
  char full[64];
  point_of(b, b->com, G, v, a);
  free_rotation(b, wd, Jw);
  snprintf(full, sizeof full, "%s.com", name), check_vector(q, "body.com", full, G);
  snprintf(full, sizeof full, "%s.com_velocity", name), check_vector(q, "body.com_velocity", full, v);
  snprintf(full, sizeof full, "%s.com_acceleration", name), check_vector(q, "body.com_acceleration", full, gravity);
  snprintf(full, sizeof full, "%s.angular_acceleration", name);
  check_vector(q, "body.angular_acceleration", full, wd);
}

static void test_inertia_of_bodies(void) {
  test_model q = open_flight("");
  check_inertia(&q, "A", &A);
  check_inertia(&q, "B", &B);
  model_close(&q);
}

/* ---- seen from a body ---- */

/* R' x of the columns of R */
static void into(double R[3][3], const double *x, double *y) {
  for (int k = 0; k < 3; k++) { y[k] = R[0][k] * x[0] + R[1][k] * x[1] + R[2][k] * x[2]; }
}

/* A point of A as B sees it, with its place d from the origin of B and B's w and w':
 *   v_rel = v - v_B - w x d,   a_rel = a - a_B - w' x d - w x (w x d) - 2 w x v_rel,   along the axes of B. */
static void point_seen(const double *local, double x[3], double v[3], double a[3]) {
  static const double origin[3] = {0};
  double p[3][3], o[3][3], R[3][3], w[3], wd[3], Jw[3], turn[3], seen[3];
  point_of(&A, local, p[0], p[1], p[2]);
  point_of(&B, origin, o[0], o[1], o[2]);
  attitude(&B, R, w);
  free_rotation(&B, wd, Jw);
  for (int k = 0; k < 3; k++) { add3(p[k], -1, o[k]); }
  cross3(w, p[0], turn);
  add3(p[1], -1, turn);
  cross3(w, turn, seen), add3(p[2], -1, seen);
  cross3(wd, p[0], turn), add3(p[2], -1, turn);
  cross3(w, p[1], turn), add3(p[2], -2, turn);
  into(R, p[0], x), into(R, p[1], v), into(R, p[2], a);
}

static void test_points_seen(void) {
  test_model q = open_flight("");
  double x[3], v[3], a[3], RA[3][3], RB[3][3], w[3], global[3], own[3];
  point_seen(P, x, v, a);
  check_vector(&q, "point.position@body", "P.position@B", x);
  check_vector(&q, "point.velocity@body", "P.velocity@B", v);
  check_vector(&q, "point.acceleration@body", "P.acceleration@B", a);
  attitude(&A, RA, w), attitude(&B, RB, w);
  turn3(RB, v, global), into(RA, global, own);
  check_vector(&q, "point.local_velocity@body", "P@A.local_velocity@B", own);
  turn3(RB, a, global), into(RA, global, own);
  check_vector(&q, "point.local_acceleration@body", "P@A.local_acceleration@B", own);
  point_seen(A.com, x, v, a);
  check_vector(&q, "body.com@body", "A.com@B", x);
  check_vector(&q, "body.com_velocity@body", "A.com_velocity@B", v);
  check_vector(&q, "body.com_acceleration@body", "A.com_acceleration@B", a);
  CHECK_VALUE("point.position@body", value_now(&q, "P.position@ground.x"), value_now(&q, "P.position.x"), 0);
  model_close(&q);
}

/* The relative rotation S = R_B' R_A has the angular velocity w = R_B' (w_A - w_B), whose rate B sees as
 * R_B' (w_A' - w_B' - w_B x (w_A - w_B)); of yaw, pitch, roll: R_z' w = (roll', cos.., ..) with
 *   (R_z' w)_x = cos(pitch) roll',  (R_z' w)_y = pitch',  (R_z' w)_z = yaw' - sin(pitch) roll'. */
static void test_bodies_seen(void) {
  test_model q = open_flight("");
  double RA[3][3], RB[3][3], S[3][3], wA[3], wB[3], ad[3], bd[3], Jw[3], w[3], wd[3], turn[3], t[3];
  attitude(&A, RA, wA), attitude(&B, RB, wB);
  free_rotation(&A, ad, Jw), free_rotation(&B, bd, Jw);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { S[i][k] = RB[0][i] * RA[0][k] + RB[1][i] * RA[1][k] + RB[2][i] * RA[2][k]; }
  }
  add3(wA, -1, wB), add3(ad, -1, bd);
  cross3(wB, wA, turn), add3(ad, -1, turn);
  into(RB, wA, w), into(RB, ad, wd);
  check_vector(&q, "body.rate@body", "A.rate@B", w);
  check_vector(&q, "body.angular_acceleration@body", "A.angular_acceleration@B", wd);
  for (int k = 0; k < 3; k++) {
    const int p = (k + 1) % 3, h = (k + 2) % 3;
    char name[32], of[32];
    snprintf(name, sizeof name, "A.angle@B.%c", "xyz"[k]), snprintf(of, sizeof of, "body.angle@body.%c", "xyz"[k]);
    CHECK_VALUE(of, value_now(&q, name), atan2(S[h][p], S[p][p]), tol);
  }
  const double yaw = atan2(S[1][0], S[0][0]), pitch = -asin(S[2][0]), roll = atan2(S[2][1], S[2][2]);
  CHECK_VALUE("body.yaw@body", value_now(&q, "A.yaw@B"), yaw, tol);
  CHECK_VALUE("body.pitch@body", value_now(&q, "A.pitch@B"), pitch, tol);
  CHECK_VALUE("body.roll@body", value_now(&q, "A.roll@B"), roll, tol);
  t[0] = cos(yaw) * w[0] + sin(yaw) * w[1], t[1] = cos(yaw) * w[1] - sin(yaw) * w[0];
  CHECK_VALUE("body.roll_rate@body", value_now(&q, "A.roll_rate@B"), t[0] / cos(pitch), tol);
  CHECK_VALUE("body.pitch_rate@body", value_now(&q, "A.pitch_rate@B"), t[1], tol);
  CHECK_VALUE("body.yaw_rate@body", value_now(&q, "A.yaw_rate@B"), w[2] + tan(pitch) * t[0], tol);
  model_close(&q);
}

/* ---- relations ---- */

/* Rates by central differences of the same formulas at the places that the velocities lead to, of which the value is exact: the
 * order of the differences is two, of their rounding 1e-10. */
typedef struct related {
  double p[3], q[3], u[3], v[3], n[3]; /* P, Q; vectors of A, B and the ground */
} related;

static related relation_at(double dt) {
  static const double u[] = {0.3, -1.1, 0.7}, v[] = {1.2, 0.4, -0.3}, n[] = {0.5, 0.3, 2};
  const flying *const bodies[] = {&A, &B};
  related r;
  double x[2][3], vel[2][3], a[3], R[3][3], w[3], turn[3][3], unit[3];
  point_of(&A, P, x[0], vel[0], a), point_of(&B, Q, x[1], vel[1], a);
  for (int i = 0; i < 3; i++) { r.p[i] = x[0][i] + dt * vel[0][i], r.q[i] = x[1][i] + dt * vel[1][i], r.n[i] = n[i]; }
  for (int b = 0; b < 2; b++) {
    attitude(bodies[b], R, w);
    turn3(R, b ? v : u, unit);
    rotation_about(w, dt * sqrt(dot3(w, w)), turn);
    turn3(turn, unit, b ? r.v : r.u);
  }
  return r;
}

static double distance_of(const related *r) {
  double d[3] = {r->p[0], r->p[1], r->p[2]};
  add3(d, -1, r->q);
  return sqrt(dot3(d, d));
}

static double height_of(const related *r) {
  double d[3] = {r->p[0], r->p[1], r->p[2]};
  add3(d, -1, r->q);
  return dot3(d, r->v) / sqrt(dot3(r->v, r->v));
}

static double angle_of(const related *r) {
  return acos(dot3(r->u, r->v) / sqrt(dot3(r->u, r->u) * dot3(r->v, r->v)));
}

/* Both vectors are projected into the plane. */
static double turn_of(const related *r) {
  double n[3], u[3] = {r->u[0], r->u[1], r->u[2]}, v[3] = {r->v[0], r->v[1], r->v[2]}, c[3];
  unit3(r->n, n);
  add3(u, -dot3(r->u, n), n), add3(v, -dot3(r->v, n), n);
  cross3(u, v, c);
  return atan2(dot3(c, n), dot3(u, v));
}

/* Of the triangle with the corners P, Q and the origin O. */
static double area_of(const related *r) {
  double n[3], u[3] = {r->q[0], r->q[1], r->q[2]}, v[3] = {-r->p[0], -r->p[1], -r->p[2]}, c[3];
  unit3(r->n, n);
  add3(u, -1, r->p);
  cross3(u, v, c);
  return dot3(c, n) / 2;
}

static void check_relation(const test_model *q, const char *of, const char *name, double (*value)(const related *)) {
  const double h = 1e-5;
  const related now = relation_at(0), before = relation_at(-h), after = relation_at(h);
  char rate[128], of_rate[128];
  snprintf(rate, sizeof rate, "%s.rate", name), snprintf(of_rate, sizeof of_rate, "%s.rate", of);
  CHECK_VALUE(of, value_now(q, name), value(&now), tol);
  CHECK_VALUE(of_rate, value_now(q, rate), (value(&after) - value(&before)) / (2 * h), 1e-9);
}

static const char *const with_vectors =
    "[vector u]\nalong = 0.3, -1.1, 0.7\nbodies = A\n[vector v]\nalong = 1.2, 0.4, -0.3\nbodies = B\n"
    "[vector n]\nalong = 0.5, 0.3, 2\nbodies = ground, A\n[point O]\nat = 0, 0, 0\nbodies = ground\n";

static void test_relations(void) {
  test_model q = open_flight(with_vectors);
  double R[3][3], w[3];
  check_relation(&q, "distance(point, point)", "distance(P, Q)", distance_of);
  check_relation(&q, "distance(point, point, vector)", "distance(P,Q@B , v)", height_of);
  check_relation(&q, "angle(vector, vector)", "angle(u, v)", angle_of);
  check_relation(&q, "angle(vector, vector, vector)", "angle(u, v, n@ground)", turn_of);
  check_relation(&q, "area(point, point, point, vector)", "area(P, Q, O, n@ground)", area_of);
  attitude(&A, R, w);
  CHECK_VALUE("angle(vector, vector)", value_now(&q, "angle(A.z, ground.y)"), acos(R[1][2]), tol);
  CHECK_VALUE("distance(point, point)", value_now(&q, "distance(A.com, P)"),
              sqrt(pow(P[0] - A.com[0], 2) + pow(P[1] - A.com[1], 2) + pow(P[2] - A.com[2], 2)), tol);
  CU_ASSERT_STRING_EQUAL(mbd_outputs_name(q.o, model_output(&q, "distance( P,Q@B , v).rate")),
                         "distance(P, Q@B, v).rate");
  model_close(&q);
}

/* Of a free body, the coordinates x, y, z are the place of its origin. */
static void test_coordinates(void) {
  static const double origin[3] = {0};
  static const char *const names[] = {"A.x", "A.y", "A.z"};
  test_model q = open_flight("");
  double x[3], v[3], a[3];
  char name[64];
  point_of(&A, origin, x, v, a);
  for (int i = 0; i < 3; i++) {
    CHECK_VALUE("coordinate", value_now(&q, names[i]), x[i], tol);
    snprintf(name, sizeof name, "%s.rate", names[i]);
    CHECK_VALUE("coordinate.rate", value_now(&q, name), v[i], tol);
    snprintf(name, sizeof name, "%s.acceleration", names[i]);
    CHECK_VALUE("coordinate.acceleration", value_now(&q, name), a[i], tol);
  }
  model_close(&q);
}

/* ---- energies ---- */

/* sum of m |v_G|^2/2 + w . J w/2, of -m g . r_G, and of k (s - l0)^2/2 of a spring between P and Q. */
static void test_energies(void) {
  test_model q =
      open_flight("[force s]\ntype = spring\npoints = P, Q\nstiffness = 13\nfree_length = 0.4\ndamping = 5\n");
  const flying *const bodies[] = {&A, &B};
  double T = 0, U = 0, x[2][3], v[3], a[3], d[3];
  for (int b = 0; b < 2; b++) {
    double R[3][3], w[3], wd[3], Jw[3], G[3];
    attitude(bodies[b], R, w);
    free_rotation(bodies[b], wd, Jw);
    point_of(bodies[b], bodies[b]->com, G, v, a);
    T += bodies[b]->mass * dot3(v, v) / 2 + dot3(w, Jw) / 2;
    U -= bodies[b]->mass * dot3(gravity, G);
    point_of(bodies[b], b ? Q : P, x[b], v, a);
  }
  for (int i = 0; i < 3; i++) { d[i] = x[1][i] - x[0][i]; }
  U += 13 * pow(sqrt(dot3(d, d)) - 0.4, 2) / 2;
  CHECK_VALUE("energy.kinetic", value_now(&q, "energy.kinetic"), T, tol * 10);
  CHECK_VALUE("energy.potential", value_now(&q, "energy.potential"), U, tol * 10);
  CHECK_VALUE("energy.total", value_now(&q, "energy.total"), T + U, tol * 10);
  model_close(&q);
}

/* ---- the whole mechanism ---- */

static void test_mechanism(void) {
  test_model q = open_flight("");
  const flying *const bodies[] = {&A, &B};
  double com[3] = {0}, p[3] = {0}, L[3] = {0}, mass = A.mass + B.mass;
  for (int b = 0; b < 2; b++) {
    double wd[3], Jw[3], G[3], v[3], a[3], moment[3];
    free_rotation(bodies[b], wd, Jw);
    point_of(bodies[b], bodies[b]->com, G, v, a);
    cross3(G, v, moment);
    add3(com, bodies[b]->mass / mass, G), add3(p, bodies[b]->mass, v);
    add3(L, bodies[b]->mass, moment), add3(L, 1, Jw);
  }
  const double velocity[] = {p[0] / mass, p[1] / mass, p[2] / mass};
  check_vector(&q, "mechanism.com", "mechanism.com", com);
  CHECK_VALUE("mechanism.opening", value_now(&q, "mechanism.opening"), 0, 1e-12); /* open ones: test_kinematic.c */
  check_vector(&q, "mechanism.com_velocity", "mechanism.com_velocity", velocity);
  check_vector(&q, "mechanism.com_acceleration", "mechanism.com_acceleration", gravity);
  check_vector(&q, "mechanism.momentum", "mechanism.momentum", p);
  check_vector(&q, "mechanism.angular_momentum", "mechanism.angular_momentum", L);
  CHECK_VALUE("mechanism.shaking_force", value_now(&q, "mechanism.shaking_force.norm"), 0,
              1e-11); /* nothing holds it */
  model_close(&q);
}

/* A rotor on a vertical axis through the origin, centre of mass at r = (0.2, 0, 0.5), products of inertia, w = 3 about z. No moment
 * acts about the axis, so that w' = 0: the force on the ground is m g - m w x (w x r), the moment r x m g - w x J_O w with
 * (J_O w) = w (J_xz - m r_x r_z, J_yz - m r_y r_z, ..). */
static void test_shaking(void) {
  static const char *const rotor =
      "schema = 1\n[model]\nname = rotor\ngravity = 0, 0, -9.6\njoints = named\n"
      "[body A]\nmass = 2\ncom = 0.2, 0, 0.5\ninertia = 1, 1.2, 0.9, 0, 0.07, -0.04\n"
      "[vector z]\nalong = 0, 0, 1\nbodies = ground, A\n[joint j]\ntype = revolute\nbodies = ground, A\naxis = "
      "z\npoint = O\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, A\n[start]\nhold.j.angle = 0\nrate.j.angle = 3\n";
  const double w = 3, m = 2, x = 0.2, z = 0.5, g = 9.6, Jxz = 0.07 - m * x * z, Jyz = -0.04;
  const double force[] = {m * w * w * x, 0, -m * g}, moment[] = {w * w * Jyz, x * m * g - w * w * Jxz, 0};
  test_model q = model_open_text(rotor);
  check_vector(&q, "mechanism.shaking_force", "mechanism.shaking_force", force);
  check_vector(&q, "mechanism.shaking_moment", "mechanism.shaking_moment", moment);
  model_close(&q);
}

/* What the two joints with the frame transmit, together: two computations of one force. */
static void test_shaking_by_joints(void) {
  test_model q = model_open("problems/slider_crank/slider_crank.ini");
  double force[3], crank[3], guide[3];
  vector_now(&q, "mechanism.shaking_force", force);
  vector_now(&q, "ground-crank.reaction_force", crank);
  vector_now(&q, "guide.reaction_force", guide);
  for (int i = 0; i < 3; i++) { CHECK_VALUE("mechanism.shaking_force", force[i], -crank[i] - guide[i], 1e-9); }
  CU_ASSERT(fabs(force[0]) > 100);
  model_close(&q);
}

/* ---- centres ---- */

/* Two arms A-B, C-D from the chassis to a wheel carrier that touches the road at E: in the plane y, z of the chassis. */
typedef struct corner {
  const char *side;
  double A[2], B[2], C[2], D[2], E[2], travel; /* turn of A-B about x */
} corner;

static const corner corners[] = {
    {"L", {0.3, 0.2}, {0.65, 0.18}, {0.35, 0.52}, {0.6, 0.48}, {0.72, 0.01}, 0.1},
    {"R", {-0.3, 0.22}, {-0.66, 0.17}, {-0.35, 0.5}, {-0.61, 0.49}, {-0.71, -0.02}, -0.07},
};

static double distance2(const double *a, const double *b) {
  return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Turn about a centre by `angle`, y towards z. */
static void turn_about(const double *centre, double angle, double *x) {
  const double y = x[0] - centre[0], z = x[1] - centre[1];
  x[0] = centre[0] + cos(angle) * y - sin(angle) * z, x[1] = centre[1] + sin(angle) * y + cos(angle) * z;
}

/* The corner with its travel: D is where the circles about B and C meet, on the side where it was; E goes along with B and D. */
static corner moved(const corner *q) {
  corner now = *q;
  double along[2], E[2] = {q->E[0], q->E[1]};
  turn_about(q->A, q->travel, now.B);
  const double b = distance2(q->B, q->D), c = distance2(q->C, q->D), d = distance2(now.B, q->C);
  const double a = (c * c - b * b + d * d) / (2 * d), h = sqrt(c * c - a * a);
  for (int i = 0; i < 2; i++) { along[i] = (now.B[i] - q->C[i]) / d; }
  const double side =
      (q->B[0] - q->C[0]) * (q->D[1] - q->C[1]) - (q->B[1] - q->C[1]) * (q->D[0] - q->C[0]) > 0 ? 1 : -1;
  now.D[0] = q->C[0] + a * along[0] - side * h * along[1], now.D[1] = q->C[1] + a * along[1] + side * h * along[0];
  const double turned = atan2(now.D[1] - now.B[1], now.D[0] - now.B[0]) - atan2(q->D[1] - q->B[1], q->D[0] - q->B[0]);
  for (int i = 0; i < 2; i++) { E[i] += now.B[i] - q->B[i]; }
  turn_about(now.B, turned, E);
  memcpy(now.E, E, sizeof E);
  return now;
}

/* Where the lines a-b and c-d meet. */
static void meet(const double *a, const double *b, const double *c, const double *d, double *x) {
  const double u[] = {b[0] - a[0], b[1] - a[1]}, v[] = {d[0] - c[0], d[1] - c[1]};
  const double s = ((c[0] - a[0]) * v[1] - (c[1] - a[1]) * v[0]) / (u[0] * v[1] - u[1] * v[0]);
  x[0] = a[0] + s * u[0], x[1] = a[1] + s * u[1];
}

static const double contact_x[] = {0.04, -0.02};

static void corner_sections(const corner *q, double x, int driven, char *text, size_t size) {
  const char *s = q->side;
  char part[3000];
  snprintf(
      part, sizeof part,
      "[body low%s]\nmass = 1\ncom = 0, %.17g, 0\ninertia = 1, 1, 1\n[body up%s]\nmass = 1\ncom = 0, %.17g, 0\n"
      "inertia = 1, 1, 1\n[body carrier%s]\nmass = 1\ncom = 0, %.17g, 0\ninertia = 1, 1, 1\n"
      "[point A%s]\nat = 0, %.17g, %.17g\nbodies = chassis, low%s\n[point B%s]\nat = 0, %.17g, %.17g\nbodies = low%s, "
      "carrier%s\n[point C%s]\nat = 0, %.17g, %.17g\nbodies = chassis, up%s\n[point D%s]\nat = 0, %.17g, "
      "%.17g\nbodies = up%s, carrier%s\n[point E%s]\nat = %.17g, %.17g, %.17g\nbodies = carrier%s\n",
      s, q->A[0], s, q->A[0], s, q->A[0], s, q->A[0], q->A[1], s, s, q->B[0], q->B[1], s, s, s, q->C[0], q->C[1], s, s,
      q->D[0], q->D[1], s, s, s, x, q->E[0], q->E[1], s);
  append(text, size, part);
  static const char *const joints[][4] = {{"a", "chassis", "low", "A"},
                                          {"b", "low", "carrier", "B"},
                                          {"c", "chassis", "up", "C"},
                                          {"d", "up", "carrier", "D"}};
  for (int i = 0; i < 4; i++) {
    const int on_chassis = i % 2 == 0;
    snprintf(part, sizeof part, "[joint %s%s]\ntype = revolute\nbodies = %s%s, %s%s\npoint = %s%s\naxis = x\n%s",
             joints[i][0], s, joints[i][1], on_chassis ? "" : s, joints[i][2], s, joints[i][3], s,
             i == 3 ? "cut = yes\n" : "");
    append(text, size, part);
  }
  snprintf(part, sizeof part,
           "[curve still%s]\ntype = polynomial\ncoefficients = %.17g\n[constraint travel%s]\ntype = "
           "driven_coordinate\ncoordinate = a%s.angle\nmotion = still%s\n",
           s, q->travel, s, s, s);
  if (driven) { append(text, size, part); }
}

/* On the floating chassis with the attitude of A, which is at rest. */
static test_model open_axle(int driven) {
  char text[12000] =
      "schema = 1\n[model]\nname = axle\ngravity = 0, 0, 0\njoints = named\n[body chassis]\nmass = 9\ncom = 0, 0, "
      "0\ninertia = 1, 1, 1\n[vector x]\nalong = 1, 0, 0\nbodies = chassis, lowL, upL, carrierL, lowR, upR, carrierR\n";
  flying at = A;
  memset(at.v, 0, sizeof at.v), memset(at.rates, 0, sizeof at.rates);
  for (int i = 0; i < 2; i++) { corner_sections(&corners[i], contact_x[i], driven, text, sizeof text); }
  append(text, sizeof text, "[start]\n");
  body_start(&at, "chassis", text, sizeof text);
  if (!driven) { append(text, sizeof text, "hold.aL.angle = 0.1\nhold.aR.angle = -0.07\n"); }
  return model_open_text(text);
}

static void to_global(double x, const double *yz, double *out) {
  const double local[] = {x, yz[0], yz[1]};
  double R[3][3], w[3];
  attitude(&A, R, w);
  turn3(R, local, out);
  add3(out, 1, A.r);
}

/* An output without a value is a failure that has the reason where an objective reads it, and a warning where it is only shown. */
static void check_reason(test_model *q, const char *output, const char *reason) {
  const mbd_case c = case_lasting(1e-3, 1e-3);
  const mbd_term term = {.output = model_output(q, output), .form = "terminal", .weight = 1};
  for (int shown = 0; shown < 2; shown++) {
    mbd_error err = {0};
    mbd_sim *s;
    double psi;
    must(mbd_sim_create(q->m, &c, q->o, 1 - shown, &term, 1 - shown, 0, &s, &err), &err);
    const mbd_status status = mbd_sim_run(s, q->p, 0, NULL, &psi, NULL, NULL, shown ? observe : NULL, NULL, &err);
    const mbd_warning *w = warning_of(s, "undefined");
    CU_ASSERT_EQUAL(status, shown ? MBD_OK : MBD_NOT_FINITE);
    CU_ASSERT_EQUAL(w != NULL, shown);
    CHECK_CONTAINS(w ? w->text : err.text, output);
    CHECK_CONTAINS(w ? w->text : err.text, reason);
    mbd_sim_destroy(s);
  }
}

/* At rest: what a mechanism admits does not ask how it moves. The arms' lines meet in the carrier's centre, those from the road to
 * the centres in the roll centre. The cut joints have redundant rows. */
static void test_centres(void) {
  test_model q = open_axle(0), driven = open_axle(1);
  corner now[2];
  double centre[2][2], roll[2], expected[3];
  for (int i = 0; i < 2; i++) {
    now[i] = moved(&corners[i]);
    meet(now[i].A, now[i].B, now[i].C, now[i].D, centre[i]);
  }
  meet(now[0].E, centre[0], now[1].E, centre[1], roll);
  to_global(contact_x[0], centre[0], expected);
  check_vector(&q, "instant_centre(body, body, point, vector)", "instant_centre(carrierL, chassis, EL, chassis.x)",
               expected);
  check_vector(&driven, "instant_centre(body, body, point, vector, constraint)",
               "instant_centre(carrierL, chassis, EL, x@chassis, travelL)", expected);
  /* the contact moves across the line to the carrier's centre: dy/dz = -(z - z_C)/(y - y_C) */
  CHECK_VALUE("velocity_ratio(point, point, vector, point, point, vector, constraint)",
              value_now(&driven, "velocity_ratio(EL, AL@chassis, chassis.y, EL, AL@chassis, chassis.z, travelL)"),
              (centre[0][1] - now[0].E[1]) / (now[0].E[0] - centre[0][0]), tol);
  to_global(0, centre[1], expected);
  check_vector(&q, "instant_centre(body, body, point, vector)", "instant_centre(carrierR, chassis, AR, chassis.x)",
               expected);
  to_global((contact_x[0] + contact_x[1]) / 2, roll, expected);
  check_vector(&q, "roll_centre(point, point, body, vector)", "roll_centre(EL, ER, chassis, chassis.x)", expected);
  check_vector(&driven, "roll_centre(point, point, body, vector, constraint, constraint)",
               "roll_centre(EL, ER, chassis, chassis.x, travelL, travelR)", expected);
  /* drives leave no motion; left and right carriers have two between them */
  CU_ASSERT(isnan(value_now(&driven, "instant_centre(carrierL, chassis, EL, chassis.x).y")));
  CU_ASSERT(isnan(value_now(&q, "instant_centre(carrierL, carrierR, EL, chassis.x).y")));
  /* equal sides: in the middle of the car, as far forward as the points */
  test_model buggy = model_open("problems/buggy/buggy.ini");
  CHECK_VALUE("roll_centre(point, point, body, vector)",
              value_now(&buggy, "roll_centre(front_left.O, front_right.O, chassis, chassis.x).x"),
              value_now(&buggy, "front_left.O.position.x"), tol);
  CHECK_VALUE("roll_centre(point, point, body, vector)",
              value_now(&buggy, "roll_centre(front_left.O, front_right.O, chassis, chassis.x).y"), 0, tol);
  /* trailing arms move both wheels along z of the chassis: the lines across coincide */
  CU_ASSERT(isnan(value_now(&buggy, "roll_centre(rear_left.W, rear_right.W, chassis, chassis.x).y")));
  model_close(&buggy);
  buggy = model_open("problems/buggy/buggy.ini");
  check_reason(&buggy, "roll_centre(rear_left.W, rear_right.W, chassis, chassis.x).y",
               "undefined where the lines from the contact points");
  model_close(&buggy);
  model_close(&q), q = open_axle(0);
  check_reason(&q, "instant_centre(carrierL, carrierR, EL, chassis.x).y",
               "undefined where constraints leave several motions");
  model_close(&driven), driven = open_axle(1);
  check_reason(&driven, "instant_centre(carrierL, chassis, EL, chassis.x).y",
               "undefined where constraints and drives leave no motion");
  model_close(&driven), driven = open_axle(1);
  check_reason(&driven, "velocity_ratio(EL, AL@chassis, chassis.y, EL, AL@chassis, chassis.z, travelR)",
               "undefined where constraints and drives leave no motion");
  model_close(&q), model_close(&driven);
}

/* ---- names that mean nothing ---- */

static void test_wrong_names(void) {
  static const struct {
    const char *name, *message;
  } wrong[] = {
      {"P.position@C", "body 'C' is not known"},
      {"P.position@grond.x", "did you mean 'ground'?"},
      {"P.position@A", "point 'P' does not move as seen from body 'A'"},
      {"A.roll@A", "body 'A' does not move as seen from body 'A'"},
      {"energy.total@A", "'energy' is a mechanism; expected a point or a body"},
      {"R.position@A", "no point, body, force, constraint or coordinate is called 'R'"},
      {"dist(P, Q)", "'dist' is not known; expected distance(POINT, POINT) or"},
      {"distances(P, Q)", "did you mean 'distance'?"},
      {"distance(P, Q", "the parenthesis has no end"},
      {"distance(P)", "expected distance(POINT, POINT) or distance(POINT, POINT, VECTOR)"},
      {"distance(P, R)", "point 'R' is not known"},
      {"distance(P, P)", "'P' and 'P' are one point"},
      {"distance(P, Q).speed", "has no quantity 'speed', expected 'distance(P, Q)' or 'distance(P, Q).rate'"},
      {"distance(P, Q).x", "has no quantity 'x'"},
      {"angle(u, C.x)", "body 'C' is not known"},
      {"angle(u, w)", "vector 'w' is not known"},
      {"instant_centre(A, C, P, u)", "body 'C' is not known"},
      {"instant_centre(A, B, P, u, c)", "constraint 'c' is not known"},
      {"instant_centre(A, A, P, u)", "'A' and 'A' are one body"},
      {"velocity_ratio(P, P, u, P, Q, u, c)", "'P' and 'P' are one point"},
      {"velocity_ratio(P, Q, u)", "expected velocity_ratio(POINT, POINT, VECTOR, POINT, POINT, VECTOR, CONSTRAINT)"},
      {"roll_centre(P, Q, A)", "expected roll_centre(POINT, POINT, BODY, VECTOR) or"},
      {"roll_centre(P, Q, A, u).rate", "has no quantity 'rate', expected"},
      {"mechanism.weight", "mechanism 'mechanism' has no quantity 'weight'"},
  };
  test_model q = open_flight(with_vectors);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    mbd_error err = {0};
    int first, count;
    CU_ASSERT_EQUAL(mbd_outputs_add(q.o, wrong[i].name, &first, &count, &err), MBD_BAD_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, wrong[i].message));
    if (!strstr(err.text, wrong[i].message)) { printf("\n  %s: %s\n", wrong[i].name, err.text); }
  }
  model_close(&q);
}

/* ---- multipliers ---- */

/* A body hangs at rest from its centre of mass, Phi = r_body - r_ground: M z'' + Phi_z' lam = m g leaves lam = m g, and the
 * constraint's force on the second point is -lam. */
static void test_multipliers(void) {
  static const char *const hanging =
      "schema = 1\n[model]\nname = hanging\ngravity = 0.4, -1.1, -9.6\njoints = named\n"
      "[body A]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point G]\nat = 0, 0, 0\nbodies = ground\n"
      "[point H]\nat = 0, 0, 0\nbodies = A\n[constraint c]\ntype = coincident\npoints = G, H\n";
  /* on a rail along x, 0.5 short of a point of it, at the distance 0.5: Phi = x . x - d^2, so that 2 lam x = m g_x, x = -0.5 */
  static const char *const stopped =
      "schema = 1\n[model]\nname = stopped\ngravity = 0.4, -1.1, -9.6\njoints = named\n"
      "[body A]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point G]\nat = 0.5, 0, 0\nbodies = ground\n"
      "[point H]\nat = 0, 0, 0\nbodies = A\n[vector x]\nalong = 1, 0, 0\nbodies = ground, A\n"
      "[joint j]\ntype = prismatic\nbodies = ground, A\naxis = x\n"
      "[constraint c]\ntype = distance\npoints = G, H\ndistance = 0.5\n[start]\nguess.j.distance = 0.1\n";
  const double lam[] = {2 * gravity[0], 2 * gravity[1], 2 * gravity[2]};
  test_model q = model_open_text(hanging);
  const double lift[] = {-lam[0], -lam[1], -lam[2]}, none[] = {0, 0, 0}, push[] = {-2 * gravity[0], 0, 0};
  check_vector(&q, "constraint.multiplier", "c.multiplier", lam);
  check_vector(&q, "constraint.force", "c.force", lift);
  check_vector(&q, "constraint.moment", "c.moment", none);
  model_close(&q);
  q = model_open_text(stopped);
  check_vector(&q, "constraint.force", "c.force", push);
  CHECK_VALUE("constraint.multiplier", value_now(&q, "c.multiplier"), -2 * gravity[0] / (2 * 0.5), tol);
  CHECK_VALUE("constraint.multiplier", value_now(&q, "c.multiplier.norm"), 2 * gravity[0] / (2 * 0.5), tol);
  model_close(&q);
}

/* ---- derived quantities ---- */

/* Of outputs, scalars and the time at 0.3 s of uniform motion; of each other; sums over names. */
static void test_quantities(void) {
  test_model q = model_open_text(
      "schema = 1\n[model]\nname = rails\ngravity = 0, 0, 0\njoints = named\n[scalars]\nk = 3\nhalf = k/2\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, a1, a2, b\n"
      "[body a1]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body a2]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[joint a1]\ntype = prismatic\nbodies = ground, a1\naxis = x\n[joint a2]\ntype = prismatic\nbodies = ground, a2\n"
      "axis = x\n[joint b]\ntype = prismatic\nbodies = ground, b\naxis = x\n"
      "[start]\nrate.a1.distance = 2\nhold.a1.distance = 0\nrate.a2.distance = -1\nhold.a2.distance = 0.5\n"
      "hold.b.distance = 7\nrate.b.distance = 0\n"
      "[quantity quantity]\nvalue = half*a1.distance^2 + sin(b.distance)*time - min(other, 100)\n"
      "[quantity other]\nvalue = hypot(a1.distance, a2.distance)/pi\nunit = m\n"
      "[quantity all]\nvalue = sum(a*.distance) + mean(*.distance.rate)\n"
      "[quantity twice_a1]\nvalue = 2*a1.distance\n[quantity twice_a2]\nvalue = 2*a2.distance\n"
      "[quantity pair]\nvalue = mean(twice_*)\n");
  mbd_case c;
  mbd_case_init(&c);
  c.duration = 0.4, c.step = 0.1;
  const double a1 = 0.6, a2 = 0.5 - 0.3, other = sqrt(a1 * a1 + a2 * a2) / 3.14159265358979323846;
  CHECK_VALUE("quantity", value_after(&q, &c, "quantity", 3), 1.5 * a1 * a1 + sin(7) * 0.3 - other, tol);
  CHECK_VALUE("quantity", value_after(&q, &c, "other", 3), other, tol);
  CHECK_VALUE("quantity", value_after(&q, &c, "all", 3), a1 + a2 + (2 - 1 + 0) / 3., tol);
  CHECK_VALUE("quantity", value_after(&q, &c, "pair", 3), a1 + a2, tol);
  model_close(&q);
}

/* ---- names in expressions ---- */

static void test_name_spans(void) {
  static const struct {
    const char *text;
    size_t span;
  } names[] = {{"P1.position.x - 3", 13},
               {"P1@wheel.position@chassis.z*2", 27},
               {"distance(P1, P2)/2", 16},
               {"angle (u-1, wheel.y).rate + 1", 25},
               {"angle(u", 7},
               {"distance", 8},
               {"t.", 1},
               {"sin(x)", 0},
               {"2*t", 0},
               {"", 0}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    CU_ASSERT_EQUAL(mbd_output_name_span(names[i].text), names[i].span);
  }
}

/* ---- reactions of joints ---- */

static void refuse_output(const test_model *q, const char *name, const char *message) {
  mbd_error err = {0};
  int first, count;
  CU_ASSERT_EQUAL(mbd_outputs_add(q->o, name, &first, &count, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, message);
}

/* Body A on a hinge at H with the torque tau about it: with c from H to the centre of mass, F = m (a_G - g) and the moment about H
 * N = J w' + w x J w + c x F, where w = rate u, w' = alpha u and u . N = tau. */
static const double H[] = {0.25, -0.1, 0.35}, hinge_axis[] = {0.3, -0.5, 0.9}, hinge_angle = 0.6, hinge_rate = 1.7,
                    tau = 0.8;

static const char *const hinged =
    "schema = 1\n[model]\nname = hinged\ngravity = 0.4, -1.1, -9.6\njoints = named\n"
    "[point H]\nat = 0.25, -0.1, 0.35\nbodies = ground, A\n[vector u]\nalong = 0.3, -0.5, 0.9\nbodies = ground, A\n";
static const char *const turning =
    "[curve c]\ntype = polynomial\ncoefficients = 0.8\n[force m]\ntype = coordinate_force\n"
    "coordinate = j.angle\nforce = c\n[start]\nhold.j.angle = 0.6\nrate.j.angle = 1.7\n";

/* F and N at the hinge with the torque tau, which gives alpha, or with that alpha and tau = u . N; and the attitude of the body. */
static void hinge_reaction(const double *u, const double *turned, double F[3], double N[3], double R[3][3]) {
  double Jb[3][3], RJ[3][3], J[3][3], local[3], c[3], Ju[3], uJu[3], uc[3], uuc[3], cF[3], cuc[3];
  rotation_about(u, hinge_angle, R);
  memcpy(Jb, A.J, sizeof Jb);
  product(R, Jb, RJ);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { J[i][k] = dot3(RJ[i], R[k]); }
    local[i] = A.com[i] - H[i];
  }
  turn3(R, local, c), turn3(J, u, Ju);
  cross3(u, Ju, uJu), cross3(u, c, uc), cross3(u, uc, uuc), cross3(c, uc, cuc);
  for (int i = 0; i < 3; i++) { F[i] = A.mass * (hinge_rate * hinge_rate * uuc[i] - gravity[i]); }
  cross3(c, F, cF);
  for (int i = 0; i < 3; i++) { N[i] = hinge_rate * hinge_rate * uJu[i] + cF[i]; }
  const double alpha = turned ? *turned : (tau - dot3(u, N)) / (dot3(u, Ju) + A.mass * dot3(u, cuc));
  add3(F, alpha * A.mass, uc);
  add3(N, alpha, Ju), add3(N, alpha * A.mass, cuc);
}

/* What the ground exerts on A; and what A exerts on the ground, along its own axes too. */
static void test_joint_reactions(void) {
  double u[3], F[3], N[3], R[3][3], Fl[3], Nl[3];
  unit3(hinge_axis, u);
  hinge_reaction(u, NULL, F, N, R);
  for (int second = 0; second < 2; second++) {
    char text[4000];
    snprintf(text, sizeof text, "%s", hinged);
    body_sections(&A, "A", text, sizeof text);
    append(text, sizeof text, "[joint j]\ntype = revolute\npoint = H\naxis = u\nbodies = ");
    append(text, sizeof text, second ? "A, ground\n" : "ground, A\n");
    append(text, sizeof text, turning);
    if (second) { /* the angle is that of the ground as seen from A */
      for (int i = 0; i < 3; i++) { u[i] = -u[i]; }
      hinge_reaction(u, NULL, F, N, R);
      for (int i = 0; i < 3; i++) { F[i] = -F[i], N[i] = -N[i]; }
    }
    for (int i = 0; i < 3; i++) {
      Fl[i] = second ? R[0][i] * F[0] + R[1][i] * F[1] + R[2][i] * F[2] : F[i];
      Nl[i] = second ? R[0][i] * N[0] + R[1][i] * N[1] + R[2][i] * N[2] : N[i];
    }
    test_model q = model_open_text(text);
    check_vector(&q, "joint.reaction_force", "j.reaction_force", F);
    check_vector(&q, "joint.reaction_moment", "j.reaction_moment", N);
    check_vector(&q, "joint.local_reaction_force", "j.local_reaction_force", Fl);
    check_vector(&q, "joint.local_reaction_moment", "j.local_reaction_moment", Nl);
    CHECK_VALUE("coordinate.force", value_now(&q, "j.angle.force"), tau, tol);
    model_close(&q);
  }
}

/* A drive that turns the hinge and a rotor of 0.5 kg m^2 by 0.6 + 1.7 t + 0.65 t^2 has the torque u . N + 0.5 alpha; one that moves a slider away from a point carries its
 * weight along the rail. */
static void test_drives(void) {
  const double alpha = 1.3, rotor = 0.02 * 5 * 5;
  double u[3], F[3], N[3], R[3][3];
  char text[4000];
  unit3(hinge_axis, u);
  hinge_reaction(u, &alpha, F, N, R);
  snprintf(text, sizeof text, "%s", hinged);
  body_sections(&A, "A", text, sizeof text);
  append(text, sizeof text,
         "[joint j]\ntype = revolute\npoint = H\naxis = u\nbodies = ground, A\n[curve s]\ntype = polynomial\n"
         "coefficients = 0.6, 1.7, 0.65\n[constraint d]\ntype = driven_coordinate\ncoordinate = j.angle\nmotion = s\n"
         "[force r]\ntype = rotor_inertia\ncoordinate = j.angle\ninertia = 0.02\nratio = 5\n");
  const double torque = dot3(u, N) + rotor * alpha;
  test_model q = model_open_text(text);
  CHECK_VALUE("constraint.drive_force", value_now(&q, "d.drive_force"), torque, tol * 10);
  CHECK_VALUE("constraint.power", value_now(&q, "d.power"), hinge_rate * torque, tol * 10);
  CHECK_VALUE("coordinate.force", value_now(&q, "j.angle.force"), dot3(u, N), tol * 10);
  check_vector(&q, "joint.reaction_moment", "j.reaction_moment", N);
  refuse_output(
      &q, "d.force.x",
      "output 'd.force.x': constraint 'd' (driven_coordinate) acts on coordinates alone, expected 'd.multiplier', "
      "or '.force' of a coordinate");
  refuse_output(
      &q, "d.tension",
      "output 'd.tension': constraint 'd' (driven_coordinate) has no tension, expected a rod or a distance of "
      "two points");
  refuse_output(&q, "j.reaction_forse.x",
                "joint 'j' has no quantity 'reaction_forse', did you mean 'reaction_force'? Else expected one of: "
                "reaction_force, reaction_moment, "
                "local_reaction_force, local_reaction_moment");
  model_close(&q);
  q = model_open_text(
      "schema = 1\n[model]\nname = pushed\ngravity = 0.4, -1.1, -9.6\njoints = named\n"
      "[body A]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point G]\nat = 0.5, 0, 0\nbodies = ground\n"
      "[point H]\nat = 0, 0, 0\nbodies = A\n[vector x]\nalong = 1, 0, 0\nbodies = ground, A\n"
      "[joint j]\ntype = prismatic\nbodies = ground, A\naxis = x\n[curve s]\ntype = polynomial\n"
      "coefficients = 0.5, 0.3\n[constraint d]\ntype = driven_distance\npoints = G, H\ndistance = s\n[start]\n"
      "guess.j.distance = -0.1\n");
  CHECK_VALUE("constraint.drive_force", value_now(&q, "d.drive_force"), 2 * gravity[0], tol);
  CHECK_VALUE("constraint.power", value_now(&q, "d.power"), 0.3 * 2 * gravity[0], tol);
  CHECK_VALUE("constraint.tension", value_now(&q, "d.tension"), -2 * gravity[0], tol);
  model_close(&q);
}

/* A mass of 2 kg on a rod of 0.6 kg and 0.5 m that begins to fall at rest, 0.3 m below and 0.4 m beside the point that it hangs from: along
 * the rod its lower end, with 2.3 kg, has no acceleration, so that the tension is 2.3 kg times what gravity has along it. Which end is named
 * first makes no difference. */
static void test_tension(void) {
  for (int turned = 0; turned < 2; turned++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "schema = 1\n[model]\nname = hanging\ngravity = 0.4, -1.1, -9.6\njoints = named\n[body A]\nmass = 2\n"
        "com = 0, 0, 0\ninertia = 1, 1, 1\n[point G]\nat = 0, -0.4, 0.3\nbodies = ground\n[point H]\nat = 0, 0, 0\n"
        "bodies = A\n[constraint r]\ntype = rod\npoints = %s\ndistance = 0.5\nmass = 0.6\n[start]\n"
        "hold.A.x = 0\nhold.A.y = 0\n",
        turned ? "H, G" : "G, H");
    test_model q = model_open_text(text);
    CHECK_VALUE("constraint.tension", value_now(&q, "r.tension"), 2.3 * (0.8 * gravity[1] - 0.6 * gravity[2]),
                tol * 10);
    refuse_output(
        &q, "r.power",
        "output 'r.power': constraint 'r' (rod) does not depend on time and transmits no power, expected a drive");
    model_close(&q);
  }
}

/* A stop by perpendicular vectors a, b across the hinge carries the torque of the weight about it: N . u = -(c x m g) . u, N along u. */
static void test_constraint_moments(void) {
  double u[3], c[3], cg[3], N[3], a[3], b[3];
  char text[4000], vectors[400];
  unit3(hinge_axis, u);
  for (int i = 0; i < 3; i++) { c[i] = A.com[i] - H[i]; }
  cross3(c, gravity, cg);
  for (int i = 0; i < 3; i++) { N[i] = -A.mass * dot3(cg, u) * u[i]; }
  cross3(u, c, a), cross3(u, a, b);
  snprintf(text, sizeof text, "%s", hinged);
  body_sections(&A, "A", text, sizeof text);
  snprintf(vectors, sizeof vectors,
           "[vector a]\nalong = %.17g, %.17g, %.17g\nbodies = ground\n[vector b]\nalong = %.17g, %.17g, %.17g\n"
           "bodies = A\n",
           a[0], a[1], a[2], b[0], b[1], b[2]);
  append(text, sizeof text, vectors);
  append(text, sizeof text,
         "[joint j]\ntype = revolute\npoint = H\naxis = u\nbodies = ground, A\n"
         "[constraint k]\ntype = perpendicular\nvectors = a, b\n");
  test_model q = model_open_text(text);
  check_vector(&q, "constraint.moment", "k.moment", N);
  CHECK_VALUE("constraint.force", value_now(&q, "k.force.norm"), 0, tol);
  CHECK_VALUE("coordinate.force", value_now(&q, "j.angle.force"), 0, tol);
  refuse_output(&q, "k.power",
                "output 'k.power': constraint 'k' (perpendicular) does not depend on time and transmits no power");
  model_close(&q);
}

/* ---- terms of a step: a mass of 2 kg is driven along a rail by x = t^3 from rest. After a step of the trapezoidal rule, v* = 2 x/h and
 * a* = 4 x/h^2, and the projected rates are those of the drive, 3 h^2 and 6 h; at the start no step has been taken ---- */

static int watch_terms(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                       const double *lam, const double *y) {
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  memcpy((double *)user + 5 * k, y, 5 * sizeof *y);
  return 0;
}

static void test_terms_of_a_step(void) {
  static const char *const name[] = {"d.step_multiplier", "d.velocity_projection", "d.acceleration_projection",
                                     "j.distance.unprojected_rate", "j.distance.unprojected_acceleration"};
  const double h = 0.1, m = 2, x = h * h * h;
  double y[2][5];
  test_model q = model_open_text(rail);
  mbd_case c = case_lasting(h, h);
  mbd_error err = {0};
  mbd_sim *s;
  for (int i = 0; i < 5; i++) { model_output(&q, name[i]); }
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, NULL, NULL, NULL, watch_terms, y, &err), &err);
  for (int i = 0; i < 5; i++) { CHECK_VALUE(name[i], y[0][i], 0, 1e-15); }
  CHECK_VALUE("constraint.step_multiplier", y[1][0], -m * 4 * x / (h * h), 1e-13);
  CHECK_VALUE("constraint.velocity_projection", y[1][1], m * (2 * x / h - 3 * h * h), 1e-14);
  CHECK_VALUE("constraint.acceleration_projection", y[1][2], m * (4 * x / (h * h) - 6 * h), 1e-13);
  CHECK_VALUE("coordinate.unprojected_rate", y[1][3], 2 * x / h, 1e-14);
  CHECK_VALUE("coordinate.unprojected_acceleration", y[1][4], 4 * x / (h * h), 1e-13);
  CU_ASSERT_STRING_EQUAL(mbd_outputs_unit(q.o, 1), "N s");
  mbd_sim_destroy(s), model_close(&q);
}

/* ---- states: the rest of them in tests/values/test_states.c ---- */

static void test_state(void) {
  test_model q = model_open_text(
      "schema = 1\n[model]\nname = filter\n[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[vector v]\nalong = 1, 0, 0\nbodies = ground, b\n[joint j]\ntype = prismatic\nbodies = ground, b\naxis = v\n"
      "[state state]\nrate = 2 - 4*state\nstart = 0.3\nunit = N m\n[start]\nhold.j.distance = 0\n");
  CHECK_VALUE("state", value_now(&q, "state"), 0.3, 1e-15);
  CHECK_VALUE("state.rate", value_now(&q, "state.rate"), 2 - 4 * 0.3, 1e-15);
  CU_ASSERT_STRING_EQUAL(mbd_outputs_unit(q.o, 0), "N m");
  CU_ASSERT_STRING_EQUAL(mbd_outputs_unit(q.o, 1), "N m/s");
  model_close(&q);
}

/* ---- all of them: the rows of the table, but of forces, which are tested by their types ---- */

static void test_every_output_has_values(void) {
  static const char *const axes[] = {".x", ".y", ".z", NULL}, *const none[] = {"", NULL};
  mbd_output_info q;
  for (int i = 0; mbd_output_info_at(i, &q); i++) {
    if (strncmp(q.name, "FORCE.", 6) == 0 || strncmp(q.name, "BEAM.", 5) == 0) { continue; } /* test_beams.c */
    char *axis = strstr(q.name, ".x/.y/.z"), *seen = strstr(q.name, "[@BODY]"), of[128];
    const int is_angle = axis && axis[-1] != '[';
    if (axis) { axis[is_angle ? 0 : -1] = '\0'; }
    for (char *c = q.name; *c && *c != '.'; c++) { *c = (char)tolower(*c); }
    if (seen) { *seen = '\0'; }
    for (const char *const *end = is_angle ? axes : none; *end; end++) {
      snprintf(of, sizeof of, "%s%s", q.name, *end);
      EXPECT_VALUE("output", of, NULL);
      snprintf(of, sizeof of, "%s@body%s", q.name, *end);
      if (seen) { EXPECT_VALUE("output", of, NULL); }
    }
  }
}

TEST_MAIN(TEST(test_points), TEST(test_bodies), TEST(test_inertia_of_bodies), TEST(test_points_seen),
          TEST(test_bodies_seen), TEST(test_relations), TEST(test_coordinates), TEST(test_mechanism),
          TEST(test_shaking), TEST(test_shaking_by_joints), TEST(test_centres), TEST(test_wrong_names),
          TEST(test_energies), TEST(test_multipliers), TEST(test_joint_reactions), TEST(test_drives),
          TEST(test_tension), TEST(test_constraint_moments), TEST(test_quantities), TEST(test_name_spans),
          TEST(test_terms_of_a_step), TEST(test_state), TEST(test_every_output_has_values))
