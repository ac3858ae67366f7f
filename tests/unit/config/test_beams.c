/* What is refused of beams: by the reader of model files, by the compiler of models, and by a design. */
#include <unistd.h>

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
      {"nodes = mid: 0.5", "points = 2",
       "2 points of inertia, which also integrate the stiffness, expected at least 3"},
      {"nodes = mid: 0.5", "rotary_inertia = no\ndamping_ratio = 0.01",
       "beam 'arm': damping_ratio is one of frequencies, and without rotary inertia not every shape has one"},
      {"nodes = mid: 0.5", "rotary_inertia = no\ndamping_ratio = 0.01\nshapes = 3, 0, 0\nshear = 2\nshear_factor = 0.8",
       "expected rotary_inertia = yes, no shapes of torsion and at most one of shear"},
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
       "beam 'arm': section tube at station 1 of 1: its walls leave no room (diameter = 0.1, wall = 0.06), expected"},
      {"density = 2700", "density = 0", "beam.arm.density = 0, expected > 0"},
      {"at = 1, 0, 0", "at = 0, 0, 0",
       "beam 'arm': its length is 0: both ends are at one place (point.B@arm.tip.x ...)"},
      {"to = B", "to = B\nup = x", "beam 'arm': `up` (vector.x@arm.x ...) is along the beam"},
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

/* Formulations and coordinates that cannot have nodes with common coordinates. */
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
  model_close(&q);
}

/* ---- data from outside ---- */

static const char data[] =
    "{\"shapes\": [\"bend\"], \"stiffness\": [[100]], \"nodes\": {\"tip\": {\"at\": [1, 0, 0], \"translation\": [[0, "
    "0, 1]]}},\n"
    "\"points\": [{\"at\": [0.5, 0, 0], \"mass\": 2, \"translation\": [[0, 0, 0.3]]}], \"mass\": 2}\n";
/* Its points, and moments of masses 2 at 0.5, 0, 0 that the shape moves by 0.3 along z, of which two can be others. */
static const char points_member[] = "\"points\": [{\"at\": [0.5, 0, 0], \"mass\": 2, \"translation\": [[0, 0, 0.3]]}]";
#define MOMENTS(MASS, MOVED)                                               \
  "\"moments\": [[" MASS ",1,0,0,0,0," MOVED                               \
  "],[1,0.5,0,0,0,0,0.3],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0]," \
  "[0,0,0,0,0,0,0],[" MOVED ",0.3,0,0,0,0,0.18]]"
static const char of_data[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nh = 0.1\n"
    "[body arm]\nmodal_data = FILE\n"
    "[point A]\nat = 0, 0, 0\nbodies = ground, arm\n[joint hold]\ntype = weld\nbodies = ground, arm\npoint = A\n";

/* Writes the file and the model that names it. */
static char data_file[64], of_file[1000];
static void write_data(const char *text) {
  snprintf(data_file, sizeof data_file, "/tmp/mbopt_modal_%d.json", (int)getpid());
  edit(of_file, sizeof of_file, of_data, "FILE", data_file);
  test_put(data_file, text);
}

static void test_data(void) {
  static const broken_case cases[] = {
      {"{\"shapes\"", "\"shapes\"", "cannot read it"},
      {"\"bend\"", "\"a-b\"", "'shapes[0]' in that file: expected a name of letters, digits and '_'"},
      {"\"stiffness\": [[100]],", "", "that file has no 'stiffness'"},
      {"[[100]]", "[[100, 1]]", "'stiffness[0]' in that file: expected 1 numbers"},
      {"[[0, 0, 1]]", "[[0, 0, 1], [0, 0, 1]]",
       "'nodes.tip.translation' in that file: expected 1 lists of 3 numbers, one for each shape"},
      {"\"at\": [1, 0, 0]", "\"at\": [0, 0, 0]", "a shape moves it by 1, expected 0: shapes have to be clamped"},
      {"\"at\": [1, 0, 0], \"translation\": [[0, 0, 1]]",
       "\"at\": [0, 0, 0], \"translation\": [[0, 0, 0]], \"shortening\": [[-2]]", "a shape moves it by 2, expected 0"},
      {points_member, MOMENTS("2", "0.6") ", \"lines\": [[0, \"tip\"]]",
       "'lines[0]' in that file: with 'moments' it has no points, expected names of nodes"},
      {"\"mass\": 2}", "\"mass\": 3}", "'mass' in that file differs from that of its points by 0.5 of it"},
      {"\"mass\": 2}", "\"mass_matrix\": [[0.2]]}",
       "'mass_matrix' in that file differs from that of its points by 0.11"},
      {"\"mass\": 2}", "\"lines\": [[0, \"tap\"]]}",
       "'lines[0]' in that file: node 'tap' is not known, did you mean 'tip'?"},
      {"\"mass\": 2}", "\"lines\": [[0, 1]]}", "'lines[0]' in that file: there is no point 1, expected 0 to 0"},
      {"\"mass\": 2}", "\"lines\": [[0, null]]}", "'lines[0]' in that file: expected names of nodes and numbers"},
      {"\"mass\": 2}", "\"lines\": [[0]]}", "'lines[0]' in that file: expected a list of two or more places"},
      {"\"mass\": 2}", "\"lines\": 0}", "'lines' in that file: expected a list of lists of places"},
      {"\"mass\": 2}", "\"integrals\": 2}",
       "'integrals' in that file is not known; inertia is that of 'points' or of 'moments'"},
      {"\"mass\": 2}", "\"inertia\": [0, 0.5, 0.6, 0, 0, 0]}",
       "'inertia' in that file differs from that of its points by 0.2"},
      {points_member, "\"moments\": [[2]]", "'moments' in that file: expected 7 lists of 7 numbers"},
      {points_member, MOMENTS("0", "0.6"), "'moments[0][0]' in that file is the mass: 0, expected > 0"},
      {points_member, MOMENTS("1", "0.6"),
       "'moments' in that file are of no masses: scaled to a unit diagonal, they have the eigenvalue -0.56"},
      {points_member, MOMENTS("2", "0.61"), "'moments' in that file are of no masses"},
      {points_member, MOMENTS("2", "0.6") ", \"shortening_moments\": [[[1]]]",
       "'shortening_moments' in that file: expected 4 matrices"},
      {points_member, MOMENTS("2", "0.6") ", \"shortening_moments\": [[[1]], [[1]], [[1]], [[0]]]",
       "'shortening_moments' in that file: those of shapes 1 and 1 are 0.71 of them beside those that its mass can "
       "have"},
      {"\"mass\": 2}", "\"derivatives\": {\"h\": {\"at\": 0.1}}}", "that file has derivatives: expected linear = yes"},
  };
  static const broken_case designs[] = {
      {"[[100]]", "[[-1]]",
       "body 'arm': the stiffness of its shapes is not positive definite, from 'arm.bend' on: of -1 it has -1 left"},
      {"0.3", "0",
       "body 'arm': the mass matrix of its shapes is not positive definite: 'arm.bend' has no mass, or is a "
       "combination of the shapes before it: of 0 it has 0 left"},
  };
  char text[2000];
  mbd_error err = {0};
  mbo_model_file *file;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    edit(text, sizeof text, data, cases[i].from, cases[i].to);
    write_data(text);
    CU_ASSERT_EQUAL(read_model(of_file, &file, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
  }
  for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
    mbd_model *m;
    mbd_params *p;
    edit(text, sizeof text, data, designs[i].from, designs[i].to);
    write_data(text);
    must(read_model(of_file, &file, &err), &err);
    must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
    CU_ASSERT_EQUAL(mbd_params_create(m, NULL, &p, &err), MBD_OUT_OF_DOMAIN);
    CHECK_CONTAINS(err.text, designs[i].message);
    mbd_model_destroy(m), mbo_model_file_destroy(file);
  }
  edit(text, sizeof text, data, "\"mass\": 2}", "\"lines\": [[\"origin\", 0, \"tip\"]]}");
  write_data(text);
  must(read_model(of_file, &file, &err), &err);
  CU_ASSERT_FATAL(file->nlines == 1 && file->lines[0].n == 2);
  const int pairs[4] = {2, 1, 1, 0};
  CU_ASSERT(memcmp(file->lines[0].pair, pairs, sizeof pairs) == 0);
  CHECK_CLOSE("origin", mbd_spec_nominal(mbo_model_file_spec(file), file->lines[0].origin), 0, 0);
  mbo_model_file_destroy(file);
  write_data(data);
  edit(text, sizeof text, of_file, "modal_data", "mass = 1\nmodal_data");
  CU_ASSERT_EQUAL(read_model(text, &file, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "mass = 1: expected none beside modal_data");
  remove(data_file);
}

TEST_MAIN(TEST(test_data), TEST(test_reader), TEST(test_compiler), TEST(test_design), TEST(test_formulations))
