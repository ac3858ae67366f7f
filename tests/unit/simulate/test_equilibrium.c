/* Static equilibrium where there is nothing left to settle. */
#include "model.h"

static const char carriage[] =
    "schema = 1\n"
    "[model]\n"
    "title = a carriage between springs\n"
    "[body carriage]\n"
    "mass = 2\n"
    "com = 0, 0, 0\n"
    "inertia = 1, 1, 1\n"
    "[vector rail]\n"
    "along = 1, 0, 0\n"
    "bodies = ground, carriage\n"
    "[joint slide]\n"
    "type = prismatic\n"
    "bodies = ground, carriage\n"
    "axis = rail\n"
    "[force spring]\n"
    "type = torsion_spring\n"
    "coordinate = slide.distance\n"
    "stiffness = 300\n"
    "free_angle = 0.25\n"
    "[start]\n"
    "hold.slide.distance = begin\n"
    "settle = slide.distance\n"
    "[scalars]\n";

/* Where the carriage settles from `begin` on. */
static double settled_from(const char *begin) {
  char text[1000];
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  double z;
  snprintf(text, sizeof text, "%sbegin = %s\n", carriage, begin);
  test_model q = model_open_text(text);
  mbd_case_init(&c);
  c.start = MBD_START_EQUILIBRIUM;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, &z, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
  return z;
}

/* Steps that are zero from the first on shrink no more, and must not count as steps that do not shrink. */
static void test_at_equilibrium_already(void) {
  CHECK_CLOSE("far away", settled_from("1"), 0.25, 1e-14);
  CHECK_CLOSE("beside it", settled_from("0.25 + 1e-14"), 0.25, 1e-14);
  CHECK_CLOSE("there", settled_from("0.25"), 0.25, 0);
}

/* A bar in a hinge, whose mass centre is at the height z at angle 0, settles from `begin` on: one warning of this kind with this text, or
 * none (NULL). */
static void check_bar(double z, const char *begin, double stiffness, const char *kind, const char *message) {
  char text[1000];
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  snprintf(text, sizeof text,
           "schema = 1\n[model]\ntitle = bar\ngravity = 0, 0, -9.81\n"
           "[body bar]\nmass = 2\ncom = 0, 0, %g\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n"
           "[vector y]\nalong = 0, 1, 0\nbodies = ground, bar\n"
           "[force spring]\ntype = torsion_spring\ncoordinate = ground-bar.angle\nstiffness = %g\n"
           "[start]\nhold.ground-bar.angle = %s\nsettle = ground-bar.angle\n",
           z, stiffness, begin);
  test_model q = model_open_text(text);
  mbd_case_init(&c);
  c.start = MBD_START_EQUILIBRIUM;
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, q.p, NULL, NULL, NULL, NULL, &err), &err);
  const mbd_warning *w = mbd_sim_warning(s, 0);
  CU_ASSERT_EQUAL(w != NULL, kind != NULL);
  CU_ASSERT_PTR_NULL(mbd_sim_warning(s, 1));
  if (w && kind) {
    CU_ASSERT_STRING_EQUAL(w->kind, kind);
    CHECK_CONTAINS(w->text, message);
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* A bar that stands upright on a spring k: stable where k > m g l/2, about 9.8. */
static void check_stands(double k, int stands) {
  check_bar(0.5, "0", k, stands ? NULL : "unstable",
            "a small push along 'ground-bar.angle' makes the mechanism leave it");
}

/* A hanging bar that begins at 30, 60 degrees. */
static void test_far(void) {
  check_bar(-0.5, "pi/6", 0, NULL, NULL);
  check_bar(-0.5, "pi/3", 0, "far", "is far from where the search began: 'ground-bar.angle' turns by 60 degrees");
}

static void test_unstable(void) {
  check_stands(9.9, 1), check_stands(9.7, 0), check_stands(1000, 1), check_stands(0.1, 0);
}

TEST_MAIN(TEST(test_at_equilibrium_already), TEST(test_unstable), TEST(test_far))
