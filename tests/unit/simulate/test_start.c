/* The start: held quantities that look at several joints, accelerations at the first node, and what is said of starts that
 * do not exist. */
#include <unistd.h>

#include "mbo/config.h"
#include "simulate/sim.h"
#include "test.h"

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

static const char *const outputs[] = {"T.position.x", "T.position.z", "T.velocity.x", "T.velocity.z",
                                      "T.acceleration.z"};
enum { N_OUTPUTS = sizeof outputs / sizeof outputs[0] };

static int first_node(void *user, int k, double t, const double *z, const double *zd, const double *zdd,
                      const double *lam, const double *y) {
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  if (k == 0) { memcpy(user, y, N_OUTPUTS * sizeof *y); }
  return 0;
}

/* y: the outputs at the first node of a short run. */
static mbd_status run(const char *start, double *y, mbd_error *err) {
  char path[] = "/tmp/mbd_start_XXXXXX";
  mbo_model_file *f;
  mbd_model *m;
  mbd_outputs *o;
  mbd_params *p;
  mbd_sim *s;
  mbd_case c;
  int first, count;
  FILE *out = fdopen(mkstemp(path), "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "schema = 1\n%s[start]\n%s", bars, start);
  fclose(out);
  mbd_status status = mbo_model_file_read(path, 0, NULL, NULL, &f, err);
  unlink(path);
  if (status != MBD_OK) { printf("\n  %s\n", err->text); }
  CU_ASSERT_EQUAL_FATAL(status, MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_model_create(mbo_model_file_spec(f), &m, err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_outputs_create(m, &o, err), MBD_OK);
  CU_ASSERT_EQUAL_FATAL(mbd_params_create(m, NULL, &p, err), MBD_OK);
  for (int i = 0; i < N_OUTPUTS; i++) {
    CU_ASSERT_EQUAL_FATAL(mbd_outputs_add(o, outputs[i], &first, &count, err), MBD_OK);
  }
  mbd_case_init(&c);
  c.duration = c.step = 1e-3;
  CU_ASSERT_EQUAL_FATAL(mbd_sim_create(m, &c, o, 0, NULL, 0, 0, &s, err), MBD_OK);
  status = mbd_sim_run(s, p, 0, NULL, NULL, NULL, NULL, first_node, y, err);
  mbd_sim_destroy(s), mbd_params_destroy(p), mbd_outputs_destroy(o), mbd_model_destroy(m), mbo_model_file_destroy(f);
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

TEST_MAIN(TEST(test_several_joints), TEST(test_acceleration), TEST(test_messages))
