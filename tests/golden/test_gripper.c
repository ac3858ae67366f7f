/* The gripper: the torque for a grip against its lever by hand, with the mimic joints of its file and with the loops that they stand for; gradients; the optimum with mimic joints
 * in closed form, and that with loops as problems/gripper/README.md states it. */
#include "imported.h"

enum { ANGLES = 3 };
static const double turn[ANGLES] = {1e-9, 0.3, 0.8};
static const double knuckle_y = 0.0376, knuckle_z = 0.043, hinge_y = 0.0306011, pad_y = 0.0220203446692936;

/* Outputs y [n] where the knuckle has turned. */
static void grip(const char *model, double angle, int n, const char *const *of, double *y) {
  char text[900];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s\n[scalars]\nturn = %.17g\n[design hinge_y]\n[case "
           "c]\nanalysis = kinematic\nduration = 1\nstep = 0.1\ndrive.hand.finger_joint.angle = close\n[objective "
           "o]\nof = hand.finger_joint.angle\nform = terminal\n",
           model, angle);
  run_to_end(text, n, of, 0, NULL, y);
}

/* The knuckles, of the length L and at the angle a from upright, move the pads by L cos a for each radian: two fingers with 1 N each take 2 L cos a from the motor. Where the loops
 * are parallelograms they do what the mimic joints do. */
static void test_lever(void) {
  static const char *const of[] = {"drive.hand.finger_joint.angle.drive_force",
                                   "hand.right_inner_finger_pad_frame.position.y",
                                   "hand.left_inner_finger_pad_frame.position.y", "hand.right_inner_finger.angle.x"};
  const double L = hypot(knuckle_y, knuckle_z), open = atan2(knuckle_y, knuckle_z);
  for (int i = 0; i < ANGLES; i++) {
    double y[2][4];
    grip(MBOPT_SOURCE_DIR "/problems/gripper/gripper.ini", turn[i], 4, of, y[0]);
    grip(MBOPT_SOURCE_DIR "/problems/gripper/gripper_loops.ini", turn[i], 4, of, y[1]);
    for (int k = 0; k < 2; k++) {
      CHECK_CLOSE("torque [N m]", y[k][0], 2 * L * cos(open - turn[i]), 1e-12);
      CHECK_CLOSE("right pad [m]", y[k][1], hinge_y + L * sin(open - turn[i]) - pad_y, 1e-13);
      CHECK_CLOSE("left pad [m]", y[k][2], -y[k][1], 1e-13);
      CHECK_CLOSE("the finger keeps upright [rad]", y[k][3], 0, 1e-12);
    }
  }
}

/* With the part as it is imported now in the place of the stored one, the gripper is the same. */
static void test_import(void) {
  static const char *const part[] = {"robotiq_2f_85", "robotiq_2f_85_loops"}, *const model[] = {"gripper",
                                                                                                "gripper_loops"};
  static const char *const of[] = {"drive.hand.finger_joint.angle.drive_force", "hand.right_inner_finger.angle.x"};
  for (int i = 0; i < 2; i++) {
    char name[512], path[40], parent[40] = "/tmp/mbopt_model_XXXXXX", text[8000] = "", edited[8000];
    double y[2], now[2];
    snprintf(name, sizeof name, "problems/gripper/%s.urdf", part[i]);
    if (!import_model(name, ROBOT_VARY_JOINTS, path)) { return; }
    snprintf(name, sizeof name, "%s/problems/gripper/%s.ini", MBOPT_SOURCE_DIR, model[i]);
    FILE *in = fopen(name, "r");
    CU_ASSERT_FATAL(in && fread(text, 1, sizeof text - 1, in) < sizeof text - 1);
    fclose(in);
    snprintf(name, sizeof name, "%s_model.ini", part[i]);
    edit(edited, sizeof edited, text, name, path);
    write_file(parent, edited);
    grip(parent, 0.5, 2, of, now);
    unlink(parent), unlink(path);
    snprintf(name, sizeof name, "%s/problems/gripper/%s.ini", MBOPT_SOURCE_DIR, model[i]);
    grip(name, 0.5, 2, of, y);
    for (int k = 0; k < 2; k++) { CHECK_CLOSE(of[k], now[k], y[k], 1e-15); }
  }
}

static void test_gradients(void) {
  static const char *const coarse[] = {"case.grip.step=0.25", "design.hinge_y.start=0.035",
                                       "design.pivot_y.start=0.002", "design.inner_z.start=0.058"};
  CU_ASSERT_EQUAL(run_check_gradients("configs/gripper.ini", 3, coarse), 5);
  CU_ASSERT_EQUAL(run_check_gradients("configs/gripper_loops.ini", 4, coarse), 9);
}

/* ---- optima ---- */

enum { UNEVEN, OPEN, CLOSED, STRONG };

/* With mimic joints the knuckle, as long as it may be, swings to both sides of upright by half of the angle a that the stroke takes, and the best lever l makes the mean of
 * (2 L cos x/l - 1)^2 over -a to a least: l = 2 L <cos^2>/<cos>, which leaves 1 - <cos>^2/<cos^2>. */
static void test_closed_form(void) {
  const double L = hypot(knuckle_y, knuckle_z), a = asin(0.0425 / 2 / L), half_pad = 0.003175;
  const double mean = sin(a) / a, mean_square = 0.5 + sin(2 * a) / (4 * a);
  const double x[] = {pad_y + half_pad + 0.0425 / 2, L * sin(a) - 0.0315, L * cos(a) + 0.0041, 2 * a,
                      2 * L * mean_square / mean};
  static const char *const fine[] = {"case.grip.step=0.005"};
  mbd_error err = {0};
  opened_run r = run_open("configs/gripper.ini", 1, fine);
  must(mechanism_evaluate(r.m, x, "auto", &err), &err);
  CHECK_CLOSE("uneven", r.m->psi[UNEVEN], 1e4 * (1 - mean * mean / mean_square), 1e-4);
  CHECK_CLOSE("uneven", r.m->psi[UNEVEN], 4.82208, 1e-3);
  CHECK_CLOSE("open [m]", r.m->psi[OPEN], 0.0425 + half_pad, 1e-12);
  CHECK_CLOSE("closed [m]", r.m->psi[CLOSED], half_pad, 1e-12);
  /* the prices of opening, of closing and of the length leave no slope; lever and turn are among the variables */
  const double *f = r.m->grad, *open = f + 5, *closed = f + 10, *strong = f + 15;
  const double of_closing = -f[3] / closed[3], of_opening = -(f[0] + of_closing * closed[0]) / open[0];
  const double of_length = -(f[1] + of_closing * closed[1] + of_opening * open[1]) / strong[1];
  CU_ASSERT(of_closing > 0 && of_opening < 0 && of_length > 0);
  CHECK_CLOSE("slope by pivot_z", f[2] + of_closing * closed[2] + of_opening * open[2] + of_length * strong[2], 0,
              1e-2);
  CHECK_CLOSE("slope by the lever", f[4], 0, 1e-7);
  run_close(&r);
}

static void test_loops(void) {
  static const double x[] = {0.03549101484,  0.0007043298306, 0.05127670125, 0.02041719637, 0.04,
                             -0.01458834033, -0.01090159201,  0.770751694,   0.1102896729};
  mbd_error err = {0};
  opened_run r = run_open("configs/gripper_loops.ini", 0, NULL);
  must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
  CHECK_CLOSE("uneven at the start", r.m->psi[UNEVEN], 104.29267, 1e-4);
  must(mechanism_evaluate(r.m, x, "none", &err), &err);
  CHECK_CLOSE("uneven", r.m->psi[UNEVEN], 0.700208, 1e-5);
  run_close(&r);
}

TEST_MAIN(TEST(test_lever), TEST(test_import), TEST(test_gradients), TEST(test_closed_form), TEST(test_loops))
