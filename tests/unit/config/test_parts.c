/* Parts of model files: names, scalars, places, units; what is wrong with them, with file, line and part. */
#include <ftw.h>
#include <math.h>
#include <sys/stat.h>

#include "config/shipped_parts.h"
#include "edited.h"
#include "mbd/model.h"
#include "opened_run.h"
#include "values/values.h"

static char folder[] = "/tmp/mbopt_parts_XXXXXX";

static const char arm[] =
    "schema = 1\n"
    "[scalars]\n"
    "l = 0.5\n"
    "[body bar]\n"
    "mass = m\n"
    "com = l/2, 0.1, -0.2\n"
    "inertia = 1, 2, 3, 0.1, 0.2, 0.3\n"
    "[point O]\n"
    "at = 0, 0.2, 0\n"
    "bodies = base, bar\n"
    "[point T]\n"
    "at = l, 0.2, 0.3\n"
    "bodies = bar\n"
    "[vector n]\n"
    "along = 0.6, 0.8, 0\n"
    "bodies = base, bar\n"
    "[coordinate s]\n"
    "guess = 1\n"
    "[constraint length]\n"
    "type = distance_coordinate\n"
    "points = T, F\n"
    "coordinate = s\n"
    "[force spring]\n"
    "type = spring\n"
    "points = F, T\n"
    "stiffness = 100*l\n"
    "[start]\n"
    "hold.base-bar.angle = 0.1\n"
    "settle = base-bar.angle\n";

static const char model[] =
    "schema = 1\n"
    "[scalars]\n"
    "m = 2\n"
    "L = 0.7\n"
    "[body base]\n"
    "mass = 1\n"
    "com = 0, 0, 0\n"
    "inertia = 1, 1, 1\n"
    "[point F]\n"
    "at = 0, 0, 2\n"
    "bodies = ground\n"
    "[part a]\n"
    "file = arm.ini\n"
    "at = 1, 2, L\n"
    "[part b]\n"
    "file = arm.ini\n"
    "mirror = y\n"
    "scalar.l = 2*L\n"
    "scalar.m = 7\n"
    "[part c]\n"
    "file = arm.ini\n"
    "turn = 0, 0, pi/2\n"
    "at = 0, 0, 1\n";

static int remove_file(const char *path, const struct stat *s, int type, struct FTW *where) {
  (void)s, (void)type, (void)where;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file in the folder of the test. */
static void put(const char *name, const char *text) {
  char path[200];
  if (strstr(folder, "XXXXXX") && mkdtemp(folder)) { atexit(remove_folder); }
  snprintf(path, sizeof path, "%s/%s", folder, name);
  test_put(path, text);
}

static mbd_status read_with(const char *text, int n, const char *const *name, const char *const *value,
                            mbo_model_file **m, mbd_error *err) {
  char path[200];
  put("model.ini", text);
  snprintf(path, sizeof path, "%s/model.ini", folder);
  return mbo_model_file_read(path, n, name, value, m, err);
}

static mbo_model_file *open_model(const char *text) {
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  must(read_with(text, 0, NULL, NULL, &m, &err), &err);
  return m;
}

/* The nominal value of a coefficient by its name. */
static double value_of(const mbo_model_file *m, const char *name) {
  const mbd_spec *s = mbo_model_file_spec(m);
  for (int k = 0; k < mbd_spec_ncoef(s); k++) {
    if (strcmp(mbd_spec_coef_name(s, k), name) == 0) { return mbd_spec_nominal(s, k); }
  }
  printf("\n  no coefficient %s", name);
  return NAN;
}

static void check_value(const mbo_model_file *m, const char *name, double expected) {
  CHECK_CLOSE(name, value_of(m, name), expected, 1e-15 * fmax(1, fabs(expected)));
}

static void test_values(void) {
  put("arm.ini", arm);
  mbo_model_file *m = open_model(model);
  mbd_model *compiled;
  mbd_error err = {0};
  check_value(m, "body.a.bar.com.x", 1.25);
  check_value(m, "body.a.bar.com.y", 2.1);
  check_value(m, "body.a.bar.com.z", 0.5);
  check_value(m, "body.a.bar.inertia.xy", 0.1);
  check_value(m, "body.b.bar.mass", 7);
  check_value(m, "body.b.bar.com.x", 0.7);
  check_value(m, "body.b.bar.com.y", -0.1);
  check_value(m, "body.b.bar.inertia.xy", -0.1);
  check_value(m, "body.b.bar.inertia.xz", 0.2);
  check_value(m, "body.b.bar.inertia.yz", -0.3);
  check_value(m, "vector.b.n@b.bar.y", -0.8);
  check_value(m, "vector.b.n@base.x", 0.6);
  check_value(m, "force.b.spring.stiffness", 140);
  check_value(m, "body.c.bar.com.x", -0.1); /* x to y, y to -x */
  check_value(m, "body.c.bar.com.y", 0.25);
  check_value(m, "body.c.bar.com.z", 0.8);
  check_value(m, "body.c.bar.inertia.xx", 2);
  check_value(m, "body.c.bar.inertia.yy", 1);
  check_value(m, "body.c.bar.inertia.xy", -0.1);
  check_value(m, "body.c.bar.inertia.xz", -0.3);
  check_value(m, "body.c.bar.inertia.yz", 0.2);
  check_value(m, "point.c.T@c.bar.y", 0.5);
  check_value(m, "start.hold.base-b.bar.angle", 0.1);
  CU_ASSERT_STRING_EQUAL(strrchr(mbo_model_file_part(m, 0), '/'), "/arm.ini");
  CU_ASSERT_PTR_NULL(mbo_model_file_part(m, 1));
  CU_ASSERT_EQUAL(mbd_model_create(mbo_model_file_spec(m), &compiled, &err), MBD_OK);
  mbd_model_destroy(compiled);
  mbo_model_file_destroy(m);
}

/* An oblique turn: J' = R J R', with R about z by 0.4. */
static void test_turned(void) {
  char text[2000];
  edit(text, sizeof text, model, "turn = 0, 0, pi/2", "turn = 0, 0, 0.4");
  put("arm.ini", arm);
  mbo_model_file *m = open_model(text);
  const double c = cos(0.4), s = sin(0.4);
  check_value(m, "body.c.bar.com.x", 0.25 * c - 0.1 * s);
  check_value(m, "body.c.bar.com.y", 0.25 * s + 0.1 * c);
  check_value(m, "body.c.bar.inertia.xx", c * c * 1 + s * s * 2 - 2 * c * s * 0.1);
  check_value(m, "body.c.bar.inertia.xy", c * s * (1 - 2) + (c * c - s * s) * 0.1);
  check_value(m, "body.c.bar.inertia.xz", c * 0.2 - s * 0.3);
  mbo_model_file_destroy(m);
}

/* Designs address scalars of a part; those that all share move all; replaced ones take the place of what a part says. */
static void test_scalars(void) {
  static const char *const vary[] = {"b.l", "m", "L"}, *const replaced[] = {"a.l", "L"}, *const by[] = {"3*L", "0.2"};
  double theta[200], rho[] = {1.4, 2, 0.7};
  const int *start, *index;
  const double *value;
  mbd_error err = {0};
  put("arm.ini", arm);
  mbo_model_file *m = open_model(model);
  must(mbo_model_file_vary(m, 3, vary, &err), &err);
  must(mbo_model_file_eval(m, rho, theta, &start, &index, &value, &err), &err);
  double by_l = 0, by_m = 0;
  for (int k = start[0]; k < start[1]; k++) {
    if (strcmp(mbd_spec_coef_name(mbo_model_file_spec(m), index[k]), "force.b.spring.stiffness") == 0) {
      by_l = value[k];
    }
  }
  for (int k = start[1]; k < start[2]; k++) { by_m += value[k]; }
  CHECK_CLOSE("of the part alone", by_l, 100, 1e-15);
  CHECK_CLOSE("of the two that share it", by_m, 2, 1e-15);
  mbo_model_file_destroy(m);
  must(read_with(model, 2, replaced, by, &m, &err), &err);
  check_value(m, "force.a.spring.stiffness", 60);
  check_value(m, "force.b.spring.stiffness", 40);
  mbo_model_file_destroy(m);
}

/* Parts in parts, with repetitions whose number comes from outside, and bodies under other names. */
static void test_nested(void) {
  static const char row[] =
      "schema = 1\n"
      "[scalars]\n"
      "n = 1\n"
      "[part arm{i}]\n"
      "repeat = i from 1 to n\n"
      "file = ../arm.ini\n"
      "at = {i}, 0, 0\n"
      "body.base = frame\n"
      "mirror = y\n";
  char text[2000], path[200];
  edit(text, sizeof text, model, "[part a]\nfile = arm.ini\n",
       "[part row]\nfile = rows/row.ini\nscalar.n = 2*m - 1\nbody.frame = base\nmirror = y\n");
  snprintf(path, sizeof path, "%s/rows", folder);
  mkdir(path, 0700);
  put("arm.ini", arm);
  put("rows/row.ini", row);
  mbo_model_file *m = open_model(text);
  const char *const by_m[] = {"m"};
  mbd_error err = {0};
  check_value(m, "body.row.arm3.bar.com.x", 3 + 1 + 0.25);
  check_value(m, "body.row.arm3.bar.com.y", 2.1); /* mirrored twice */
  check_value(m, "point.row.arm2.O@base.x", 3);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, by_m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "scalar 'm' of");
  CHECK_CONTAINS(err.text, "numbers what is repeated or named, so it cannot vary");
  mbo_model_file_destroy(m);
}

/* The same arm written in millimetres. */
static void test_units(void) {
  char text[2000];
  put("arm.ini",
      "schema = 1\n[model]\nunits = mm\n[scalars]\nl = 500\n[body bar]\nmass = m\ncom = l/2, 100, -200\n"
      "inertia = 1e6, 2e6, 3e6, 1e5, 2e5, 3e5\n"
      "[point O]\nat = 0, 200, 0\nbodies = base, bar\n[point T]\nat = l, 200, 300\nbodies = bar\n"
      "[vector n]\nalong = 0.6, 0.8, 0\nbodies = base, bar\n[coordinate s]\nguess = 1000\n"
      "[constraint length]\ntype = distance_coordinate\npoints = T, F\ncoordinate = s\n"
      "[force spring]\ntype = spring\npoints = F, T\nstiffness = 0.1*l\ndamping = 0.02\nfree_length = 900\n"
      "[force hinge]\ntype = torsion_spring\ncoordinate = base-bar.angle\nstiffness = 3000\nfree_angle = 0.1\n"
      "[force on_s]\ntype = torsion_spring\ncoordinate = s\nstiffness = 2\nfree_angle = 700\n"
      "[force stop]\ntype = bump_stop\npoints = F, T\nengage = 10\ncubic_stiffness = 5\n"
      "[start]\nhold.s = 800\nrate.s = 50\n");
  edit(text, sizeof text, model, "scalar.l = 2*L", "scalar.l = 2000*L");
  mbo_model_file *m = open_model(text);
  check_value(m, "body.a.bar.com.x", 1.25);
  check_value(m, "body.b.bar.com.y", -0.1);
  check_value(m, "body.c.bar.com.x", -0.1);
  check_value(m, "body.a.bar.inertia.yy", 2);
  check_value(m, "body.b.bar.inertia.yz", -0.3);
  check_value(m, "body.a.bar.mass", 2);
  check_value(m, "vector.a.n@base.x", 0.6);
  check_value(m, "force.a.spring.stiffness", 50000);
  check_value(m, "force.a.spring.damping", 20);
  check_value(m, "force.a.spring.free_length", 0.9);
  check_value(m, "force.a.hinge.stiffness", 3);
  check_value(m, "force.a.hinge.free_angle", 0.1);
  check_value(m, "force.a.on_s.stiffness", 2000);
  check_value(m, "force.a.on_s.free_angle", 0.7);
  CHECK_CLOSE("N/mm^3", value_of(m, "force.a.stop.cubic_stiffness"), 5e9, 1e-6);
  check_value(m, "force.a.stop.onset", 0.005); /* a default is in SI */
  check_value(m, "start.hold.a.s", 0.8);
  check_value(m, "start.rate.a.s", 0.05);
  mbo_model_file_destroy(m);
}

/* Axes of curves are what the elements make of them: N over mm, N mm over the angle, mm over time. */
static void test_units_of_curves(void) {
  char text[3000], more[3000];
  edit(text, sizeof text, arm, "schema = 1\n", "schema = 1\n[model]\nunits = mm\n");
  edit(more, sizeof more, text, "",
       "[curve f]\ntype = table\nknots = 100, 200\ncoefficients = 3, 4*l\n"
       "[curve r]\ntype = ramp\ncoefficients = 1, 2, 300, 40\n"
       "[curve b]\ntype = piecewise_linear\ncoefficients = 1, 20, 30, 4\n"
       "[curve p]\ntype = polynomial\ncoefficients = 1, 2, 3\n"
       "[curve h]\ntype = harmonic\ncoefficients = 10, 20, 3, 4\n"
       "[curve t]\ntype = polynomial\ncoefficients = 1000, 2000\n"
       "[curve nobody]\ntype = polynomial\ncoefficients = 5\n"
       "[force f]\ntype = spring\npoints = F, T\nforce_of_length = f\n"
       "[force r]\ntype = torsion_spring\ncoordinate = s\nforce_of_angle = r\nforce_of_speed = p\n"
       "[constraint d]\ntype = driven_coordinate\ncoordinate = s\nmotion = h\n"
       "[force d]\ntype = spring\npoints = F, T\nforce_of_speed = b\n"
       "[force m]\ntype = coordinate_force\ncoordinate = base-bar.angle\nforce = t\n");
  put("arm.ini", more);
  mbo_model_file *m = open_model(model);
  check_value(m, "curve.a.f.1", 3);
  check_value(m, "curve.a.f.2", 2);
  check_value(m, "curve.a.r.1", 1);
  check_value(m, "curve.a.r.2", 2000);
  check_value(m, "curve.a.r.3", 0.3);
  check_value(m, "curve.a.r.4", 0.04);
  check_value(m, "curve.a.b.1", 1000);
  check_value(m, "curve.a.b.2", 0.02);
  check_value(m, "curve.a.b.3", 0.03);
  check_value(m, "curve.a.b.4", 4000);
  check_value(m, "curve.a.p.2", 2000);
  check_value(m, "curve.a.p.3", 3e6);
  check_value(m, "curve.a.h.1", 0.01);
  check_value(m, "curve.a.h.2", 0.02);
  check_value(m, "curve.a.h.3", 3);
  check_value(m, "curve.a.t.2", 2);
  check_value(m, "curve.a.nobody.1", 5);
  mbo_model_file_destroy(m);
}

/* What is changed in the arm or in the model, and what is said then. */
static const struct {
  int in_arm;
  const char *from, *to, *message;
} wrong[] = {
    {1, "mass = m", "mass = -1", "arm.ini:5: part a: [body bar] mass = -1: the value is -1, expected >= 0"},
    {1, "mass = m", "mass = mm",
     "arm.ini:5: part a: [body bar] mass = mm: scalar 'mm' is not known, did you mean 'm'?"},
    {1, "bodies = base, bar", "bodies = bas, bar",
     "part a: [point O] bodies = bas, bar: body 'bas' is not known, did you mean"},
    {1, "[start]", "[strat]", "part a: [strat] section 'strat' is not known in a model file, did you mean 'start'?"},
    {1, "schema = 1\n", "schema = 1\n[model]\ngravity = 0, 0, 1\n",
     "arm.ini:3: part a: [model] gravity = 0, 0, 1: in the file that uses the part z of the gravity is -9.81 m/s^2, "
     "expected the same"},
    {1, "schema = 1\n", "schema = 1\n[model]\nframe = body\n",
     "the file that uses the part has frame = global, expected the same; write frame = body there, in [model]"},
    {1, "l = 0.5", "l = k\nk = l", "scalar 'a.l' depends on itself: a.l -> a.k -> a.l"},
    {1, "at = l, 0.2, 0.3\nbodies = bar", "at.bar = l, 0.2, 0.3\nat.base = 1, 2, 3",
     "part b: [point T] at.base = 1, 2, 3: in part 'b', which is turned or mirrored, expected one place for all "
     "bodies: "
     "'at' and 'bodies'"},
    {1, "[coordinate s]",
     "[force rider]\ntype = roll_feedback\ncoordinate = base-bar.angle\nleft = n@bar\n[coordinate s]",
     "part b: [force rider] a force 'roll_feedback' cannot stand in part 'b', which is mirrored: it has no image "
     "there"},
    {1, "[coordinate s]", "[force wind]\ntype = expression\npoint = T\nframe = bar\nvalue = 1, 2, 3\n[coordinate s]",
     "part b: [force wind] a force 'expression with point and frame' cannot stand in part 'b', which is mirrored"},
    {1, "[coordinate s]", "[joint j]\ntype = planar\nbodies = base, bar\npoint = O\naxis = n\n[coordinate s]",
     "a joint of type 'planar' cannot stand in part 'b', which is mirrored"},
    {1, "[start]", "[part self]\nfile = arm.ini\n[start]",
     "part a: [part self] file = arm.ini: a file cannot be a part of itself: "},
    {1, "[start]", "[part back]\nfile = model.ini\n[start]", "a file cannot be a part of itself: "},
    {0, "file = arm.ini", "fil = arm.ini", "[part a] key 'file' is missing: a model file, or 'use', a part of mbopt"},
    {0, "file = arm.ini", "file = amr.ini", "model.ini:13: [part a] file = amr.ini: "},
    {0, "[part a]", "[part a-b]", "the name of a part is made of letters, digits and '_'"},
    {0, "[part a]", "[part base]",
     "[part base] [body base] in line 5 has the same name, and what is in the part could not be told from its "
     "quantities"},
    {0, "at = 1, 2, L", "at = 1, 2", "[part a] at = 1, 2: 2 values, expected 3 separated by commas"},
    {0, "at = 1, 2, L", "att = 1, 2, L", "[part a] att = 1, 2, L: key 'att' is not known here, did you mean 'at'?"},
    {0, "mirror = y", "mirror = xy", "mirror = xy"},
    {0, "scalar.m = 7", "scalar.mas = 7", "[part b] scalar.mas = 7: the part "},
    {0, "scalar.m = 7", "scalar.mas = 7", "has no scalar 'mas', and uses none"},
    {0, "scalar.l = 2*L", "scalar.l = log(-L)", "model.ini:18: [part b] scalar.l: expression 'log(-L)': 'log' of -"},
    {0, "scalar.l = 2*L", "scalar.l = 2*LL", "[part b] scalar.l = 2*LL: scalar 'LL' is not known, did you mean 'L'?"},
    {0, "scalar.m = 7", "body.bar = base", "has its own body 'bar', expected the name of one that it has not"},
    {0, "scalar.m = 7", "body.bse = base", "names no body 'bse' of the file that uses it"},
    {0, "[body base]", "[model]\nframe = body\n[body base]", "with frame = body a part has no place"},
};

static void test_messages(void) {
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    char text[3000];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, wrong[i].in_arm ? arm : model, wrong[i].from, wrong[i].to);
    put("arm.ini", wrong[i].in_arm ? text : arm);
    CU_ASSERT(read_with(wrong[i].in_arm ? model : text, 0, NULL, NULL, &m, &err) < 0);
    CHECK_CONTAINS(err.text, wrong[i].message);
    mbo_model_file_destroy(m);
  }
}

static void test_units_refused(void) {
  static const char *const refused[][2] = {
      {"[curve c]\ntype = polynomial\ncoefficients = 1, 2\n[force f]\ntype = spring\npoints = F, T\nforce_of_length = "
       "c\n"
       "force_of_speed = c\n[force g]\ntype = coordinate_force\ncoordinate = s\nforce = c\n",
       "[curve c] with units = mm the units of this curve's axes are not known, or elements and drives take them for "
       "different ones"},
      {"[constraint g]\ntype = gear\ncoordinates = s, base-bar.angle\nratio = 2\n",
       "with units = mm the unit of this number is not known"},
      {"[coordinate free]\nguess = 1\n[force f]\ntype = torsion_spring\ncoordinate = free\nstiffness = 1\n",
       "[force f] stiffness = 1: with units = mm the unit of this number is not known"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    char text[3000], more[3000];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, arm, "schema = 1\n", "schema = 1\n[model]\nunits = mm\n");
    edit(more, sizeof more, text, "[start]\n", "");
    edit(text, sizeof text, more, "hold.base-bar.angle = 0.1\nsettle = base-bar.angle\n", refused[i][0]);
    put("arm.ini", text);
    CU_ASSERT_EQUAL(read_with(model, 0, NULL, NULL, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, refused[i][1]);
    mbo_model_file_destroy(m);
  }
}

/* Gravity is in mm/s^2 where lengths are in mm; the default is in SI. */
static void test_gravity(void) {
  static const char body[] = "[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[start]\nhold.b.x = 0\n";
  static const struct {
    const char *units;
    double z;
  } right[] = {{"units = mm\ngravity = 0, 0, -9810\n", -9.81},
               {"units = mm\ngravity = 0, 0, -1620\n", -1.62},
               {"units = mm\ngravity = 0, 0, 0\n", 0},
               {"units = mm\n", -9.81},
               {"gravity = 0, 0, -0.05\n", -0.05}};
  char text[400];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
    snprintf(text, sizeof text, "schema = 1\n[model]\n%s%s", right[i].units, body);
    m = open_model(text);
    check_value(m, "gravity.z", right[i].z);
    mbo_model_file_destroy(m);
  }
  snprintf(text, sizeof text, "schema = 1\n[model]\nunits = mm\ngravity = 0, 0, -9.81\n%s", body);
  CU_ASSERT_EQUAL(read_with(text, 0, NULL, NULL, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text,
                 ":4: [model] gravity = 0, 0, -9.81: with units = mm these are mm/s^2, 0.00981 m/s^2 in all; "
                 "expected mm/s^2, as 0, 0, -9810");
}

/* A curve of a file in mm drives a distance in mm, whether the model's constraint takes it or the run's drive; an angle is in rad, and a
 * number of the run file in m. */
static void test_driven_curves(void) {
  static const char slide[] =
      "schema = 1\n[model]\nunits = mm\njoints = named\n[body b]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body c]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point P]\nat = 0, 0, 0\nbodies = b, c\n"
      "[vector z]\nalong = 0, 0, 1\nbodies = ground, b, c\n[joint j]\ntype = prismatic\nbodies = ground, b\naxis = z\n"
      "[joint k]\ntype = revolute\nbodies = b, c\npoint = P\naxis = z\n"
      "[curve stroke]\ntype = polynomial\ncoefficients = 0, 80\n[curve turn]\ntype = polynomial\ncoefficients = 0, "
      "0.5\n";
  static const char constraint[] =
      "[constraint d]\ntype = driven_coordinate\ncoordinate = j.distance\nmotion = stroke\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = MODEL\n[case c]\nanalysis = kinematic\nduration = 1\nstep = 0.5\n"
      "drive.k.angle = turn\n%s[objective z]\nof = j.distance\nform = terminal\n"
      "[objective a]\nof = k.angle\nform = terminal\n";
  static const struct {
    const char *drive;
    double z;
  } cases[] = {{"", 0.08},
               {"drive.j.distance = stroke\n", 0.08},
               {"drive.j.* = stroke\n", 0.08},
               {"drive.j.distance = 0.08\n", 0.08}};
  static const broken_case broken[] = {
      {"drive.k.angle = turn\n", "drive.* = stroke\n",
       ":28: [curve stroke] with units = mm the units of this curve's axes are not known, or elements and drives take "
       "them for"},
      {"drive.k.angle = turn\n", "drive.k.angle = turn\ndrive.j.distance = turn\n",
       "[curve turn] with units = mm the units of this curve's axes are not known, or elements and drives take them "
       "for"},
      {"drive.k.angle = turn\n", "drive.j.distance = turn\n",
       "[curve turn] coefficients = 0, 0.5: with units = mm these are mm, and the load case 'c' drives a coordinate by "
       "them, all of "
       "them below 1 mm; expected mm, or the curve in a file with units = m"},
      {"drive.k.angle = turn\n", "drive.x* = turn\n",
       "[case c] drive.x* = turn, expected a curve of the model or a number: no coordinate of a joint by name"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char model_text[2000], run_text[1000];
    mbd_error err = {0};
    snprintf(model_text, sizeof model_text, "%s%s", slide, i == 0 ? constraint : "");
    snprintf(run_text, sizeof run_text, run, cases[i].drive);
    opened_run r = run_open_texts(model_text, run_text, 0, NULL);
    must(mechanism_evaluate(r.m, r.m->start, "none", &err), &err);
    CHECK_CLOSE(cases[i].drive, r.m->psi[0], cases[i].z, 1e-15);
    CHECK_CLOSE("angle", r.m->psi[1], 0.5, 1e-15);
    run_close(&r);
  }
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    char run_text[1000], text[1000], model_path[40], run_path[40];
    mbo_run_config *c;
    mechanism *m = NULL;
    mbd_error err = {0};
    snprintf(run_text, sizeof run_text, run, "");
    edit(text, sizeof text, run_text, broken[i].from, broken[i].to);
    run_write_texts(slide, text, model_path, run_path);
    must(mbo_run_config_read(run_path, 0, NULL, &c, &err), &err);
    CU_ASSERT_EQUAL(mechanism_create(c, &m, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, broken[i].message);
    mechanism_destroy(m), mbo_run_config_destroy(c);
    unlink(model_path), unlink(run_path);
  }
}

/* Files that use each other without end, or make too much of a little, are refused at once. */
static void test_hostile(void) {
  char text[400], name[40];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  for (int i = 0; i < 12; i++) {
    snprintf(name, sizeof name, "deep%d.ini", i);
    snprintf(text, sizeof text, "schema = 1\n[part p]\nfile = deep%d.ini\n", i + 1);
    put(name, text);
  }
  CU_ASSERT_EQUAL(read_with("schema = 1\n[part p]\nfile = deep0.ini\n", 0, NULL, NULL, &m, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "this part is in 9 others, expected at most 8");
  for (int i = 0; i < 7; i++) {
    snprintf(name, sizeof name, "wide%d.ini", i);
    snprintf(text, sizeof text, "schema = 1\n[part p{i}]\nrepeat = i from 1 to 100\nfile = wide%d.ini\n", i + 1);
    put(name, text);
  }
  put("wide7.ini", "schema = 1\n");
  CU_ASSERT_EQUAL(read_with("schema = 1\n[part p]\nfile = wide0.ini\n", 0, NULL, NULL, &m, &err), MBD_BAD_INPUT);
  CU_ASSERT(strstr(err.text, "more than 10000 parts") || strstr(err.text, "MiB of text"));
}

/* ---- quantities that the using file gives, and parts of mbopt ---- */

static const char filter[] =
    "schema = 1\n[scalars]\nn = 2\ngain_{i from 1 to n} = {i}\nT = 1\n"
    "[quantity u{i}]\nrepeat = i from 1 to n\nvalue = gain_{i}*wish\n"
    "[quantity wish]\nvalue = 10\nunit = m/s\n"
    "[quantity out]\nvalue = u1 + 1000*u2 + 1e6*T\n";

static const char user[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nwish = 77\n[body sled]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, "
    "1\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, sled\n[joint slide]\ntype = prismatic\nbodies = ground, sled\naxis "
    "= x\n"
    "[quantity T]\nvalue = 5\nunit = m/s\n[start]\nhold.slide.distance = 0\nrate.slide.distance = 3\n"
    "[part a]\nfile = filter.ini\n"
    "[part b]\nfile = filter.ini\nquantity.wish = 2*wish + slide.distance.rate\nscalar.gain_2 = 3\nquantity.u1 = T\n"
    "[part c]\nfile = twice.ini\nquantity.input = T\n"
    "[part d]\nuse = lag\nquantity.input = 2*T\nscalar.T = 0.1*wish\n"
    "[part e]\nfile = table.ini\ncoordinate.q = slide.distance\n"
    "[part f]\nfile = table.ini\ncoordinate.q = slide.distance\nquantity.gain = 7\n";

/* Names in a part are its own first: its scalar T and not the quantity of the using file, its quantity wish and not that file's scalar; a given
 * quantity has the names of the file that gives it. */
static void test_quantities(void) {
  put("filter.ini", filter);
  put("table.ini",
      "schema = 1\n[curve gains]\ntype = polynomial\ncoefficients = 2, 3\n"
      "[quantity gain]\nvalue = 4 + q\ncurve = gains\nderivative = 0\n[quantity out]\nvalue = gain + q\n");
  put("twice.ini", "schema = 1\n[part in]\nfile = filter.ini\nquantity.wish = 2*input\n");
  test_model q = model_from(open_model(user));
  CHECK_CLOSE("default", value_now(&q, "a.out"), 10 + 1000 * 20 + 1e6, 1e-9);
  CHECK_CLOSE("given", value_now(&q, "b.out"), 5 + 1000 * 3 * (2 * 77 + 3) + 1e6, 1e-9);
  CHECK_CLOSE("through two parts", value_now(&q, "c.in.out"), 10 + 1000 * 20 + 1e6, 1e-9);
  CHECK_CLOSE("of a curve and a coordinate of the other file", value_now(&q, "e.out"), 2 + 3 * 4, 1e-14);
  CHECK_CLOSE("in place of a curve", value_now(&q, "f.out"), 7, 1e-14);
  CHECK_CLOSE("part of mbopt", value_now(&q, "d.output.rate"), 2 * 5 / 7.7, 1e-14);
  CHECK_CONTAINS(mbo_model_file_part(q.file, 2), "lag (a part of mbopt)");
  CU_ASSERT_PTR_NOT_NULL(shipped_part_at(mbo_model_file_part(q.file, 2)));
  CU_ASSERT_PTR_NULL(shipped_part_at(mbo_model_file_part(q.file, 0)));
  model_close(&q);
  /* The run replaces a scalar that the part repeats and the using file sets. */
  mbo_model_file *file = NULL;
  mbd_error err = {0};
  must(read_with(user, 1, (const char *const[]){"b.gain_2"}, (const char *const[]){"4"}, &file, &err), &err);
  q = model_from(file);
  CHECK_CLOSE("replaced by the run", value_now(&q, "b.out"), 5 + 1000 * 4 * (2 * 77 + 3) + 1e6, 1e-9);
  model_close(&q);
}

static void test_quantities_refused(void) {
  static const char *const refused[][3] = {
      {"quantity.input = 2*T\n", "",
       "lag (a part of mbopt):14: part d: [state output] rate = (gain*input - output)/T: 'input' is no scalar, "
       "quantity or "
       "output (OBJECT.QUANTITY; 'time' is the time); the file that uses the part may give it: quantity.input = "
       "EXPRESSION "
       "in [part d]"},
      {"quantity.u1 = T", "quantity.wih = T", "[part b] quantity.wih = T: the part " /* its path */},
      {"quantity.u1 = T", "quantity.wih = T", "filter.ini has no quantity 'wih', and names none, did you mean 'wish'?"},
      {"quantity.u1 = T", "quantity.u-1 = T", "quantity.u-1 = T: the name of a quantity is made of letters"},
      {"quantity.u1 = T", "quantity.u1 = TT", "model.ini:29: [part b] quantity.u1 = TT: 'TT' is no scalar"},
      {"quantity.u1 = T", "quantity.wish = slide.distance", "quantity.wish appears twice, first in line 27"},
      {"use = lag", "use = lagg", "[part d] use = lagg: this part of mbopt is not known, did you mean 'lag'?"},
      {"use = lag", "use = lag\nfile = filter.ini",
       "use = lag: the section has 'file', too (line 35); expected one of"},
      {"use = lag\n", "", "[part d] key 'file' is missing: a model file, or 'use', a part of mbopt"},
      {"use = lag", "use = electric_motor",
       "electric_motor (a part of mbopt):37: part d: [force drive] coordinate = shaft: coordinate 'shaft' is not "
       "known; the file "
       "that uses the part may give it: coordinate.shaft = NAME in [part d]"},
      {"use = lag", "use = damper_lag\npoint.from = P",
       "points = from, to: point 'P' is not known; the file that uses the part may give it: point.from = NAME in [part "
       "d]"},
      {"scalar.T = 0.1*wish", "scalar.TT = 1", "the part lag (a part of mbopt) has no scalar 'TT', and uses none"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    char text[3000];
    mbo_model_file *file = NULL;
    mbd_model *m = NULL;
    mbd_error err = {0};
    edit(text, sizeof text, user, refused[i][0], refused[i][1]);
    mbd_status status = read_with(text, 0, NULL, NULL, &file, &err);
    if (status == MBD_OK) { status = mbd_model_create(mbo_model_file_spec(file), &m, &err); }
    CU_ASSERT_EQUAL(status, MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, refused[i][2]);
    mbd_model_destroy(m), mbo_model_file_destroy(file);
  }
}

/* What the value of a force reads has to be the same in the image: of part b, which is mirrored, and c, which is turned about z. */
static void test_values_in_images(void) {
  static const char reads[] =
      "[vector d]\nalong = 0, 0, 1\nbodies = bar\n[vector ax]\nalong = 0.6, 0.8, 0\nbodies = bar\n"
      "[force twist]\ntype = expression\nbodies = base, bar\naxis = ax\nvalue = 1\n"
      "[body rod]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point C]\nat = 0, 0, 0\nbodies = base, rod\n"
      "[vector c]\nalong = 1, 0, 0\nbodies = base, rod\n"
      "[joint cyl]\ntype = cylindrical\nbodies = base, rod\npoint = C\naxis = c\n"
      "[quantity given]\nvalue = T.velocity.x + bar.yaw\n[quantity u]\nvalue = 2*v\n[quantity v]\nvalue = "
      "T.velocity.y\n"
      "[state x]\nrate = u - x\n[part lag]\nuse = lag\nquantity.input = u\n[part calm]\nuse = lag\n"
      "quantity.input = given + T.velocity.z\n[force f]\ntype = expression\ncoordinate = base-bar.angle\nvalue = "
      "VALUE\n[coordinate "
      "s]";
  static const struct {
    const char *value, *part, *found; /* NULL: accepted */
  } rows[] = {{"T.velocity.y", "part 'b' is mirrored", "T.velocity.y"},
              {"2*abs(T.position.y)", "part 'b' is mirrored", "T.position.y"},
              {"T.velocity.x", "part 'c' is turned", "T.velocity.x"},
              {"T.velocity@base.y", "part 'b' is mirrored", "T.velocity@base.y"},
              {"T.velocity.z + T.velocity@base.z + T.velocity.norm", NULL, NULL},
              {"bar.rate.z", "part 'b' is mirrored", "bar.rate.z"},
              {"bar.rate.y", "part 'c' is turned", "bar.rate.y"},
              {"sin(bar.yaw@base)", "part 'b' is mirrored", "bar.yaw@base"},
              {"bar.pitch", "part 'c' is turned", "bar.pitch"},
              {"bar.angle.x", "part 'b' is mirrored", "bar.angle.x"},
              {"s.rate + spring.length + spring.power + distance(T, F).rate", NULL, NULL},
              {"distance(T, F, d).rate + angle(d, n) + angle(n, d, ax)", NULL, NULL},
              {"distance(T, F, ax)", "part 'b' is mirrored", "distance(T, F, ax)"},
              {"angle(n , d, n)", "part 'b' is mirrored", "angle(n , d, n)"},
              {"distance(T, F, base.y)", "part 'b' is mirrored", "distance(T, F, base.y)"},
              {"distance(T, F, base.z)", NULL, NULL},
              {"2*sum(v*)", "part 'b' is mirrored", "T.velocity.y"},
              {"mean(giv*)", NULL, NULL},
              {"cyl.angle.rate", "part 'b' is mirrored", "cyl.angle.rate"},
              {"cyl.distance + cyl.distance.rate", NULL, NULL},
              {"tyre.load*tyre.lateral", "part 'b' is mirrored", "tyre.lateral"},
              {"bush.moment_x", "part 'b' is mirrored", "bush.moment_x"},
              {"u", "part 'b' is mirrored", "T.velocity.y"},
              {"x", "part 'b' is mirrored", "T.velocity.y"},
              {"integral(3*u)", "part 'b' is mirrored", "T.velocity.y"},
              {"lag.output", "part 'b' is mirrored", "T.velocity.y"},
              {"lag.input*calm.output", "part 'b' is mirrored", "T.velocity.y"},
              {"calm.output + calm.output.rate", NULL, NULL},
              {"sum(T*.velocity.y)", "part 'b' is mirrored", "sum(T*.velocity.y)"},
              {"given + l*time", NULL, NULL}};
  char with[3000], text[3000], using[3000], message[200];
  edit(with, sizeof with, arm, "[coordinate s]", reads);
  edit(using, sizeof using, model, "scalar.m = 7\n", "scalar.m = 7\nquantity.given = -b.T.velocity.y\n");
  edit(text, sizeof text, using, "turn = 0, 0, pi/2\n", "turn = 0, 0, pi/2\nquantity.given = 3\n");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char file[3000];
    mbo_model_file *m = NULL;
    mbd_error err = {0};
    edit(file, sizeof file, with, "VALUE", rows[i].value);
    put("arm.ini", file);
    const mbd_status status = read_with(text, 0, NULL, NULL, &m, &err);
    CU_ASSERT_EQUAL(status, rows[i].part ? MBD_BAD_INPUT : MBD_OK);
    if (rows[i].part) {
      snprintf(message, sizeof message, "[force f] value = %s: %s, where '%s' is not", rows[i].value, rows[i].part,
               rows[i].found);
      CHECK_CONTAINS(err.text, message);
    }
    mbo_model_file_destroy(m);
  }
}

TEST_MAIN(TEST(test_values), TEST(test_turned), TEST(test_scalars), TEST(test_nested), TEST(test_units),
          TEST(test_units_of_curves), TEST(test_messages), TEST(test_units_refused), TEST(test_gravity),
          TEST(test_driven_curves), TEST(test_hostile), TEST(test_quantities), TEST(test_quantities_refused),
          TEST(test_values_in_images))
