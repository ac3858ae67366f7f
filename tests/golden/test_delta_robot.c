/* The delta robot of problems/delta_robot: angles of its arms against the published examples and the closed form of inverse kinematics, torques
 * of its motors against equilibrium by hand, gradients by every method, and what configs/delta_robot.ini finds. */
#include <math.h>

#include "mbo/backend.h"
#include "opened_run.h"

static const double degree = 3.14159265358979323846 / 180, g = 9.81;
enum { ARMS = 3 };

/* Scalars of the model. */
static const double base = 0.164, arm = 0.524, rod = 1.244, platform = 0.044, arm_line = 1.2, elbow = 0.25,
                    rod_line = 0.12, plate = 0.45, load = 1, rotor = 1e-4, gear = 20, deep = 1.05, span = 0.305,
                    lift = 0.025;

/* ---- by hand ---- */

/* The angle of arm i with the platform's middle at p. Its elbow is where the circle of the arm's end meets the sphere of the rods about their
 * ends on the platform, on the outer side; both as if the rods of a pair were one rod between their middles. */
static double inverse_kinematics(int i, const double *p) {
  const double phi = (120 * i - 90) * degree;
  const double u = p[0] * cos(phi) + p[1] * sin(phi) + platform - base, v = -p[0] * sin(phi) + p[1] * cos(phi);
  const double along = (u * u + v * v + p[2] * p[2] + arm * arm - rod * rod) / (2 * arm);
  return atan2(-p[2], u) - acos(along / hypot(u, p[2]));
}

/* x = A^-1 b by Cramer's rule, columns of A in c. */
static double determinant(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}
static void solve(double c[3][3], const double *b, double *x) {
  const double all = determinant(c[0], c[1], c[2]);
  x[0] = determinant(b, c[1], c[2]) / all, x[1] = determinant(c[0], b, c[2]) / all,
  x[2] = determinant(c[0], c[1], b) / all;
}

/* Torques of the motors where the platform's middle is at p with the acceleration a, and the arms turn with the accelerations zdd. Half of the
 * mass of each rod is at either end of it. The tension of each pair, along the unit vector d from the platform to the elbow, follows from the
 * equilibrium of forces on the platform, the torque from that of moments about the motor's axis. */
static void torques(const double *p, const double *a, const double *zdd, double *torque) {
  double d[ARMS][3], z[ARMS], tension[ARMS];
  const double one_rod = rod_line * rod, hung = plate + load + 3 * one_rod;
  for (int i = 0; i < ARMS; i++) {
    const double phi = (120 * i - 90) * degree;
    z[i] = inverse_kinematics(i, p);
    const double out = base - platform + arm * cos(z[i]);
    d[i][0] = (out * cos(phi) - p[0]) / rod, d[i][1] = (out * sin(phi) - p[1]) / rod;
    d[i][2] = (-arm * sin(z[i]) - p[2]) / rod;
  }
  solve(d, (const double[3]){hung * a[0], hung * a[1], hung * (a[2] + g)}, tension);
  for (int i = 0; i < ARMS; i++) {
    const double phi = (120 * i - 90) * degree, end = elbow + one_rod;
    const double inertia = arm_line * pow(arm, 3) / 3 + end * arm * arm + rotor * gear * gear;
    const double weight = (arm_line * arm * arm / 2 + end * arm) * g * cos(z[i]);
    const double across = -sin(z[i]) * (d[i][0] * cos(phi) + d[i][1] * sin(phi)) - cos(z[i]) * d[i][2];
    torque[i] = inertia * zdd[i] - weight + tension[i] * arm * across;
  }
}

/* ---- the model ---- */

/* Outputs y [n] at the part x of the time of the path, along which these lines drive the robot; with scalars of the model that are set. */
static void simulate(const char *lines, double x, int n, const char *const *of, int nset, const char *const *set,
                     double *y) {
  char text[2000];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s/problems/delta_robot/delta_robot.ini\n[design arm]\n"
           "[case c]\nanalysis = kinematic\nduration = %.17g*T\nstep = T/40\n%s\n"
           "[objective o]\nof = middle.position.x\nform = terminal\n",
           MBOPT_SOURCE_DIR, x, lines);
  run_to_end(text, n, of, nset, set, y);
}

static const char by_platform[] = "drive.platform.x = path_x\ndrive.platform.y = path_y\ndrive.platform.z = path_z\n";
static const char by_arms[] = "drive.arm_{i from 1 to 3}.angle = angle_{i}\n";
static const char *const angles[ARMS] = {"arm_1.angle", "arm_2.angle", "arm_3.angle"};

/* Compares with both examples of Williams, The delta parallel robot: kinematics solutions, to the printed decimal. His base and platform are triangles
 * with sides of 0.567 and 0.076 m; the model has the distances that follow, rounded to 1 mm, which changes the angles by at most 0.018 degrees. */
static void test_published(void) {
  static const struct {
    const char *drives;
    double angle[ARMS];
  } of[] = {{"drive.platform.x = 0\ndrive.platform.y = 0\ndrive.platform.z = -0.9\n", {-20.5, -20.5, -20.5}},
            {"drive.platform.x = 0.3\ndrive.platform.y = 0.5\ndrive.platform.z = -1.1\n", {47.5, -11.6, 21.4}}};
  for (int k = 0; k < 2; k++) {
    double y[ARMS];
    simulate(of[k].drives, 1, ARMS, angles, 0, NULL, y);
    for (int i = 0; i < ARMS; i++) { CHECK_CLOSE("published angle", y[i] / degree, of[k].angle[i], 0.05); }
  }
}

static void path(double x, double azimuth, double *p) {
  const double along = span * (x * x * x * (10 - 15 * x + 6 * x * x) - 0.5);
  p[0] = along * cos(azimuth), p[1] = along * sin(azimuth), p[2] = -deep + 64 * lift * pow(x * (1 - x), 3);
}

static void test_angles(void) {
  static const char *const set[] = {"scalars.azimuth=0.4"};
  for (int k = 1; k <= 4; k++) {
    double p[3], y[ARMS];
    path(0.25 * k, 0.4, p);
    simulate(by_platform, 0.25 * k, ARMS, angles, 1, set, y);
    for (int i = 0; i < ARMS; i++) { CHECK_CLOSE("angle", y[i], inverse_kinematics(i, p), 1e-12); }
  }
}

/* How far the platform is from its path where splines through so many points drive the arms, in m. */
static double off_path(const char *points, double x) {
  static const char *const of[] = {"middle.position.x", "middle.position.y", "middle.position.z"};
  const char *set[] = {"scalars.azimuth=0.4", points};
  double p[3], y[3];
  path(x, 0.4, p);
  simulate(by_arms, x, 3, of, 2, set, y);
  return sqrt(pow(y[0] - p[0], 2) + pow(y[1] - p[1], 2) + pow(y[2] - p[2], 2));
}

/* At a point that the splines go through; and off these, where the error of cubics between points at the distance h is h^4 u^2 (1 - u)^2/24 of
 * the fourth derivative, u the part of the way: x is half of the way between two of 81 points, and a quarter of it between two of 41. */
static void test_spline(void) {
  const double x = 26.5 / 80, expected = 16 * pow(0.25 * 0.75, 2) / pow(0.5 * 0.5, 2);
  CHECK_CLOSE("on the path", off_path("scalars.points=81", 26. / 80), 0, 1e-12);
  CU_ASSERT(off_path("scalars.points=81", x) < 1e-8);
  CHECK_CLOSE("order", off_path("scalars.points=41", x) / off_path("scalars.points=81", x), expected, 0.1);
}

static void test_torques(void) {
  enum { N = 12 };
  static const char *const set[] = {"scalars.azimuth=0.4"};
  static const char *const of[N] = {"middle.position.x",
                                    "middle.position.y",
                                    "middle.position.z",
                                    "middle.acceleration.x",
                                    "middle.acceleration.y",
                                    "middle.acceleration.z",
                                    "arm_1.angle.acceleration",
                                    "arm_2.angle.acceleration",
                                    "arm_3.angle.acceleration",
                                    "drive.arm_1.angle.drive_force",
                                    "drive.arm_2.angle.drive_force",
                                    "drive.arm_3.angle.drive_force"};
  for (int k = 0; k < 4; k++) {
    double y[N], by_hand[ARMS];
    simulate(by_arms, 0.1 + 0.25 * k, N, of, 1, set, y);
    torques(y, y + 3, y + 6, by_hand);
    for (int i = 0; i < ARMS; i++) { CHECK_NEAR("torque", y[9 + i], by_hand[i], 10, 1e-11); }
  }
}

/* ---- the design ---- */

static const char config[] = "configs/delta_robot.ini";
enum { COARSE = 3, VARIABLES = 4, QUANTITIES = 19 };
static const char *const coarse[COARSE] = {"scalars.points=21", "case.along_x.step=T/20", "case.along_y.step=T/20"};

static void test_gradients(void) {
  static const char *const method[] = {"direct", "discrete_adjoint", "complex_step"};
  enum { METHODS = 3 };
  static double grad[METHODS][QUANTITIES * VARIABLES];
  opened_run r = run_open(config, COARSE, coarse);
  mbd_error err = {0};
  CU_ASSERT_EQUAL_FATAL(r.m->n, VARIABLES);
  for (int k = 0; k < METHODS; k++) {
    must(mechanism_evaluate(r.m, r.m->start, method[k], &err), &err);
    memcpy(grad[k], r.m->grad, sizeof grad[k]);
  }
  for (int i = 0; i < QUANTITIES; i++) {
    double scale = 0;
    for (int j = 0; j < VARIABLES; j++) { scale = fmax(scale, fabs(grad[2][i * VARIABLES + j])); }
    CU_ASSERT(scale > 1e-3);
    for (int j = 0; j < VARIABLES; j++) {
      CHECK_NEAR("direct", grad[0][i * VARIABLES + j], grad[2][i * VARIABLES + j], scale, 1e-11);
      CHECK_NEAR("adjoint", grad[1][i * VARIABLES + j], grad[2][i * VARIABLES + j], scale, 1e-11);
    }
  }
  run_close(&r);
}

/* At the optimum four constraints are active: the rods are at their largest angle out of the plane of the arm, the arm is at its upper and at its lower
 * limit, the elbow at its limit. The test solves none of these equations; it inserts the four variables into them. The heat falls by 40 percent. */
static void test_design(void) {
  opened_run r = run_open(config, COARSE, coarse);
  mbd_error err = {0};
  mbo_problem p;
  mbo_settings s;
  mbo_result q = {0};
  mbo_settings_init(&s);
  s.algorithm = "slsqp", s.max_iterations = 100, s.tol_f = 1e-10;
  mechanism_problem(r.m, &p);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  const double heat = r.m->f;
  const mbd_status status = mbo_solve("nlopt", &p, &s, &q, &err);
  if (status != MBD_NOT_BUILT_IN) {
    must(status, &err);
    CU_ASSERT_EQUAL(q.status, MBO_CONVERGED);
    CU_ASSERT(q.f < 0.6 * heat);
    const double a = q.x[0], b = q.x[1], inset = q.x[2] - platform, w = q.x[3];
    CHECK_CLOSE("rods aside", 0.5 / b, 0.45, 1e-7);
    const double up = -50 * degree, down = 70 * degree; /* of the arm, in whose plane the rods are at these places */
    CHECK_CLOSE("arm up", hypot(0.5 - inset - a * cos(up), w - a * sin(up)), b, 1e-7);
    CHECK_CLOSE("arm down", hypot(-0.5 - inset - a * cos(down), w + 0.25 - a * sin(down)), b, 1e-7);
    const double line = hypot(0.5 - inset, w);
    CHECK_CLOSE("elbow", (a * a + b * b - line * line) / (2 * a * b), 0.7, 1e-7);
  }
  mbo_result_free(&q);
  run_close(&r);
}

TEST_MAIN(TEST(test_published), TEST(test_angles), TEST(test_spline), TEST(test_torques), TEST(test_gradients),
          TEST(test_design))
