/* Robots from SDFormat: poses by hand through frames that are relative to others, a loop like that of a model file, the arm of robot_arm as from
 * URDF, and messages with lines. */
#include "import/sdf.h"

#include "base/v3.h"
#include "four_bar.h"
#include "import/robot_fill.h"
#include "import/urdf.h"
#include "mbo/run.h"
#include "robot_text.h"

enum { PATH = 300 };
static char folder[] = "/tmp/mbopt_sdf_XXXXXX";
static const robot_format reader = {sdf_read, folder};

static void import(const char *text, robot *r) {
  mbd_error err = {0};
  must(read_robot(&reader, text, r, &err), &err);
}

/* ---- frames ---- */

/* The model stands 10 above the ground, turned by 90 degrees about z. Frame f is 1 along x, turned by 90 degrees about x; g is 2 along z of f, so
 * at (1, -2, 0); link b is at 3 along y of g: (1, -2, 3). Joint j is 1 along x of b; its axis, y of the model, is z of b turned over, since y of b
 * is z of the model, and z of b is -y. Joint k, at the frame of its child c, is as seen from its parent, the frame g on b, on the link b. */
static void test_frames(void) {
  static const char text[] =
      "<sdf version='1.9'><model name='frames'><pose degrees='true'>0 0 10 0 0 90</pose>\n"
      "<frame name='f'><pose degrees='true'>1 0 0 90 0 0</pose></frame>\n"
      "<frame name='g' attached_to='b'><pose relative_to='f'>0 0 2 0 0 0</pose></frame>\n"
      "<link name='a'/><link name='b'><pose relative_to='g'>0 3 0 0 0 0</pose>\n"
      "<inertial><pose rotation_format='quat_xyzw'>0 0 1 0 0 1 1</pose><mass>2</mass>\n"
      "<inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial></link>\n"
      "<link name='c'><pose>0 0 5 0 0 0</pose></link>\n"
      "<joint name='j' type='revolute'><pose>1 0 0 0 0 0</pose><parent>a</parent><child>b</child>\n"
      "<axis><xyz expressed_in='__model__'>0 1 0</xyz><limit><lower>-1</lower><upper>1e16</upper><effort>5</effort>"
      "<velocity>-1</velocity></limit><dynamics><damping>0.1</damping><friction>0.2</friction>"
      "<spring_stiffness>3</spring_stiffness><spring_reference>0.5</spring_reference></dynamics></axis>\n"
      "<drake:rotor_inertia xmlns:drake='d'>0.01</drake:rotor_inertia><drake:gear_ratio "
      "xmlns:drake='d'>10</drake:gear_ratio></joint>\n"
      "<joint name='k' type='prismatic'><parent>g</parent><child>c</child><axis><xyz>0 0 1</xyz>"
      "<mimic joint='j'><multiplier>2</multiplier><offset>3</offset><reference>0.5</reference></mimic></axis></joint>\n"
      "<drake:ball_constraint xmlns:drake='d'><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A>"
      "<drake:ball_constraint_body_B>c</drake:ball_constraint_body_B><drake:ball_constraint_p_AP>1 2 3"
      "</drake:ball_constraint_p_AP><drake:ball_constraint_p_BQ>4 5 "
      "6</drake:ball_constraint_p_BQ></drake:ball_constraint>"
      "</model></sdf>\n";
  static const double on_a[3] = {2, -2, 3}, axis[3] = {0, 0, -1}, on_b[3] = {-1, 2, -2},
                      inertia[9] = {2, 0, 0, 0, 1, 0, 0, 0, 3};
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(text, &r);
  CU_ASSERT_EQUAL_FATAL(r.njoint, 3);
  const robot_joint *j = &r.joint[0], *k = &r.joint[1], *ball = &r.joint[2];
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE("on a", j->frame[0].xyz[i], on_a[i], 1e-15);
    CHECK_CLOSE("on b", j->frame[1].xyz[i], i == 0, 1e-15);
    CHECK_CLOSE("axis", j->axis[i], axis[i], 1e-15);
    CHECK_CLOSE("k", k->frame[0].xyz[i], on_b[i], 1e-15);
    CHECK_CLOSE("ball", ball->frame[1].xyz[i], 4 + i, 0);
  }
  CHECK_CLOSE("R", j->frame[0].R[5], -1, 1e-15); /* z of b is -y of a */
  for (int i = 0; i < 9; i++) { CHECK_CLOSE("inertia", r.link[1].inertia[i], inertia[i], 1e-15); }
  CU_ASSERT(r.link[1].mass == 2 && r.link[1].com[2] == 1 && !r.grounded);
  CU_ASSERT(j->lower == -1 && !isfinite(j->upper) && j->effort == 5 && j->velocity == 0);
  CU_ASSERT(j->damping == 0.1 && j->friction == 0.2 && j->stiffness == 3 && j->rest == 0.5);
  CHECK_CLOSE("rotor", j->rotor, 1, 1e-15);
  CU_ASSERT(ball->closes && ball->type == ROBOT_SPHERICAL);
  CU_ASSERT_EQUAL_FATAL(r.ncoupling, 1);
  CU_ASSERT(r.coupling[0].ratio == 2 && r.coupling[0].offset == 2);
  robot_free(&r);
}

/* Gravity along the axes of the root, which is turned by 90 degrees about y in a model that is turned by 90 degrees about x: down is -y of the model,
 * which is -y of the root. On the ground, links without a joint are free where they are. */
static void test_roots(void) {
  static const char turned[] =
      "<sdf version='1.7'><world name='w'><gravity>0 0 -2</gravity><model name='m'>"
      "<pose>0 0 0 1.5707963267948966 0 0</pose><link name='a'><pose>0 0 0 0 1.5707963267948966 "
      "0</pose></link></model></world></sdf>";
  static const char free_link[] =
      "<sdf version='1.7'><model name='m'><pose>1 2 3 0 0 0</pose><link name='a'/>"
      "<link name='b'><pose>0 0 4 0 0 3.141592653589793</pose></link>"
      "<joint name='j' type='fixed'><parent>world</parent><child>a</child></joint></model></sdf>";
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(turned, &r);
  CHECK_CLOSE("x", r.gravity[0], 0, 1e-15);
  CHECK_CLOSE("y", r.gravity[1], -2, 1e-15);
  CHECK_CLOSE("z", r.gravity[2], 0, 1e-15);
  robot_free(&r);
  import(free_link, &r);
  CU_ASSERT(r.grounded && r.njoint == 2 && r.joint[1].type == ROBOT_FLOATING);
  CU_ASSERT(r.joint[1].free_start[0] == 1 && r.joint[1].free_start[2] == 7);
  CHECK_CLOSE("e3", r.joint[1].free_start[6], 1, 1e-15);
  CU_ASSERT(r.joint[0].frame[0].xyz[1] == 2);
  robot_free(&r);
}

/* A universal joint is two hinges with a link without mass between them, whose frame is that of the joint. */
static void test_universal(void) {
  static const char text[] =
      "<sdf version='1.7'><model name='m'><link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link>\n"
      "<joint name='j' type='universal'><pose>0 0 -0.25 0 0 0</pose><parent>a</parent><child>b</child><axis><xyz>1 0 "
      "0</xyz>"
      "<limit><lower>-1</lower></limit></axis><axis2><xyz>0 1 "
      "0</xyz><dynamics><damping>2</damping></dynamics></axis2></joint>"
      "</model></sdf>\n";
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(text, &r);
  CU_ASSERT_FATAL(r.nlink == 3 && r.njoint == 2);
  const robot_joint *first = &r.joint[0], *second = &r.joint[1];
  CU_ASSERT(first->link[0] == 0 && first->link[1] == 2 && second->link[0] == 2 && second->link[1] == 1);
  CU_ASSERT(first->axis[0] == 1 && first->lower == -1 && first->damping == 0 && first->frame[1].xyz[2] == 0);
  CU_ASSERT(second->axis[1] == 1 && !isfinite(second->lower) && second->damping == 2 && second->frame[0].xyz[2] == 0);
  CHECK_CLOSE("on a", first->frame[0].xyz[2], 0.75, 1e-15);
  CHECK_CLOSE("on b", second->frame[1].xyz[2], -0.25, 1e-15);
  robot_free(&r);
}

/* ---- a loop ---- */

/* The coupler has two joints before it: the second one closes the loop. */
static const char four_bar[] =
    "<sdf version='1.7'><model name='four_bar'><frame name='far'><pose>2 0 0 0 0 0</pose></frame>\n"
    "<link name='crank'><inertial><pose>0 0 0.5 0 0 0</pose><mass>1</mass>\n"
    "<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.1</izz></inertia></inertial></link>\n"
    "<link name='coupler'><pose relative_to='crank'>0 0 1 0 0 0</pose><inertial><pose>1 0 0.25 0 0 "
    "0</pose><mass>2</mass>\n"
    "<inertia><ixx>0.1</ixx><iyy>0.3</iyy><izz>0.1</izz></inertia></inertial></link>\n"
    "<link name='rocker'><pose relative_to='far'/><inertial><pose>0.4 0 0.75 0 0 0</pose><mass>1.5</mass>\n"
    "<inertia><ixx>0.1</ixx><iyy>0.25</iyy><izz>0.1</izz></inertia></inertial></link>\n"
    "<joint name='a' type='revolute'><parent>world</parent><child>crank</child><axis><xyz>0 1 0</xyz></axis></joint>\n"
    "<joint name='b' type='revolute'><parent>crank</parent><child>coupler</child><axis><xyz>0 1 "
    "0</xyz></axis></joint>\n"
    "<joint name='c' type='revolute'><parent>world</parent><child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint>\n"
    "<joint name='end' type='revolute'><pose relative_to='rocker'>0 0 1.5 0 0 0</pose><parent>rocker</parent>"
    "<child>coupler</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>\n";

static mbo_series *fall(const char *model) {
  char path[PATH], text[PATH];
  mbo_run *run = NULL;
  mbo_series *s = NULL;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/run.XXXXXX", folder);
  snprintf(text, sizeof text, "schema = 1\n[model]\nfile = %s\n[case fall]\nduration = 1\nstep = 2e-3\n", model);
  write_file(path, text);
  must(mbo_run_open(path, 0, NULL, &run, &err), &err);
  must(mbo_run_simulate(run, NULL, 0, &s, &err), &err);
  mbo_run_close(run);
  return s;
}

static void test_four_bar(void) {
  static const char *const columns[] = {"a.angle", "b.angle", "c.angle", "a.angle.acceleration"};
  char model[PATH], own_model[PATH];
  robot r;
  if (!reads_robots(&reader)) { return; }
  snprintf(model, sizeof model, "%s/model.ini", folder), snprintf(own_model, sizeof own_model, "%s/own.XXXXXX", folder);
  import(four_bar, &r);
  CU_ASSERT(r.joint[3].closes && !r.joint[1].closes && r.grounded);
  robot_put(model, &r, ROBOT_BASE_FIXED, 1);
  robot_free(&r);
  write_file(own_model, own_four_bar);
  mbo_series *imported = fall(model), *own = fall(own_model);
  const int n = mbo_series_columns(imported), m = mbo_series_columns(own);
  for (int row = 0; row < mbo_series_rows(own); row += 10) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      const int x = mbo_series_find(imported, columns[i]), y = mbo_series_find(own, columns[i]);
      CU_ASSERT_FATAL(x >= 0 && y >= 0);
      CHECK_CLOSE(columns[i], mbo_series_values(imported)[row * n + x], mbo_series_values(own)[row * m + y], 1e-11);
    }
  }
  mbo_series_free(imported), mbo_series_free(own);
}

/* ---- the arm of problems/robot_arm ---- */

/* Writes a robot of URDF as a model: links relative to those before them; joints, which are at the origins of their links, anyhow. */
static void write_model(const robot *r, FILE *out) {
  fprintf(out, "<sdf version='1.7'><model name='%s'>\n", r->name);
  for (int i = 0; i < r->nlink; i++) {
    const robot_link *link = &r->link[i];
    fprintf(out, "<link name='%s'>", link->name);
    if (link->joint >= 0) {
      const robot_joint *j = &r->joint[link->joint];
      const double *R = j->frame[0].R, *p = j->frame[0].xyz;
      fprintf(out, "<pose relative_to='%s'>%.17g %.17g %.17g %.17g %.17g %.17g</pose>", r->link[j->link[0]].name, p[0],
              p[1], p[2], atan2(R[7], R[8]), asin(-R[6]), atan2(R[3], R[0]));
    }
    fprintf(out,
            "<inertial><pose>%.17g %.17g %.17g 0 0 0</pose><mass>%.17g</mass><inertia><ixx>%.17g</ixx><iyy>%.17g</iyy>"
            "<izz>%.17g</izz></inertia></inertial></link>\n",
            link->com[0], link->com[1], link->com[2], link->mass, link->inertia[0], link->inertia[4], link->inertia[8]);
  }
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    fprintf(out, "<joint name='%s' type='%s'><parent>%s</parent><child>%s</child>", j->name,
            j->type == ROBOT_WELD ? "fixed" : "revolute", r->link[j->link[0]].name, r->link[j->link[1]].name);
    if (j->type != ROBOT_WELD) {
      fprintf(out,
              "<axis><xyz>%.17g %.17g %.17g</xyz><limit><lower>%.17g</lower><upper>%.17g</upper><effort>%.17g</effort>"
              "</limit></axis>",
              j->axis[0], j->axis[1], j->axis[2], j->lower, j->upper, j->effort);
    }
    fprintf(out, "</joint>\n");
  }
  fprintf(out, "</model></sdf>\n");
}

static void test_arm(void) {
  char path[PATH];
  robot urdf, sdf;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  must(urdf_read(MBOPT_SOURCE_DIR "/problems/robot_arm/robot_arm.urdf", &urdf, &err), &err);
  snprintf(path, sizeof path, "%s/arm.sdf", folder);
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  write_model(&urdf, out);
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
  must(sdf_read(path, &sdf, &err), &err);
  CU_ASSERT_FATAL(sdf.nlink == urdf.nlink && sdf.njoint == urdf.njoint);
  for (int i = 0; i < urdf.nlink; i++) {
    const robot_link *a = &sdf.link[i], *b = &urdf.link[i];
    CU_ASSERT(a->mass == b->mass && a->joint == b->joint);
    for (int k = 0; k < 3; k++) { CHECK_CLOSE(b->name, a->com[k], b->com[k], 1e-15); }
    for (int k = 0; k < 9; k++) { CHECK_CLOSE(b->name, a->inertia[k], b->inertia[k], 1e-15); }
  }
  for (int i = 0; i < urdf.njoint; i++) {
    const robot_joint *a = &sdf.joint[i], *b = &urdf.joint[i];
    CU_ASSERT(a->type == b->type && a->lower == b->lower && a->upper == b->upper && a->effort == b->effort);
    for (int end = 0; end < 2; end++) {
      for (int k = 0; k < 3; k++) { CHECK_CLOSE(b->name, a->frame[end].xyz[k], b->frame[end].xyz[k], 1e-15); }
      for (int k = 0; k < 9; k++) { CHECK_CLOSE(b->name, a->frame[end].R[k], b->frame[end].R[k], 1e-15); }
    }
  }
  robot_free(&sdf), robot_free(&urdf);
}

/* ---- what is refused, and what is left out ---- */

static const char small[] =
    "<sdf version='1.7'>\n"
    "<model name='small'>\n"
    "<link name='base'/>\n"
    "<link name='arm'><pose>0 0 1 0 0 0</pose>\n"
    "<inertial><mass>1</mass><inertia><ixx>1</ixx></inertia></inertial></link>\n"
    "<joint name='elbow' type='revolute'>\n"
    "<parent>base</parent><child>arm</child>\n"
    "<axis><xyz>0 0 1</xyz></axis>\n"
    "</joint>\n"
    "<frame name='f'/>\n"
    "</model>\n"
    "</sdf>\n";

static void test_messages(void) {
  static const broken_case cases[] = {
      {"version='1.7'", "version='1.4'", ":1: <sdf> version = \"1.4\", expected 1.5 or newer"},
      {" version='1.7'", "", ":1: <sdf> attribute 'version' is missing"},
      {"</model>\n", "</model>\n<model name='b'><link name='c'/></model>\n",
       ":12: model 'b' is the second model, after that of line 2"},
      {"</model>\n", "<include><uri>a</uri></include></model>\n",
       ":11: model 'small' <include> is not read, expected a file with one model"},
      {"<link name='arm'>", "<lnk name='arm'>", "this is not well-formed XML: mismatched tag"},
      {"<mass>1</mass>", "<mas>1</mas>", ":5: link 'arm' <mas> is not known, did you mean 'mass'?"},
      {"<mass>1</mass>", "<mass>1 kg</mass>", ":5: link 'arm' <mass> mass = \"1 kg\", expected a number"},
      {"<mass>1</mass>", "<mass>-1</mass>", "<inertial> expected a mass >= 0"},
      {"<ixx>1</ixx>", "<ixx>-1</ixx>", "has a negative principal moment"},
      {"<pose>0 0 1 0 0 0</pose>", "<pose>0 0 1</pose>",
       ":4: link 'arm' <pose> pose = \"0 0 1\", expected six numbers"},
      {"<pose>0 0 1 0 0 0</pose>", "<pose relative_to='g'>0 0 1 0 0 0</pose>", "relative_to = \"g\" is not known"},
      {"<pose>0 0 1 0 0 0</pose>", "<pose relative_to='arm'>0 0 1 0 0 0</pose>",
       ":4: link 'arm' has a pose that is relative to itself"},
      {"<pose>0 0 1 0 0 0</pose>", "<pose frame='base'>0 0 1 0 0 0</pose>", "frame = \"base\", expected relative_to"},
      {"<pose>0 0 1 0 0 0</pose>", "<pose rotation_format='quat_xyzw'>0 0 1 0 0 0 0</pose>", "gives no orientation"},
      {"<link name='base'/>", "<link name='arm'/>", ":4: link 'arm' appears twice"},
      {"type='revolute'", "type='revolut'",
       ":6: joint 'elbow' type = \"revolut\" is not known, did you mean 'revolute'?"},
      {"type='revolute'", "type='screw'", "joint 'elbow' type = \"screw\" is not known"},
      {"type='revolute'", "type='universal'", ":6: joint 'elbow' has no <axis2>"},
      {"<parent>base</parent>", "", ":6: joint 'elbow' has no <parent>"},
      {"<parent>base</parent>", "<parent>bas</parent>",
       ":6: joint 'elbow' parent = \"bas\" is not known, did you mean 'base'?"},
      {"<parent>base</parent>", "<parent>arm</parent>", ":6: joint 'elbow' expected two links"},
      {"<child>arm</child>", "<child>world</child>", ":6: joint 'elbow' has the world as its child, expected a link"},
      {"<axis><xyz>0 0 1</xyz></axis>", "", ":6: joint 'elbow' has no <axis>"},
      {"<xyz>0 0 1</xyz>", "<xyz>0 0 0</xyz>", ":8: joint 'elbow' <axis> xyz has no length"},
      {"<xyz>0 0 1</xyz>", "<xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame>",
       "expected expressed_in=\"__model__\""},
      {"<xyz>0 0 1</xyz>", "<xyz>0 0 1</xyz><mimic joint='elbo'/>",
       "joint = \"elbo\" is not known, did you mean 'elbow'?"},
      {"<xyz>0 0 1</xyz>", "<xyz>0 0 1</xyz><dynamics><damping>-1</damping></dynamics>",
       "damping = -1, friction = 0, expected"},
      {"<frame name='f'/>",
       "<frame name='f' attached_to='h'/>\n<joint name='j' type='fixed'><parent>f</parent><child>base</child></joint>",
       "attached_to = \"h\" is not known"},
      {"<frame name='f'/>", "<link name='loose'/>", ":10: link 'loose' is the child of no joint"},
  };
  robots_are_refused(&reader, small, sizeof cases / sizeof cases[0], cases);
}

static void test_warnings(void) {
  static const broken_case cases[] = {
      {"<frame name='f'/>", "<gripper/>", ":10: model 'small' <gripper> is left out: the model has nothing like it"},
      {"<frame name='f'/>", "<contact/>", ":10: model 'small' <contact> is not known, and left out"},
      {"<xyz>0 0 1</xyz>", "<xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit>",
       ":8: joint 'elbow' <limit> lower = 1 above upper = 0: the joint has no limits in the model"},
  };
  robots_cause_warnings(&reader, small, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN_IN(folder, TEST(test_frames), TEST(test_roots), TEST(test_universal), TEST(test_four_bar), TEST(test_arm),
             TEST(test_messages), TEST(test_warnings))
