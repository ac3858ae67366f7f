/* Kinematic cases by hand. */
#include "mechanism/closing.h"
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

/* ---- a four-bar linkage that locks ---- */

static const char four_bar[] =
    "schema = 1\n[model]\nframe = body\ngravity = 0, 0, 0\n[scalars]\ncrank = 0.05\ncoupler = 0.18\nrocker = "
    "0.09\nbase = "
    "0.24\nspeed = 5\n[body a]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body b]\nmass = 1\ncom = 0, 0, 0\ninertia "
    "= 1, "
    "1, 1\n[body c]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point A]\nat.ground = 0, 0, 0\nat.a = 0, 0, "
    "0\n[point "
    "B]\nat.a = crank, 0, 0\nat.b = 0, 0, 0\n[point C]\nat.b = coupler, 0, 0\nat.c = rocker, 0, 0\n[point "
    "D]\nat.ground = "
    "base, 0, 0\nat.c = 0, 0, 0\n[vector axis]\nalong.ground = 0, -1, 0\nalong.a = 0, -1, 0\nalong.b = 0, -1, "
    "0\nalong.c = "
    "0, -1, 0\n[curve turning]\ntype = polynomial\ncoefficients = 0, speed\n[start]\nguess.ground-c.angle = "
    "1\nguess.a-b.angle "
    "= 0.3\n";
static const char closing_run[] =
    "schema = 1\n[model]\nfile = MODEL\n[design crank]\n[design coupler]\n[design rocker]\n[design base]\n[design "
    "speed]\n[case turn]\nanalysis = closing\nduration = 1.2\nstep = 0.02\ndrive.ground-a.angle = turning\n[objective "
    "o]\nof = mechanism.opening\nform = mean_square\n";

/* The opening at the angle p of the crank: the hinges B and D are f apart, and coupler and rocker together reach from |b - c| to b + c. */
static double opening(double b, double c, double p) {
  const double f = sqrt(0.24 * 0.24 + 0.05 * 0.05 - 2 * 0.24 * 0.05 * cos(p));
  return fmax(0, fmax(f - b - c, fabs(b - c) - f));
}

/* Too short a coupler, on the way out and back; too long a one, which begins open; one that closes all the way. The mean square is that of the nodes. */
static void test_closing(void) {
  static const double coupler[] = {0.18, 0.31, 0.25};
  mbd_error err = {0};
  for (int i = 0; i < 3; i++) {
    char set[2][60];
    snprintf(set[0], sizeof set[0], "scalars.coupler=%g", coupler[i]);
    for (int k = 1; k <= 6; k++) {
      snprintf(set[1], sizeof set[1], "case.turn.duration=%.17g", 0.2 * k);
      const char *const sets[] = {set[0], set[1], "objective.o.form=terminal"};
      opened_run r = run_open_texts(four_bar, closing_run, 3, sets);
      must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
      CHECK_CLOSE("opening", r.m->psi[0], opening(coupler[i], 0.09, 5 * 0.2 * k), 1e-10);
      run_close(&r);
    }
  }
}

/* Exact derivatives by lengths and by the speed of the drive, open on a part of the way; and what is refused there. */
static void test_closing_gradients(void) {
  opened_run r = run_open_texts(four_bar, closing_run, 0, NULL);
  CU_ASSERT_EQUAL(run_check_gradients_of(&r), 5);
  static const broken_case refused[] = {
      {"of = mechanism.opening", "of = ground-c.angle", "only mechanism.opening has derivatives"}};
  check_broken_runs(four_bar, closing_run, 1, refused);
}

/* Where the crank points away from D the coupler lacks 0.05 + 0.24 - 0.09 - 0.18 = 0.02 m; each length alone closes that. */
static void test_lock_is_explained(void) {
  mbd_error err = {0};
  char *text;
  const char *const kinematic[] = {"case.turn.analysis=kinematic", "objective.o.of=ground-c.angle"};
  opened_run r = run_open_texts(four_bar, closing_run, 2, kinematic);
  CU_ASSERT_EQUAL(mechanism_evaluate(r.m, r.m->start, "none", &err), MBD_NO_CONVERGENCE);
  must(closing_explain(r.m, r.m->start, &text, &err), &err);
  CU_ASSERT_FATAL(text != NULL);
  CHECK_CONTAINS(text, "case 'turn' locks: from t = 0.44 to 0.82 s");
  CHECK_CONTAINS(text, "'coupler' by +0.02, from 0.18 to 0.2");
  CHECK_CONTAINS(text, "'rocker' by +0.02, from 0.09 to 0.11");
  free(text);
  run_close(&r);
}

/* Of a design that locks one beside it that does not: the lengths that change most are those that matter, and none leaves its bounds. */
static void test_repair(void) {
  const char *const set[] = {
      "case.turn.analysis=kinematic", "objective.o.of=ground-c.angle", "design.crank.lower=0.01",
      "design.crank.upper=0.06",      "design.coupler.lower=0.1",      "design.coupler.upper=0.4",
      "design.rocker.lower=0.05",     "design.rocker.upper=0.095",     "design.base.lower=0.239",
      "design.base.upper=0.241",      "design.speed.lower=4.9",        "design.speed.upper=5.1"};
  mbd_error err = {0};
  mechanism_closings *list;
  double x[5];
  opened_run r = run_open_texts(four_bar, closing_run, 12, set);
  must(closing_create(r.m, &list, &err), &err);
  CU_ASSERT_FATAL(list != NULL);
  memcpy(x, r.m->start, sizeof x);
  CU_ASSERT(!closing_runs(r.m, list, x));
  CU_ASSERT(closing_repair(r.m, list, x));
  CU_ASSERT(closing_runs(r.m, list, x));
  CU_ASSERT(x[1] + x[2] - x[0] - x[3] > 0);
  CU_ASSERT(x[1] + x[2] - x[0] - x[3] < 0.03); /* a design beside the old one */
  for (int i = 0; i < 5; i++) { CU_ASSERT(x[i] >= r.m->lower[i] && x[i] <= r.m->upper[i]); }
  closing_destroy(list);
  run_close(&r);
}

TEST_MAIN(TEST(test_door), TEST(test_swinging_door), TEST(test_closing), TEST(test_closing_gradients),
          TEST(test_lock_is_explained), TEST(test_repair))
