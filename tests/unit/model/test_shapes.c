/* Joints that the geometry tells (joints = all): cardan, cylindrical, prismatic, planar; the same mechanism with its joints by name
 * moves alike; what is not clear is refused. */
#include "model.h"

static const double tol = 1e-10; /* bodies and joints may stand in another order, so that rounding differs */

/* ---- four joints ---- */

/* A sleeve on a line through the ground's point A, an arm at its end, a plate on the ground, a slider on the plate along two lines. */
#define BODIES                                                                                                      \
  "[body sleeve]\nmass = 0.6\ncom = 0.2, 0.9, 0.3\ninertia = 0.02, 0.025, 0.03, 0.001, -0.001, 0.002\n"             \
  "[body arm]\nmass = 0.8\ncom = 0.6, 1.3, 0.5\ninertia = 0.03, 0.02, 0.035, 0.001, 0.002, 0.001\n"                 \
  "[body plate]\nmass = 0.7\ncom = 1.4, -1.1, 0.2\ninertia = 0.02, 0.03, 0.04, 0.001, 0.001, -0.001\n"              \
  "[body slider]\nmass = 0.9\ncom = 1.8, -1, 0.5\ninertia = 0.03, 0.04, 0.02, 0.002, 0.001, 0.001\n"                \
  "[point A]\nat = 0.1, 0, 0.05\nbodies = ground\n[point S]\nat = 0.2, 0.45, 0.2\nbodies = sleeve\n"                \
  "[point C]\nat = 0.4, 1, 0.4\nbodies = sleeve, arm\n[point T]\nat = 0.9, 1.5, 0.3\nbodies = arm\n"                \
  "[point B]\nat = 1, -1, 0.3\nbodies = ground\n[point Q]\nat = 1.3, -1.3, 0.25\nbodies = plate\n"                  \
  "[point Q1]\nat = 1.5, -0.9, 0.35\nbodies = plate\n[point R1]\nat = 1.55, -1.0, 0.55\nbodies = slider\n"          \
  "[point Q2]\nat = 1.7, -1.4, 0.3\nbodies = plate\n[point R2]\nat = 1.6, -1.2, -0.1\nbodies = slider\n"            \
  "[vector u]\nalong = 0.2, 0.9, 0.3\nbodies = ground, sleeve\n[vector a]\nalong = 0.9, -0.2, 0\nbodies = sleeve\n" \
  "[vector b]\nalong = 0.2, 0.9, 0.5\nbodies = arm\n[vector n]\nalong = 0.1, -0.1, 1.2\nbodies = ground, plate\n"   \
  "[vector w]\nalong = 0.05, -0.1, 0.2\nbodies = plate, slider\n"                                                   \
  "[force s1]\ntype = spring\npoints = T, Q\nstiffness = 30\ndamping = 2\nfree_length = 2\n"                        \
  "[force s2]\ntype = spring\npoints = R1, A\nstiffness = 20\ndamping = 1\nfree_length = 1.5\n"
#define HOLD(joint, coordinate, value, rate) \
  "hold." joint "." coordinate " = " value "\nrate." joint "." coordinate " = " rate "\n"
#define START(line, cross, table, rail)                                                                                \
  "[start]\n" HOLD(line, "distance", "0.4", "0.2") HOLD(line, "angle", "0.1", "1.1") HOLD(cross, "angle1", "0.2", "0") \
      HOLD(cross, "angle2", "0.1", "-0.7") HOLD(table, "x", "0.1", "0.3") HOLD(table, "y", "0", "0.2")                 \
          HOLD(table, "angle", "0.1", "0.4") HOLD(rail, "distance", "0.1", "0.5")
#define HEAD(joints) "schema = 1\n[model]\ngravity = 0.3, -0.5, -9.7\njoints = " joints "\n"

static const char found[] = HEAD("all") BODIES "[constraint square]\ntype = perpendicular\nvectors = a, b\n" START(
    "ground-sleeve", "sleeve-arm", "ground-plate", "plate-slider");
static const char named[] = HEAD("named") BODIES
    "[point O]\nat = 0, 0, 0\nbodies = ground, plate\n"
    "[joint line]\ntype = cylindrical\nbodies = ground, sleeve\npoints = A, S\naxis = u\n"
    "[joint cross]\ntype = cardan\nbodies = sleeve, arm\npoint = C\naxis = a\naxis2 = b\n"
    "[joint table]\ntype = planar\nbodies = ground, plate\npoint = O\naxis = n\n"
    "[joint rail]\ntype = prismatic\nbodies = plate, slider\naxis = w\n" START("line", "cross", "table", "rail");

static int joints_of(const mbd_model *m, const char *type) {
  int n = 0;
  for (int i = 0; i < mbd_model_njoint(m); i++) {
    mbd_joint_report r;
    mbd_model_joint(m, i, &r);
    n += strcmp(r.type, type) == 0;
  }
  return n;
}

static void check_joint(const mbd_model *m, const char *name, const char *type) {
  for (int i = 0; i < mbd_model_njoint(m); i++) {
    mbd_joint_report r;
    mbd_model_joint(m, i, &r);
    if (strcmp(r.name, name) != 0) { continue; }
    CU_ASSERT_STRING_EQUAL(r.type, type);
    CU_ASSERT(r.found && !r.cut);
    return;
  }
  printf("\n  no joint '%s'\n", name);
  CU_FAIL("a joint that is not found");
}

typedef struct last {
  int k, n;
  double *y;
} last;

static int keep(void *user, int k, double t, const double *z, const double *zd, const double *zdd, const double *lam,
                const double *y) {
  last *q = user;
  (void)t, (void)z, (void)zd, (void)zdd, (void)lam;
  q->k = k;
  memcpy(q->y, y, (size_t)q->n * sizeof *y);
  return 0;
}

/* Outputs after 50 steps. */
static void outputs_after(const test_model *q, int n, const char *const *name, double *y) {
  mbd_error err = {0};
  const mbd_case c = case_lasting(0.1, 0.002);
  mbd_sim *s;
  last l = {.n = n, .y = y};
  for (int i = 0; i < n; i++) { model_output(q, name[i]); }
  must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_run(s, q->p, 0, NULL, NULL, NULL, NULL, keep, &l, &err), &err);
  CU_ASSERT_EQUAL(l.k, 50);
  mbd_sim_destroy(s);
}

enum { MAX = 8 };

static void same_motion(const test_model *a, const test_model *b, int n, const char *const *name) {
  double ya[MAX], yb[MAX];
  outputs_after(a, n, name, ya), outputs_after(b, n, name, yb);
  for (int i = 0; i < n; i++) { CHECK_NEAR(name[i], ya[i], yb[i], fmax(1, fabs(yb[i])), tol); }
}

static void test_found(void) {
  static const char *const watched[] = {"T.position.x",  "T.acceleration.norm", "Q.velocity.y",
                                        "R2.position.z", "slider.rate.norm",    "energy.total"};
  test_model a = model_open_text(found), b = model_open_text(named);
  check_joint(a.m, "ground-sleeve", "cylindrical");
  check_joint(a.m, "sleeve-arm", "cardan");
  check_joint(a.m, "ground-plate", "planar");
  check_joint(a.m, "plate-slider", "prismatic");
  CU_ASSERT_EQUAL(mbd_model_njoint(a.m), 4);
  CU_ASSERT_EQUAL(mbd_model_nconstraint(a.m), 0); /* the cardan has taken the place of the only one */
  same_motion(&a, &b, sizeof watched / sizeof watched[0], watched);
  model_close(&a), model_close(&b);
}

/* ---- the buggy, whose two cardan joints have names: generated wholly from points, vectors and constraints ---- */

static char *read_text(const char *name) {
  static char text[20000];
  char path[512];
  snprintf(path, sizeof path, "%s/problems/buggy/%s", MBOPT_SOURCE_DIR, name);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  return text;
}

static void remove_section(char *text, const char *head) {
  char *from = strstr(text, head);
  CU_ASSERT_PTR_NOT_NULL_FATAL(from);
  char *to = strstr(from + 1, "\n[");
  CU_ASSERT_PTR_NOT_NULL_FATAL(to);
  memmove(from, to + 1, strlen(to + 1) + 1);
}

static void write_into(const char *folder, const char *name, const char *text, char *path, size_t size) {
  snprintf(path, size, "%s/%s", folder, name);
  test_put(path, text);
}

/* Its two cardan joints without their names: a shared point and a perpendicular constraint in each front corner. */
static test_model open_buggy_of_points(void) {
  char folder[] = "/tmp/mbopt_buggy_XXXXXX", path[3][100], edited[20000];
  CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
  edit(edited, sizeof edited, read_text("buggy.ini"), "joints = found", "joints = all");
  write_into(folder, "buggy.ini", edited, path[0], sizeof path[0]);
  write_into(folder, "rear_corner.ini", read_text("rear_corner.ini"), path[1], sizeof path[1]);
  char *corner = read_text("front_corner.ini");
  remove_section(corner, "[joint tie]");
  edit(edited, sizeof edited, corner, "",
       "\n[constraint cross]\ntype = perpendicular\nvectors = forward@rack, steep\n");
  write_into(folder, "front_corner.ini", edited, path[2], sizeof path[2]);
  const test_model q = model_read(path[0], 0, NULL, NULL);
  for (int i = 0; i < 3; i++) { unlink(path[i]); }
  rmdir(folder);
  return q;
}

static void test_buggy(void) {
  static const char *const watched[] = {"P1.position.z", "P1.acceleration.norm", "chassis.rate.y", "energy.kinetic"};
  static const char *const types[] = {"revolute", "spherical",   "prismatic", "cardan",
                                      "floating", "cylindrical", "planar"};
  test_model a = open_buggy_of_points(), b = model_open("problems/buggy/buggy.ini");
  CU_ASSERT_EQUAL(joints_of(a.m, "cardan"), 2);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    CU_ASSERT_EQUAL(joints_of(a.m, types[i]), joints_of(b.m, types[i]));
  }
  for (int i = 0; i < mbd_model_njoint(a.m); i++) {
    mbd_joint_report r;
    mbd_model_joint(a.m, i, &r);
    CU_ASSERT(r.found);
  }
  CU_ASSERT_EQUAL(mbd_model_nz(a.m), mbd_model_nz(b.m));
  CU_ASSERT_EQUAL(mbd_model_nphi(a.m), mbd_model_nphi(b.m));
  same_motion(&a, &b, sizeof watched / sizeof watched[0], watched);
  model_close(&a), model_close(&b);
}

/* ---- what is not clear, and what stays as it was ---- */

static void check_unclear(const char *from, const char *to, const char *message) {
  char text[8000];
  mbd_error err = {0};
  edit(text, sizeof text, found, from, to);
  *strstr(text, "[start]") = '\0';
  CU_ASSERT_EQUAL(model_compile(text, "", &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, message);
}

static void test_refused(void) {
  check_unclear(
      "at = 1.3, -1.3, 0.25\nbodies = plate", "at = 1.3, -1.3, 0.9\nbodies = plate",
      "bodies 'ground' and 'plate' share vector 'n', and no point of one lies on a line along it, or in a plane");
  check_unclear(
      "[point Q1]", "[point P9]\nat = 1.1, -1.1, 1.5\nbodies = plate\n[point Q1]",
      "bodies 'ground' and 'plate' share vector 'n': points 'B' and 'P9' lie on a line along it, as of a cylindrical "
      "joint, 'B' and 'Q' in a plane across it, as of a planar one; expected a joint by name");
}

/* Vectors that are not perpendicular leave the spherical joint and the constraint; so does a second constraint, and joints = found. */
static void check_spherical(const char *from, const char *to) {
  char text[8000];
  edit(text, sizeof text, found, from, to);
  *strstr(text, "[start]") = '\0';
  test_model q = model_open_text(text);
  check_joint(q.m, "sleeve-arm", "spherical");
  model_close(&q);
}

static void test_not_taken(void) {
  check_spherical("along = 0.9, -0.2, 0\n", "along = 0.9, -0.1, 0\n");
  check_spherical("[constraint square]",
                  "[constraint more]\ntype = perpendicular\nvectors = u@sleeve, b\n[constraint square]");
  check_spherical("joints = all", "joints = found");
}

TEST_MAIN(TEST(test_found), TEST(test_buggy), TEST(test_refused), TEST(test_not_taken))
