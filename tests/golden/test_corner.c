/* The corner of problems/corner against the closed form of a double wishbone with a toe link, over its travel; its compliance against that
 * of linear springs, by virtual work; and what configs/corner.ini finds. */
#include "edited.h"
#include "la/dense.h"
#include "mbo/backend.h"
#include "opened_run.h"

static const double degree = 3.14159265358979323846 / 180;

/* ---- the closed form ---- */

/* Scalars of the model that the optimization moves, and hard points that they do not. */
typedef struct hard_points {
  double rack_y, rack_z, link_x, link_z, upper_y, upper_z, upper_ball_z;
} hard_points;
enum { VARIABLES = 7 };

static const hard_points start = {0.34, 0.23, 0.14, 0.21, 0.42, 0.48, 0.50};
static const double lower_x = 0.16, upper_x = 0.12;
static const double lower_pivot[3] = {0.16, 0.36, 0.20}, lower_ball[3] = {0.01, 0.70, 0.18},
                    centre[3] = {0, 0.75, 0.31};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) { c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]; }
}
/* c = a + s b */
static void add(const double *a, double s, const double *b, double *c) {
  for (int i = 0; i < 3; i++) { c[i] = a[i] + s * b[i]; }
}
static double between(const double *a, const double *b) {
  double d[3];
  add(a, -1, b, d);
  return sqrt(dot(d, d));
}

/* The circle of p about the line through `on` along u (unit): middle + cos e + sin f. */
typedef struct circle {
  double middle[3], e[3], f[3];
} circle;

static circle circle_of(const double *p, const double *on, const double *u) {
  circle q;
  double d[3];
  add(p, -1, on, d);
  add(on, dot(d, u), u, q.middle);
  add(p, -1, q.middle, q.e);
  cross(u, q.e, q.f);
  return q;
}
static void on_circle(const circle *q, double angle, double *p) {
  add(q->middle, cos(angle), q->e, p);
  add(p, sin(angle), q->f, p);
}

/* The smallest turn at which the point of the circle is so far from p. */
static double turn_to(const circle *q, const double *p, double distance) {
  double d[3];
  add(q->middle, -1, p, d);
  const double a = 2 * dot(d, q->e), b = 2 * dot(d, q->f), c = distance * distance - dot(d, d) - dot(q->e, q->e);
  const double at = atan2(b, a), by = acos(c / hypot(a, b));
  const double first = remainder(at + by, 360 * degree), second = remainder(at - by, 360 * degree);
  return fabs(first) < fabs(second) ? first : second;
}

/* The point at given distances r from three points, on the side of their plane where `side` is positive. */
static void three_spheres(const double *a, const double *b, const double *c, const double *r, double side, double *p) {
  double ex[3], ey[3], ez[3], d[3];
  const double ab = between(b, a);
  add(b, -1, a, ex), add(c, -1, a, d);
  for (int i = 0; i < 3; i++) { ex[i] /= ab; }
  const double i = dot(ex, d);
  add(d, -i, ex, ey);
  const double j = sqrt(dot(ey, ey));
  for (int k = 0; k < 3; k++) { ey[k] /= j; }
  cross(ex, ey, ez);
  const double x = (r[0] * r[0] - r[1] * r[1] + ab * ab) / (2 * ab);
  const double y = (r[0] * r[0] - r[2] * r[2] + i * i + j * j - 2 * i * x) / (2 * j);
  const double z = sqrt(r[0] * r[0] - x * x - y * y);
  add(a, x, ex, p), add(p, y, ey, p), add(p, side > 0 ? z : -z, ez, p);
}

/* Columns: b - a, c - a and what is normal to both. */
static void triad(const double *a, const double *b, const double *c, double *E) {
  double d[3][3];
  add(b, -1, a, d[0]), add(c, -1, a, d[1]);
  cross(d[0], d[1], d[2]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { E[i * 3 + k] = d[k][i]; }
  }
}

typedef struct pose {
  double rise, toe, camber;
} pose;

/* Where the lower wishbone has turned by so much. */
static pose at_turn(const hard_points *q, double turn) {
  const double upper_pivot[3] = {upper_x, q->upper_y, q->upper_z}, upper_ball[3] = {-0.015, 0.66, q->upper_ball_z},
               rack[3] = {0.13, q->rack_y, q->rack_z}, link[3] = {q->link_x, 0.69, q->link_z}, along[3] = {1, 0, 0};
  const double slope = hypot(2 * upper_x, 0.02), upper_line[3] = {2 * upper_x / slope, 0, 0.02 / slope};
  const circle lower = circle_of(lower_ball, lower_pivot, along),
               upper = circle_of(upper_ball, upper_pivot, upper_line);
  const double r[3] = {between(link, lower_ball), between(link, upper_ball), between(link, rack)};
  double L[3], U[3], O[3], d[3][3], n[3], E[9], E0[9], x[6];
  int piv[3];
  on_circle(&lower, turn, L);
  on_circle(&upper, turn_to(&upper, L, between(lower_ball, upper_ball)), U);
  add(upper_ball, -1, lower_ball, d[0]), add(rack, -1, lower_ball, d[1]), add(link, -1, lower_ball, d[2]);
  cross(d[0], d[1], n);
  three_spheres(L, U, rack, r, dot(n, d[2]), O);
  triad(lower_ball, upper_ball, link, E0), triad(L, U, O, E);
  for (int i = 0; i < 3; i++) {
    x[2 * i] = centre[i] - lower_ball[i], x[2 * i + 1] = i == 1;
  } /* centre, axis of the wheel */
  CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(3, E0, piv), MBD_OK);
  mbd_lu_solve(3, E0, piv, 2, x);
  double out[6] = {0};
  mbd_mul_add(3, 3, 2, 1, E, x, out);
  return (pose){L[2] + out[4] - centre[2], atan2(out[1], out[3]) / degree,
                -atan2(out[5], hypot(out[1], out[3])) / degree};
}

static pose at_rise(const hard_points *q, double rise) {
  double from = -0.5, to = 0.5;
  for (int i = 0; i < 80; i++) {
    const double middle = (from + to) / 2;
    *(at_turn(q, middle).rise < rise ? &from : &to) = middle;
  }
  return at_turn(q, from);
}

/* ---- the model ---- */

/* Outputs y [n] at the end of the only case, which has these lines; with scalars of the model that are set. */
static void simulate(const char *lines, int n, const char *const *of, int nset, const char *const *set, double *y) {
  char text[3000];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s/problems/corner/corner.ini\n[design rack_z]\n"
           "[case c]\nduration = 1\nstep = 0.05\n%s\n[objective o]\nof = rise\nform = terminal\n",
           MBOPT_SOURCE_DIR, lines);
  run_to_end(text, n, of, nset, set, y);
}

/* The wheel goes to each of five heights, from 8 cm below. */
static void check_curve(const hard_points *q) {
  static const char *const of[] = {"toe", "camber", "rise"};
  static const char *const name[VARIABLES] = {"rack_y",  "rack_z",  "link_x",      "link_z",
                                              "upper_y", "upper_z", "upper_ball_z"};
  char text[VARIABLES + 1][60];
  const char *set[VARIABLES + 1];
  for (int i = 0; i < VARIABLES; i++) {
    snprintf(text[i], sizeof text[i], "scalars.%s=%.17g", name[i], (&q->rack_y)[i]), set[i] = text[i];
  }
  set[VARIABLES] = text[VARIABLES];
  for (int i = 0; i <= 4; i++) {
    const double rise = 0.04 * (i - 2);
    double y[3];
    snprintf(text[VARIABLES], sizeof text[VARIABLES], "case.c.drive.rise=%.17g", rise);
    simulate("analysis = kinematic\ndrive.lower_seat.* = 0\ndrive.upper_seat.* = 0\ndrive.rise = 0", 3, of,
             VARIABLES + 1, set, y);
    const pose exact = at_rise(q, rise);
    CHECK_CLOSE("toe [deg]", y[0], exact.toe, 1e-11);
    CHECK_CLOSE("camber [deg]", y[1], exact.camber, 1e-11);
    CHECK_CLOSE("rise", y[2], rise, 1e-15);
  }
}

static void test_curves(void) {
  check_curve(&start);
}

/* ---- compliance ---- */

static const char *const seat[] = {"lower_seat.x", "lower_seat.y", "lower_seat.angle",
                                   "upper_seat.x", "upper_seat.y", "upper_seat.angle"};
enum { SEATS = 6 };

/* Stiffness of a seat about its front pivot, with the rear one at the distance l behind it. */
static void stiffness(double axial, double radial, double l, double *K) {
  const double k[9] = {2 * axial, 0, 0, 0, 2 * radial, -radial * l, 0, -radial * l, radial * l * l};
  memcpy(K, k, sizeof k);
}

/* Small forces: the seats yield by K s = Q, Q what the side force asks of drives that hold them; toe and camber follow from s as where
 * the seats are driven. */
static void test_compliance(void) {
  static const char *const of[] = {"toe", "camber"};
  static const char held[] = "analysis = kinematic\ndrive.rise = 0\ndrive.lower_seat.* = 0\ndrive.upper_seat.* = 0";
  const char *force[SEATS];
  char name[SEATS][60], set[100];
  const char *list = set;
  double Q[SEATS], K[2][9], linear[2] = {0}, y[2];
  int piv[3];
  for (int i = 0; i < SEATS; i++) {
    snprintf(name[i], sizeof name[i], "drive.%s.drive_force", seat[i]), force[i] = name[i];
  }
  simulate(held, SEATS, force, 0, NULL, Q);
  stiffness(2e6, 8e6, 2 * lower_x, K[0]), stiffness(1.5e6, 4e6, 2 * upper_x, K[1]);
  for (int i = 0; i < 2; i++) {
    CU_ASSERT_EQUAL_FATAL(mbd_lu_factor(3, K[i], piv), MBD_OK);
    mbd_lu_solve(3, K[i], piv, 1, Q + 3 * i);
  }
  for (int i = 0; i < SEATS; i++) {
    const double h = 1e-4;
    double ahead[2], behind[2];
    snprintf(set, sizeof set, "case.c.drive.%s=%.17g", seat[i], h);
    simulate(held, 2, of, 1, &list, ahead);
    snprintf(set, sizeof set, "case.c.drive.%s=%.17g", seat[i], -h);
    simulate(held, 2, of, 1, &list, behind);
    for (int k = 0; k < 2; k++) { linear[k] -= (ahead[k] - behind[k]) / (2 * h) * Q[i]; }
  }
  snprintf(set, sizeof set, "scalars.side_force=1");
  simulate("analysis = static\ndrive.rise = 0", 2, of, 1, &list, y);
  printf("(toe %.6f, camber %.6f deg/kN) ", 1000 * y[0], 1000 * y[1]);
  CHECK_CLOSE("toe per kN", 1000 * y[0], linear[0], 1e-5 * fabs(linear[0]));
  CHECK_CLOSE("camber per kN", 1000 * y[1], linear[1], 1e-5 * fabs(linear[1]));
}

/* ---- the optimum ---- */

/* What is found goes along the wanted line of -2.5 deg/m, by the closed form too. */
static void test_optimum(void) {
  opened_run r = run_open("configs/corner.ini", 0, NULL);
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbd_error err = {0};
  mbo_settings_init(&s);
  s.max_iterations = 100, s.tolerance = 1e-9, s.gauss_newton = 1;
  mechanism_problem(r.m, &p);
  const mbd_status status = mbo_solve("ipopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    CU_ASSERT_EQUAL_FATAL(p.n, VARIABLES);
    hard_points found;
    memcpy(&found.rack_y, q.x, sizeof found);
    check_curve(&found);
    for (int i = -8; i <= 8; i++) {
      CHECK_CLOSE("toe less what is wanted", at_rise(&found, 0.01 * i).toe + 2.5 * 0.01 * i, 0, 0.006);
    }
    CHECK_CLOSE("mean square", q.f, 2.584e-6, 1e-8);
  }
  mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_curves), TEST(test_compliance), TEST(test_optimum))
