/* Static equilibrium where there is nothing left to settle. */
#include "mbo/config.h"
#include "test.h"

static const char model[] =
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
  char path[] = "/tmp/mbd_settle_XXXXXX";
  mbd_error err = {0};
  mbo_model_file *f;
  mbd_model *m;
  mbd_outputs *o;
  mbd_params *p;
  mbd_sim *s;
  mbd_case c;
  double z;
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  FILE *out = fdopen(fd, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "%sbegin = %s\n", model, begin);
  fclose(out);
  must(mbo_model_file_read(path, 0, NULL, NULL, &f, &err), &err);
  remove(path);
  must(mbd_model_create(mbo_model_file_spec(f), &m, &err), &err);
  must(mbd_outputs_create(m, &o, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  mbd_case_init(&c);
  c.start = MBD_START_EQUILIBRIUM;
  must(mbd_sim_create(m, &c, o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, p, &z, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), mbd_params_destroy(p), mbd_outputs_destroy(o), mbd_model_destroy(m), mbo_model_file_destroy(f);
  return z;
}

/* Steps that are zero from the first on shrink no more, and must not count as steps that do not shrink. */
static void test_at_equilibrium_already(void) {
  CHECK_CLOSE("far away", settled_from("1"), 0.25, 1e-14);
  CHECK_CLOSE("beside it", settled_from("0.25 + 1e-14"), 0.25, 1e-14);
  CHECK_CLOSE("there", settled_from("0.25"), 0.25, 0);
}

TEST_MAIN(TEST(test_at_equilibrium_already))
