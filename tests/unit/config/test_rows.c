/* Denavit-Hartenberg rows: a mechanism by rows is that of points and vectors at the places that the product of the matrices of S4 (4)
 * gives, in all forces of inverse dynamics and their derivatives; a value by hand; derivatives by the numbers of a row; messages. */
#include "base/v3.h"
#include "mbd/inverse.h"
#include "mbd/measures.h"
#include "model.h"

enum { LINKS = 7, NUMBERS = 4, TEXT = 16000 };

/* Types of the joints, the link that each stands on (0: the ground), conventions. */
static const char *const type[LINKS + 1] = {"",         "revolute",    "prismatic", "revolute",
                                            "revolute", "cylindrical", "prismatic", "revolute"};
static const int carrier[LINKS + 1] = {0, 0, 1, 2, 1, 4, 3, 5}, modified[LINKS + 1] = {0, 0, 0, 1, 1, 0, 1, 0};
static const double row[LINKS + 1][NUMBERS] = {{0},
                                               {0.3, 0.2, 0.5, 1.5707963267948966},
                                               {-0.7, 0.1, 0.3, -1.2},
                                               {2.2, -0.3, 0.4, 0.4},
                                               {1, 0.2, 0, 3},
                                               {0.4, -0.2, 0.25, -1.5707963267948966},
                                               {-2, 0.15, -0.3, 2},
                                               {0, 0.3, -0.2, 0}};

/* ---- the mechanism by rows: every number a scalar ---- */

static void body_text(char *out, size_t size, int i, const double com[3], const double J[9]) {
  snprintf(out, size,
           "[body b%d]\nmass = %.17g\ncom = %.17g, %.17g, %.17g\n"
           "inertia = %.17g, %.17g, %.17g, %.17g, %.17g, %.17g\n",
           i, 1 + 0.1 * i, com[0], com[1], com[2], J[0], J[4], J[8], J[1], J[2], J[5]);
}

static void mass_of(int i, double com[3], double J[9]) {
  const double inertia[9] = {0.05, 0.002, 0.001 * i, 0.002, 0.04, -0.003, 0.001 * i, -0.003, 0.06};
  v3_set(com, 0.1 * i - 0.3, 0.2, 0.05 * i);
  memcpy(J, inertia, sizeof inertia);
}

static void by_rows(char *text) {
  int n =
      snprintf(text, TEXT, "schema = 1\n[model]\nframe = body\njoints = named\ngravity = 0.5, -0.4, -9.7\n[scalars]\n");
  for (int i = 1; i <= LINKS; i++) {
    n += snprintf(text + n, TEXT, "theta%d = %.17g\nd%d = %.17g\na%d = %.17g\nalpha%d = %.17g\n", i, row[i][0], i,
                  row[i][1], i, row[i][2], i, row[i][3]);
  }
  for (int i = 1; i <= LINKS; i++) {
    double com[3], J[9];
    mass_of(i, com, J);
    body_text(text + n, TEXT / 8, i, com, J);
    n += (int)strlen(text + n);
  }
  for (int i = 1; i <= LINKS; i++) {
    char on[16] = "ground";
    if (carrier[i]) { snprintf(on, sizeof on, "b%d", carrier[i]); }
    n += snprintf(text + n, TEXT / 8, "[joint j%d]\ntype = %s\nbodies = %s, b%d\ndh = theta%d, d%d, a%d, alpha%d\n%s",
                  i, type[i], on, i, i, i, i, i, modified[i] ? "convention = modified\n" : "");
  }
}

/* ---- the same by points and vectors in global axes, where all coordinates are zero ---- */

typedef struct pose {
  double R[9], r[3];
} pose;

/* p = p * Rot(axis, angle) Trans(axis, distance) */
static void move(pose *p, int axis, double angle, double distance) {
  const int i = (axis + 1) % 3, k = (axis + 2) % 3;
  double A[9], R[9];
  m3_identity(A);
  A[4 * i] = A[4 * k] = cos(angle);
  A[3 * i + k] = -sin(angle), A[3 * k + i] = sin(angle);
  for (int c = 0; c < 3; c++) { p->r[c] += distance * p->R[3 * c + axis]; }
  m3_mul(R, p->R, A);
  memcpy(p->R, R, sizeof R);
}

/* The frame of a link, and a point on its joint's axis with the axis. */
static void follow(int i, const pose *at, pose *p, double point[3], double axis[3]) {
  const double *q = row[i];
  *p = at[carrier[i]];
  if (modified[i]) { move(p, 0, q[3], q[2]); }
  for (int c = 0; c < 3; c++) { point[c] = p->r[c], axis[c] = p->R[3 * c + 2]; }
  move(p, 2, q[0], q[1]);
  if (!modified[i]) { move(p, 0, q[3], q[2]); }
}

static void by_points(char *text) {
  pose at[LINKS + 1] = {{.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  int n = snprintf(text, TEXT, "schema = 1\n[model]\njoints = named\ngravity = 0.5, -0.4, -9.7\n");
  for (int i = 1; i <= LINKS; i++) {
    double point[3], axis[3], com[3], J[9], JR[9], RJR[9], own[3];
    char on[16] = "ground";
    follow(i, at, &at[i], point, axis);
    mass_of(i, own, J);
    v3_copy(com, at[i].r);
    m3_vec_add(com, at[i].R, own);
    m3_mulT(JR, J, at[i].R);
    m3_mul(RJR, at[i].R, JR);
    body_text(text + n, TEXT / 8, i, com, RJR);
    n += (int)strlen(text + n);
    if (carrier[i]) { snprintf(on, sizeof on, "b%d", carrier[i]); }
    n += snprintf(text + n, TEXT / 8,
                  "[point P%d]\nat = %.17g, %.17g, %.17g\nbodies = %s, b%d\n"
                  "[vector u%d]\nalong = %.17g, %.17g, %.17g\nbodies = %s, b%d\n"
                  "[joint j%d]\ntype = %s\nbodies = %s, b%d\npoint = P%d\naxis = u%d\n",
                  i, point[0], point[1], point[2], on, i, i, axis[0], axis[1], axis[2], on, i, i, type[i], on, i, i, i);
  }
}

/* ---- comparisons ---- */

enum { N = LINKS + 1 }; /* coordinates: the cylindrical joint has two */

static void motion(double *z, double *zd, double *zdd) {
  for (int j = 0; j < N; j++) { z[j] = 2 * any(), zd[j] = any(), zdd[j] = 3 * any(); }
}

static void test_same(void) {
  static char text[2][TEXT];
  test_model q[2];
  mbd_inverse *v[2];
  mbd_error err = {0};
  by_rows(text[0]), by_points(text[1]);
  for (int k = 0; k < 2; k++) {
    q[k] = model_open_text(text[k]);
    CU_ASSERT_EQUAL_FATAL(mbd_model_nz(q[k].m), N);
    must(mbd_inverse_create(q[k].m, MBD_RTDYN0, 0, &v[k], &err), &err);
  }
  for (int state = 0; state < 5; state++) {
    double z[N], zd[N], zdd[N], Q[2][N];
    const double *D[2][3];
    motion(z, zd, zdd);
    for (int k = 0; k < 2; k++) {
      must(mbd_inverse_dynamics(v[k], q[k].p, 0, z, zd, zdd, 0, NULL, Q[k], &err), &err);
      mbd_inverse_jacobian(v[k], &D[k][0], &D[k][1], &D[k][2]);
    }
    for (int j = 0; j < N; j++) {
      CU_ASSERT_STRING_EQUAL(mbd_model_z_name(q[0].m, j), mbd_model_z_name(q[1].m, j));
      CHECK_NEAR(mbd_model_z_name(q[0].m, j), Q[0][j], Q[1][j], 100, 2e-15);
      for (int k = 0; k < 3 * N; k++) {
        CHECK_NEAR("derivative", D[0][k / N][N * j + k % N], D[1][k / N][N * j + k % N], 100, 4e-15);
      }
    }
  }
  for (int k = 0; k < 2; k++) { mbd_inverse_destroy(v[k]), model_close(&q[k]); }
}

/* Q and its change along every number of every row, by the expressions of the coefficients; and what differences say. */
static void forces_at(const char *text, int which, double h, const double *z, const double *zd, const double *zdd,
                      double Q[N], double Q_x[N]) {
  static const char *const kind[NUMBERS] = {"theta", "d", "a", "alpha"};
  char name[16];
  const char *what = name;
  test_model q = model_open_text(text);
  mbd_error err = {0};
  mbd_inverse *v;
  mbd_dparams *d;
  const int *start, *index;
  const double *value;
  const double rho = row[1 + which / NUMBERS][which % NUMBERS] + h;
  double *theta = calloc((size_t)mbd_model_ncoef(q.m), sizeof *theta);
  snprintf(name, sizeof name, "%s%d", kind[which % NUMBERS], 1 + which / NUMBERS);
  must(mbo_model_file_vary(q.file, 1, &what, &err), &err);
  must(mbo_model_file_eval(q.file, &rho, theta, &start, &index, &value, &err), &err);
  must(mbd_params_set(q.p, theta, &err), &err);
  must(mbd_inverse_create(q.m, MBD_RTDYN0, 0, &v, &err), &err);
  must(mbd_inverse_dynamics(v, q.p, 0, z, zd, zdd, 0, NULL, Q, &err), &err);
  must(mbd_dparams_create(q.m, &d, &err), &err);
  mbd_dparams_set(d, q.p, start[1] - start[0], index + start[0], value + start[0]);
  mbd_inverse_along(v, d, NULL, NULL, NULL, NULL, Q_x);
  mbd_dparams_destroy(d), mbd_inverse_destroy(v), model_close(&q), free(theta);
}

static void test_derivatives(void) {
  static char text[TEXT];
  const double h = 1e-5;
  double z[N], zd[N], zdd[N], largest = 0;
  by_rows(text);
  motion(z, zd, zdd);
  for (int k = 0; k < NUMBERS * LINKS; k++) {
    double low[N], high[N], Q_x[N], at[N], none[N];
    forces_at(text, k, 0, z, zd, zdd, at, Q_x);
    forces_at(text, k, -h, z, zd, zdd, low, none);
    forces_at(text, k, h, z, zd, zdd, high, none);
    for (int j = 0; j < N; j++) {
      CHECK_NEAR("by a number of a row", Q_x[j], (high[j] - low[j]) / (2 * h), 100, 1e-9);
      largest = fmax(largest, fabs(Q_x[j]));
    }
  }
  CU_ASSERT(largest > 10);
}

/* Two links of 0.5 and 0.3 in a plane, the second standing at 0.4 to the first where its angle is zero; the frames are at the far
 * ends: the hand is at the end of the second. The third link slides along its z, which is across the plane, from 0.2 on. */
static const char planar[] =
    "schema = 1\n[model]\nframe = body\njoints = named\n[scalars]\nl = 0.5\n"
    "[body upper]\nmass = 0\n[body lower]\nmass = 0\n[body pen]\nmass = 0.7\ncom = 0, 0, 0\ninertia = 0, 0, 0\n"
    "[joint shoulder]\ntype = revolute\nbodies = ground, upper\ndh = 0, 0, l, 0\n"
    "[joint elbow]\ntype = revolute\nbodies = upper, lower\ndh = 0.4, 0, 0.3, pi\n"
    "[joint lift]\ntype = prismatic\nbodies = lower, pen\ndh = 0, 0.2, 0, 0\n"
    "[start]\nhold.shoulder.angle = 0.3\nhold.elbow.angle = -0.9\nhold.lift.distance = 0.15\n";

static void test_value(void) {
  test_model q = model_open_text(planar);
  mbd_error err = {0};
  mbd_inverse *v;
  double Q[3];
  const double z[3] = {0.3, -0.9, 0.15}, rest[3] = {0};
  const double expected[3] = {0.5 * cos(0.3) + 0.3 * cos(0.3 + 0.4 - 0.9), 0.5 * sin(0.3) + 0.3 * sin(0.3 + 0.4 - 0.9),
                              -(0.2 + 0.15)};
  double o[3], A[9], started[6];
  mbd_sim *s;
  mbd_case c;
  mbd_case_init(&c);
  c.duration = c.step = 0.01;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, started, started + 3, NULL, NULL, &err), &err);
  mbd_sim_pose(s, 3, o, A);
  for (int i = 0; i < 3; i++) { CHECK_CLOSE("place of the pen", o[i], expected[i], 1e-15); }
  CHECK_CLOSE("x of the pen", A[0], cos(0.3 + 0.4 - 0.9), 1e-15);
  CHECK_CLOSE("z of the pen", A[8], -1, 1e-15);
  mbd_sim_destroy(s);
  must(mbd_inverse_create(q.m, MBD_RTDYN0, 0, &v, &err), &err);
  must(mbd_inverse_dynamics(v, q.p, 0, z, rest, rest, 0, NULL, Q, &err), &err);
  CHECK_CLOSE("weight of the pen", Q[2], -0.7 * 9.81, 1e-14); /* its z is down */
  CHECK_CLOSE("no moment about the vertical", Q[0], 0, 1e-14);
  mbd_inverse_destroy(v);
  model_close(&q);
}

/* ---- messages ---- */

static void test_messages(void) {
  static const broken_case cases[] = {
      {"dh = 0, 0, l, 0", "dh = 0, 0, l", "[joint shoulder] dh = 0, 0, l: 3 values, expected 4 separated by commas"},
      {"dh = 0, 0, l, 0", "dh = 0, 0, ll, 0", "dh = 0, 0, ll, 0: scalar 'll' is not known, did you mean 'l'?"},
      {"dh = 0, 0, l, 0", "dh = 0, 0, l*, 0", "dh = 0, 0, l*, 0: expression 'l*', column 3: found the end"},
      {"dh = 0, 0, l, 0", "dh = 0, 0, l, 1/0", "[joint shoulder] dh = 0, 0, l, 1/0: "},
      {"dh = 0, 0, l, 0", "dh = 0, 0, l, 0\npoint = P", "expected either 'dh' or 'point', not both"},
      {"dh = 0, 0, l, 0", "dh = 0, 0, l, 0\nzero = P", "expected either 'dh' or 'zero', not both"},
      {"revolute", "spherical", "has no Denavit-Hartenberg row, expected revolute, prismatic or cylindrical"},
      {"frame = body", "frame = global", "expected frame = body in [model]"},
      {"dh = 0, 0, l, 0", "convention = modified", "convention = modified: expected beside 'dh'"},
      {"dh = 0, 0, l, 0", "dh = 0, 0, l, 0\nconvention = craig",
       "convention = craig: expected one of classical, modified"},
      {"mass = 0\n[body lower]", "mass = l\n[body lower]", "[body upper] key 'com' is missing"},
      {"mass = 0\n[body lower]", "mass = 0*l\n[body lower]", "[body upper] key 'com' is missing"},
      {"mass = 0\n[body lower]", "mass = 1\ncom = 0, 0, 0\n[body lower]", "[body upper] key 'inertia' is missing"},
  };
  check_broken_models(planar, sizeof cases / sizeof cases[0], cases);
}

/* What the compiler of models says of a zero. */
static void test_zero(void) {
  static const char frames[] =
      "schema = 1\n[model]\njoints = named\n[body b]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, b\n[vector u]\nalong = 0, 0, 1\nbodies = ground, b\n"
      "[vector x]\nalong.ground = 1, 0, 0\nalong.b = 0, 1, 1\n[vector w]\nalong = 0, 0, -2\nbodies = ground, b\n"
      "[joint j]\nbodies = ground, b\npoint = O\n";
  mbd_error err = {0};
  CU_ASSERT_EQUAL(model_compile(frames, "type = spherical\nzero = x\n", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "joint 'j': a spherical joint has not one axis, expected no zero");
  CU_ASSERT_EQUAL(model_compile(frames, "type = revolute\naxis = u\nzero = y\n", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "joint 'j': vector 'y' is not known");
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  char text[2000];
  edit(text, sizeof text, frames, "", "type = revolute\naxis = u\nzero = w\n");
  must(read_model(text, &file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
  CU_ASSERT_EQUAL(mbd_params_create(m, NULL, &p, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "joint 'j': its zero (vector.w@ground.x ...) is along its axis (vector.u@ground.x ...)");
  mbd_model_destroy(m), mbo_model_file_destroy(file);

  /* at angle zero, y of the body is along x of the ground: x of the body is along -y */
  test_model q = model_open_parts(frames, "type = revolute\naxis = u\nzero = x\n");
  mbd_joint_place place;
  const double expected[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1};
  mbd_params_joint(q.p, 0, &place);
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("frame at zero", place.zero[i], expected[i], 1e-15); }
  model_close(&q);
}

TEST_MAIN(TEST(test_same), TEST(test_derivatives), TEST(test_value), TEST(test_messages), TEST(test_zero))
