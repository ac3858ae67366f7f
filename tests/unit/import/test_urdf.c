/* Robots from URDF: values that were derived by hand, every type of joint, trees of any shape by the definition of the format, the same
 * motion as that of a model file, and messages with lines. */
#include "import/urdf.h"

#include "base/v3.h"
#include "mbo/run.h"
#include "robot_text.h"

enum { PATH = 300 };
static char folder[] = "/tmp/mbopt_urdf_XXXXXX";
static const robot_format reader = {urdf_read, folder};

/* ---- a robot as a run ---- */

/* Its files, model.ini and run.ini, in the folder of the test. */
static void import(const char *urdf, robot_base base, robot *r) {
  char model[PATH], run[PATH];
  mbd_error err = {0};
  snprintf(model, sizeof model, "%s/model.ini", folder), snprintf(run, sizeof run, "%s/run.ini", folder);
  must(urdf_read(urdf, r, &err), &err);
  robot_put(model, r, base, 1);
  robot_put(run, r, base, 0);
}

static mbo_run *open_run(const char *path, int n, const char *const *set) {
  mbo_run *r = NULL;
  mbd_error err = {0};
  must(mbo_run_open(path, n, set, &r, &err), &err);
  mbo_run_threads(r, 1);
  return r;
}

static mbo_run *open_imported(const char *name, robot_base base, int n, const char *const *set) {
  robot bot;
  char urdf[PATH], run[PATH];
  snprintf(urdf, sizeof urdf, "%s/%s", MBOPT_SOURCE_DIR, name), snprintf(run, sizeof run, "%s/run.ini", folder);
  import(urdf, base, &bot);
  robot_free(&bot);
  return open_run(run, n, set);
}

static mbo_series *motion_of(mbo_run *r) {
  mbo_series *s = NULL;
  mbd_error err = {0};
  must(mbo_run_simulate(r, NULL, 0, &s, &err), &err);
  return s;
}

/* ---- values by hand ---- */

static const char two_links[] =
    "<robot name='two'>\n<link name='base'/>\n"
    "<link name='upper'><inertial><origin xyz='0.5 0 0' rpy='1.5707963267948966 0 0'/><mass value='2'/>\n"
    "<inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<link name='fore'><inertial><origin xyz='0.25 0 0' rpy='0 0 0.7853981633974483'/><mass value='1'/>\n"
    "<inertia ixx='0.04' iyy='0.02' izz='0.05' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/></joint>\n"
    "<joint name='elbow' type='continuous'><parent link='upper'/><child link='fore'/><origin xyz='1 0 0'/>\n"
    "<axis xyz='0 1 0'/></joint>\n</robot>\n";

/* Two links along x turn about y, which lowers them. Inertial frames are turned: that of the upper link by 90 degrees about x, so that its
 * moment about y is the third, 0.3; that of the other by 45 degrees about z, so that its moments about x and y are (0.04 + 0.02)/2 = 0.03,
 * and Ixy = (0.04 - 0.02)/2 = 0.01. Let go at rest,
 *   M zdd = g (m1 0.5 + m2 1.25, m2 0.25),   M11 = 0.3 + 2 0.5^2 + 0.03 + 1.25^2 = 2.3925,   M12 = 0.03 + 1.25 0.25 = 0.3425,
 *   M22 = 0.03 + 0.25^2 = 0.0925,   det M = 0.104,   zdd = (1.201725, -1.692225)/0.104. */
static void test_two_links(void) {
  static const char fall[] = "schema = 1\n[model]\nfile = model.ini\n[case fall]\nduration = 1e-3\nstep = 1e-3\n";
  static const double upper[9] = {0.1, 0, 0, 0, 0.3, 0, 0, 0, 0.2},
                      fore[9] = {0.03, 0.01, 0, 0.01, 0.03, 0, 0, 0, 0.05};
  char urdf[PATH], run[PATH];
  robot bot;
  if (!reads_robots(&reader)) { return; }
  snprintf(urdf, sizeof urdf, "%s/two.XXXXXX", folder), snprintf(run, sizeof run, "%s/run.XXXXXX", folder);
  write_file(urdf, two_links), write_file(run, fall);
  import(urdf, ROBOT_BASE_FIXED, &bot);
  CU_ASSERT_EQUAL_FATAL(bot.nlink, 3);
  for (int i = 0; i < 9; i++) {
    CHECK_CLOSE("upper", bot.link[1].inertia[i], upper[i], 1e-16);
    CHECK_CLOSE("fore", bot.link[2].inertia[i], fore[i], 1e-16);
  }
  robot_free(&bot);
  mbo_run *r = open_run(run, 0, NULL);
  mbo_series *s = motion_of(r);
  CHECK_CLOSE("shoulder", series_at(s, 0, "shoulder.angle.acceleration"), 1.201725 / 0.104, 1e-12);
  CHECK_CLOSE("elbow", series_at(s, 0, "elbow.angle.acceleration"), -1.692225 / 0.104, 1e-12);
  mbo_series_free(s);
  mbo_run_close(r);
}

/* The slide's axis is x of the world; the cart's x points down, so that the plate is 0.2 below it, at a height of 0.8, and its hinge 0.1 above
 * its origin. x of the plate is y of the world: its centre of mass is 0.3 along y; the flap's is 1 from the hinge at (1, 0.2) in (y, z)
 * turned by the angle. The drone's x is y of the world. */
static void test_all_types(void) {
  static const char *const set[] = {
      "output.outputs=plate.com, flap.com, _2nd_flap.com, drone.com, puck.com, slide_friction.force, "
      "hinge_friction.force",
      "case.motion.step=T/50"};
  if (!reads_robots(&reader)) { return; }
  mbo_run *r = open_imported("tests/unit/import/all_types.urdf", ROBOT_BASE_FIXED, 2, set);
  mbo_series *s = motion_of(r);
  static const double end[] = {0.5, 0.2 + 1.8 / 4}; /* a quarter of the way to the farther limit */
  for (int last = 0; last < 2; last++) {
    const int row = -last;
    const double d = last * end[0], angle = last ? end[1] : 0.2, t = last * 2.0;
    CHECK_CLOSE("slide", series_at(s, row, "slide.distance"), d, 1e-12);
    CHECK_CLOSE("plate x", series_at(s, row, "plate.com.x"), d, 1e-12);
    CHECK_CLOSE("plate y", series_at(s, row, "plate.com.y"), 0.3, 1e-12);
    CHECK_CLOSE("plate z", series_at(s, row, "plate.com.z"), 0.8, 1e-12);
    CHECK_CLOSE("flap y", series_at(s, row, "flap.com.y"), cos(angle), 1e-12);
    CHECK_CLOSE("flap z", series_at(s, row, "flap.com.z"), 0.9 + sin(angle), 1e-12);
    CHECK_CLOSE("follower y", series_at(s, row, "_2nd_flap.com.y"), cos(0.1 - 2 * angle), 1e-12);
    CHECK_CLOSE("follower z", series_at(s, row, "_2nd_flap.com.z"), 0.8 + sin(0.1 - 2 * angle), 1e-12);
    CHECK_CLOSE("drone x", series_at(s, row, "drone.com.x"), 5, 1e-10);
    CHECK_CLOSE("drone y", series_at(s, row, "drone.com.y"), 1, 1e-10);
    CHECK_CLOSE("drone z", series_at(s, row, "drone.com.z"), -9.81 / 2 * t * t, 1e-10);
    CHECK_CLOSE("puck y", series_at(s, row, "puck.com.y"), -3, 1e-10);
    CHECK_CLOSE("puck z", series_at(s, row, "puck.com.z"), 0, 1e-10);
  }
  const double v = series_at(s, 25, "slide.distance.rate"), w = series_at(s, 25, "hinge.angle.rate");
  CU_ASSERT(v > 0.1 && w > 0.1);
  CHECK_CLOSE("friction", series_at(s, 25, "slide_friction.force"), v / hypot(v, 1e-3) + 2 * v, 1e-12);
  CHECK_CLOSE("damping", series_at(s, 25, "hinge_friction.force"), 0.1 * w, 1e-12);
  mbo_series_free(s);
  mbo_run_close(r);
}

/* Limits are bounds of the control points, largest efforts and speeds constraints; what does not move by itself does not vary. What is left
 * out is told. */
static void test_run_file(void) {
  char urdf[PATH];
  robot bot;
  if (!reads_robots(&reader)) { return; }
  mbo_run *r = open_imported("tests/unit/import/all_types.urdf", ROBOT_BASE_FIXED, 0, NULL);
  CU_ASSERT_EQUAL_FATAL(mbo_run_variables(r), 12);
  CU_ASSERT_STRING_EQUAL(mbo_run_variable(r, 0), "slide.4");
  CU_ASSERT_STRING_EQUAL(mbo_run_variable(r, 11), "hinge.9");
  CU_ASSERT_EQUAL(mbo_run_lower(r)[0], -0.1);
  CU_ASSERT_EQUAL(mbo_run_upper(r)[0], 2);
  CU_ASSERT_EQUAL(mbo_run_lower(r)[11], 0.2);
  CU_ASSERT_EQUAL(mbo_run_objectives(r), 2);
  CU_ASSERT_EQUAL_FATAL(mbo_run_constraints(r), 3);
  CU_ASSERT_STRING_EQUAL(mbo_run_quantity(r, 2), "slide_force");
  CU_ASSERT_STRING_EQUAL(mbo_run_quantity(r, 4), "hinge_speed"); /* its effort is not given: 0 */
  CHECK_CLOSE("force", mbo_run_constraint_upper(r)[0], 100, 1e-12);
  mbo_run_close(r);
  snprintf(urdf, sizeof urdf, "%s/tests/unit/import/all_types.urdf", MBOPT_SOURCE_DIR);
  import(urdf, ROBOT_BASE_FIXED, &bot);
  CU_ASSERT_EQUAL_FATAL(bot.nwarning, 2);
  CHECK_CONTAINS(bot.warning[0].text, "all_types.urdf:36: link 'plate' <contact> is not known, and left out");
  CHECK_CONTAINS(bot.warning[1].text, "all_types.urdf:83: joint 'flat' <dynamics> is left out: the joint has not one");
  CU_ASSERT_STRING_EQUAL(bot.link[2].shape[0].file, "package://all/plate.stl");
  CU_ASSERT_STRING_EQUAL(bot.joint[4].joint, "drone_joint"); /* a link has its name */
  robot_free(&bot);
}

/* A root that is free falls, its joints at rest do not move. */
static void test_floating_base(void) {
  static const char *const set[] = {"case.motion.step=T/20", "output.outputs=base_frame.position",
                                    "scalars.shoulder_end=0", "scalars.elbow_end=0"};
  char urdf[PATH], run[PATH];
  robot bot;
  if (!reads_robots(&reader)) { return; }
  snprintf(urdf, sizeof urdf, "%s/two.XXXXXX", folder), snprintf(run, sizeof run, "%s/run.ini", folder);
  write_file(urdf, two_links);
  import(urdf, ROBOT_BASE_FLOATING, &bot);
  robot_free(&bot);
  mbo_run *r = open_run(run, 4, set);
  mbo_series *s = motion_of(r);
  CHECK_CLOSE("fallen", series_at(s, -1, "base_frame.position.z"), -9.81 / 2 * 4, 1e-9);
  mbo_series_free(s);
  mbo_run_close(r);
}

/* ---- trees of any shape, by the definition of the format ---- */

/* Frames of links as URDF has them, T_child = T_parent origin motion, computed here by products of turns; and with them, along a motion that
 * the program gives, what all links have of height and of kinetic energy. */
enum { LINKS = 10 };
typedef struct branch {
  int parent;
  const char *type;
  double xyz[3], rpy[3], axis[3], mass, com[3], turn[3], moment[3]; /* com and turn: the inertial frame */
} branch;

typedef struct frame {
  double p[3], R[9];
} frame;

static double any(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (double)(*seed >> 16) / 32768 - 1;
}

/* C = A times the turn by `angle` about axis k. */
static void turned(double *C, const double *A, int k, double angle) {
  double T[9];
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  m3_identity(T);
  T[4 * i] = T[4 * j] = cos(angle);
  T[3 * i + j] = -sin(angle), T[3 * j + i] = sin(angle);
  m3_mul(C, A, T);
}

/* A frame in the link's frame; rpy: about x first, all axes fixed. */
static void moved(frame *q, const frame *from, const double xyz[3], const double rpy[3]) {
  double once[9], twice[9];
  m3_vec(q->p, from->R, xyz);
  v3_add(q->p, q->p, from->p);
  turned(once, from->R, 2, rpy[2]), turned(twice, once, 1, rpy[1]), turned(q->R, twice, 0, rpy[0]);
}

/* By the coordinate of a joint whose axis has the length 1: R = c 1 + s u~ + (1 - c) u u'. */
static void drive(frame *q, const branch *b, double z) {
  double T[9], R[9], step[3];
  const double *u = b->axis, c = cos(z), s = sin(z);
  if (strcmp(b->type, "fixed") == 0) { return; }
  if (strcmp(b->type, "prismatic") == 0) {
    m3_vec(step, q->R, u);
    v3_axpy(q->p, z, step);
    return;
  }
  for (int i = 0; i < 9; i++) { T[i] = (1 - c) * u[i / 3] * u[i % 3] + (i % 4 == 0 ? c : 0); }
  T[1] -= s * u[2], T[2] += s * u[1], T[3] += s * u[2], T[5] -= s * u[0], T[6] -= s * u[1], T[7] += s * u[0];
  memcpy(R, q->R, sizeof R);
  m3_mul(q->R, R, T);
}

/* The inertial frames of all links, and the frames of the links. */
static void place_links(const branch *b, const double *z, frame *link, frame *inertial) {
  static const frame origin = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int i = 0; i < LINKS; i++) {
    moved(&link[i], b[i].parent < 0 ? &origin : &link[b[i].parent], b[i].xyz, b[i].rpy);
    drive(&link[i], &b[i], z[i]);
    moved(&inertial[i], &link[i], b[i].com, b[i].turn);
  }
}

/* Kinetic energy from two positions that are 2 h apart in time: of each link m v^2/2, and with dR = W R the sum over the moments
 * of w^2 J/2 along the axes of the inertial frame, at the middle. */
static double kinetic_energy(const branch *b, const frame *before, const frame *middle, const frame *after, double h) {
  double sum = 0;
  for (int i = 0; i < LINKS; i++) {
    double v[3], dR[9], W[9];
    v3_sub(v, after[i].p, before[i].p);
    for (int k = 0; k < 9; k++) { dR[k] = (after[i].R[k] - before[i].R[k]) / (2 * h); }
    m3_Tmul(W, middle[i].R, dR);
    const double w[3] = {W[7], W[2], W[3]};
    sum += b[i].mass * v3_dot(v, v) / (8 * h * h);
    for (int k = 0; k < 3; k++) { sum += b[i].moment[k] * w[k] * w[k] / 2; }
  }
  return sum;
}

static void any_tree(branch *b, unsigned *seed) {
  static const char *const type[] = {"revolute", "fixed", "prismatic", "continuous", "fixed"};
  for (int i = 0; i < LINKS; i++) {
    b[i] = (branch){.parent = i ? (int)((any(seed) + 1) / 2 * i) : -1, .type = type[(int)((any(seed) + 1) / 2 * 5)]};
    for (int k = 0; k < 3; k++) {
      b[i].xyz[k] = any(seed), b[i].rpy[k] = 3 * any(seed), b[i].axis[k] = any(seed);
      b[i].com[k] = any(seed), b[i].turn[k] = 3 * any(seed), b[i].moment[k] = 2.5 + any(seed);
    }
    b[i].mass = 2 + any(seed);
    v3_scale(b[i].axis, 1 / sqrt(v3_dot(b[i].axis, b[i].axis)), b[i].axis);
  }
}

static void write_tree(const char *path, const branch *b) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "<robot name='tree'><link name='root'/>\n");
  for (int i = 0; i < LINKS; i++) {
    const branch *q = &b[i];
    char parent[20] = "root";
    if (q->parent >= 0) { snprintf(parent, sizeof parent, "l%d", q->parent); }
    fprintf(out,
            "<link name='l%d'><inertial><origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/><mass value='%.17g'/>",
            i, q->com[0], q->com[1], q->com[2], q->turn[0], q->turn[1], q->turn[2], q->mass);
    fprintf(out, "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='0' ixz='0' iyz='0'/></inertial></link>\n",
            q->moment[0], q->moment[1], q->moment[2]);
    fprintf(out, "<joint name='j%d' type='%s'><parent link='%s'/><child link='l%d'/>", i, q->type, parent, i);
    fprintf(out, "<origin xyz='%.17g %.17g %.17g' rpy='%.17g %.17g %.17g'/><axis xyz='%.17g %.17g %.17g'/>", q->xyz[0],
            q->xyz[1], q->xyz[2], q->rpy[0], q->rpy[1], q->rpy[2], q->axis[0], q->axis[1], q->axis[2]);
    fprintf(out, "<limit lower='0.3' upper='2'/></joint>\n");
  }
  fprintf(out, "</robot>\n");
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
}

/* A coordinate of joint i, or its rate; 0 where it has none. */
static double coordinate(const mbo_series *s, int row, const branch *b, int i, const char *rate) {
  char name[60];
  if (strcmp(b[i].type, "fixed") == 0) { return 0; }
  snprintf(name, sizeof name, "j%d.%s%s", i, strcmp(b[i].type, "prismatic") == 0 ? "distance" : "angle", rate);
  return series_at(s, row, name);
}

static void check_tree(const branch *b, const mbo_series *s, int row) {
  const double h = 1e-5;
  frame link[LINKS], placed[3][LINKS];
  double z[LINKS], height = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < LINKS; i++) {
      z[i] = coordinate(s, row, b, i, "") + (k - 1) * h * coordinate(s, row, b, i, ".rate");
    }
    place_links(b, z, link, placed[k]);
  }
  for (int i = 0; i < LINKS; i++) {
    char name[60];
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "l%d.com.%c", i, "xyz"[k]);
      CHECK_CLOSE(name, series_at(s, row, name), placed[1][i].p[k], 1e-12);
    }
    height += b[i].mass * placed[1][i].p[2];
  }
  const double kinetic = kinetic_energy(b, placed[0], placed[1], placed[2], h);
  CU_ASSERT(kinetic > 0.1);
  CHECK_NEAR("kinetic", series_at(s, row, "energy.kinetic"), kinetic, kinetic, 1e-8);
  CHECK_NEAR("potential", series_at(s, row, "energy.potential"), 9.81 * height, fabs(9.81 * height) + 1, 1e-12);
}

static void test_trees(void) {
  static const char *const set[] = {"case.motion.step=T/20",
                                    "output.outputs=l0.com, l1.com, l2.com, l3.com, l4.com, l5.com, l6.com, "
                                    "l7.com, l8.com, l9.com, energy.kinetic, energy.potential"};
  char urdf[PATH], run[PATH];
  unsigned seed = 1;
  if (!reads_robots(&reader)) { return; }
  snprintf(urdf, sizeof urdf, "%s/tree.urdf", folder), snprintf(run, sizeof run, "%s/run.ini", folder);
  for (int n = 0; n < 5; n++) {
    branch b[LINKS];
    robot bot;
    any_tree(b, &seed);
    write_tree(urdf, b);
    import(urdf, ROBOT_BASE_FIXED, &bot);
    robot_free(&bot);
    mbo_run *r = open_run(run, 2, set);
    mbo_series *s = motion_of(r);
    check_tree(b, s, mbo_series_rows(s) / 2);
    mbo_series_free(s);
    mbo_run_close(r);
  }
}

/* ---- the arm of problems/robot_arm ---- */

/* The columns that both have, relative to their largest value. Returns how many there are. */
static int compare(const mbo_series *a, const mbo_series *b) {
  const int n = mbo_series_rows(a), na = mbo_series_columns(a), nb = mbo_series_columns(b);
  int common = 0;
  CU_ASSERT_EQUAL_FATAL(n, mbo_series_rows(b));
  for (int i = 0; i < na; i++) {
    const int j = mbo_series_find(b, mbo_series_name(a, i));
    double size = 1e-3, off = 0;
    for (int k = 0; j >= 0 && k < n; k++) {
      const double v = mbo_series_values(a)[k * na + i], w = mbo_series_values(b)[k * nb + j];
      size = fmax(size, fabs(w)), off = fmax(off, fabs(v - w));
    }
    if (j >= 0) { CHECK_NEAR(mbo_series_name(a, i), off, 0, size, 1e-10); }
    common += j >= 0;
  }
  return common;
}

/* The load's place, which both have under different names. */
static void compare_place(const mbo_series *a, const mbo_series *b) {
  for (int k = 0; k < mbo_series_rows(a); k += 10) {
    CHECK_CLOSE("x", series_at(b, k, "cube_frame.position.x"), series_at(a, k, "grip.position.x"), 1e-12);
    CHECK_CLOSE("z", series_at(b, k, "cube_frame.position.z"), series_at(a, k, "grip.position.z"), 1e-12);
  }
}

enum { JOINTS = 6, SETS = 2 * JOINTS + 4 };
typedef struct settings {
  char text[SETS][80];
  const char *set[SETS];
  int n;
} settings;

static void add(settings *q, const char *format, int joint, const char *value) {
  CU_ASSERT_FATAL(q->n < SETS);
  snprintf(q->text[q->n], sizeof q->text[0], format, joint, value);
  q->set[q->n] = q->text[q->n];
  q->n++;
}

/* Where the arm of the model file takes its load from, and where it puts it. */
static const char *const pick[JOINTS] = {"-75*pi/180", "10*pi/180", "90*pi/180", "0", "80*pi/180", "0"};
static const char *const place[JOINTS] = {"75*pi/180", "-10*pi/180", "100*pi/180", "0", "90*pi/180", "90*pi/180"};

/* The given motion, with what drives it; URDF has no rotors. */
static void test_arm_driven(void) {
  settings own = {.n = 0}, imported = {.n = 0};
  if (!reads_robots(&reader)) { return; }
  for (int i = 0; i < JOINTS; i++) {
    add(&own, "scalars.rotor_%d=0%s", i + 1, "");
    add(&imported, "scalars.joint_%d_start=%s", i + 1, pick[i]);
    add(&imported, "scalars.joint_%d_end=%s", i + 1, place[i]);
  }
  add(&own, "output.outputs=grip.position%.0d%s", 0, "");
  add(&imported, "output.outputs=cube_frame.position%.0d%s", 0, "");
  add(&imported, "scalars.points=16%.0d%s", 0, "");
  mbo_run *a = open_run(MBOPT_SOURCE_DIR "/configs/robot_arm.ini", own.n, own.set);
  mbo_run *b = open_imported("problems/robot_arm/robot_arm.urdf", ROBOT_BASE_FIXED, imported.n, imported.set);
  mbo_series *x = motion_of(a), *y = motion_of(b);
  CU_ASSERT(compare(x, y) >= 4 * JOINTS + 1);
  compare_place(x, y);
  mbo_series_free(x), mbo_series_free(y);
  mbo_run_close(a), mbo_run_close(b);
}

/* Let go at the place where it picks its load, it falls by itself. */
static void test_arm_falls(void) {
  static const char fall[] =
      "schema = 1\n[model]\nfile = %s\n[scalars]\n%s\n[case fall]\nduration = 0.5\nstep = 2e-3\n"
      "[output]\noutputs = %s\n";
  char text[1200], scalars[600] = "", path[PATH];
  mbo_series *s[2];
  if (!reads_robots(&reader)) { return; }
  mbo_run_close(open_imported("problems/robot_arm/robot_arm.urdf", ROBOT_BASE_FIXED, 0, NULL));
  for (int k = 0; k < 2; k++) {
    size_t n = 0;
    for (int i = 0; i < JOINTS; i++) {
      n += k ? (size_t)snprintf(scalars + n, sizeof scalars - n, "joint_%d_start = %s\n", i + 1, pick[i])
             : (size_t)snprintf(scalars + n, sizeof scalars - n, "rotor_%d = 0\n", i + 1);
    }
    snprintf(text, sizeof text, fall, k ? "model.ini" : MBOPT_SOURCE_DIR "/problems/robot_arm/robot_arm.ini", scalars,
             k ? "cube_frame.position" : "grip.position");
    snprintf(path, sizeof path, "%s/fall.XXXXXX", folder);
    write_file(path, text);
    mbo_run *r = open_run(path, 0, NULL);
    s[k] = motion_of(r);
    mbo_run_close(r);
  }
  CU_ASSERT(fabs(series_at(s[0], -1, "joint_2.angle") - series_at(s[0], 0, "joint_2.angle")) > 0.5);
  CU_ASSERT(compare(s[0], s[1]) >= 3 * JOINTS + 1);
  compare_place(s[0], s[1]);
  mbo_series_free(s[0]), mbo_series_free(s[1]);
}

/* ---- what is refused ---- */

static const char small[] =
    "<robot name='small'>\n"
    "<link name='base'/>\n"
    "<link name='arm'>\n"
    "<inertial>\n"
    "<mass value='1'/>\n"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>\n"
    "</inertial>\n"
    "</link>\n"
    "<joint name='elbow' type='revolute'>\n"
    "<parent link='base'/>\n"
    "<child link='arm'/>\n"
    "<origin xyz='0 0 1'/>\n"
    "<axis xyz='0 0 1'/>\n"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/>\n"
    "</joint>\n"
    "</robot>\n";

static void test_messages(void) {
  static const broken_case cases[] = {
      {"</link>", "</lnk>", ":8: this is not well-formed XML: mismatched tag"},
      {"</robot>\n", "", "no element found"},
      {"<robot", "<!DOCTYPE robot [<!ENTITY a 'b'>]>\n<robot", ":1: <!ENTITY a>: expected a file without entities"},
      {"<robot name='small'>\n", "<sdf><robot name='small'>\n", "this is not well-formed XML"},
      {"<inertial>", "<interial>", ": this is not well-formed XML: mismatched tag"},
      {"<mass value='1'/>", "<mas value='1'/>", ":5: link 'arm' <mas> is not known, did you mean 'mass'?"},
      {"<mass value='1'/>", "", "link 'arm' <inertial> has no <mass>"},
      {"<mass value='1'/>", "<mass vale='1'/>",
       ":5: link 'arm' <mass> attribute 'vale' is not known, did you mean 'value'?"},
      {"<mass value='1'/>", "<mass value='1 kg'/>", "<mass> value = \"1 kg\", expected a number"},
      {"<mass value='1'/>", "<mass value='0x10'/>", "<mass> value = \"0x10\", expected a number"},
      {"<mass value='1'/>", "<mass value='-1'/>", "<mass> value = \"-1\", expected a mass >= 0"},
      {"<mass value='1'/>", "<mass value='1'/>\n<mass value='1'/>",
       ":6: link 'arm' <mass> appears twice, first in line 5"},
      {"ixy='0'", "ixy='2'", ":6: link 'arm' <inertia> has a negative principal moment"},
      {" iyz='0'", "", ":6: link 'arm' <inertia> attribute 'iyz' is missing"},
      {"'base'/>\n", "'base'/>\n<link name='base'/>\n", ":3: link 'base' appears twice, first in line 2"},
      {"'base'/>\n", "'base'/>\n<link name='loose'/>\n",
       ":3: link 'loose' is the child of no joint, nor is 'base' of line 2"},
      {"'base'/>\n", "'base'/>\n<xacro:include filename='a'/>\n", ":3: <xacro:include> is a macro of xacro; expand"},
      {"type='revolute'", "type='revolut'", ":9: joint 'elbow' type = \"revolut\", expected revolute, continuous"},
      {"parent link='base'", "parent link='bas'",
       ":10: joint 'elbow' <parent> link = \"bas\" is not known, did you mean 'base'?"},
      {"<child link='arm'/>\n", "", ":9: joint 'elbow' has no <child>"},
      {"parent link='base'", "parent link='arm'", "links are connected in a circle: arm -> arm, expected a tree"},
      {"xyz='0 0 1'", "xyz='0 0'", ":12: joint 'elbow' <origin> xyz = \"0 0\", expected three numbers"},
      {"<limit", "<limt", ":14: joint 'elbow' <limt> is not known, did you mean 'limit'?"},
      {"upper='1'", "uper='1'", ":14: joint 'elbow' <limit> attribute 'uper' is not known, did you mean 'upper'?"},
      {"<axis xyz='0 0 1'/>", "<axis xyz='0 0 0'/>", ":13: joint 'elbow' <axis> xyz = \"0 0 0\", expected a direction"},
      {"</joint>", "<dynamics damping='-1'/></joint>",
       ":15: joint 'elbow' <dynamics> damping = -1, friction = 0, expected"},
      {"</joint>", "<mimic joint='elbo'/></joint>", "<mimic> joint = \"elbo\" is not known, did you mean 'elbow'?"},
      {"</joint>", "<mimic joint='elbow'/></joint>", ":9: joint 'elbow' follows another one that leads back to itself"},
      {"</joint>", "<mimic joint='elbow' multiplier='0'/></joint>", "<mimic> multiplier = 0, expected another number"},
      {"</robot>", "<joint name='b' type='fixed'><parent link='base'/><child link='arm'/></joint></robot>",
       ":16: joint 'b' has the child 'arm', which joint 'elbow' of line 9 has already, expected a tree"},
  };
  robots_are_refused(&reader, small, sizeof cases / sizeof cases[0], cases);
}

/* ---- what files of robots have beside the format ---- */

typedef struct mended_case {
  const char *from, *to, *message;
  double lower, upper, effort, end; /* of the elbow: its limits, its largest effort, the end of its motion */
} mended_case;

/* The end of the motion by hand: a quarter of the way from zero to the farther limit, here 1/4, or 0.5 towards a side without a limit. */
static void test_warnings(void) {
  static const double inf = INFINITY;
  static const mended_case cases[] = {
      {"<robot name='small'>", "<robot>", ":1: <robot> attribute 'name' is missing: the model is called 'robot'", -1, 1,
       1, 0.25},
      {"name='base'", "name='base' concave='yes'", ":2: link 'base' attribute 'concave' is not known, and left out", -1,
       1, 1, 0.25},
      {"<inertial>", "<self_collision/>\n<inertial>", ":4: link 'arm' <self_collision> is not known, and left out", -1,
       1, 1, 0.25},
      {"ixx='1' iyy='1' izz='1' ixy='0'", "ixx='0' iyy='0' izz='0' ixy='2.4e-35'",
       ":6: link 'arm' <inertia> has a negative principal moment by rounding, entries up to 2.4e-35 kg m^2: taken as "
       "zero",
       -1, 1, 1, 0.25},
      {"<axis xyz='0 0 1'/>", "<axis xyz='0 0 1' rpy='0 0 0'/>",
       ":13: joint 'elbow' <axis> attribute 'rpy' is not known, and left out", -1, 1, 1, 0.25},
      {"</joint>", "<dynamics damping='1' D='1' friction='0'/></joint>",
       ":15: joint 'elbow' <dynamics> attribute 'D' is not known, and left out", -1, 1, 1, 0.25},
      {"lower='-1' upper='1'", "lower='-1e16' upper='1e16'",
       ":14: joint 'elbow' <limit> lower = -1e+16, upper = 1e+16: beyond 1000 there is no limit in the model", -inf,
       inf, 1, 0.5},
      {"lower='-1'", "lower='-1e16'",
       ":14: joint 'elbow' <limit> lower = -1e+16, upper = 1: beyond 1000 there is no limit in the model", -inf, 1, 1,
       -0.5},
      {"lower='-1'", "lower='2'",
       ":14: joint 'elbow' <limit> lower = 2 above upper = 1: the joint has no limits in the model", -inf, inf, 1, 0.5},
      {"effort='1'", "effort='-1'",
       ":14: joint 'elbow' <limit> effort = -1, expected a number >= 0: taken as not given", -1, 1, 0, 0.25},
      {"<limit lower='-1' upper='1' effort='1' velocity='1'/>\n", "",
       ":9: joint 'elbow' has no <limit>, which a joint of type revolute needs: it has no limits in the model", -inf,
       inf, 0, 0.5},
  };
  static const char *const set[] = {"output.outputs=elbow.angle", "case.motion.step=T/20"};
  if (!reads_robots(&reader)) { return; }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const mended_case *c = &cases[i];
    char text[2000], path[PATH], run[PATH];
    robot bot;
    edit(text, sizeof text, small, c->from, c->to);
    snprintf(path, sizeof path, "%s/odd.XXXXXX", folder), snprintf(run, sizeof run, "%s/run.ini", folder);
    write_file(path, text);
    import(path, ROBOT_BASE_FIXED, &bot);
    CU_ASSERT_EQUAL_FATAL(bot.nwarning, 1);
    CHECK_CONTAINS(bot.warning[0].text, path);
    CHECK_CONTAINS(bot.warning[0].text, c->message);
    CU_ASSERT_EQUAL(bot.joint[0].lower, c->lower);
    CU_ASSERT_EQUAL(bot.joint[0].upper, c->upper);
    CU_ASSERT_EQUAL(bot.joint[0].effort, c->effort);
    /* zero, with all entries: the exact matrix of the mended robot */
    for (int k = 0; k < 9; k++) {
      CU_ASSERT_EQUAL(bot.link[1].inertia[k], k % 4 == 0 && !strstr(c->to, "e-35") ? 1 : 0);
    }
    robot_free(&bot);
    mbo_run *r = open_run(run, 2, set);
    CU_ASSERT_EQUAL(mbo_run_lower(r)[0], c->lower);
    CU_ASSERT_EQUAL(mbo_run_upper(r)[0], c->upper);
    mbo_series *s = motion_of(r);
    CHECK_CLOSE("end", series_at(s, -1, "elbow.angle"), c->end, 1e-12);
    mbo_series_free(s);
    mbo_run_close(r);
  }
}

/* A fixed joint has no axis, limits, damping or motion that others give it; blank lines before the declaration of XML count as lines; the
 * same warning of several places is one. */
static void test_fixed_and_repeated(void) {
  static const char text[] =
      "\n\n<?xml version='1.0'?>\n<robot name='r'><link name='a'/><link name='b'/><link name='c'/>\n"
      "<joint name='j' type='fixed' dont_collapse='true'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/>\n"
      "<limit lower='1' upper='0'/><dynamics damping='-1'/><mimic joint='nothing'/></joint>\n"
      "<joint name='k' type='fixed' dont_collapse='true'><parent link='b'/><child link='c'/></joint></robot>\n";
  char path[PATH];
  robot r;
  if (!reads_robots(&reader)) { return; }
  snprintf(path, sizeof path, "%s/fixed.XXXXXX", folder);
  write_file(path, text);
  import(path, ROBOT_BASE_FIXED, &r);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 2);
  CHECK_CONTAINS(r.warning[0].text, ":5: joint 'j' attribute 'dont_collapse' is not known, and left out");
  CU_ASSERT_EQUAL(r.warning[0].more, 1);
  CHECK_CONTAINS(r.warning[1].text, ":6: joint 'j' <mimic> is left out: the joint is fixed");
  CU_ASSERT_EQUAL(r.warning[1].more, 0);
  CU_ASSERT_EQUAL(r.joint[0].coupling, -1);
  robot_free(&r);
}

TEST_MAIN_IN(folder, TEST(test_two_links), TEST(test_all_types), TEST(test_run_file), TEST(test_floating_base),
             TEST(test_trees), TEST(test_arm_driven), TEST(test_arm_falls), TEST(test_messages), TEST(test_warnings),
             TEST(test_fixed_and_repeated))
