/* Bodies, joints and sites of MJCF.
 *
 * A body has its pose in the frame of the body around it, and then moves by its joints, one after the other, each in the frame that the joints
 * before have moved:  T = T_0 J_1(q_1 - ref_1) J_2(q_2 - ref_2) ...  A robot has one joint between two links. So a body with n joints makes
 * n links in a row, of which the last one has its mass. Since J(q - ref) = J(-ref) J(in), the frame of a joint on the link before it is
 * T_0 J(-ref), moved to the joint's place; on the link behind it, it is the frame of the body, moved to this place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/mjcf_mass.h"
#include "import/mjcf_read.h"

/* ---- links ---- */

/* Adds a link with its pose in the world; -1: no memory. */
static int add_link(mjcf_reader *in, const char *name, int line, const robot_pose *place) {
  robot_pose *grown = mbd_list_grow(in->place, in->nplace, sizeof *grown);
  if (!grown) { return -1; }
  in->place = grown;
  if (!robot_add_link(in->r, name, line)) { return -1; }
  grown[in->nplace++] = *place;
  return in->r->nlink - 1;
}

static mbd_status add_name(const mjcf_reader *in, mbd_names *names, const xml_element *e, int number) {
  const char *name = mjcf_name(e);
  if (!name) { return MBD_OK; }
  if (mbd_names_find(names, name) >= 0) { return element_fail(&in->file.elements, e, "appears twice"); }
  return mbd_names_add(names, name, number) ? MBD_OK : mjcf_no_memory(&in->file);
}

/* ---- sites ---- */

static mbd_status read_site(mjcf_reader *in, const xml_element *e, int link, const robot_pose *around) {
  robot_pose own;
  MBD_TRY(mjcf_pose(&in->file, e, &own));
  const robot_pose pose = pose_product(around, &own);
  mjcf_site *grown = mbd_list_grow(in->site, in->nsite, sizeof *grown);
  if (!grown) { return mjcf_no_memory(&in->file); }
  in->site = grown;
  grown[in->nsite] = (mjcf_site){.name = mjcf_name(e), .link = link, .pose = pose};
  MBD_TRY(add_name(in, &in->sites, e, in->nsite));
  in->nsite++;
  if (!mjcf_name(e)) { return MBD_OK; } /* nothing can refer to it */
  return robot_add_point(in->r, mjcf_name(e), e->line, link, pose.xyz) ? MBD_OK : mjcf_no_memory(&in->file);
}

/* ---- joints ---- */

static const char *type_at(int i) {
  static const char *const word[] = {"hinge", "slide", "ball", "free"};
  return i < 4 ? word[i] : NULL;
}
typedef enum joint_type { HINGE, SLIDE, BALL, FREE } joint_type;

/* The type of a joint; <freejoint> has no attributes of this kind, and no defaults. */
static mbd_status read_type(const mjcf_reader *in, const xml_element *e, joint_type *out) {
  int word = HINGE;
  if (strcmp(e->name, "freejoint") == 0) {
    word = FREE;
  } else {
    MBD_TRY(mjcf_word(&in->file, e, "type", type_at, &word));
  }
  *out = (joint_type)word;
  return MBD_OK;
}

/* Reads a range and whether it counts: by `limited`, or because it is given. */
static mbd_status read_range(const mjcf_file *f, const xml_element *e, const char *key, const char *limited,
                             double v[2], int *counts) {
  int word = 2, n;
  MBD_TRY(mjcf_numbers(f, e, key, 2, 2, v, &n));
  MBD_TRY(mjcf_word(f, e, limited, mjcf_limited_at, &word));
  *counts = n && (word == 2 ? f->compiler.limits_by_range : word);
  if (*counts && v[0] > v[1]) {
    return element_fail(&f->elements, e, "%s = %g %g, expected the smaller number first", key, v[0], v[1]);
  }
  return MBD_OK;
}

/* springdamper, in the place of stiffness and damping; numbers of zero count as not given. */
static mbd_status read_springdamper(const mjcf_file *f, const xml_element *e, robot_joint *j) {
  double v[2] = {0, 0};
  MBD_TRY(mjcf_numbers(f, e, "springdamper", 2, 2, v, NULL));
  if ((v[0] != 0 || v[1] != 0) && !(v[0] > 0 && v[1] > 0)) {
    return element_fail(&f->elements, e, "springdamper = %g %g, expected two numbers > 0", v[0], v[1]);
  }
  j->time = v[0], j->ratio = v[1];
  return MBD_OK;
}

/* What a joint of one coordinate has: limits, spring, damping, friction, rotor, and the position ref where the file puts it. */
static mbd_status read_dynamics(const mjcf_reader *in, const xml_element *e, joint_type type, robot_joint *j) {
  const mjcf_file *f = &in->file;
  const double unit = type == HINGE ? f->compiler.angle : 1;
  double v[3], rest = 0;
  int counts, n;
  MBD_TRY(read_range(f, e, "range", "limited", v, &counts));
  if (counts) { j->lower = unit * v[0], j->upper = unit * v[1]; }
  MBD_TRY(read_range(f, e, "actuatorfrcrange", "actuatorfrclimited", v, &counts));
  if (counts) { j->effort = fmax(fabs(v[0]), fabs(v[1])); }
  /* springs and dampers of which the first number alone is given are linear */
  MBD_TRY(mjcf_numbers(f, e, "stiffness", 1, 3, v, &n));
  if (n) { j->stiffness = v[0]; }
  const int is_curved = (n > 1 && v[1] != 0) || (n > 2 && v[2] != 0);
  MBD_TRY(mjcf_numbers(f, e, "damping", 1, 3, v, &n));
  if (n) { j->damping = v[0]; }
  if (is_curved || (n > 1 && v[1] != 0) || (n > 2 && v[2] != 0)) {
    MBD_TRY(
        element_warn(&f->elements, e, "has a spring or a damper with a square or a cube: its linear part is taken"));
  }
  MBD_TRY(mjcf_number(f, e, "springref", &rest));
  MBD_TRY(read_springdamper(f, e, j));
  MBD_TRY(mjcf_number(f, e, "armature", &j->rotor));
  MBD_TRY(mjcf_number(f, e, "frictionloss", &j->friction));
  if (j->damping < 0 || j->rotor < 0 || j->friction < 0) {
    return element_fail(&f->elements, e, "damping = %g, armature = %g, frictionloss = %g, expected numbers >= 0",
                        j->damping, j->rotor, j->friction);
  }
  j->rest = unit * rest;
  return MBD_OK;
}

/* What a ball or a free joint has: the damping of a ball joint; all else is left out. */
static mbd_status read_free_dynamics(const mjcf_reader *in, const xml_element *e, joint_type type, robot_joint *j) {
  static const char *const key[] = {"stiffness", "armature", "frictionloss", "damping"};
  if (strcmp(e->name, "freejoint") == 0) { return MBD_OK; }
  for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
    double v[3] = {0};
    MBD_TRY(mjcf_numbers(&in->file, e, key[i], 1, 3, v, NULL));
    if (type == BALL && strcmp(key[i], "damping") == 0) {
      j->damping = v[0];
    } else if (v[0] != 0) {
      MBD_TRY(element_warn(&in->file.elements, e, "attribute '%s' is left out: a %s joint moves without", key[i],
                           type_at((int)type)));
    }
  }
  if (type == BALL) {
    MBD_TRY(read_springdamper(&in->file, e, j));
    if (j->time > 0) {
      MBD_TRY(
          element_warn(&in->file.elements, e, "attribute 'springdamper' of a ball joint: its damping is taken alone"));
    }
  }
  if (type == BALL && xml_get(e, "range")) {
    return element_warn(&in->file.elements, e, "attribute 'range' is left out: a ball joint has no limits");
  }
  return MBD_OK;
}

/* Adds the joint `e` from the link `from`, where the body's frame has the pose `before`, to the link `to`. */
static mbd_status add_joint(mjcf_reader *in, const xml_element *e, const robot_pose *within, int from,
                            const robot_pose *before, int to) {
  static const robot_type kind[] = {ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_SPHERICAL, ROBOT_FLOATING};
  const mjcf_file *f = &in->file;
  double at[3] = {0}, axis[3] = {0, 0, 1}, turned[3], ref = 0;
  joint_type type;
  MBD_TRY(read_type(in, e, &type));
  const char *own = mjcf_name(e);
  char *name = own ? mbd_strdup(own) : mbd_sprintf_dup("%s_joint", in->r->link[to].name);
  robot_joint *j = name ? robot_add_joint(in->r, name, e->line) : NULL;
  free(name);
  if (!j) { return mjcf_no_memory(&in->file); }
  j->type = kind[type], j->link[0] = from, j->link[1] = to;
  /* its number among the joints of the file, by which others refer to it */
  int *grown = mbd_list_grow(in->axis, in->naxis, sizeof *grown);
  if (!grown) { return mjcf_no_memory(&in->file); }
  in->axis = grown;
  grown[in->naxis++] = in->r->njoint - 1;
  MBD_TRY(add_name(in, &in->joints, e, in->r->njoint - 1));
  if (type == FREE) {
    if (from != 0) { return element_fail(&f->elements, e, "is free, expected a body directly in <worldbody>"); }
    memcpy(j->free_start, before->xyz, sizeof before->xyz);
    robot_euler(before->R, j->free_start + 3);
    return read_free_dynamics(in, e, type, j);
  }
  /* the place and the axis, in the frame of the body */
  MBD_TRY(mjcf_numbers(f, e, "pos", 3, 3, at, NULL));
  MBD_TRY(mjcf_numbers(f, e, "axis", 3, 3, axis, NULL));
  const robot_pose local = pose_shift(at), place = pose_product(within, &local);
  m3_vec(turned, within->R, axis);
  const double length = sqrt(v3_dot(turned, turned));
  if (type != BALL && !(length > 1e-14)) { return element_fail(&f->elements, e, "axis has no length"); }
  const robot_pose body_at_joint = pose_shift(place.xyz);
  j->frame[0] = pose_product(before, &body_at_joint), j->frame[1] = body_at_joint;
  if (type == BALL) {
    j->free_start[0] = 1;
    return read_free_dynamics(in, e, type, j);
  }
  v3_scale(j->axis, 1 / length, turned);
  MBD_TRY(read_dynamics(in, e, type, j));
  MBD_TRY(mjcf_number(f, e, "ref", &ref));
  j->start = type == HINGE ? ref * f->compiler.angle : ref;
  double back[3];
  v3_scale(back, -j->start, j->axis);
  const robot_pose unmoved = type == HINGE ? pose_turn(j->axis, -j->start) : pose_shift(back);
  if (ref != 0) { j->frame[0] = pose_product(&j->frame[0], &unmoved); }
  return MBD_OK;
}

/* ---- bodies ---- */

/* The joints of a body, which may be in frames. */
typedef struct joints {
  int n;
  const xml_element **e;
  robot_pose *within; /* pose of the frame around each in the frame of the body */
} joints;

static mbd_status find_joints(const mjcf_reader *in, const xml_element *e, const robot_pose *within, joints *all) {
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i];
    if (strcmp(c->name, "frame") == 0) {
      robot_pose own;
      MBD_TRY(mjcf_pose(&in->file, c, &own));
      const robot_pose inside = pose_product(within, &own);
      MBD_TRY(find_joints(in, c, &inside, all));
    }
    if (strcmp(c->name, "joint") != 0 && strcmp(c->name, "freejoint") != 0) { continue; }
    const xml_element **grown = mbd_list_grow(all->e, all->n, sizeof *grown);
    if (grown) { all->e = grown; }
    robot_pose *poses = mbd_list_grow(all->within, all->n, sizeof *poses);
    if (poses) { all->within = poses; }
    if (!grown || !poses) { return mjcf_no_memory(&in->file); }
    grown[all->n] = c, poses[all->n] = *within;
    all->n++;
  }
  return MBD_OK;
}

/* Adds the masses of all geoms of a body. */
static mbd_status add_geoms(const mjcf_reader *in, const xml_element *e, const robot_pose *within, solid *mass) {
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i];
    if (strcmp(c->name, "geom") == 0) { MBD_TRY(mjcf_add_geom(&in->file, c, within, mass)); }
    if (strcmp(c->name, "frame") == 0) {
      robot_pose own;
      MBD_TRY(mjcf_pose(&in->file, c, &own));
      const robot_pose inside = pose_product(within, &own);
      MBD_TRY(add_geoms(in, c, &inside, mass));
    }
  }
  return MBD_OK;
}

static mbd_status read_mass(const mjcf_reader *in, const xml_element *e, robot_link *link) {
  const xml_element *inertial = xml_child(e, "inertial");
  const mjcf_inference inference = in->file.compiler.inference;
  const robot_pose own = pose_identity();
  solid mass = {0};
  if (inference == MJCF_INFER_ALL || (inference == MJCF_INFER_MISSING && !inertial)) {
    MBD_TRY(add_geoms(in, e, &own, &mass));
  } else if (inertial) {
    MBD_TRY(mjcf_read_inertial(&in->file, inertial, &mass));
  }
  MBD_TRY(mjcf_correct_mass(&in->file, e, &mass));
  link->mass = mass.mass;
  memcpy(link->com, mass.com, sizeof mass.com);
  memcpy(link->inertia, mass.inertia, sizeof mass.inertia);
  return MBD_OK;
}

/* Adds the links and joints of a body in a row; *link becomes the last one, the body itself. */
static mbd_status add_chain(mjcf_reader *in, const xml_element *e, const char *name, int parent, const robot_pose *pose,
                            const joints *all, int *link) {
  const robot_pose place = pose_product(&in->place[parent], pose), at_rest = pose_identity();
  int from = parent;
  for (int i = 0; i < all->n; i++) {
    const char *of_joint = mjcf_name(all->e[i]);
    char *between = of_joint ? mbd_sprintf_dup("%s_link", of_joint) : mbd_sprintf_dup("%s_link_%d", name, i + 1);
    const int to = between ? add_link(in, i == all->n - 1 ? name : between, e->line, &place) : -1;
    free(between);
    if (to < 0) { return mjcf_no_memory(&in->file); }
    MBD_TRY(add_joint(in, all->e[i], &all->within[i], from, i ? &at_rest : pose, to));
    from = to;
  }
  *link = from;
  if (all->n) { return MBD_OK; }
  /* without joints it is fixed */
  char *weld = mbd_sprintf_dup("%s_weld", name);
  *link = weld ? add_link(in, name, e->line, &place) : -1;
  robot_joint *j = *link >= 0 ? robot_add_joint(in->r, weld, e->line) : NULL;
  free(weld);
  if (!j) { return mjcf_no_memory(&in->file); }
  j->type = ROBOT_WELD, j->link[0] = parent, j->link[1] = *link, j->frame[0] = *pose;
  return MBD_OK;
}

static mbd_status read_contents(mjcf_reader *in, const xml_element *e, int link, const robot_pose *within);

static mbd_status warn_of_body(const mjcf_reader *in, const xml_element *e) {
  double part = 0;
  int is_moved = 0;
  MBD_TRY(mjcf_flag(&in->file, e, "mocap", &is_moved));
  if (is_moved) { MBD_TRY(element_warn(&in->file.elements, e, "is moved by the user of MuJoCo: it stands still")); }
  MBD_TRY(mjcf_number(&in->file, e, "gravcomp", &part));
  if (part == 0) { return MBD_OK; }
  return element_warn(&in->file.elements, e, "attribute 'gravcomp' is left out: its whole weight acts");
}

/* Reads a body with all in it; `around` is the pose of the frame around it in the frame of the parent. */
static mbd_status read_body(mjcf_reader *in, const xml_element *e, int parent, const robot_pose *around) {
  const robot_pose at_rest = pose_identity();
  joints all = {0};
  robot_pose own;
  int link = -1;
  MBD_TRY(warn_of_body(in, e));
  MBD_TRY(mjcf_pose(&in->file, e, &own));
  const robot_pose pose = pose_product(around, &own);
  const char *name = mjcf_name(e);
  mbd_status status = find_joints(in, e, &at_rest, &all);
  if (status == MBD_OK) { status = add_chain(in, e, name ? name : "body", parent, &pose, &all, &link); }
  free(all.e), free(all.within);
  MBD_TRY(status);
  MBD_TRY(add_name(in, &in->bodies, e, link));
  MBD_TRY(read_mass(in, e, &in->r->link[link]));
  return read_contents(in, e, link, &at_rest);
}

/* Reads the bodies, sites and shapes in a body, in <worldbody> or in a <frame>. */
static mbd_status read_contents(mjcf_reader *in, const xml_element *e, int link, const robot_pose *within) {
  for (int i = 0; i < e->nchild; i++) {
    const xml_element *c = e->child[i];
    if (strcmp(c->name, "body") == 0) { MBD_TRY(read_body(in, c, link, within)); }
    if (strcmp(c->name, "site") == 0) { MBD_TRY(read_site(in, c, link, within)); }
    if (strcmp(c->name, "geom") == 0) { MBD_TRY(mjcf_add_look(&in->file, c, within, &in->r->link[link])); }
    if (strcmp(c->name, "frame") == 0) {
      robot_pose own;
      MBD_TRY(mjcf_pose(&in->file, c, &own));
      const robot_pose inside = pose_product(within, &own);
      MBD_TRY(read_contents(in, c, link, &inside));
    }
  }
  return MBD_OK;
}

/* settotalmass: all masses and inertias times one factor. */
static mbd_status scale_masses(mjcf_reader *in) {
  double sum = 0;
  for (int i = 0; i < in->r->nlink; i++) { sum += in->r->link[i].mass; }
  const double factor = in->file.compiler.total_mass / sum;
  if (!(in->file.compiler.total_mass > 0)) { return MBD_OK; }
  if (!isfinite(factor)) { return element_fail(&in->file.elements, in->file.root, "has settotalmass, but no mass"); }
  for (int i = 0; i < in->r->nlink; i++) {
    robot_link *link = &in->r->link[i];
    link->mass *= factor;
    for (int k = 0; k < 9; k++) { link->inertia[k] *= factor; }
  }
  return MBD_OK;
}

mbd_status mjcf_read_bodies(mjcf_reader *in) {
  const robot_pose at_rest = pose_identity();
  const xml_element *root = in->file.root;
  if (add_link(in, "world", root->line, &at_rest) < 0 || !mbd_names_add(&in->bodies, "world", 0)) {
    return mjcf_no_memory(&in->file);
  }
  in->r->grounded = 1;
  for (int i = 0; i < root->nchild; i++) {
    if (strcmp(root->child[i]->name, "worldbody") == 0) { MBD_TRY(read_contents(in, root->child[i], 0, &at_rest)); }
  }
  if (in->r->nlink == 1) { return element_fail(&in->file.elements, root, "has no <body>"); }
  return scale_masses(in);
}
