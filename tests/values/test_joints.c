/* Every joint by hand, between a free body A, which moves in a general way, and a body B. Its pose as a function of its
 * coordinates is written out here with Rodrigues' formula. The derivatives of that pose in time and in the coordinates, by
 * differences of order six, give the velocities and accelerations of B, its inertia forces, and what a force on a coordinate does
 * (d'Alembert). The same joint cut, closed by constraints, leaves the bodies the same accelerations. */
#include "joint/joint.h"
#include "values.h"

static const double tol = 1e-9; /* largest seen: 2e-10, of differences */

/* ---- poses ---- */

typedef struct joint_case joint_case;
struct joint_case {
  const char *type, *axes; /* in the file */
  double u[3], w[3];
  int nz, euler; /* euler: the first of four Euler parameters, which are not held; -1: none */
  double z[MBD_NZ_MAX], zd[MBD_NZ_MAX];
  void (*pose)(const joint_case *j, const double *z, double R[3][3], double *d);
};

static void identity(double R[3][3]) {
  for (int i = 0; i < 9; i++) { R[i / 3][i % 3] = i % 4 == 0; }
}

static void product(double A[3][3], double B[3][3], double C[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { C[i][k] = A[i][0] * B[0][k] + A[i][1] * B[1][k] + A[i][2] * B[2][k]; }
  }
}

/* Turned by z about u. */
static void revolute(const joint_case *j, const double *z, double R[3][3], double *d) {
  rotation_about(j->u, z[0], R);
  d[0] = d[1] = d[2] = 0;
}

/* Shifted by z along u. */
static void prismatic(const joint_case *j, const double *z, double R[3][3], double *d) {
  identity(R);
  unit3(j->u, d);
  for (int i = 0; i < 3; i++) { d[i] *= z[0]; }
}

/* Shifted by z1 along u, turned by z2 about it. */
static void cylindrical(const joint_case *j, const double *z, double R[3][3], double *d) {
  prismatic(j, z, R, d);
  rotation_about(j->u, z[1], R);
}

/* Turned by z1 about u, which is fixed in A, and by z2 about w, which is fixed in B. */
static void cardan(const joint_case *j, const double *z, double R[3][3], double *d) {
  double R1[3][3], R2[3][3];
  rotation_about(j->u, z[0], R1);
  rotation_about(j->w, z[1], R2);
  product(R1, R2, R);
  d[0] = d[1] = d[2] = 0;
}

/* Turned by the Euler parameters z, of any length. */
static void spherical(const joint_case *j, const double *z, double R[3][3], double *d) {
  (void)j;
  rotation_about(z + 1, 2 * atan2(sqrt(dot3(z + 1, z + 1)), z[0]), R);
  d[0] = d[1] = d[2] = 0;
}

/* Shifted by z1, z2 along x, y and turned by z3 about u; x and y are the axes of A turned like z onto u, the shortest way (u is
 * nearest to z). */
static void planar(const joint_case *j, const double *z, double R[3][3], double *d) {
  const double e[3] = {0, 0, 1};
  double about[3], S[3][3], u[3];
  unit3(j->u, u);
  cross3(e, u, about);
  rotation_about(about, acos(u[2]), S);
  for (int i = 0; i < 3; i++) { d[i] = S[i][0] * z[0] + S[i][1] * z[1]; }
  rotation_about(u, z[2], R);
}

static void floating(const joint_case *j, const double *z, double R[3][3], double *d) {
  double none[3];
  spherical(j, z + 3, R, none);
  memcpy(d, z, 3 * sizeof *d);
}

/* As at the design position. */
static void weld(const joint_case *j, const double *z, double R[3][3], double *d) {
  (void)j, (void)z;
  identity(R);
  d[0] = d[1] = d[2] = 0;
}

static const joint_case cases[] = {
    {"revolute", "axis = u\n", {0.3, -0.5, 1.2}, {0}, 1, -1, {0.6}, {1.3}, revolute},
    {"prismatic", "axis = u\n", {0.3, -0.5, 1.2}, {0}, 1, -1, {0.6}, {1.3}, prismatic},
    {"cylindrical", "axis = u\n", {0.3, -0.5, 1.2}, {0}, 2, -1, {0.6, -0.4}, {1.3, 0.9}, cylindrical},
    {"cardan", "axis = u\naxis2 = w\n", {0.3, -0.5, 1.2}, {1, 0.4, 0.3}, 2, -1, {0.6, -0.4}, {1.3, 0.9}, cardan},
    {"spherical", "", {0}, {0}, 4, 0, {0, 0.3, -0.2, 0.4}, {0, 0.5, 0.7, -0.4}, spherical},
    {"planar", "axis = u\n", {0.3, -0.5, 1.2}, {0}, 3, -1, {0.6, -0.4, 0.7}, {1.3, 0.9, -0.8}, planar},
    {"floating",
     "",
     {0},
     {0},
     7,
     3,
     {0.6, -0.4, 0.7, 0, 0.3, -0.2, 0.4},
     {1.3, 0.9, -0.8, 0, 0.5, 0.7, -0.4},
     floating},
    {"weld", "", {0}, {0}, 0, -1, {0}, {0}, weld},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* ---- differences of order six ---- */

static const double first_weights[] = {-1. / 60, 3. / 20, -3. / 4, 0, 3. / 4, -3. / 20, 1. / 60};
static const double second_weights[] = {1. / 90, -3. / 20, 3. / 2, -49. / 18, 3. / 2, -3. / 20, 1. / 90};
static const double h = 0.008;

/* ---- the motion by hand ---- */

static const double C[] = {0.5, 0.2, -0.3}; /* the joint's point, at the design position in both bodies */

typedef struct motion {
  const joint_case *j;
  rigid_motion A;
  double z[MBD_NZ_MAX], zd[MBD_NZ_MAX], zdd[MBD_NZ_MAX];
} motion;

/* Origin and orientation of B at time t near 0, with coordinate k, if any, moved by dz. A turns by w t + w' t^2/2. */
static void pose_of_B(const motion *m, double t, int k, double dz, double r[3], double R[3][3]) {
  double z[MBD_NZ_MAX], turn[3], S[3][3], RA[3][3], Rj[3][3], R0[3][3], d[3], c[3];
  for (int i = 0; i < m->j->nz; i++) { z[i] = m->z[i] + t * m->zd[i] + t * t / 2 * m->zdd[i] + (i == k ? dz : 0); }
  for (int i = 0; i < 3; i++) {
    turn[i] = t * m->A.w[i] + t * t / 2 * m->A.wd[i];
    r[i] = m->A.r[i] + t * m->A.v[i] + t * t / 2 * m->A.a[i];
  }
  identity(S);
  if (t != 0) { rotation_about(turn, sqrt(dot3(turn, turn)), S); }
  memcpy(R0, m->A.R, sizeof R0);
  product(S, R0, RA);
  m->j->pose(m->j, z, Rj, d);
  product(RA, Rj, R);
  /* o_B = o_A + R_A (c + d) - R_B c */
  add3(d, 1, C);
  turn3(RA, d, c);
  add3(r, 1, c);
  turn3(R, C, c);
  add3(r, -1, c);
}

/* a from the antisymmetric part of a~ */
static void axial(double S[3][3], double a[3]) {
  a[0] = (S[2][1] - S[1][2]) / 2, a[1] = (S[0][2] - S[2][0]) / 2, a[2] = (S[1][0] - S[0][1]) / 2;
}

/* M R' */
static void times_transposed(double M[3][3], double R[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { out[i][k] = dot3(M[i], R[k]); }
  }
}

/* w~ = R' R^T; w' is the axial part of R'' R^T, whose other part is symmetric. */
static rigid_motion motion_of_B(const motion *m) {
  rigid_motion b = {0};
  double Rd[3][3] = {{0}}, Rdd[3][3] = {{0}}, S[3][3];
  pose_of_B(m, 0, -1, 0, b.r, b.R);
  for (int i = 0; i < 7; i++) {
    double r[3], R[3][3];
    pose_of_B(m, (i - 3) * h, -1, 0, r, R);
    add3(b.v, first_weights[i] / h, r);
    add3(b.a, second_weights[i] / (h * h), r);
    for (int k = 0; k < 3; k++) {
      add3(Rd[k], first_weights[i] / h, R[k]);
      add3(Rdd[k], second_weights[i] / (h * h), R[k]);
    }
  }
  times_transposed(Rd, b.R, S);
  axial(S, b.w);
  times_transposed(Rdd, b.R, S);
  axial(S, b.wd);
  return b;
}

/* How B moves with coordinate k: v its origin, w its rotation. */
static void twist_of_B(const motion *m, int k, double v[3], double w[3]) {
  double R0[3][3], r0[3], Rd[3][3] = {{0}}, S[3][3];
  memset(v, 0, 3 * sizeof *v);
  pose_of_B(m, 0, -1, 0, r0, R0);
  for (int i = 0; i < 7; i++) {
    double r[3], R[3][3];
    pose_of_B(m, 0, k, (i - 3) * h, r, R);
    add3(v, first_weights[i] / h, r);
    for (int a = 0; a < 3; a++) { add3(Rd[a], first_weights[i] / h, R[a]); }
  }
  times_transposed(Rd, R0, S);
  axial(S, w);
}

/* ---- models ---- */

static const rigid bodies[] = {
    {"A", 2, {0.3, 0.5, 0.4}, {0.1, -0.2, 0.3}, {1, 2, -1}, 0.7, {0.4, -0.3, 0.9}, {0.5, -0.8, 0.6}},
    {"B", 3, {0.2, 0.6, 0.7}, {0}, {1, 0, 0}, 0, {0}, {0}}};

static double force_on(int k) {
  return 1.5 - 0.7 * k;
}

static const char *coordinate(const joint_case *j, int k) {
  return mbd_joint_find(j->type)->info.coordinate[k];
}

static void joint_sections(const joint_case *j, const char *cut, char *text, size_t size) {
  snprintf(text, size,
           "[point C]\nat = 0.5, 0.2, -0.3\nbodies = A, B\n[point P]\nat = 0.7, -0.2, 0.3\nbodies = B\n"
           "[point Q]\nat = -0.1, 0.4, 0.6\nbodies = B\n"
           "[vector u]\nalong = %g, %g, %g\nbodies = A, B\n[vector w]\nalong = %g, %g, %g\nbodies = A, B\n"
           "[joint j]\ntype = %s\nbodies = A, B\npoint = C\n%s%s",
           j->u[0], j->u[1], j->u[2] + (j->u[2] == 0), j->w[0], j->w[1], j->w[2] + (j->w[2] == 0), j->type, j->axes,
           cut);
}

/* A as the first free body; B by the joint. */
static test_model model_of(const joint_case *j, int forces) {
  char text[6000], start[2000] = "", body[600] = "";
  joint_sections(j, "", text, sizeof text);
  rigid_sections(&bodies[1], body, sizeof body);
  append(text, sizeof text, body);
  for (int k = 0; k < j->nz; k++) {
    char s[400];
    const char *name = coordinate(j, k);
    const int is_euler = j->euler >= 0 && k >= j->euler;
    if (forces && !is_euler) {
      snprintf(s, sizeof s,
               "[curve F%d]\ntype = polynomial\ncoefficients = %g\n"
               "[force f%d]\ntype = coordinate_force\ncoordinate = j.%s\nforce = F%d\n",
               k, force_on(k), k, name, k);
      append(text, sizeof text, s);
    }
    if (k == j->euler) { continue; } /* e0 follows from the others */
    snprintf(s, sizeof s, "hold.j.%s = %.17g\nrate.j.%s = %.17g\n", name, j->z[k], name, j->zd[k]);
    append(start, sizeof start, s);
  }
  return rigid_model(1, bodies, text, NULL, start);
}

static motion motion_of(const test_model *q, const joint_case *j) {
  motion m = {.j = j, .A = rigid_read(q, "A")};
  for (int k = 0; k < j->nz; k++) {
    char name[64];
    snprintf(name, sizeof name, "j.%s", coordinate(j, k));
    m.z[k] = value_now(q, name);
    snprintf(name, sizeof name, "j.%s.rate", coordinate(j, k));
    m.zd[k] = value_now(q, name);
    snprintf(name, sizeof name, "j.%s.acceleration", coordinate(j, k));
    m.zdd[k] = value_now(q, name);
  }
  return m;
}

/* Position, velocity and acceleration of three points of B. */
static void check_points(const char *type, const test_model *q, const rigid_motion *b) {
  static const struct {
    const char *name;
    double local[3];
  } points[] = {{"O_B", {0, 0, 0}}, {"P", {0.7, -0.2, 0.3}}, {"Q", {-0.1, 0.4, 0.6}}};
  rigid_motion m = *b;
  for (int p = 0; p < 3; p++) {
    double x[3], v[3], a[3], wwx[3], got[3][3];
    const char *const rates[] = {"position", "velocity", "acceleration"};
    turn3(m.R, points[p].local, x);
    cross3(m.w, x, v);
    cross3(m.wd, x, a);
    cross3(m.w, v, wwx);
    add3(a, 1, wwx);
    add3(x, 1, m.r), add3(v, 1, m.v), add3(a, 1, m.a);
    for (int i = 0; i < 3; i++) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s", points[p].name, rates[i]);
      vector_now(q, name, got[i]);
    }
    for (int i = 0; i < 3; i++) {
      CHECK_VALUE(type, got[0][i], x[i], tol);
      CHECK_VALUE(type, got[1][i], v[i], tol);
      CHECK_VALUE(type, got[2][i], a[i], tol);
    }
  }
}

/* Together A and B keep their momentum; along each coordinate B's inertia force is the force on the coordinate, none on Euler
 * parameters: F . dr/dz_k + n . w_k = Q_k. */
static void check_forces(const motion *m, const rigid_motion *b) {
  const wrench on_A = rigid_inertia(&bodies[0], &m->A), on_B = rigid_inertia(&bodies[1], b);
  double about_A[3], about_B[3];
  cross3(m->A.r, on_A.F, about_A);
  cross3(b->r, on_B.F, about_B);
  for (int i = 0; i < 3; i++) {
    CHECK_VALUE(m->j->type, on_A.F[i] + on_B.F[i], 0, 10 * tol);
    CHECK_VALUE(m->j->type, on_A.n[i] + on_B.n[i] + about_A[i] + about_B[i], 0, 10 * tol);
  }
  for (int k = 0; k < m->j->nz; k++) {
    const int is_euler = m->j->euler >= 0 && k >= m->j->euler;
    double v[3], w[3];
    twist_of_B(m, k, v, w);
    CHECK_VALUE(m->j->type, dot3(on_B.F, v) + dot3(on_B.n, w), is_euler ? 0 : force_on(k), 10 * tol);
  }
}

static void test_joints(void) {
  for (int i = 0; i < N_CASES; i++) {
    test_model q = model_of(&cases[i], 1);
    const motion m = motion_of(&q, &cases[i]);
    const rigid_motion b = motion_of_B(&m);
    check_points(cases[i].type, &q, &b);
    check_forces(&m, &b);
    model_close(&q);
  }
}

/* ---- the same joint cut ---- */

/* The Euler parameters of R, whose angle is below pi, as e = u sin(angle/2). */
static void rigid_placed(const rigid_motion *m, rigid *b) {
  double S[3][3], s[3];
  memcpy(S, m->R, sizeof S);
  axial(S, s); /* u sin(angle) */
  b->angle = atan2(sqrt(dot3(s, s)), (m->R[0][0] + m->R[1][1] + m->R[2][2] - 1) / 2);
  unit3(s, b->u);
  memcpy(b->r, m->r, sizeof b->r), memcpy(b->v, m->v, sizeof b->v), memcpy(b->w, m->w, sizeof b->w);
}

static void test_cut_joints(void) {
  for (int i = 0; i < N_CASES; i++) {
    const joint_case *j = &cases[i];
    char text[4000];
    if (mbd_joint_find(j->type)->nclosure == 0) { continue; } /* leaves all motions free */
    test_model q = model_of(j, 0);
    const motion m = motion_of(&q, j);
    const rigid_motion b = motion_of_B(&m);
    rigid both[2] = {bodies[0], bodies[1]};
    model_close(&q);
    rigid_placed(&b, &both[1]);
    joint_sections(
        j,
        "cut = yes\n[joint A]\ntype = floating\nbodies = ground, A\n[joint B]\ntype = floating\nbodies = ground, B\n",
        text, sizeof text);
    q = rigid_model(2, both, text, NULL, "");
    snprintf(text, sizeof text, "%s.cut", j->type);
    check_points(text, &q, &b);
    model_close(&q);
  }
}

static void test_every_joint_has_values(void) {
  for (int i = 0; mbd_joint_at(i); i++) {
    const mbd_joint_ops *j = mbd_joint_at(i);
    EXPECT_VALUE("joint", j->info.name, NULL);
    if (j->nclosure > 0) { EXPECT_VALUE("joint", j->info.name, "cut"); }
  }
}

TEST_MAIN(TEST(test_joints), TEST(test_cut_joints), TEST(test_every_joint_has_values))
