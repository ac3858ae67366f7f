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

TEST_MAIN(TEST(test_at_equilibrium_already))
