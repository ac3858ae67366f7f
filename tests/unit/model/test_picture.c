/* What pictures are drawn from: points on their bodies, springs, wheels, roads. */
#include "mbd/picture.h"

#include "force/force.h"
#include "mbo/model_file.h"
#include "model/model.h"
#include "test.h"

typedef struct opened {
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
} opened;

static void open_model(opened *q, const char *path) {
  static const char *const name[] = {"drop"}, *const value[] = {"0.01"};
  char full[600];
  mbd_error err = {0};
  snprintf(full, sizeof full, MBOPT_SOURCE_DIR "/%s", path);
  must(mbo_model_file_read(full, strstr(path, "buggy") != NULL, name, value, &q->file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(q->file), &q->m, &err), &err);
  must(mbd_params_create(q->m, NULL, &q->p, &err), &err);
}

static void close_model(opened *q) {
  mbd_params_destroy(q->p);
  mbd_model_destroy(q->m);
  mbo_model_file_destroy(q->file);
}

static void check_place(const char *what, const double got[3], double x, double y, double z) {
  CHECK_CLOSE(what, got[0], x, 1e-15);
  CHECK_CLOSE(what, got[1], y, 1e-15);
  CHECK_CLOSE(what, got[2], z, 1e-15);
}

static int body_named(const mbd_model *m, const char *name) {
  return model_find_body(m, name);
}

static mbd_force_picture force_named(const opened *q, const char *name) {
  mbd_force_picture f = {0};
  int i = 0;
  while (i < mbd_model_nforce(q->m) && strcmp(mbd_model_force_name(q->m, i, NULL), name) != 0) { i++; }
  CU_ASSERT_FATAL(i < mbd_model_nforce(q->m));
  mbd_params_force_picture(q->p, i, &f);
  return f;
}

/* A ball joint: the same place on both bodies, whose frames are the global one. The list of points ends before vectors. */
static void test_points(void) {
  opened q;
  mbd_place at = {0};
  double x[3];
  open_model(&q, "problems/buggy/buggy.ini");
  int i = 0, n = mbd_model_npoint(q.m);
  CU_ASSERT_EQUAL(n, 30);
  for (; i < n; i++) {
    CU_ASSERT(mbd_params_point(q.p, i, 0, &at));
    if (strcmp(at.name, "front_left.B") == 0) { break; }
  }
  CU_ASSERT_FATAL(i < n);
  CU_ASSERT_EQUAL(at.body, body_named(q.m, "front_left.lower"));
  check_place("front_left.B on the arm", at.x, -0.5, 0.55, 0.18);
  CU_ASSERT(mbd_params_point(q.p, i, 1, &at));
  CU_ASSERT_EQUAL(at.body, body_named(q.m, "front_left.knuckle"));
  check_place("front_left.B on the knuckle", at.x, -0.5, 0.55, 0.18);
  CU_ASSERT(!mbd_params_point(q.p, i, 2, &at));
  mbd_params_com(q.p, body_named(q.m, "chassis"), x);
  check_place("centre of mass", x, -1.52, 0, 0.48);
  mbd_params_gravity(q.p, x);
  check_place("gravity", x, 0, 0, -9.81);
  close_model(&q);
}

/* A mass on a hinge, and nothing said of gravity. */
static void test_no_gravity(void) {
  mbd_error err = {0};
  mbd_spec *s = mbd_spec_create();
  mbd_model *m;
  mbd_params *p;
  double g[3] = {1, 1, 1};
  const int numbers = mbd_spec_coef(s, "one", 1);
  for (int i = 0; i < 5; i++) { mbd_spec_coef(s, "one", 1); }
  must(mbd_spec_body(s, "A", numbers, numbers, numbers, &err), &err);
  must(mbd_spec_point(s, "P", &err), &err);
  must(mbd_spec_vector(s, "u", &err), &err);
  for (int i = 0; i < 2; i++) {
    must(mbd_spec_point_on(s, "P", i ? "A" : "ground", numbers, &err), &err);
    must(mbd_spec_vector_on(s, "u", i ? "A" : "ground", numbers, &err), &err);
  }
  must(mbd_model_create(s, &m, &err), &err);
  must(mbd_params_create(m, NULL, &p, &err), &err);
  mbd_params_gravity(p, g);
  check_place("no gravity", g, 0, 0, 0);
  CU_ASSERT_EQUAL(mbd_model_npoint(m), 1);
  mbd_params_destroy(p), mbd_model_destroy(m), mbd_spec_destroy(s);
}

static void test_forces(void) {
  opened q;
  open_model(&q, "problems/buggy/buggy.ini");
  mbd_force_picture f = force_named(&q, "front_left.spring");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_SPRING);
  CU_ASSERT_EQUAL(f.end[0].body, body_named(q.m, "chassis"));
  CU_ASSERT_EQUAL(f.end[1].body, body_named(q.m, "front_left.lower"));
  check_place("upper end", f.end[0].x, -0.5, 0.33, 0.52);
  check_place("lower end", f.end[1].x, -0.5, 0.42, 0.2);
  CHECK_CLOSE("stiffness", f.stiffness, 20000, 0);
  CHECK_CLOSE("damping", f.damping, 1500, 0);
  f = force_named(&q, "rear_right.tyre");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_WHEEL);
  CU_ASSERT_EQUAL(f.end[0].body, body_named(q.m, "rear_right.wheel"));
  check_place("centre", f.end[0].x, -2.5, -0.65, 0.28);
  check_place("axis", f.axis, 0, 1, 0);
  CHECK_CLOSE("radius", f.radius, 0.28, 0);
  CU_ASSERT_STRING_EQUAL(mbd_model_curve_name(q.m, f.road), "road");
  CHECK_CLOSE("before the step", mbd_params_curve(q.p, f.road, 5), 0, 1e-15);
  CHECK_CLOSE("behind the step", mbd_params_curve(q.p, f.road, 6), -0.01, 1e-15);
  close_model(&q);
  open_model(&q, "problems/tyre_rig/tyre_rig.ini");
  f = force_named(&q, "tyre");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_WHEEL);
  CU_ASSERT_EQUAL(f.road, -1);
  CHECK_CLOSE("radius of the Magic Formula", f.radius, 0.4, 0.05);
  close_model(&q);
  open_model(&q, "tests/conformance/models/tree.ini");
  CU_ASSERT_EQUAL(force_named(&q, "stop1").look, MBD_LOOK_STOP);
  f = force_named(&q, "bush");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_BUSHING);
  CU_ASSERT_EQUAL(f.nend, 2);
  close_model(&q);
}

static mbd_force_picture constraint_named(const opened *q, const char *name) {
  mbd_force_picture f = {0};
  int i = 0;
  while (strcmp(mbd_model_constraint_name(q->m, i, NULL, NULL, NULL), name) != 0) { i++; }
  mbd_params_constraint_picture(q->p, i, &f);
  return f;
}

/* A rod between its points; gear and motor at their joints, on the bodies that these carry, with the axis; what closes a joint is none. */
static void test_constraints(void) {
  opened q;
  mbd_place at;
  double axis[3];
  open_model(&q, "tests/conformance/models/axles.ini");
  mbd_force_picture f = constraint_named(&q, "rod_L");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_ROD);
  CU_ASSERT_EQUAL(f.nend, 2);
  CU_ASSERT(f.end[0].body != f.end[1].body);
  f = constraint_named(&q, "travel_L");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_MOTOR);
  CU_ASSERT_EQUAL(f.nend, 1);
  CHECK_CLOSE("unit axis", f.axis[0] * f.axis[0] + f.axis[1] * f.axis[1] + f.axis[2] * f.axis[2], 1, 1e-14);
  close_model(&q);
  open_model(&q, "tests/conformance/models/couplings.ini");
  f = constraint_named(&q, "gear");
  CU_ASSERT_EQUAL(f.look, MBD_LOOK_GEAR);
  CU_ASSERT_EQUAL(f.nend, 1); /* the other is an added coordinate */
  CU_ASSERT_EQUAL(constraint_named(&q, "rack").nend, 2);
  CU_ASSERT_EQUAL(constraint_named(&q, "travel").look, MBD_LOOK_GUIDE);
  close_model(&q);
  open_model(&q, "problems/five_bar/five_bar.ini");
  CU_ASSERT_EQUAL(constraint_named(&q, "JB.coincident").look, MBD_LOOK_NONE);
  mbd_joint_report r;
  mbd_model_joint(q.m, 0, &r);
  mbd_params_joint_place(q.p, 0, &at, axis);
  CU_ASSERT_EQUAL(at.body, body_named(q.m, r.body[1]));
  CHECK_CLOSE("axis of the plane", fabs(axis[2]), 1, 1e-14);
  close_model(&q);
}

static int has_key(const mbd_coef_info *c, const char *key) {
  while (c->key && strcmp(c->key, key) != 0) { c++; }
  return c->key != NULL;
}

/* Every type of force that has a place says how it looks. */
static void test_table(void) {
  for (int i = 0; mbd_force_at(i); i++) {
    const mbd_force_ops *f = mbd_force_at(i);
    const int line = f->narg == 1 && f->arg[0].kind == MBD_ARG_POINT && f->arg[0].a >= 0;
    const int wheel = f->info.refs[0].key && strcmp(f->info.refs[0].key, "centre") == 0;
    CU_ASSERT_EQUAL(f->look == MBD_LOOK_SPRING || f->look == MBD_LOOK_STOP, line);
    CU_ASSERT_EQUAL(f->look == MBD_LOOK_WHEEL, wheel);
    /* These two have the arguments, and the look, of the force itself. */
    const int of_itself = strcmp(f->info.name, "user") == 0 || strcmp(f->info.name, "expression") == 0;
    CU_ASSERT(f->look != MBD_LOOK_NONE || of_itself);
    if (wheel) { CU_ASSERT(f->radius && has_key(f->info.coefs, f->radius)); }
  }
}

TEST_MAIN(TEST(test_points), TEST(test_no_gravity), TEST(test_forces), TEST(test_constraints), TEST(test_table))
