#include "import/urdf_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/pose.h"
#include "import/robot_fill.h"

/* An element that closes a loop, and its elements for both ends. */
typedef struct closing_element {
  const char *name, *end[2];
} closing_element;

static const closing_element elements[] = {
    {"loop_joint", {"link1", "link2"}},
    {"loop", {"predecessor", "successor"}},
    {"constraint", {"predecessor", "successor"}},
};

static const closing_element *element_of(const char *name) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
    if (strcmp(elements[i].name, name) == 0) { return &elements[i]; }
  }
  return NULL;
}

/* Adds a joint that closes a loop, with the name of its element, or a number. */
static mbd_status add_closing(const element_file *f, const xml_element *e, mbd_names *joints, robot_joint **closing) {
  const char *name = xml_get(e, "name");
  char numbered[40];
  snprintf(numbered, sizeof numbered, "loop_%d", f->r->njoint + 1);
  if (!name || !*name) { name = numbered; }
  if (mbd_names_find(joints, name) >= 0) { return element_fail(f, e, "has the name of another joint"); }
  *closing = robot_add_joint(f->r, name, e->line);
  MEMORY_TRY(*closing && mbd_names_add(joints, (*closing)->name, f->r->njoint - 1), f->err, "%s", e->path);
  (*closing)->closes = 1;
  return MBD_OK;
}

static mbd_status read_type(const element_file *f, const xml_element *e, robot_type *type) {
  const char *word;
  MBD_TRY(element_text(f, e, "type", &word));
  if (robot_closing_type(word, type)) { return MBD_OK; }
  return element_fail(f, e, "type = \"%.60s\", expected %s", word, robot_closing_words);
}

/* An end: a link, and a frame on it by attributes of its own or by <origin>. */
static mbd_status read_end(const element_file *f, const xml_element *e, const char *which, const mbd_names *links,
                           int *link, robot_pose *frame) {
  const xml_element *end = xml_child(e, which);
  if (!end) { return element_fail(f, e, "has no <%s>", which); }
  MBD_TRY(urdf_read_link(f, end, "link", links, link));
  if (xml_child(end, "origin")) { return urdf_read_origin(f, end, frame); }
  return urdf_read_pose(f, end, frame);
}

static mbd_status read_closing(const element_file *f, const xml_element *e, const mbd_names *links, mbd_names *joints) {
  const closing_element *kind = element_of(e->name);
  robot_joint *closing;
  MBD_TRY(add_closing(f, e, joints, &closing));
  MBD_TRY(read_type(f, e, &closing->type));
  MBD_TRY(urdf_read_axis(f, e, closing->axis));
  for (int k = 0; k < 2; k++) { MBD_TRY(read_end(f, e, kind->end[k], links, &closing->link[k], &closing->frame[k])); }
  return MBD_OK;
}

/* ---- a ball joint of Drake ---- */

static const char *const ball_body[2] = {"drake:ball_constraint_body_A", "drake:ball_constraint_body_B"};
static const char *const ball_point[2] = {"drake:ball_constraint_p_AP", "drake:ball_constraint_p_BQ"};

static mbd_status read_ball(const element_file *f, const xml_element *e, const mbd_names *links, mbd_names *joints) {
  robot_joint *closing;
  MBD_TRY(add_closing(f, e, joints, &closing));
  closing->type = ROBOT_SPHERICAL;
  for (int k = 0; k < 2; k++) {
    const xml_element *body = xml_child(e, ball_body[k]), *point = xml_child(e, ball_point[k]);
    if (!body) { return element_fail(f, e, "has no <%s>", ball_body[k]); }
    if (!point) { return element_fail(f, e, "has no <%s>", ball_point[k]); }
    MBD_TRY(urdf_read_link(f, body, "name", links, &closing->link[k]));
    MBD_TRY(urdf_required(f, point, "value", 3, closing->frame[k].xyz));
  }
  return MBD_OK;
}

/* ---- joints of SDFormat in <gazebo> ---- */

/* A number in the text of a child, such as <springStiffness>; without it the value stays. */
static mbd_status read_child(const element_file *f, const xml_element *e, const char *child, int n, double *v) {
  const xml_element *c = xml_child(e, child);
  return c && c->text ? element_numbers(f, c, child, c->text, n, n, v, NULL) : MBD_OK;
}

/* The link that <parent> or <child> names; the world is that without a joint, which stands on it. */
static mbd_status read_link_text(const element_file *f, const xml_element *e, const char *which, const mbd_names *links,
                                 const int *before, int *link) {
  char name[200];
  const xml_element *end = xml_child(e, which);
  if (!end || !end->text) { return element_fail(f, e, "has no <%s>", which); }
  const char *text = end->text + strspn(end->text, " \t\r\n");
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " \t\r\n"), text);
  *link = mbd_names_find(links, name);
  for (int i = 0; i < f->r->nlink && *link < 0 && strcmp(name, "world") == 0; i++) {
    if (before[i] < 0) { *link = i; }
  }
  return *link >= 0 ? MBD_OK : element_not_known(f, end, which, name, links);
}

/* The pose of a link at zero coordinates, in the frame of its root. before: [nlink] the joint that carries a link, -1: none; they may be no tree yet. */
static robot_pose pose_at_zero(const robot *r, const int *before, int link) {
  robot_pose pose = pose_identity();
  for (int steps = 0; steps < r->nlink && before[link] >= 0; steps++) {
    const robot_joint *j = &r->joint[before[link]];
    pose = pose_product(&j->frame[0], &pose); /* in URDF the frame of a joint is that of its child */
    link = j->link[0];
  }
  return pose;
}

/* A joint that Gazebo adds to those of the file: its pose is that in the child, and the frame on the parent is where the links put it at zero
 * coordinates. */
static mbd_status read_gazebo_joint(const element_file *f, const xml_element *e, const mbd_names *links,
                                    mbd_names *joints, const int *before) {
  robot_joint *closing;
  double pose[6] = {0}, damping = 0, friction = 0;
  int link[2];
  MBD_TRY(read_link_text(f, e, "parent", links, before, &link[0]));
  MBD_TRY(read_link_text(f, e, "child", links, before, &link[1]));
  if (link[0] == link[1]) { return MBD_OK; } /* the root on the ground */
  MBD_TRY(add_closing(f, e, joints, &closing));
  MBD_TRY(read_type(f, e, &closing->type));
  closing->link[0] = link[0], closing->link[1] = link[1];
  MBD_TRY(read_child(f, e, "pose", 6, pose));
  memcpy(closing->frame[1].xyz, pose, sizeof closing->frame[1].xyz);
  robot_rotation(pose + 3, closing->frame[1].R);
  const robot_pose parent = pose_at_zero(f->r, before, closing->link[0]),
                   child = pose_at_zero(f->r, before, closing->link[1]), back = pose_inverse(&parent),
                   seen = pose_product(&back, &child);
  closing->frame[0] = pose_product(&seen, &closing->frame[1]);
  /* the axis, and what a joint that closes a loop does not have */
  const xml_element *axis = xml_child(e, "axis"), *dynamics = axis ? xml_child(axis, "dynamics") : NULL;
  v3_set(closing->axis, 0, 0, 1);
  if (axis) { MBD_TRY(read_child(f, axis, "xyz", 3, closing->axis)); }
  if (!(v3_dot(closing->axis, closing->axis) > 0)) { return element_fail(f, axis, "expected a direction in <xyz>"); }
  if (dynamics) {
    MBD_TRY(read_child(f, dynamics, "damping", 1, &damping));
    MBD_TRY(read_child(f, dynamics, "friction", 1, &friction));
  }
  if (damping == 0 && friction == 0) { return MBD_OK; }
  return element_warn(f, dynamics, "is left out: the joint closes a loop");
}

/* Joints of their own, and springs of the joint that `reference` names. */
static mbd_status read_gazebo(const element_file *f, const xml_element *e, const mbd_names *links, mbd_names *joints,
                              const int *before) {
  const char *reference = xml_get(e, "reference");
  const int joint = reference ? mbd_names_find(joints, reference) : -1;
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, "joint") == 0) { MBD_TRY(read_gazebo_joint(f, e->child[i], links, joints, before)); }
  }
  if (joint < 0 || !robot_coordinate(&f->r->joint[joint])) { return MBD_OK; }
  MBD_TRY(read_child(f, e, "springStiffness", 1, &f->r->joint[joint].stiffness));
  return read_child(f, e, "springReference", 1, &f->r->joint[joint].rest);
}

static mbd_status read_all_gazebo(const element_file *f, const xml_element *root, const mbd_names *links,
                                  mbd_names *joints) {
  int *before = mbd_zeros((size_t)f->r->nlink + 1, sizeof *before);
  MEMORY_TRY(before, f->err, "%s", root->path);
  for (int i = 0; i < f->r->nlink; i++) { before[i] = -1; }
  for (int i = 0; i < f->r->njoint; i++) {
    if (!f->r->joint[i].closes) { before[f->r->joint[i].link[1]] = i; }
  }
  mbd_status status = MBD_OK;
  for (int i = 0; i < root->nchild && status == MBD_OK; i++) {
    if (strcmp(root->child[i]->name, "gazebo") == 0) { status = read_gazebo(f, root->child[i], links, joints, before); }
  }
  free(before);
  return status;
}

/* ---- pairs of links ---- */

/* If a link is called closing_NAME_1, sets *other to closing_NAME_2, in new memory. */
static int is_first_of_pair(const char *name, char **other) {
  static const char begin[] = "closing_", end[] = "_1";
  const size_t n = strlen(name);
  if (n < sizeof begin + sizeof end - 1 || strncmp(name, begin, sizeof begin - 1) != 0) { return 0; }
  if (strcmp(name + n - 2, end) != 0) { return 0; }
  *other = mbd_sprintf_dup("%.*s_2", (int)(n - 2), name);
  return 1;
}

/* Returns 1 if an element closes a loop between two links. */
static int are_closed(const robot *r, int one, int other) {
  for (int i = 0; i < r->njoint; i++) {
    const robot_joint *j = &r->joint[i];
    if (j->closes && j->link[0] + j->link[1] == one + other && (j->link[0] == one || j->link[1] == one)) { return 1; }
  }
  return 0;
}

static mbd_status read_pairs(const element_file *f, const xml_element *root, const mbd_names *links,
                             mbd_names *joints) {
  for (int i = 0; i < root->nchild; i++) {
    const xml_element *e = root->child[i];
    const char *name = strcmp(e->name, "link") == 0 ? xml_get(e, "name") : NULL;
    char *other = NULL;
    robot_joint *closing;
    if (!name || !is_first_of_pair(name, &other)) { continue; }
    MEMORY_TRY(other, f->err, "%s", root->path);
    const int second = mbd_names_find(links, other);
    free(other);
    if (second < 0) {
      MBD_TRY(element_warn(f, e, "closes no loop: there is no link of the same name that ends with _2"));
      continue;
    }
    const int first = mbd_names_find(links, name);
    if (are_closed(f->r, first, second)) { continue; }
    MBD_TRY(add_closing(f, e, joints, &closing));
    closing->type = ROBOT_SPHERICAL;
    closing->link[0] = first, closing->link[1] = second;
  }
  return MBD_OK;
}

mbd_status urdf_read_loops(const element_file *f, const xml_element *root, const mbd_names *links, mbd_names *joints) {
  for (int i = 0; i < root->nchild; i++) {
    const xml_element *e = root->child[i];
    if (element_of(e->name)) { MBD_TRY(read_closing(f, e, links, joints)); }
    if (strcmp(e->name, "drake:ball_constraint") == 0) { MBD_TRY(read_ball(f, e, links, joints)); }
    if (strcmp(e->name, "coupling") == 0) {
      return element_fail(f, e, "couples two links; expected <mimic> in one of the joints, which says how they turn");
    }
  }
  MBD_TRY(read_pairs(f, root, links, joints));
  return read_all_gazebo(f, root, links, joints);
}
