/* What robots look like: shapes of all three formats by hand; meshes that are found in packages and folders, and those outside of them, which are not
 * opened; what is drawn in the place of what cannot be read; the model file that says so. */
#include "import/robot_shape.h"

#include <sys/stat.h>

#include "import/import.h"
#include "mbo/model_file.h"
#include "robot_text.h"

enum { PATH = 400, TEXT = 8000 };
static char folder[] = "/tmp/mbopt_looks_XXXXXX";
static const robot_format reader = {import_read, folder};

static char *path_of(char path[PATH], const char *name) {
  snprintf(path, PATH, "%s/%s", folder, name);
  return path;
}

static void put(const char *name, const char *text) {
  char path[PATH];
  test_put(path_of(path, name), text);
}

static void make_folder_of(const char *name) {
  char path[PATH];
  CU_ASSERT_EQUAL_FATAL(mkdir(path_of(path, name), 0700), 0);
}

/* A tetrahedron from the origin to (1, 0, 0), (0, 2, 0), (0, 0, 4). */
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void read_looks(const char *name, const char *root, const char *packages, robot *r) {
  char path[PATH], of_root[PATH], of_packages[PATH], out[PATH];
  mbd_error err = {0};
  const robot_folders folders = {.root = root ? path_of(of_root, root) : NULL,
                                 .packages = packages ? path_of(of_packages, packages) : NULL,
                                 .out = path_of(out, "new/out")};
  must(import_read(path_of(path, name), r, &err), &err);
  must(robot_find_meshes(r, &folders, &err), &err);
}

static void check(const robot_shape *shape, robot_look type, const double at[3], const double size[3]) {
  CU_ASSERT_EQUAL(shape->type, type);
  for (int i = 0; i < 3; i++) {
    CHECK_CLOSE("at", shape->pose.xyz[i], at[i], 1e-15);
    CHECK_CLOSE("size", shape->size[i], size[i], 1e-15);
  }
}

#define V(...) ((const double[]){__VA_ARGS__})

/* ---- where meshes are ---- */

static const char arm[] =
    "<robot name='arm'>\n"
    "<link name='base'><visual><origin xyz='0 0 0.1' rpy='0 0 1.5'/><geometry>"
    "<mesh filename='MESH' scale='0.5 0.5 0.5'/></geometry></visual></link>\n"
    "<link name='a'><inertial><origin xyz='0 0 1'/><mass value='2'/>"
    "<inertia ixx='0.2' iyy='0.2' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<visual><geometry><mesh filename='upper.dae'/></geometry></visual></link>\n"
    "<joint name='j' type='continuous'><parent link='base'/><child link='a'/></joint>\n</robot>\n";

typedef struct place_case {
  const char *mesh, *root, *packages;
  int found; /* 1: it is drawn */
} place_case;

/* The package is the folder arm_description, or in a folder that is named; no path leads out of what was given, nor does a link. */
static void test_places(void) {
  static const place_case cases[] = {
      {"package://arm_description/meshes/t.obj", "arm_description", NULL, 1},
      {"package://arm_description/meshes/t.obj", ".", NULL, 1},
      {"package://arm_description/meshes/t.obj", NULL, NULL, 0},
      {"package://arm_description/meshes/t.obj", NULL, ".", 1},
      {"package://arm_description/meshes/t.obj", NULL, "arm_description", 1},
      {"model://arm_description/meshes/t.obj", "arm_description", NULL, 1},
      {"package://arm_description/t.obj", "arm_description", NULL, 0},
      {"package://other/meshes/t.obj", "arm_description", NULL, 0},
      {"../meshes/t.obj", "arm_description", NULL, 1},
      {"../meshes/t.obj", NULL, NULL, 0},
      {"../../outside.obj", "arm_description", NULL, 0},
      {"link.obj", NULL, NULL, 0},
      {"link.obj", ".", NULL, 1},
      {"package://", "arm_description", NULL, 0},
      {"/etc/passwd", "arm_description", NULL, 0},
  };
  char path[PATH], to[PATH], text[TEXT];
  if (!reads_robots(&reader)) { return; }
  make_folder_of("arm_description"), make_folder_of("arm_description/urdf"), make_folder_of("arm_description/meshes");
  put("arm_description/meshes/t.obj", tetrahedron), put("outside.obj", tetrahedron);
  (void)symlink(path_of(to, "outside.obj"), path_of(path, "arm_description/urdf/link.obj"));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const place_case *c = &cases[i];
    robot r;
    edit(text, sizeof text, arm, "MESH", c->mesh);
    put("arm_description/urdf/arm.urdf", text);
    read_looks("arm_description/urdf/arm.urdf", c->root, c->packages, &r);
    const robot_shape *shape = &r.link[0].shape[0];
    if (shape->type != (c->found ? ROBOT_MESH : ROBOT_UNSEEN)) { printf("\n  %s in %s\n", c->mesh, c->root); }
    CU_ASSERT_EQUAL(shape->type, c->found ? ROBOT_MESH : ROBOT_UNSEEN);
    if (c->found) {
      CHECK_CONTAINS(shape->path, strstr(c->mesh, "link") ? "../../outside.obj" : "../../arm_description/meshes/t.obj");
    }
    /* where nothing else is seen of a link, m/12 (b^2 + c^2) about its centre of mass; there is one warning for both, or one more for the first */
    check(&r.link[1].shape[0], ROBOT_BOX, V(0, 0, 1), V(sqrt(0.3), sqrt(0.3), sqrt(0.9)));
    CU_ASSERT_EQUAL(r.nwarning, 1);
    CU_ASSERT_EQUAL(r.warning[0].more, !c->found);
    robot_free(&r);
  }
}

/* ---- what is drawn ---- */

/* Triangles are drawn as they are; with several scales as the box around them. The model file has them, turned as the file says, and can be read. */
static void test_meshes(void) {
  static const char sizes[] =
      "<robot name='two'>\n<link name='one'><visual><geometry><mesh filename='t.obj'/></geometry></visual></link>\n"
      "<link name='two'><visual><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><geometry>"
      "<mesh filename='t.obj' scale='1 -2 0.5'/></geometry></visual></link>\n"
      "<joint name='j' type='continuous'><parent link='one'/><child link='two'/></joint>\n</robot>\n";
  char path[PATH];
  robot r;
  mbd_error err = {0};
  mbo_model_file *file;
  if (!reads_robots(&reader)) { return; }
  put("t.obj", tetrahedron), put("two.urdf", sizes);
  read_looks("two.urdf", NULL, NULL, &r);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
  CHECK_CONTAINS(r.warning[0].text, "two.urdf:3: link 'two' has a mesh that is drawn as the box around it");
  check(&r.link[0].shape[0], ROBOT_MESH, V(0, 0, 0), V(1, 1, 1));
  check(&r.link[1].shape[0], ROBOT_BOX, V(1 + 2, 0.5, 1), V(1, 4, 2)); /* the middle (0.5, -2, 1), turned */
  make_folder_of("new"), make_folder_of("new/out");
  robot_put(path_of(path, "new/out/model.ini"), &r, ROBOT_BASE_FIXED, 1);
  must(mbo_model_file_read(path, 0, NULL, NULL, &file, &err), &err);
  mbo_model_file_destroy(file);
  robot_free(&r);
}

/* With a density, links without mass get that of their shapes: a tetrahedron of 4/3 m^3 in half its size at (0, 0, 1), a box, a ball; others keep theirs. */
static void test_density(void) {
  static const char text[] =
      "<robot name='dense'>\n<link name='base'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n"
      "<link name='t'><visual><origin xyz='0 0 1'/><geometry><mesh filename='t.obj' scale='0.5 -0.5 "
      "0.5'/></geometry></visual></link>\n"
      "<link name='two'><visual><origin xyz='1 0 0'/><geometry><box size='2 1 0.5'/></geometry></visual>"
      "<visual><origin xyz='-1 0 0'/><geometry><box size='2 1 0.5'/></geometry></visual></link>\n"
      "<link name='own'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "<visual><geometry><sphere radius='1'/></geometry></visual></link>\n"
      "<joint name='a' type='continuous'><parent link='base'/><child link='t'/></joint>\n"
      "<joint name='b' type='continuous'><parent link='base'/><child link='two'/></joint>\n"
      "<joint name='c' type='continuous'><parent link='base'/><child link='own'/></joint>\n</robot>\n";
  char path[PATH], out[PATH];
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  put("t.obj", tetrahedron), put("dense.urdf", text);
  must(import_read(path_of(path, "dense.urdf"), &r, &err), &err);
  must(robot_find_meshes(&r, &(robot_folders){.out = path_of(out, "new"), .density = 300}, &err), &err);
  CHECK_CLOSE("base", r.link[0].mass, 0, 0);
  CHECK_CLOSE("tetrahedron", r.link[1].mass, 300 * 8.0 / 6 / 8, 1e-12);
  CHECK_CLOSE("its centre", r.link[1].com[1], -0.25, 1e-15);
  CHECK_CLOSE("its centre", r.link[1].com[2], 1.5, 1e-15);
  CHECK_CLOSE("two boxes", r.link[2].mass, 600, 1e-12);
  CHECK_CLOSE("of 4 m by 1 m", r.link[2].inertia[8], 600 / 12.0 * 17, 1e-11);
  CHECK_CLOSE("own", r.link[3].mass, 3, 0);
  robot_free(&r);
}

/* Each format has the same cylinder, box, ball and mesh on its link, and shapes that are wrong are left out. */
static void test_formats(void) {
  static const char *const texts[] = {
      "<robot name='r'><link name='l'>"
      "<visual><origin xyz='0 0 0.5'/><geometry><cylinder radius='0.1' length='0.6'/></geometry></visual>"
      "<visual><geometry><box size='1 2 3'/></geometry></visual>"
      "<visual><geometry><sphere radius='0.2'/></geometry></visual>"
      "<visual><origin xyz='1 0 0'/><geometry><mesh filename='t.obj' scale='2 2 2'/></geometry></visual>"
      "<visual><geometry><sphere radius='big'/></geometry></visual><visual><geometry><box size='1 -1 "
      "1'/></geometry></visual><visual><geometry/></visual></link></robot>",
      "<sdf version='1.7'><model name='r'><link name='l'>"
      "<visual name='a'><pose>0 0 0.5 0 0 "
      "0</pose><geometry><cylinder><radius>0.1</radius><length>0.6</length></cylinder>"
      "</geometry></visual><visual name='b'><geometry><box><size>1 2 3</size></box></geometry></visual>"
      "<visual name='c'><geometry><sphere><radius> 0.2 </radius></sphere></geometry></visual>"
      "<visual name='d'><pose>1 0 0 0 0 0</pose><geometry><mesh><uri> t.obj </uri><scale>2 2 "
      "2</scale></mesh></geometry>"
      "</visual><visual name='e'><geometry><sphere/></geometry></visual></link></model></sdf>",
      "<mujoco><asset><mesh name='t' file='t.obj' scale='2 2 2'/></asset><worldbody><body name='l'>"
      "<geom type='cylinder' fromto='0 0 0.2 0 0 0.8' size='0.1'/><geom type='box' size='0.5 1 1.5'/>"
      "<geom type='ellipsoid' size='0.2 0.2 0.2'/><geom type='mesh' mesh='t' pos='1 0 0'/>"
      "<geom type='mesh' mesh='none' mass='0'/><geom type='plane' size='1 1 1'/><geom size='1' group='3'/>"
      "<geom size='1' rgba='1 0 0 0'/></body></worldbody></mujoco>"};
  if (!reads_robots(&reader)) { return; }
  put("t.obj", tetrahedron);
  for (int i = 0; i < 3; i++) {
    robot r;
    put("formats.xml", texts[i]);
    read_looks("formats.xml", NULL, NULL, &r);
    const robot_link *link = &r.link[i == 2]; /* MJCF has the ground before it */
    CU_ASSERT_EQUAL(r.nwarning, 0);
    CU_ASSERT_EQUAL_FATAL(link->nshape, 4);
    check(&link->shape[0], ROBOT_CYLINDER, V(0, 0, 0.5), V(0.1, 0.6, link->shape[0].size[2]));
    check(&link->shape[1], ROBOT_BOX, V(0, 0, 0), V(1, 2, 3));
    check(&link->shape[2], ROBOT_SPHERE, V(0, 0, 0), V(0.2, link->shape[2].size[1], link->shape[2].size[2]));
    check(&link->shape[3], ROBOT_MESH, V(1, 0, 0), V(2, 2, 2));
    robot_free(&r);
  }
}

TEST_MAIN_IN(folder, TEST(test_places), TEST(test_meshes), TEST(test_density), TEST(test_formats))
