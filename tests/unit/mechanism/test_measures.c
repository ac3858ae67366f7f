/* What a mechanism weighs, where it is and where its joints are, by hand; and numbers that look like millimetres. */
#include "mechanism/measures.h"
#include "edited.h"
#include "opened_run.h"

/* arm1 along the global x; the second joint has its bodies the other way round than the tree, and axes that have other components on
 * either body, so that the frames are turned at zero: x, y, z of arm1 are y, z, x of arm2. Lengths are multiples of u. */
static const char model[] =
    "schema = 1\n[model]\nframe = body\njoints = named\ngravity = 0, 0, -g\n"
    "[scalars]\nu = 1\ng = 9.81\nI = 0.2\n"
    "[body arm1]\nmass = 2\ncom = 0.5*u, 0, 0\ninertia = I, 0, I/2, 0.01, 0.02, 0.03\n"
    "[body arm2]\nmass = 3\ncom = 0.25*u, 0, 0\ninertia = I, I, I\n"
    "[point P1]\nat.ground = 0, 0, u\nat.arm1 = 0, 0, 0\n"
    "[point P2]\nat.arm1 = u, 0, 0\nat.arm2 = 0, 0, 0\n"
    "[vector a1]\nalong.ground = 0, 2, 0\nalong.arm1 = 0, 2, 0\n"
    "[vector a2]\nalong.arm1 = 0, 0, 3\nalong.arm2 = 3, 0, 0\n"
    "[joint J1]\ntype = revolute\nbodies = ground, arm1\npoint = P1\naxis = a1\n"
    "[joint J2]\ntype = revolute\nbodies = arm2, arm1\npoint = P2\naxis = a2\n"
    "[start]\nhold.J1.angle = 0\nhold.J2.angle = 0\n";

static opened_run open_with(int n, const char *const *set) {
  char path[] = "/tmp/mbopt_measures_XXXXXX", run[] = "/tmp/mbopt_measures_XXXXXX", text[300];
  write_file(path, model);
  snprintf(text, sizeof text, "schema = 1\n[model]\nfile = %s\n[case still]\nduration = 1\nstep = 0.1\n", path);
  write_file(run, text);
  opened_run r = run_read(run, n, set);
  unlink(path), unlink(run);
  mbd_error err = {0};
  must(mechanism_set_design(r.m, r.m->start, 0, &err), &err);
  return r;
}

static opened_run at_start(void) {
  opened_run r = open_with(0, NULL);
  mbd_error err = {0};
  must(mbd_sim_start(r.m->cases[0].sim, r.m->cases[0].v->params, NULL, NULL, NULL, NULL, &err), &err);
  return r;
}

static void check_vector(const char *name, const double *got, double x, double y, double z) {
  const double expected[3] = {x, y, z};
  for (int i = 0; i < 3; i++) { CHECK_CLOSE(name, got[i], expected[i], 1e-14); }
}

/* Centres of mass are at (0.5, 0, 1) and, along the z of arm1, at (1, 0, 1.25). */
static void test_whole(void) {
  opened_run r = at_start();
  measures m;
  measures_take(&r.m->cases[0], &m);
  CHECK_CLOSE("mass", m.mass, 5, 0);
  check_vector("centre of mass", m.com, (2 * 0.5 + 3 * 1) / 5., 0, (2 * 1 + 3 * 1.25) / 5.);
  check_vector("least", m.min, 0, 0, 1);
  check_vector("most", m.max, 1, 0, 1.25);
  run_close(&r);
}

static void test_inertia(void) {
  opened_run r = open_with(0, NULL);
  double J[9];
  const mbd_params *p = r.m->cases[0].v->params;
  mbd_params_inertia(p, 1, J);
  check_vector("first row", J, 0.2, 0.01, 0.02);
  check_vector("second row", J + 3, 0.01, 0, 0.03);
  check_vector("third row", J + 6, 0.02, 0.03, 0.1);
  CHECK_CLOSE("mass", mbd_params_mass(p, 2), 3, 0);
  run_close(&r);
}

static void test_joints(void) {
  static const double parallel[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  opened_run r = at_start();
  joint_measures j;
  measures_joint(&r.m->cases[0], 0, &j);
  CU_ASSERT(j.on_bodies.has_point && j.on_bodies.naxis == 1 && j.on_bodies.nz == 1 && j.on_bodies.body[0] == 0);
  check_vector("J1", j.point, 0, 0, 1);
  check_vector("axis of J1", j.axis[0], 0, 1, 0);
  check_vector("on the ground", j.on_bodies.point[0], 0, 0, 1);
  check_vector("on arm1", j.on_bodies.point[1], 0, 0, 0);
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("zero of J1", j.on_bodies.zero[i], parallel[i], 1e-15); }
  measures_joint(&r.m->cases[0], 1, &j);
  CU_ASSERT(j.on_bodies.body[0] == 2 && j.on_bodies.body[1] == 1); /* arm2, arm1, as in the file */
  check_vector("J2", j.point, 1, 0, 1);
  check_vector("axis of J2 on arm2", j.on_bodies.axis[0], 1, 0, 0);
  check_vector("axis of J2 on arm1", j.on_bodies.axis[1], 0, 0, 1);
  for (int k = 0; k < 2; k++) { check_vector("axis of J2", j.axis[k], 0, 0, 1); }
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("zero of J2", j.on_bodies.zero[i], turned[i], 1e-15); }
  run_close(&r);
}

static void check_zero(const mbd_joint_place *place, const char *expected) {
  static const mbd_joint_report joint = {.body = {"arm2", "arm1"}};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  measures_write_zero(out, &joint, place);
  fclose(out);
  CU_ASSERT_STRING_EQUAL(text, expected);
  free(text);
}

/* Frames coincide where they are parallel and their points are the same in all three components. */
static void test_zero_in_words(void) {
  mbd_joint_place place = {.zero = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  check_zero(&place, "zero where the frames coincide");
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      place.point[k][i] = 0.1;
      check_zero(&place, "zero where the frames are parallel");
      place.point[k][i] = 0;
    }
  }
  const mbd_joint_place turned = {.zero = {0, 0, 1, 1, 0, 0, 0, 1, 0}};
  check_zero(&turned, "zero where x and y of arm1 are along (0, 1, 0) and (0, 0, 1) of arm2");
}

/* n sentences with these settings, the last of which has the part. */
static void doubts(int nset, const char *const *set, int n, const char *part) {
  opened_run r = open_with(nset, set);
  char text[MEASURES_DOUBTS][MEASURES_TEXT] = {""};
  int found;
  mbd_error err = {0};
  must(measures_doubts(r.m->cases[0].v, text, &found, &err), &err);
  CU_ASSERT_EQUAL(found, n);
  if (n > 0 && found == n) { CHECK_CONTAINS(text[n - 1], part); }
  run_close(&r);
}

static void test_doubts(void) {
  static const char *const long_arms[] = {"scalars.u=60", "scalars.I=400"}; /* gyration 14 m, arm2 15 m */
  static const char *const weightless[] = {"scalars.u=60", "scalars.I=400", "scalars.g=0"};
  static const char *const gravity[] = {"scalars.g=9810"};
  static const char *const lengths[] = {"scalars.u=20"}; /* gyration 0.316 m of arm1, 0.258 m of arm2 */
  static const char *const inertia[] = {"scalars.I=2e5"};
  static const char *const none[] = {"scalars.u=20", "scalars.I=0"};
  static const char *const millimetres[] = {"scalars.u=400", "scalars.g=9810"};
  doubts(0, NULL, 0, "");
  doubts(2, long_arms, 1, "body 'arm1': its points are 60 m apart, expected at most 50 m");
  doubts(3, weightless, 0, "");
  doubts(1, gravity, 1, "gravity is 9810 m/s^2, expected at most 100");
  doubts(1, lengths, 1,
         "body 'arm1': mass and inertia have a radius of gyration of 0.316 m, while its points are 20 m apart");
  doubts(1, inertia, 1, "body 'arm2' (and so with another): mass and inertia have a radius of gyration of 258 m");
  doubts(2, none, 0, "");
  doubts(2, millimetres, 3, "body 'arm1' (and so with another)");
}

TEST_MAIN(TEST(test_whole), TEST(test_inertia), TEST(test_joints), TEST(test_zero_in_words), TEST(test_doubts))
