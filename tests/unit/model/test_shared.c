/* A point that several bodies carry: its name alone is enough where joints or constraints keep it together, and asked about where
 * they do not. */
#include "model.h"

#define BODY(name) "[body " name "]\nmass = 1\ncom = 0.5, 0, 0\ninertia = 0, 0, 0.1\n"
/* O: a revolute joint and a slider; P: two bars of a chain; T: on a crank and on a rod that a constraint fixes there. */
static const char model[] =
    "schema = 1\n[model]\njoints = named\n" BODY("crank") BODY("bar") BODY("slider") BODY("rod")
    "[point O]\nat = 0, 0, 0\nbodies = ground, crank, slider\n[point P]\nat = 1, 0, 0\nbodies = crank, bar\n"
    "[point T]\nat = 2, 0, 0\nbodies = bar, rod\n[point F]\nat = 3, 0, 0\nbodies = rod, slider\n"
    "[vector n]\nalong = 0, 0, 1\nbodies = ground, crank, bar, slider, rod\n"
    "[joint J1]\ntype = revolute\nbodies = ground, crank\npoint = O\naxis = n\n"
    "[joint J2]\ntype = revolute\nbodies = crank, bar\npoint = P\naxis = n\n"
    "[joint S]\ntype = prismatic\nbodies = ground, slider\npoint = O\naxis = n\n"
    "[joint R]\ntype = floating\nbodies = ground, rod\n"
    "[constraint meet]\ntype = coincident\npoints = T@bar, T@rod\n";

static void test_outputs(void) {
  static const char *const known[] = {"P.position", "P.velocity.x", "T.acceleration", "O@ground.position",
                                      "O@slider.velocity"};
  static const char *const asked[][2] = {
      {"O.position",
       "point 'O' is on the bodies 'ground' and 'slider', which may move it apart; expected 'O@ground' or 'O@slider'"},
      {"F.velocity.norm", "output 'F.velocity.norm': point 'F' is on the bodies 'rod' and 'slider'"}};
  test_model q = model_open_text(model);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) { CU_ASSERT(model_output(&q, known[i]) >= 0); }
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
    int first, count;
    mbd_error err = {0};
    CU_ASSERT_EQUAL(mbd_outputs_add(q.o, asked[i][0], &first, &count, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, asked[i][1]);
  }
  model_close(&q);
}

static mbd_status read_with(const char *more, mbd_error *err) {
  char path[] = "/tmp/mbopt_shared_XXXXXX";
  FILE *out = fdopen(mkstemp(path), "w");
  mbo_model_file *file;
  mbd_model *m = NULL;
  fprintf(out, "%s%s", model, more);
  fclose(out);
  must(mbo_model_file_read(path, 0, NULL, NULL, &file, err), err);
  const mbd_status status = mbd_model_create(mbo_model_file_spec(file), &m, err);
  mbd_model_destroy(m), mbo_model_file_destroy(file);
  unlink(path);
  return status;
}

static void test_start(void) {
  mbd_error err = {0};
  CU_ASSERT_EQUAL(read_with("[start]\nhold.O@slider.z = 0\nhold.P.y = 0\n", &err), MBD_OK);
  CU_ASSERT_EQUAL(read_with("[start]\nhold.O.z = 0\n", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "held quantity 'O.z': point 'O' is on the bodies 'ground' and 'slider'");
}

TEST_MAIN(TEST(test_outputs), TEST(test_start))
