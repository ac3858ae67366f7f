/* What is refused of beams: by the reader of model files, by the compiler of models, and by a design. */
#include "model.h"

static const char arm[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nd = 0.1\nwall = 0.01\n"
    "[beam arm]\nfrom = A\nto = B\nsection = tube\ndiameter = d\nwall = wall\n"
    "E = 7e10\nG = 2.7e10\ndensity = 2700\nnodes = mid: 0.5\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n"
    "[point B]\nat = 1, 0, 0\nbodies = arm.tip\n"
    "[point C]\nat = 0.5, 0, 0\nbodies = arm.mid\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = arm\n"
    "[joint hold]\ntype = weld\nbodies = ground, arm\npoint = A\n";

static void test_reader(void) {
  static const broken_case cases[] = {
      {"from = A\n", "", "[beam arm] key 'from' is missing"},
      {"from = A", "from = A@arm",
       "[beam arm] from = A@arm: 'A@arm', expected the name alone: it is taken on body arm"},
      {"section = tube", "section = pipe", "section = pipe: expected one of rectangle, circle, tube, i_beam, given"},
      {"diameter = d\n", "", "[beam arm] key 'diameter' is missing"},
      {"diameter = d", "diameter = d, d\nheight = d", "height"},
      {"diameter = d\nwall = wall\nE", "diameter = d, d\nwall = wall, wall, wall\nE",
       "wall = wall, wall, wall: 3 values, expected one or 2, as another dimension has"},
      {"diameter = d", "diameter = -d", "diameter = -d: the value is -0.1, expected >= 1e-09"},
      {"G = 2.7e10\n", "", "[beam arm] key 'G' is missing: shear modulus, with shapes of torsion or shear"},
      {"G = 2.7e10\n", "G = 2.7e10\nshear = 1\n", "[beam arm] key 'shear_factor' is missing"},
      {"nodes = mid: 0.5", "shapes = 3, 3",
       "shapes = 3, 3: 2 numbers, expected 3: of shapes of bending up, bending aside, torsion"},
      {"nodes = mid: 0.5", "shapes = 3, x, 1", "'x', expected a whole number from 0 to 16"},
      {"nodes = mid: 0.5", "shapes = 0, 0, 0", "beam 'arm' has no shapes, expected at least one"},
      {"nodes = mid: 0.5", "shapes = 9, 9, 1", "beam 'arm': more than 16 shapes in all"},
      {"nodes = mid: 0.5", "points = 100",
       "beam 'arm': 100 points of inertia in each of 1 pieces, expected 1 to 24 in all"},
      {"mid: 0.5", "mid", "nodes = mid: 'mid', expected NODE: PLACE, as mid: 0.5"},
      {"mid: 0.5", "mid: 0", "beam 'arm': node 'mid' is at 0, expected more than 0, the clamped end"},
      {"mid: 0.5", "a-b: 0.5", "'a-b', expected a name of letters, digits and '_'"},
      {"bodies = arm.mid", "bodies = arm.end", "body 'arm.end' is not known"},
      {"section = tube", "section = circle", "wall"},
      {"section = tube\ndiameter = d\nwall = wall", "section = rectangle\nheight = d\nwidth = d",
       "beam 'arm': section rectangle needs `up`, the vector along its height"},
      {"[point A]", "[body arm]\nmass = 0\n[point A]", "body 'arm' is described twice"},
  };
  check_broken_models(arm, sizeof cases / sizeof cases[0], cases);
}

static void test_compiler(void) {
  static const broken_case cases[] = {
      {"from = A", "from = C", "beam 'arm': point 'C' is not given on body 'arm'; expected its coordinates there"},
      {"to = B", "to = C", "beam 'arm': point 'C' is not given on body 'arm.tip'; expected its coordinates there"},
      {"to = B", "to = BB", "point 'BB' is not known, did you mean 'B'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[2000];
    mbd_error err = {0};
    edit(text, sizeof text, arm, cases[i].from, cases[i].to);
    CU_ASSERT_EQUAL(model_compile(text, "", &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
  }
}

/* Numbers that another design may have right. */
static void test_design(void) {
  static const broken_case cases[] = {
      {"wall = 0.01", "wall = 0.06",
       "beam 'arm': section tube at station 1 of 1: its walls leave no room, expected thinner ones"},
      {"density = 2700", "density = 0", "beam.arm.density = 0, expected > 0"},
      {"at = 1, 0, 0", "at = 0, 0, 0", "the axis of joint 'arm.tip'"},
      {"to = B", "to = B\nup = x", "joint 'arm.tip': its zero (vector.x@arm.x ...) is along its axis"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[2000];
    mbd_error err = {0};
    mbo_model_file *file;
    mbd_model *m;
    mbd_params *p;
    edit(text, sizeof text, arm, cases[i].from, cases[i].to);
    must(read_model(text, &file, &err), &err);
    must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
    CU_ASSERT_EQUAL(mbd_params_create(m, NULL, &p, &err), MBD_OUT_OF_DOMAIN);
    CHECK_CONTAINS(err.text, cases[i].message);
    mbd_model_destroy(m), mbo_model_file_destroy(file);
  }
}

/* Formulations and coordinates that cannot have nodes with common coordinates, and motions that are for rigid bodies. */
static void test_formulations(void) {
  test_model q = model_open_text(arm);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c = case_lasting(0.01, 0.001);
  c.formulation = "fully_recursive";
  CU_ASSERT_EQUAL(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "formulation = fully_recursive: the nodes of beam 'arm' have the same coordinates");
  c = case_lasting(0.01, 0.001);
  c.coordinates = MBD_COORDINATES_NATURAL;
  CU_ASSERT_EQUAL(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "coordinates = natural: beam 'arm' bends");
  c = case_lasting(0.01, 0.001);
  c.start = MBD_START_STEADY;
  CU_ASSERT_EQUAL(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "steady motion: beam 'arm' bends");
  c = case_lasting(0.01, 0.001);
  c.analysis = "closing";
  CU_ASSERT_EQUAL(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "analysis = closing: beam 'arm' would bend");
  model_close(&q);
}

TEST_MAIN(TEST(test_reader), TEST(test_compiler), TEST(test_design), TEST(test_formulations))
