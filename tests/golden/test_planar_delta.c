/* The planar delta robot: its file as it is imported has the torques of the model; these against virtual work by hand; the path; gradients; the optimum that
 * problems/planar_delta/README.md states. */
#include "imported.h"

static const double g = 9.81, arm = 0.04, rod = 0.06, base = 0.01, height = 0.05, load = 0.01;

/* ---- by hand ---- */

/* A place in the plane and its derivatives by both angles of the arms. */
typedef struct place {
  double y, z, dy[2], dz[2];
} place;

/* The end of an arm that hangs from a motor at y, turned by `angle` from straight down to the left. */
static place elbow(int i, double y, double angle) {
  place e = {.y = y - arm * sin(angle), .z = height - arm * cos(angle)};
  e.dy[i] = -arm * cos(angle), e.dz[i] = arm * sin(angle);
  return e;
}

/* Where both connecting rods meet, below: W lies across the middle of the elbows; its derivatives keep both lengths, (W - E_i).(dW - dE_i) = 0. */
static place wrist(const place *a, const place *b) {
  const double u = b->y - a->y, v = b->z - a->z, half = hypot(u, v) / 2, drop = sqrt(rod * rod - half * half);
  place w = {.y = (a->y + b->y) / 2 + drop * v / (2 * half), .z = (a->z + b->z) / 2 - drop * u / (2 * half)};
  const double p = w.y - a->y, q = w.z - a->z, r = w.y - b->y, s = w.z - b->z, det = p * s - q * r;
  for (int k = 0; k < 2; k++) {
    const double to_a = p * a->dy[k] + q * a->dz[k], to_b = r * b->dy[k] + s * b->dz[k];
    w.dy[k] = (to_a * s - q * to_b) / det, w.dz[k] = (p * to_b - to_a * r) / det;
  }
  return w;
}

/* Torques that hold the robot: the slopes of the potential energy. Bars hang in their middles; the transmission moves with the second elbow, the effector with the wrist, both
 * without turning, and so do the bars of the transmission with those beside them. Masses are those of the file. */
static void holding(const double angle[2], double torque[2]) {
  const double bar = 0.0028399281198533575, connecting = 0.004459928119853362, beside = 0.0014908241231472103,
               beside_connecting = 0.0021658241231472084, transmission = 0.001338038183073891,
               effector = 0.0038207811339355168, sphere = 6.5449846949787396e-06;
  const place a = elbow(0, -base, angle[0]), b = elbow(1, base, angle[1]), w = wrist(&a, &b);
  for (int k = 0; k < 2; k++) {
    torque[k] = g * (bar * (a.dz[k] + b.dz[k]) / 2 + beside * b.dz[k] / 2 +
                     connecting * (a.dz[k] + b.dz[k] + 2 * w.dz[k]) / 2 + beside_connecting * (b.dz[k] + w.dz[k]) / 2 +
                     (transmission + 2 * sphere) * b.dz[k] + (effector + load + 4 * sphere) * w.dz[k]);
  }
}

/* ---- the model and the file ---- */

static const char *const torques[] = {"drive.mot1_rod1.angle.drive_force", "drive.mot1_rod2.angle.drive_force"};
static const double zero = 0.021170584225393279; /* angle of rod1 where its motor is at zero */

/* Outputs y [n] of a model that is held at two angles of its arms. */
static void hold(const char *model, const char *scalars, const double angle[2], int n, const char *const *of,
                 double *y) {
  char text[1200];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[scalars]\n%s\n[design v]\nscalar = T\n[case c]\nanalysis = "
           "kinematic\nduration = 1\nstep = "
           "1\ndrive.mot1_rod1.angle = %.17g\ndrive.mot1_rod2.angle = %.17g\ndrive.closedloop1_B.angle = "
           "0\ndrive.closedloop2_A.angle = 0\ndrive.closedloop3_B.angle = 0\n"
           "[objective o]\nof = effector_frame.position.y\nform = terminal\n",
           model, scalars, angle[0] - zero, angle[1]);
  run_to_end(text, n, of, 0, NULL, y);
}

static const char own[] = MBOPT_SOURCE_DIR "/problems/planar_delta/planar_delta.ini";

static void test_holding(void) {
  static const char *const of[] = {"drive.mot1_rod1.angle.drive_force", "drive.mot1_rod2.angle.drive_force",
                                   "effector_frame.position.y", "effector_frame.position.z", "effector.angle.x"};
  static const double angle[2][2] = {{0.9, -0.2}, {0.5, -0.5}};
  double turned[2];
  for (int i = 0; i < 2; i++) {
    double y[5], torque[2];
    const place a = elbow(0, -base, angle[i][0]), b = elbow(1, base, angle[i][1]), w = wrist(&a, &b);
    holding(angle[i], torque);
    hold(own, "", angle[i], 5, of, y);
    CHECK_CLOSE("wrist, y [m]", y[2], w.y, 1e-12);
    CHECK_CLOSE("wrist, z [m]", y[3], w.z, 1e-12);
    for (int k = 0; k < 2; k++) {
      CHECK_CLOSE("torque [N m]", y[k], torque[k], 1e-12);
      CU_ASSERT(fabs(torque[k]) > 1e-4);
    }
    turned[i] = y[4];
  }
  CHECK_CLOSE("the platform keeps its direction [rad]", turned[1], turned[0], 1e-12);
}

/* The file, with another start, holds itself as the model without its load does. */
static void test_import(void) {
  static const double angle[] = {0.2, 0};
  char path[40];
  double y[2], imported[2];
  if (!import_model("problems/planar_delta/robot_delta.urdf", 0, path)) { return; }
  hold(own, "load = 1e-9", angle, 2, torques, y);
  hold(path,
       "mot1_rod1_start = 0.1788294157746\nmot1_rod2_start = 0\nclosedloop1_B_start = 0\nclosedloop2_A_start = "
       "0\nclosedloop3_B_start = 0",
       angle, 2, torques, imported);
  for (int k = 0; k < 2; k++) { CHECK_CLOSE(torques[k], imported[k], y[k], 1e-14); }
  unlink(path);
}

/* ---- the path, gradients and the optimum ---- */

/* Halfway between two control points of the angles, the wrist is at its place of the path: y of an arch from side to side, and the height of the arch. */
static void test_path(void) {
  static const char *const of[] = {"effector_frame.position.y", "effector_frame.position.z"};
  const double u = 20.5 / 80, arch = pow(u * (1 - u), 3);
  char text[900];
  double y[2];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[design arm]\n[case c]\nanalysis = kinematic\nduration = %.17g*T\nstep = "
           "T/40\ndrive.mot1_rod1.angle = angle_1\ndrive.mot1_rod2.angle = angle_2\ndrive.closedloop1_B.angle = "
           "0\ndrive.closedloop2_A.angle = 0\ndrive.closedloop3_B.angle = 0\n[objective o]\nof = eff.com.z\nform = "
           "terminal\n",
           own, u);
  run_to_end(text, 2, of, 0, NULL, y);
  CHECK_CLOSE("y [m]", y[0], 0.06 * (u * u * u * (10 - 15 * u + 6 * u * u) - 0.5), 1e-8);
  CHECK_CLOSE("z [m]", y[1], -0.03 + 64 * 0.01 * arch, 1e-8);
}

static void test_gradients(void) {
  static const char *const coarse[] = {"case.pick.step=T/10", "scalars.points=11"};
  CU_ASSERT_EQUAL(run_check_gradients("configs/planar_delta.ini", 2, coarse), 4);
}

static void test_optimum(void) {
  static const double x[] = {0.0296541075, 0.0570875827, 0.008, -0.0245750574};
  mbd_error err = {0};
  opened_run r = run_open("configs/planar_delta.ini", 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("heat at the start", r.m->psi[0], 26.32866, 1e-4);
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  CHECK_CLOSE("heat", r.m->psi[0], 10.83718, 1e-4);
  CHECK_CLOSE("flat", r.m->psi[3], 0.1, 1e-7);
  run_close(&r);
}

TEST_MAIN(TEST(test_holding), TEST(test_import), TEST(test_path), TEST(test_gradients), TEST(test_optimum))
