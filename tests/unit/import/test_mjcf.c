/* Robots from MJCF: every form of orientations, masses and defaults by hand; trees of any shape against the equations of motion by their
 * definition; a loop like that of a model file; motors, tendons and keyframes by hand; messages with lines. */
#include "import/mjcf.h"

#include "base/v3.h"
#include "four_bar.h"
#include "import/robot_fill.h"
#include "mbd/inverse.h"
#include "mbo/model_file.h"
#include "mbo/run.h"
#include "robot_text.h"

enum { PATH = 300 };
static char folder[] = "/tmp/mbopt_mjcf_XXXXXX";
static const robot_format reader = {mjcf_read, folder};

static void import(const char *text, robot *r) {
  mbd_error err = {0};
  must(read_robot(&reader, text, r, &err), &err);
}

static int find_link(const robot *r, const char *name) {
  for (int i = 0; i < r->nlink; i++) {
    if (strcmp(r->link[i].name, name) == 0) { return i; }
  }
  printf("\n  no link %s\n", name);
  CU_ASSERT_FATAL(0);
  return -1;
}

static const robot_joint *joint_of(const robot *r, const char *name) {
  for (int i = 0; i < r->njoint; i++) {
    if (strcmp(r->joint[i].name, name) == 0) { return &r->joint[i]; }
  }
  printf("\n  no joint %s\n", name);
  CU_ASSERT_FATAL(0);
  return NULL;
}

/* ---- orientations ---- */

typedef struct oriented {
  const char *compiler, *attributes;
  double R[9];
} oriented;

/* Right angles, whose matrices have the images of the axes as columns. */
static void test_orientations(void) {
  static const oriented cases[] = {
      {"", "", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {"", "quat='3 0 0 3'", {0, -1, 0, 1, 0, 0, 0, 0, 1}},       /* 90 degrees about z, of any length */
      {"", "axisangle='0 0 2 90'", {0, -1, 0, 1, 0, 0, 0, 0, 1}}, /* the same */
      {"angle='radian'", "axisangle='0 0 1 1.5707963267948966'", {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {"", "euler='90 0 90'", {0, -1, 0, 0, 0, -1, 1, 0, 0}},               /* Rx Rz: x to y to z, y to -x */
      {"eulerseq='XYZ'", "euler='90 0 90'", {0, 0, 1, 1, 0, 0, 0, 1, 0}},   /* Rz Rx: x to y, y to z, z to -y to x */
      {"eulerseq='zYx'", "euler='90 90 0'", {0, 0, 1, 1, 0, 0, 0, 1, 0}},   /* Ry Rz: x to y, y to -x to z, z to x */
      {"eulerseq='zyx'", "euler='90 90 0'", {0, -1, 0, 0, 0, 1, -1, 0, 0}}, /* Rz Ry: x to -z, y to -x, z to x to y */
      {"", "xyaxes='0 2 0 -1 5 0'", {0, -1, 0, 1, 0, 0, 0, 0, 1}},          /* y is made perpendicular to x */
      {"", "zaxis='3 0 0'", {0, 0, 1, 0, 1, 0, -1, 0, 0}},                  /* 90 degrees about y */
      {"", "zaxis='0 0 -1'", {1, 0, 0, 0, -1, 0, 0, 0, -1}},                /* half a turn about x */
  };
  if (!reads_robots(&reader)) { return; }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[400];
    robot r;
    snprintf(
        text, sizeof text,
        "<mujoco><compiler %s/><worldbody><body name='a' pos='1 2 3' %s><joint name='j'/></body></worldbody></mujoco>",
        cases[i].compiler, cases[i].attributes);
    import(text, &r);
    const robot_pose *frame = &joint_of(&r, "j")->frame[0];
    for (int k = 0; k < 9; k++) { CHECK_CLOSE(cases[i].attributes, frame->R[k], cases[i].R[k], 1e-15); }
    for (int k = 0; k < 3; k++) { CU_ASSERT_EQUAL(frame->xyz[k], k + 1); }
    robot_free(&r);
  }
}

/* ---- masses ---- */

typedef struct weighed {
  const char *compiler, *content;
  double mass, com[3], inertia[6]; /* xx, yy, zz, xy, xz, yz */
} weighed;

#define PI 3.14159265358979323846

/* Of a mesh, the tetrahedron with corners at the origin and at 3, 6, 9 along the axes: V = 27, its centre a quarter of these, and about the
 * origin the integral of x^2 is V a^2/10, that of x y is V a b/20, so about the centre V a^2 3/80 and -V a b/80. */
static void test_masses(void) {
  static const weighed cases[] = {
      {"", "<geom size='0.5'/>", 1000 * PI / 6, {0}, {100 * PI / 6, 100 * PI / 6, 100 * PI / 6}},
      {"", "<geom type='sphere' size='0.5' mass='5' pos='1 0 0'/>", 5, {1, 0, 0}, {0.5, 0.5, 0.5}},
      {"", "<geom type='box' size='1 2 3' density='0.5'/>", 24, {0}, {104, 80, 40}},
      {"", "<geom type='box' size='1 2 3' mass='24' euler='0 0 90'/>", 24, {0}, {80, 104, 40}},
      {"", "<geom type='ellipsoid' size='1 2 3' mass='5'/>", 5, {0}, {13, 10, 5}},
      {"", "<geom type='cylinder' size='2 3' mass='12'/>", 12, {0}, {48, 48, 24}},
      {"", "<geom type='cylinder' size='2' fromto='0 0 1 6 0 1' mass='12'/>", 12, {3, 0, 1}, {24, 48, 48}},
      {"", "<geom type='cylinder' size='2' fromto='0 0 -1 0 0 -7' mass='12'/>", 12, {0, 0, -4}, {48, 48, 24}},
      /* a cylinder of 6 pi with r = 1, h = 3, balls of 4/3 pi: 6 (1/4 + 3) + 4/3 (2/5 + 9 + 9/4), 6/2 + 4/3 2/5 */
      {"",
       "<geom type='capsule' size='1 3' density='1'/>",
       22 * PI / 3,
       {0},
       {PI * (19.5 + 15.533333333333333), PI * (19.5 + 15.533333333333333), PI * (3 + 0.5333333333333333)}},
      /* two balls at +-1: their distance adds 2 m */
      {"",
       "<geom size='0.5' mass='5' pos='0 1 0'/><frame pos='0 -1 0'><geom size='0.5' mass='5'/></frame>",
       10,
       {0},
       {11, 1, 11}},
      /* what has no volume, no density, or another group has no mass */
      {"inertiagrouprange='1 2'",
       "<geom size='1'/><geom size='1' group='1' density='0'/><geom type='plane' size='1 1 1' group='1'/>"
       "<geom size='0.5' mass='5' group='2'/>",
       5,
       {0},
       {0.5, 0.5, 0.5}},
      /* <inertial> comes before geoms, and after them with inertiafromgeom */
      {"",
       "<geom size='1'/><inertial mass='2' pos='1 2 3' euler='0 0 90' diaginertia='1 2 3'/>",
       2,
       {1, 2, 3},
       {2, 1, 3}},
      {"", "<inertial mass='2' pos='0 0 1' fullinertia='3 4 5 0.1 0.2 0.3'/>", 2, {0, 0, 1}, {3, 4, 5, 0.1, 0.2, 0.3}},
      {"inertiafromgeom='true'",
       "<geom size='0.5' mass='5'/><inertial mass='2' pos='1 2 3' diaginertia='1 2 3'/>",
       5,
       {0},
       {0.5, 0.5, 0.5}},
      {"settotalmass='3'", "<geom size='0.5' mass='5'/>", 3, {0}, {0.3, 0.3, 0.3}},
      {"boundmass='1' boundinertia='0.02'",
       "<inertial mass='0.1' pos='0 0 0' diaginertia='0.01 0.02 0.03'/>",
       1,
       {0},
       {0.02, 0.02, 0.03}},
      {"balanceinertia='true'", "<inertial mass='1' pos='0 0 0' diaginertia='1 2 6'/>", 1, {0}, {3, 3, 3}},
      {"meshdir='meshes'",
       "<geom type='mesh' mesh='corner' density='2' pos='1 0 0'/>",
       54,
       {1.75, 1.5, 2.25},
       {54 * 3 * 117 / 80., 54 * 3 * 90 / 80., 54 * 3 * 45 / 80., 54 * 18 / 80., 54 * 27 / 80., 54 * 54 / 80.}},
  };
  char path[PATH];
  if (!reads_robots(&reader)) { return; }
  snprintf(path, sizeof path, "mkdir -p %s/meshes", folder);
  CU_ASSERT_EQUAL_FATAL(system(path), 0);
  snprintf(path, sizeof path, "%s/meshes/corner.obj", folder);
  test_put(path, "v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    static const int place[6] = {0, 4, 8, 1, 2, 5};
    const weighed *c = &cases[i];
    char text[1000];
    robot r;
    snprintf(text, sizeof text,
             "<mujoco><compiler %s/><asset><mesh file='corner.obj' scale='1 3 1'/></asset>"
             "<worldbody><body name='a'>%s</body></worldbody></mujoco>",
             c->compiler, c->content);
    import(text, &r);
    const robot_link *link = &r.link[find_link(&r, "a")];
    CHECK_NEAR(c->content, link->mass, c->mass, c->mass, 2e-15);
    for (int k = 0; k < 3; k++) { CHECK_CLOSE(c->content, link->com[k], c->com[k], 2e-15); }
    for (int k = 0; k < 6; k++) {
      CHECK_NEAR(c->content, link->inertia[place[k]], c->inertia[k], c->inertia[0], 2e-15);
    }
    robot_free(&r);
  }
}

/* ---- classes ---- */

/* Attributes come from the element, its class, the childclass around it, the classes around these, and `main`. */
static void test_classes(void) {
  static const char text[] =
      "<mujoco model='classes'>\n<compiler angle='radian'/>\n<compiler autolimits='false'/>\n"
      "<default>\n<joint damping='1' armature='0.1' range='-1 1'/>\n<position kp='7' gear='2'/>\n"
      "<default class='arm'>\n<joint damping='2' axis='0 1 0'/>\n"
      "<default class='wrist'><joint stiffness='4' springref='0.5' limited='true'/><general forcerange='-3 2' "
      "forcelimited='true'/></default>\n</default>\n<default class='slide'><joint type='slide' "
      "damping='9'/></default>\n"
      "</default>\n<default><joint frictionloss='0.3'/></default>\n"
      "<worldbody>\n<body name='a'><joint name='main'/>\n<body name='b' childclass='arm'><joint name='arm' "
      "ref='0.2'/>\n"
      "<body name='c'><joint name='wrist' class='wrist' armature='0'/>\n"
      "<frame childclass='slide'><body name='d'><joint name='slide' "
      "limited='true'/></body></frame></body></body></body>\n"
      "</worldbody>\n<actuator><position name='p' joint='main'/><position name='w' joint='wrist' class='wrist'/>\n"
      "<motor name='m' joint='arm' gear='5' ctrlrange='-1 1' ctrllimited='true'/></actuator>\n</mujoco>\n";
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(text, &r);
  const robot_joint *main = joint_of(&r, "main"), *arm = joint_of(&r, "arm"), *wrist = joint_of(&r, "wrist"),
                    *slide = joint_of(&r, "slide");
  CU_ASSERT_STRING_EQUAL(r.title, "classes");
  CU_ASSERT(main->damping == 1 && main->rotor == 0.1 && main->friction == 0.3 && main->type == ROBOT_REVOLUTE);
  CU_ASSERT(!isfinite(main->lower)); /* autolimits is off, and nothing says that it is limited */
  CU_ASSERT(arm->damping == 2 && arm->axis[1] == 1 && arm->rotor == 0.1 && arm->start == 0.2);
  CU_ASSERT(wrist->damping == 2 && wrist->axis[1] == 1 && wrist->rotor == 0 && wrist->stiffness == 4 &&
            wrist->rest == 0.5 && wrist->lower == -1 && wrist->upper == 1);
  CU_ASSERT(slide->type == ROBOT_PRISMATIC && slide->damping == 9 && slide->axis[2] == 1 && slide->upper == 1);
  /* f = kp (control - 2 q), along q 2 f; the wrist's force is limited to 2 times 3; the motor's torque to 5 */
  CU_ASSERT_EQUAL_FATAL(r.nlaw, 3);
  CU_ASSERT(r.law[0].gain == 14 && r.law[0].slope == -28 && r.law[0].rate == 0);
  CU_ASSERT(r.law[2].gain == 5 && r.law[2].slope == 0 && r.law[2].lower == -1);
  CU_ASSERT(main->effort == 0 && wrist->effort == 6 && arm->effort == 5);
  CU_ASSERT_EQUAL(r.nwarning, 0);
  robot_free(&r);
}

/* ---- trees of any shape, by the definition of the format and of the equations of motion ---- */

/* Joints in a row, each on a link of its own or on that of the joint before: hinges, slides, balls. Frames of the world are carried along with
 * their velocities and accelerations, and the partial velocities of all speeds; the generalized forces are those of d'Alembert's principle,
 *   Q_j = sum over links of  m (a - g) . dv/du_j + (J alpha + w x J w) . dw/du_j,
 * v and a of the centre of mass (Kane, Levinson: Dynamics, 1985, ch. 6). */
enum { LINKS = 8, JOINTS = 2 * LINKS, SPEEDS = 3 * JOINTS };

typedef struct tree_joint {
  char type; /* h, s, b */
  double axis[3], pos[3], ref;
} tree_joint;

typedef struct tree_link {
  int parent, n;                                            /* the link before, -1: the world; joints */
  double pos[3], quat[4], mass, com[3], moment[3], turn[4]; /* turn: of the inertial frame */
  tree_joint joint[2];
} tree_link;

typedef struct moving {
  double R[9], o[3], w[3], v[3], alpha[3], a[3]; /* of the frame and of its origin */
  double w_u[SPEEDS][3], v_u[SPEEDS][3];         /* partial velocities */
} moving;

static double any(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (double)(*seed >> 16) / 32768 - 1;
}

static void any_direction(double *v, int n, unsigned *seed) {
  double square = 0;
  for (int i = 0; i < n; i++) {
    v[i] = any(seed);
    square += v[i] * v[i];
  }
  for (int i = 0; i < n; i++) { v[i] /= sqrt(square); }
}

static void any_tree(tree_link *tree, unsigned *seed) {
  for (int i = 0; i < LINKS; i++) {
    tree_link *link = &tree[i];
    *link = (tree_link){.parent = i ? (int)((any(seed) + 1) / 2 * i) : -1, .n = (int)((any(seed) + 1) / 2 * 3)};
    if (i == LINKS - 1) { link->n = 2; }
    for (int k = 0; k < 3; k++) {
      link->pos[k] = any(seed), link->com[k] = any(seed), link->moment[k] = 2.5 + any(seed);
    }
    link->mass = 2 + any(seed);
    any_direction(link->quat, 4, seed), any_direction(link->turn, 4, seed);
    for (int k = 0; k < link->n; k++) {
      tree_joint *j = &link->joint[k];
      j->type = k ? "hs"[(int)(any(seed) + 1)] : "hsb"[(int)((any(seed) + 1) / 2 * 3)];
      any_direction(j->axis, 3, seed);
      for (int c = 0; c < 3; c++) { j->pos[c] = any(seed); }
      j->ref = j->type == 'b' ? 0 : any(seed);
    }
  }
}

static void write_tree_link(FILE *out, const tree_link *tree, int i) {
  const tree_link *l = &tree[i];
  fprintf(out, "<body name='l%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", i, l->pos[0], l->pos[1],
          l->pos[2], l->quat[0], l->quat[1], l->quat[2], l->quat[3]);
  fprintf(out,
          "<inertial mass='%.17g' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g' diaginertia='%.17g %.17g "
          "%.17g'/>\n",
          l->mass, l->com[0], l->com[1], l->com[2], l->turn[0], l->turn[1], l->turn[2], l->turn[3], l->moment[0],
          l->moment[1], l->moment[2]);
  for (int k = 0; k < l->n; k++) {
    const tree_joint *j = &l->joint[k];
    fprintf(out, "<joint name='j%d_%d' type='%s' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g' ref='%.17g'/>\n", i,
            k,
            j->type == 'h'   ? "hinge"
            : j->type == 's' ? "slide"
                             : "ball",
            j->pos[0], j->pos[1], j->pos[2], j->axis[0], j->axis[1], j->axis[2], j->ref);
  }
  for (int k = i + 1; k < LINKS; k++) {
    if (tree[k].parent == i) { write_tree_link(out, tree, k); }
  }
  fprintf(out, "</body>\n");
}

static void write_tree(const char *path, const tree_link *tree) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "<mujoco><compiler angle='radian'/><option gravity='1 2 -3'/><worldbody>\n");
  for (int i = 0; i < LINKS; i++) {
    if (tree[i].parent < 0) { write_tree_link(out, tree, i); }
  }
  fprintf(out, "</worldbody></mujoco>\n");
  CU_ASSERT_EQUAL_FATAL(fclose(out), 0);
}

static void product(double c[4], const double a[4], const double b[4]) {
  c[0] = a[0] * b[0] - v3_dot(a + 1, b + 1);
  v3_cross(c + 1, a + 1, b + 1);
  v3_axpy(c + 1, a[0], b + 1), v3_axpy(c + 1, b[0], a + 1);
}

/* The matrix of a unit quaternion: the images of the axes, q e q*. */
static void matrix(const double q[4], double R[9]) {
  const double back[4] = {q[0], -q[1], -q[2], -q[3]};
  for (int k = 0; k < 3; k++) {
    double axis[4] = {0}, half[4], image[4];
    axis[1 + k] = 1;
    product(half, q, axis), product(image, half, back);
    for (int i = 0; i < 3; i++) { R[3 * i + k] = image[1 + i]; }
  }
}

static void turn_by(moving *f, const double q[4]) {
  double R[9], turned[9];
  matrix(q, R);
  m3_mul(turned, f->R, R);
  memcpy(f->R, turned, sizeof turned);
}

/* Moves the origin to another point of the frame, d away: v += w x d, a += alpha x d + w x (w x d). */
static void move_origin(moving *f, const double d[3]) {
  double wd[3];
  v3_cross(wd, f->w, d);
  v3_add(f->o, f->o, d), v3_add(f->v, f->v, wd);
  v3_cross_add(f->a, f->alpha, d), v3_cross_add(f->a, f->w, wd);
  for (int j = 0; j < SPEEDS; j++) { v3_cross_add(f->v_u[j], f->w_u[j], d); }
}

/* Turns the frame about its origin at the angular velocity u relative to what it was, of the rate ud, by the speeds from j on along the axes. */
static void spin(moving *f, const double q[4], const double *axes, int n, int j, const double *speed,
                 const double *rate) {
  double u[3] = {0}, ud[3] = {0};
  for (int k = 0; k < n; k++) {
    v3_axpy(u, speed[k], axes + 3 * k), v3_axpy(ud, rate[k], axes + 3 * k);
    v3_add(f->w_u[j + k], f->w_u[j + k], axes + 3 * k);
  }
  v3_add(f->alpha, f->alpha, ud), v3_cross_add(f->alpha, f->w, u);
  v3_add(f->w, f->w, u);
  turn_by(f, q);
}

/* State of the tree: of each joint up to four positions, up to three speeds and their rates, six in a row for each link. */
typedef struct tree_state {
  double q[JOINTS][4], u[JOINTS][3], ud[JOINTS][3];
} tree_state;

static void move_joint(moving *f, const tree_joint *j, int number, const tree_state *s) {
  double axis[3], at[3];
  const double *q = s->q[number], angle = q[0] - j->ref;
  m3_vec(axis, f->R, j->axis), m3_vec(at, f->R, j->pos);
  if (j->type == 's') {
    double d[3], wu[3];
    v3_scale(d, angle, axis);
    move_origin(f, d);
    v3_cross(wu, f->w, axis);
    v3_axpy(f->v, s->u[number][0], axis);
    v3_axpy(f->a, s->ud[number][0], axis), v3_axpy(f->a, 2 * s->u[number][0], wu);
    v3_add(f->v_u[3 * number], f->v_u[3 * number], axis);
    return;
  }
  move_origin(f, at);
  if (j->type == 'h') {
    const double c = cos(angle / 2), sine = sin(angle / 2);
    const double turn[4] = {c, sine * j->axis[0], sine * j->axis[1], sine * j->axis[2]};
    spin(f, turn, axis, 1, 3 * number, s->u[number], s->ud[number]);
  } else { /* speeds are along the axes of the turned frame */
    double axes[9], R[9], turned[9];
    matrix(q, R);
    m3_mul(turned, f->R, R);
    for (int i = 0; i < 9; i++) { axes[i] = turned[3 * (i % 3) + i / 3]; }
    spin(f, q, axes, 3, 3 * number, s->u[number], s->ud[number]);
  }
  m3_vec(at, f->R, j->pos);
  v3_scale(at, -1, at);
  move_origin(f, at);
}

/* Generalized forces of the tree. */
static void dalembert(const tree_link *tree, const tree_state *s, double *Q) {
  static const double g[3] = {1, 2, -3};
  static moving frame[LINKS];
  memset(Q, 0, SPEEDS * sizeof *Q);
  for (int i = 0; i < LINKS; i++) {
    const tree_link *l = &tree[i];
    moving *f = &frame[i], body;
    double d[3], J[9], half[9], momentum[3], inertial[9], torque[3], force[3];
    if (l->parent < 0) {
      memset(f, 0, sizeof *f);
      m3_identity(f->R);
    } else {
      *f = frame[l->parent];
    }
    m3_vec(d, f->R, l->pos);
    move_origin(f, d);
    turn_by(f, l->quat);
    for (int k = 0; k < l->n; k++) { move_joint(f, &l->joint[k], 2 * i + k, s); }
    /* the force of inertia and gravity at the centre of mass, and the torque of inertia */
    body = *f;
    m3_vec(d, f->R, l->com);
    move_origin(&body, d);
    turn_by(&body, l->turn);
    memset(inertial, 0, sizeof inertial);
    for (int k = 0; k < 3; k++) { inertial[4 * k] = l->moment[k]; }
    m3_mul(half, body.R, inertial), m3_mulT(J, half, body.R);
    m3_vec(torque, J, body.alpha), m3_vec(momentum, J, body.w);
    v3_cross_add(torque, body.w, momentum);
    v3_sub(force, body.a, g);
    v3_scale(force, l->mass, force);
    for (int j = 0; j < SPEEDS; j++) { Q[j] += v3_dot(force, body.v_u[j]) + v3_dot(torque, body.w_u[j]); }
  }
}

/* ---- the same by the imported model ---- */

typedef struct imported_tree {
  robot r;
  mbo_model_file *file;
  mbd_model *m;
  mbd_params *p;
  mbd_inverse *inverse;
} imported_tree;

static void open_tree(const char *path, imported_tree *t) {
  char model[PATH];
  mbd_error err = {0};
  snprintf(model, sizeof model, "%s/tree_model.ini", folder);
  must(mjcf_read(path, &t->r, &err), &err);
  robot_put(model, &t->r, ROBOT_BASE_FIXED, 1);
  must(mbo_model_file_read(model, 0, NULL, NULL, &t->file, &err), &err);
  must(mbd_model_create(mbo_model_file_spec(t->file), &t->m, &err), &err);
  must(mbd_params_create(t->m, NULL, &t->p, &err), &err);
  must(mbd_inverse_create(t->m, MBD_RTDYN0, 0, &t->inverse, &err), &err);
}

static void close_tree(imported_tree *t) {
  mbd_inverse_destroy(t->inverse), mbd_params_destroy(t->p), mbd_model_destroy(t->m);
  mbo_model_file_destroy(t->file);
  robot_free(&t->r);
}

/* The first coordinate of a joint, and the turn from the frame of its second link to that of the body. */
static int place_of(const imported_tree *t, int link, int k, const double **turn) {
  char name[20];
  snprintf(name, sizeof name, "j%d_%d", link, k);
  const robot_link *body = &t->r.link[joint_of(&t->r, name)->link[1]];
  *turn = body->turn;
  for (int i = 1; i <= mbd_model_nbody(t->m); i++) {
    mbd_body_report report;
    mbd_model_body(t->m, i, &report);
    if (strcmp(report.name, body->body) == 0) { return report.z0; }
  }
  CU_ASSERT_FATAL(0);
  return -1;
}

/* Puts one joint's state into coordinates; of a ball e' = e w/2, e'' = (e' w + e w')/2. */
static void put_joint(const tree_joint *j, const double *turn, const double *q, const double *u, const double *ud,
                      double *z, double *zd, double *zdd) {
  double w[4] = {0}, wd[4] = {0}, one[4], two[4];
  if (j->type != 'b') {
    z[0] = q[0], zd[0] = u[0], zdd[0] = ud[0];
    return;
  }
  z[0] = q[0];
  m3_vec(z + 1, turn, q + 1), m3_vec(w + 1, turn, u), m3_vec(wd + 1, turn, ud);
  product(zd, z, w);
  for (int i = 0; i < 4; i++) { zd[i] /= 2; }
  product(one, zd, w), product(two, z, wd);
  for (int i = 0; i < 4; i++) { zdd[i] = (one[i] + two[i]) / 2; }
}

/* Our generalized forces along the speeds of the tree. */
static void ours(const imported_tree *t, const tree_link *tree, const tree_state *s, double *out) {
  enum { SIZE = 4 * JOINTS };
  static const double zero[3] = {0, 0, 0};
  double z[SIZE] = {0}, zd[SIZE] = {0}, zdd[SIZE] = {0}, Q[SIZE];
  mbd_error err = {0};
  const double *turn;
  memset(out, 0, SPEEDS * sizeof *out);
  for (int i = 0; i < LINKS; i++) {
    for (int k = 0; k < tree[i].n; k++) {
      const int n = 2 * i + k, at = place_of(t, i, k, &turn);
      put_joint(&tree[i].joint[k], turn, s->q[n], s->u[n], s->ud[n], z + at, zd + at, zdd + at);
    }
  }
  must(mbd_inverse_dynamics(t->inverse, t->p, 0, z, zd, zdd, 0, NULL, Q, &err), &err);
  for (int i = 0; i < LINKS; i++) {
    for (int k = 0; k < tree[i].n; k++) {
      const tree_joint *j = &tree[i].joint[k];
      const int n = 2 * i + k, at = place_of(t, i, k, &turn);
      for (int c = 0; c < (j->type == 'b' ? 3 : 1); c++) {
        double unit[3] = {0}, place[4], along[4], none[4];
        unit[c] = 1;
        put_joint(j, turn, s->q[n], unit, zero, place, along, none);
        for (int x = 0; x < (j->type == 'b' ? 4 : 1); x++) { out[3 * n + c] += Q[at + x] * along[x]; }
      }
    }
  }
}

static void compare_forces(const char *what, const imported_tree *t, const tree_link *tree, const tree_state *s) {
  double own[SPEEDS], expected[SPEEDS], size = 0;
  ours(t, tree, s, own);
  dalembert(tree, s, expected);
  for (int j = 0; j < SPEEDS; j++) { size = fmax(size, fabs(expected[j])); }
  CU_ASSERT(size > 1);
  for (int j = 0; j < SPEEDS; j++) {
    const tree_link *link = &tree[j / 6];
    if (j / 3 % 2 >= link->n) { continue; } /* no such joint */
    CHECK_NEAR(what, own[j], expected[j], size, 1e-13);
  }
}

/* Gravity, inverse dynamics, and the mass matrix, by accelerations of one speed after the other. */
static void test_trees(void) {
  char path[PATH];
  unsigned seed = 7;
  if (!reads_robots(&reader)) { return; }
  snprintf(path, sizeof path, "%s/tree.xml", folder);
  for (int n = 0; n < 5; n++) {
    tree_link tree[LINKS];
    tree_state s = {0};
    imported_tree t;
    any_tree(tree, &seed);
    write_tree(path, tree);
    open_tree(path, &t);
    for (int j = 0; j < JOINTS; j++) {
      const tree_link *link = &tree[j / 2];
      if (j % 2 < link->n && link->joint[j % 2].type == 'b') {
        any_direction(s.q[j], 4, &seed);
      } else {
        s.q[j][0] = any(&seed);
      }
    }
    compare_forces("gravity", &t, tree, &s);
    for (int j = 0; j < SPEEDS; j += 5) {
      s.ud[j / 3][j % 3] = 10;
      compare_forces("mass", &t, tree, &s);
      s.ud[j / 3][j % 3] = 0;
    }
    for (int j = 0; j < SPEEDS; j++) { s.u[j / 3][j % 3] = any(&seed), s.ud[j / 3][j % 3] = any(&seed); }
    compare_forces("inverse dynamics", &t, tree, &s);
    close_tree(&t);
  }
}

/* ---- runs ---- */

static void put(const char *name, const robot *r, int is_model) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  robot_put(path, r, ROBOT_BASE_FIXED, is_model);
}

/* The files model.ini and run.ini of a robot. */
static void write_files(const char *text, robot *r) {
  import(text, r);
  put("model.ini", r, 1), put("run.ini", r, 0);
}

static mbo_series *motion_of(const char *run, int n, const char *const *set, int load_case) {
  char path[PATH];
  mbo_run *r = NULL;
  mbo_series *s = NULL;
  mbd_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, run);
  must(mbo_run_open(path, n, set, &r, &err), &err);
  mbo_run_threads(r, 1);
  must(mbo_run_simulate(r, NULL, load_case, &s, &err), &err);
  mbo_run_close(r);
  return s;
}

static void write_named(const char *name, const char *text) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  test_put(path, text);
}

/* ---- a loop ---- */

/* A four-bar with its pivots at (0, 0, 0), (0, 0, 1), (2, 0, 1.5), (2, 0, 0). The third one is a <connect> there, a revolute joint here. */
static const char four_bar[] =
    "<mujoco><worldbody>\n"
    "<body name='crank'><joint name='a' axis='0 1 0'/><inertial mass='1' pos='0 0 0.5' diaginertia='0.1 0.2 0.1'/>\n"
    "<body name='coupler' pos='0 0 1'><joint name='b' axis='0 1 0'/>\n"
    "<inertial mass='2' pos='1 0 0.25' diaginertia='0.1 0.3 0.1'/></body></body>\n"
    "<body name='rocker' pos='2 0 0'><joint name='c' axis='0 1 0'/>\n"
    "<inertial mass='1.5' pos='0.4 0 0.75' diaginertia='0.1 0.25 0.1'/></body></worldbody>\n"
    "<equality><connect name='end' body1='rocker' body2='coupler' anchor='0 0 1.5'/></equality></mujoco>\n";

static void test_four_bar(void) {
  static const char fall[] = "schema = 1\n[model]\nfile = %s\n[case fall]\nduration = 1\nstep = 2e-3\n";
  static const char *const columns[] = {"a.angle", "b.angle", "c.angle", "a.angle.acceleration"};
  char text[200];
  robot r;
  if (!reads_robots(&reader)) { return; }
  write_files(four_bar, &r);
  CU_ASSERT(r.nlink == 4 && r.njoint == 4 && r.joint[3].closes && r.joint[3].type == ROBOT_SPHERICAL);
  robot_free(&r);
  write_named("own.ini", own_four_bar);
  snprintf(text, sizeof text, fall, "model.ini");
  write_named("imported_falls.ini", text);
  snprintf(text, sizeof text, fall, "own.ini");
  write_named("own_falls.ini", text);
  mbo_series *imported = motion_of("imported_falls.ini", 0, NULL, 0), *own = motion_of("own_falls.ini", 0, NULL, 0);
  for (int row = 0; row < mbo_series_rows(own); row += 10) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      CHECK_CLOSE(columns[i], series_at(imported, row, columns[i]), series_at(own, row, columns[i]), 1e-11);
    }
  }
  CU_ASSERT(fabs(series_at(own, mbo_series_rows(own) - 1, "a.angle")) > 0.1);
  mbo_series_free(imported), mbo_series_free(own);
}

/* A weld with a pose of its own, one between sites, and one as the file puts its bodies: frames by hand. */
static void test_loops(void) {
  static const char text[] =
      "<mujoco><worldbody><body name='a' pos='1 0 0' euler='0 0 90'><freejoint/><site name='s' pos='0 1 0' euler='90 0 "
      "0'/></body>\n"
      "<body name='b' pos='0 2 0'><freejoint/></body><body name='c'><freejoint/></body>\n"
      "<body name='d'><freejoint/><site name='t' pos='3 0 0'/></body></worldbody><equality>\n"
      "<weld body1='a' body2='b'/><weld body1='a' body2='c' anchor='0 0 4' relpose='5 6 7 1 1 0 0'/>\n"
      "<weld site1='s' site2='t'/><connect site1='s' site2='t'/><connect body1='b' anchor='1 1 1'/>\n"
      "<weld body1='a' active='false'/></equality></mujoco>\n";
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(text, &r);
  CU_ASSERT_EQUAL_FATAL(r.njoint, 9);
  const robot_joint *j = r.joint + 4;
  /* b as seen from a, whose x is y of the world: (-1, 2) is 2 along x of a and 1 along its y */
  CHECK_CLOSE("x", j[0].frame[0].xyz[0], 2, 1e-15);
  CHECK_CLOSE("y", j[0].frame[0].xyz[1], 1, 1e-15);
  CHECK_CLOSE("R", j[0].frame[0].R[1], 1, 1e-15);
  CU_ASSERT(j[1].frame[0].xyz[2] == 7 && j[1].frame[1].xyz[2] == 4);
  CHECK_CLOSE("R", j[1].frame[0].R[7], 1, 1e-15); /* 90 degrees about x */
  CU_ASSERT(j[2].type == ROBOT_WELD && j[2].frame[0].xyz[1] == 1 && j[2].frame[1].xyz[0] == 3);
  CHECK_CLOSE("R", j[2].frame[0].R[7], 1, 1e-15);
  CU_ASSERT(j[3].type == ROBOT_SPHERICAL && j[3].closes);
  CU_ASSERT(j[4].link[1] == 0 && j[4].frame[1].xyz[1] == 3); /* on the ground */
  CU_ASSERT_FATAL(r.nwarning >= 1);
  CHECK_CONTAINS(r.warning[0].text, "<weld> is left out: it is not active");
  robot_free(&r);
}

/* ---- motors, springs, tendons, keyframes ---- */

/* A pendulum along x turns about y, which lowers it: 0.1 + 0.25 + 0.05 of inertia, a spring, and a servo behind a gear of 2 whose force along
 * the angle is 2 (3 control - 3 2 q - 0.4 2 q'). Two carts of 1 kg on rails, without gravity on them, have a tendon 2 x - y with a spring. */
static const char machine[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -10'/><worldbody>\n"
    "<body name='arm'><joint name='hinge' axis='0 1 0' stiffness='2' springref='0.1' damping='0.5' armature='0.05'/>\n"
    "<inertial mass='1' pos='0.5 0 0' diaginertia='0.1 0.1 0.1'/></body>\n"
    "<body name='cart' pos='0 1 0'><joint name='x' type='slide' axis='1 0 0'/>\n"
    "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>\n"
    "<body name='other' pos='0 2 0'><joint name='y' type='slide' axis='1 0 0'/>\n"
    "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>\n"
    "<body name='stone' pos='0 0 5' euler='0 0 1.5707963267948966'><joint name='free' type='free'/>\n"
    "<inertial mass='1' pos='1 0 0' diaginertia='1 1 1'/><site name='tip' pos='1 0 0'/></body></worldbody>\n"
    "<tendon><fixed name='rope' stiffness='5' springlength='0.1' damping='0.2'><joint joint='x' coef='2'/>"
    "<joint joint='y' coef='-1'/></fixed></tendon>\n"
    "<actuator><motor name='unused' site='tip'/><position name='servo' joint='hinge' kp='3' kv='0.4' gear='2'/>\n"
    "<motor name='pull' tendon='rope' ctrlrange='-2 2'/></actuator>\n"
    "<keyframe><key name='home' qpos='0.3 0.4 0.5 7 8 9 0.6 0 0 0.8' ctrl='9 0.7 1.5'/></keyframe></mujoco>\n";

static void test_motors(void) {
  static const char *const set[] = {"output.outputs=tip.position", "case.motion.step=T/20"};
  robot r;
  if (!reads_robots(&reader)) { return; }
  write_files(machine, &r);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
  CHECK_CONTAINS(r.warning[0].text, "motor 'unused' is left out: it acts on no hinge, slide or fixed tendon");
  robot_free(&r);
  mbo_series *s = motion_of("run.ini", 2, set, 1);
  const double weight = 10 * 0.5 * cos(0.3), servo = 2 * (3 * 0.7 - 3 * 2 * 0.3), spring = 5 * (2 * 0.4 - 0.5 - 0.1);
  CHECK_CLOSE("hinge", series_at(s, 0, "hinge.angle.acceleration"), (weight - 2 * 0.2 + servo) / 0.4, 1e-12);
  CHECK_CLOSE("x", series_at(s, 0, "x.distance.acceleration"), -2 * spring + 2 * 1.5, 1e-12);
  CHECK_CLOSE("y", series_at(s, 0, "y.distance.acceleration"), spring - 1.5, 1e-12);
  /* a turn by 2 atan(8/6) about z brings (1, 0) to (0.6^2 - 0.8^2, 2 0.6 0.8) */
  CHECK_CLOSE("tip", series_at(s, 0, "tip.position.x"), 7 - 0.28, 1e-12);
  CHECK_CLOSE("tip", series_at(s, 0, "tip.position.y"), 8 + 0.96, 1e-12);
  CHECK_CLOSE("tip", series_at(s, 0, "tip.position.z"), 9, 1e-12);
  mbo_series_free(s);
  /* the motion begins where the file puts all, without motors */
  s = motion_of("run.ini", 2, set, 0);
  CHECK_CLOSE("tip", series_at(s, 0, "tip.position.y"), 1, 1e-12);
  CHECK_CLOSE("tip", series_at(s, 0, "tip.position.z"), 5, 1e-12);
  CHECK_CLOSE("drive", series_at(s, 0, "drive.hinge.angle.drive_force"),
              -10 * 0.5 - 2 * 0.1 + 0.4 * series_at(s, 0, "hinge.angle.acceleration"), 1e-12);
  mbo_series_free(s);
}

/* y - 0.2 = 0.5 + 3 (x - 0.1); 2 y + 4 x stays 2 0.2 + 4 0.1 + 0.6; what follows already does not follow twice. */
static void test_couplings(void) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='x' ref='0.1'/><body><joint name='y' ref='0.2'/>"
      "<body><joint name='u' ref='0.2'/><body><joint name='v' ref='0.1'/></body></body></body></body></worldbody>\n"
      "<tendon><fixed name='t'><joint joint='u' coef='2'/><joint joint='v' coef='4'/></fixed></tendon>\n"
      "<equality><joint joint1='y' joint2='x' polycoef='0.5 3'/><tendon tendon1='t' polycoef='0.6'/>\n"
      "<joint joint1='y' joint2='v'/><joint joint1='y' joint2='u'/><joint joint1='v' joint2='x' polycoef='0 1 2'/>"
      "<tendon tendon1='t' polycoef='0 1 2'/></equality></mujoco>\n";
  robot r;
  if (!reads_robots(&reader)) { return; }
  import(text, &r);
  CU_ASSERT_EQUAL_FATAL(r.ncoupling, 3);
  CHECK_CLOSE("ratio", r.coupling[0].ratio, 3, 1e-15);
  CHECK_CLOSE("offset", r.coupling[0].offset, 0.4, 1e-15);
  CHECK_CLOSE("ratio", r.coupling[1].ratio, -2, 1e-15);
  CHECK_CLOSE("offset", r.coupling[1].offset, 0.7, 1e-15);
  /* y = v + 0.1 as v = y - 0.1, since y follows already */
  CHECK_CLOSE("ratio", r.coupling[2].ratio, 1, 1e-15);
  CHECK_CLOSE("offset", r.coupling[2].offset, -0.1, 1e-15);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 2);
  CHECK_CONTAINS(r.warning[0].text, "<joint> is left out: its joints follow others already");
  CU_ASSERT_EQUAL(r.warning[0].more, 1);
  CHECK_CONTAINS(r.warning[1].text, "<tendon> is left out: its polynomial is no line with a slope");
  robot_free(&r);
}

/* y = 0.7 + 3 d - 2 d^2 + 0.5 d^4 with d = x - 0.1, and a slide that stays at 0.3 + 0.05, along a motion of x; the same where the search for the position
 * of a loop has to find them. */
static void test_polynomials(void) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='x' ref='0.1' axis='0 1 0'/>"
      "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>"
      "<body name='b'><joint name='y' ref='0.2' axis='0 1 0'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
      "<body name='c' pos='0 0 1'><joint name='s' type='slide' ref='0.3'/>"
      "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body></body>"
      "<body name='d' pos='1 0 0'><joint name='u' axis='0 1 0'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
      "<body name='e' pos='0 0 1'><joint name='v' axis='0 1 0'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
      "</body></body></worldbody>"
      "<equality>LOOP<joint joint1='y' joint2='x' polycoef='0.5 3 -2 0 0.5'/><joint joint1='s' "
      "polycoef='0.05'/></equality>"
      "</mujoco>";
  static const char *const set[] = {"case.motion.step=T/10"};
  if (!reads_robots(&reader)) { return; }
  for (int has_loop = 0; has_loop < 2; has_loop++) {
    char edited[2000];
    robot r;
    edit(edited, sizeof edited, text, "LOOP", has_loop ? "<connect body1='b' body2='e' anchor='0 0 1'/>" : "");
    import(edited, &r);
    CU_ASSERT_EQUAL(r.nwarning, 0);
    CU_ASSERT_EQUAL(r.nclosing, has_loop);
    put("model.ini", &r, 1), put("run.ini", &r, 0);
    robot_free(&r);
    mbo_series *s = motion_of("run.ini", 1, set, 0);
    for (int row = 0; row < mbo_series_rows(s); row += 5) {
      const double d = series_at(s, row, "x.angle") - 0.1;
      CHECK_CLOSE("y", series_at(s, row, "y.angle"), 0.7 + 3 * d - 2 * d * d + 0.5 * d * d * d * d, 1e-13);
      CHECK_CLOSE("s", series_at(s, row, "s.distance"), 0.35, 1e-13);
    }
    CU_ASSERT(fabs(series_at(s, mbo_series_rows(s) - 1, "x.angle") - series_at(s, 0, "x.angle")) > 0.05);
    mbo_series_free(s);
  }
}

/* ---- the arm of problems/robot_arm ---- */

/* The same motion as of its model file, with the torques of its motors, whose rotors are in both files, and the place of the load. */
static void test_arm(void) {
  static const char *const begin[] = {"-75*pi/180", "10*pi/180", "90*pi/180", "0", "80*pi/180", "0"};
  static const char *const end[] = {"75*pi/180", "-10*pi/180", "100*pi/180", "0", "90*pi/180", "90*pi/180"};
  static const char *const own_set[] = {"output.outputs=grip.position"};
  enum { JOINT = 6, SETS = 2 * JOINT + 2 };
  char text[SETS][80], path[PATH];
  const char *set[SETS];
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  must(mjcf_read(MBOPT_SOURCE_DIR "/problems/robot_arm/robot_arm.xml", &r, &err), &err);
  CU_ASSERT_EQUAL(r.nwarning, 0);
  CU_ASSERT_EQUAL(joint_of(&r, "joint_2")->effort, 186.4);
  put("model.ini", &r, 1), put("run.ini", &r, 0);
  robot_free(&r);
  for (int i = 0; i < SETS; i++) { set[i] = text[i]; }
  for (int i = 0; i < JOINT; i++) {
    snprintf(text[2 * i], sizeof text[0], "scalars.joint_%d_start=%s", i + 1, begin[i]);
    snprintf(text[2 * i + 1], sizeof text[0], "scalars.joint_%d_end=%s", i + 1, end[i]);
  }
  snprintf(text[SETS - 2], sizeof text[0], "scalars.points=16");
  snprintf(text[SETS - 1], sizeof text[0], "%s", own_set[0]);
  mbo_series *imported = motion_of("run.ini", SETS, set, 0);
  mbo_run *run = NULL;
  mbo_series *own = NULL;
  snprintf(path, sizeof path, "%s/configs/robot_arm.ini", MBOPT_SOURCE_DIR);
  must(mbo_run_open(path, 1, own_set, &run, &err), &err);
  must(mbo_run_simulate(run, NULL, 0, &own, &err), &err);
  for (int row = 0; row < mbo_series_rows(own); row += 20) {
    for (int i = 0; i < JOINT; i++) {
      char force[60];
      snprintf(force, sizeof force, "drive.joint_%d.angle.drive_force", i + 1);
      CHECK_CLOSE(force, series_at(imported, row, force), series_at(own, row, force), 1e-12);
    }
    CHECK_CLOSE("load", series_at(imported, row, "grip.position.x"), series_at(own, row, "grip.position.x"), 1e-14);
  }
  mbo_series_free(imported), mbo_series_free(own);
  mbo_run_close(run);
}

/* ---- included files ---- */

static void test_includes(void) {
  char path[PATH];
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  write_named("main.xml",
              "<mujoco>\n<include file='parts/joints.xml'/>\n<worldbody><body name='a'><include file='limb.xml'/>"
              "</body></worldbody></mujoco>\n");
  snprintf(path, sizeof path, "mkdir -p %s/parts", folder);
  CU_ASSERT_EQUAL_FATAL(system(path), 0);
  write_named("parts/joints.xml", "<mujoco><default><joint damping='3'/></default></mujoco>\n");
  write_named("limb.xml", "<mujocoinclude>\n<joint name='j'/>\n<body name='b'/></mujocoinclude>\n");
  snprintf(path, sizeof path, "%s/main.xml", folder);
  must(mjcf_read(path, &r, &err), &err);
  CU_ASSERT(joint_of(&r, "j")->damping == 3 && find_link(&r, "b") > 0);
  robot_free(&r);
  /* a message is about the file that has the line */
  write_named("limb.xml", "<mujocoinclude>\n<joint name='j' axi='1 0 0'/>\n</mujocoinclude>\n");
  CU_ASSERT_EQUAL(mjcf_read(path, &r, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "limb.xml:2: joint 'j' attribute 'axi' is not known, did you mean 'axis'?");
  robot_free(&r);
  static const char *const refused[][2] = {
      {"<include file='main.xml'/>", "main.xml\" is included twice"},
      {"<include file='../main.xml'/>", "file = \"../main.xml\", expected a file in the folder of"},
      {"<include file='/etc/hosts'/>", "file = \"/etc/hosts\", expected a file in the folder of"},
      {"<include file='a/../../b.xml'/>", "expected a file in the folder of"},
      {"<include file='none.xml'/>", "none.xml: No such file"},
      {"<include/>", "<include> attribute 'file' is missing"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    char text[300];
    snprintf(text, sizeof text, "<mujocoinclude>\n%s\n</mujocoinclude>\n", refused[i][0]);
    write_named("limb.xml", text);
    err = (mbd_error){0};
    CU_ASSERT(mjcf_read(path, &r, &err) != MBD_OK);
    CHECK_CONTAINS(err.text, refused[i][1]);
    robot_free(&r);
  }
}

/* ---- what is refused, and what is left out ---- */

static const char small[] =
    "<mujoco>\n"
    "<compiler angle='radian'/>\n"
    "<default><default class='x'><joint damping='1'/></default></default>\n"
    "<worldbody>\n"
    "<body name='arm' pos='0 0 1'>\n"
    "<joint name='elbow' range='-1 1'/>\n"
    "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n"
    "<geom type='box' size='1 1 1'/>\n"
    "</body>\n"
    "</worldbody>\n"
    "<tendon><fixed name='t'><joint joint='elbow' coef='1'/></fixed></tendon>\n"
    "<equality><connect body1='arm' anchor='0 0 0'/></equality>\n"
    "<actuator><motor joint='elbow'/></actuator>\n"
    "<keyframe><key name='home' qpos='0'/></keyframe>\n"
    "</mujoco>\n";

static void test_messages(void) {
  static const broken_case cases[] = {
      {"<mujoco>", "<mujco>", "this is not well-formed XML: mismatched tag"},
      {"angle='radian'", "angle='radians'", ":2: <compiler> angle = \"radians\" is not known, did you mean 'radian'?"},
      {"angle='radian'", "eulerseq='xyw'", "eulerseq = \"xyw\", expected three letters of x, y, z, X, Y, Z"},
      {"angle='radian'", "coordinate='global'", "coordinate = \"global\", expected local"},
      {"<default class='x'>", "<default>", ":3: <default> attribute 'class' is missing"},
      {"name='elbow'", "name='elbow' class='y'", ":6: joint 'elbow' class = \"y\" is not known"},
      {"<body name='arm'", "<body name='arm' childclass='X'",
       ":5: body 'arm' childclass = \"X\" is not known, did you mean 'x'?"},
      {"pos='0 0 1'", "pos='0 0'", ":5: body 'arm' pos = \"0 0\", expected three numbers"},
      {"pos='0 0 1'", "pos='0 0 1e200'", "pos = \"0 0 1e200\", expected three numbers"},
      {"pos='0 0 1'", "quat='0 0 0 0'", ":5: body 'arm' quat gives no orientation, expected directions with a length"},
      {"pos='0 0 1'", "quat='1 0 0 0' euler='1 2 3'", "body 'arm' has quat and euler, expected one of them"},
      {"<joint name='elbow'", "<joint name='elbow' axis='0 0 0'", ":6: joint 'elbow' axis has no length"},
      {"<joint name='elbow'", "<joint name='elbow' type='hing'", "type = \"hing\" is not known, did you mean 'hinge'?"},
      {"<joint name='elbow'", "<joint name='elbow' dampin='1'",
       "attribute 'dampin' is not known, did you mean 'damping'?"},
      {"<joint name='elbow'", "<joint name='elbow' damping='-1'",
       "damping = -1, armature = 0, frictionloss = 0, expected"},
      {"range='-1 1'", "range='1 -1'", "range = 1 -1, expected the smaller number first"},
      {"<joint name='elbow'", "<joint name='elbow'/><joint name='elbow'", ":6: joint 'elbow' appears twice"},
      {"</body>\n", "<body name='arm'/></body>\n", ":9: body 'arm' appears twice"},
      {"</body>\n", "<body name='b'><freejoint/></body></body>\n",
       ":9: body 'b' <freejoint> is free, expected a body directly in <worldbody>"},
      {"</body>\n", "<replicate count='3'/></body>\n",
       ":9: body 'arm' <replicate> is not read, expected a file in which"},
      {"<inertial mass='1'", "<inertial mass='-1'", ":7: body 'arm' <inertial> expected a mass >= 0"},
      {"diaginertia='1 1 1'", "", ":7: body 'arm' <inertial> has no diaginertia, nor fullinertia"},
      {"diaginertia='1 1 1'", "fullinertia='1 1 1 2 0 0'", "has a negative principal moment"},
      {"<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n<geom type='box' size='1 1 1'/>",
       "<geom type='box' size='1 1'/>", ":7: body 'arm' <geom> has 2 numbers of size, expected 3 of a box"},
      {"<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n<geom type='box' size='1 1 1'/>",
       "<geom type='box' size='1 0 1'/>", "has a size of 0, expected numbers > 0"},
      {"<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>\n<geom type='box' size='1 1 1'/>",
       "<geom type='mesh' mesh='m'/>", ":7: body 'arm' <geom> mesh = \"m\" is not known"},
      {"joint='elbow' coef", "joint='elbo' coef",
       ":11: fixed 't' <joint> joint = \"elbo\" is not known, did you mean 'elbow'?"},
      {"<connect body1='arm'", "<connect body1='Arm'",
       ":12: <connect> body1 = \"Arm\" is not known, did you mean 'arm'?"},
      {" anchor='0 0 0'", "", ":12: <connect> attribute 'anchor' is missing"},
      {"body1='arm' anchor='0 0 0'", "site1='arm'", ":12: <connect> site1 = \"arm\" is not known"},
      {"<joint name='elbow'", "<joint name='elbow' springdamper='1 -1'",
       ":6: joint 'elbow' springdamper = 1 -1, expected two numbers > 0"},
      {"<motor joint='elbow'/>", "<motr joint='elbow'/>", ":13: <motr> is not known, did you mean 'motor'?"},
      {"<motor joint='elbow'/>", "<general joint='elbow' gaintype='fixd'/>",
       "gaintype = \"fixd\" is not known, did you mean 'fixed'?"},
      {"qpos='0'", "qpos='0 1'", ":14: key 'home' qpos = \"0 1\", expected a number"},
      {"<body name='arm' pos='0 0 1'>", "<body name='arm' pos='0 0 1'><inertial mass='1'/>",
       "appears twice, first in line 5"},
  };
  robots_are_refused(&reader, small, sizeof cases / sizeof cases[0], cases);
}

/* springdamper = T d: the inertia 1/(M^-1)_ii where the file puts the bodies, here with M = [4.25, 1.25; 1.25, 0.85] of two bars in a line, gives k = I/(T d)^2
 * and c = 2 I/T; of a ball 3/trace(M^-1), for its damping. */
static void test_springdamper(void) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0' springref='0.3' stiffness='7' "
      "ref='2'/>"
      "<inertial mass='2' pos='0.5 0 0' diaginertia='1 1 1'/><body pos='1 0 0'>"
      "<joint name='b' axis='0 1 0' springdamper='0.5 2' stiffness='7' armature='0.1' ref='1'/>"
      "<inertial mass='1' pos='0.5 0 0' diaginertia='0.5 0.5 0.5'/></body></body>"
      "<body><joint name='c' type='ball' springdamper='2 1'/><inertial mass='1' pos='0 0 0' diaginertia='1 2 "
      "4'/></body>"
      "</worldbody></mujoco>";
  robot r;
  mbd_error err = {0};
  if (!reads_robots(&reader)) { return; }
  must(read_robot(&reader, text, &r, &err), &err);
  const double inertia = (4.25 * 0.85 - 1.25 * 1.25) / 4.25;
  CHECK_CLOSE("a", r.joint[0].stiffness, 7, 0);
  CHECK_CLOSE("stiffness", r.joint[1].stiffness, inertia, 1e-15);
  CHECK_CLOSE("damping", r.joint[1].damping, 4 * inertia, 1e-15);
  CHECK_CLOSE("ball", r.joint[2].damping, 3 / 1.75, 1e-15);
  CU_ASSERT_EQUAL_FATAL(r.nwarning, 1);
  CHECK_CONTAINS(r.warning[0].text, "joint 'c' attribute 'springdamper' of a ball joint: its damping is taken alone");
  robot_free(&r);
}

static void test_warnings(void) {
  static const broken_case cases[] = {
      {"</body>\n", "</body>\n<plugin/>", "<plugin> is not known, and left out"},
      {"<joint name='elbow' range='-1 1'/>\n<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>",
       "<joint name='elbow' springdamper='1 1'/>\n<inertial mass='0' pos='0 0 0' diaginertia='0 0 0'/>",
       ":6: joint 'elbow' attribute 'springdamper' is left out: some joint moves no mass"},
      {"<joint name='elbow'", "<joint name='elbow' stiffness='1 2'",
       ":6: joint 'elbow' has a spring or a damper with a square or a cube: its linear part is taken"},
      {"<keyframe><key name='home' qpos='0'/></keyframe>",
       "<worldbody><body><joint type='ball' armature='1'/></body></worldbody>",
       ":14: <joint> attribute 'armature' is left out: a ball joint moves without"},
      {"<body name='arm'", "<body mocap='true'/><body name='arm'",
       "<body> is moved by the user of MuJoCo: it stands still"},
      {"<body name='arm'", "<body name='arm' gravcomp='1'",
       "body 'arm' attribute 'gravcomp' is left out: its whole weight acts"},
      {"<motor joint='elbow'/>", "<motor joint='elbow'/></actuator><tendon><spatial name='s'/></tendon><actuator>",
       "spatial 's' is left out: the model has nothing like it"},
      {"</tendon>", "<spatial/></tendon>", "<spatial> is left out: the model has nothing like it"},
      {"name='t'>", "name='t' range='0 1'>", "fixed 't' attribute 'range' is left out: it has no limits"},
      {"name='t'>", "name='t' stiffness='1' springlength='0 1'>", "fixed 't' has a spring with slack, and is left out"},
      {"</actuator>", "<muscle/></actuator>", "<muscle> is left out: the model has nothing like it"},
      {"<motor joint='elbow'/>", "<general joint='elbow' gaintype='affine'/>",
       "<general> is left out: its force is not linear in the control, the length and the speed"},
      {"<motor joint='elbow'/>", "<general joint='elbow' dyntype='filter'/>",
       "<general> has a filter, and acts without delay"},
      {"<compiler", "<option density='1.2'/><compiler", "<option> has a medium, whose forces are left out"},
      {"qpos='0'", "qpos='0' qvel='1'", "key 'home' attribute 'qvel' is left out: the motion starts at rest"},
  };
  robots_cause_warnings(&reader, small, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN_IN(folder, TEST(test_orientations), TEST(test_masses), TEST(test_classes), TEST(test_trees),
             TEST(test_four_bar), TEST(test_loops), TEST(test_motors), TEST(test_couplings), TEST(test_polynomials),
             TEST(test_arm), TEST(test_includes), TEST(test_messages), TEST(test_springdamper), TEST(test_warnings))
