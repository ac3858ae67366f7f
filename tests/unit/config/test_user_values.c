/* Forces of one's own whose arguments are values of expressions: what is wrong with these, and with vectors of mirrored parts. */
#include <stdlib.h>

#include "edited.h"
#include "mbd/model.h"

static const char model[] =
    "schema = 1\n"
    "[body A]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[body B]\nmass = 1\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
    "[point P]\nat = 0, 0, 0\nbodies = ground, A\n"
    "[point Q]\nat = 1, 0, 0\nbodies = A, B\n"
    "[vector v]\nalong = 0, 0, 1\nbodies = ground, A, B\n"
    "[joint first]\ntype = revolute\nbodies = ground, A\npoint = P\naxis = v\n"
    "[joint second]\ntype = revolute\nbodies = A, B\npoint = Q\naxis = v\n"
    "[force f]\ntype = user\nplugin = general\npoints = P@ground, Q@B\nalong = v@A\nbodies = A, B\n"
    "command = 2*second.angle\n"
    "coordinate = second.angle\nstiffness = 3\nrise = 0.8\nswing = 2\n"
    "bend = 0.7\ntwist = 0.3\ndirection = 0.3, -0.2, 0.5\n";

/* The file is read, and the model is made. */
static mbd_status make(const char *text, mbd_error *err) {
  mbo_model_file *file = NULL;
  mbd_model *m = NULL;
  mbd_status status = read_model(text, &file, err);
  if (status == MBD_OK) { status = mbd_model_create(mbo_model_file_spec(file), &m, err); }
  mbd_model_destroy(m);
  mbo_model_file_destroy(file);
  return status;
}

static void test_messages(void) {
  static const broken_case broken[] = {
      {"command = 2*second.angle\n", "", "key 'command' is missing"},
      {"command = ", "comand = ", "key 'command' is missing"},
      {"2*second.angle", "2*second.angle, 1", "command = 2*second.angle, 1: 2 expressions, expected 1"},
      {"2*second.angle", "2*secnd.angle", "'secnd.angle'"},
      {"2*second.angle", "second.angle.acceleration",
       "is an acceleration, which follows from the forces of the same instant"},
      {"2*second.angle", "first.reaction_force.x", "is a reaction"},
      {"2*second.angle", "f.swing", "force 'f' depends on itself: f -> f"},
      {"2*second.angle", "2*(second.angle", ")"},
  };
  mbd_error err = {0};
  CU_ASSERT_EQUAL(make(model, &err), MBD_OK);
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    char text[2000];
    edit(text, sizeof text, model, broken[i].from, broken[i].to);
    CU_ASSERT_EQUAL(make(text, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, broken[i].message);
  }
}

/* A force has what it acts on, and one kind of argument for each kind of reference. */
static void test_tables(void) {
  const mbd_arg_info alone[] = {{MBD_ARG_VALUE, 5, -1}}, of_point[] = {{MBD_ARG_VALUE, 0, -1}},
                     of_value[] = {{MBD_ARG_COORDINATE, 5, -1}},
                     apart[] = {{MBD_ARG_POINT, 0, -1}, {MBD_ARG_VALUE, 5, 5}};
  mbd_error err = {0};
  mbd_user_force u = mbd_plugin;
  CU_ASSERT_EQUAL(mbd_user_force_check(&u, &err), MBD_OK);
  u.arg = alone, u.narg = 1;
  CU_ASSERT_EQUAL(mbd_user_force_check(&u, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "expected something that it acts on");
  const mbd_arg_info *const wrong[] = {of_point, of_value};
  for (int i = 0; i < 2; i++) {
    u.arg = wrong[i];
    CU_ASSERT_EQUAL(mbd_user_force_check(&u, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, "argument 0 is made of references");
  }
  u.arg = apart, u.narg = 2;
  CU_ASSERT_EQUAL(mbd_user_force_check(&u, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "argument 1 is made of references 5 and 5");
}

/* A vector of a mirrored part that another element turns about has another image than the one that the force sees. */
static void test_axis(void) {
  char part[] = "/tmp/mbopt_part_XXXXXX", text[4000];
  static const char motor[] =
      "[curve c]\ntype = polynomial\ncoefficients = 1\n"
      "[force motor]\ntype = wheel_torque\nbodies = A, B\naxle = v@A\ndrive = c\n";
  mbd_error err = {0};
  for (int with = 0; with < 2; with++) {
    edit(text, sizeof text, model, "", with ? motor : "");
    snprintf(part, sizeof part, "/tmp/mbopt_part_XXXXXX");
    write_file(part, text);
    snprintf(text, sizeof text, "schema = 1\n[part right]\nfile = %s\nmirror = y\n", part);
    CU_ASSERT_EQUAL(make(text, &err), with ? MBD_BAD_INPUT : MBD_OK);
    unlink(part);
  }
  CHECK_CONTAINS(err.text, "is an axis for another of its elements, but a user's force takes it for a direction");
}

TEST_MAIN(TEST(test_messages), TEST(test_tables), TEST(test_axis))
