/* Kinematic cases by hand. */
#include "opened_run.h"

/* Outputs y [n] of the door at the end of a case. */
static void run_door(const char *of_case, int n, const char *const *name, double *y) {
  char text[2000];
  snprintf(text, sizeof text,
           "schema = 1\n[model]\nfile = %s/tests/conformance/models/door.ini\n[design tilt]\n"
           "[case c]\n%s\n[objective o]\nof = opening\nform = terminal\n",
           MBOPT_SOURCE_DIR, of_case);
  run_to_end(text, n, name, 0, NULL, y);
}

/* The line of its hinges is tilted by a in the plane of x and z. Along that line, u, the two ball joints share the weight G, the only
 * force, by halves: so the norm of all multipliers is least. Across it the moments of the weight about the lower one, from which it
 * attacks at (x, y, ...), say what the upper one bears at the distance h: -G x/h v - G y/h cos a e_y, v = u turned towards x. About the
 * line the drive holds a moment G y sin a, and the spring of the door. */
static void test_door(void) {
  static const char *const name[] = {"h1.reaction_force.x",      "h1.reaction_force.y", "h1.reaction_force.z",
                                     "h2.reaction_force.x",      "h2.reaction_force.y", "h2.reaction_force.z",
                                     "drive.opening.drive_force"};
  enum { N = sizeof name / sizeof name[0] };
  const double a = 0.3, h = 1.1, G = 20 * 9.81, x = 0.4, y = 0.1, s = sin(a), c = cos(a);
  const double F[3] = {G * c / 2 * s - G * x / h * c, -G * y / h * c, G * c / 2 * c + G * x / h * s};
  const double exact[N] = {-F[0], -F[1], G - F[2], F[0], F[1], F[2], G * y * s + 5 * 0.3};
  double got[N];
  run_door("duration = 1\nstep = 0.5\nanalysis = kinematic\ndrive.opening = 0", N, name, got);
  for (int i = 0; i < N; i++) { CHECK_CLOSE(name[i], got[i], exact[i], 1e-11); }
}

/* As it swings, in every formulation: both hinges bear the same along their line, and together what moves the door and its weight. */
static void test_swinging_door(void) {
  static const char *const formulation[] = {"ali3p", "penalty", "matrix_r"};
  static const char *const name[] = {
      "h1.reaction_force.x",          "h1.reaction_force.y",          "h1.reaction_force.z",
      "h2.reaction_force.x",          "h2.reaction_force.y",          "h2.reaction_force.z",
      "mechanism.com_acceleration.x", "mechanism.com_acceleration.y", "mechanism.com_acceleration.z"};
  const double u[3] = {sin(0.3), 0, cos(0.3)};
  for (size_t f = 0; f < sizeof formulation / sizeof formulation[0]; f++) {
    char text[200];
    double y[9], along[2] = {0, 0}, max = 0;
    snprintf(text, sizeof text, "duration = 0.2\nstep = 0.01\nformulation = %s", formulation[f]);
    run_door(text, 9, name, y);
    for (int k = 0; k < 3; k++) {
      along[0] += u[k] * y[k], along[1] += u[k] * y[3 + k];
      max = fmax(max, fabs(y[6 + k]));
      CHECK_CLOSE(name[k], y[k] + y[3 + k], 20 * (y[6 + k] + (k == 2 ? 9.81 : 0)), 1e-5);
    }
    CHECK_CLOSE(formulation[f], along[0], along[1],
                f == 1 ? 2e-6 /* where constraints give way, rows are not quite redundant */ : 1e-9);
    CU_ASSERT(max > 0.1);
  }
}

TEST_MAIN(TEST(test_door), TEST(test_swinging_door))
