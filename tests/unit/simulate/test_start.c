/* The start: held quantities that look at several joints, accelerations at the first node, guesses and derivatives by them,
 * and what is said of starts that do not exist. */
#include "model.h"
#include "simulate/sim.h"

static const double g = 9.81;

/* Two bars in the x-z plane, both of length 1 along x where angles are 0; T at the end of the second. */
static const char bars[] =
    "[model]\ntitle = two bars\ngravity = 0, 0, -9.81\n"
    "[body upper]\nmass = 2\ncom = 0.5, 0, 0\ninertia = 0, 2/12, 2/12\n"
    "[body lower]\nmass = 1\ncom = 1.5, 0, 0\ninertia = 0, 1/12, 1/12\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, upper\n"
    "[point E]\nat = 1, 0, 0\nbodies = upper, lower\n"
    "[point T]\nat = 2, 0, 0\nbodies = lower\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, upper, lower\n";

static const char *const outputs[] = {"T.position.x", "T.position.z",     "T.velocity.x",
                                      "T.velocity.z", "T.acceleration.z", "ground-upper.angle"};
enum { N_OUTPUTS = sizeof outputs / sizeof outputs[0] };

static int first_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { memcpy(user, y, N_OUTPUTS * sizeof *y); }
  return 0;
}

typedef struct opened {
  test_model base;
  mbd_sim *s;
} opened;

/* A run of one step; its objective is the upper angle at the end. */
static opened open_bars(const char *start, int directions) {
  char text[2000];
  opened q;
  mbd_error err = {0};
  snprintf(text, sizeof text, "schema = 1\n%s[start]\n%s", bars, start);
  q.base = model_open_text(text);
  for (int i = 0; i < N_OUTPUTS; i++) { model_output(&q.base, outputs[i]); }
  const mbd_term angle = {.output = N_OUTPUTS - 1, .form = MBD_TERMINAL, .weight = 1};
  const mbd_case c = case_lasting(1e-3, 1e-3);
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(q.base.m, &c, q.base.o, 1, &angle, 1, directions, &q.s, &err), MBD_OK);
  return q;
}

static void close_bars(opened *q) {
  mbd_sim_destroy(q->s), model_close(&q->base);
}

/* y: the outputs at the first node. */
static mbd_status run(const char *start, double *y, mbd_error *err) {
  double psi[1];
  opened q = open_bars(start, 0);
  const mbd_status status = mbd_sim_run(q.s, q.base.p, 0, NULL, psi, NULL, NULL, first_node, y, err);
  close_bars(&q);
  return status;
}

static void test_several_joints(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  const char *start =
      "hold.T.x = 1.2\nrate.T.x = 0.3\nhold.T.z = -0.5\nrate.T.z = -0.7\n"
      "guess.ground-upper.angle = 1\nguess.upper-lower.angle = -1\n";
  const mbd_status status = run(start, y, &err);
  if (status != MBD_OK) { printf("\n  %s\n", err.text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  CHECK_CLOSE("x", y[0], 1.2, 1e-14);
  CHECK_CLOSE("z", y[1], -0.5, 1e-14);
  CHECK_CLOSE("x rate", y[2], 0.3, 1e-14);
  CHECK_CLOSE("z rate", y[3], -0.7, 1e-14);
}

/* Both bars level and at rest: with J = m/3 of each about its end, from the equations of a double pendulum,
 *   (J1 + m2) a + m2/2 b = (m1/2 + m2) g,     m2/2 a + J2 b = m2/2 g,     T falls with a + b */
static void test_acceleration(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  const double a11 = 2.0 / 3 + 1, a12 = 0.5, a22 = 1.0 / 3, b1 = 2 * g, b2 = 0.5 * g;
  const double det = a11 * a22 - a12 * a12, a = (a22 * b1 - a12 * b2) / det, b = (a11 * b2 - a12 * b1) / det;
  CU_ASSERT_EQUAL_FATAL(run("", y, &err), MBD_OK);
  CHECK_CLOSE("T", y[4], -(a + b), 1e-13);
}

/* The first whose name has this part. */
static int coefficient(const mbd_model *m, const char *part) {
  int i = 0;
  while (i < mbd_model_ncoef(m) && !strstr(mbd_model_coef_name(m, i), part)) { i++; }
  CU_ASSERT_FATAL(i < mbd_model_ncoef(m));
  return i;
}

/* A coordinate that nothing fixes starts at its guess, and so do the derivatives by it. */
static void test_guess(void) {
  mbd_error err = {0};
  opened q = open_bars("guess.ground-upper.angle = 0.4\n", 1);
  const mbd_adjoint_options all = {0};
  const int nc = mbd_model_ncoef(q.base.m);
  const int guess = coefficient(q.base.m, "guess");
  double psi[1], direct[1], *gtheta = calloc((size_t)nc, sizeof *gtheta);
  const double one = 1;
  mbd_dparams *d;
  CU_ASSERT_EQUAL_FATAL(mbd_dparams_create(q.base.m, &d, &err), MBD_OK);
  mbd_dparams_set(d, q.base.p, 1, &guess, &one);
  CU_ASSERT_EQUAL(mbd_sim_run(q.s, q.base.p, 1, &d, psi, direct, NULL, NULL, NULL, &err), MBD_OK);
  CU_ASSERT_EQUAL(mbd_sim_adjoint(q.s, q.base.p, &all, psi, gtheta, NULL, NULL, &err), MBD_OK);
  CHECK_CLOSE("direct", direct[0], 1, 1e-4); /* the motion of a millisecond */
  CHECK_CLOSE("adjoint", gtheta[guess], direct[0], 1e-14);
  mbd_dparams_destroy(d);
  free(gtheta);
  close_bars(&q);
}

/* Euler parameters that nothing fixes start along their guess, whatever its length: turned about x by 2 atan(4/3), T of this
 * ball is at y = sin, z = -cos of that, and stays there. */
static void test_euler_guess(void) {
  static const char ball[] =
      "schema = 1\n[model]\ntitle = ball\ngravity = 0, 0, 0\n"
      "[body ball]\nmass = 2\ncom = 0, 0, 0\ninertia = 0.3, 0.2, 0.1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, ball\n[point T]\nat = 0.5, 0, -1\nbodies = ball\n"
      "[start]\nguess.ground-ball.e0 = 3\nguess.ground-ball.e1 = 4\n";
  const double expected[2] = {0.96, 0.28}, slope[2][2] = {{0.0896, -0.0672}, {-0.3072, 0.2304}}; /* by e0, e1 */
  const mbd_case c = case_lasting(1e-3, 1e-3);
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_sim *s;
  mbd_dparams *d[2];
  test_model q = model_open_text(ball);
  const mbd_term place[2] = {{.psi = 0, .output = model_output(&q, "T.position.y"), .form = MBD_TERMINAL, .weight = 1},
                             {.psi = 1, .output = model_output(&q, "T.position.z"), .form = MBD_TERMINAL, .weight = 1}};
  const int nc = mbd_model_ncoef(q.m), guess = coefficient(q.m, "guess.ground-ball.e0");
  double psi[2], direct[4], *gtheta = calloc(2 * (size_t)nc, sizeof *gtheta);
  for (int k = 0; k < 2; k++) {
    const int index = guess + k;
    const double one = 1;
    must(mbd_dparams_create(q.m, &d[k], &err), &err);
    mbd_dparams_set(d[k], q.p, 1, &index, &one);
  }
  must(mbd_sim_create(q.m, &c, q.o, 2, place, 2, 2, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 2, d, psi, direct, NULL, NULL, NULL, &err), &err);
  must(mbd_sim_adjoint(s, q.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  for (int i = 0; i < 2; i++) {
    CHECK_CLOSE("place", psi[i], expected[i], 1e-14);
    for (int k = 0; k < 2; k++) {
      CHECK_CLOSE("direct", direct[2 * i + k], slope[i][k], 1e-14);
      CHECK_CLOSE("adjoint", gtheta[i * nc + guess + k], slope[i][k], 1e-14);
    }
  }
  for (int k = 0; k < 2; k++) { mbd_dparams_destroy(d[k]); }
  free(gtheta);
  mbd_sim_destroy(s), model_close(&q);
}

static void test_messages(void) {
  double y[N_OUTPUTS];
  mbd_error err = {0};
  CU_ASSERT_EQUAL(run("hold.ground-upper.angle = 0\nrate.ground-upper.angle = 1\nhold.E.z = 0\n"
                      "rate.E.z = 1\n",
                      y, &err),
                  MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "the velocities of the start contradict each other: equation '");
  CU_ASSERT_EQUAL(run("hold.ground-upper.angle = 0\nhold.T.x = 5\n", y, &err), MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(err.text, "the mechanism cannot be assembled: 60 iterations leave equation 'T.x' at ");
}

TEST_MAIN(TEST(test_several_joints), TEST(test_acceleration), TEST(test_guess), TEST(test_euler_guess),
          TEST(test_messages))
