/* Robots with loops: one four-bar linkage in every way in which files close it, beside its own model and its position by hand; a delta robot beside
 * the model of problems/delta_robot; a leg of six bars; messages. */
#include "import/urdf.h"

#include "import/mjcf.h"
#include "import/mjcf_write.h"
#include "import/robot_vary.h"
#include "import/urdf_write.h"
#include "mbd/model.h"

#include "mbo/run.h"
#include "robot_text.h"

enum { PATH = 300, TEXT = 12000 };
static char folder[] = "/tmp/mbopt_loops_XXXXXX";
static const robot_format reader = {urdf_read, folder};

/* ---- robots as runs ---- */

/* A file in the folder of the test. */
static char *put(char path[PATH], const char *name, const char *text) {
  snprintf(path, PATH, "%s/%s", folder, name);
  test_put(path, text);
  return path;
}

static void remove_file(const char *name) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

static void write_files(const robot *r, robot_base base) {
  for (int is_model = 0; is_model < 2; is_model++) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.ini", folder, is_model ? "model" : "run");
    robot_put(path, r, base, is_model);
  }
}

static mbo_series *motion_of(const char *path, int n, const char *const *set) {
  mbo_run *r = NULL;
  mbo_series *s = NULL;
  mbd_error err = {0};
  must(mbo_run_open(path, n, set, &r, &err), &err);
  mbo_run_threads(r, 1);
  must(mbo_run_simulate(r, NULL, 0, &s, &err), &err);
  mbo_run_close(r);
  return s;
}

static const char *text_of(char *out, size_t size, const char *name) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  out[fread(out, 1, size - 1, in)] = '\0';
  fclose(in);
  return out;
}

/* ---- a four-bar linkage ---- */

/* Bars of 1 (the ground), 0.3, 0.9 and 0.7 m; crank and rocker are vertical at zero angles, the coupler along the crank. */
#define BAR(name, length, mass)                                                      \
  "<link name='" name "'><inertial><origin xyz='" length " 0 0'/><mass value='" mass \
  "'/><inertia ixx='0.001' iyy='0.02' "                                              \
  "izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
#define HINGE(name, parent, child, xyz, rpy, more)                                                                 \
  "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child "'/><origin xyz='" xyz \
  "' rpy='" rpy "'/><axis xyz='0 1 0'/>" more "</joint>\n"
#define MOUNT(name, parent, xyz)                                                                                   \
  "<link name='" name "'/><joint name='" name "_mount' type='fixed'><parent link='" parent "'/><child link='" name \
  "'/>"                                                                                                            \
  "<origin xyz='" xyz "'/></joint>\n"
static const char four_bar[] = "<robot name='four_bar'>\n<link name='base'/>\n" BAR("crank", "0.15", "1")
    BAR("coupler", "0.45", "2") BAR("rocker", "0.35", "1.5")
        HINGE("j1", "base", "crank", "0 0 0", "0 -1.5707963267948966 0", "<dynamics damping='0.1'/>")
            HINGE("j2", "crank", "coupler", "0.3 0 0", "0 0 0", "")
                HINGE("j3", "base", "rocker", "1 0 0", "0 -1.5707963267948966 0", "") "LOOP</robot>\n";

typedef struct dialect {
  const char *name, *loop, *yaml; /* the file beside it; of a dialect "ini" that is an INI file */
  int same; /* 1: the closing joint is the same as in the first dialect of this type, so that the motion is equal to the bit */
} dialect;

static const dialect dialects[] = {
    {"loop_joint revolute",
     "<loop_joint name='tip' type='revolute'><link1 link='coupler' xyz='0.9 0 0' rpy='0 0 0'/>"
     "<link2 link='rocker' xyz='0.7 0 0' rpy='0 0 0'/><axis xyz='0 1 0'/></loop_joint>\n",
     NULL, 1},
    {"loop continuous",
     "<loop name='tip' type='continuous'><predecessor link='coupler'><origin xyz='0.9 0 0'/></predecessor>"
     "<successor link='rocker'><origin xyz='0.7 0 0'/></successor><axis xyz='0 1 0'/></loop>\n",
     NULL, 1},
    {"constraint revolute",
     "<constraint name='tip' type='revolute'><predecessor link='coupler'><origin xyz='0.9 0 0'/></predecessor>"
     "<successor link='rocker'><origin xyz='0.7 0 0'/></successor><axis xyz='0 1 0'/></constraint>\n",
     NULL, 1},
    {"loop_joint spherical",
     "<loop_joint name='tip' type='spherical'><link1 link='coupler' xyz='0.9 0 0'/><link2 link='rocker' xyz='0.7 0 0'/>"
     "</loop_joint>\n",
     NULL, 0},
    {"constraint position",
     "<constraint name='tip' type='position'><predecessor link='coupler'><origin xyz='0.9 0 0'/></predecessor>"
     "<successor link='rocker'><origin xyz='0.7 0 0'/></successor></constraint>\n",
     NULL, 1},
    {"ball constraint",
     "<drake:ball_constraint name='tip'><drake:ball_constraint_body_A name='coupler'/>"
     "<drake:ball_constraint_body_B name='rocker'/><drake:ball_constraint_p_AP value='0.9 0 0'/>"
     "<drake:ball_constraint_p_BQ value='0.7 0 0'/></drake:ball_constraint>\n",
     NULL, 1},
    {"pair of links", MOUNT("closing_tip_1", "coupler", "0.9 0 0") MOUNT("closing_tip_2", "rocker", "0.7 0 0"), NULL,
     0},
    {"3d", MOUNT("A", "coupler", "0.9 0 0") MOUNT("B", "rocker", "0.7 0 0"),
     "# the loop\nclosed_loop: [['A', \"B\"]]\ntype: [3d]\nname_mot: [j1]\n", 0},
    {"3D in lines", MOUNT("A", "coupler", "0.9 0 0") MOUNT("B", "rocker", "0.7 0 0"),
     "---\nclosed_loop:\n  - [A, B]\ntype:\n  - 3D   # a point\n", 1},
    {"ini", MOUNT("A", "coupler", "0.9 0 0") MOUNT("B", "rocker", "0.7 0 0"),
     "; the loop\n[robot]\nclosed_loop = [[A, B]] ; a pair\ntype = 3d\n", 1},
    {"6d", /* of a joint, whose frame turns */
     MOUNT("A", "coupler", "0.9 0 0") "<link name='B'/>\n" HINGE("tip", "rocker", "B", "0.7 0 0", "0 0.3 0", ""),
     "closed_loop: [[A, tip]]\ntype: ['6d']\n", 0},
};

/* The same linkage by hand: frames of crank and rocker are level at zero angles, that of the coupler has its origin in the middle. */
static const char own_model[] =
    "schema = 1\n[model]\nframe = body\njoints = named\n[scalars]\nj1_start = 2\n"
    "[body crank]\nmass = 1\ncom = 0, 0, 0.15\ninertia = 0.02, 0.02, 0.001\n"
    "[body coupler]\nmass = 2\ncom = 0, 0, 0\ninertia = 0.001, 0.02, 0.02\n"
    "[body rocker]\nmass = 1.5\ncom = 0, 0, 0.35\ninertia = 0.02, 0.02, 0.001\n"
    "[point A]\nat.ground = 0, 0, 0\nat.crank = 0, 0, 0\n[point D]\nat.ground = 1, 0, 0\nat.rocker = 0, 0, 0\n"
    "[point B]\nat.crank = 0, 0, 0.3\nat.coupler = -0.45, 0, 0\n[point C]\nat.coupler = 0.45, 0, 0\nat.rocker = 0, 0, "
    "0.7\n"
    "[vector y]\nalong.ground = 0, 1, 0\nalong.crank = 0, 1, 0\nalong.coupler = 0, 1, 0\nalong.rocker = 0, 1, 0\n"
    "[joint j1]\ntype = revolute\nbodies = ground, crank\npoint = A\naxis = y\n"
    "[joint j2]\ntype = revolute\nbodies = crank, coupler\npoint = B\naxis = y\n"
    "[joint j3]\ntype = revolute\nbodies = ground, rocker\npoint = D\naxis = y\n"
    "[joint tip]\ntype = revolute\nbodies = coupler, rocker\npoint = C\naxis = y\ncut = yes\n"
    "[force j1_friction]\ntype = torsion_spring\ncoordinate = j1.angle\ndamping = 0.1\n"
    "[start]\nhold.j1.angle = j1_start\nguess.j2.angle = -1.5\nguess.j3.angle = 0.5\n";

/* Half a second from rest at the angle of the crank, and a torque that drives it. */
static const char fall[] =
    "schema = 1\n[model]\nfile = %s\n[scalars]\nj1_start = %s\n[case fall]\nduration = 0.5\nstep = 1e-3\n"
    "[output]\noutputs = crank.com, coupler.com, rocker.com, j1.angle, j3.angle, energy.kinetic\n";

static mbo_series *falls(const char *model, const char *start) {
  char text[800], path[PATH];
  snprintf(text, sizeof text, fall, model, start);
  put(path, "fall.ini", text);
  return motion_of(path, 0, NULL);
}

static void import_dialect(const dialect *d, robot *r) {
  char text[TEXT], path[PATH], yaml[PATH];
  mbd_error err = {0};
  edit(text, sizeof text, four_bar, "LOOP", d->loop);
  remove_file("four_bar.yaml"), remove_file("four_bar.ini");
  if (d->yaml) { put(yaml, strcmp(d->name, "ini") == 0 ? "four_bar.ini" : "four_bar.yaml", d->yaml); }
  put(path, "four_bar.urdf", text);
  must(urdf_read(path, r, &err), &err);
  write_files(r, ROBOT_BASE_FIXED);
}

/* The angle of the rocker from its vertical zero, of the crank's angle, by triangles: B = 0.3 (sin, cos) of the crank, and C where the circles about B
 * and D = (1, 0) meet, to the left or to the right of the line from B to D. */
static double rocker_angle(double crank, int side) {
  const double bx = 0.3 * sin(crank), bz = 0.3 * cos(crank), dx = 1 - bx, dz = -bz, d = hypot(dx, dz);
  const double along = (d * d + 0.9 * 0.9 - 0.7 * 0.7) / (2 * d), off = side * sqrt(0.9 * 0.9 - along * along);
  const double cx = bx + (along * dx - off * dz) / d, cz = bz + (along * dz + off * dx) / d;
  return atan2(cx - 1, cz);
}

static double off_in_turns(double angle) {
  return remainder(angle, 2 * acos(-1.0));
}

/* The largest difference of two columns of one name, as a part of 1 + their largest value. */
static double difference(const mbo_series *a, const mbo_series *b) {
  double largest = 0;
  CU_ASSERT_EQUAL_FATAL(mbo_series_rows(a), mbo_series_rows(b));
  for (int i = 0; i < mbo_series_columns(a); i++) {
    const int j = mbo_series_find(b, mbo_series_name(a, i));
    double off = 0, size = 1;
    for (int k = 0; j >= 0 && k < mbo_series_rows(a); k++) {
      const double v = mbo_series_values(a)[k * mbo_series_columns(a) + i],
                   w = mbo_series_values(b)[k * mbo_series_columns(b) + j];
      off = fmax(off, fabs(v - w)), size = fmax(size, 1 + fabs(w));
    }
    largest = fmax(largest, off / size);
  }
  return largest;
}

/* In every dialect one joint drives, the loop is closed where triangles put it, and the motion is that of the own model; where the closing joint is
 * the same, it is the same to the bit. */
static void test_four_bar(void) {
  static const char *const columns[] = {"j1.angle",      "j3.angle",      "crank.com.x",  "crank.com.z",
                                        "coupler.com.x", "coupler.com.z", "rocker.com.x", "rocker.com.z"};
  char own[PATH], start[40] = "";
  mbo_series *first = NULL;
  if (!reads_robots(&reader)) { return; }
  put(own, "own.ini", own_model);
  for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
    const dialect *d = &dialects[i];
    robot r;
    import_dialect(d, &r);
    CU_ASSERT_EQUAL(r.nclosing, 1);
    CU_ASSERT_EQUAL(r.nfree, 0);
    CU_ASSERT_EQUAL_FATAL(r.nwarning, 0);
    CU_ASSERT(r.joint[0].driven && !r.joint[1].driven && !r.joint[2].driven);
    const double crank = r.joint[0].start, rocker = r.joint[2].start;
    const double left = off_in_turns(rocker - rocker_angle(crank, 1)),
                 right = off_in_turns(rocker - rocker_angle(crank, -1));
    CHECK_CLOSE(d->name, fmin(fabs(left), fabs(right)), 0, 1e-13);
    robot_free(&r);
    if (!*start) { snprintf(start, sizeof start, "%.17g", crank); }
    mbo_series *s = falls("model.ini", start), *o = falls("own.ini", start);
    CU_ASSERT(series_at(o, -1, "energy.kinetic") > 0.1);
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
      for (int row = 0; row < mbo_series_rows(s); row += 50) {
        const double v = series_at(s, row, columns[k]), w = series_at(o, row, columns[k]);
        const int is_angle = strstr(columns[k], "angle") != NULL;
        CHECK_CLOSE(columns[k], is_angle ? off_in_turns(v - w) : v - w, 0, 1e-11);
      }
    }
    if (d->same) {
      if (first) { CU_ASSERT_EQUAL(difference(first, s), 0); }
    } else if (first) {
      mbo_series_free(first);
      first = NULL;
    }
    mbo_series_free(o);
    if (first) {
      mbo_series_free(s);
    } else {
      first = s;
    }
  }
  mbo_series_free(first);
}

/* The run file drives the joint with a motor, from where the loop is closed, along a short way; its torque is that of the own model. */
static void test_driven(void) {
  char run[PATH], text[TEXT];
  robot r;
  if (!reads_robots(&reader)) { return; }
  import_dialect(&dialects[0], &r);
  const double crank = r.joint[0].start;
  robot_free(&r);
  snprintf(run, sizeof run, "%s/run.ini", folder);
  text_of(text, sizeof text, "run.ini");
  CHECK_CONTAINS(text, "analysis = kinematic");
  CHECK_CONTAINS(text, "drive.j1.angle = j1_motion");
  CU_ASSERT_PTR_NULL(strstr(text, "j2"));
  CU_ASSERT_PTR_NULL(strstr(text, "j3"));
  mbo_series *s = motion_of(run, 0, NULL);
  CHECK_CLOSE("start", series_at(s, 0, "j1.angle"), crank, 1e-14);
  CHECK_CLOSE("end", series_at(s, -1, "j1.angle"), crank + 0.1, 1e-14);
  mbo_series_free(s);
}

/* Joints that are in no loop drive, however many they are, and cost little: here 1200 arms beside the linkage. */
static void test_many_joints(void) {
  enum { ARMS = 1200, ARM = 500 };
  char path[PATH], text[TEXT];
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  char *arms = malloc(ARMS * ARM), *all = malloc(ARMS * ARM + TEXT);
  size_t n = 0;
  for (int i = 0; i < ARMS; i++) {
    n += (size_t)snprintf(arms + n, ARM,
                          BAR("arm%d", "0.1", "1") HINGE("shoulder%d", "base", "arm%d", "0 0 1", "0 0 0", ""), i, i, i);
  }
  snprintf(arms + n, ARM, "</robot>\n");
  edit(text, sizeof text, four_bar, "LOOP", dialects[0].loop);
  edit(all, ARMS * ARM + TEXT, text, "</robot>\n", arms);
  remove_file("four_bar.yaml"), remove_file("four_bar.ini");
  must(urdf_read(put(path, "four_bar.urdf", all), &r, &err), &err);
  free(arms), free(all);
  CU_ASSERT_EQUAL(r.nwarning, 0);
  CU_ASSERT_EQUAL(r.nfree, 0);
  int driven = 0;
  for (int i = 0; i < r.njoint; i++) { driven += r.joint[i].driven; }
  CU_ASSERT_EQUAL(driven, ARMS + 1);
  CU_ASSERT(r.joint[0].driven && fabs(r.joint[2].start) > 0.1);
  robot_free(&r);
}

/* A motor that the file names drives, here the rocker; one that follows from another does not. */
static void test_motors(void) {
  static const char *const names[] = {"[j3]", "[j3, j2]", "[j2]"};
  static const int driven[] = {2, 2, 1};
  if (!reads_robots(&reader)) { return; }
  for (int i = 0; i < 3; i++) {
    char yaml[300];
    robot r;
    snprintf(yaml, sizeof yaml, "closed_loop: [[A, B]]\ntype: [3d]\nname_mot: %s\n", names[i]);
    const dialect d = {"motor", dialects[7].loop, yaml, 0};
    import_dialect(&d, &r);
    for (int k = 0; k < 3; k++) { CU_ASSERT_EQUAL(r.joint[k].driven, k == driven[i]); }
    robot_free(&r);
  }
}

/* A joint in <gazebo> has its pose in the child; the frame on the parent is where the links put it at zero angles, where coupler and crank stand upright
 * and the rocker's point is 1.2 m above the ground and 1 m beside it. Springs belong to the joint of the file that is named. */
static void test_gazebo(void) {
  static const char gazebo[] =
      "<gazebo><joint name='tip' type='revolute'><parent>coupler</parent><child> rocker </child><pose>1.2 0 1 0 0.5 "
      "0</pose>"
      "<axis><xyz>0 1 0</xyz><dynamics><damping>DAMPING</damping></dynamics></axis></joint></gazebo>\n"
      "<gazebo><joint name='fixed_base' type='fixed'><parent>world</parent><child>base</child></joint></gazebo>\n"
      "<gazebo reference='j2'><springStiffness>3</springStiffness><springReference>0.2</springReference></gazebo>\n";
  for (int damped = 0; damped < 2 && reads_robots(&reader); damped++) {
    char loop[TEXT];
    robot r;
    edit(loop, sizeof loop, gazebo, "DAMPING", damped ? "0.1" : "0");
    const dialect d = {"gazebo", loop, NULL, 0};
    import_dialect(&d, &r);
    const robot_joint *tip = &r.joint[3];
    CU_ASSERT_EQUAL_FATAL(r.nclosing, 1);
    for (int i = 0; i < 3; i++) {
      CHECK_CLOSE("on the parent", tip->frame[0].xyz[i], i == 0 ? 0.9 : 0, 1e-15);
      CHECK_CLOSE("on the child", tip->frame[1].xyz[i], i == 0 ? 1.2 : i == 2, 0);
    }
    CHECK_CLOSE("spring", r.joint[1].stiffness, 3, 0);
    CHECK_CLOSE("spring", r.joint[1].rest, 0.2, 0);
    CU_ASSERT_EQUAL_FATAL(r.nwarning, damped);
    if (damped) { CHECK_CONTAINS(r.warning[0].text, "joint 'tip' <dynamics> is left out: the joint closes a loop"); }
    robot_free(&r);
  }
}

/* ---- numbers that vary ---- */

/* The linkage with other numbers in its file, and with the scalars that stand for them. */
typedef struct varied_case {
  const char *from, *to; /* in the file */
  const char *set;       /* the same by a scalar */
} varied_case;

static void import_varied(const char *loop, const char *from, const char *to, const char *kinds) {
  char text[TEXT], edited[TEXT], path[PATH];
  robot r;
  unsigned vary;
  mbd_error err = {0};
  edit(text, sizeof text, four_bar, "LOOP", loop);
  edit(edited, sizeof edited, text, from, to);
  must(robot_vary_read(kinds, &vary, &err), &err);
  must(urdf_read(put(path, "varied.urdf", edited), &r, &err), &err);
  r.vary = vary;
  write_files(&r, ROBOT_BASE_FIXED);
  robot_free(&r);
}

/* Scalars have the values of the file, so that nothing changes, to the bit where a joint lies along an axis; a scalar that is changed does what another
 * number in the file does, within what Newton's iteration leaves of multipliers: a length, the mass with its inertia, a damper. */
static void test_vary(void) {
  static const varied_case cases[] = {
      {"xyz='0.9 0 0' rpy='0 0 0'/><link2", "xyz='0.85 0 0' rpy='0 0 0'/><link2", "tip_length = 0.85"},
      {"xyz='1 0 0'", "xyz='1.1 0 0'", "j3_length = 1.1"},
      {"<mass value='2'/><inertia ixx='0.001' iyy='0.02' izz='0.02'",
       "<mass value='4'/><inertia ixx='0.002' iyy='0.04' izz='0.04'", "coupler_density = 2"},
      {"damping='0.1'", "damping='0.7'", "j1_damping = 0.7"},
  };
  static const char run[] =
      "schema = 1\n[model]\nfile = model.ini\n[scalars]\nj1_start = 2\n%s\n[case fall]\nduration = 0.2\nstep = 1e-3\n"
      "[output]\noutputs = crank.com, coupler.com, rocker.com, energy.kinetic\n";
  const char *loop = dialects[0].loop;
  char path[PATH], text[800], plain[TEXT], offered[TEXT];
  if (!reads_robots(&reader)) { return; }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    mbo_series *s[3];
    for (int k = 0; k < 3; k++) { /* the file as it is, with scalars, and changed in both ways */
      const varied_case *c = &cases[i];
      import_varied(loop, c->from, k == 2 ? c->to : c->from, k == 2 ? "" : "lengths,masses,dampers");
      snprintf(text, sizeof text, run, k == 1 ? c->set : "");
      s[k] = motion_of(put(path, "vary.ini", text), 0, NULL);
    }
    CU_ASSERT(difference(s[0], s[1]) > 1e-3);
    CHECK_CLOSE(cases[i].set, difference(s[1], s[2]), 0, 1e-9);
    for (int k = 0; k < 3; k++) { mbo_series_free(s[k]); }
  }
  /* unchanged, it is the same; each number has its bounds */
  import_varied(loop, "", "", "");
  snprintf(text, sizeof text, run, "");
  mbo_series *as_it_is = motion_of(put(path, "vary.ini", text), 0, NULL);
  text_of(plain, sizeof plain, "run.ini");
  import_varied(loop, "", "", "joints,masses,dampers,springs,rotors");
  mbo_series *with = motion_of(path, 0, NULL);
  CU_ASSERT_EQUAL(difference(as_it_is, with), 0);
  text_of(offered, sizeof offered, "run.ini");
  CU_ASSERT_PTR_NULL(strstr(plain, "[design j3"));
  CHECK_CONTAINS(offered, "[design j3_x]\nlower = 0.75\nupper = 1.25\nscale = 1\n");
  CU_ASSERT_PTR_NULL(strstr(offered, "[design j3_y")); /* out of the plane, where the loop would not close */
  CHECK_CONTAINS(offered, "[design j3_z]\nlower = -0.25\nupper = 0.25\nscale = 1\n");
  CHECK_CONTAINS(text_of(plain, sizeof plain, "model.ini"), "j3_y = 0  ; m; alone it would open a loop\n");
  CHECK_CONTAINS(offered, "[design coupler_density]\nlower = 0.3\nupper = 3\nscale = 1\n");
  CHECK_CONTAINS(offered, "[design j1_damping]\nlower = 0.01\nupper = 1\nscale = 0.1\n");
  mbo_series_free(as_it_is), mbo_series_free(with);
}

/* A linkage of s times the size with the same material falls alike, in the time sqrt(s): forces of weight go with s^3, masses times accelerations too, and energies with s^4; a damper
 * has to go with s^4.5. */
static void test_sizes(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = model.ini\n[scalars]\nj1_start = 2\n%s\n[case fall]\nduration = 0.2*sqrt(%g)\nstep "
      "= "
      "1e-3*sqrt(%g)\n[output]\noutputs = energy.kinetic, rocker.com\n";
  static const char sizes[] =
      "base_size = 1.5\ncrank_size = 1.5\ncoupler_size = 1.5\nrocker_size = 1.5\n"
      "j1_damping = 0.1*1.5^4.5";
  char path[PATH], text[800];
  mbo_series *s[2];
  if (!reads_robots(&reader)) { return; }
  import_varied(dialects[0].loop, "", "", "sizes,dampers");
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text, run, k ? sizes : "", k ? 1.5 : 1, k ? 1.5 : 1);
    s[k] = motion_of(put(path, "size.ini", text), 0, NULL);
  }
  const double energy = series_at(s[0], -1, "energy.kinetic");
  CU_ASSERT(energy > 0.1 && fabs(series_at(s[0], -1, "j1.angle") - 2) > 0.05);
  CHECK_CLOSE("crank", series_at(s[1], -1, "j1.angle"), series_at(s[0], -1, "j1.angle"), 1e-11);
  CHECK_CLOSE("rocker", series_at(s[1], -1, "rocker.com.x"), 1.5 * series_at(s[0], -1, "rocker.com.x"), 1e-11);
  CHECK_CLOSE("energy", series_at(s[1], -1, "energy.kinetic"), pow(1.5, 4) * energy, 1e-9 * energy);
  mbo_series_free(s[0]), mbo_series_free(s[1]);
}

/* ---- as a part ---- */

/* The linkage as a part of a file with the same gravity and named joints, on a box that stands 5 m along x and 1 m up, moves as it does alone. */
static void test_part(void) {
  static const char box[] =
      "schema = 1\n[model]\nframe = body\njoints = named\n[body box]\nmass = 3\ncom = 0, 0, 0\ninertia = 1, 1, "
      "1\n[point at]\n"
      "at.ground = 5, 0, 1\nat.box = 0, 0, 0\n[joint stands]\ntype = weld\nbodies = ground, box\npoint = at\n[part p]\n"
      "file = model.ini\nbody.ground = box\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = %s\n[scalars]\n%sj1_start = 2\n[case fall]\nduration = 0.2\nstep = 1e-3\n"
      "[output]\noutputs = %scoupler.com, %srocker.com\n";
  char path[PATH], model[PATH], text[600];
  robot r;
  if (!reads_robots(&reader)) { return; }
  import_dialect(&dialects[0], &r);
  robot_free(&r);
  put(model, "box.ini", box);
  mbo_series *s[2];
  for (int k = 0; k < 2; k++) {
    const char *part = k ? "p." : "";
    snprintf(text, sizeof text, run, k ? "box.ini" : "model.ini", part, part, part);
    s[k] = motion_of(put(path, "part.ini", text), 0, NULL);
  }
  for (int row = 0; row < mbo_series_rows(s[0]); row += 20) {
    CHECK_CLOSE("x", series_at(s[1], row, "p.coupler.com.x"), 5 + series_at(s[0], row, "coupler.com.x"), 1e-12);
    CHECK_CLOSE("z", series_at(s[1], row, "p.coupler.com.z"), 1 + series_at(s[0], row, "coupler.com.z"), 1e-12);
  }
  CU_ASSERT(fabs(series_at(s[0], -1, "rocker.com.z") - series_at(s[0], 0, "rocker.com.z")) > 1e-3);
  mbo_series_free(s[0]), mbo_series_free(s[1]);
}

/* ---- back to URDF ---- */

static int left_out;
static void count_left_out(const char *text) {
  left_out += strstr(text, "left out") != NULL;
}

/* The formats that robots go back to. */
typedef struct back_format {
  const char *file;
  mbd_status (*write)(const robot_source *s, FILE *out, mbd_error *err);
  mbd_status (*read)(const char *path, robot *r, mbd_error *err);
} back_format;

static const back_format back_formats[] = {{"again.urdf", urdf_write, urdf_read}, {"again.xml", mjcf_write, mjcf_read}};
enum { BACK_FORMATS = sizeof back_formats / sizeof back_formats[0] };

/* Writes model.ini of the folder in a format, as it is at its start, and reads that. Returns how many objects were left out. */
static int export_and_read(const back_format *f, robot *r) {
  char path[PATH];
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_outputs *outputs;
  mbd_sim *sim;
  mbd_case c;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/model.ini", folder);
  must(mbo_model_file_read(path, 0, NULL, NULL, &file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(file), &m, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  must(mbd_outputs_create(m, &outputs, &err), &err);
  mbd_case_init(&c);
  must(mbd_sim_create(m, &c, outputs, 0, NULL, 0, 0, &sim, &err), &err);
  double *z = malloc((size_t)mbd_model_nz(m) * sizeof *z), *theta = malloc((size_t)mbd_model_ncoef(m) * sizeof *theta);
  for (int i = 0; i < mbd_model_ncoef(m); i++) { theta[i] = mbd_model_nominal(m, i); }
  must(mbd_sim_start(sim, p, z, NULL, NULL, NULL, &err), &err);
  snprintf(path, sizeof path, "%s/%s", folder, f->file);
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  left_out = 0;
  const robot_source source = {
      .m = m, .p = p, .theta = theta, .sim = sim, .z = z, .name = "again", .tell = count_left_out};
  must(f->write(&source, out, &err), &err);
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
  free(theta), free(z);
  mbd_sim_destroy(sim), mbd_outputs_destroy(outputs);
  mbd_params_destroy(p), mbd_model_destroy(m), mbo_model_file_destroy(file);
  must(f->read(path, r, &err), &err);
  return left_out;
}

/* The linkage goes there and back in each dialect, with its damper and its loop, and moves as before. */
static void test_back(void) {
  static const char *const columns[] = {"crank.com.x", "coupler.com.x", "coupler.com.z", "rocker.com.z"};
  static const char run[] =
      "schema = 1\n[model]\nfile = model.ini\n[scalars]\nj1_start = 2\n[case fall]\nduration = 0.2\nstep = 1e-3\n"
      "[output]\noutputs = crank.com, coupler.com, rocker.com\n";
  char path[PATH];
  if (!reads_robots(&reader)) { return; }
  for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
    for (int format = 0; format < BACK_FORMATS; format++) {
      robot r;
      mbo_series *s[2];
      import_dialect(&dialects[i], &r);
      robot_free(&r);
      s[0] = motion_of(put(path, "back.ini", run), 0, NULL);
      CU_ASSERT_EQUAL(export_and_read(&back_formats[format], &r), 0);
      CU_ASSERT_EQUAL(r.nwarning, 0);
      CU_ASSERT_EQUAL(r.nclosing, 1);
      write_files(&r, ROBOT_BASE_FIXED);
      robot_free(&r);
      s[1] = motion_of(path, 0, NULL);
      for (int c = 0; c < 4; c++) {
        for (int row = 0; row < mbo_series_rows(s[0]); row += 20) {
          CHECK_CLOSE(columns[c], series_at(s[1], row, columns[c]), series_at(s[0], row, columns[c]), 2e-12);
        }
      }
      mbo_series_free(s[0]), mbo_series_free(s[1]);
    }
  }
}

/* Joints of all types of the format go there and back, with friction, a damper and a coupling. */
static void test_all_types_back(void) {
  static const char *const columns[] = {"plate.com.x",     "plate.com.y",     "flap.com.y",  "flap.com.z",
                                        "_2nd_flap.com.y", "_2nd_flap.com.z", "drone.com.z", "drone.com.x",
                                        "puck.com.y",      "slide.distance",  "hinge.angle", "slide_friction.force"};
  static const char run[] =
      "schema = 1\n[model]\nfile = model.ini\n[scalars]\nhinge_start = 0.2\n[case fall]\nduration = 0.2\nstep = 2e-3\n"
      "[output]\noutputs = plate.com, flap.com, _2nd_flap.com, drone.com, puck.com, slide_friction.force\n";
  char path[PATH];
  if (!reads_robots(&reader)) { return; }
  for (int format = 0; format < BACK_FORMATS; format++) {
    robot r;
    mbd_error err = {0};
    mbo_series *s[2];
    must(urdf_read(MBOPT_SOURCE_DIR "/tests/unit/import/all_types.urdf", &r, &err), &err);
    write_files(&r, ROBOT_BASE_FIXED);
    robot_free(&r);
    s[0] = motion_of(put(path, "back.ini", run), 0, NULL);
    CU_ASSERT_EQUAL(export_and_read(&back_formats[format], &r), 0);
    write_files(&r, ROBOT_BASE_FIXED);
    robot_free(&r);
    s[1] = motion_of(path, 0, NULL);
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
      CHECK_CLOSE(columns[c], series_at(s[1], -1, columns[c]), series_at(s[0], -1, columns[c]), 1e-11);
    }
    CU_ASSERT(fabs(series_at(s[0], -1, "flap.com.z") - series_at(s[0], 0, "flap.com.z")) > 1e-3);
    mbo_series_free(s[0]), mbo_series_free(s[1]);
  }
}

/* What URDF does not have goes to MJCF and back: cardan, cylindrical and floating joints on a body, with the bodies in either order, from a position other
 * than zero; a body without mass between two hinges, which is left out there; a hinge that closes a loop with a planar joint. */
static void test_several_coordinates_back(void) {
  static const char model[] =
      "schema = 1\n[model]\nframe = body\njoints = named\ngravity = 0, 1, -9\n"
      "[body a]\nmass = 2\ncom = 0.2, 0, 0.1\ninertia = 0.3, 0.4, 0.5\n"
      "[body b]\nmass = 1\ncom = 0, 0.1, -0.2\ninertia = 0.1, 0.2, 0.2\n"
      "[body c]\nmass = 1.5\ncom = 0.1, 0, 0\ninertia = 0.1, 0.1, 0.1, 0.01, 0, 0\n"
      "[body d]\nmass = 0.5\ncom = 0, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[body light]\nmass = 0\n[body e]\nmass = 0.7\ncom = 0.1, 0.2, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[body h]\nmass = 0.4\ncom = 0, 0, 0\ninertia = 0.05, 0.05, 0.05\n"
      "[point A]\nat.ground = 0, 0, 1\nat.a = 0, 0, 0\n[point C]\nat.a = 0, 0.3, 0\nat.c = -0.1, 0, 0\n"
      "[point B1]\nat.a = 0.4, 0, 0\n[point B2]\nat.b = 0, 0.1, 0\n"
      "[point D1]\nat.b = 0, 0, -0.5\n[point D2]\nat.d = 0, 0, 0.1\n"
      "[point L]\nat.c = 0.5, 0, 0\nat.light = 0, 0, 0\n[point E]\nat.light = 0, 0, 0\nat.e = 0, 0, 0\n"
      "[point G]\nat.d = 0.2, 0, 0\nat.h = 0.1, 0, 0\n"
      "[point H1]\nat.c = 0, 0.1, 0\n[point H2]\nat.h = 0, 0, 0\n"
      "[vector x]\nalong.ground = 1, 0, 0\nalong.c = 1, 0, 0\nalong.h = 1, 0, 0\n"
      "[vector y]\nalong.a = 0, 1, 0\nalong.c = 0, 1, 0\nalong.light = 0, 1, 0\n"
      "[vector n]\nalong.c = 0, 0, 1\nalong.d = 1, 0, 0\nalong.h = 0, 0, 1\nalong.light = 0, 0, 1\nalong.e = 0, 0, 1\n"
      "[vector z]\nalong.a = 0, 0.6, 0.8\nalong.b = 0, 0, 1\n"
      "[joint ga]\ntype = cardan\nbodies = ground, a\npoint = A\naxis = x\naxis2 = y\n"
      "[joint ab]\ntype = cylindrical\nbodies = b, a\npoints = B2, B1\naxis = z\n"
      "[joint ac]\ntype = spherical\nbodies = c, a\npoint = C\n"
      "[joint bd]\ntype = floating\nbodies = b, d\npoints = D1, D2\n"
      "[joint cl]\ntype = revolute\nbodies = light, c\npoint = L\naxis = y\n"
      "[joint le]\ntype = revolute\nbodies = light, e\npoint = E\naxis = n\n"
      "[joint ch]\ntype = planar\nbodies = h, c\npoints = H2, H1\naxis = n\n"
      "[joint dh]\ntype = revolute\nbodies = d, h\npoint = G\naxis = n\ncut = yes\n"
      "[force rotor]\ntype = rotor_inertia\ncoordinate = cl.angle\ninertia = 0.02\nratio = 3\n"
      "[start]\nguess.ga.angle1 = 0.3\nguess.ga.angle2 = -0.4\nguess.ab.distance = 0.1\nguess.ab.angle = 0.5\n"
      "guess.ac.e1 = 0.3\nguess.bd.x = 0.1\nguess.bd.e2 = 0.2\nguess.cl.angle = 0.6\n";
  static const char run[] =
      "schema = 1\n[model]\nfile = model.ini\n[case fall]\nduration = 0.1\nstep = 1e-3\n"
      "[output]\noutputs = a.com, b.com, c.com, d.com, e.com, h.com\n";
  static const char *const columns[] = {"a.com.x", "a.com.z", "b.com.x", "b.com.z", "c.com.x", "c.com.y",
                                        "c.com.z", "d.com.y", "d.com.z", "e.com.x", "e.com.z", "h.com.z"};
  char path[PATH];
  robot r;
  mbo_series *s[2];
  if (!reads_robots(&reader)) { return; }
  put(path, "model.ini", model);
  s[0] = motion_of(put(path, "back.ini", run), 0, NULL);
  CU_ASSERT_EQUAL(export_and_read(&back_formats[1], &r), 0);
  CU_ASSERT_EQUAL(r.nwarning, 0);
  CU_ASSERT_EQUAL(r.nclosing, 1);
  write_files(&r, ROBOT_BASE_FIXED);
  robot_free(&r);
  s[1] = motion_of(path, 0, NULL);
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
    for (int row = 0; row < mbo_series_rows(s[0]); row += 20) {
      CHECK_CLOSE(columns[c], series_at(s[1], row, columns[c]), series_at(s[0], row, columns[c]), 1e-12);
    }
    CU_ASSERT(fabs(series_at(s[0], -1, columns[c]) - series_at(s[0], 0, columns[c])) > 1e-4);
  }
  mbo_series_free(s[0]), mbo_series_free(s[1]);
}

/* ---- a delta robot: its rods turn about universal joints at the arms and spherical ones at the platform, which hangs on the first ---- */

static int add_leg(char *text, size_t size, int leg) {
  const double angle = 2 * acos(-1.0) / 3 * (leg - 1) - acos(0.0);
  int n = snprintf(text, size,
                   "<link name='a%d'><inertial><origin xyz='0.33653345471096957 0 0'/><mass value='0.8788'/>"
                   "<inertia ixx='0' iyy='0.026666841116431472' izz='0.026666841116431472' ixy='0' ixz='0' "
                   "iyz='0'/></inertial></link>\n"
                   "<joint name='arm_%d' type='continuous'><parent link='base'/><child link='a%d'/>"
                   "<origin xyz='%.17g %.17g 0' rpy='0 0 %.17g'/><axis xyz='0 1 0'/></joint>\n",
                   leg, leg, leg, 0.164 * cos(angle), 0.164 * sin(angle), angle);
  for (int k = 1; k <= 2; k++) {
    /* a rod as the element `rod`: half of its mass at each end; it hangs down at zero angles */
    n += snprintf(
        text + n, size - (size_t)n,
        "<link name='r%d_%d'><inertial><origin xyz='0 0 -0.622'/><mass value='0.14928'/>"
        "<inertia ixx='0.05775404352' iyy='0.05775404352' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
        "<joint name='u%d_%d' type='continuous'><parent link='a%d'/><child link='r%d_%d'/>"
        "<origin xyz='0.524 %.17g 0'/></joint>\n",
        leg, k, leg, k, leg, leg, k, (2 * k - 3) * 0.131 / 2);
  }
  return n;
}

static int add_wrist(char *text, size_t size, int leg, int k) {
  const double angle = 2 * acos(-1.0) / 3 * (leg - 1) - acos(0.0), side = (2 * k - 3) * 0.131 / 2;
  return snprintf(
      text, size,
      "<link name='w%d_%d'/><joint name='w%d_%d_mount' type='fixed'><parent link='platform'/>"
      "<child link='w%d_%d'/><origin xyz='%.17g %.17g 0'/></joint>\n"
      "<link name='e%d_%d'/><joint name='e%d_%d_mount' type='fixed'><parent link='r%d_%d'/><child link='e%d_%d'/>"
      "<origin xyz='0 0 -1.244'/></joint>\n",
      leg, k, leg, k, leg, k, 0.044 * cos(angle) - side * sin(angle), 0.044 * sin(angle) + side * cos(angle), leg, k,
      leg, k, leg, k, leg, k);
}

static const char delta_yaml[] =
    "closed_loop: [[e1_1, w1_1], [e1_2, w1_2], [e2_1, w2_1], [e2_2, w2_2], [e3_1, w3_1], [e3_2, w3_2]]\n"
    "type: [3d, 3d, 3d, 3d, 3d, 3d]\nname_mot: [arm_1, arm_2, arm_3]\n"
    "joint_name: [u1_1, u1_2, u2_1, u2_2, u3_1, u3_2]\n"
    "joint_type: [UJOINT_YX, UJOINT_YX, UJOINT_YX, UJOINT_YX, UJOINT_YX, UJOINT_YX]\n";

/* It falls as the model of problems/delta_robot, whose rods are distances: the same places and accelerations at the start, and after 0.1 s the same
 * motion within the error of the time steps, which is of order 2 in other coordinates. */
static void test_delta(void) {
  static const char run[] =
      "schema = 1\n[model]\nfile = %s\n%s[case fall]\nduration = 0.1\nstep = 1e-3\n"
      "[output]\noutputs = platform.com, arm_1.angle, arm_2.angle, arm_3.angle, energy.kinetic\n";
  static const char *const columns[] = {"platform.com.x", "platform.com.y", "platform.com.z",
                                        "arm_1.angle",    "arm_2.angle",    "arm_3.angle"};
  char text[TEXT], path[PATH], yaml[PATH], all[1500], scalars[400] = "", holds[400] = "";
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  int n = snprintf(text, sizeof text, "<robot name='delta'>\n<link name='base'/>\n");
  for (int leg = 1; leg <= 3; leg++) { n += add_leg(text + n, sizeof text - (size_t)n, leg); }
  n += snprintf(
      text + n, sizeof text - (size_t)n,
      "<link name='platform'><inertial><mass value='1.45'/><inertia ixx='0.0002178' iyy='0.0002178' izz='0.0004356' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link>\n<joint name='free' type='floating'><parent link='base'/><child "
      "link='platform'/><origin xyz='0 0 -1'/></joint>\n");
  for (int leg = 1; leg <= 3; leg++) {
    for (int k = 1; k <= 2; k++) { n += add_wrist(text + n, sizeof text - (size_t)n, leg, k); }
  }
  snprintf(text + n, sizeof text - (size_t)n, "</robot>\n");
  put(yaml, "delta.yaml", delta_yaml), put(path, "delta.urdf", text);
  must(urdf_read(path, &r, &err), &err);
  CU_ASSERT_EQUAL(r.nfree, 0);
  CU_ASSERT_EQUAL(r.nclosing, 6);
  write_files(&r, ROBOT_BASE_FIXED);
  size_t ns = 0, nh = 0;
  for (int i = 0; i < r.njoint; i++) {
    const int is_arm = strncmp(r.joint[i].name, "arm_", 4) == 0;
    CU_ASSERT_EQUAL(r.joint[i].driven, is_arm);
    if (!is_arm) { continue; }
    const double start = r.joint[i].start;
    ns += (size_t)snprintf(scalars + ns, sizeof scalars - ns, "%s_start = %.17g\n", r.joint[i].name, start);
    nh += (size_t)snprintf(holds + nh, sizeof holds - nh, "hold.%s.angle = %.17g\n", r.joint[i].name, start);
  }
  robot_free(&r);
  /* the model of the problem, with the masses of the robot, without rotors, from the same angles */
  char own[TEXT], from[TEXT], model[PATH];
  FILE *in = fopen(MBOPT_SOURCE_DIR "/problems/delta_robot/delta_robot.ini", "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  from[fread(from, 1, sizeof from - 1, in)] = '\0';
  fclose(in);
  edit(own, sizeof own, from, "rotor = 1e-4", "rotor = 0");
  edit(from, sizeof from, own, "[start]\n", "[start]\n");
  strncat(from, holds, sizeof from - strlen(from) - 1);
  put(model, "delta_own.ini", from);
  mbo_series *s[2];
  for (int k = 0; k < 2; k++) {
    char section[500] = "";
    if (!k) { snprintf(section, sizeof section, "[scalars]\n%s", scalars); }
    snprintf(all, sizeof all, run, k ? "delta_own.ini" : "model.ini", section);
    s[k] = motion_of(put(path, "delta_fall.ini", all), 0, NULL);
  }
  CU_ASSERT(series_at(s[1], -1, "energy.kinetic") > 0.1);
  CU_ASSERT(series_at(s[1], 0, "arm_1.angle.acceleration") > 1);
  for (int arm = 1; arm <= 3; arm++) {
    char name[60];
    snprintf(name, sizeof name, "arm_%d.angle.acceleration", arm);
    CHECK_CLOSE(name, series_at(s[0], 0, name), series_at(s[1], 0, name), 1e-10);
  }
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
    CHECK_CLOSE(columns[c], series_at(s[0], 0, columns[c]), series_at(s[1], 0, columns[c]), 1e-12);
    CHECK_CLOSE(columns[c], series_at(s[0], -1, columns[c]), series_at(s[1], -1, columns[c]), 2e-7);
  }
  mbo_series_free(s[0]), mbo_series_free(s[1]);
}

/* ---- a leg of six bars ---- */

/* A crank of 0.11 about the origin drives a connecting bar from its end P over Q, 0.28 away, to the knee K, 0.26 further; Q hangs on a rocker of 0.13 about
 * (0.26, 0, 0.06), and K on a rocker of 0.18 about (0.26, 0, -0.11), whose lower end carries no bar: bars are the ground, the crank, the
 * connecting bar, two rockers and the shin from K to the lower rocker's end R. Both loops are closed at the end of a bar. */
static const char leg[] = "<robot name='leg'>\n<link name='base'/>\n" BAR("crank", "0.05", "0.2")
    BAR("bar", "0.2", "0.3") BAR("upper", "0.07", "0.2") BAR("lower", "0.09", "0.2") BAR("shin", "0.1", "0.3")
        HINGE("hip", "base", "crank", "0 0 0", "0 0 0", "") HINGE("end", "crank", "bar", "0.11 0 0", "0 0 0", "")
            HINGE("high", "base", "upper", "0.26 0 0.06", "0 0 0", "")
                HINGE("low", "base", "lower", "0.26 0 -0.11", "0 0 0", "")
                    HINGE("knee", "bar", "shin", "0.54 0 0", "0 0 0", "") "LOOP</robot>\n";
static const dialect leg_dialects[] = {
    {"loop_joint",
     "<loop_joint name='q' type='revolute'><link1 link='bar' xyz='0.28 0 0'/><link2 link='upper' xyz='0.13 0 0'/>"
     "<axis xyz='0 1 0'/></loop_joint><loop_joint name='r' type='revolute'><link1 link='shin' xyz='0.4 0 0'/>"
     "<link2 link='lower' xyz='0.18 0 0'/><axis xyz='0 1 0'/></loop_joint>\n",
     NULL, 0},
    {"constraint",
     "<constraint name='q' type='position'><predecessor link='bar'><origin xyz='0.28 0 0'/></predecessor><successor "
     "link='upper'>"
     "<origin xyz='0.13 0 0'/></successor></constraint><constraint name='r' type='position'><predecessor link='shin'>"
     "<origin xyz='0.4 0 0'/></predecessor><successor link='lower'><origin xyz='0.18 0 0'/></successor></constraint>\n",
     NULL, 0},
    {"6d",
     "<link name='QA'/><link name='QB'/><link name='RA'/><link name='RB'/>\n" HINGE("qa", "bar", "QA", "0.28 0 0",
                                                                                    "0 0 0", "")
         HINGE("ra", "shin", "RA", "0.4 0 0", "0 0 0", "") "<joint name='qb' type='fixed'><parent link='upper'/><child "
                                                           "link='QB'/><origin xyz='0.13 0 0' rpy='0 0.4 0'/></joint>"
                                                           "<joint name='rb' type='fixed'><parent link='lower'/><child "
                                                           "link='RB'/><origin xyz='0.18 0 0' rpy='0 1 0'/></joint>\n",
     "closed_loop: [[QA, QB], [RA, RB]]\ntype: [6d, 6d]\n", 0},
};

/* Places by hand of P, Q and R, of the angles of the tree; a bar along x at angle zero, turned about y. */
static void check_leg(const mbo_series *s, int row) {
  double z[5], P[2], Q[2], K[2], R[2];
  static const char *const name[5] = {"hip.angle", "end.angle", "high.angle", "low.angle", "knee.angle"};
  for (int i = 0; i < 5; i++) { z[i] = series_at(s, row, name[i]); }
  const double bar = z[0] + z[1], shin = bar + z[4];
  P[0] = 0.11 * cos(z[0]), P[1] = -0.11 * sin(z[0]);
  Q[0] = P[0] + 0.28 * cos(bar), Q[1] = P[1] - 0.28 * sin(bar);
  K[0] = P[0] + 0.54 * cos(bar), K[1] = P[1] - 0.54 * sin(bar);
  R[0] = K[0] + 0.4 * cos(shin), R[1] = K[1] - 0.4 * sin(shin);
  CHECK_CLOSE("Q x", Q[0], 0.26 + 0.13 * cos(z[2]), 1e-12);
  CHECK_CLOSE("Q z", Q[1], 0.06 - 0.13 * sin(z[2]), 1e-12);
  CHECK_CLOSE("R x", R[0], 0.26 + 0.18 * cos(z[3]), 1e-12);
  CHECK_CLOSE("R z", R[1], -0.11 - 0.18 * sin(z[3]), 1e-12);
}

/* The hip alone drives; along its motion both loops are closed, and its torque is the same in all dialects. */
static void test_leg(void) {
  double torque[3] = {0};
  char start[60] = "", end[60] = "";
  const char *const set[] = {start, end};
  if (!reads_robots(&reader)) { return; }
  for (int i = 0; i < 3; i++) {
    const dialect *d = &leg_dialects[i];
    char text[TEXT], path[PATH], yaml[PATH], run[PATH];
    robot r;
    mbd_error err = {0};
    edit(text, sizeof text, leg, "LOOP", d->loop);
    if (d->yaml) { put(yaml, "leg.yaml", d->yaml); }
    must(urdf_read(put(path, "leg.urdf", text), &r, &err), &err);
    write_files(&r, ROBOT_BASE_FIXED);
    CU_ASSERT_EQUAL(r.nfree, 0);
    for (int k = 0; k < r.njoint; k++) { CU_ASSERT_EQUAL(r.joint[k].driven, strcmp(r.joint[k].name, "hip") == 0); }
    if (i == 0) { /* the others were assembled elsewhere */
      snprintf(start, sizeof start, "scalars.hip_start=%.17g", r.joint[0].start);
      snprintf(end, sizeof end, "scalars.hip_end=%.17g", r.joint[0].start + 0.1);
    }
    robot_free(&r);
    snprintf(run, sizeof run, "%s/run.ini", folder);
    mbo_series *s = motion_of(run, 2, set);
    for (int row = 0; row < mbo_series_rows(s); row += 40) { check_leg(s, row); }
    torque[i] = series_at(s, 100, "drive.hip.angle.drive_force");
    CU_ASSERT(fabs(torque[i]) > 0.01);
    CHECK_CLOSE(d->name, torque[i], torque[0], 1e-11);
    mbo_series_free(s);
  }
  remove_file("leg.yaml");
}

/* ---- what is refused, and what is told ---- */

static void test_messages(void) {
  static const struct {
    const char *loop, *yaml, *message;
  } cases[] = {
      {"<loop_joint name='tip' type='revolut'/>", NULL,
       ":9: loop_joint 'tip' type = \"revolut\", expected revolute, continuous"},
      {"<loop_joint name='tip' type='fixed'/>", NULL, ":9: loop_joint 'tip' has no <link1>"},
      {"<loop_joint name='j1' type='fixed'/>", NULL, ":9: loop_joint 'j1' has the name of another joint"},
      {"<loop_joint type='ball'><link1 link='couple'/><link2 link='rocker'/></loop_joint>", NULL,
       ":9: <link1> link = \"couple\" is not known, did you mean 'coupler'?"},
      {"<constraint name='c' type='rolling'/>", NULL, ":9: constraint 'c' type = \"rolling\", expected revolute"},
      {"<coupling name='c'/>", NULL, ":9: coupling 'c' couples two links; expected <mimic>"},
      {"<loop name='l' type='planar'><predecessor link='coupler'/><successor link='rocker'/><axis xyz='0 0 0'/></loop>",
       NULL, ":9: loop 'l' <axis> xyz = \"0 0 0\", expected a direction"},
      {"<drake:ball_constraint><drake:ball_constraint_body_A name='base'/></drake:ball_constraint>", NULL,
       "has no <drake:ball_constraint_p_AP>"},
      {"", "closed_loop: [[base, rocke]]\ntype: [3d]\n",
       "four_bar.yaml:1: closed_loop: 'rocke' is neither a link nor a joint"},
      {"", "closed_loop: [[base, rocker]]\n", "four_bar.yaml: has no key 'type' beside 'closed_loop'"},
      {"", "closed_loop: [[base, rocker]]\n\ntype: [3d, 6d]\n",
       "four_bar.yaml:3: type has 2 items, expected 1 as 'closed_loop'"},
      {"", "closed_loop: [[base, rocker]]\ntype: [5d]\n", "four_bar.yaml:2: type '5d', expected revolute"},
      {"", "closed_loop: [[base]]\ntype: [3d]\n", "four_bar.yaml:1: closed_loop: item 1 has 1 names, expected two"},
      {"", "closed_loop: [[base, rocker]\ntype: 3d\n", "four_bar.yaml:3: a list has no ']'"},
      {"<gazebo><joint name='j1' type='ball'><parent>crank</parent><child>rocker</child></joint></gazebo>", NULL,
       ":9: joint 'j1' has the name of another joint"},
      {"<gazebo><joint name='tip' type='gearbox'><parent>crank</parent><child>rocker</child></joint></gazebo>", NULL,
       ":9: joint 'tip' type = \"gearbox\", expected revolute"},
      {"<gazebo><joint name='tip' type='ball'><parent>crank</parent></joint></gazebo>", NULL,
       ":9: joint 'tip' has no <child>"},
      {"<gazebo><joint name='tip' type='ball'><parent>crnk</parent></joint></gazebo>", NULL,
       ":9: joint 'tip' <parent> parent = \"crnk\" is not known, did you mean 'crank'?"},
      {"<gazebo><joint name='tip' type='ball'><parent>crank</parent><child>rocker</child><pose>1 "
       "2</pose></joint></gazebo>",
       NULL, ":9: joint 'tip' <pose> pose = \"1 2\", expected six numbers"},
      {"", "closed_loop: []\ntype: []\nname_mot: [j4]\n",
       "four_bar.yaml:3: name_mot: joint 'j4' is not known, did you mean"},
      {"", "closed_loop: []\ntype: []\njoint_name: [j1]\njoint_type: [BALL]\n",
       ":4: joint_type 'BALL', expected SPHERICAL"},
      {"<joint name='weld' type='fixed'><parent link='base'/><child link='b'/></joint><link name='b'/>"
       "<loop_joint name='w' type='fixed'><link1 link='base'/><link2 link='b' rpy='0 0 1'/></loop_joint>",
       NULL, ":9: joint 'w' welds the links 'base' and 'b', which other welds hold in another orientation"},
  };
  if (!reads_robots(&reader)) { return; }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[TEXT], path[PATH], yaml[PATH];
    robot r;
    mbd_error err = {0};
    edit(text, sizeof text, four_bar, "LOOP", cases[i].loop);
    remove_file("four_bar.yaml");
    if (cases[i].yaml) { put(yaml, "four_bar.yaml", cases[i].yaml); }
    CU_ASSERT_EQUAL(urdf_read(put(path, "four_bar.urdf", text), &r, &err), MBD_BAD_INPUT);
    CHECK_CONTAINS(err.text, cases[i].message);
    robot_free(&r);
  }
  remove_file("four_bar.yaml");
}

/* A loop that no position closes is told, with what is left open; the files are written nevertheless. */
static void test_not_closed(void) {
  static const dialect far = {"far",
                              "<loop_joint name='tip' type='revolute'><link1 link='coupler' xyz='5 0 0'/>"
                              "<link2 link='rocker' xyz='0.7 0 0'/><axis xyz='0 1 0'/></loop_joint>\n",
                              NULL, 0};
  static const dialect half = {"half", MOUNT("closing_tip_1", "coupler", "0.9 0 0"), NULL, 0};
  robot r;
  if (!reads_robots(&reader)) { return; }
  import_dialect(&far, &r);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
  CHECK_CONTAINS(r.warning[0].text, "four_bar.urdf: the loops cannot be closed from the position of the file: ");
  CHECK_CONTAINS(r.warning[0].text, "tip.coincident");
  robot_free(&r);
  import_dialect(&half, &r);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
  CHECK_CONTAINS(r.warning[0].text, "link 'closing_tip_1' closes no loop: there is no link of the same name");
  CU_ASSERT_EQUAL(r.nclosing, 0);
  robot_free(&r);
}

TEST_MAIN_IN(folder, TEST(test_four_bar), TEST(test_driven), TEST(test_gazebo), TEST(test_many_joints),
             TEST(test_motors), TEST(test_vary), TEST(test_sizes), TEST(test_part), TEST(test_back),
             TEST(test_all_types_back), TEST(test_several_coordinates_back), TEST(test_delta), TEST(test_leg),
             TEST(test_messages), TEST(test_not_closed))
